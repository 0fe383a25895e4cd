// `node bench/kernel-cache.mjs [--values 20000]`: how much memory TensorFlow's kernel cache takes for each distinct value of an
// attribute, how much our own prepared ops take (they are bounded), and what clearKernelCache() gives back. Prints; asserts
// nothing. Needs the built package (`npm run build`).
import { parseArgs } from 'node:util';
import { clearKernelCache, execute, tf } from 'tfe-node';

const { values: flags } = parseArgs({ options: { values: { type: 'string', default: '20000' } } });
const VALUES = Number(flags.values);
const x = tf.constant([1]);

function rss() {
  globalThis.gc?.();
  return process.memoryUsage().rss;
}

function run(from, values) {
  for (let i = 0; i < values; i++) {
    execute('LeakyRelu', { inputs: [x], attrs: { alpha: from + i } })[0].dispose();
  }
}

run(1, 2000); // warm-up: fills our own bound
clearKernelCache();
const start = rss();
run(10_000, VALUES);
const grown = rss();
clearKernelCache();
const cleared = rss();
run(10_000, VALUES);
const again = rss();
const megabytes = (bytes) => `${(bytes / 1e6).toFixed(1)} MB`;
console.log(`${VALUES} distinct values of LeakyRelu's alpha`);
console.log(
  `grown by ${megabytes(grown - start)}: ${((grown - start) / VALUES).toFixed(0)} bytes each`,
);
console.log(
  `after clearKernelCache(): ${megabytes(cleared - start)}; the same values again: ${megabytes(again - start)}`,
);
x.dispose();
