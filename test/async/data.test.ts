/** `data()` off the loop: for each dtype and form, what `dataSync` answers, of tensors large enough to go there. */
import { describe, expect, test } from '@jest/globals';
import { memory, scope, tf, type DType, type Tensor } from 'tfe-node';
import { DTYPES, DTYPE_NAMES } from '../../lib/tensor/dtype';
import { expectNoTensorsLeft } from '../tensor/accounting';

expectNoTensorsLeft();

const BYTES = 80_000;

/** A tensor of more than 64 KiB. */
function large(dtype: DType): Tensor {
  if (dtype === 'string') {
    return tf.constant(Array.from({ length: 5000 }, (_, i) => (i % 7 === 0 ? '' : `ä${i}`)));
  }
  const count = BYTES / DTYPES[dtype].bytes;
  return scope(() =>
    tf.cast(tf.constant(Float32Array.from({ length: count }, (_, i) => i % 100)), dtype as 'int8'),
  );
}

const READABLE = DTYPE_NAMES.filter((dtype) => DTYPES[dtype].kind !== 'opaque');

describe.each(READABLE)('%s', (dtype) => {
  test.each([
    {},
    { int64: 'number' },
    { float16: 'bits' },
    { string: 'bytes' },
    { copy: false },
  ] as const)('as dataSync answers it, %j', async (options) => {
    using tensor = large(dtype);
    const promise = tensor.data(options);
    const away = options.copy === undefined || dtype === 'string';
    // Not every read of a copy: a lend needs no thread.
    if (away) expect(memory().pending).toBe(1);
    const answer = await promise;
    expect(answer).toEqual(tensor.dataSync(options));
    expect(Object.getPrototypeOf(answer)).toBe(Object.getPrototypeOf(tensor.dataSync(options)));
  });

  test('of a tensor that is disposed as soon as the call has returned', async () => {
    const tensor = large(dtype);
    const expected = tensor.dataSync();
    const promise = tensor.data();
    tensor.dispose();
    expect(await promise).toEqual(expected);
  });
});

test('strings that are no texts reject', async () => {
  using bytes = tf.constant(Uint8Array.of(0xff), { dtype: 'string' });
  await expect(bytes.data()).rejects.toMatchObject({ code: 'TFE_STRING_NOT_UTF8' });
  expect(await bytes.data({ string: 'bytes' })).toEqual([Uint8Array.of(0xff)]);
});

test('an unknown option is named with all that there are', async () => {
  using x = tf.constant([1]);
  // @ts-expect-error -- no such option
  await expect(x.data({ singal: 1 })).rejects.toMatchObject({
    code: 'TFE_OPTION_UNKNOWN',
  });
});

test('a small tensor is copied at once, without a thread', async () => {
  using x = tf.constant([1, 2]);
  const promise = x.data();
  expect(memory().pending).toBe(0);
  expect(await promise).toEqual(Float32Array.of(1, 2));
});
