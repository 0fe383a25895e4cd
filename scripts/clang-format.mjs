/**
 * Formats the C++ (`--write`) or fails where it is not formatted (`--check`), with the clang-format that the lock file pins.
 * That package makes its binary executable in an install script, which is blocked; so the binary is copied once.
 */
import { spawnSync } from 'node:child_process';
import { chmodSync, copyFileSync, existsSync, mkdirSync, renameSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, join } from 'node:path';

import { ScriptError, runScript } from './lib/child.mjs';
import { ROOT, sourceFiles } from './lib/files.mjs';

const FOLDERS = /^(native|bench\/native|test\/native)\//;
const SUFFIX = /\.(cc|cpp|c|h|hh|hpp)$/;

function clangFormat() {
  const require = createRequire(import.meta.url);
  const { clangFormatPath } = require('clang-format-node');
  const { version } = require('clang-format-node/package.json');
  const folder = join(ROOT, 'node_modules/.cache/clang-format', version);
  const path = join(folder, basename(clangFormatPath));
  if (!existsSync(path)) {
    mkdirSync(folder, { recursive: true });
    const staged = `${path}.${String(process.pid)}`;
    copyFileSync(clangFormatPath, staged);
    chmodSync(staged, 0o755);
    renameSync(staged, path);
  }
  return path;
}

await runScript('clang-format', () => {
  const [mode, ...rest] = process.argv.slice(2);
  if ((mode !== '--check' && mode !== '--write') || rest.length > 0) {
    throw new ScriptError('usage: node scripts/clang-format.mjs --check | --write', 2);
  }
  const files = sourceFiles().filter((name) => FOLDERS.test(name) && SUFFIX.test(name));
  if (files.length === 0) throw new ScriptError('no C++ file found: the folders must have moved.');
  const args = mode === '--write' ? ['-i'] : ['--dry-run', '--Werror'];
  const run = spawnSync(clangFormat(), [...args, '--style=file', ...files], {
    cwd: ROOT,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  if (run.error !== undefined) throw new ScriptError(run.error.message);
  if (run.status !== 0) {
    throw new ScriptError('the C++ is not formatted. Run: npm run format', run.status ?? 1);
  }
  process.stdout.write(`clang-format: ${String(files.length)} files\n`);
});
