/** Ends while a kernel on the worker pool waits for something that never comes. */
import { isMainThread, parentPort, Worker } from 'node:worker_threads';
import { execute, executeAsync } from '../../../lib';
import { say, task } from './program';

type Way = 'process.exit' | 'uncaught exception' | 'terminate';

function wait(): void {
  const attrs = { component_types: ['float32'], shapes: [[]], capacity: 2 } as const;
  const [queue] = execute('FIFOQueueV2', { attrs });
  const options = { inputs: [queue!], attrs: { component_types: ['float32'] } } as const;
  void executeAsync('QueueDequeueV2', options);
}

async function perform(way: Way): Promise<void> {
  if (way === 'terminate') {
    const worker = new Worker(__filename);
    await new Promise((resolve) => worker.once('message', resolve));
    say({ worker: await worker.terminate() });
    return;
  }
  wait();
  setTimeout(() => {
    if (way === 'process.exit') process.exit(7);
    throw new Error('uncaught, on purpose');
  }, 50);
}

if (isMainThread) {
  void perform(task<Way>());
} else {
  wait();
  setTimeout(() => parentPort!.postMessage('waiting'), 50);
}
