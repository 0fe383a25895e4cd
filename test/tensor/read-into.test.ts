/** `readInto`: the bytes of a tensor in an array of the caller's. */
import { Buffer } from 'node:buffer';
import { describe, expect, test } from '@jest/globals';
import { scope, tf, type Tensor } from '../../lib';
import { newCarrier, PLAIN_DTYPES, type TypedArray } from '../../lib/tensor/dtype';
import { codeOf, expectNoTensorsLeft, thrownBy } from './accounting';

expectNoTensorsLeft();

const into = (tensor: Tensor, target: unknown): unknown => tensor.readInto(target as never);

test.each(PLAIN_DTYPES)(
  '%s: the bits that dataSync answers, in the array that was given',
  (dtype) => {
    scope(() => {
      const random = newCarrier(dtype, 6);
      const bytes = new Uint8Array(random.buffer);
      for (let i = 0; i < bytes.length; i++) bytes[i] = dtype === 'bool' ? i % 2 : (i * 37) % 251;
      const x = tf.constant(random, { dtype, shape: [2, 3] });
      const target = newCarrier(dtype, 6);
      expect(into(x, target)).toBe(target);
      expect(new Uint8Array(target.buffer)).toEqual(bytes);
      into(x, target); // again, over what is there
      expect(new Uint8Array(target.buffer)).toEqual(bytes);
    });
  },
);

test('a view writes its own part of the memory only', () => {
  using x = tf.constant([1, 2]);
  const memory = new Float32Array(4).fill(9);
  x.readInto(memory.subarray(1, 3));
  expect([...memory]).toEqual([9, 1, 2, 9]);
  const shared = new Float32Array(new SharedArrayBuffer(8));
  expect([...x.readInto(shared)]).toEqual([1, 2]);
  using bytes = tf.constant(new Uint8Array([1, 2]));
  expect([...bytes.readInto(Buffer.alloc(2))]).toEqual([1, 2]);
});

test('a scalar, and nothing at all', () => {
  using one = tf.constant(5);
  expect([...one.readInto(new Float32Array(1))]).toEqual([5]);
  using none = tf.constant([], { shape: [0, 3] });
  expect(none.readInto(new Float32Array(0))).toHaveLength(0);
});

describe('refuses', () => {
  const detached = new Float32Array(2);
  structuredClone(detached.buffer, { transfer: [detached.buffer] });

  test.each<[string, unknown]>([
    ['another class', new Float64Array(2)],
    ['the same width in another class', new Int32Array(2)],
    ['a shorter array', new Float32Array(1)],
    ['a longer array', new Float32Array(3)],
    ['a detached array', detached],
    ['a DataView', new DataView(new ArrayBuffer(8))],
    ['an ArrayBuffer', new ArrayBuffer(8)],
    ['a plain array', [0, 0]],
    ['nothing', undefined],
    ['a look-alike', { length: 2, [Symbol.toStringTag]: 'Float32Array' }],
    ['a proxy', new Proxy(new Float32Array(2), {})],
  ])('%s', (_, target) => {
    using x = tf.constant([1, 2]);
    expect(codeOf(() => into(x, target))).toBe('TFE_OP_ARGUMENT');
  });

  test('with a message that says which array it takes', () => {
    using x = tf.constant([[1, 2]]);
    expect(thrownBy(() => into(x, new Float32Array(3))).message).toContain(
      'Expected a Float32Array of 2 for target of readInto() but received one of 3.',
    );
    using complex = tf.constant([{ re: 1, im: 2 }], { dtype: 'complex64' });
    expect(thrownBy(() => into(complex, new Float32Array(1))).message).toContain(
      'Float32Array of 2',
    );
  });

  test('strings, disposed tensors and other receivers', () => {
    using text = tf.constant(['a']);
    expect(codeOf(() => into(text, new Uint8Array(1)))).toBe('TFE_OP_DTYPE');
    const gone = tf.constant([1]);
    gone.dispose();
    expect(codeOf(() => gone.readInto(new Float32Array(1)))).toBe('TFE_TENSOR_DISPOSED');
    const method = gone.readInto as (target: TypedArray) => unknown;
    expect(codeOf(() => Reflect.apply(method, {}, [new Float32Array(1)]))).toBe('TFE_OP_ARGUMENT');
  });
});
