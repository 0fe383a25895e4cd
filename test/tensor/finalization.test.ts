/** The safety net: tensors that no scope owned and nobody disposed are freed when they are collected. */
import { describe, expect, test } from '@jest/globals';
import { keep, scope, tf } from '../../lib';
import { collect, collectUntil } from '../helpers/collect';
import { held } from './accounting';

/** Collects until as many tensors are held as before. */
async function collectedDownTo(tensors: number): Promise<number> {
  await collectUntil(() => held().tensors <= tensors);
  return held().tensors;
}

const COUNT = 100;

describe('a tensor without a scope', () => {
  test('is freed when it is collected', async () => {
    const before = held();
    for (let i = 0; i < COUNT; i++) tf.constant(new Float32Array(1000));
    expect(held().tensors - before.tensors).toBeGreaterThan(0);
    // Or fewer: what an earlier test file left may be collected with them.
    expect(await collectedDownTo(before.tensors)).toBeLessThanOrEqual(before.tensors);
    expect(held().bytes).toBeLessThanOrEqual(before.bytes);
  });

  test('is freed when it was kept or let out of a scope', async () => {
    const before = held();
    for (let i = 0; i < COUNT; i++) {
      scope(() => {
        keep(tf.constant(i));
        return tf.constant(i);
      });
    }
    expect(await collectedDownTo(before.tensors)).toBeLessThanOrEqual(before.tensors);
  });

  test('is freed once when it was disposed: its slot may be another tensor by then', async () => {
    const before = held();
    for (let i = 0; i < COUNT; i++) tf.constant(i).dispose();
    const others = Array.from({ length: COUNT }, (_, i) => tf.constant(i));
    await collectedDownTo(before.tensors);
    expect(others.map((tensor) => tensor.arraySync())).toEqual(Array.from({ length: COUNT }, (_, i) => i)); // prettier-ignore
    for (const tensor of others) tensor.dispose();
  });

  test('is not freed while it can be reached', async () => {
    const tensor = tf.constant(5);
    collect();
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(tensor.arraySync()).toBe(5);
    tensor.dispose();
  });
});
