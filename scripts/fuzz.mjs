/**
 * Many random calls: `node scripts/fuzz.mjs [--suite api|ops|kernels] [--runs N] [--seed N]`. `api` is every public function
 * with values of every kind, `ops` every registered op by name, each in one process. Prints how the calls ended; ends with 0
 * when each had a right answer or a helpful error, and nothing is left. A crash of `ops` names the op in its last line.
 *
 * `kernels [--ops NAME,NAME]` is N calls of each op that its kernel gets to see, in processes of many ops. It prints the calls
 * that end a process, and those that take too long, each time goes on with the next op, and ends with 1 when a process has
 * crashed. `--call LINE` makes such a call again. All need the built addon and the installed library.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { spawn } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';

import { ROOT } from './lib/files.mjs';

/** Ops that one process of `kernels` calls. */
const BATCH = 100;
const CALL_LIMIT_MS = 5_000;

const { values: flags } = parseArgs({
  options: {
    suite: { type: 'string', default: 'api' },
    runs: { type: 'string' },
    seed: { type: 'string', default: String(Date.now() % 2 ** 31) },
    ops: { type: 'string', default: '' },
    call: { type: 'string' },
  },
});
const PROGRAMS = new Map([
  ['api', 'api-fuzz.ts'],
  ['ops', 'op-fuzz.ts'],
  ['kernels', 'kernel-fuzz.ts'],
]);
const program = PROGRAMS.get(flags.suite);
const runs = Number(flags.runs ?? (flags.suite === 'kernels' ? 300 : 100_000));
const seed = Number(flags.seed);
if (program === undefined || !(Number.isSafeInteger(runs) && runs > 0) || !Number.isInteger(seed)) {
  console.error(
    'usage: node scripts/fuzz.mjs [--suite api|ops|kernels] [--runs N] [--seed N] [--ops NAME,NAME] [--call LINE]',
  );
  process.exit(2);
}

/** Runs the program to its end, or until it has said nothing for as long as `limit`. */
function run(task, { limit, onLine }) {
  const folder = mkdtempSync(join(tmpdir(), 'tfe-node-fuzz-'));
  const child = spawn(
    process.execPath,
    [
      '--require',
      join(ROOT, 'test/helpers/register-swc.cjs'),
      join(ROOT, 'test/process/programs', program),
      JSON.stringify({ ...task, folder }),
    ],
    { env: { TF_CPP_MIN_LOG_LEVEL: '2', ...process.env }, stdio: ['ignore', 'pipe', 'inherit'] },
  );
  let late = false;
  const timer = setTimeout(() => (late = child.kill('SIGKILL')), limit ?? 2 ** 31 - 1);
  createInterface(child.stdout).on('line', (line) => {
    timer.refresh();
    onLine(line);
  });
  return new Promise((resolve) => {
    child.on('close', (code, signal) => {
      clearTimeout(timer);
      rmSync(folder, { recursive: true, force: true });
      resolve({ code, ending: late ? 'too slow' : (signal ?? `exit ${code}`), late });
    });
  });
}

async function runOnce() {
  let last = '';
  const { code, ending } = await run({ runs, seed }, { onLine: (line) => (last = line) });
  console.log(`${flags.suite}, seed ${seed}, ${runs} runs: ${ending}\n${last}`);
  return code ?? 1;
}

async function runKernels() {
  const ops = flags.ops.split(',').filter((name) => name !== '');
  const counts = { ops: 0, ran: 0, slow: 0, crashes: 0 };
  let [from, left] = [0, 1];
  while (left > 0) {
    let last = '';
    const onLine = (line) => {
      last = line;
      const said = JSON.parse(line);
      counts.ran += said.ran ?? 0;
      left = said.left ?? left;
      if (said.place === undefined) return;
      from = said.place + 1;
      counts.ops += 1;
    };
    const task = { ops, from, batch: BATCH, runs, seed };
    const { code, ending, late } = await run(task, { limit: CALL_LIMIT_MS, onLine });
    if (code === 0) continue;
    console.log(`${ending}: ${last}`);
    counts[late ? 'slow' : 'crashes'] += 1;
    if (last === '') break; // It did not come as far as an op.
  }
  console.log(`kernels, seed ${seed}, ${runs} runs an op: ${JSON.stringify(counts)}`);
  return counts.crashes === 0 ? 0 : 1;
}

async function repeat() {
  const { code, ending } = await run(
    { ...JSON.parse(flags.call), ops: [] },
    { onLine: console.log },
  );
  console.log(ending);
  return code ?? 1;
}

const kernels = flags.call === undefined ? runKernels : repeat;
process.exitCode = await (flags.suite === 'kernels' ? kernels() : runOnce());
