/** A token whose thread has ended when it is used, and what the other thread sees of it before. */
import { isMainThread, parentPort, Worker } from 'node:worker_threads';
import { configure, exportTensor, importTensor, memory, tf, type TensorToken } from '../../../lib';
import { describeError, say, task } from './program';

export interface TokensTask {
  /** Whether the main thread uses TensorFlow before the worker ends. */
  readonly uses: boolean;
}

async function main({ uses }: TokensTask): Promise<void> {
  if (uses) tf.constant(1).dispose();
  const worker = new Worker(__filename);
  const token = await new Promise<TensorToken>((resolve) => worker.once('message', resolve));
  say({ exported: memory().exported });
  configure({ asyncThreads: 4 }); // as it is: this loads the addon only
  say({ exported: memory().exported });
  const ended = new Promise((resolve) => worker.once('exit', resolve));
  worker.postMessage('end');
  await ended;
  try {
    say({ values: [...(importTensor(token).dataSync() as Float32Array)] });
  } catch (error) {
    say(describeError(error));
  }
}

if (isMainThread) void main(task<TokensTask>());
else {
  parentPort!.once('message', () => parentPort!.close());
  parentPort!.postMessage(exportTensor(tf.constant([1, 2])));
}
