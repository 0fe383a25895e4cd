/**
 * Many random calls in one process: `node scripts/fuzz.mjs [--suite api|ops] [--runs 100000] [--seed N]`. `api` is every public
 * function with values of every kind, `ops` every registered op by name. Prints how the calls ended; ends with 0 when each
 * had a right answer or a helpful error, and nothing is left. A crash of `ops` names the op in its last line. Needs the
 * built addon and the installed library.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { spawn } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';

import { ROOT } from './lib/files.mjs';

const { values: flags } = parseArgs({
  options: {
    suite: { type: 'string', default: 'api' },
    runs: { type: 'string', default: '100000' },
    seed: { type: 'string', default: String(Date.now() % 2 ** 31) },
  },
});
const PROGRAMS = new Map([
  ['api', 'api-fuzz.ts'],
  ['ops', 'op-fuzz.ts'],
]);
const program = PROGRAMS.get(flags.suite);
const [runs, seed] = [Number(flags.runs), Number(flags.seed)];
if (program === undefined || !(Number.isSafeInteger(runs) && runs > 0) || !Number.isInteger(seed)) {
  console.error('usage: node scripts/fuzz.mjs [--suite api|ops] [--runs N] [--seed N]');
  process.exit(2);
}
const folder = mkdtempSync(join(tmpdir(), 'tfe-node-fuzz-'));
const task = { runs, seed, folder };
const child = spawn(
  process.execPath,
  [
    '--require',
    join(ROOT, 'test/helpers/register-swc.cjs'),
    join(ROOT, 'test/process/programs', program),
    JSON.stringify(task),
  ],
  { env: { TF_CPP_MIN_LOG_LEVEL: '2', ...process.env }, stdio: ['ignore', 'pipe', 'inherit'] },
);
let last = '';
createInterface(child.stdout).on('line', (line) => (last = line));
child.on('close', (code, signal) => {
  rmSync(folder, { recursive: true, force: true });
  console.log(`${flags.suite}, seed ${seed}, ${runs} runs: ${signal ?? `exit ${code}`}\n${last}`);
  process.exitCode = code ?? 1;
});
