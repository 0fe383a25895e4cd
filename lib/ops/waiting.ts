/** Which ops wait, and where they run meanwhile. */
import type { NativeBinding } from '../native/binding';

/**
 * Ops that wait for what another thread, or a dataset, may never bring. They can be called off, so a worker runs them on a
 * thread of their own and can be terminated meanwhile.
 */
const WAITING: ReadonlySet<string> = new Set([
  'DatasetToSingleElement',
  'DatasetToTFRecord',
  'ExperimentalDatasetToTFRecord',
  'IteratorGetNext',
  'IteratorGetNextAsOptional',
  'IteratorGetNextSync',
  'MutexLock',
  'QueueDequeueManyV2',
  'QueueDequeueUpToV2',
  'QueueDequeueV2',
  'QueueEnqueueManyV2',
  'QueueEnqueueV2',
  'ReaderReadUpToV2',
  'ReaderReadV2',
  'Recv',
  'ResourceAccumulatorTakeGradient',
]);

export function mayWait(op: string): boolean {
  return WAITING.has(op) || op.startsWith('Collective');
}

function isWorker(): boolean {
  // Loaded on use: few ops wait.
  const { isMainThread } = require('node:worker_threads') as typeof import('node:worker_threads');
  return !isMainThread;
}

/** Whether a synchronous call of the op has a thread of its own in this thread. */
export function runsApart(op: string): boolean {
  return mayWait(op) && isWorker();
}

/** `runMany` on such a thread: {@link NativeBinding.runApart}. */
export function runApart(binding: NativeBinding, index: number, ids: Float64Array): Float64Array {
  // It has nothing to do: a thread that has been terminated cannot call it, and so notices.
  return binding.runApart(index, ids, () => undefined);
}
