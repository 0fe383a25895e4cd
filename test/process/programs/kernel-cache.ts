/** Threads that run ops, on themselves and on the pool, while each of them clears the kernel cache that all of them use. */
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import {
  clearKernelCache,
  execute,
  executeAsync,
  memory,
  scopeAsync,
  status,
  tf,
} from '../../../lib';
import { say, task } from './program';

export interface KernelCacheTask {
  readonly workers: number;
  readonly rounds: number;
  /** Tasks on the pool at any one time, for each thread. */
  readonly abreast: number;
  /** A thread clears after so many rounds. */
  readonly every: number;
}

interface Result {
  readonly right: number;
  readonly wrong: number;
  readonly cleared: number;
}

/** Attributes of many values: most calls need a kernel that is not there any more, or not yet. */
async function perform({ rounds, abreast, every }: KernelCacheTask): Promise<Result> {
  let [right, wrong, cleared] = [0, 0, 0];
  const count = (got: unknown, wanted: number): void => {
    if (got === wanted) right += 1;
    else wrong += 1;
  };
  for (let round = 0; round < rounds; round += 1) {
    await scopeAsync(async () => {
      const x = tf.constant([-1, 2]);
      const pool = Array.from({ length: abreast }, async (_, i) => {
        const alpha = ((round + i) % 50) + 1;
        const attrs = { alpha };
        const [leaky] = await executeAsync('LeakyRelu', { inputs: [x], attrs });
        count(leaky!.dataSync()[0], -alpha);
        const product = await tf.matmulAsync([[alpha, 1]] as never, [[2], [3]] as never);
        count(product.dataSync()[0], 2 * alpha + 3);
      });
      for (let i = 0; i < abreast; i += 1) {
        const alpha = ((round + i) % 50) + 1;
        const [leaky] = execute('LeakyRelu', { inputs: [x], attrs: { alpha } });
        count(leaky!.dataSync()[0], -alpha);
        count(tf.argmax(tf.nn.softmax(tf.multiply(x, alpha))).dataSync({ int64: 'number' })[0], 1);
        if ((round * abreast + i) % every === 0) {
          clearKernelCache();
          cleared += 1;
        }
      }
      await Promise.all(pool);
    });
  }
  return { right, wrong, cleared };
}

async function inWorker(data: KernelCacheTask): Promise<Result> {
  const worker = new Worker(__filename, { workerData: data });
  return new Promise((resolve, reject) => {
    let result: Result | undefined;
    worker.once('message', (message: Result) => (result = message)).once('error', reject);
    worker.once('exit', (code) => {
      if (code === 0 && result !== undefined) resolve(result);
      else reject(new Error(`a worker ended with ${code}`));
    });
  });
}

async function main(): Promise<void> {
  const given = task<KernelCacheTask>();
  const workers = Array.from({ length: given.workers }, () => inWorker(given));
  const results = await Promise.all([perform(given), ...workers]);
  say({ results });
  say({ left: status().liveTensors, pending: memory().processPending });
}

if (isMainThread) void main();
else void perform(workerData as KernelCacheTask).then((result) => parentPort!.postMessage(result));
