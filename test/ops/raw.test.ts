/** `raw.*`: what it answers, and that the short way through it is as strict as the long one. */
import { describe, expect, test } from '@jest/globals';
import { raw, status, tf, type Tensor } from 'tfe-node';
import { codeOf, thrownBy } from '../helpers/thrown';

describe('an answer is', () => {
  const x = (): Tensor<'float32', 2> =>
    tf.constant([
      [1, 2],
      [3, 4],
    ]);
  const two = (): Tensor<'int32', 0> => tf.constant(2, { dtype: 'int32' });

  test('a tensor for one output', () => {
    expect(raw.Sub(x(), x()).arraySync()).toEqual([
      [0, 0],
      [0, 0],
    ]);
  });

  test('an array for a list', () => {
    expect(raw.Unpack(x(), { num: 2 }).map((part) => part.arraySync())).toEqual([
      [1, 2],
      [3, 4],
    ]);
    expect(raw.Split(tf.constant(0, { dtype: 'int32' }), x(), { num_split: 1 })).toHaveLength(1);
  });

  test('an array of outputs', () => {
    const [values, indices] = raw.TopKV2(x(), two());
    expect([values.arraySync(), indices.arraySync()]).toEqual([
      [
        [2, 1],
        [4, 3],
      ],
      [
        [1, 0],
        [1, 0],
      ],
    ]);
  });

  test('null for none', () => {
    expect(raw.NoOp()).toBeNull();
  });
});

describe('the short way', () => {
  const f = tf.constant([1, 2]);
  const i = tf.constant([1, 2], { dtype: 'int32' });
  const b = tf.constant([true, false]);

  test('checks dtypes each time', () => {
    for (let round = 0; round < 3; round++) {
      expect(raw.AddV2(f, f).arraySync()).toEqual([2, 4]);
      expect(codeOf(() => raw.AddV2(f, i as never))).toBe('TFE_OP_DTYPE_MISMATCH');
      expect(raw.AddV2(i, i).arraySync()).toEqual([2, 4]);
      expect(codeOf(() => raw.AddV2(b as never, b as never))).toBe('TFE_OP_DTYPE');
    }
  });

  test('checks the number of inputs each time', () => {
    const loose = raw.AddV2 as (...args: unknown[]) => unknown;
    raw.AddV2(f, f);
    for (const args of [[], [f], [f, f, {}, {}], [f, undefined], [undefined, f], [1, 2]]) {
      expect(codeOf(() => loose(...args))).toMatch(/^TFE_OP_(INPUT_COUNT|ARGUMENT)$/);
    }
    expect(codeOf(() => loose(f, f, f))).toBe('TFE_OP_ARGUMENT');
    expect(codeOf(() => loose(f, f, { T: 'int32' }))).toBe('TFE_OP_DTYPE');
    expect((loose(f, f, {}) as Tensor).arraySync()).toEqual([2, 4]);
    expect((loose(f, f, undefined) as Tensor).arraySync()).toEqual([2, 4]);
  });

  test('refuses a disposed tensor, and goes on', () => {
    const gone = tf.constant([1, 2]);
    raw.AddV2(f, f);
    gone.dispose();
    const { liveTensors } = status();
    expect(codeOf(() => raw.AddV2(f, gone))).toBe('TFE_TENSOR_DISPOSED');
    expect(codeOf(() => raw.Relu(gone))).toBe('TFE_TENSOR_DISPOSED');
    raw.AddV2(f, f).dispose();
    expect(status().liveTensors).toBe(liveTensors);
  });

  test('survives an error of TensorFlow in between', () => {
    const three = tf.constant([1, 2, 3]);
    for (let round = 0; round < 3; round++) {
      expect(codeOf(() => raw.AddV2(f, three))).toBe('TFE_OP_FAILED');
      expect(raw.AddV2(f, f).arraySync()).toEqual([2, 4]);
      expect(raw.Relu(f).arraySync()).toEqual([1, 2]);
    }
  });
});

test.each([
  ['TopK2', 'TFE_OP_NOT_REGISTERED', 'Did you mean'],
  ['Assign', 'TFE_OP_NOT_EAGER', 'Assign'],
  ['Abort', 'TFE_OP_NOT_EAGER', 'Abort'],
  ['_FusedMatMul', 'TFE_OP_NOT_EAGER', '_FusedMatMul'],
])('raw.%s is refused where it is read', (name, code, text) => {
  const error = thrownBy(() => (raw as unknown as Record<string, unknown>)[name]);
  expect(error.code).toBe(code);
  expect(error.message).toContain(text);
});

test('what is looked up in any object is not an op', () => {
  for (const name of [
    'then',
    'toJSON',
    'constructor',
    'hasOwnProperty',
    '__proto__',
    Symbol.iterator,
  ]) {
    expect((raw as unknown as Record<string | symbol, unknown>)[name]).toBeUndefined();
  }
});

test('raw cannot be changed', () => {
  expect(Object.isFrozen(raw)).toBe(true);
  expect('NoSuchOp' in raw).toBe(false);
  expect('constructor' in raw).toBe(false);
});
