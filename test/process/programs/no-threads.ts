/** Ops while the system gives no thread (test/fixtures/stubs/no-threads.c), and after. */
import { isMainThread, parentPort, SHARE_ENV, Worker } from 'node:worker_threads';
import { execute, isTfeError, memory, tf, type Tensor } from '../../../lib';
import { say } from './program';

const TYPES = { component_types: ['float32'] } as const;

/** In the worker: an op that may wait has a thread of its own there, which stays for the next one. */
function enqueue(threads: 'none' | 'some'): string {
  const [queue] = execute('FIFOQueueV2', { attrs: { ...TYPES, shapes: [[]] } });
  const x = tf.constant(1);
  if (threads === 'none') process.env['NO_THREADS'] = '1';
  try {
    execute('QueueEnqueueV2', { inputs: [queue!, [x]], attrs: { Tcomponents: ['float32'] } });
    return 'done';
  } catch (error) {
    return isTfeError(error) ? error.code : String(error);
  } finally {
    delete process.env['NO_THREADS'];
  }
}

const outcome = async (sum: Promise<Tensor>): Promise<unknown> =>
  sum.then(
    (tensor) => tensor.arraySync(),
    (error: unknown) => (isTfeError(error) ? error.message : String(error)),
  );

async function perform(): Promise<void> {
  const x = tf.constant(1);
  tf.add(x, x).dispose();
  process.env['NO_THREADS'] = '1';
  say({ none: await outcome(tf.addAsync(x, x)) });
  delete process.env['NO_THREADS'];
  say({ some: await outcome(tf.addAsync(x, x)) });
  process.env['NO_THREADS'] = '1';
  const sums = Array.from({ length: 8 }, async () => outcome(tf.addAsync(x, x)));
  say({ one: await Promise.all(sums), pending: memory().processPending });
  delete process.env['NO_THREADS'];
  const worker = new Worker(__filename, { env: SHARE_ENV });
  worker.on('message', (message: unknown) => say({ worker: message }));
}

if (isMainThread) void perform();
else parentPort!.postMessage([enqueue('none'), enqueue('some'), enqueue('none')]);
