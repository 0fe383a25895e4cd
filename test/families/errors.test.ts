/** What the four families refuse: payloads when the op is made, inputs before a kernel is asked. */
import { describe, expect, test } from '@jest/globals';
import { scope, tf, type Tensor } from '../../lib';
import { argmax, biasAdd, matmul, softmax, type ExtensionOp } from '../../lib/extension';
import { FAMILIES } from '../../lib/families';
import { applyOne } from '../../lib/runtime/default';
import { codeOf, expectNoTensorsLeft, thrownBy } from '../tensor/accounting';

expectNoTensorsLeft();

const bad = (payload: unknown) => payload as never;

describe('a payload', () => {
  test.each([
    ['matmul', () => matmul.op(bad({ transposeA: 1, transposeB: false })), 'transposeA'],
    ['matmul', () => matmul.op(bad({ transposeA: false })), 'transposeB'],
    ['bias_add', () => biasAdd.op(bad({ dataFormat: 'NHCW' })), 'dataFormat'],
    ['softmax', () => softmax.op({ axis: -1 }), 'axis'],
    ['softmax', () => softmax.op({ axis: 0.5 }), 'axis'],
    ['argmax', () => argmax.op(bad({ axis: '0', outputType: 'int64' })), 'axis'],
    ['argmax', () => argmax.op(bad({ axis: 0, outputType: 'int16' })), 'outputType'],
  ] as const)('of %s that makes no sense is refused by its field', (name, make, field) => {
    const error = thrownBy(make);
    expect(error.code).toBe('TFE_EXTENSION_PAYLOAD_VALUE');
    expect(error.facts).toMatchObject({ familyId: `tfe-node.${name}.v1`, field });
  });

  test('of two meanings is two ops, and of one meaning one', () => {
    expect(softmax.op({ axis: 0 })).toBe(softmax.op({ axis: 0 }));
    expect(softmax.op({ axis: 0 })).not.toBe(softmax.op({ axis: 1 }));
  });
});

describe('the families of this package', () => {
  test('are pure, answer one new tensor, and have a fixed number of inputs', () => {
    const facts = FAMILIES.map(({ family }) => family.familyId).sort();
    expect(facts).toEqual([
      'tfe-node.argmax.v1',
      'tfe-node.bias_add.v1',
      'tfe-node.matmul.v1',
      'tfe-node.softmax.v1',
    ]);
    const ops: readonly (readonly [ExtensionOp, number])[] = [
      [matmul.op({ transposeA: false, transposeB: false }), 2],
      [biasAdd.op({ dataFormat: 'NHWC' }), 2],
      [softmax.op({ axis: 0 }), 1],
      [argmax.op({ axis: 0, outputType: 'int64' }), 1],
    ];
    for (const [op, inputCount] of ops) {
      expect(op).toMatchObject({ inputCount, outputCount: 1, effects: [], aliases: 'allFresh' });
    }
  });
});

describe('inputs', () => {
  const vector = (): Tensor => tf.constant([1, 2]);
  const matrix = (): Tensor => tf.constant([[1, 2], [3, 4]]); // prettier-ignore
  const ints = (): Tensor => tf.constant([[1n, 2n]]);
  const product = matmul.op({ transposeA: false, transposeB: false });
  const bias = biasAdd.op({ dataFormat: 'NHWC' });

  const refused: readonly (readonly [string, string, () => unknown])[] = [
    ['matmul of rank 1', 'TFE_OP_RANK', () => applyOne(product, [vector(), matrix()])],
    ['matmul by rank 1', 'TFE_OP_RANK', () => applyOne(product, [matrix(), vector()])],
    ['matmul of two dtypes', 'TFE_OP_DTYPE_MISMATCH', () => applyOne(product, [matrix(), ints()])],
    ['matmul of another inner dimension', 'TFE_OP_SHAPE', () => applyOne(product, [matrix(), tf.constant([[1, 2]])])], // prettier-ignore
    ['matmul of batches that do not broadcast', 'TFE_OP_SHAPE', () => applyOne(product, [tf.constant(0, { shape: [2, 1, 1] }), tf.constant(0, { shape: [3, 1, 1] })])], // prettier-ignore
    ['bias_add of a vector', 'TFE_OP_RANK', () => applyOne(bias, [vector(), vector()])],
    ['bias_add with a matrix', 'TFE_OP_RANK', () => applyOne(bias, [matrix(), matrix()])],
    ['bias_add of other channels', 'TFE_OP_SHAPE', () => applyOne(bias, [matrix(), tf.constant([1])])], // prettier-ignore
    ['bias_add of two dtypes', 'TFE_OP_DTYPE_MISMATCH', () => applyOne(bias, [matrix(), tf.constant([1n, 2n])])], // prettier-ignore
    ['softmax of integers', 'TFE_OP_DTYPE', () => applyOne(softmax.op({ axis: 0 }), [ints()])],
    ['softmax along no axis', 'TFE_OP_AXIS', () => applyOne(softmax.op({ axis: 2 }), [matrix()])],
    ['argmax along no axis', 'TFE_OP_AXIS', () => applyOne(argmax.op({ axis: 1, outputType: 'int64' }), [vector()])], // prettier-ignore
  ];
  test.each(refused)('%s: %s, before TensorFlow is asked', (_, code, run) => {
    scope(() => {
      const error = thrownBy(run);
      expect(error.code).toBe(code);
      expect(error.tfStatus).toBeUndefined();
    });
  });

  test('argmax along an axis without elements is refused by TensorFlow', () => {
    scope(() => {
      const run = () => tf.argmax(tf.constant([], { shape: [2, 0] }), 1);
      expect(codeOf(run)).toBe('TFE_OP_FAILED');
    });
  });

  test('the messages name the argument and both values', () => {
    scope(() => {
      expect(thrownBy(() => tf.matmul(vector() as never, matrix() as never)).message).toBe(
        'tf.matmul expects rank 2 or more for a but received rank 1. Give a tensor of that rank.',
      );
      expect(thrownBy(() => tf.matmul(matrix() as never, ints() as never)).message).toBe(
        'tf.matmul: b is int64, but the argument before it is float32. TensorFlow does not mix dtypes; make both tensors with the same one, or convert one with tf.cast().',
      );
      expect(thrownBy(() => tf.matmul(matrix(), tf.constant([[1, 2]]))).message).toBe(
        'tf.matmul: axis 1 of a is 2, but axis 0 of b is 1; the shapes are [2, 2] and [1, 2]. Check the shapes of the operands.',
      );
    });
  });
});
