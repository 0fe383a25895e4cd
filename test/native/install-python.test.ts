/** Installing from a Python that has TensorFlow, and into folders that are made to be copied. */
import { spawn, spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { installRuntime, removeRuntime, type InstallOptions } from '../../lib/native/install';
import { locateRuntime } from '../../lib/native/locate';
import type { Pin } from '../../lib/native/pin';
import { verifyRuntime } from '../../lib/native/verify';
import { answering, fakePython, sitePackages, type FakePackage } from '../helpers/fake-python';
import { CC, fakeWheel, FRAMEWORK, PLATFORM, WHEEL_FILE } from '../helpers/fake-wheel';
import type { ChildTask } from '../helpers/install-child';
import { NO_FILES } from '../helpers/no-file';
import { cleanScratchAfterEach, scratch, tree } from '../helpers/scratch';

cleanScratchAfterEach();

const REGISTER = join(__dirname, '../helpers/register-swc.cjs');
const CHILD = join(__dirname, '../helpers/install-child.ts');
const fake = fakeWheel();

/** The files of the fake wheel, by their name in it. */
function wheelFiles({ content } = fake): Record<string, Buffer> {
  return {
    [`tensorflow/${FRAMEWORK}`]: content[FRAMEWORK]!,
    [`tensorflow/${CC}`]: content[CC]!,
    'tensorflow/include/LICENSE': content['LICENSE']!,
    'tensorflow/THIRD_PARTY_NOTICES.txt': content['THIRD_PARTY_NOTICES.txt']!,
  };
}

interface Bench {
  readonly root: string;
  readonly cache: string;
  readonly target: string;
  readonly python: string;
  readonly install: (options?: InstallOptions) => ReturnType<typeof installRuntime>;
}

function bench(pack: FakePackage = { files: wheelFiles() }, pin: Pin = fake.pin): Bench {
  const root = scratch();
  const cache = join(root, 'cache');
  const python = fakePython(root, pack);
  const env = { XDG_CACHE_HOME: cache, PATH: process.env['PATH'] };
  return {
    root,
    cache,
    target: join(cache, 'tfe-node/2.21.0', PLATFORM),
    python,
    install: (options) =>
      installRuntime({ platform: PLATFORM, pin, env, fromPython: python, ...options }),
  };
}

function filesIn(folder: string): string[] {
  return existsSync(folder) ? tree(folder).filter((path) => !path.endsWith('/')) : [];
}

describe('installing from a Python', () => {
  test('copies the libraries and the licence texts, and nothing else', async () => {
    const { install, target, root } = bench();
    const steps: string[] = [];
    const { outcome, location } = await install({
      report: (event) => {
        if (event.step !== 'progress') {
          steps.push('file' in event ? `${event.step} ${event.file}` : event.step);
        }
      },
    });
    expect(outcome).toBe('installed');
    expect(location).toMatchObject({ directory: target, variant: 'cpu', evidence: 'manifest' });
    expect(location.manifest).toMatchObject({ origin: 'install' });
    expect(location.manifest).not.toHaveProperty('wheelSha256');
    for (const [name, content] of Object.entries(fake.content)) {
      expect(readFileSync(join(target, name)).equals(content)).toBe(true);
    }
    expect(filesIn(target)).toHaveLength(5);
    expect(steps).toEqual([
      'check',
      'stage',
      'python',
      `copy ${FRAMEWORK}`,
      `copy ${CC}`,
      'seal',
      'placed',
    ]);
    // What the copy came from is not needed any more.
    rmSync(join(root, 'site-packages'), { recursive: true });
    expect(await install()).toMatchObject({ outcome: 'present' });
  });

  test.each([{ tensorflow: '2.21.0' }, { 'tensorflow-cpu': '2.21.0', tensorflow: '2.20.0' }])(
    'takes either project: %p',
    async (found) => {
      const { install } = bench({ files: wheelFiles(), found });
      expect(await install()).toMatchObject({ outcome: 'installed' });
    },
  );

  const python3 = spawnSync('python3', ['--version']).status === 0;
  (python3 ? test : test.skip)('asks a real interpreter without importing anything', async () => {
    const { install, root } = bench();
    const site = sitePackages(join(root, 'real'), { files: wheelFiles() });
    let directory: string | undefined;
    await install({
      env: { ...process.env, XDG_CACHE_HOME: join(root, 'other'), PYTHONPATH: site },
      fromPython: 'python3',
      report: (event) => {
        if (event.step === 'python') ({ directory } = event);
      },
    });
    expect(directory).toBe(join(site, 'tensorflow'));
  });

  test('leaves a licence text out that the package lacks or has changed, and says so', async () => {
    const files = { ...wheelFiles(), 'tensorflow/THIRD_PARTY_NOTICES.txt': Buffer.from('other\n') };
    delete (files as Record<string, Buffer>)['tensorflow/include/LICENSE'];
    const { install, target } = bench({ files });
    const omitted: unknown[] = [];
    await install({
      report: (event) => {
        if (event.step === 'omit') omitted.push([event.file, event.problem]);
      },
    });
    expect(omitted).toEqual([
      ['LICENSE', 'the package does not have it'],
      ['THIRD_PARTY_NOTICES.txt', 'the package has another text'],
    ]);
    expect(filesIn(target)).toEqual([CC, FRAMEWORK, 'manifest.json'].sort());
    expect(await install()).toMatchObject({ outcome: 'present' });
  });
});

test.each(NO_FILES)('a licence text that is %s is left out', async (_what, make) => {
  const { install, target, root } = bench();
  const notice = join(root, 'site-packages/tensorflow/include/LICENSE');
  rmSync(notice);
  make(notice);
  await install();
  expect(filesIn(target)).toEqual(
    [CC, FRAMEWORK, 'THIRD_PARTY_NOTICES.txt', 'manifest.json'].sort(),
  );
});

describe('a Python that does not serve', () => {
  test.each([
    [
      'another version',
      { tensorflow: '2.20.0' },
      /has no TensorFlow 2\.21\.0: it has tensorflow 2\.20\.0\./u,
    ],
    ['none', {}, /has no TensorFlow 2\.21\.0\. Install it there \(`.*python -m pip install/u],
  ])('because it has %s', async (_what, found, message) => {
    const { install, cache } = bench({ files: wheelFiles(), found });
    await expect(install()).rejects.toMatchObject({
      code: 'TFE_PYTHON_NO_TENSORFLOW',
      message: expect.stringMatching(message),
    });
    expect(filesIn(cache)).toEqual([]);
  });

  test.each([
    ['cannot be run', () => '/nowhere/python', /could not be run \(spawn \/nowhere/u],
    ['fails', (root: string) => answering(root, [], 3), /ended with exit code 3/u],
    ['answers nothing', (root: string) => answering(root, []), /answered ""/u],
    ['answers no JSON', (root: string) => answering(root, ['hello']), /answered "hello"/u],
    ['answers another question', (root: string) => answering(root, ['{}']), /answered "\{\}"/u],
    [
      'answers with no packages',
      (root: string) => answering(root, ['{"python":"3","found":null,"folders":[]}']),
      /answered ".*null/u,
    ],
    [
      'answers with folders that are none',
      (root: string) =>
        answering(root, ['{"python":"3","found":{"tensorflow-cpu":"2.21.0"},"folders":[5]}']),
      /answered ".*\[5\]/u,
    ],
  ])('because it %s', async (_what, python, message) => {
    const { install, root, cache } = bench();
    await expect(install({ fromPython: python(root) })).rejects.toMatchObject({
      code: 'TFE_PYTHON_FAILED',
      message: expect.stringMatching(message),
      hint: expect.stringContaining('--from-python .venv/bin/python'),
    });
    expect(filesIn(cache)).toEqual([]);
  });

  test.each([
    ['a library is missing', { [`tensorflow/${CC}`]: undefined }, /it is missing\./u],
    ['a library has another size', { [`tensorflow/${CC}`]: Buffer.alloc(5) }, /it has 5 bytes/u],
    [
      'a library has another content',
      { [`tensorflow/${CC}`]: Buffer.from(fake.content[CC]!).fill(1, 1000, 1001) },
      /its SHA-256 is [0-9a-f]{64}, pinned is/u,
    ],
  ])('because %s', async (_what, change, message) => {
    const files = Object.fromEntries(
      Object.entries({ ...wheelFiles(), ...change }).filter(([, content]) => content !== undefined),
    ) as Record<string, Buffer>;
    const { install, cache } = bench({ files });
    await expect(install()).rejects.toMatchObject({
      code: 'TFE_PYTHON_LIBRARY',
      message: expect.stringMatching(message),
    });
    expect(filesIn(cache)).toEqual([]);
  });

  test('because it has another variant, which is named', async () => {
    const cuda = fakeWheel({ variant: 'cuda' });
    const pin = { ...fake.pin, artefacts: { ...fake.pin.artefacts, ...cuda.pin.artefacts } };
    const { install, cache } = bench({ files: wheelFiles(cuda) }, pin);
    await expect(install()).rejects.toMatchObject({
      code: 'TFE_PYTHON_LIBRARY',
      hint: 'Nothing was installed. Add `--variant cuda` to install that variant.',
    });
    const { location } = await install({ variant: 'cuda' });
    expect(location).toMatchObject({
      variant: 'cuda',
      directory: join(cache, 'tfe-node/2.21.0', `${PLATFORM}-cuda`),
    });
  });

  test('is not asked when a good copy is there', async () => {
    const { install } = bench();
    await install();
    expect(await install({ fromPython: '/nowhere/python' })).toMatchObject({ outcome: 'present' });
  });

  test('is interrupted like any other installation', async () => {
    const { install, cache } = bench();
    const controller = new AbortController();
    await expect(
      install({
        signal: controller.signal,
        report: (event) => {
          if (event.step === 'copy') controller.abort();
        },
      }),
    ).rejects.toMatchObject({ code: 'TFE_INSTALL_INTERRUPTED' });
    expect(filesIn(cache)).toEqual([]);
  });
});

describe('an installation from a Python that is killed', () => {
  function killedAt(step: string): Promise<{ readonly made: Bench; readonly task: ChildTask }> {
    const made = bench();
    const pinFile = join(made.root, 'pin.json');
    writeFileSync(pinFile, JSON.stringify(fake.pin));
    const task: ChildTask = {
      cache: made.cache,
      wheel: join(made.root, WHEEL_FILE),
      python: made.python,
      pinFile,
      stopAt: step,
    };
    const child = spawn(process.execPath, ['--require', REGISTER, CHILD, JSON.stringify(task)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      if (text.split('\n').includes(step)) child.kill('SIGKILL');
    });
    return new Promise((resolve) => child.once('close', () => resolve({ made, task })));
  }

  test.each(['python', `copy ${FRAMEWORK}`, `copy ${CC}`, 'seal', 'placed'])(
    'at the step %s leaves one good copy or none, and the next one cleans up',
    async (step) => {
      const { made } = await killedAt(step);
      expect(existsSync(made.target)).toBe(step === 'placed');
      const { outcome } = await made.install();
      expect(outcome).toBe(step === 'placed' ? 'present' : 'installed');
      const staged = tree(made.cache).filter((path) => path.includes('staging'));
      // A good copy is left alone, and with it what lies beside it, until the next installation that has work to do.
      if (step !== 'placed') expect(staged).toEqual([]);
      expect(
        await verifyRuntime({
          platform: PLATFORM,
          pin: fake.pin,
          env: { XDG_CACHE_HOME: made.cache },
        }),
      ).toMatchObject({ ok: true, manifest: 'kept' });
    },
  );
});

/** Mounting needs a right that not every container gives. */
const mayMount =
  spawnSync('unshare', ['--mount', 'sh', '-c', 'mount -t tmpfs tmpfs /mnt']).status === 0;
const withMounts = mayMount ? test : test.skip;

describe('a disk that is full', () => {
  function inMount(mount: string, python: string | undefined): { last: string; left: string } {
    const root = scratch();
    const folder = join(root, 'disk');
    mkdirSync(folder);
    const pinFile = join(root, 'pin.json');
    const wheel = join(root, WHEEL_FILE);
    writeFileSync(pinFile, JSON.stringify(fake.pin));
    writeFileSync(wheel, fake.wheel);
    const task: ChildTask = {
      cache: folder,
      wheel,
      pinFile,
      ...(python === undefined ? {} : { python }),
    };
    const script = `mount -t tmpfs -o ${mount} tmpfs ${folder} && { "$0" --require "$1" "$2" "$3"; find ${folder} -type f; }`;
    const { stdout } = spawnSync(
      'unshare',
      ['--mount', 'sh', '-c', script, process.execPath, REGISTER, CHILD, JSON.stringify(task)],
      { encoding: 'utf8' },
    );
    const lines = stdout.trimEnd().split('\n');
    const at = lines.findIndex((line) => /^(?:error|outcome) /u.test(line));
    return { last: lines[at]!, left: lines.slice(at + 1).join('\n') };
  }

  withMounts('is said before the copying starts', () => {
    const { last, left } = inMount('size=64k', bench().python);
    expect(last).toMatch(/^error TFE_DISK_FULL: .* \d+ bytes are free\./u);
    expect(left).toBe('');
  });

  // Blocks are free, and names are not: what fills up between the look at the disk and the copying.
  withMounts.each([
    ['a Python', () => bench().python],
    ['a wheel', () => undefined],
  ])('in the middle of the copying from %s leaves nothing', (_what, source) => {
    const { last, left } = inMount('nr_inodes=6', source());
    expect(last).toMatch(/^error TFE_DISK_FULL: The disk that holds .*libtensorflow_cc/u);
    expect(left).toBe('');
  });
});

describe('a folder that is made to be copied', () => {
  const at = (directory: string) => ({
    platform: PLATFORM,
    pin: fake.pin,
    env: { TFE_NODE_RUNTIME: directory },
  });

  test('is loaded from wherever its copies lie', async () => {
    const { install, root, cache } = bench();
    const dest = join(root, 'image');
    const { location, outcome } = await install({ dest });
    expect(outcome).toBe('installed');
    expect(location).toMatchObject({ directory: dest, source: 'env', evidence: 'manifest' });
    expect(existsSync(cache)).toBe(false);
    const manifest = readFileSync(join(dest, 'manifest.json'), 'utf8');
    expect(manifest).toContain('"portable": true');
    expect(manifest).not.toMatch(/inode|mtime/u);

    const copy = join(root, 'elsewhere');
    cpSync(dest, copy, { recursive: true });
    for (const name of [CC, FRAMEWORK]) utimesSync(join(copy, name), 1, 1);
    rmSync(dest, { recursive: true });
    expect(locateRuntime(at(copy))).toMatchObject({
      directory: copy,
      evidence: 'manifest',
      notice: null,
    });
  });

  test('is verified by its hashes, and stays made to be copied', async () => {
    const { install, root } = bench();
    const dest = join(root, 'image');
    await install({ dest });
    const before = readFileSync(join(dest, 'manifest.json'), 'utf8');
    expect(await verifyRuntime(at(dest))).toMatchObject({ ok: true, manifest: 'kept' });
    rmSync(join(dest, 'LICENSE'));
    expect(await install({ dest })).toMatchObject({ outcome: 'present' });
    expect(readFileSync(join(dest, 'manifest.json'), 'utf8')).toBe(before);

    // A changed content of the same size is what only hashing finds.
    const content = readFileSync(join(dest, CC));
    content[1000]! ^= 1;
    writeFileSync(join(dest, CC), content);
    expect(() => locateRuntime(at(dest))).not.toThrow();
    const full = { ...at(dest), env: { TFE_NODE_RUNTIME: dest, TFE_NODE_VERIFY: 'full' } };
    expect(() => locateRuntime(full)).toThrow(
      expect.objectContaining({ code: 'TFE_RUNTIME_HASH' }),
    );
    expect(await verifyRuntime(at(dest))).toMatchObject({ ok: false });
    expect(await install({ dest, force: true })).toMatchObject({ outcome: 'installed' });
    expect(await verifyRuntime(at(dest))).toMatchObject({ ok: true });
  });

  test('still has to have the pinned sizes', async () => {
    const { install, root } = bench();
    const dest = join(root, 'image');
    await install({ dest });
    writeFileSync(join(dest, CC), 'x', { flag: 'a' });
    expect(() => locateRuntime(at(dest))).toThrow(
      expect.objectContaining({ code: 'TFE_RUNTIME_CHANGED' }),
    );
  });

  test('can be made of an ordinary installation, by hand or by what lies there', async () => {
    const { install, root, target } = bench();
    await install();
    // Its manifest is of this place; asked for as a destination, it is made portable.
    expect(await install({ dest: target })).toMatchObject({ outcome: 'recorded' });
    expect(readFileSync(join(target, 'manifest.json'), 'utf8')).toContain('"portable": true');
    const bare = join(root, 'bare');
    cpSync(target, bare, { recursive: true });
    rmSync(join(bare, 'manifest.json'));
    expect(await install({ dest: bare })).toMatchObject({ outcome: 'recorded' });
    expect(locateRuntime(at(bare)).manifest).toMatchObject({ portable: true });
  });

  test('is refused where something else lies, and removed like any other', async () => {
    const { install, root } = bench();
    const dest = join(root, 'image');
    mkdirSync(dest);
    writeFileSync(join(dest, 'letters.txt'), '');
    await expect(install({ dest })).rejects.toMatchObject({ code: 'TFE_RUNTIME_FOREIGN' });
    rmSync(join(dest, 'letters.txt'));
    await install({ dest });
    expect(await removeRuntime(at(dest))).toMatchObject({ outcome: 'removed' });
    expect(existsSync(dest)).toBe(false);
  });

  test('needs stamps where it does not say that it is portable', async () => {
    const { install, root } = bench();
    const dest = join(root, 'image');
    await install({ dest });
    const manifest = JSON.parse(readFileSync(join(dest, 'manifest.json'), 'utf8')) as object;
    writeFileSync(
      join(dest, 'manifest.json'),
      JSON.stringify({ ...manifest, portable: undefined }),
    );
    expect(() => locateRuntime(at(dest))).toThrow(
      expect.objectContaining({
        code: 'TFE_RUNTIME_MANIFEST_CORRUPT',
        message: expect.stringContaining('it records no inode and time of'),
      }),
    );
  });
});
