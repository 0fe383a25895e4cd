// `npm run bench`: what tfe-node adds to an op, as ratios against the same op in a C loop over the same library
// (bench/native/c_loop.cc). The contestants take turns in one process, block by block, and the ratio is taken within each
// round: the machine's noise hits both. Prints; asserts nothing.
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { raw, scope, status, tf } from 'tfe-node';

const require = createRequire(import.meta.url);
const root = join(dirname(fileURLToPath(import.meta.url)), '..');

const { values: flags } = parseArgs({
  options: {
    rounds: { type: 'string', default: '30' },
    iterations: { type: 'string', default: '20000' },
  },
});
const ROUNDS = Number(flags.rounds);
const ITERATIONS = Number(flags.iterations);
const PER_SCOPE = 1000;

function nanoseconds(body) {
  const start = process.hrtime.bigint();
  body();
  return Number(process.hrtime.bigint() - start);
}

function quantile(sorted, q) {
  return sorted[Math.min(sorted.length - 1, Math.floor(q * sorted.length))];
}

// Built by the set-up (`--with bench`).
const contestant = require(join(root, 'build', 'bench', 'Release', 'tfe_bench.node'));
const x = tf.constant([[1, 2], [3, 4]]); // prettier-ignore
const y = tf.constant([[10, 20], [30, 40]]); // prettier-ignore
const { tensorflow } = status();
contestant.open(tensorflow.ccPath);

const contestants = {
  'C loop, AddV2': () => contestant.addLoop(ITERATIONS),
  'tf.add + dispose': () =>
    nanoseconds(() => {
      for (let i = 0; i < ITERATIONS; i++) tf.add(x, y).dispose();
    }),
  'raw.AddV2 + dispose': () =>
    nanoseconds(() => {
      for (let i = 0; i < ITERATIONS; i++) raw.AddV2(x, y).dispose();
    }),
  [`tf.add, scope of ${PER_SCOPE}`]: () =>
    nanoseconds(() => {
      for (let i = 0; i < ITERATIONS; i += PER_SCOPE) {
        scope(() => {
          for (let k = 0; k < PER_SCOPE; k++) tf.add(x, y);
        });
      }
    }),
};

const names = Object.keys(contestants);
const times = Object.fromEntries(names.map((name) => [name, []]));
for (const name of names) contestants[name](); // warm-up
for (let round = 0; round < ROUNDS; round++) {
  for (const name of names) times[name].push(contestants[name]() / ITERATIONS);
}

const baseline = times[names[0]];
const oneDnn = process.env.TF_ENABLE_ONEDNN_OPTS === '0' ? 'off' : 'on';
console.log(
  `TensorFlow ${tensorflow.version}, oneDNN ${oneDnn}, Node ${process.version}, float32 [2, 2]`,
);
console.log(
  `${ROUNDS} rounds of ${ITERATIONS} ops, contestants in turn; ratio within each round\n`,
);
console.log(
  `${''.padEnd(28)}${'ns/op median'.padStart(14)}${'ratio median'.padStart(14)}${'p10'.padStart(8)}${'p90'.padStart(8)}`,
);
for (const name of names) {
  const ns = [...times[name]].sort((a, b) => a - b);
  const ratios = times[name].map((time, round) => time / baseline[round]).sort((a, b) => a - b);
  const cells = [quantile(ratios, 0.5), quantile(ratios, 0.1), quantile(ratios, 0.9)];
  console.log(
    `${name.padEnd(28)}${quantile(ns, 0.5).toFixed(0).padStart(14)}${cells[0].toFixed(2).padStart(14)}${cells[1].toFixed(2).padStart(8)}${cells[2].toFixed(2).padStart(8)}`,
  );
}
x.dispose();
y.dispose();
