// `npm run bench [-- --only ops,matmul,read,transfer,start,async] [--scale 2]`: what tfe-node adds, as ratios against the same work
// in C over the same library (bench/native). Contestants take turns and a ratio is taken within a round; `--scale` multiplies
// the rounds. Prints; asserts nothing.
import { createRequire } from 'node:module';
import { availableParallelism, loadavg } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { status } from 'tfe-node';

import { asynchronous } from './async.mjs';
import { printTable, takeTurns } from './lib/rounds.mjs';
import { matmul, ops } from './ops.mjs';
import { start } from './start.mjs';
import { read, transfer } from './transfer.mjs';

const SECTIONS = { ops, matmul, read, transfer, start, async: asynchronous };

const { values: flags } = parseArgs({
  options: {
    only: { type: 'string', default: Object.keys(SECTIONS).join() },
    scale: { type: 'string', default: '1' },
  },
});
const names = flags.only.split(',');
const scale = Number(flags.scale);
const unknown = names.filter((name) => !Object.hasOwn(SECTIONS, name));
if (unknown.length > 0 || !(scale > 0)) {
  console.error(`--only takes ${Object.keys(SECTIONS).join()}; --scale takes a number`);
  process.exit(2);
}

// Built by the set-up (`--with bench`).
const folder = join(dirname(fileURLToPath(import.meta.url)), '..', 'build', 'bench', 'Release');
const { tensorflow } = status({ load: true });
const c = createRequire(import.meta.url)(join(folder, 'tfe_bench.node'));
c.open(tensorflow.ccPath);

const load = () =>
  loadavg()
    .map((value) => value.toFixed(1))
    .join(' ');
const oneDnn = process.env.TF_ENABLE_ONEDNN_OPTS === '0' ? 'off' : 'on';
console.log(
  `TensorFlow ${tensorflow.version}, oneDNN ${oneDnn}, Node ${process.version}, ${availableParallelism()} processors, ` +
    `load ${load()}; both sides in one process with the same thread pools`,
);
for (const name of names) {
  const section = SECTIONS[name]({ c, folder, tensorflow });
  const rounds = Math.max(1, Math.round(section.rounds * scale));
  console.log(`\n${name}: ${section.title}; ${rounds} rounds`);
  const times = await takeTurns(section.contestants, rounds);
  section.derive?.(times);
  printTable(section.rows ?? section.contestants, times, section.unit);
  await section.end?.();
}
console.log(`\nload ${load()}`);
