/** Uses everything that owns an object of TensorFlow, over a stub library whose objects say when they come and go. */
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { requireBinding } from '../../../lib/native/binding';
import { say, task } from './program';

export interface DropOrderTask {
  readonly cc: string;
  readonly framework: string;
  readonly end: 'normally' | 'exit' | 'worker';
}

function use({ cc, framework }: DropOrderTask): void {
  const binding = requireBinding(process.env['TFE_NODE_ADDON']!);
  binding.open(cc, framework, '2.21.0', []);
  const create = (): number => {
    binding.scratch[0] = 0;
    return binding.create(1, 0, new Float32Array(1));
  };
  const kept = create();
  const constant = create();
  const add = binding.prepare('add', 'AddV2', 1, [], [[1, constant]]);
  binding.release(constant);
  binding.run(add, kept); // its output stays alive
  const forgotten = binding.prepare('add', 'AddV2', 2, [], []);
  binding.exportTensor(kept, 60_000); // and nobody imports it
  binding.setSettle(() => undefined);
  for (let i = 0; i < 8; i += 1) {
    binding.runAsync(add, Float64Array.of(kept));
    binding.runAsync(forgotten, Float64Array.of(kept, kept));
    binding.readAsync(kept, new Float32Array(1));
  }
  binding.forget(forgotten);
  binding.cancel(binding.runAsync(add, Float64Array.of(kept)));
}

if (isMainThread) {
  const everything = task<DropOrderTask>();
  if (everything.end === 'worker') {
    const worker = new Worker(__filename, { workerData: everything });
    worker.once('message', () => void worker.terminate().then((code) => say({ worker: code })));
  } else {
    use(everything);
    if (everything.end === 'exit') process.exit(0);
  }
} else {
  use(workerData as DropOrderTask);
  parentPort!.postMessage('used');
}
