/**
 * Ops that end the process, or hang, on a resource of another kind than they expect. What a resource is only TensorFlow
 * knows, so another op that asks for one of that kind, and changes nothing, says it first.
 */
import { describeValue } from '../describe';
import { isTfeError, tfeError } from '../errors';
import { dtypeOfTf } from '../tensor/dtype';
import { makeConstant } from '../tensor/constant';
import { scope, type Tensor } from '../tensor/tensor';

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
  const reason = refusal(
    () => [resource!, makeConstant('', 'string', [2])],
    'ReaderRestoreStateV2',
  );
  // The state is looked at only where there is a reader.
  if (!reason.startsWith('Reader state must be scalar')) return;
  refuse(op, 'a resource that is no reader (clearKernelCache() frees readers)', resource);
}

function requireQueue(op: string, [, queue]: readonly Tensor[]): void {
  if (refusal(() => [queue!], 'QueueSizeV2') !== '') refuse(op, 'a queue', queue);
}

function requireTableTypes(
  op: string,
  [table]: readonly Tensor[],
  attribute: (name: string) => unknown,
): void {
  const [keys, values] = ['Tkeys', 'Tvalues'].map((name) => dtypeOfTf(Number(attribute(name))));
  if (keys === undefined || values === undefined) return;
  const empty = (dtype: typeof keys, shape: number[]): Tensor =>
    makeConstant(dtype === 'string' ? '' : dtype === 'bool' ? false : 0, dtype, shape);
  const reason = refusal(() => [table!, empty(keys, [0]), empty(values, [])], 'LookupTableFindV2');
  if (!reason.startsWith('Signature mismatch')) return;
  refuse(op, `a table from ${keys} to ${values}`, table);
}

function refuse(op: string, expected: string, resource: unknown): never {
  const facts = { op, argument: 'its resource', expected, received: describeValue(resource) };
  throw tfeError('TFE_OP_ARGUMENT', facts, { op });
}

/** Why TensorFlow refuses the op; empty where it does not. */
function refusal(inputs: () => readonly Tensor[], op: string): string {
  // Loaded on use: it loads this file.
  const { execute } = require('./execute') as typeof import('./execute');
  return scope(() => {
    try {
      execute(op, { inputs: inputs() });
      return '';
    } catch (error) {
      if (isTfeError(error) && error.code === 'TFE_OP_FAILED') return String(error.facts['reason']);
      throw error;
    }
  });
}
