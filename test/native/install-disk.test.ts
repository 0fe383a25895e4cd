/** Folders that cannot be written to, disks that are full: real ones where this machine can offer them. */
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { fileError, requireSpace } from '../../lib/native/disk';
import { problemOf } from '../../lib/native/files';
import { installRuntime } from '../../lib/native/install';
import { fakeWheel, PLATFORM, WHEEL_FILE } from '../helpers/fake-wheel';
import type { ChildTask } from '../helpers/install-child';
import { cleanScratchAfterEach, scratch, tree } from '../helpers/scratch';

cleanScratchAfterEach();

const REGISTER = join(__dirname, '../helpers/register-swc.cjs');
const CHILD = join(__dirname, '../helpers/install-child.ts');

function bench(cache: string): {
  readonly task: ChildTask;
  readonly install: () => Promise<unknown>;
} {
  const fake = fakeWheel();
  const root = scratch();
  const wheel = join(root, WHEEL_FILE);
  const pinFile = join(root, 'pin.json');
  writeFileSync(wheel, fake.wheel);
  writeFileSync(pinFile, JSON.stringify(fake.pin));
  chmodSync(root, 0o755);
  const env = { XDG_CACHE_HOME: cache };
  return {
    task: { cache, wheel, pinFile },
    install: () => installRuntime({ platform: PLATFORM, pin: fake.pin, env, wheel }),
  };
}

/** The last line of an installation that a shell command starts in surroundings of its own. */
function inShell(before: string, task: ChildTask): string {
  const script = `${before} && exec "$0" --require "$1" "$2" "$3"`;
  const { stdout, stderr } = spawnSync(
    'unshare',
    ['--mount', 'sh', '-c', script, process.execPath, REGISTER, CHILD, JSON.stringify(task)],
    { encoding: 'utf8' },
  );
  return (stdout || stderr).trimEnd().split('\n').at(-1)!;
}

/** Mounting needs a right that not every container gives; without it the same codes are tested by their errno below. */
const mayMount =
  spawnSync('unshare', ['--mount', 'sh', '-c', 'mount -t tmpfs tmpfs /mnt']).status === 0;
const withMounts = mayMount ? test : test.skip;

describe('a cache that cannot be written to', () => {
  test('because a file is in place of a folder', async () => {
    const file = join(scratch(), 'file');
    writeFileSync(file, '');
    await expect(bench(file).install()).rejects.toMatchObject({
      code: 'TFE_CACHE_UNUSABLE',
      message: expect.stringContaining(`${file} is not a folder`),
      hint: expect.stringMatching(/XDG_CACHE_HOME.*TFE_NODE_RUNTIME/u),
    });
  });

  withMounts('because its file system is read-only', () => {
    const folder = scratch();
    const last = inShell(`mount -t tmpfs -o ro tmpfs ${folder}`, bench(folder).task);
    expect(last).toMatch(/^error TFE_CACHE_READ_ONLY: .* is on a read-only file system/u);
  });

  test('because the user has no right to', () => {
    const folder = scratch();
    mkdirSync(join(folder, 'cache'));
    chmodSync(folder, 0o755);
    chmodSync(join(folder, 'cache'), 0o555);
    const { task } = bench(join(folder, 'cache'));
    // Root may write anywhere, so that it becomes nobody for this.
    const nobody = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {};
    const { stdout, stderr } = spawnSync(
      process.execPath,
      ['--require', REGISTER, CHILD, JSON.stringify(task)],
      { encoding: 'utf8', ...nobody },
    );
    expect(stdout + stderr).toMatch(
      /error TFE_CACHE_FORBIDDEN: This user may not write to .*cache.* \(permission denied\)/u,
    );
  });

  withMounts(
    'because another disk is mounted in its place, which is said before the work starts',
    () => {
      const folder = scratch();
      const target = join(folder, 'tfe-node/2.21.0', PLATFORM);
      mkdirSync(target, { recursive: true });
      const last = inShell(`mount -t tmpfs -o size=16m tmpfs ${target}`, bench(folder).task);
      expect(last).toMatch(
        /^error TFE_CACHE_UNUSABLE: .*\(a file system is mounted there; name a folder inside it\)/u,
      );
    },
  );

  withMounts('because its disk is full, which is said before the work starts', () => {
    const folder = scratch();
    const last = inShell(`mount -t tmpfs -o size=64k tmpfs ${folder}`, bench(folder).task);
    expect(last).toMatch(
      /^error TFE_DISK_FULL: The disk that holds .* has too little free space: \d+ bytes are needed, \d+ bytes are free\./u,
    );
    expect(tree(folder)).toEqual([]);
  });
});

describe('requireSpace', () => {
  test('asks the disk', async () => {
    await expect(requireSpace(scratch(), 1)).resolves.toBeUndefined();
    await expect(requireSpace(scratch(), Number.MAX_SAFE_INTEGER)).rejects.toMatchObject({
      code: 'TFE_DISK_FULL',
    });
  });

  test('lets a disk pass that does not say', async () => {
    await expect(requireSpace('/nowhere/at/all', 1)).resolves.toBeUndefined();
  });
});

describe("the file system's refusals", () => {
  const refusal = (code: string): Error =>
    Object.assign(new Error(`${code}: the reason, open '/a/b'`), { code });

  test.each([
    ['ENOSPC', 'TFE_DISK_FULL'],
    ['EDQUOT', 'TFE_DISK_FULL'],
    ['EROFS', 'TFE_CACHE_READ_ONLY'],
    ['EACCES', 'TFE_CACHE_FORBIDDEN'],
    ['EPERM', 'TFE_CACHE_FORBIDDEN'],
    ['ENOTDIR', 'TFE_CACHE_UNUSABLE'],
    ['ENAMETOOLONG', 'TFE_CACHE_UNUSABLE'],
    ['EIO', 'TFE_CACHE_UNUSABLE'],
  ])('%s becomes %s, with the path and the way out', (errno, code) => {
    const cause = refusal(errno);
    expect(fileError(cause, '/a/b', 10)).toMatchObject({
      code,
      message: expect.stringContaining('/a/b'),
      hint: expect.stringContaining('XDG_CACHE_HOME'),
      cause,
    });
  });

  test('stay what they are when they are typed already, or no refusal at all', () => {
    const typed = fileError(refusal('EROFS'), '/a');
    expect(fileError(typed, '/b')).toBe(typed);
    const bug = new TypeError('x is not a function');
    expect(fileError(bug, '/a')).toBe(bug);
  });

  test('are quoted without what the message says anyway', () => {
    expect(problemOf(refusal('EACCES'))).toBe('the reason');
    expect(problemOf(new Error('something else'))).toBe('something else');
  });
});
