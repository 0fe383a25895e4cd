/** Freeing tensors by hand: dispose, `using`, and what a disposed tensor refuses. */
import { describe, expect, test } from '@jest/globals';
import { scope, tf } from '../../lib';
import { codeOf, expectNoTensorsLeft, held, thrownBy } from './accounting';

expectNoTensorsLeft();

describe('live tensors', () => {
  test('are counted with their bytes', () => {
    const before = held();
    const tensor = tf.constant(new Float64Array(10));
    expect(held()).toEqual({ tensors: before.tensors + 1, bytes: before.bytes + 80 });
    tensor.dispose();
    expect(held()).toEqual(before);
  });

  test('are one fewer for each that is disposed, in any order', () => {
    const before = held().tensors;
    const tensors = [1, 2, 3, 4].map((value) => tf.constant(value));
    const counts = [2, 0, 3, 1].map((index) => {
      tensors[index]!.dispose();
      return held().tensors - before;
    });
    expect(counts).toEqual([3, 2, 1, 0]);
  });
});

describe('dispose', () => {
  test('twice is fine', () => {
    const before = held();
    const tensor = tf.constant(1);
    tensor.dispose();
    tensor.dispose();
    expect(held()).toEqual(before);
  });

  test('twice does not free the tensor that got the slot since', () => {
    const first = tf.constant(1);
    first.dispose();
    using second = tf.constant(2);
    first.dispose();
    expect(second.arraySync()).toBe(2);
  });

  test('is seen by isDisposed', () => {
    const tensor = tf.constant(1);
    expect(tensor.isDisposed).toBe(false);
    tensor.dispose();
    expect(tensor.isDisposed).toBe(true);
  });

  test('leaves dtype, shape and size readable', () => {
    const tensor = tf.constant([[1n], [2n]]);
    tensor.dispose();
    const { dtype, shape, rank, size } = tensor;
    expect({ dtype, shape, rank, size }).toEqual({
      dtype: 'int64',
      shape: [2, 1],
      rank: 2,
      size: 2,
    });
  });

  test('of an input leaves the outputs made of it alone', () => {
    scope(() => {
      const x = tf.constant([1, 2]);
      const y = tf.add(x, 1);
      x.dispose();
      expect([...y.dataSync()]).toEqual([2, 3]);
    });
  });
});

describe('a disposed tensor', () => {
  const disposed = () => {
    const tensor = tf.constant([1]);
    tensor.dispose();
    return tensor;
  };

  test.each([
    ['dataSync()', (x: ReturnType<typeof disposed>) => x.dataSync()],
    ['arraySync()', (x: ReturnType<typeof disposed>) => x.arraySync()],
    ['device', (x: ReturnType<typeof disposed>) => x.device],
    ['an op', (x: ReturnType<typeof disposed>) => tf.cos(x)],
  ])('refuses %s', (_, use) => {
    expect(codeOf(() => use(disposed()))).toBe('TFE_TENSOR_DISPOSED');
  });

  test('is refused by the name of what used it', () => {
    const x = disposed();
    expect(thrownBy(() => tf.add(x, x)).message).toBe(
      'A tensor used by tf.add is disposed. Return it from the scope() that made it, call keep() on it, or dispose it later.',
    );
  });
});

describe('using', () => {
  test('frees at the end of the block', () => {
    const before = held();
    {
      using tensor = tf.constant(1);
      expect(tensor.arraySync()).toBe(1);
    }
    expect(held()).toEqual(before);
  });

  test('frees when the block throws', () => {
    const before = held();
    expect(() => {
      using tensor = tf.constant(1);
      throw new Error(`seen ${tensor.rank}`);
    }).toThrow('seen 0');
    expect(held()).toEqual(before);
  });

  test('is fine with a tensor that is disposed already', () => {
    using tensor = tf.constant(1);
    tensor.dispose();
    expect(tensor.isDisposed).toBe(true);
  });

  test('is Symbol.dispose, for code without the syntax', () => {
    const tensor = tf.constant(1);
    tensor[Symbol.dispose]();
    expect(tensor.isDisposed).toBe(true);
  });
});
