// One op at a time: what tfe-node adds to a small one, and to one that is all kernel.
import { raw, scope, tf } from 'tfe-node';

import { nanoseconds } from './lib/clock.mjs';

const PER_SCOPE = 1000;

/** AddV2 of two float32 [2, 2]. */
export function ops({ c }) {
  const count = 20_000;
  const x = tf.constant([[1, 2], [3, 4]]); // prettier-ignore
  const y = tf.constant([[10, 20], [30, 40]]); // prettier-ignore
  const each = (op) => () =>
    nanoseconds(() => {
      for (let i = 0; i < count; i++) op(x, y).dispose();
    }) / count;
  return {
    title: `AddV2 of float32 [2, 2], blocks of ${count}`,
    unit: 'ns',
    rounds: 30,
    contestants: [
      { name: 'C loop', run: () => c.opLoop('AddV2', 2, count) / count },
      { name: 'tf.add + dispose', run: each(tf.add), bar: 1.5 },
      { name: 'raw.AddV2 + dispose', run: each(raw.AddV2) },
      {
        name: `tf.add in a scope of ${PER_SCOPE}`,
        run: () =>
          nanoseconds(() => {
            for (let i = 0; i < count; i += PER_SCOPE) {
              scope(() => {
                for (let k = 0; k < PER_SCOPE; k++) tf.add(x, y);
              });
            }
          }) / count,
        bar: 1.5,
      },
      {
        name: 'tf.add against raw.AddV2',
        against: 'raw.AddV2 + dispose',
        run: each(tf.add),
        bar: 1.25,
      },
    ],
    end: () => [x, y].forEach((tensor) => tensor.dispose()),
  };
}

/** MatMul of two float32 [512, 512]. */
export function matmul({ c }) {
  const side = 512;
  const count = 8;
  const values = Float32Array.from({ length: side * side }, (_, i) => (i % 7) - 3);
  const a = tf.constant(values, { shape: [side, side] });
  const b = tf.constant(values, { shape: [side, side] });
  // The blocks are too few calls for V8 to compile; C is compiled from the first one on.
  scope(() => {
    const x = tf.constant([[1]]);
    for (let i = 0; i < 20_000; i++) tf.matmul(x, x).dispose();
  });
  return {
    title: `MatMul of float32 [${side}, ${side}], blocks of ${count}`,
    unit: 'us',
    rounds: 100,
    contestants: [
      { name: 'C loop', run: () => c.opLoop('MatMul', side, count) / count },
      {
        name: 'tf.matmul + dispose',
        run() {
          tf.matmul(a, b).dispose(); // before the clock, as in C
          const time = nanoseconds(() => {
            for (let i = 0; i < count; i++) tf.matmul(a, b).dispose();
          });
          return time / count;
        },
        bar: 1.05,
      },
    ],
    end: () => [a, b].forEach((tensor) => tensor.dispose()),
  };
}
