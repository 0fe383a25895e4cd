/** Finding the installed library at load: every fact that can fail has its own code. */
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { imageProblem } from '../../lib/native/image';
import { installRuntime } from '../../lib/native/install';
import { locateRuntime, type LocateOptions } from '../../lib/native/locate';
import { cacheRoot, runtimePlace, verifiesFully } from '../../lib/native/paths';
import type { Pin } from '../../lib/native/pin';
import { verifyRuntime } from '../../lib/native/verify';
import {
  CC,
  elfImage,
  fakeWheel,
  FRAMEWORK,
  PLATFORM,
  WHEEL_FILE,
  type FakeWheel,
} from '../helpers/fake-wheel';
import { testPrograms } from '../helpers/child';
import { NO_FILE, NO_FILES } from '../helpers/no-file';
import { cleanScratchAfterEach, scratch, tree } from '../helpers/scratch';

cleanScratchAfterEach();

const { folder } = testPrograms();

let fake: FakeWheel;
let pin: Pin;
let target: string;
let env: Record<string, string>;

beforeEach(async () => {
  const root = scratch();
  fake = fakeWheel();
  ({ pin } = fake);
  env = { XDG_CACHE_HOME: join(root, 'cache') };
  const wheel = join(root, WHEEL_FILE);
  writeFileSync(wheel, fake.wheel);
  const { location } = await installRuntime({ platform: PLATFORM, pin, env, wheel });
  target = location.directory;
});

function locate(options: LocateOptions = {}): ReturnType<typeof locateRuntime> {
  return locateRuntime({ platform: PLATFORM, pin, env, ...options });
}

function code(expected: string, message = /./u): unknown {
  return expect.objectContaining({
    code: expected,
    phase: 'install',
    message: expect.stringMatching(message),
  });
}

function editManifest(change: (manifest: Record<string, unknown>) => void): void {
  const path = join(target, 'manifest.json');
  const manifest = JSON.parse(readFileSync(path, 'utf8')) as Record<string, unknown>;
  change(manifest);
  writeFileSync(path, JSON.stringify(manifest));
}

describe('where the library lies', () => {
  test.each([
    ['an absolute XDG_CACHE_HOME', { XDG_CACHE_HOME: '/var/cache/' }, '/var/cache/tfe-node'],
    ['none', {}, '/home/ada/.cache/tfe-node'],
    ['an empty one', { XDG_CACHE_HOME: '' }, '/home/ada/.cache/tfe-node'],
    [
      'a relative one, which XDG says to ignore',
      { XDG_CACHE_HOME: 'cache' },
      '/home/ada/.cache/tfe-node',
    ],
  ])('with %s', (_what, environment, expected) => {
    expect(cacheRoot(environment, '/home/ada')).toBe(expected);
  });

  test.each([
    ['', ''],
    ['home', 'home'],
    [undefined, ''],
  ])('is said to be unknown where HOME is %p', (home, value) => {
    // A user whom no file lists has no home folder.
    const script = `
        ${home === undefined ? "require('node:os').homedir = () => { throw new Error('ENOENT'); };" : ''}
        const { cacheRoot } = require(${JSON.stringify(join(folder, 'lib/native/paths'))});
        console.log(cacheRoot({ XDG_CACHE_HOME: '/var/cache' }));
        try { cacheRoot({}); } catch ({ code, message, facts }) { console.log(code, message, facts.value); }`;
    const { stdout } = spawnSync(process.execPath, ['-e', script], {
      encoding: 'utf8',
      env: home === undefined ? {} : { HOME: home },
    });
    expect(stdout).toMatch(
      new RegExp(
        `^/var/cache/tfe-node\nTFE_RUNTIME_ENVIRONMENT HOME is "${value}".* Set HOME, or XDG_CACHE_HOME .* ${value}\n$`,
        'u',
      ),
    );
  });

  test('is one folder per version, platform and variant', () => {
    const where = (variant: 'cpu' | 'cuda') =>
      runtimePlace('linux-x86_64', variant, {}, '/home/ada').directory;
    expect(where('cpu')).toBe('/home/ada/.cache/tfe-node/2.21.0/linux-x86_64');
    expect(where('cuda')).toBe('/home/ada/.cache/tfe-node/2.21.0/linux-x86_64-cuda');
  });

  test('is the folder itself that TFE_NODE_RUNTIME names', () => {
    for (const named of ['/opt/tensorflow', '/opt/tensorflow/', '/opt/x/../tensorflow//']) {
      expect(runtimePlace('linux-x86_64', 'cpu', { TFE_NODE_RUNTIME: named })).toEqual({
        directory: '/opt/tensorflow',
        source: 'env',
      });
    }
    expect(runtimePlace('linux-x86_64', 'cpu', { TFE_NODE_RUNTIME: '' }).source).toBe('cache');
  });

  test('is refused when TFE_NODE_RUNTIME is relative', () => {
    expect(() => runtimePlace('linux-x86_64', 'cpu', { TFE_NODE_RUNTIME: 'lib' })).toThrow(
      code('TFE_RUNTIME_ENVIRONMENT', /TFE_NODE_RUNTIME is "lib", but must be the absolute path/u),
    );
  });

  test('is verified fully only on request, and a misspelt request is no silent no', () => {
    expect(verifiesFully({})).toBe(false);
    expect(verifiesFully({ TFE_NODE_VERIFY: '' })).toBe(false);
    expect(verifiesFully({ TFE_NODE_VERIFY: 'full' })).toBe(true);
    expect(() => verifiesFully({ TFE_NODE_VERIFY: 'yes' })).toThrow(
      code('TFE_RUNTIME_ENVIRONMENT', /TFE_NODE_VERIFY is "yes"/u),
    );
  });
});

describe('a good copy', () => {
  test('is located with its paths and what vouches for it', () => {
    expect(locate()).toEqual({
      directory: target,
      ccPath: join(target, CC),
      frameworkPath: join(target, FRAMEWORK),
      version: '2.21.0',
      variant: 'cpu',
      platform: PLATFORM,
      source: 'cache',
      evidence: 'manifest',
      notice: null,
      manifest: expect.objectContaining({ tensorflow: '2.21.0' }),
    });
    expect(locate({ env: { ...env, TFE_NODE_VERIFY: 'full' } }).evidence).toBe('hash');
  });

  test('has a canonical path, so that it can be compared with what is mapped', () => {
    const link = join(scratch(), 'link');
    symlinkSync(env['XDG_CACHE_HOME']!, link);
    expect(locate({ env: { XDG_CACHE_HOME: link } }).ccPath).toBe(join(target, CC));
  });

  test('may get a second name and be made read-only', () => {
    linkSync(join(target, CC), join(scratch(), 'second-name'));
    chmodSync(join(target, CC), 0o444);
    expect(locate().evidence).toBe('manifest');
  });

  test('keeps its place under another name of the same folder', () => {
    const moved = `${target}-moved`;
    renameSync(target, moved);
    expect(locate({ env: { TFE_NODE_RUNTIME: moved } })).toMatchObject({
      directory: moved,
      source: 'env',
      evidence: 'manifest',
    });
  });
});

describe('what is refused', () => {
  test('nothing installed', () => {
    rmSync(target, { recursive: true });
    expect(() => locate()).toThrow(
      code('TFE_RUNTIME_NOT_INSTALLED', /Run `npx tfe-node runtime install`\.$/u),
    );
  });

  test('nothing in the folder that TFE_NODE_RUNTIME names, which is said', () => {
    expect(() => locate({ env: { TFE_NODE_RUNTIME: '/nowhere/at/all' } })).toThrow(
      code(
        'TFE_RUNTIME_NOT_INSTALLED',
        /no folder \/nowhere\/at\/all, which TFE_NODE_RUNTIME names/u,
      ),
    );
  });

  test('a variant that is not installed, with the command for it', () => {
    const both = { ...pin, artefacts: { ...pin.artefacts, cuda: pin.artefacts.cpu! } };
    expect(() => locate({ variant: 'cuda', pin: both })).toThrow(
      code('TFE_RUNTIME_NOT_INSTALLED', /install --variant cuda`/u),
    );
  });

  test('a variant that does not exist', () => {
    expect(() => locate({ variant: 'cuda' })).toThrow(code('TFE_VARIANT_UNAVAILABLE'));
  });

  test('a file in place of the folder', () => {
    rmSync(target, { recursive: true });
    writeFileSync(target, '');
    expect(() => locate()).toThrow(code('TFE_CACHE_UNUSABLE', /it is not a folder/u));
  });

  test('a folder that holds another TensorFlow version', () => {
    editManifest((manifest) => (manifest['tensorflow'] = '2.20.0'));
    expect(() => locate()).toThrow(
      code(
        'TFE_RUNTIME_OTHER_VERSION',
        /holds TensorFlow 2\.20\.0, but .* works with 2\.21\.0 only/u,
      ),
    );
  });

  test('a folder that holds the library of another platform', () => {
    editManifest((manifest) => (manifest['platform'] = 'linux-aarch64'));
    expect(() => locate()).toThrow(code('TFE_RUNTIME_OTHER_PLATFORM', /for linux-aarch64/u));
  });

  test('a folder that holds another variant', () => {
    editManifest((manifest) => (manifest['variant'] = 'cuda'));
    expect(() => locate()).toThrow(code('TFE_RUNTIME_OTHER_VARIANT', /holds the variant 'cuda'/u));
  });

  test('a folder without a manifest', () => {
    rmSync(join(target, 'manifest.json'));
    expect(() => locate()).toThrow(code('TFE_RUNTIME_MANIFEST_MISSING'));
  });

  test.each([
    ['no JSON', () => writeFileSync(join(target, 'manifest.json'), '{'), /it is not JSON/u],
    [
      'of another schema',
      () => editManifest((manifest) => (manifest['schema'] = 2)),
      /not a manifest of this version \(schema/u,
    ],
    [
      'without a library',
      () => editManifest((manifest) => (manifest['files'] = [])),
      /does not list libtensorflow_framework/u,
    ],
    [
      'with a hash that is not pinned',
      () =>
        editManifest((manifest) => {
          for (const file of manifest['files'] as { sha256: string }[])
            file.sha256 = '0'.repeat(64);
        }),
      /is not what is pinned/u,
    ],
    [
      'a folder',
      () => {
        rmSync(join(target, 'manifest.json'));
        mkdirSync(join(target, 'manifest.json'));
      },
      /it is not a regular file/u,
    ],
    [
      'larger than any',
      () => writeFileSync(join(target, 'manifest.json'), ' '.repeat((1 << 20) + 1)),
      /it has 1048577 bytes, more than/u,
    ],
  ])('a manifest that is %s', (_what, damage, message) => {
    damage();
    expect(() => locate()).toThrow(code('TFE_RUNTIME_MANIFEST_CORRUPT', message));
  });

  test.each([CC, FRAMEWORK])('a missing %s', (name) => {
    rmSync(join(target, name));
    expect(() => locate()).toThrow(code('TFE_RUNTIME_LIBRARY_MISSING', new RegExp(name, 'u')));
  });

  test('a library whose size changed', () => {
    truncateSync(join(target, CC), 299_999);
    expect(() => locate()).toThrow(
      code('TFE_RUNTIME_CHANGED', /its size was 300000 and is 299999/u),
    );
  });

  test('a library that was replaced by a copy: another inode', () => {
    const path = join(target, CC);
    copyFileSync(path, `${path}.copy`);
    renameSync(`${path}.copy`, path);
    expect(() => locate()).toThrow(code('TFE_RUNTIME_CHANGED', /its inode was/u));
  });

  test('a library that was written to: another modification time', () => {
    utimesSync(join(target, CC), 1, 1);
    expect(() => locate()).toThrow(
      code('TFE_RUNTIME_CHANGED', /modification time .* and is 1970-01-01T00:00:01\.000Z/u),
    );
  });

  test('a library of other content behind the same stamps, when every load hashes', async () => {
    const path = join(target, CC);
    // A whole second, so that it can be set again exactly.
    utimesSync(path, 1_000_000, 1_000_000);
    await verifyRuntime({ platform: PLATFORM, pin, env });
    const content = readFileSync(path);
    content[1000]! ^= 1;
    writeFileSync(path, content);
    utimesSync(path, 1_000_000, 1_000_000);

    // So a load does not read the content ...
    expect(locate().evidence).toBe('manifest');
    // ... unless it is asked to.
    expect(() => locate({ env: { ...env, TFE_NODE_VERIFY: 'full' } })).toThrow(
      code('TFE_RUNTIME_HASH', /its content is not that of the published library/u),
    );
  });

  test('stale stamps are no reason when every load hashes', () => {
    utimesSync(join(target, CC), 1, 1);
    expect(locate({ env: { ...env, TFE_NODE_VERIFY: 'full' } }).evidence).toBe('hash');
  });
});

describe('a file that is no shared library for the platform', () => {
  const elf = (change: (head: Buffer) => void): Buffer => {
    const head = elfImage(64, 'x');
    change(head);
    return head;
  };
  const mach = (change: (head: Buffer) => void = () => undefined): Buffer => {
    const head = Buffer.alloc(64);
    head.writeUInt32LE(0xfeedfacf, 0); // MH_MAGIC_64
    head.writeUInt32LE(0x0100000c, 4); // CPU_TYPE_ARM64
    head.writeUInt32LE(6, 12); // MH_DYLIB
    change(head);
    return head;
  };

  test.each([
    [
      'a text',
      Buffer.from('<html>not found</html>'.padEnd(64)),
      /begins with the bytes 3c 68 74 6d/u,
    ],
    ['an empty file', Buffer.alloc(0), /has only 0 bytes/u],
    ['a stub of its header', elfImage(64, 'x').subarray(0, 20), /has only 20 bytes/u],
    ['32-bit', elf((head) => (head[4] = 1)), /32-bit/u],
    ['big-endian', elf((head) => (head[5] = 2)), /big-endian/u],
    ['an executable', elf((head) => head.writeUInt16LE(2, 16)), /ELF type 2/u],
    ['for AArch64', elf((head) => head.writeUInt16LE(183, 18)), /ELF machine 183/u],
    ['a Mach-O library', mach(), /begins with the bytes cf fa ed fe/u],
  ])('is refused at load when it is %s', (_what, content, problem) => {
    writeFileSync(join(target, CC), content);
    expect(() => locate()).toThrow(code('TFE_RUNTIME_NOT_AN_IMAGE', problem));
  });

  test.each(NO_FILES)('is refused at load and by verify when it is %s', async (what, make) => {
    rmSync(join(target, CC));
    make(join(target, CC));
    const { files, manifest } = await verifyRuntime({ platform: PLATFORM, pin, env });
    expect(files.map(({ ok }) => ok)).toEqual([true, false]);
    expect(files[1]!.problem).toMatch(NO_FILE);
    expect(manifest).toBe('none');
    // This thread would wait for it.
    if (what === 'a pipe') return;
    expect(() => locate()).toThrow(code('TFE_RUNTIME_NOT_AN_IMAGE', NO_FILE));
  });

  test('is named before its changed size is', () => {
    writeFileSync(join(target, FRAMEWORK), 'x');
    expect(() => locate()).toThrow(code('TFE_RUNTIME_NOT_AN_IMAGE', /an ELF shared library/u));
  });

  test.each([
    ['linux-aarch64', elfImage(64, 'x', 183), undefined],
    ['linux-aarch64', elfImage(64, 'x', 62), /ELF machine 62/u],
    ['macos-arm64', mach(), undefined],
    ['macos-arm64', elfImage(64, 'x'), /begins with/u],
    ['macos-arm64', mach((head) => head.writeUInt32LE(0x01000007, 4)), /0x1000007/u],
    ['macos-arm64', mach((head) => head.writeUInt32LE(2, 12)), /file type 2/u],
    ['macos-arm64', Buffer.alloc(3), /only 3 bytes/u],
  ] as const)('is told on %s too', (platform, head, problem) => {
    const found = imageProblem(platform, head)?.problem;
    if (problem === undefined) expect(found).toBeUndefined();
    else expect(found).toMatch(problem);
  });
});

describe('a folder that TFE_NODE_RUNTIME names and another program made', () => {
  let folder: string;
  let own: Record<string, string>;

  beforeEach(() => {
    folder = scratch();
    own = { TFE_NODE_RUNTIME: folder };
    for (const name of [CC, FRAMEWORK]) writeFileSync(join(folder, name), fake.content[name]!);
    writeFileSync(join(folder, '__init__.py'), '');
  });

  test('is accepted by the sizes of its libraries, and says what would be better', () => {
    expect(locate({ env: own })).toMatchObject({
      directory: folder,
      variant: 'cpu',
      source: 'env',
      evidence: 'size',
      manifest: null,
      notice: expect.stringMatching(
        /by its files' sizes only\. Run `npx tfe-node runtime verify` once/u,
      ),
    });
  });

  test('is accepted by hash when every load hashes', () => {
    expect(locate({ env: { ...own, TFE_NODE_VERIFY: 'full' } })).toMatchObject({
      evidence: 'hash',
      notice: null,
    });
    const content = readFileSync(join(folder, CC));
    content[1000]! ^= 1;
    writeFileSync(join(folder, CC), content);
    expect(() => locate({ env: { ...own, TFE_NODE_VERIFY: 'full' } })).toThrow(
      code('TFE_RUNTIME_HASH'),
    );
  });

  test('is refused when a library has the size of another version', () => {
    writeFileSync(join(folder, CC), elfImage(300_001, 'other'));
    expect(() => locate({ env: own })).toThrow(
      code(
        'TFE_RUNTIME_UNPINNED',
        /libtensorflow_cc\.so\.2 has 300001 bytes, but that file of TensorFlow 2\.21\.0 has 300000/u,
      ),
    );
  });

  test('is refused when a library is missing or no library', () => {
    writeFileSync(join(folder, FRAMEWORK), 'text');
    expect(() => locate({ env: own })).toThrow(code('TFE_RUNTIME_NOT_AN_IMAGE'));
    rmSync(join(folder, FRAMEWORK));
    expect(() => locate({ env: own })).toThrow(code('TFE_RUNTIME_LIBRARY_MISSING'));
  });

  test('is recorded by verify, and from then on recognised by its manifest', async () => {
    const report = await verifyRuntime({ platform: PLATFORM, pin, env: own });
    expect(report).toMatchObject({ ok: true, manifest: 'written', source: 'env' });
    expect(locate({ env: own })).toMatchObject({
      evidence: 'manifest',
      notice: null,
      manifest: { origin: 'verify' },
    });
    expect((await verifyRuntime({ platform: PLATFORM, pin, env: own })).manifest).toBe('kept');
    expect(tree(folder)).toEqual(['__init__.py', CC, FRAMEWORK, 'manifest.json']);
  });

  test('tells its variant by the sizes', () => {
    const cuda = fakeWheel({ variant: 'cuda' });
    const both = { ...pin, artefacts: { ...pin.artefacts, ...cuda.pin.artefacts } };
    expect(locate({ env: own, pin: both }).variant).toBe('cpu');
    for (const name of [CC, FRAMEWORK]) writeFileSync(join(folder, name), cuda.content[name]!);
    expect(locate({ env: own, pin: both }).variant).toBe('cuda');
    expect(() => locate({ env: own, pin: both, variant: 'cpu' })).toThrow(
      code('TFE_RUNTIME_UNPINNED', /has 400000 bytes/u),
    );
  });

  test('is refused when its libraries are of two builds', () => {
    const cuda = fakeWheel({ variant: 'cuda' });
    const wide = structuredClone(cuda.pin.artefacts) as unknown as {
      cuda: Record<string, { libraries: { framework: { size: number } } }>;
    };
    wide.cuda[PLATFORM]!.libraries.framework.size = 50_000;
    const both = { ...pin, artefacts: { ...pin.artefacts, ...wide } } as unknown as Pin;
    writeFileSync(join(folder, FRAMEWORK), elfImage(50_000, 'cuda framework'));
    expect(() => locate({ env: own, pin: both })).toThrow(code('TFE_RUNTIME_UNPINNED'));
  });
});

describe('verifying', () => {
  const verify = () => verifyRuntime({ platform: PLATFORM, pin, env });

  test('finds a good copy good, file by file, and leaves its manifest alone', async () => {
    const before = readFileSync(join(target, 'manifest.json'), 'utf8');
    expect(await verify()).toMatchObject({
      ok: true,
      manifest: 'kept',
      files: [
        { name: FRAMEWORK, ok: true, problem: null },
        { name: CC, ok: true, problem: null },
      ],
    });
    expect(readFileSync(join(target, 'manifest.json'), 'utf8')).toBe(before);
  });

  test.each([FRAMEWORK, CC])(
    'speaks of the files that lie there at its end when they were replaced during %s',
    async (during) => {
      const wheel = join(scratch(), WHEEL_FILE);
      writeFileSync(wheel, fake.wheel);
      let replaced = false;
      const report = await verifyRuntime({
        platform: PLATFORM,
        pin,
        env,
        progress: (name) => {
          if (name !== during || replaced) return;
          replaced = true;
          // What an installation with --force does, in one step.
          renameSync(target, `${target}-old`);
          cpSync(`${target}-old`, target, { recursive: true });
          rmSync(join(target, 'manifest.json'));
        },
      });
      expect(report).toMatchObject({ ok: true, manifest: 'written' });
      expect(locate()).toMatchObject({ evidence: 'manifest' });
    },
  );

  test('ends where the files are replaced again and again', async () => {
    let count = 0;
    const report = await verifyRuntime({
      platform: PLATFORM,
      pin,
      env,
      progress: (name) => {
        if (name !== CC) return;
        count += 1;
        renameSync(target, `${target}-${count}`);
        cpSync(`${target}-${count}`, target, { recursive: true });
      },
    });
    expect(report).toMatchObject({ ok: false, manifest: 'none' });
    expect(report.files.map(({ problem }) => problem)).toContain(
      'it was replaced while it was hashed',
    );
  });

  test('goes by the pin, not by the manifest', async () => {
    const path = join(target, CC);
    const content = readFileSync(path);
    content[1000]! ^= 1;
    writeFileSync(path, content);
    editManifest((manifest) => {
      // A manifest that vouches for the changed file.
      const file = (manifest['files'] as { name: string; sha256: string }[]).find(
        ({ name }) => name === CC,
      )!;
      file.sha256 = 'f'.repeat(64);
    });
    expect(await verify()).toMatchObject({
      ok: false,
      manifest: 'none',
      files: [
        { name: FRAMEWORK, ok: true },
        { name: CC, ok: false, problem: expect.stringMatching(/its SHA-256 is .*, pinned is/u) },
      ],
    });
  });

  test.each([
    ['missing', () => rmSync(join(target, CC)), /it is missing/u],
    [
      'cut short',
      () => truncateSync(join(target, CC), 1000),
      /it has 1000 bytes, pinned are 300000/u,
    ],
    ['a text', () => writeFileSync(join(target, CC), 'x'), /not an ELF shared library/u],
    [
      'a folder',
      () => {
        rmSync(join(target, CC));
        mkdirSync(join(target, CC));
      },
      /not a regular file/u,
    ],
  ])('says of a library that it is %s', async (_what, damage, problem) => {
    damage();
    const { ok, files } = await verify();
    expect(ok).toBe(false);
    expect(files[1]!.problem).toMatch(problem);
  });

  test('renews the stamps of a copied folder, and keeps what it knew', async () => {
    const path = join(target, CC);
    copyFileSync(path, `${path}.copy`);
    renameSync(`${path}.copy`, path);
    expect(() => locate()).toThrow(code('TFE_RUNTIME_CHANGED'));
    expect(await verify()).toMatchObject({ ok: true, manifest: 'written' });
    expect(locate().manifest).toMatchObject({
      origin: 'install',
      wheelSha256: pin.artefacts.cpu![PLATFORM]!.wheel.sha256,
    });
    expect(locate().manifest?.files).toHaveLength(4);
  });

  test('has an answer even where no manifest can be written', async () => {
    // A folder of that name is in the way, for every user.
    rmSync(join(target, 'manifest.json'));
    mkdirSync(join(target, 'manifest.json', 'x'), { recursive: true });
    expect(await verify()).toMatchObject({
      ok: true,
      manifest: 'unwritable',
      manifestProblem: expect.stringMatching(/directory/u),
    });
    expect(tree(target).filter((path) => path.startsWith('.'))).toEqual([]);
  });

  test('ends with an error when nothing is installed', async () => {
    rmSync(target, { recursive: true });
    await expect(verify()).rejects.toMatchObject({ code: 'TFE_RUNTIME_NOT_INSTALLED' });
    expect(existsSync(target)).toBe(false);
  });
});
