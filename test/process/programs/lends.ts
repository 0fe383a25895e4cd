/** Environments and a process that end while tensor memory is lent. */
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { status, tf, type Tensor } from '../../../lib';
import { say, task } from './program';

export interface LendsTask {
  readonly worker: 'ends' | 'exits' | 'is terminated';
  readonly main: 'ends' | 'exits';
}

/** Held by the module, so that they are alive to the very end: some with their tensors, some without. */
const tensors: Tensor[] = [];
const lent: Float32Array[] = [];
const strings: Tensor[] = [];

function lend(): void {
  for (let i = 0; i < 20; i += 1) {
    const tensor = tf.constant(new Float32Array(1 << 16).fill(i));
    lent.push(tensor.dataSync({ copy: false }));
    if (i % 2 === 0) tensor.dispose();
    else tensors.push(tensor);
    strings.push(tf.constant(['x'.repeat(1 << 16), 'small']));
  }
}

/** What was lent still says what it said. */
const whole = (): boolean => lent.every((data, i) => data.every((value) => value === i));

async function runWorker(way: LendsTask['worker']): Promise<unknown> {
  const worker = new Worker(__filename, { workerData: way });
  const exit = new Promise((resolve) => worker.once('exit', resolve));
  const ready = new Promise((resolve) => worker.once('message', resolve));
  const said = await Promise.race([ready, exit]);
  if (way === 'is terminated') await worker.terminate();
  return { said, exit: await exit };
}

async function main({ worker, main: end }: LendsTask): Promise<void> {
  lend();
  say(await Promise.all([runWorker(worker), runWorker(worker)]));
  say({ whole: whole(), lentBytes: status().lentBytes });
  if (end === 'exits') process.exit(7);
}

if (isMainThread) {
  void main(task<LendsTask>());
} else {
  lend();
  parentPort!.postMessage(whole());
  if (workerData === 'exits') process.exit(5);
  if (workerData === 'is terminated') setInterval(() => undefined, 1000);
}
