/** The set-up script, as a person meets it: on a machine that lacks things, twice at once, and after a kill. */
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';

const ROOT = join(__dirname, '../..');
const SETUP = join(ROOT, 'scripts/setup.mjs');
const LOCK = pathToFileURL(join(ROOT, 'scripts/lib/lock.mjs')).href;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tfe-node-setup-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

function setup(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  return spawnSync(process.execPath, [SETUP, ...args], {
    encoding: 'utf8',
    env: { ...process.env, ...env },
  });
}

describe('set-up', () => {
  test('names everything that a build needs and the machine lacks, with the command that installs it', () => {
    const run = setup(['--only', 'addon', '--force'], { PATH: folder, CXX: '' });
    expect(run.status).toBe(1);
    expect(run.stdout).toBe('');
    for (const tool of ['cmake', 'ninja or make', 'C++17 compiler']) {
      expect(run.stderr).toContain(tool);
    }
    const commands = run.stderr.split('\n').filter((line) => /^ {4}\S.*: \S/.test(line));
    expect(commands.length).toBeGreaterThanOrEqual(3);
  });

  test('says which compiler of CXX does not do', () => {
    const run = setup(['--only', 'addon', '--force'], { CXX: join(folder, 'no-such-compiler') });
    expect(run.status).toBe(1);
    expect(run.stderr).toContain('no-such-compiler');
  });

  test('says that pip is missing only when the library is to be fetched', () => {
    const run = setup(['--only', 'library', '--force'], { PATH: folder, TFE_NODE_PIP: '' });
    expect(run.status).toBe(1);
    expect(run.stderr).toMatch(/pip/);
    expect(run.stderr).not.toMatch(/cmake|compiler/);
  });

  test('answers a wrong command line with exit code 2 and the steps it knows', () => {
    const run = setup(['--only', 'everything']);
    expect(run.status).toBe(2);
    expect(run.stderr).toMatch(/not everything/);
    expect(run.stderr).toMatch(/dependencies, typescript, addon, library/);
  });
});

describe('the lock', () => {
  /** Appends `in` and `out` around a short stay inside the lock. */
  const stay = `
    import { appendFileSync } from 'node:fs';
    import { withLock } from '${LOCK}';
    const [, lock, log] = process.argv;
    await withLock(lock, async () => {
      appendFileSync(log, 'in ' + process.pid + '\\n');
      await new Promise((resolve) => setTimeout(resolve, 50));
      appendFileSync(log, 'out ' + process.pid + '\\n');
    });`;

  function enter(lock: string, log: string): Promise<number | null> {
    return new Promise((resolve, reject) => {
      spawn(process.execPath, ['--input-type=module', '-e', stay, lock, log], { stdio: 'inherit' })
        .on('error', reject)
        .on('close', resolve);
    });
  }

  test('lets one process in at a time', async () => {
    const log = join(folder, 'log');
    const lock = join(folder, 'cache', 'lock');
    const codes = await Promise.all(Array.from({ length: 5 }, () => enter(lock, log)));
    expect(codes).toEqual([0, 0, 0, 0, 0]);
    const lines = readFileSync(log, 'utf8').trim().split('\n');
    expect(lines).toHaveLength(10);
    for (let i = 0; i < lines.length; i += 2) {
      const pid = lines[i]!.replace('in ', '');
      expect(lines.slice(i, i + 2)).toEqual([`in ${pid}`, `out ${pid}`]);
    }
    expect(existsSync(lock)).toBe(false);
  });

  test('takes over from an owner that was killed', async () => {
    const log = join(folder, 'log');
    const lock = join(folder, 'lock');
    const dead = spawnSync(process.execPath, ['-e', '']).pid;
    mkdirSync(lock);
    writeFileSync(join(lock, 'owner.json'), JSON.stringify({ pid: dead, host: hostname() }));
    expect(await Promise.all([enter(lock, log), enter(lock, log)])).toEqual([0, 0]);
    expect(readFileSync(log, 'utf8').trim().split('\n')).toHaveLength(4);
    expect(existsSync(lock)).toBe(false);
  });
});
