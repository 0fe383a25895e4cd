// `npm run soak [-- --ops 10000000 --samples 20 --limit 20]`: runs that many ops on constant handles, by scope, by dispose and
// off the event loop, and looks at the resident memory as it goes. Exit code 1 when the memory after the warm-up (the first
// million ops) grows by more than the limit (MB), by its highest sample or by its trend, or when a tensor is left over.
import { parseArgs } from 'node:util';
import { scope, status, tf } from 'tfe-node';

const { values: flags } = parseArgs({
  options: {
    ops: { type: 'string', default: '10000000' },
    samples: { type: 'string', default: '20' },
    limit: { type: 'string', default: '20' },
  },
});
const [ops, samples, limit] = [flags.ops, flags.samples, flags.limit].map(Number);
// V8's heap grows to its working size until then.
const WARM_UP = 1_000_000;
if (!(ops >= 2 * WARM_UP && samples >= 8 && limit > 0)) {
  console.error(
    'usage: npm run soak [-- --ops N] [--samples N] [--limit MB]: at least 2000000 ops and 8 samples',
  );
  process.exit(2);
}

/** Of 1000 ops: in a scope, disposed one by one, and off the loop, ten at a time. */
const MIX = { scoped: 600, disposed: 390, async: 10 };
const BATCH = MIX.scoped + MIX.disposed + MIX.async;

const x = tf.constant([[1, 2], [3, 4]]); // prettier-ignore
const y = tf.constant([[10, 20], [30, 40]]); // prettier-ignore

async function batch() {
  scope(() => {
    for (let i = 0; i < MIX.scoped; i++) tf.add(x, y);
  });
  for (let i = 0; i < MIX.disposed; i++) tf.add(x, y).dispose();
  const sums = await Promise.all(Array.from({ length: MIX.async }, () => tf.addAsync(x, y)));
  for (const sum of sums) sum.dispose();
}

async function look(done) {
  globalThis.gc?.();
  await new Promise((resolve) => setImmediate(resolve)); // finalizers
  const { liveTensors } = status();
  return { done, rss: process.memoryUsage().rss / 1e6, liveTensors };
}

/** Slope of the least-squares line. */
function slope(points) {
  const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const [middle, level] = [mean(points.map(([at]) => at)), mean(points.map(([, value]) => value))];
  const above = points.map(([at, value]) => (at - middle) * (value - level));
  return mean(above) / mean(points.map(([at]) => (at - middle) ** 2));
}

const before = await look(0);
const looks = [];
const begin = performance.now();
let done = 0;
for (let sample = 1; sample <= samples; sample++) {
  for (; done < (ops * sample) / samples; done += BATCH) await batch();
  const now = await look(done);
  looks.push(now);
  console.log(
    `${String(done).padStart(12)} ops  ${((performance.now() - begin) / 1000).toFixed(1).padStart(6)} s  ` +
      `RSS ${now.rss.toFixed(1)} MB  ${now.liveTensors} live tensors`,
  );
}

const steady = looks.filter(({ done: at }) => at >= WARM_UP);
const growth = Math.max(...steady.map(({ rss }) => rss)) - steady[0].rss;
const trend = slope(steady.map(({ done: at, rss }) => [at, rss])) * ops;
const left = looks.at(-1).liveTensors - before.liveTensors;
const flat = growth <= limit && trend <= limit && left === 0;
console.log(
  `${flat ? 'flat' : 'NOT FLAT'}: after the warm-up at most ${growth.toFixed(1)} MB above its end, ` +
    `trend ${trend.toFixed(1)} MB per ${ops} ops (limit ${limit} MB), ${left} tensors left over`,
);
x.dispose();
y.dispose();
process.exitCode = flat ? 0 : 1;
