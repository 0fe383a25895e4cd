/** configure() in a process of its own: each step of the task, and what it answered. */
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import {
  configure,
  execute,
  executeAsync,
  memory,
  status,
  tf,
  type Configuration,
} from '../../../lib';
import { describeError, say, task } from './program';

export type ConfigureStep =
  | { readonly configure: unknown }
  | { readonly use: true }
  /** Tasks begun while none can end: how many were taken, and with which code the others were refused. */
  | { readonly flood: number }
  /** Tensors held at once. */
  | { readonly hold: number }
  | { readonly worker: readonly ConfigureStep[] };

const held: unknown[] = [];

async function perform(step: ConfigureStep, answer: (value: unknown) => void): Promise<void> {
  try {
    if ('configure' in step) {
      configure(step.configure as Configuration);
      answer({ configured: status().configuration });
    } else if ('use' in step) {
      const { tensorflow } = status({ load: true });
      answer({
        devices: tensorflow!.devices.length,
        oneDnn: process.env['TF_ENABLE_ONEDNN_OPTS'] ?? null,
        configuration: status().configuration,
      });
    } else if ('flood' in step) {
      const attrs = { component_types: ['float32'] } as const;
      const [queue] = execute('FIFOQueueV2', { attrs: { ...attrs, shapes: [[]] } });
      // They wait for the queue: a task that computes may end, and free its place, while the next ones begin.
      const all = Promise.allSettled(
        Array.from({ length: step.flood }, () =>
          executeAsync('QueueDequeueV2', { inputs: [queue!], attrs }),
        ),
      );
      const taken = memory().pending;
      for (let i = 0; i < taken; i += 1) {
        execute('QueueEnqueueV2', { inputs: [queue!, [tf.constant(i)]] });
      }
      const refused = (await all).flatMap((one) =>
        one.status === 'rejected' ? [(one.reason as { code: string }).code] : [],
      );
      // One after the other there is always a place.
      for (let i = 0; i < 200; i += 1) {
        const all = await Promise.all(Array.from({ length: 5 }, () => tf.addAsync([1], [1])));
        for (const each of all) each.dispose();
      }
      answer({ done: step.flood - refused.length, refused: [...new Set(refused)] });
    } else if ('hold' in step) {
      const warnings: unknown[] = [];
      process.on('warning', (warning) => warnings.push((warning as { code?: unknown }).code));
      for (let i = 0; i < step.hold; i += 1) held.push(tf.constant(i));
      await new Promise((resolve) => setTimeout(resolve, 10));
      answer({ warnings, tensors: memory().tensors, budget: memory().budget.tensors });
    } else {
      const worker = new Worker(__filename, { workerData: step.worker });
      worker.on('message', answer);
      await new Promise((resolve, reject) => worker.once('exit', resolve).once('error', reject));
    }
  } catch (error) {
    answer(describeError(error));
  }
}

async function main(): Promise<void> {
  const steps = isMainThread
    ? task<readonly ConfigureStep[]>()
    : (workerData as readonly ConfigureStep[]);
  for (const step of steps) {
    await perform(step, isMainThread ? say : (value) => parentPort!.postMessage(value));
  }
}

void main();
