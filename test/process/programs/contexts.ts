/** Environments that come and go over a stub library whose contexts count themselves on stderr. */
import { isMainThread, Worker, workerData } from 'node:worker_threads';
import { requireBinding } from '../../../lib/native/binding';
import { say, task } from './program';

export interface ContextsTask {
  readonly cc: string;
  readonly framework: string;
  /** Whether the main thread uses the library, or leaves it to the workers. */
  readonly main: boolean;
  /** How many workers use it, one set after the other. */
  readonly sets: readonly number[];
  readonly end: 'normally' | 'exit' | 'throw';
}

function use({ cc, framework }: ContextsTask): void {
  const binding = requireBinding(process.env['TFE_NODE_ADDON']!);
  binding.open(cc, framework, '2.21.0', []);
  binding.library(); // asks for the devices, and so for the context
}

async function main(everything: ContextsTask): Promise<void> {
  if (everything.main) use(everything);
  for (const count of everything.sets) {
    const ends = Array.from({ length: count }, () => {
      const worker = new Worker(__filename, { workerData: everything });
      return new Promise((resolve) => worker.once('exit', resolve));
    });
    say(await Promise.all(ends));
  }
  if (everything.end === 'exit') process.exit(7);
  if (everything.end === 'throw') throw new Error('on purpose');
}

if (isMainThread) {
  main(task<ContextsTask>()).catch((error: unknown) =>
    setImmediate(() => {
      throw error;
    }),
  );
} else {
  use(workerData as ContextsTask);
}
