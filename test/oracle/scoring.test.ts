/** The small-batch scoring function of 12 ops, not lowered, against Python TensorFlow 2.21.0 (scripts/oracle). */
import { describe, expect, test } from '@jest/globals';
import { scope, tf, type Tensor } from '../../lib';
import { decode, largestUlps, ORACLE_SCORING, RECORDED_VECTORS, tensorOf } from '../helpers/oracle';
import { expectNoTensorsLeft } from '../tensor/accounting';

interface Parameters {
  readonly mean: Tensor<'float32', 1>;
  readonly scale: Tensor<'float32', 1>;
  readonly w_feature: Tensor<'float32', 2>;
  readonly b_feature: Tensor<'float32', 1>;
  readonly w_head: Tensor<'float32', 2>;
  readonly b_head: Tensor<'float32', 1>;
}

function score(x: Tensor<'float32', 2>, p: Parameters) {
  let h = tf.divide(tf.subtract(x, p.mean), p.scale);
  h = tf.nn.bias_add(tf.matmul(h, p.w_feature), p.b_feature);
  for (let i = 0; i < ORACLE_SCORING.rounds; i++) h = i % 2 === 0 ? tf.nn.relu(h) : tf.nn.tanh(h);
  const logits = tf.nn.bias_add(tf.matmul(h, p.w_head), p.b_head);
  const probabilities = tf.nn.softmax(logits, { axis: 1 });
  return { logits, probabilities, classes: tf.argmax(probabilities, { axis: 1 }) };
}

function parameters(): Parameters {
  const entries = Object.entries(ORACLE_SCORING.parameters);
  return Object.fromEntries(
    entries.map(([name, oracle]) => [name, tensorOf(oracle)]),
  ) as unknown as Parameters;
}

expectNoTensorsLeft();

describe.each(ORACLE_SCORING.batches.map((batch) => [batch.batch, batch] as const))(
  'scoring a batch of %i rows',
  (rows, oracle) => {
    const scored = scope(() => {
      const { logits, probabilities, classes } = score(
        tensorOf(oracle.x) as Tensor<'float32', 2>,
        parameters(),
      );
      return {
        logits: logits.dataSync(),
        probabilities: probabilities.dataSync(),
        classes: classes.dataSync(),
        shapes: [logits.shape, probabilities.shape, classes.shape],
      };
    });

    test('answers logits and probabilities per row and class, and one class per row', () => {
      expect(scored.shapes).toEqual([[rows, 8], [rows, 8], [rows]]);
    });

    test(`has Python's logits${RECORDED_VECTORS ? ', bit for bit' : ' within 1e-5'}`, () => {
      const want = decode(oracle.logits) as Float32Array;
      if (RECORDED_VECTORS) expect(largestUlps(scored.logits, want, 'float32')).toBe(0);
      else want.forEach((value, i) => expect(scored.logits[i]).toBeCloseTo(value, 5));
    });

    // Not the same kernel: see test/oracle/ops.test.ts. The issue asks for 1e-5.
    test("has Python's probabilities within 8 ulp", () => {
      const want = decode(oracle.probabilities) as Float32Array;
      if (RECORDED_VECTORS) {
        expect(largestUlps(scored.probabilities, want, 'float32')).toBeLessThanOrEqual(8);
      }
      want.forEach((value, i) => expect(scored.probabilities[i]).toBeCloseTo(value, 5));
    });

    test("has Python's classes", () => {
      expect(scored.classes).toEqual(decode(oracle.classes));
    });
  },
);
