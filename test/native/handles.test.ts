/**
 * The slots of the addon, on the raw binding: an id that is stale, foreign or forged never finds a tensor, and what is
 * counted is what is held.
 */
import { Worker } from 'node:worker_threads';
import { afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { requireBinding, type NativeBinding } from '../../lib/native/binding';
import { locateRuntime } from '../../lib/native/locate';
import { ADDON } from '../helpers/child';

const FLOAT = 1;
const { ccPath, frameworkPath, version } = locateRuntime();

let binding: NativeBinding;
const held = new Set<number>();

beforeAll(() => {
  binding = requireBinding(ADDON);
  binding.open(ccPath, frameworkPath, version, ['avx']);
});

afterEach(() => {
  for (const id of held) binding.release(id);
  held.clear();
});

function create(values: readonly number[]): number {
  binding.scratch[0] = values.length;
  const id = binding.create(FLOAT, 1, new Float32Array(values));
  held.add(id);
  return id;
}

function valuesOf(id: number, length: number): number[] {
  const data = new Float32Array(length);
  binding.read(id, data);
  return [...data];
}

/** Every function that takes an id, as a function of the id alone. */
function users(): readonly (readonly [name: string, use: (id: number) => unknown])[] {
  const relu = binding.prepare('relu', 'Relu', 1, [['T', 'type', FLOAT]], []);
  return [
    ['read', (id) => binding.read(id, new Float32Array(2))],
    ['device', (id) => binding.device(id)],
    ['run', (id) => binding.run(relu, id)],
    ['prepare', (id) => binding.prepare('add', 'AddV2', 1, [['T', 'type', FLOAT]], [[1, id]])],
  ];
}

function codesFor(id: number): unknown[] {
  return users().map(([name, use]) => {
    try {
      return `${name}: ${String(use(id))}`;
    } catch (error) {
      return (error as { code: unknown }).code;
    }
  });
}

const allOf = (code: string): string[] => [code, code, code, code];

describe('an id', () => {
  test('is a safe integer, and no two live tensors share one', () => {
    const ids = Array.from({ length: 1000 }, (_, i) => create([i]));
    expect(new Set(ids).size).toBe(1000);
    expect(ids.every((id) => Number.isSafeInteger(id) && id >= 0)).toBe(true);
    expect(ids.map((id) => valuesOf(id, 1)[0])).toEqual(ids.map((_, i) => i));
  });

  test('of a released tensor is refused as disposed, also when its slot is in use again', () => {
    const old = create([1, 2]);
    expect(binding.release(old)).toBe(true);
    expect(codesFor(old)).toEqual(allOf('TFE_TENSOR_DISPOSED'));
    const next = create([3, 4]);
    expect(next).not.toBe(old);
    expect(codesFor(old)).toEqual(allOf('TFE_TENSOR_DISPOSED'));
    expect(binding.release(old)).toBe(false);
    expect(binding.exists(old)).toBe(false);
    expect(valuesOf(next, 2)).toEqual([3, 4]);
  });

  const SLOT = 2 ** 24;
  const TAG = 2 ** 43;

  test.each([
    ['NaN', () => NaN],
    ['Infinity', () => Infinity],
    ['-Infinity', () => -Infinity],
    ['-1', () => -1],
    ['a fraction', (id: number) => id + 0.5],
    ['2^53', () => 2 ** 53],
    ['2^63', () => 2 ** 63],
    ['1e308', () => 1e308],
    ['the smallest double', () => Number.MIN_VALUE],
    ['a slot that was never used', (id: number) => id + 0x800000],
    ['a generation that was never reached', (id: number) => id + 1000 * SLOT],
    ['generation 0', (id: number) => id - Math.floor((id % TAG) / SLOT) * SLOT],
  ])('that is %s is refused as forged', (_name, forge) => {
    const forged = forge(create([1, 2]));
    expect(codesFor(forged)).toEqual(allOf('TFE_TENSOR_FORGED'));
    expect(binding.release(forged)).toBe(false);
    expect(binding.exists(forged)).toBe(false);
  });

  test('-0 is the id 0, which no tensor has', () => {
    expect(binding.exists(-0)).toBe(false);
    expect(binding.release(0)).toBe(false);
  });

  test('of another thread is refused as foreign, in both directions', async () => {
    const mine = create([1, 2]);
    const worker = new Worker(
      `const { parentPort, workerData: w } = require('node:worker_threads');
       const binding = require(w.addon);
       binding.setErrorFactory((code) => Object.assign(new Error(code), { code }));
       binding.open(w.ccPath, w.frameworkPath, w.version, []);
       binding.scratch[0] = 2;
       const id = binding.create(1, 1, new Float32Array([5, 6]));
       let code;
       try { binding.read(w.mine, new Float32Array(2)); } catch (error) { code = error.code; }
       parentPort.postMessage({ id, code, released: binding.release(w.mine) });
       parentPort.once('message', () => parentPort.close());`,
      { eval: true, workerData: { addon: ADDON, ccPath, frameworkPath, version, mine } },
    );
    const theirs = await new Promise<{ id: number; code: string; released: boolean }>(
      (resolve, reject) => worker.once('message', resolve).once('error', reject),
    );
    expect(theirs).toEqual({ id: theirs.id, code: 'TFE_TENSOR_FOREIGN', released: false });
    expect(codesFor(theirs.id)).toEqual(allOf('TFE_TENSOR_FOREIGN'));
    expect(binding.release(theirs.id)).toBe(false);
    const ended = new Promise((resolve) => worker.once('exit', resolve));
    worker.postMessage('end');
    expect(await ended).toBe(0);
    expect(codesFor(theirs.id)).toEqual(allOf('TFE_TENSOR_FOREIGN'));
    expect(valuesOf(mine, 2)).toEqual([1, 2]);
  });
});

describe('the counts', () => {
  test('follow what is made, computed and released', () => {
    const before = binding.held();
    const a = create([1, -2]);
    const relu = binding.prepare('relu', 'Relu', 1, [['T', 'type', FLOAT]], []);
    const b = binding.run(relu, a);
    held.add(b);
    expect(binding.held()).toMatchObject({
      liveHandles: before.liveHandles + 2,
      liveBytes: before.liveBytes + 16,
    });
    binding.release(a);
    binding.release(a);
    binding.releaseAll(new Float64Array([b, b, a, NaN, -1, 2 ** 60]), 6);
    const { liveHandles, liveBytes, peakHandles } = binding.held();
    expect({ liveHandles, liveBytes }).toEqual({
      liveHandles: before.liveHandles,
      liveBytes: before.liveBytes,
    });
    expect(peakHandles).toBeGreaterThanOrEqual(before.liveHandles + 2);
  });

  test('are right while one slot uses up its generations and is retired', () => {
    const before = binding.held();
    const slotOf = (id: number): number => id % 2 ** 24;
    const data = new Float32Array(1);
    const first = create([0]);
    binding.release(first);
    // A slot has 2^19 - 1 generations; the last freed slot is the first to be used again.
    let id: number;
    let uses = 0;
    do {
      id = binding.create(FLOAT, 0, data);
      uses += 1;
      if (!binding.release(id)) throw new Error(`use ${uses} was not released`);
    } while (slotOf(id) === slotOf(first) && uses < 2 ** 19 + 10);
    expect(uses).toBeLessThanOrEqual(2 ** 19);
    expect(slotOf(id)).not.toBe(slotOf(first));
    // Ids of the retired slot are stale for ever: neither its first nor its last finds anything.
    expect(codesFor(first)).toEqual(allOf('TFE_TENSOR_DISPOSED'));
    for (let i = 0; i < 1000; i += 1) {
      const other = create([i]);
      expect(slotOf(other)).not.toBe(slotOf(first));
    }
    const { liveHandles, liveBytes } = binding.held();
    expect({ liveHandles, liveBytes }).toEqual({
      liveHandles: before.liveHandles + 1000,
      liveBytes: before.liveBytes + 4000,
    });
  });
});

describe('a constant of a prepared op', () => {
  test('outlives the id that it was given by, and goes on being the same', () => {
    const one = create([1, 1]);
    const add = binding.prepare('add', 'AddV2', 1, [['T', 'type', FLOAT]], [[1, one]]);
    binding.release(one);
    for (let i = 0; i < 100; i += 1) {
      const x = create([i, -i]);
      const sum = binding.run(add, x);
      expect(valuesOf(sum, 2)).toEqual([i + 1, 1 - i]);
      binding.release(sum);
      binding.release(x);
    }
  });
});
