/**
 * Ops that end the process, or hang, on a resource of another kind than they expect. What a resource is only TensorFlow
 * knows, so another op that asks for one of that kind, and changes nothing, says it first.
 */
import { describeValue } from '../describe';
import { isTfeError, tfeError } from '../errors';
import { makeConstant } from '../tensor/constant';
import { dtypeOfTf, type DType } from '../tensor/dtype';
import { scope, type Tensor } from '../tensor/tensor';
import type { BoundCall } from './bind';
import { runCall } from './call';
import { definitionOf } from './definition';
import { typeName } from './types';

type Check = (op: string, inputs: readonly Tensor[], attribute: (name: string) => unknown) => void;

const CHECKS: Readonly<Record<string, Check>> = {
  DeleteIterator: refuseKept,
  DeleteMemoryCache: refuseKept,
  DeleteMultiDeviceIterator: refuseKept,
  DeleteRandomSeedGenerator: refuseKept,
  DeleteRpcFutureResource: refuseKept,
  DeleteSeedGenerator: refuseKept,
  DestroyResourceOp: refuseKept,
  LookupTableExportV2: requireTableTypes,
  ReaderReadUpToV2: requireQueue,
  ReaderReadV2: requireQueue,
  ResourceGather: requireBatchDims,
};

/** Ops that end the process where a variable has another dtype than they. */
const OF_VARIABLES =
  /^(?:ReadVariableOp|ResourceStridedSliceAssign|Resource(?:Apply|Gather|ScatterNd|SparseApply)\w*)$/u;

/** Whether {@link checkResources} has anything to ask of the op's inputs. */
export function asksForResources(op: string): boolean {
  return Object.hasOwn(CHECKS, op) || OF_VARIABLES.test(op);
}

/** @throws TfeError `TFE_OP_ARGUMENT` */
export function checkResources(
  op: string,
  inputs: readonly Tensor[],
  attribute: (name: string) => unknown,
): void {
  if (OF_VARIABLES.test(op)) requireVariables(op, inputs, attribute);
  if (Object.hasOwn(CHECKS, op)) CHECKS[op]!(op, inputs, attribute);
}

function requireVariables(
  op: string,
  inputs: readonly Tensor[],
  attribute: (name: string) => unknown,
): void {
  const wanted = typeName(Number(attribute('T') ?? attribute('dtype')));
  for (const input of inputs) {
    if (input.dtype !== 'resource') continue;
    const dtype = dtypeOfVariable(input);
    if (dtype === undefined || dtype === wanted) continue;
    refuse(op, `a variable of ${wanted}, not of ${dtype},`, input);
  }
}

/** What variables were found to be of. It holds until one is destroyed: its handle may stand for another one then. */
let dtypes = new WeakMap<Tensor, string>();

/** What TensorFlow's errors call a dtype, where that is not its name. */
const NAMES: Readonly<Record<string, string>> = {
  double: 'float64',
  float: 'float32',
  half: 'float16',
};

/** Undefined for a variable that has no value yet, and for what is none: the op itself refuses these. */
function dtypeOfVariable(variable: Tensor): string | undefined {
  const known = dtypes.get(variable);
  if (known !== undefined) return known;
  let hasValue = false;
  const look = (answer: Tensor): void => void (hasValue = answer.dataSync()[0] === 1);
  refusal('VarIsInitializedOp', () => [variable], look);
  if (!hasValue) return undefined;
  // Of a shape that it does not have, so that nothing is assigned; the dtype is looked at first. Reading may end the process.
  const reason = refusal(
    'AssignVariableOp',
    () => [variable, makeConstant(0, 'float32', [0, 0, 0, 1])],
    undefined,
    [['validate_shape', 'bool', true]],
  );
  const [, named] = /wrong dtype\. Expected (\w+) got/u.exec(reason) ?? [];
  const dtype = named === undefined ? 'float32' : (NAMES[named] ?? named);
  dtypes.set(variable, dtype);
  return dtype;
}

/**
 * What a kernel keeps. The kernel of a reader makes one once; asked again after that has been destroyed, it ends in an
 * exception while it holds a lock of all resources. The kernel of an accumulator asserts, when it is freed, that its
 * accumulator is still there.
 */
function refuseKept(op: string, [resource]: readonly Tensor[]): void {
  dtypes = new WeakMap();
  if (refusal('ResourceAccumulatorNumAccumulated', () => [resource!]) === '') {
    refuse(
      op,
      'a resource that is no accumulator (clearKernelCache() frees accumulators)',
      resource,
    );
  }
  const reason = refusal('ReaderRestoreStateV2', () => [
    resource!,
    makeConstant('', 'string', [2]),
  ]);
  // The state is looked at only where there is a reader.
  if (!reason.startsWith('Reader state must be scalar')) return;
  refuse(op, 'a resource that is no reader (clearKernelCache() frees readers)', resource);
}

function requireQueue(op: string, [, queue]: readonly Tensor[]): void {
  if (refusal('QueueSizeV2', () => [queue!]) !== '') refuse(op, 'a queue', queue);
}

function requireTableTypes(
  op: string,
  [table]: readonly Tensor[],
  attribute: (name: string) => unknown,
): void {
  const [keys, values] = ['Tkeys', 'Tvalues'].map((name) => dtypeOfTf(Number(attribute(name))));
  if (keys === undefined || values === undefined) return;
  const blank = (dtype: DType, shape: readonly number[]): Tensor =>
    makeConstant(dtype === 'string' ? '' : dtype === 'bool' ? false : 0, dtype, shape);
  const reason = refusal('LookupTableFindV2', () => [table!, blank(keys, [0]), blank(values, [])]);
  if (!reason.startsWith('Signature mismatch')) return;
  refuse(op, `a table from ${keys} to ${values}`, table);
}

function requireBatchDims(
  op: string,
  [variable]: readonly Tensor[],
  attribute: (name: string) => unknown,
): void {
  const batchDims = Number(attribute('batch_dims'));
  if (batchDims === 0) return;
  let rank: number | undefined;
  const look = ({ shape }: Tensor): void => void ([rank] = shape);
  refusal('VariableShape', () => [variable!], look);
  if (batchDims !== rank) return; // fewer it can do, more it refuses
  refuse(op, `a variable of rank ${batchDims + 1} or more`, variable);
}

function refuse(op: string, expected: string, resource: unknown): never {
  const facts = { op, argument: 'its resource', expected, received: describeValue(resource) };
  throw tfeError('TFE_OP_ARGUMENT', facts, { op });
}

/**
 * Why TensorFlow refuses an op of these inputs; empty where it does not, and then `look` sees the output. The op has single
 * inputs and outputs, and no attributes but `attrs`, those with a default and those that TensorFlow infers from the inputs.
 */
function refusal(
  name: string,
  inputs: () => readonly Tensor[],
  look?: (output: Tensor) => void,
  attrs: BoundCall['attrs'] = [],
): string {
  const op = definitionOf(name);
  const outputLengths = op.outputs.map(() => 1);
  const call = { outputLengths, outputs: outputLengths.length, attrs, key: JSON.stringify(attrs) };
  return scope(() => {
    try {
      const [output] = runCall(op, { ...call, inputs: inputs() }, '');
      if (output !== undefined) look?.(output);
      return '';
    } catch (error) {
      if (isTfeError(error) && error.code === 'TFE_OP_FAILED') return String(error.facts['reason']);
      throw error;
    }
  });
}
