/** Numbers of the four families that can be worked out by hand; the rest is the oracle's (test/oracle). */
import { describe, expect, test } from '@jest/globals';
import { scope, tf } from '../../lib';
import { expectNoTensorsLeft } from '../tensor/accounting';

expectNoTensorsLeft();

describe('softmax along axis', () => {
  // Equal logits along the axis: each of n gets 1/n, give or take the kernel's reciprocal.
  test.each([
    [0, 1 / 2],
    [1, 1 / 4],
    [-2, 1 / 4],
    [2, 1 / 3],
  ])('%i shares one out among the values along it', (axis, share) => {
    scope(() => {
      const y = tf.nn.softmax(tf.constant(5, { shape: [2, 4, 3] }), axis);
      expect(y.shape).toEqual([2, 4, 3]);
      for (const value of y.dataSync()) expect(value).toBeCloseTo(share, 6);
    });
  });

  test('gives back the tensors that it makes on the way', () => {
    using x = tf.constant([[1, 2], [3, 4]]); // prettier-ignore
    using y = tf.nn.softmax(x, 0);
    expect(y.shape).toEqual([2, 2]);
  });
});

describe('matmul', () => {
  test('broadcasts the axes before the last two', () => {
    scope(() => {
      const a = tf.constant([[[1, 2]], [[3, 4]]]);
      const b = tf.constant([[1], [10]]);
      expect(tf.matmul(a, b).arraySync()).toEqual([[[21]], [[43]]]);
    });
  });
});

describe('bias_add', () => {
  test('adds to axis 1 for channels first', () => {
    scope(() => {
      const x = tf.constant(0, { shape: [1, 2, 2] });
      const y = tf.nn.bias_add(x, tf.constant([1, 2]), { data_format: 'NCHW' });
      expect(y.arraySync()).toEqual([[[1, 1], [2, 2]]]); // prettier-ignore
    });
  });
});

describe('argmax', () => {
  test('answers the first of equal values, in int32 on request', () => {
    scope(() => {
      const index = tf.argmax(tf.constant([[3, 1, 3]]), { axis: 1, output_type: 'int32' });
      expect(index.dataSync()).toEqual(new Int32Array([0]));
    });
  });
});
