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
  DeleteIterator: refuseReader,
  DeleteMemoryCache: refuseReader,
  DeleteMultiDeviceIterator: refuseReader,
  DeleteRandomSeedGenerator: refuseReader,
  DeleteRpcFutureResource: refuseReader,
  DeleteSeedGenerator: refuseReader,
  DestroyResourceOp: refuseReader,
  LookupTableExportV2: requireTableTypes,
  ReaderReadUpToV2: requireQueue,
  ReaderReadV2: requireQueue,
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
 * The kernel of a reader makes one once; asked again after that has been destroyed, it ends in an exception while it holds a
 * lock of all resources.
 */
function refuseReader(op: string, [resource]: readonly Tensor[]): void {
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

function refuse(op: string, expected: string, resource: unknown): never {
  const facts = { op, argument: 'its resource', expected, received: describeValue(resource) };
  throw tfeError('TFE_OP_ARGUMENT', facts, { op });
}

/**
 * Why TensorFlow refuses an op of these inputs; empty where it does not. The op has single inputs and outputs, and no
 * attributes but those that TensorFlow infers from the inputs.
 */
function refusal(name: string, inputs: () => readonly Tensor[]): string {
  const op = definitionOf(name);
  const outputLengths = op.outputs.map(() => 1);
  return scope(() => {
    try {
      const call = { outputLengths, outputs: outputLengths.length, attrs: [], key: '' };
      runCall(op, { ...call, inputs: inputs() }, '');
      return '';
    } catch (error) {
      if (isTfeError(error) && error.code === 'TFE_OP_FAILED') return String(error.facts['reason']);
      throw error;
    }
  });
}
