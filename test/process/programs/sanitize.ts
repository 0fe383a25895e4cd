/**
 * What scripts/sanitize.sh runs on an addon built with the sanitizers: every function of the addon, its refusals, threads
 * that are stopped, and an end with tensors alive. No test runner: what a sanitizer says must be about the addon.
 */
import assert from 'node:assert/strict';
import { Worker, isMainThread, parentPort } from 'node:worker_threads';
import { requireBinding, type NativeBinding } from '../../../lib/native/binding';
import { locateRuntime } from '../../../lib/native/locate';

type Loose = Record<keyof NativeBinding, (...values: unknown[]) => unknown>;

const FLOAT = 1;
const ADD = ['T', 'type', FLOAT] as const;

const binding = requireBinding(process.env['TFE_NODE_ADDON']!);
const loose = binding as unknown as Loose;

function codeOf(call: () => unknown): unknown {
  try {
    call();
  } catch (error) {
    return (error as { code?: unknown }).code ?? (error as Error).name;
  }
  return null;
}

function create(dims: readonly number[], data: ArrayBufferView): number {
  binding.scratch.set(dims);
  return binding.create(FLOAT, dims.length, data);
}

function refuseEverything(x: number): void {
  const values = [undefined, null, true, 'text', Symbol('s'), 1n, {}, [], [[]], () => 1, NaN, -1];
  const numbers = [0.5, 1e308, -1e308, 2 ** 31, 2 ** 53, 2 ** 63, Infinity, -Infinity, x + 1];
  const anything: readonly unknown[] = [
    ...values,
    ...numbers,
    new Float32Array(1),
    new DataView(new ArrayBuffer(9), 1),
  ];
  const functions = [
    ...['open', 'create', 'read', 'device', 'exists', 'releaseAll', 'prepare', 'run'],
    ...['runAsync', 'readAsync', 'share', 'cancel', 'configure', 'exportTensor', 'importTensor'],
  ];
  for (const name of functions as (keyof Loose)[]) {
    codeOf(() => loose[name]());
    for (const a of anything) {
      codeOf(() => loose[name](a));
      for (const b of anything) {
        codeOf(() => loose[name](a, b));
        codeOf(() => loose[name](x, a, b));
        codeOf(() => loose[name]('label', 'Relu', 1, a, b));
        codeOf(() => loose[name]('label', 'Relu', 1, [['T', a, b]], [[a, b]]));
      }
    }
  }
  for (const dim of [...numbers, NaN, -1]) codeOf(() => create([dim, dim, 0], new Float32Array(0)));
  codeOf(() => create(new Array<number>(254).fill(2 ** 52), new Float32Array(1)));
}

function ops(x: number, rounds: number): void {
  const add = binding.prepare('add', 'AddV2', 2, [ADD], []);
  const addOne = binding.prepare('add', 'AddV2', 1, [ADD], [[1, x]]);
  const three = create([3], new Float32Array(3));
  const data = new Float32Array(4);
  const ids = new Float64Array(rounds);
  for (let i = 0; i < rounds; i += 1) {
    assert.equal(
      codeOf(() => binding.run(add, x, three)),
      'TFE_OP_FAILED',
    );
    const sum = binding.run(add, x, x);
    ids[i] = binding.run(addOne, sum);
    binding.read(ids[i]!, data);
    assert.deepEqual([...data], [3, 6, 9, 12]);
    assert.equal(binding.release(sum), true);
    assert.equal(
      codeOf(() => binding.run(add, x, sum)),
      'TFE_TENSOR_DISPOSED',
    );
  }
  // Begun here, settled on a later turn, cancelled, or still under way when the thread ends.
  binding.setSettle((_, error, value) => {
    if (error === null && typeof value === 'number') binding.release(value);
  });
  for (let i = 0; i < 20; i += 1) {
    binding.runAsync(add, x, i % 2 === 0 ? x : three);
    binding.readAsync(x);
    binding.cancel(binding.runAsync(add, x, x));
  }
  binding.release(binding.importTensor(binding.exportTensor(x, 1000)));
  binding.releaseAll(ids, rounds);
  binding.release(three);
  for (const [name, inputs] of [
    ['NoOp', 0],
    ['Relu', 8],
    ['TopKV2', 2],
    ['NoSuchOp', 1],
  ] as const) {
    assert.notEqual(
      codeOf(() => binding.prepare('x', name, inputs, [], [])),
      null,
    );
  }
}

function open(): number {
  const { ccPath, frameworkPath, version } = locateRuntime();
  assert.equal(
    codeOf(() => binding.open('/nowhere', frameworkPath, version, [])),
    isMainThread ? 'TFE_LIBRARY_OPEN_FAILED' : 'TFE_LIBRARY_CONFLICT',
  );
  binding.open(ccPath, frameworkPath, version, ['avx']);
  return create([2, 2], new Float32Array([1, 2, 3, 4]));
}

async function worker(terminate: boolean): Promise<void> {
  const thread = new Worker(__filename, { argv: [terminate ? 'for ever' : 'once'] });
  const exit = new Promise((resolve, reject) => thread.once('exit', resolve).once('error', reject));
  if (terminate) thread.once('message', () => setTimeout(() => void thread.terminate(), 20));
  assert.equal(await exit, terminate ? 1 : 0);
}

async function main(): Promise<void> {
  assert.equal(
    codeOf(() => binding.run(0, 1)),
    'TFE_LIBRARY_NOT_OPEN',
  );
  const x = open();
  ops(x, 200);
  refuseEverything(x);
  ops(x, 10);
  await Promise.all([worker(false), worker(true), worker(false), worker(true)]);
  for (let i = 0; i < 10; i += 1) create([1000], new Float32Array(1000)); // alive at the end
  console.log(`${JSON.stringify(binding.facts())}\nsanitize: the suite has passed`);
}

if (isMainThread) {
  void main();
} else {
  const x = open();
  do {
    ops(x, 50);
    parentPort!.postMessage('working');
  } while (process.argv[2] === 'for ever');
}
