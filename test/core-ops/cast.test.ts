/** tf.cast, from each dtype to each, against Python TensorFlow 2.21.0. */
import { describe, expect, test } from '@jest/globals';
import { scope, tf, type DType, type Tensor } from '../../lib';
import { CASTABLE } from '../../lib/core-ops/cast';
import { DTYPE_NAMES, type TypedArray } from '../../lib/tensor/dtype';
import { decode, ORACLE_DTYPES, tensorOf } from '../helpers/oracle';
import { opaqueTensor } from '../helpers/opaque';
import { codeOf, expectNoTensorsLeft, thrownBy } from '../tensor/accounting';

expectNoTensorsLeft();

const CASES = ORACLE_DTYPES.casts.map(
  ({ input, output }) => [input.dtype, output.dtype, input, output] as const,
);

/** Numbers of a tensor, bits for 16-bit floats except that one NaN is as good as another. */
function numbers(data: TypedArray, dtype: DType): unknown[] {
  if (dtype !== 'float16' && dtype !== 'bfloat16') return [...data];
  const infinity = dtype === 'float16' ? 0x7c00 : 0x7f80;
  return [...(data as Uint16Array)].map((bits) => ((bits & 0x7fff) > infinity ? NaN : bits));
}

describe('tf.cast', () => {
  test('has a case for each pair of dtypes', () => {
    expect(CASES).toHaveLength(CASTABLE.length ** 2);
  });

  test.each(CASES)("of %s to %s answers Python's values", (_, dtype, input, output) => {
    scope(() => {
      const result = tf.cast(tensorOf(input), dtype);
      expect([result.dtype, result.shape]).toEqual([dtype, output.shape]);
      const data = result.dataSync({ float16: 'bits' });
      expect(numbers(data, dtype)).toEqual(numbers(decode(output), dtype));
    });
  });

  test('answers a tensor of its own, also when the dtype is there already', () => {
    scope(() => {
      const x = tf.constant([1, 2]);
      const same = tf.cast(x, 'float32');
      expect(same).not.toBe(x);
      same.dispose();
      expect([...x.dataSync()]).toEqual([1, 2]);
    });
  });

  test('takes values, a name, and goes by its other name', () => {
    scope(() => {
      expect(tf.cast([[1.9]], 'uint8', { name: 'x' }).arraySync()).toEqual([[1]]);
      expect(tf.dtypes.cast).toBe(tf.cast);
    });
  });

  test.each(DTYPE_NAMES.filter((dtype) => !(CASTABLE as readonly string[]).includes(dtype)))(
    'refuses %s on either side before TensorFlow is asked',
    (dtype) => {
      scope(() => {
        const x: Tensor = dtype === 'string' ? tf.constant('1') : opaqueTensor(dtype);
        expect(codeOf(() => tf.cast(x, 'float32'))).toBe('TFE_OP_DTYPE');
        const error = thrownBy(() => tf.cast(tf.constant(1), dtype as never));
        expect([error.code, error.op]).toEqual(['TFE_OP_ARGUMENT', 'tf.cast']);
      });
    },
  );

  test.each([undefined, 1, 'float', {}])('refuses the dtype %p', (dtype) => {
    scope(() => {
      expect(codeOf(() => tf.cast(tf.constant(1), dtype as never))).toBe('TFE_OP_ARGUMENT');
    });
  });

  test('refuses an option that Python does not have', () => {
    expect(codeOf(() => tf.cast(1, 'int8', { truncate: true } as never))).toBe('TFE_OPTION_UNKNOWN'); // prettier-ignore
  });
});
