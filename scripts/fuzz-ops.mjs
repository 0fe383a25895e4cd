/**
 * Many random calls of random ops, in one process: `node scripts/fuzz-ops.mjs [--runs 100000] [--seed N]`. Prints how the
 * calls ended; a crash names the op by its last line. Needs the built addon and the installed library.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { spawn } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';

import { ROOT } from './lib/files.mjs';

const { values: flags } = parseArgs({
  options: {
    runs: { type: 'string', default: '100000' },
    seed: { type: 'string', default: String(Date.now() % 2 ** 31) },
  },
});
const neverRun = readFileSync(join(ROOT, 'test/ops/never-run.ts'), 'utf8');
const blocking = [...neverRun.matchAll(/^ {2}(\w+): '/gm)].map(([, name]) => name);
const folder = mkdtempSync(join(tmpdir(), 'tfe-node-fuzz-'));
const task = { runs: Number(flags.runs), seed: Number(flags.seed), folder, blocking };
const child = spawn(
  process.execPath,
  [
    '--require',
    join(ROOT, 'test/helpers/register-swc.cjs'),
    join(ROOT, 'test/process/programs/op-fuzz.ts'),
    JSON.stringify(task),
  ],
  { env: { TF_CPP_MIN_LOG_LEVEL: '2', ...process.env }, stdio: ['ignore', 'pipe', 'inherit'] },
);
let last = '';
createInterface(child.stdout).on('line', (line) => (last = line));
child.on('close', (code, signal) => {
  rmSync(folder, { recursive: true, force: true });
  console.log(`seed ${task.seed}, ${task.runs} runs: ${signal ?? `exit ${code}`}\n${last}`);
  process.exitCode = code ?? 1;
});
