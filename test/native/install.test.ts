/** Installing from a wheel: what is checked, what is refused, and what is left when it is. */
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import fsPromises from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { describe, expect, jest, test } from '@jest/globals';
import {
  installRuntime,
  removeRuntime,
  type InstallOptions,
  type InstallResult,
} from '../../lib/native/install';
import { locateRuntime } from '../../lib/native/locate';
import type { Pin } from '../../lib/native/pin';
import {
  CC,
  elfImage,
  fakeWheel,
  FRAMEWORK,
  PLATFORM,
  sha256,
  WHEEL_FILE,
  type FakeWheel,
} from '../helpers/fake-wheel';
import { NO_FILE, NO_FILES } from '../helpers/no-file';
import { cleanScratchAfterEach, scratch, tree } from '../helpers/scratch';
import type { ZipEntry } from '../helpers/zip';

cleanScratchAfterEach();

const INSTALLED = ['LICENSE', 'THIRD_PARTY_NOTICES.txt', CC, FRAMEWORK, 'manifest.json'];

interface Bench {
  readonly cache: string;
  /** Where the copy has to appear. */
  readonly target: string;
  readonly wheel: string;
  readonly pin: Pin;
  readonly install: (options?: InstallOptions) => Promise<InstallResult>;
}

/** A cache, and a wheel file beside it. */
function bench(fake: FakeWheel = fakeWheel(), content: Buffer = fake.wheel): Bench {
  const root = scratch();
  const cache = join(root, 'cache');
  const wheel = join(root, WHEEL_FILE);
  writeFileSync(wheel, content);
  const { pin } = fake;
  return {
    cache,
    target: join(cache, 'tfe-node/2.21.0', PLATFORM),
    wheel,
    pin,
    install: (options) =>
      installRuntime({
        platform: PLATFORM,
        pin,
        wheel,
        env: { XDG_CACHE_HOME: cache },
        ...options,
      }),
  };
}

/** The files under the cache; an installation that failed leaves none, not even a staging folder. */
function leftovers(cache: string): string[] {
  if (!existsSync(cache)) return [];
  return tree(cache).filter((path) => !path.endsWith('/') || path.includes('staging'));
}

function staged(cache: string): string[] {
  return tree(cache).filter((path) => path.includes('staging'));
}

describe('installing from a wheel', () => {
  test('leaves the two libraries, the licence texts and a manifest, and nothing else', async () => {
    const fake = fakeWheel();
    const { cache, target, install } = bench(fake);
    const { outcome, location } = await install();

    expect(outcome).toBe('installed');
    expect(location).toMatchObject({
      directory: target,
      ccPath: join(target, CC),
      frameworkPath: join(target, FRAMEWORK),
      version: '2.21.0',
      variant: 'cpu',
      platform: PLATFORM,
      source: 'cache',
      evidence: 'manifest',
      notice: null,
    });
    expect(tree(cache).filter((path) => !path.endsWith('/'))).toEqual(
      INSTALLED.map((name) => `tfe-node/2.21.0/${PLATFORM}/${name}`),
    );
    for (const [name, content] of Object.entries(fake.content)) {
      expect(readFileSync(join(target, name)).equals(content)).toBe(true);
    }
  });

  test('records of each file what a later load compares', async () => {
    const { target, wheel, install } = bench();
    const { manifest } = (await install()).location;
    const stats = statSync(join(target, CC));
    expect(manifest).toMatchObject({
      schema: 1,
      tensorflow: '2.21.0',
      platform: PLATFORM,
      variant: 'cpu',
      origin: 'install',
      wheelSha256: sha256(readFileSync(wheel)),
    });
    expect(manifest?.files.map(({ name }) => name).sort()).toEqual(
      INSTALLED.filter((name) => name !== 'manifest.json').sort(),
    );
    expect(manifest?.files.find(({ name }) => name === CC)).toMatchObject({
      size: stats.size,
      inode: String(stats.ino),
      sha256: sha256(readFileSync(join(target, CC))),
    });
  });

  test('says its steps in order', async () => {
    const steps: string[] = [];
    await bench().install({
      report: (event) => {
        if (event.step === 'progress') return;
        steps.push(event.step === 'extract' ? `extract ${event.file}` : event.step);
      },
    });
    expect(steps).toEqual([
      'check',
      'stage',
      'hash',
      `extract ${FRAMEWORK}`,
      `extract ${CC}`,
      'extract LICENSE',
      'extract THIRD_PARTY_NOTICES.txt',
      'seal',
      'placed',
    ]);
  });

  test('gives another variant a folder of its own', async () => {
    const { cache, install } = bench(fakeWheel({ variant: 'cuda' }));
    const { location } = await install({ variant: 'cuda' });
    expect(location).toMatchObject({
      directory: join(cache, 'tfe-node/2.21.0', `${PLATFORM}-cuda`),
      variant: 'cuda',
    });
  });

  test('installs into the folder that TFE_NODE_RUNTIME names', async () => {
    const { install } = bench();
    const folder = join(scratch(), 'opt', 'tensorflow');
    const env = { TFE_NODE_RUNTIME: folder };
    const { location } = await install({ env });
    expect(location).toMatchObject({ directory: folder, source: 'env', evidence: 'manifest' });
    expect(tree(folder)).toEqual(INSTALLED);
  });
});

describe('a wheel that is not the pinned one', () => {
  test('is refused by its size when it was cut short', async () => {
    const fake = fakeWheel();
    const { cache, install } = bench(fake, fake.wheel.subarray(0, 1000));
    await expect(install()).rejects.toMatchObject({
      code: 'TFE_WHEEL_SIZE',
      message: expect.stringContaining(`has 1000 bytes, but ${WHEEL_FILE} has`),
    });
    expect(leftovers(cache)).toEqual([]);
  });

  test('is refused by its hash when its content was changed', async () => {
    const fake = fakeWheel();
    const altered = Buffer.from(fake.wheel);
    altered[500]! ^= 1;
    const { cache, install } = bench(fake, altered);
    await expect(install()).rejects.toMatchObject({
      code: 'TFE_WHEEL_HASH',
      facts: { sha256: sha256(altered), expected: sha256(fake.wheel) },
    });
    expect(leftovers(cache)).toEqual([]);
  });

  test('is named when it is another published wheel', async () => {
    const fake = fakeWheel();
    const { install } = bench(fake, Buffer.alloc(77));
    await expect(install()).rejects.toMatchObject({
      code: 'TFE_WHEEL_SIZE',
      message: expect.stringMatching(/looks like \S+win_amd64\.whl, which does not serve/u),
    });
  });

  test.each<readonly [string, RegExp, (path: string) => void]>([
    ['does not exist', /no such file/u, () => undefined],
    ...NO_FILES.map(([what, make]) => [`is ${what}`, NO_FILE, make] as const),
  ])('is refused when the file %s', async (_what, problem, make) => {
    const { cache, install } = bench();
    const wheel = join(scratch(), 'none.whl');
    make(wheel);
    await expect(install({ wheel })).rejects.toMatchObject({
      code: 'TFE_WHEEL_UNREADABLE',
      message: expect.stringMatching(problem),
    });
    expect(leftovers(cache)).toEqual([]);
  });
});

/** Archives whose hash is pinned, so that the checks behind the hash are reached. */
describe('a hostile archive', () => {
  const replace =
    (name: string, change: Partial<ZipEntry>) =>
    (entries: readonly ZipEntry[]): readonly ZipEntry[] =>
      entries.map((entry) => (entry.name === name ? { ...entry, ...change } : entry));
  const cc = `tensorflow/${CC}`;

  async function refused(fake: FakeWheel): Promise<unknown> {
    const { cache, install } = bench(fake);
    const error = await install().then(
      () => new Error('it was installed'),
      (reason: unknown) => reason,
    );
    expect(leftovers(cache)).toEqual([]);
    return error;
  }

  test.each([
    ['/etc/cron.d/x', 'is an absolute path'],
    ['../x', "holds '..'"],
    ['tensorflow/../../x', "holds '..'"],
    ['C:/x', 'begins with a drive letter'],
    ['c:x', 'begins with a drive letter'],
    ['tensorflow\\..\\x', 'holds a backslash'],
    ['\\\\server\\share', 'holds a backslash'],
    ['tensorflow/a\0b', 'holds a NUL character'],
  ])('is refused for the entry %j, although it is not wanted', async (name, problem) => {
    const fake = fakeWheel({
      entries: (entries) => [...entries, { name, data: Buffer.from('x') }],
    });
    expect(await refused(fake)).toMatchObject({
      code: 'TFE_WHEEL_ENTRY_ESCAPES',
      facts: { entry: name, problem },
    });
  });

  test.each([
    ['a symbolic link', { mode: 0o120777, data: Buffer.from('/etc/passwd') }, /symbolic link/u],
    ['a device', { mode: 0o020644 }, /not a regular file/u],
    ['an encrypted entry', { encrypted: true }, /encrypted/u],
    ['an unknown packing', { declaredMethod: 99 }, /unknown method 99/u],
    ['a declared size that is not pinned', { declaredSize: 299_999 }, /declares 299999 bytes/u],
    ['more content than declared', { data: elfImage(900_000, 'x'), declaredSize: 300_000 }, /./u],
    ['less content than declared', { data: elfImage(1_000, 'x'), declaredSize: 300_000 }, /./u],
    ['other content of the right size', { data: elfImage(300_000, 'other') }, /SHA-256/u],
  ] as const)('is refused for %s in place of a library', async (_what, change, message) => {
    expect(await refused(fakeWheel({ entries: replace(cc, change) }))).toMatchObject({
      code: expect.stringMatching(/^TFE_WHEEL_(?:ENTRY_INVALID|ENTRY_HASH|UNREADABLE)$/u),
      message: expect.stringMatching(message),
    });
  });

  test('is refused as any other when it fails before its target is open', async () => {
    // Slow as a busy disk is: the entry's own error has long been there when the file to write to is.
    const { open } = fsPromises;
    const slow = jest.spyOn(fsPromises, 'open').mockImplementation(async (path, flags, mode) => {
      const handle = await open(path, flags, mode);
      if (flags === 'wx') await setTimeout(50);
      return handle;
    });
    try {
      const short = replace(cc, { data: elfImage(1_000, 'x'), declaredSize: 300_000 });
      expect(await refused(fakeWheel({ entries: short }))).toMatchObject({
        code: 'TFE_WHEEL_UNREADABLE',
        message: expect.stringMatching(/not enough bytes/u),
      });
      expect(slow.mock.calls.some(([, flags]) => flags === 'wx')).toBe(true);
    } finally {
      slow.mockRestore();
    }
  });

  test('never writes more bytes than pinned', async () => {
    // 64 MB of zeros in 64 kB of archive, declared as the pinned size.
    const bomb = replace(cc, { data: Buffer.alloc(64 << 20), declaredSize: 300_000 });
    const fake = fakeWheel({ entries: bomb });
    const { install, cache } = bench(fake);
    let written = 0;
    const report: InstallOptions['report'] = (event) => {
      if (event.step === 'progress') written = Math.max(written, event.done);
    };
    await expect(install({ report })).rejects.toMatchObject({ phase: 'install' });
    expect(written).toBeLessThanOrEqual(Math.max(300_000, fake.wheel.length));
    expect(leftovers(cache)).toEqual([]);
  });

  test('is refused when a library is in it twice', async () => {
    const twice = fakeWheel({
      entries: (entries) => [...entries, { name: cc, data: elfImage(300_000, 'second') }],
    });
    expect(await refused(twice)).toMatchObject({
      code: 'TFE_WHEEL_ENTRY_INVALID',
      facts: { entry: cc, problem: 'is there twice' },
    });
  });

  test('is refused when a library is not in it', async () => {
    const without = fakeWheel({ entries: (all) => all.filter(({ name }) => name !== cc) });
    expect(await refused(without)).toMatchObject({
      code: 'TFE_WHEEL_ENTRY_INVALID',
      facts: { entry: cc, problem: 'is not in it' },
    });
  });

  test.each([
    ['no zip archive', (): Buffer => Buffer.from('<html>not found</html>')],
    ['cut short', (whole: Buffer): Buffer => whole.subarray(0, whole.length - 400)],
    ['without its first half', (whole: Buffer): Buffer => whole.subarray(whole.length >> 1)],
    [
      'damaged in a packed library',
      (whole: Buffer): Buffer => {
        const copy = Buffer.from(whole);
        copy.fill(0xff, 200_000, 200_200);
        return copy;
      },
    ],
  ])('is refused when it is %s', async (_what, bytes) => {
    expect(await refused(fakeWheel({ bytes }))).toMatchObject({
      code: expect.stringMatching(/^TFE_WHEEL_(?:UNREADABLE|ENTRY_INVALID|ENTRY_HASH)$/u),
    });
  });
});

describe('installing over what is there', () => {
  test('does nothing when a good copy is there', async () => {
    const { target, install } = bench();
    await install();
    const before = statSync(join(target, CC)).ino;
    // The wheel is not even looked at.
    const { outcome } = await install({ wheel: '/nowhere.whl' });
    expect(outcome).toBe('present');
    expect(statSync(join(target, CC)).ino).toBe(before);
  });

  test('replaces a good copy with --force', async () => {
    const { cache, target, install } = bench();
    await install();
    const before = statSync(target).ino;
    expect((await install({ force: true })).outcome).toBe('installed');
    expect(statSync(target).ino).not.toBe(before);
    expect(staged(cache)).toEqual([]);
  });

  test('replaces a copy with a wrong library', async () => {
    const { target, pin, cache, install } = bench();
    await install();
    writeFileSync(join(target, CC), 'no library');
    expect((await install()).outcome).toBe('installed');
    expect(locateRuntime({ pin, platform: PLATFORM, env: { XDG_CACHE_HOME: cache } }).ccPath).toBe(
      join(target, CC),
    );
    expect(staged(cache)).toEqual([]);
  });

  test('replaces a copy of another TensorFlow version', async () => {
    const { target, install } = bench();
    await install();
    const manifest = join(target, 'manifest.json');
    writeFileSync(manifest, readFileSync(manifest, 'utf8').replace('2.21.0', '2.20.0'));
    expect((await install()).outcome).toBe('installed');
  });

  test.each([
    ['its files were copied', (target: string) => utimesSync(join(target, CC), 1, 1)],
    ['its manifest is missing', (target: string) => rmSync(join(target, 'manifest.json'))],
    [
      'its manifest is corrupt',
      (target: string) => writeFileSync(join(target, 'manifest.json'), '{"schema": 1'),
    ],
  ])('fetches nothing when the files are right and only %s', async (_what, damage) => {
    const { target, pin, cache, install } = bench();
    await install();
    const before = statSync(target).ino;
    damage(target);
    const { outcome } = await install({ wheel: '/nowhere.whl' });
    expect(outcome).toBe('recorded');
    expect(statSync(target).ino).toBe(before);
    expect(
      locateRuntime({ pin, platform: PLATFORM, env: { XDG_CACHE_HOME: cache } }).manifest?.origin,
    ).toBe('install');
  });

  test('replaces an empty folder', async () => {
    const { target, install } = bench();
    mkdirSync(target, { recursive: true });
    expect((await install()).outcome).toBe('installed');
  });

  test('refuses a folder with a file that is not ours, and leaves it', async () => {
    const { target, install } = bench();
    mkdirSync(target, { recursive: true });
    writeFileSync(join(target, 'thesis.tex'), 'ten years');
    await expect(install()).rejects.toMatchObject({
      code: 'TFE_RUNTIME_FOREIGN',
      message: expect.stringContaining('it holds thesis.tex'),
    });
    await expect(install({ force: true })).rejects.toMatchObject({ code: 'TFE_RUNTIME_FOREIGN' });
    expect(readFileSync(join(target, 'thesis.tex'), 'utf8')).toBe('ten years');
  });

  test('refuses a Python package that TFE_NODE_RUNTIME names when its libraries are others', async () => {
    const { install } = bench();
    const folder = scratch();
    writeFileSync(join(folder, CC), elfImage(1234, 'other'));
    writeFileSync(join(folder, FRAMEWORK), elfImage(1234, 'other'));
    const env = { TFE_NODE_RUNTIME: folder };
    await expect(install({ env })).rejects.toMatchObject({ code: 'TFE_RUNTIME_FOREIGN' });
    expect(tree(folder)).toEqual([CC, FRAMEWORK]);
  });

  test('records a Python package that TFE_NODE_RUNTIME names when its libraries are the pinned ones', async () => {
    const fake = fakeWheel();
    const { install } = bench(fake);
    const folder = scratch();
    for (const name of [CC, FRAMEWORK]) writeFileSync(join(folder, name), fake.content[name]!);
    writeFileSync(join(folder, '__init__.py'), '');
    const { outcome, location } = await install({ env: { TFE_NODE_RUNTIME: folder } });
    expect(outcome).toBe('recorded');
    expect(location.manifest?.origin).toBe('verify');
    // And still does not take it for its own.
    await expect(install({ env: { TFE_NODE_RUNTIME: folder }, force: true })).rejects.toMatchObject(
      { code: 'TFE_RUNTIME_FOREIGN' },
    );
  });

  test('follows a cache folder that is a link', async () => {
    const { cache, install } = bench();
    const elsewhere = join(scratch(), 'big-disk');
    mkdirSync(elsewhere);
    symlinkSync(elsewhere, cache);
    const { location } = await install();
    expect(location.directory).toBe(join(elsewhere, 'tfe-node/2.21.0', PLATFORM));
  });

  test.each([
    ['an empty folder', (path: string) => void mkdirSync(path, { recursive: true })],
    ['nothing yet', () => undefined],
  ])('follows a link to %s, in place of the folder itself', async (_what, make) => {
    const { install, pin } = bench();
    const root = scratch();
    const link = join(root, 'tensorflow');
    const disk = join(root, 'big/disk');
    make(disk);
    symlinkSync(disk, link);
    const env = { TFE_NODE_RUNTIME: link };
    const { location } = await install({ env });
    expect(location.directory).toBe(disk);
    expect(lstatSync(link).isSymbolicLink()).toBe(true);
    expect(await install({ env })).toMatchObject({ outcome: 'present' });
    expect(await removeRuntime({ platform: PLATFORM, pin, env })).toMatchObject({
      directory: disk,
      outcome: 'removed',
    });
    expect(existsSync(disk)).toBe(false);
  });
});

describe('removing', () => {
  const removal = ({ cache, pin }: Bench) => ({
    platform: PLATFORM,
    pin,
    env: { XDG_CACHE_HOME: cache },
  });

  test('removes the folder that an installation made', async () => {
    const made = bench();
    await made.install();
    expect(await removeRuntime(removal(made))).toMatchObject({
      directory: made.target,
      outcome: 'removed',
    });
    expect(leftovers(made.cache)).toEqual([]);
    expect(await removeRuntime(removal(made))).toMatchObject({ outcome: 'absent' });
  });

  test('is done once by several at the same time', async () => {
    for (let times = 0; times < 20; times += 1) {
      const made = bench();
      await made.install();
      const results = await Promise.all(
        Array.from({ length: 5 }, () => removeRuntime(removal(made))),
      );
      const removed = results.filter(({ outcome }) => outcome === 'removed');
      expect(removed).toHaveLength(1);
      expect(leftovers(made.cache)).toEqual([]);
    }
  });

  test('refuses a folder without our manifest', async () => {
    const made = bench();
    await made.install();
    rmSync(join(made.target, 'manifest.json'));
    await expect(removeRuntime(removal(made))).rejects.toMatchObject({
      code: 'TFE_RUNTIME_FOREIGN',
      message: expect.stringContaining('it has no manifest.json'),
    });
    expect(existsSync(join(made.target, CC))).toBe(true);
  });

  test('refuses a folder into which something else was put', async () => {
    const made = bench();
    await made.install();
    writeFileSync(join(made.target, 'notes.txt'), 'mine');
    await expect(removeRuntime(removal(made))).rejects.toMatchObject({
      code: 'TFE_RUNTIME_FOREIGN',
    });
    expect(tree(made.target)).toContain('notes.txt');
  });

  test('takes only its manifest from a folder that it had not filled', async () => {
    const fake = fakeWheel();
    const made = bench(fake);
    const folder = scratch();
    for (const name of [CC, FRAMEWORK]) writeFileSync(join(folder, name), fake.content[name]!);
    const env = { TFE_NODE_RUNTIME: folder };
    await made.install({ env });
    expect(tree(folder)).toContain('manifest.json');
    expect(await removeRuntime({ ...removal(made), env })).toMatchObject({ outcome: 'forgotten' });
    expect(tree(folder)).toEqual([CC, FRAMEWORK]);
  });
});

describe('an interrupt', () => {
  test.each(['stage', 'hash', 'extract', 'seal'])(
    'at the step %s ends the installation and leaves nothing',
    async (step) => {
      const { cache, install } = bench();
      const controller = new AbortController();
      const report: InstallOptions['report'] = (event) => {
        if (event.step === step) controller.abort();
      };
      await expect(install({ report, signal: controller.signal })).rejects.toMatchObject({
        code: 'TFE_INSTALL_INTERRUPTED',
      });
      expect(leftovers(cache)).toEqual([]);
    },
  );
});
