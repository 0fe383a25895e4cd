/** What the tf.* functions make of their operands and options. */
import { describe, expect, test } from '@jest/globals';
import { scope, tf, type Tensor } from '../../lib';
import { codeOf, expectNoTensorsLeft, held, thrownBy } from '../tensor/accounting';

expectNoTensorsLeft();

const values = (run: () => Tensor): unknown => scope(() => run().arraySync());
const BINARY = ['add', 'subtract', 'multiply', 'divide'] as const;
/** One of them; divide differs in the dtype of its result only. */
const binary = (name: (typeof BINARY)[number]): typeof tf.add => tf[name] as typeof tf.add;

describe('an operand that is not a tensor', () => {
  // By hand: 10 op 4 and 4 op 10.
  test.each([
    ['add', 14, 14],
    ['subtract', 6, -6],
    ['multiply', 40, 40],
    ['divide', 2.5, Math.fround(0.4)],
  ] as const)('of tf.%s may be on either side', (name, right, left) => {
    expect(values(() => binary(name)(tf.constant([10]), 4))).toEqual([right]);
    expect(values(() => binary(name)(4, tf.constant([10])))).toEqual([left]);
  });

  test('takes the dtype of the other operand', () => {
    scope(() => {
      expect(tf.add(tf.constant([1n]), 2).dtype).toBe('int64');
      expect(tf.add(2n, tf.constant([1n])).dtype).toBe('int64');
      expect(tf.multiply(tf.constant([1], { dtype: 'uint8' }), 200).dtype).toBe('uint8');
    });
  });

  test('may be nested arrays or a typed array', () => {
    expect(values(() => tf.add(tf.constant([[1, 2]]), [[10], [20]]))).toEqual([[11, 12], [21, 22]]); // prettier-ignore
    expect(values(() => tf.add(new Float32Array([1, 2]), tf.constant([1, 1])))).toEqual([2, 3]);
  });

  test('may be both: numbers are float32', () => {
    scope(() => {
      const sum = tf.add(1, [2, 3]);
      expect(sum.dtype).toBe('float32');
      expect(sum.arraySync()).toEqual([3, 4]);
    });
  });

  test.each([
    ['tf.nn.relu', () => tf.nn.relu([-1, 2] as unknown as Tensor), [0, 2]],
    ['tf.matmul', () => tf.matmul([[2]] as unknown as Tensor, [[3]] as unknown as Tensor), [[6]]],
    ['tf.nn.bias_add', () => tf.nn.bias_add(tf.constant([[1]]), [2] as unknown as Tensor<'float32', 1>), [[3]]], // prettier-ignore
    ['tf.nn.softmax', () => tf.nn.softmax([7] as unknown as Tensor), [1]],
    ['tf.argmax', () => tf.argmax([1, 2] as unknown as Tensor), 1n],
  ] as const)('is taken by %s as in Python', (_, run, expected) => {
    expect(values(run)).toEqual(expected);
  });

  test('that does not fit the dtype of the other is refused', () => {
    scope(() => {
      const x = tf.constant([1n]);
      expect(codeOf(() => tf.add(x, 1.5))).toBe('TFE_VALUE_DOES_NOT_FIT');
      expect(codeOf(() => tf.add(x, true as never))).toBe('TFE_VALUE_DOES_NOT_FIT');
      expect(codeOf(() => tf.add(x, 2n ** 64n))).toBe('TFE_VALUE_DOES_NOT_FIT');
    });
  });

  test.each([undefined, null, {}, () => 1])('is refused when it is %p', (value) => {
    scope(() => {
      const x = tf.constant([1]);
      for (const name of BINARY) {
        expect(codeOf(() => binary(name)(x, value as never))).toBe('TFE_VALUES_TYPE');
        expect(codeOf(() => binary(name)(value as never, x))).toBe('TFE_VALUES_TYPE');
      }
      expect(codeOf(() => tf.cos(value as never))).toBe('TFE_VALUES_TYPE');
      expect(codeOf(() => tf.matmul(value as never, value as never))).toBe('TFE_VALUES_TYPE');
    });
  });

  test('is no text where the op takes numbers', () => {
    scope(() => {
      const x = tf.constant([1]);
      for (const name of BINARY) {
        expect(codeOf(() => binary(name)(x, 'text' as never))).toBe('TFE_VALUE_DOES_NOT_FIT');
        expect(codeOf(() => binary(name)('text' as never, x))).toBe('TFE_VALUE_DOES_NOT_FIT');
      }
      expect(codeOf(() => tf.cos('text' as never))).toBe('TFE_OP_DTYPE');
    });
  });

  test('is freed again, also when the op is refused', () => {
    scope(() => {
      const x = tf.constant([1, 2]);
      const before = held().tensors;
      tf.add(x, 1).dispose();
      expect(codeOf(() => tf.add(x, [1, 2, 3]))).toBe('TFE_OP_FAILED');
      expect(codeOf(() => tf.add([1, 2, 3], x))).toBe('TFE_OP_FAILED');
      expect(held().tensors).toBe(before);
    });
  });
});

describe('integer division', () => {
  test('frees the casts that it makes, also without a scope around it', () => {
    using x = tf.constant([1n, 2n]);
    using y = tf.constant([1n, 2n, 3n]);
    const before = held().tensors;
    tf.divide(x, x).dispose();
    expect(codeOf(() => tf.divide(x, y))).toBe('TFE_OP_FAILED');
    expect(held().tensors).toBe(before);
  });
});

describe('a disposed operand', () => {
  const disposed = (): Tensor<'float32', 2> => {
    const tensor = tf.constant([[1]]);
    tensor.dispose();
    return tensor;
  };
  const x = () => tf.constant([[1]]);

  const uses: readonly (readonly [string, () => unknown])[] = [
    ['tf.add', () => tf.add(x(), disposed())],
    ['tf.subtract', () => tf.subtract(disposed(), x())],
    ['tf.multiply', () => tf.multiply(disposed(), 2)],
    ['tf.divide', () => tf.divide(2, disposed())],
    ['tf.cos', () => tf.cos(disposed())],
    ['tf.nn.relu', () => tf.nn.relu(disposed())],
    ['tf.matmul', () => tf.matmul(x(), disposed())],
    ['tf.nn.bias_add', () => tf.nn.bias_add(disposed(), tf.constant([1]))],
    ['tf.nn.softmax', () => tf.nn.softmax(disposed(), 1)],
    ['tf.argmax', () => tf.argmax(disposed(), 1)],
  ];
  test.each(uses)('is refused by %s', (_, use) => {
    scope(() => {
      expect(codeOf(use)).toBe('TFE_TENSOR_DISPOSED');
    });
  });
});

describe('shapes that do not broadcast', () => {
  test.each(BINARY)('are refused by tf.%s in the words of TensorFlow', (name) => {
    scope(() => {
      const error = thrownBy(() => binary(name)(tf.constant([1, 2]), tf.constant([1, 2, 3])));
      expect(error.code).toBe('TFE_OP_FAILED');
      expect(error.tfStatus).toEqual({
        code: 3,
        name: 'INVALID_ARGUMENT',
        message: 'Incompatible shapes: [2] vs. [3]',
      });
      expect(error.message).toMatch(/^tf\.\w+ failed in TensorFlow's \w+: Incompatible shapes: /);
    });
  });

  test('are refused without spoiling the next call', () => {
    scope(() => {
      const x = tf.constant([1, 2]);
      expect(codeOf(() => tf.add(x, tf.constant([1, 2, 3])))).toBe('TFE_OP_FAILED');
      expect(tf.add(x, x).arraySync()).toEqual([2, 4]);
    });
  });
});

describe('options', () => {
  const x = () => tf.constant([[1, 2], [3, 4]]); // prettier-ignore
  const b = () => tf.constant([1, 2]);
  const bad = (value: unknown) => value as never;

  const unknown: readonly (readonly [string, () => unknown])[] = [
    ['tf.matmul', () => tf.matmul(x(), x(), bad({ transposeA: true }))],
    ['tf.nn.bias_add', () => tf.nn.bias_add(x(), b(), bad({ dataFormat: 'NHWC' }))],
    ['tf.nn.softmax', () => tf.nn.softmax(x(), bad({ dim: 1 }))],
    ['tf.argmax', () => tf.argmax(x(), bad({ axes: 1 }))],
  ];
  test.each(unknown)('of %s that do not exist are named', (name, run) => {
    scope(() => {
      const error = thrownBy(run);
      expect(error.code).toBe('TFE_OPTION_UNKNOWN');
      expect(error.message).toMatch(new RegExp(`^${name} has no option \\w+. Its options are `));
    });
  });

  const wrong: readonly (readonly [string, () => unknown])[] = [
    ['tf.matmul: a flag that is no boolean', () => tf.matmul(x(), x(), bad({ transpose_a: 1 }))],
    ['tf.matmul: null', () => tf.matmul(x(), x(), bad(null))],
    ['tf.matmul: an array', () => tf.matmul(x(), x(), bad([]))],
    ['tf.matmul: transpose_a and adjoint_a', () => tf.matmul(x(), x(), { transpose_a: true, adjoint_a: true })], // prettier-ignore
    ['tf.matmul: transpose_b and adjoint_b', () => tf.matmul(x(), x(), { transpose_b: true, adjoint_b: true })], // prettier-ignore
    ['tf.nn.bias_add: a format without N', () => tf.nn.bias_add(x(), b(), { data_format: 'CHW' })],
    ['tf.nn.bias_add: a format that is no text', () => tf.nn.bias_add(x(), b(), bad({ data_format: 1 }))], // prettier-ignore
    ['tf.nn.bias_add: null', () => tf.nn.bias_add(x(), b(), bad(null))],
    ['tf.nn.softmax: a fraction', () => tf.nn.softmax(x(), 0.5)],
    ['tf.nn.softmax: text', () => tf.nn.softmax(x(), bad('1'))],
    ['tf.nn.softmax: a bigint', () => tf.nn.softmax(x(), bad(1n))],
    ['tf.nn.softmax: an array', () => tf.nn.softmax(x(), bad([1]))],
    ['tf.argmax: NaN', () => tf.argmax(x(), NaN)],
    ['tf.argmax: an axis option that is text', () => tf.argmax(x(), bad({ axis: '1' }))],
    ['tf.argmax: an output_type of floats', () => tf.argmax(x(), bad({ output_type: 'float32' }))],
  ];
  test.each(wrong)('%s is refused by its value', (_, run) => {
    scope(() => {
      expect(codeOf(run)).toBe('TFE_OPTION_VALUE');
    });
  });

  test.each([-3, 2, 2 ** 40])('axis %i of a matrix is out of range', (axis) => {
    scope(() => {
      for (const run of [() => tf.nn.softmax(x(), axis), () => tf.argmax(x(), { axis })]) {
        const error = thrownBy(run);
        expect(error.code).toBe('TFE_OP_AXIS');
        expect(error.message).toContain('Use an axis from -2 to 1.');
      }
    });
  });

  test('a scalar has no axis', () => {
    scope(() => {
      expect(thrownBy(() => tf.nn.softmax(tf.constant(1))).message).toContain(
        'A scalar has no axis.',
      );
      expect(codeOf(() => tf.argmax(tf.constant(1)))).toBe('TFE_OP_AXIS');
    });
  });

  test('an axis may be a number or an option', () => {
    scope(() => {
      expect(tf.argmax(x(), 1).arraySync()).toEqual([1n, 1n]);
      expect(tf.argmax(x(), { axis: 1 }).arraySync()).toEqual([1n, 1n]);
      expect(tf.argmax(x(), -0).arraySync()).toEqual([1n, 1n]);
    });
  });

  test('without an axis argmax takes the first and softmax the last, as in Python', () => {
    scope(() => {
      expect(tf.argmax(tf.constant([[9, 1], [1, 9], [0, 0]])).arraySync()).toEqual([0n, 1n]); // prettier-ignore
      expect(tf.nn.softmax(tf.constant([[0], [5]])).arraySync()).toEqual([[1], [1]]);
    });
  });

  test('adjoint of real numbers is transpose', () => {
    scope(() => {
      const a = tf.constant([[1, 2, 3]]);
      const product = tf.matmul(a, a, { adjoint_b: true });
      expect(product.arraySync()).toEqual([[14]]);
    });
  });

  test('a name is accepted, as in Python, and does nothing', () => {
    scope(() => {
      expect(tf.matmul(x(), x(), { name: 'product' }).shape).toEqual([2, 2]);
      expect(tf.nn.softmax(x(), { name: 'p' }).shape).toEqual([2, 2]);
      expect(tf.argmax(x(), { name: 'c' }).shape).toEqual([2]);
      expect(tf.nn.bias_add(x(), b(), { name: 'b' }).shape).toEqual([2, 2]);
    });
  });
});

describe('the tf namespace', () => {
  test('is frozen all the way: what a call means cannot change under lowered code', () => {
    for (const room of [tf, tf.nn, tf.math, tf.linalg]) expect(Object.isFrozen(room)).toBe(true);
  });

  test('has the same function under both of Python’s names', () => {
    expect(tf.linalg.matmul).toBe(tf.matmul);
    expect(tf.math.add).toBe(tf.add);
    expect(tf.math.argmax).toBe(tf.argmax);
    expect(tf.math.tanh).toBe(tf.nn.tanh);
    expect(tf.math.sigmoid).toBe(tf.nn.sigmoid);
  });
});

describe('a result that TensorFlow cannot count', () => {
  // TensorFlow ends the process on these: the dims of the result have a product beyond int64.
  const empty = (...shape: number[]): Tensor => tf.constant([], { shape });
  const wide = 2 ** 40;

  test.each([
    ['tf.matmul', () => tf.matmul(empty(2 ** 32, 0), empty(0, 2 ** 32))],
    ['tf.matmul', () => tf.matmul(empty(wide, 1, 2, 0), empty(1, wide, 0, 2))],
    ['tf.add', () => tf.add(empty(wide, 1, 0), empty(1, wide, 0))],
    ['tf.subtract', () => tf.subtract(empty(1, wide, 0), empty(wide, 1, 0))],
    ['tf.divide', () => tf.divide(empty(wide, 1, 0), empty(wide, 0))],
  ])('of %s is refused', (_, run) => {
    scope(() => {
      expect(codeOf(run)).toBe('TFE_OP_SHAPE');
    });
  });

  test('is not one that only has a long axis', () => {
    scope(() => {
      const long = empty(2 ** 33, 0);
      expect(tf.add(long, long).shape).toEqual([2 ** 33, 0]);
      expect(tf.add(long, 1).shape).toEqual([2 ** 33, 0]);
    });
  });
});
