/** Threads that use tensors: at once, one after the other, and until they are stopped. */
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { isTfeError, scope, scopeAsync, status, tf } from '../../../lib';
import { say, task } from './program';

type Work = 'add' | 'fail' | 'copy' | 'unscoped' | 'scope' | 'async' | 'async read';

interface WorkerTask {
  readonly work: Work;
  /** Rounds; -1: until terminated. */
  readonly rounds: number;
}

export interface ThreadsTask {
  /** Whether the main thread loads the library before, while or after the workers do, or never. */
  readonly main: 'before' | 'meanwhile' | 'after' | 'never';
  readonly workers: readonly WorkerTask[];
  /** Terminate each worker while it works. */
  readonly terminate?: boolean;
  /** How often. */
  readonly repeat?: number;
}

/** One round of work; answers a number that must be the same in every thread. */
function round(work: Work): number | Promise<number> {
  switch (work) {
    case 'add':
      return scope(() => {
        const x = tf.constant([
          [1, 2],
          [3, 4],
        ]);
        let sum = x;
        for (let i = 0; i < 10; i += 1) sum = tf.add(sum, x);
        return tf.matmul(sum, x).dataSync()[3]!;
      });
    case 'fail':
      return scope(() => {
        try {
          tf.add(tf.constant([1, 2]), tf.constant([1, 2, 3]));
          return 0;
        } catch (error) {
          return isTfeError(error) ? 242 : 0;
        }
      });
    case 'copy': {
      using big = tf.constant(new Float32Array(65_536).fill(242));
      return big.dataSync()[65_535]!;
    }
    case 'unscoped': // Left to the garbage collector, or to the end of the thread.
      return tf.constant(new Float32Array(100).fill(242)).dataSync()[0]!;
    case 'scope':
      return scope(() => {
        for (let i = 0; i < 50; i += 1) tf.constant(i);
        return 242;
      });
    case 'async':
      return scopeAsync(async () => {
        const x = tf.constant([
          [1, 2],
          [3, 4],
        ]);
        const [y, z] = await Promise.all([tf.matmulAsync(x, x), tf.matmulAsync(x, x)]);
        return (await (await tf.multiplyAsync(await tf.addAsync(y, z), 5.5)).data())[3]!;
      });
    case 'async read':
      return scopeAsync(async () => {
        const big = tf.constant(new Float32Array(65_536).fill(242));
        const [once, twice] = await Promise.all([big.data(), big.data()]);
        return (once[65_535]! + twice[0]!) / 2;
      });
  }
}

async function perform({ work, rounds }: WorkerTask): Promise<{ right: number; wrong: number }> {
  const result = { right: 0, wrong: 0 };
  for (let i = 0; i !== rounds; i += 1) {
    if ((await round(work)) === 242) result.right += 1;
    else result.wrong += 1;
    if (i === 10) parentPort?.postMessage('working');
  }
  return result;
}

interface Ended {
  readonly result: unknown;
  readonly exit: number;
}

async function runWorker(data: WorkerTask, terminate: boolean): Promise<Ended> {
  const worker = new Worker(__filename, { workerData: data });
  let result: unknown = null;
  const exited = new Promise<number>((resolve, reject) => {
    worker.once('exit', resolve).once('error', reject);
  });
  worker.on('message', (message) => {
    if (message !== 'working') result = message;
    else if (terminate) setTimeout(() => void worker.terminate(), Math.random() * 5);
  });
  return { result, exit: await exited, ...(result === null ? {} : { result }) };
}

const MAIN_WORK: WorkerTask = { work: 'add', rounds: 500 };

async function main(): Promise<void> {
  const { main: when, workers, terminate = false, repeat = 1 } = task<ThreadsTask>();
  if (when === 'before') say({ main: await perform(MAIN_WORK) });
  for (let i = 0; i < repeat; i += 1) {
    const running = workers.map((worker) => runWorker(worker, terminate));
    if (when === 'meanwhile') say({ main: await perform(MAIN_WORK) });
    say({ workers: await Promise.all(running) });
  }
  if (when === 'after') say({ main: await perform(MAIN_WORK) });
  say({ liveTensors: status().liveTensors });
}

if (isMainThread) void main();
else void perform(workerData as WorkerTask).then((result) => parentPort!.postMessage(result));
