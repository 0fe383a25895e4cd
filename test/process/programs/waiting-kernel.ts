/** Ends while a kernel waits for something that never comes: on the worker pool, or on the stack of a worker. */
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import {
  execute,
  executeAsync,
  exportTensor,
  importTensor,
  memory,
  tf,
  type Tensor,
  type TensorToken,
} from '../../../lib';
import { say, task } from './program';

export interface WaitingTask {
  /** Where the kernel is run: off the loop of the main thread or of a worker, or in a worker that waits with it. */
  readonly where: 'main' | 'worker' | 'worker, synchronously';
  readonly end: 'process.exit' | 'process.reallyExit' | 'uncaught exception' | 'terminate' | 'feed';
}

const TYPES = { component_types: ['float32'] } as const;

function emptyQueue(): Tensor {
  return execute('FIFOQueueV2', { attrs: { ...TYPES, shapes: [[]], capacity: 2 } })[0]!;
}

const dequeue = (queue: Tensor) => ({ inputs: [queue], attrs: TYPES });

async function perform({ where, end }: WaitingTask): Promise<void> {
  const queue = emptyQueue();
  let worker: Worker | undefined;
  if (where === 'main') {
    void executeAsync('QueueDequeueV2', dequeue(queue));
  } else {
    const token = exportTensor(queue);
    worker = new Worker(__filename, { workerData: { token, where } });
    await new Promise((resolve) => worker!.once('message', resolve));
  }
  await new Promise((resolve) => setTimeout(resolve, 200)); // it is in the kernel by now
  switch (end) {
    case 'process.exit':
      return process.exit(7);
    case 'process.reallyExit':
      return (process as unknown as { reallyExit(code: number): void }).reallyExit(7);
    case 'uncaught exception':
      setImmediate(() => {
        throw new Error('uncaught, on purpose');
      });
      return;
    case 'terminate':
      say({ worker: await worker!.terminate() });
      say({ once: execute('Neg', { inputs: [tf.constant(-5)] })[0]!.arraySync() });
      return;
    case 'feed': {
      const answer = new Promise((resolve) => worker!.once('message', resolve));
      execute('QueueEnqueueV2', { inputs: [queue, [tf.constant(5)]] });
      say(await answer);
    }
  }
}

function waitInWorker(): void {
  const { token, where } = workerData as { token: TensorToken; where: WaitingTask['where'] };
  const queue = importTensor(token);
  parentPort!.postMessage('waiting');
  if (where === 'worker') {
    void executeAsync('QueueDequeueV2', dequeue(queue));
    return;
  }
  const [value] = execute('QueueDequeueV2', dequeue(queue));
  parentPort!.postMessage({ value: value!.arraySync(), tensors: memory().tensors });
}

if (isMainThread) void perform(task<WaitingTask>());
else waitInWorker();
