/** Threads that end, or end the process, while ops run: on their own stack, off their loop, or both at once. */
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { memory, tf, type Tensor } from '../../../lib';
import { say, task } from './program';

/** `long`: kernels of many milliseconds each. Without `async`, the thread never comes back to its loop. */
export type Work = 'long' | 'short' | 'long async' | 'short async' | 'read async' | 'nothing';

export type End =
  | 'go on'
  | 'exit'
  | 'reallyExit'
  | 'throw'
  | 'reject'
  | 'signal'
  | 'terminate'
  | 'begin in the exit handler'
  | 'throw in the exit handler'
  | 'work in the exit handler'
  | 'work in the beforeExit handler';

export interface MidOpTask {
  readonly main: Work;
  readonly workers: readonly Work[];
  readonly end: End;
  /** Who ends so, once all are at work: the main thread, or the first worker, and then the others are terminated. */
  readonly by?: 'main' | 'worker';
  /** After all are at work, in milliseconds. */
  readonly after?: number;
}

interface WorkerTask {
  readonly work: Work;
  readonly end: End;
}

const SIDE = 1000;
const held: Tensor[] = [];
let going = true;

function square(side: number): Tensor<'float32', 2> {
  const x = tf.constant(new Float32Array(side * side).fill(1), { shape: [side, side] });
  held.push(x);
  return x;
}

/** Makes inputs, says that it is at work, and works until the end of the thread. */
function perform(work: Work, atWork: () => void): void {
  switch (work) {
    case 'nothing':
      atWork();
      return;
    case 'long':
    case 'short': {
      const x = square(work === 'long' ? SIDE : 2);
      atWork();
      for (;;) tf.matmul(x, x).dispose();
    }
    case 'long async':
    case 'short async': {
      const x = square(work === 'long async' ? SIDE : 2);
      const next = (): void => {
        if (going) void tf.matmulAsync(x, x).then(again);
      };
      const again = (y: Tensor): void => {
        y.dispose();
        next();
      };
      for (let i = 0; i < 20; i += 1) next();
      atWork();
      return;
    }
    case 'read async': {
      const x = square(4000);
      const next = (): void => {
        if (going) void x.data().then(next);
      };
      for (let i = 0; i < 3; i += 1) next();
      atWork();
      return;
    }
  }
}

function once(): number {
  const x = square(SIDE);
  return tf.matmul(x, x).dataSync()[SIDE * SIDE - 1]!;
}

function finish(end: End): void {
  switch (end) {
    case 'go on':
    case 'terminate':
      break;
    case 'exit':
      process.exit(7);
      break;
    case 'reallyExit':
      (process as unknown as { reallyExit(code: number): void }).reallyExit(7);
      break;
    case 'throw':
      throw new Error('on purpose');
    case 'reject':
      void Promise.reject(new Error('on purpose'));
      break;
    case 'signal':
      process.kill(process.pid, 'SIGTERM');
      break;
    case 'begin in the exit handler':
      process.on('exit', () => {
        const x = square(SIDE);
        for (let i = 0; i < 20; i += 1) void tf.matmulAsync(x, x);
      });
      process.exit(7);
      break;
    case 'throw in the exit handler':
      process.prependListener('exit', () => {
        throw new Error('on purpose');
      });
      process.exit(7);
      break;
    case 'work in the exit handler':
      process.on('exit', () => say({ atExit: once() }));
      process.exit(7);
      break;
    case 'work in the beforeExit handler':
      process.once('beforeExit', () => {
        say({ beforeExit: once() });
        const x = square(SIDE);
        void tf.matmulAsync(x, x).then(async (y) => say({ then: (await y.data())[0] }));
      });
      break;
  }
}

async function main(): Promise<void> {
  const { main: own, workers, end, by = 'main', after = 0 } = task<MidOpTask>();
  const threads = workers.map((work, i) => {
    const data: WorkerTask = { work, end: by === 'worker' && i === 0 ? end : 'go on' };
    return new Worker(__filename, { workerData: data });
  });
  const exits = threads.map((thread) => {
    thread.on('error', (error) => say({ workerError: error.message }));
    return new Promise<number>((resolve) => thread.once('exit', resolve));
  });
  await Promise.all(threads.map((t) => new Promise((resolve) => t.once('message', resolve))));
  perform(own, () => undefined);
  await new Promise((resolve) => setTimeout(resolve, after));
  if (by === 'main' && end !== 'terminate') {
    finish(end);
    return;
  }
  if (by === 'worker') threads[0]!.postMessage('end');
  if (by === 'worker') await exits[0];
  await Promise.all(threads.map((thread) => thread.terminate()));
  going = false;
  say({ exits: await Promise.all(exits) });
  while (memory().processPending > 0) await new Promise((resolve) => setTimeout(resolve, 1));
  say({ once: once() });
}

function worker(): void {
  const { work, end } = workerData as WorkerTask;
  perform(work, () => parentPort!.postMessage('at work'));
  parentPort!.once('message', () => finish(end));
}

if (isMainThread) void main();
else worker();
