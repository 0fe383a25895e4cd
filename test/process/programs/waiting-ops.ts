/** Terminates workers, one for each op that can wait without end, while that runs on their stacks. */
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { Kernel } from '../../../lib/extension';
import type { NativeAttr } from '../../../lib/native/binding';
import { execute, tf, type ExecuteOptions, type Tensor } from '../../../lib';
import { say, task } from './program';

const INT64 = { output_types: ['int64'], output_shapes: [[]] } as const;

const int64 = (value: bigint): Tensor => tf.constant(value);
const only = (op: string, options: ExecuteOptions): Tensor => execute(op, options)[0]!;

function emptyQueue(component: 'float32' | 'string'): Tensor {
  return only('FIFOQueueV2', { attrs: { component_types: [component], shapes: [[]] } });
}

/** A dataset whose first element takes eleven days. */
function slow(type: 'int64' | 'string'): Tensor {
  const one = type === 'int64' ? int64(1n) : tf.constant('one');
  const once = only('TensorDataset', { inputs: [[one]], attrs: { output_shapes: [[]] } });
  return only('SleepDataset', {
    inputs: [once, int64(10n ** 12n)],
    attrs: { output_types: [type], output_shapes: [[]] },
  });
}

function iterator(): Tensor {
  const made = only('AnonymousIteratorV3', { attrs: INT64 });
  execute('MakeIterator', { inputs: [slow('int64'), made] });
  return made;
}

const records = (): ExecuteOptions => ({
  inputs: [slow('string'), tf.constant('/dev/null'), tf.constant('')],
});

const reader = (): Tensor => only('IdentityReaderV2', {});

const WAITS: Readonly<Record<string, () => ExecuteOptions>> = {
  DatasetToSingleElement: () => ({ inputs: [slow('int64')], attrs: INT64 }),
  DatasetToTFRecord: records,
  ExperimentalDatasetToTFRecord: records,
  IteratorGetNext: () => ({ inputs: [iterator()], attrs: INT64 }),
  IteratorGetNextAsOptional: () => ({ inputs: [iterator()], attrs: INT64 }),
  IteratorGetNextSync: () => ({ inputs: [iterator()], attrs: INT64 }),
  QueueDequeueV2: () => ({
    inputs: [emptyQueue('float32')],
    attrs: { component_types: ['float32'] },
  }),
  ReaderReadUpToV2: () => ({ inputs: [reader(), emptyQueue('string'), int64(2n)] }),
  ReaderReadV2: () => ({ inputs: [reader(), emptyQueue('string')] }),
};

async function perform(ops: readonly string[]): Promise<void> {
  const workers = ops.map((op) => new Worker(__filename, { workerData: op }));
  await Promise.all(
    workers.map(async (worker) => new Promise((resolve) => worker.once('message', resolve))),
  );
  await new Promise((resolve) => setTimeout(resolve, 300)); // they are in their kernels by now
  await Promise.all(
    workers.map(async (worker, i) => say({ op: ops[i], exit: await worker.terminate() })),
  );
}

function waitInKernel(): void {
  const types: NativeAttr = ['component_types', 'list(type)', [1]];
  const spec = { label: 'test.take', name: 'QueueDequeueV2', inputs: 1, attrs: [types] } as const;
  const kernel = new Kernel(spec);
  const queue = emptyQueue('float32');
  parentPort!.postMessage('waiting');
  kernel.run1(queue);
}

function wait(op: string): void {
  if (op === 'a kernel') return waitInKernel();
  const options = WAITS[op]!();
  parentPort!.postMessage('waiting');
  execute(op, options);
  throw new Error(`${op} came to an end`);
}

if (isMainThread) void perform(task<readonly string[]>());
else wait(workerData as string);
