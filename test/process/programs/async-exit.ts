/** The ways a process can end while work runs off its loop, and tensors that cross threads. */
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import {
  exportTensor,
  importTensor,
  memory,
  tf,
  type Tensor,
  type TensorToken,
} from '../../../lib';
import { say, task } from './program';

export type AsyncWay =
  | 'pending'
  | 'exit'
  | 'exit with waiting tasks'
  | 'uncaught exception'
  | 'exit in a worker'
  | 'terminate'
  | 'exit while workers work'
  | 'aborted, then nothing'
  | 'tokens';

const SIZE = 900;
const held: Tensor[] = [];

function begin(count: number, signal?: AbortSignal): Promise<unknown>[] {
  const x = tf.constant(new Float32Array(SIZE * SIZE).fill(1), { shape: [SIZE, SIZE] });
  held.push(x);
  return Array.from({ length: count }, () => tf.matmulAsync(x, x, { signal }));
}

function start(way: AsyncWay, data: object = {}): Worker {
  return new Worker(__filename, { workerData: { way, ...data } });
}

async function terminated(): Promise<number> {
  const worker = start('terminate');
  await new Promise((resolve) => worker.once('message', resolve));
  return worker.terminate();
}

async function perform(way: AsyncWay): Promise<void> {
  switch (way) {
    case 'pending': {
      const promises = begin(6);
      void Promise.all(promises).then((done) => say({ done: done.length }));
      break;
    }
    case 'exit':
    case 'exit with waiting tasks':
      void Promise.all(begin(way === 'exit' ? 1 : 50));
      setTimeout(() => process.exit(7), 5);
      break;
    case 'uncaught exception':
      void Promise.all(begin(20));
      setImmediate(() => {
        throw new Error('on purpose');
      });
      break;
    case 'exit in a worker': {
      const worker = start(way);
      say({ worker: await new Promise((resolve) => worker.once('exit', resolve)) });
      await Promise.all(begin(2));
      say({ pending: memory().processPending });
      break;
    }
    case 'terminate':
      say({ workers: await Promise.all([terminated(), terminated(), terminated()]) });
      await Promise.all(begin(2));
      say({ pending: memory().processPending });
      break;
    case 'exit while workers work': {
      const workers = [start('terminate'), start('terminate')];
      await Promise.all(workers.map((w) => new Promise((resolve) => w.once('message', resolve))));
      void Promise.all(begin(10));
      process.exit(7);
      break;
    }
    case 'aborted, then nothing': {
      const control = new AbortController();
      const promises = begin(20, control.signal);
      setTimeout(() => control.abort(), 5);
      const all = await Promise.allSettled(promises);
      say({ settled: all.length });
      break;
    }
    case 'tokens': {
      const x = tf.constant([1, 2, 3]);
      const worker = start(way, { token: exportTensor(x) });
      x.dispose();
      // Both at once: the thread may be gone before we hear of its token.
      const [token, exit] = await Promise.all([
        new Promise<TensorToken>((resolve) => worker.once('message', resolve)),
        new Promise((resolve) => worker.once('exit', resolve)),
      ]);
      say({ exit, back: [...(importTensor(token).dataSync() as Float32Array)] });
      break;
    }
  }
}

async function performInWorker(): Promise<void> {
  const { way, token } = workerData as { way: AsyncWay; token?: TensorToken };
  if (way === 'tokens') {
    const x = importTensor(token as TensorToken<'float32'>);
    parentPort!.postMessage(exportTensor(tf.add(x, 10)));
    return;
  }
  const promises = begin(20);
  if (way === 'exit in a worker') setTimeout(() => process.exit(5), 5);
  else parentPort!.postMessage('working');
  await Promise.all(promises);
  for (;;) await Promise.all(begin(4));
}

if (isMainThread) void perform(task<AsyncWay>());
else void performInWorker();
