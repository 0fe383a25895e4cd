/**
 * The addon runs a prepared op again without setting it up again, when nothing but the tensors has changed. Whatever
 * comes in between, the answer is that of an op set up anew; what forces that here is another op before each run.
 */
import { expect, test } from '@jest/globals';
import { clearKernelCache, execute, isTfeError, raw, tf, type Tensor } from 'tfe-node';
import { native } from '../../lib/native/loader';

const f = tf.constant([1.5, 2]);
const i = tf.constant([1, 2], { dtype: 'int32' });
const square = tf.constant([[1, 2], [3, 4]]); // prettier-ignore
const three = tf.constant([1, 2, 3]);

function failed(body: () => unknown): boolean {
  try {
    body();
    return false;
  } catch (error) {
    return isTfeError(error) && error.code === 'TFE_OP_FAILED';
  }
}

test('dtypes and shapes may change from run to run', () => {
  const add = raw.AddV2 as (a: Tensor, b: Tensor) => Tensor;
  for (let round = 0; round < 3; round++) {
    for (const x of [f, f, i, i, square, three, f, i, three]) {
      const data = [...(x.dataSync() as Float32Array)];
      const sum = add(x, x);
      expect([sum.dtype, sum.shape, [...(sum.dataSync() as Float32Array)]]).toEqual([
        x.dtype,
        x.shape,
        data.map((value) => 2 * value),
      ]);
    }
  }
});

test('errors in between change nothing', () => {
  for (let round = 0; round < 5; round++) {
    expect(raw.AddV2(f, f).arraySync()).toEqual([3, 4]);
    expect(failed(() => raw.AddV2(f, three))).toBe(true);
    expect(failed(() => raw.AddV2(f, three))).toBe(true);
    expect(raw.AddV2(f, f).arraySync()).toEqual([3, 4]);
    expect(raw.AddV2(f, f).arraySync()).toEqual([3, 4]);
  }
});

// oneDNN runs an op of its own instead, and leaves the inputs in the one that was asked for.
test('ops that oneDNN takes over run any number of times', () => {
  const image = tf.constant([[[[1], [2]]]]);
  const filter = tf.constant([[[[3]]]]);
  for (let round = 0; round < 5; round++) {
    const conv = raw.Conv2D(image, filter, { strides: [1, 1, 1, 1], padding: 'SAME' });
    expect(conv.arraySync()).toEqual([[[[3], [6]]]]);
  }
  for (let round = 0; round < 5; round++) {
    expect(raw.MatMul(square, square).arraySync()).toEqual([
      [7, 10],
      [15, 22],
    ]);
  }
});

test('attributes are those of the call', () => {
  const y = tf.constant([-8]);
  for (const alpha of [0.5, 0.5, 0.25, 0.5, 0.25, 0.25]) {
    expect(raw.LeakyRelu(y, { alpha }).arraySync()).toEqual([-8 * alpha]);
  }
});

test('a random op goes on with its numbers as it does when it is set up each time', () => {
  const shape = tf.constant([3], { dtype: 'int32' });
  const draws = (between: () => void): unknown[] => {
    clearKernelCache();
    return [0, 1, 2, 3].map(() => {
      between();
      const attrs = { dtype: 'float32', seed: 5, seed2: 6 };
      return execute('RandomUniform', { inputs: [shape], attrs })[0]!.arraySync();
    });
  };
  const kept = draws(() => {});
  const anew = draws(() => raw.AddV2(f, f).dispose());
  expect(kept).toEqual(anew);
  expect(new Set(kept.map(String)).size).toBe(4);
});

test('an op that has been forgotten is not taken for the one that lies where it lay', () => {
  const binding = native();
  const id = binding.create(1, 0, Float32Array.of(-2));
  for (let round = 1; round <= 50; round++) {
    const index = binding.prepare('x', 'LeakyRelu', 1, [['alpha', 'float', round]], []);
    const output = binding.run(index, id);
    const data = new Float32Array(1);
    binding.read(output, data);
    expect(data[0]).toBe(-2 * round);
    binding.release(output);
    binding.forget(index);
  }
  binding.release(id);
});
