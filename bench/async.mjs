// Off the event loop against on it: what the way to another thread and back costs, and what it buys: a loop that goes on.
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { tf } from 'tfe-node';

import { nanoseconds, nanosecondsAsync } from './lib/clock.mjs';

/** float32 [side, side], of small numbers. */
function square(side) {
  return tf.constant(
    Float32Array.from({ length: side * side }, (_, i) => (i % 7) - 3),
    { shape: [side, side] },
  );
}

/** The sync and the async twin of an op, one call after the other. */
function twins(name, op, opAsync, x, count) {
  return [
    {
      name: `${name}, on the loop`,
      against: `${name}, on the loop`,
      run: () =>
        nanoseconds(() => {
          for (let i = 0; i < count; i++) op(x, x).dispose();
        }) / count,
    },
    {
      name: `await ${name}Async`,
      against: `${name}, on the loop`,
      run: async () =>
        (await nanosecondsAsync(async () => {
          for (let i = 0; i < count; i++) (await opAsync(x, x)).dispose();
        })) / count,
    },
  ];
}

/** The longest time that the event loop stood still while `body` ran 20 times, in milliseconds. */
async function longestPause(body) {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  const turn = () => new Promise((resolve) => setTimeout(resolve, 5));
  delay.enable();
  await turn();
  for (let i = 0; i < 20; i++) {
    await body();
    await turn();
  }
  delay.disable();
  return delay.max / 1e6;
}

export function asynchronous() {
  const [small, middle, large] = [2, 512, 1536].map(square);
  return {
    title: 'one at a time, tf.add of [2, 2] and tf.matmul of [512, 512]',
    unit: 'us',
    rounds: 30,
    contestants: [
      ...twins('tf.add', tf.add, tf.addAsync, small, 500),
      ...twins('tf.matmul', tf.matmul, tf.matmulAsync, middle, 5),
    ],
    async end() {
      const on = await longestPause(() => tf.matmul(large, large).dispose());
      const off = await longestPause(async () => (await tf.matmulAsync(large, large)).dispose());
      console.log(
        `longest pause of the event loop, matmul of [1536, 1536]: ${on.toFixed(1)} ms with tf.matmul, ` +
          `${off.toFixed(1)} ms with tf.matmulAsync`,
      );
      for (const tensor of [small, middle, large]) tensor.dispose();
    },
  };
}
