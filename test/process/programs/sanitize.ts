/**
 * What scripts/sanitize.sh runs on an addon built with the sanitizers: every function of the addon, its refusals, threads
 * that are stopped, and an end with tensors alive. No test runner: what a sanitizer says must be about the addon.
 */
import assert from 'node:assert/strict';
import { setImmediate as turn } from 'node:timers/promises';
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
    ...[
      'open',
      'create',
      'createStrings',
      'stringLengths',
      'readStrings',
      'lend',
      'read',
      'device',
    ],
    ...['exists', 'releaseAll', 'prepare', 'run', 'runMany', 'forget'],
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

/** Strings of every length about the 22 bytes that lie inside of an element, shared, refused half-made, and read. */
function strings(rounds: number): void {
  const identity = binding.prepare('identity', 'Identity', 1, [['T', 'type', 7]], []);
  const lengths = new Float64Array([0, 21, 22, 23, 24, 4000]);
  const bytes = new Uint8Array(lengths.reduce((sum, length) => sum + length, 0)).fill(97);
  const read = new Float64Array(6);
  const into = new Uint8Array(bytes.length);
  for (let i = 0; i < rounds; i += 1) {
    binding.scratch[0] = 6;
    const id = binding.createStrings(1, bytes, lengths);
    const shared = binding.run(identity, id);
    binding.release(i % 2 === 0 ? id : shared);
    const left = i % 2 === 0 ? shared : id;
    binding.stringLengths(left, read);
    binding.readStrings(left, into);
    assert.deepEqual([read, into], [lengths, bytes]);
    binding.release(left);
    binding.scratch[0] = 6;
    const tooLong = Float64Array.of(4000, 0, 0, 0, 0, 4000);
    assert.equal(
      codeOf(() => binding.createStrings(1, bytes, tooLong)),
      'TFE_TENSOR_BYTE_SIZE',
    );
  }
}

/** Lends that are collected, and some that live to the end. */
const lent: Float32Array[] = [];
function lends(rounds: number): void {
  const data = new Float32Array(4096).fill(1);
  for (let i = 0; i < rounds; i += 1) {
    const id = create([4096], data);
    const memory = new Float32Array(binding.lend(id)!);
    binding.release(id);
    assert.equal(memory[4095], 1);
    if (i % 10 === 0) lent.push(memory);
  }
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
    if (error === null && value instanceof Float64Array) binding.release(value[0]!);
  });
  for (let i = 0; i < 20; i += 1) {
    binding.runAsync(add, Float64Array.of(x, i % 2 === 0 ? x : three));
    binding.readAsync(x, new Float32Array(4));
    binding.cancel(binding.runAsync(add, Float64Array.of(x, x)));
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

const FLOATS = ['component_types', 'list(type)', [FLOAT]] as const;

/** Attributes of many kinds, several outputs, and work that outlives what it was begun with. */
function manyOutputs(x: number, rounds: number): void {
  const queueOf = binding.prepare(
    ...(['queue', 'FIFOQueueV2', 0] as const),
    [FLOATS, ['shapes', 'list(shape)', [[2, 2], null]], ['capacity', 'int', 2n]],
    ...([[], 1] as const),
  );
  const dequeue = binding.prepare('dequeue', 'QueueDequeueV2', 1, [FLOATS], [], 1);
  assert.equal(
    codeOf(() => binding.runMany(queueOf, new Float64Array(0))),
    'TFE_OP_FAILED', // one type, two shapes
  );
  const good = [FLOATS, ['shapes', 'list(shape)', [[2, 2]]], ['container', 'string', 'c']] as const;
  const queue = binding.prepare('queue', 'FIFOQueueV2', 0, good, [], 1);
  for (let i = 0; i < rounds; i += 1) {
    const constant = [['value', 'tensor', x] as const, ['dtype', 'type', FLOAT] as const];
    const once = binding.prepare('once', 'Const', 0, constant, [], 1);
    binding.runAsync(once, new Float64Array(0));
    const [id] = binding.runMany(once, new Float64Array(0));
    const [apart] = binding.runApart(once, new Float64Array(0), () => undefined);
    binding.release(apart!);
    assert.equal(binding.forget(once), true);
    binding.release(binding.share(id!));
    binding.release(id!);
    const [resource] = binding.runMany(queue, new Float64Array(0));
    binding.cancel(binding.runAsync(dequeue, Float64Array.of(resource!)));
    binding.release(resource!);
    if (i % 10 === 0) binding.clearKernels();
  }
  binding.scratch.set([2]);
  const text = binding.createStrings(1, Buffer.from('ab'), Float64Array.of(1, 1));
  binding.readAsync(text, new Uint8Array(2));
  binding.readAsync(text, new Uint8Array(3)); // of the wrong size
  binding.release(text);
  assert.ok(binding.held().liveHandles > 0 && binding.opList().length > 0);
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

/** Waits with its own thread, and is terminated there. */
function waitForEver(): void {
  const queue = binding.prepare('queue', 'FIFOQueueV2', 0, [FLOATS], [], 1);
  const dequeue = binding.prepare('dequeue', 'QueueDequeueV2', 1, [FLOATS], [], 1);
  const [resource] = binding.runMany(queue, new Float64Array(0));
  parentPort!.postMessage('waiting');
  binding.runApart(dequeue, Float64Array.of(resource!), () => undefined);
}

async function worker(way: 'once' | 'for ever' | 'waiting'): Promise<void> {
  const terminate = way !== 'once';
  const thread = new Worker(__filename, { argv: [way] });
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
  strings(100);
  lends(100);
  manyOutputs(x, 50);
  await Promise.all((['once', 'for ever', 'once', 'for ever', 'waiting'] as const).map(worker));
  for (let i = 0; i < 10; i += 1) create([1000], new Float32Array(1000)); // alive at the end
  console.log(`${JSON.stringify(binding.library())}\nsanitize: the suite has passed`);
}

async function work(): Promise<void> {
  const x = open();
  if (process.argv[2] === 'waiting') waitForEver();
  do {
    ops(x, 50);
    strings(20);
    lends(20);
    manyOutputs(x, 10);
    parentPort!.postMessage('working');
    // The pool is slower than this loop under some tools, and its queue has an end.
    while (binding.held().pending > 0) await turn();
  } while (process.argv[2] === 'for ever');
}

void (isMainThread ? main() : work());
