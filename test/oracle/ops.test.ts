/** Every single-op case of the oracle: our `tf.*` functions against Python TensorFlow 2.21.0 (scripts/oracle). */
import { describe, expect, test } from '@jest/globals';
import { scope, tf, type Tensor } from '../../lib';
import {
  decode,
  largestUlps,
  ORACLE_CASES,
  RECORDED_VECTORS,
  runCase,
  type OracleCase,
} from '../helpers/oracle';
import { expectNoTensorsLeft, thrownBy } from '../tensor/accounting';

/**
 * Python runs each eager op as a function of one op, and TensorFlow's graph pass gives the float32 softmax of a function
 * to oneDNN; an op run by itself stays with Eigen's kernel. One ulp apart on the recorded cases.
 */
const OTHER_KERNEL_ULPS = 2;

/** Kernels with vector code of their own, on a processor with other vectors than the recorded one. */
const OTHER_VECTORS_ULPS = 16;
const VECTOR_CODE = new Set([
  'tf.matmul',
  'tf.nn.softmax',
  'tf.nn.tanh',
  'tf.nn.sigmoid',
  'tf.cos',
]);

/** What each refused case is refused with: by TensorFlow's own words only where we do not look ourselves. */
const CODES: Readonly<Record<string, string>> = {
  'tf.matmul: inner dimensions differ': 'TFE_OP_SHAPE',
  'tf.matmul: inner dimensions differ in a batch': 'TFE_OP_SHAPE',
  'tf.matmul: inner dimensions differ, int32': 'TFE_OP_SHAPE',
  'tf.matmul: batch dimensions do not broadcast': 'TFE_OP_SHAPE',
  'tf.matmul: rank 1 by rank 2': 'TFE_OP_RANK',
  'tf.matmul: rank 1 by rank 2, int32': 'TFE_OP_RANK',
  'tf.matmul: rank 0 by rank 0': 'TFE_OP_RANK',
  'tf.matmul: dtypes differ': 'TFE_OP_DTYPE_MISMATCH',
  'tf.nn.bias_add: bias length differs': 'TFE_OP_SHAPE',
  'tf.nn.bias_add: bias length differs, NCHW': 'TFE_OP_SHAPE',
  'tf.nn.bias_add: value of rank 1': 'TFE_OP_RANK',
  'tf.nn.bias_add: bias of rank 2': 'TFE_OP_RANK',
  'tf.nn.bias_add: bias of rank 0': 'TFE_OP_RANK',
  'tf.nn.bias_add: data_format CHWN does not exist': 'TFE_OPTION_VALUE',
  'tf.nn.bias_add: data_format in lower case': 'TFE_OPTION_VALUE',
  'tf.nn.bias_add: dtypes differ': 'TFE_OP_DTYPE_MISMATCH',
  'tf.nn.tanh: int32 is not accepted': 'TFE_OP_DTYPE',
  'tf.nn.tanh: int64 is not accepted': 'TFE_OP_DTYPE',
  'tf.nn.sigmoid: int32 is not accepted': 'TFE_OP_DTYPE',
  'tf.nn.sigmoid: int64 is not accepted': 'TFE_OP_DTYPE',
  'tf.cos: int32 is not accepted': 'TFE_OP_DTYPE',
  'tf.cos: int64 is not accepted': 'TFE_OP_DTYPE',
  'tf.nn.softmax: rank 0': 'TFE_OP_AXIS',
  'tf.nn.softmax: axis out of range': 'TFE_OP_AXIS',
  'tf.nn.softmax: int32 is not accepted': 'TFE_OP_DTYPE',
  'tf.argmax: the reduced dimension is empty': 'TFE_OP_FAILED',
  'tf.argmax: rank 0': 'TFE_OP_AXIS',
  'tf.argmax: axis out of range': 'TFE_OP_AXIS',
  ...Object.fromEntries(
    ['tf.add', 'tf.subtract', 'tf.multiply', 'tf.divide'].flatMap((op) => [
      [`${op}: shapes do not broadcast`, 'TFE_OP_FAILED'],
      [`${op}: shapes do not broadcast, int64`, 'TFE_OP_FAILED'],
      [`${op}: dtypes differ`, 'TFE_OP_DTYPE_MISMATCH'],
      [`${op}: integer widths differ`, 'TFE_OP_DTYPE_MISMATCH'],
    ]),
  ),
};

const nameOf = ({ op, name }: OracleCase): string => `${op}: ${name}`;
const refused = ORACLE_CASES.filter((entry) => entry.error !== undefined);
const answered = ORACLE_CASES.filter((entry) => entry.error === undefined);

/** How far apart two results of a case may be; 0 means the same bits. */
function allowedUlps({ op, output }: OracleCase): number {
  if (op === 'tf.nn.softmax' && output!.dtype === 'float32') return OTHER_KERNEL_ULPS;
  return RECORDED_VECTORS || !VECTOR_CODE.has(op) ? 0 : OTHER_VECTORS_ULPS;
}

expectNoTensorsLeft();

function expectPythonsAnswer(oracle: OracleCase, tensor: Tensor): void {
  const { dtype, shape } = oracle.output!;
  expect({ dtype: tensor.dtype, shape: tensor.shape }).toEqual({ dtype, shape });
  const got = tensor.dataSync();
  if (oracle.varies !== undefined) return;
  const want = decode(oracle.output!);
  if (dtype === 'float32' || dtype === 'float64') {
    const distance = largestUlps(got as Float32Array, want as Float32Array, dtype);
    expect(distance).toBeLessThanOrEqual(allowedUlps(oracle));
  } else {
    expect(got).toEqual(want);
  }
}

describe('the oracle', () => {
  test('was read: it has the 571 cases that its generator wrote', () => {
    expect(ORACLE_CASES).toHaveLength(571);
  });

  test('refuses exactly the cases that have a code here', () => {
    expect(refused.map(nameOf).sort()).toEqual(Object.keys(CODES).sort());
  });
});

describe("an op's answer is Python's", () => {
  test.each(answered.map((oracle) => [nameOf(oracle), oracle] as const))('%s', (_, oracle) => {
    scope(() => {
      expectPythonsAnswer(oracle, runCase(oracle));
    });
  });
});

describe('an op refuses what Python refuses', () => {
  test.each(refused.map((oracle) => [nameOf(oracle), oracle] as const))('%s', (name, oracle) => {
    scope(() => {
      const error = thrownBy(() => runCase(oracle));
      expect(error.code).toBe(CODES[name]);
      // Where TensorFlow itself was asked, its status is the one that Python reports.
      if (error.tfStatus !== undefined) expect(error.tfStatus.code).toBe(oracle.error!.code);
    });
  });
});

describe('a NaN in the logits', () => {
  // Eigen's kernel, hand-checked: max and sum of the row are NaN, so every quotient is.
  test('spreads over its own row and no other', () => {
    scope(() => {
      const rows = tf.nn.softmax(tf.constant([[1, NaN, 2], [0, 0, 0]]), 1).arraySync(); // prettier-ignore
      expect(rows[0]).toEqual([NaN, NaN, NaN]);
      expect(rows[1]!.every((value) => Math.abs(value - 1 / 3) < 1e-7)).toBe(true);
    });
  });
});
