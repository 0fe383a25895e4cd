/** The ways a process that holds tensors can end. */
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { scope, status, tf, type Tensor } from '../../../lib';
import { say, task } from './program';

export type Way =
  | 'normally'
  | 'exit in a loop'
  | 'exit in a scope'
  | 'exit in a timer'
  | 'exit while workers work'
  | 'uncaught exception'
  | 'uncaught exception while workers work'
  | 'unhandled rejection'
  | 'tensors in an exit handler'
  | 'exit in a worker'
  | 'uncaught exception in a worker'
  | 'tensors in the exit handler of a worker';

/** Held by the module, so that they are alive to the very end. */
const held: Tensor[] = [];

function hold(): void {
  for (let i = 0; i < 100; i += 1) {
    held.push(tf.add(tf.constant([i, i]), tf.constant([1, 1])));
    held.push(tf.constant(new Float32Array(100_000)));
  }
}

function work(): void {
  scope(() =>
    tf
      .matmul(
        tf.constant([
          [1, 2],
          [3, 4],
        ]),
        tf.constant([[1], [1]]),
      )
      .dataSync(),
  );
}

function startWorker(way: Way | 'work for ever'): Worker {
  return new Worker(__filename, { workerData: way });
}

async function whileWorkersWork(end: () => void): Promise<void> {
  const workers = [1, 2, 3].map(() => startWorker('work for ever'));
  await Promise.all(
    workers.map((worker) => new Promise((resolve) => worker.once('message', resolve))),
  );
  end();
}

function reportWorker(way: Way): void {
  startWorker(way)
    .on('error', (error) => say({ workerError: error.message }))
    .on('message', (message) => say({ workerSaid: message as unknown }))
    .on('exit', (exit) => {
      work(); // this thread goes on
      say({ workerExit: exit });
    });
}

function fail(): never {
  throw new Error('on purpose');
}

function perform(way: Way): void {
  switch (way) {
    case 'normally':
      break;
    case 'exit in a loop':
      for (let i = 0; ; i += 1) {
        work();
        if (i === 100) process.exit(7);
      }
    case 'exit in a scope':
      scope(() => {
        hold();
        process.exit(7);
      });
      break;
    case 'exit in a timer':
      setTimeout(() => process.exit(7), 10);
      break;
    case 'exit while workers work':
      void whileWorkersWork(() => process.exit(7));
      break;
    case 'uncaught exception':
      fail();
      break;
    case 'uncaught exception while workers work':
      void whileWorkersWork(() => setImmediate(fail));
      break;
    case 'unhandled rejection':
      void Promise.reject(new Error('on purpose'));
      break;
    case 'tensors in an exit handler':
      process.on('exit', () => {
        hold();
        work();
        say({ atExit: status().liveTensors > 0 });
      });
      break;
    case 'exit in a worker':
    case 'uncaught exception in a worker':
    case 'tensors in the exit handler of a worker':
      reportWorker(way);
      break;
  }
}

function performInWorker(way: Way | 'work for ever'): void {
  hold();
  switch (way) {
    case 'work for ever':
      for (let i = 0; ; i += 1) {
        work();
        if (i === 10) parentPort!.postMessage('working');
      }
    case 'exit in a worker':
      scope(() => {
        work();
        process.exit(5);
      });
      break;
    case 'uncaught exception in a worker':
      fail();
      break;
    case 'tensors in the exit handler of a worker':
      process.on('exit', () => {
        hold();
        parentPort!.postMessage({ live: status().liveTensors > 0 });
      });
      break;
    default:
  }
}

if (isMainThread) {
  const way = task<Way>();
  hold();
  say({ holding: status().liveTensors });
  perform(way);
} else {
  performInWorker(workerData as Way | 'work for ever');
}
