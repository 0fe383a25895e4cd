/**
 * Ops that end the process, or hang, on a resource of another kind than they expect. What a resource is only TensorFlow
 * knows, so another op that asks for one of that kind, and changes nothing, says it first.
 */
import { describeValue } from '../describe';
import { isTfeError, tfeError } from '../errors';
import { makeConstant } from '../tensor/constant';
import { dtypeOfTf, type DType } from '../tensor/dtype';
import { scope, type Tensor } from '../tensor/tensor';
import { runCall } from './call';
import { definitionOf } from './definition';

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

/** Whether {@link checkResources} has anything to ask of the op's inputs. */
export function asksForResources(op: string): boolean {
  return Object.hasOwn(CHECKS, op);
}

/** @throws TfeError `TFE_OP_ARGUMENT` */
export function checkResources(
  op: string,
  inputs: readonly Tensor[],
  attribute: (name: string) => unknown,
): void {
  CHECKS[op]!(op, inputs, attribute);
}

/**
 * What a kernel keeps. The kernel of a reader makes one once; asked again after that has been destroyed, it ends in an
 * exception while it holds a lock of all resources. The kernel of an accumulator asserts, when it is freed, that its
 * accumulator is still there.
 */
function refuseKept(op: string, [resource]: readonly Tensor[]): void {
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
 * inputs and outputs, and no attributes but those with a default and those that TensorFlow infers from the inputs.
 */
function refusal(
  name: string,
  inputs: () => readonly Tensor[],
  look?: (output: Tensor) => void,
): string {
  const op = definitionOf(name);
  const outputLengths = op.outputs.map(() => 1);
  const call = { outputLengths, outputs: outputLengths.length, attrs: [], key: '' };
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
