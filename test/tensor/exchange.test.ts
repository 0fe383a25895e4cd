/** Tensors that leave their thread: by a token, or not at all. */
import { MessageChannel, Worker } from 'node:worker_threads';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from '@jest/globals';
import { performance } from 'node:perf_hooks';
import { exportTensor, importTensor, memory, scope, tf, type TensorToken } from 'tfe-node';
import { codeOf, expectNoTensorsLeft } from './accounting';

expectNoTensorsLeft();

describe('cloning a tensor', () => {
  const HINT = /exportTensor\(tensor\) and call importTensor\(token\)/;

  test('is refused by structuredClone, which says what to do instead', () => {
    using x = tf.constant([1]);
    expect(() => structuredClone(x)).toThrow(HINT);
    expect(() => structuredClone({ deep: [x] })).toThrow(HINT);
  });

  test('is refused by postMessage and workerData', () => {
    using x = tf.constant([1]);
    const { port1, port2 } = new MessageChannel();
    expect(() => port1.postMessage(x)).toThrow(HINT);
    port1.close();
    port2.close();
    expect(() => new Worker('', { eval: true, workerData: x })).toThrow(HINT);
  });
});

describe('a token', () => {
  test('is plain data that names dtype and shape', () => {
    using x = tf.constant([[1n], [2n]]);
    const token = exportTensor(x);
    expect(structuredClone(token)).toEqual({
      tfeTensor: expect.any(String),
      dtype: 'int64',
      shape: [2, 1],
    });
    importTensor(token).dispose();
  });

  test('gives the tensor once, also when the first one is disposed', () => {
    const x = tf.constant([1, 2, 3]);
    const token = exportTensor(x);
    x.dispose();
    expect(memory().exported).toBe(1);
    using y = importTensor(token);
    expect([...y.dataSync()]).toEqual([1, 2, 3]);
    expect(memory().exported).toBe(0);
    expect(codeOf(() => importTensor(token))).toBe('TFE_TOKEN_EXPIRED');
  });

  test('gives it to the current scope', () => {
    using x = tf.constant([1]);
    const y = scope(() => {
      importTensor(exportTensor(x));
      return importTensor(exportTensor(x));
    });
    expect(y.isDisposed).toBe(false);
    y.dispose();
  });

  test('lapses, and its share is freed', async () => {
    using x = tf.constant([1]);
    const token = exportTensor(x, { expiresIn: 5 });
    await sleep(20);
    expect(memory().exported).toBe(0);
    expect(codeOf(() => importTensor(token))).toBe('TFE_TOKEN_EXPIRED');
  });

  test('costs the same whether few or many are out', () => {
    using x = tf.constant([1]);
    const exported = (count: number): TensorToken[] =>
      Array.from({ length: count }, () => exportTensor(x));
    const fastest = (): number =>
      Math.min(
        ...Array.from({ length: 5 }, () => {
          const start = performance.now();
          const tokens = exported(50);
          const took = performance.now() - start;
          for (const token of tokens) importTensor(token).dispose();
          return took;
        }),
      );
    exported(100).forEach((token) => importTensor(token).dispose());
    const few = fastest();
    const out = exported(20_000);
    // A look at each of them would take a hundred times as long.
    expect(fastest()).toBeLessThan(20 * few);
    out.forEach((token) => importTensor(token).dispose());
  });

  test('lapses by its own deadline, in whichever order they were made', async () => {
    using x = tf.constant([1]);
    const [late, soon, middle] = [60_000, 5, 30_000].map((expiresIn) => exportTensor(x, { expiresIn })); // prettier-ignore
    await sleep(20);
    expect(memory().exported).toBe(2);
    expect(codeOf(() => importTensor(soon!))).toBe('TFE_TOKEN_EXPIRED');
    for (const token of [middle!, late!]) importTensor(token).dispose();
    expect(memory().exported).toBe(0);
  });

  test.each<readonly [string, () => unknown, string]>([
    ['no tensor', () => exportTensor({} as never), 'TFE_OP_ARGUMENT'],
    ['no token', () => importTensor({} as never), 'TFE_OP_ARGUMENT'],
    ['null', () => importTensor(null as never), 'TFE_OP_ARGUMENT'],
    [
      'a token with a NUL',
      () => importTensor({ tfeTensor: '0-1\0', dtype: 'float32', shape: [] }),
      'TFE_OP_ARGUMENT',
    ],
    [
      'an unknown option',
      () => exportTensor(gone(), { expires: 1 } as never),
      'TFE_OPTION_UNKNOWN',
    ],
    ['half a millisecond', () => exportTensor(gone(), { expiresIn: 0.5 }), 'TFE_OPTION_VALUE'],
    ['a disposed tensor', () => exportTensor(gone()), 'TFE_TENSOR_DISPOSED'],
    [
      'the token of another process',
      () => importTensor({ tfeTensor: '0-1-2-3-4', dtype: 'float32', shape: [] }),
      'TFE_TOKEN_EXPIRED',
    ],
  ])('of %s is refused', (_, run, code) => {
    expect(codeOf(run)).toBe(code);
  });
});

function gone(): ReturnType<typeof tf.constant> {
  const x = tf.constant([1]);
  x.dispose();
  return x;
}
