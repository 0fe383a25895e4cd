/** `tfe-node runtime`: what the four commands print and answer. What they do is tested in test/native. */
import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from '@jest/globals';
import type { CliContext } from '../../lib/cli/context';
import { run } from '../../lib/cli/main';
import type { Interruptible } from '../../lib/cli/runtime';
import { PERMISSION, RECORDER } from '../helpers/child';
import { fakePython } from '../helpers/fake-python';
import {
  CC,
  fakeWheel,
  FRAMEWORK,
  PLATFORM,
  WHEEL_FILE,
  type FakeWheel,
} from '../helpers/fake-wheel';
import { cleanScratchAfterEach, scratch, tree } from '../helpers/scratch';

cleanScratchAfterEach();

let fake: FakeWheel;
let root: string;
let target: string;
let environment: Record<string, string>;

beforeEach(() => {
  fake = fakeWheel();
  root = scratch();
  writeFileSync(join(root, WHEEL_FILE), fake.wheel);
  environment = { XDG_CACHE_HOME: join(root, 'cache'), PATH: join(root, 'bin') };
  target = join(root, 'cache/tfe-node/2.21.0', PLATFORM);
});

interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

async function runtime(
  argv: readonly string[],
  options: {
    env?: Record<string, string>;
    isTerminal?: boolean;
    interruptible?: Interruptible;
  } = {},
): Promise<Ran> {
  let out = '';
  let err = '';
  const context: CliContext = {
    cwd: root,
    env: { ...environment, ...options.env },
    isTerminal: options.isTerminal ?? false,
    out: (text) => void (out += text),
    err: (text) => void (err += text),
    exitCode: 0,
  };
  const code = await run(['runtime', ...argv], context, {
    runtime: {
      pin: fake.pin,
      platform: PLATFORM,
      ...(options.interruptible === undefined ? {} : { interruptible: options.interruptible }),
    },
  });
  return { code, out, err };
}

/** An installation from the wheel beside the cache, by its name relative to the working directory. */
const install = (...more: string[]): Promise<Ran> =>
  runtime(['install', '--wheel', WHEEL_FILE, ...more]);

function damage(): void {
  const content = readFileSync(join(target, CC));
  content[1000]! ^= 1;
  writeFileSync(join(target, CC), content);
}

describe('runtime install', () => {
  test('says its steps as plain lines where there is no terminal', async () => {
    const { code, out, err } = await install();
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out.split('\n')).toEqual([
      'TensorFlow 2.21.0 (cpu) for linux-x86_64',
      expect.stringMatching(/^checking tensorflow_cpu-2\.21\.0-\S+\.whl \(0\.\d MB\)$/u),
      `unpacking ${FRAMEWORK} (0.0 MB)`,
      `unpacking ${CC} (0.3 MB)`,
      'unpacking LICENSE (0.0 MB)',
      'unpacking THIRD_PARTY_NOTICES.txt (0.0 MB)',
      expect.stringMatching(new RegExp(`^installed in ${target} \\(\\d+\\.\\d s\\)$`, 'u')),
      '',
    ]);
  });

  test('draws a bar on a terminal, and puts the cursor back', async () => {
    const { code, err } = await runtime(['install', '--wheel', WHEEL_FILE], { isTerminal: true });
    expect(code).toBe(0);
    expect(err).toContain(`unpacking ${CC}`);
    expect(err).toContain('#'.repeat(24));
    expect(err.lastIndexOf('\x1b[?25h')).toBeGreaterThan(err.lastIndexOf('\x1b[?25l'));
  });

  test('hands on what pip says', async () => {
    mkdirSync(join(root, 'bin'));
    const pip = join(root, 'bin/pip');
    writeFileSync(
      pip,
      `#!/bin/sh
case "$*" in *--version*) echo "pip 99.1 from /x"; exit 0;; esac
while [ $# -gt 0 ]; do if [ "$1" = -d ]; then directory=$2; fi; shift; done
echo "Collecting tensorflow-cpu==2.21.0"
/bin/cp ${join(root, WHEEL_FILE)} "$directory/${WHEEL_FILE}"
`,
    );
    chmodSync(pip, 0o755);
    const { code, out } = await runtime(['install']);
    expect(code).toBe(0);
    expect(out).toMatch(/^fetching tensorflow_cpu\S+ \(0\.\d MB\) with pip 99\.1$/mu);
    expect(out).toMatch(/^ {2}Collecting tensorflow-cpu==2\.21\.0$/mu);
  });

  test('says that a good copy is there, and does nothing', async () => {
    await install();
    const { code, out } = await install();
    expect(code).toBe(0);
    expect(out).toContain(`already installed in ${target}\n`);
    expect(out).not.toContain('unpacking');
  });

  test('replaces it with --force', async () => {
    await install();
    expect((await install('--force')).out).toMatch(/^replacing the old copy$/mu);
  });

  test('says that only the manifest had to be renewed', async () => {
    await install();
    utimesSync(join(target, CC), 1, 1);
    expect((await install()).out).toContain('their manifest was renewed');
  });

  test('says what an interrupted installation had left', async () => {
    const parent = join(root, 'cache/tfe-node/2.21.0');
    mkdirSync(join(parent, '.tfe-node-staging-1-1-00000000-00000000'), { recursive: true });
    utimesSync(join(parent, '.tfe-node-staging-1-1-00000000-00000000'), 1, 1);
    expect((await install()).out).toContain('removed what an interrupted installation had left');
  });

  test('ends with exit code 1 and the typed error', async () => {
    const { code, err } = await runtime(['install']);
    expect(code).toBe(1);
    expect(err).toMatch(/^error TFE_PIP_NOT_FOUND: No working pip was found/u);
    expect(tree(join(root, 'cache')).filter((path) => path.includes('staging'))).toEqual([]);
  });

  test('refuses a variant that this platform does not have', async () => {
    const { code, err } = await install('--variant', 'cuda');
    expect(code).toBe(1);
    expect(err).toMatch(/^error TFE_VARIANT_UNAVAILABLE: .*Available for linux-x86_64: cpu\./u);
  });
});

describe('runtime path', () => {
  test('prints the folder and nothing else', async () => {
    await install();
    expect(await runtime(['path'])).toEqual({ code: 0, out: `${target}\n`, err: '' });
  });

  test('ends with the typed error when nothing is installed', async () => {
    const { code, out, err } = await runtime(['path']);
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(err).toMatch(/^error TFE_RUNTIME_NOT_INSTALLED:/u);
  });

  test('notes on standard error what would make a foreign folder better known', async () => {
    const folder = scratch();
    for (const name of [CC, FRAMEWORK]) writeFileSync(join(folder, name), fake.content[name]!);
    const { code, out, err } = await runtime(['path'], { env: { TFE_NODE_RUNTIME: folder } });
    expect({ code, out }).toEqual({ code: 0, out: `${folder}\n` });
    expect(err).toMatch(/^note: .* by its files' sizes only/u);
  });
});

describe('runtime verify', () => {
  test('prints ok per file', async () => {
    await install();
    const { code, out, err } = await runtime(['verify']);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out.trimEnd().split('\n')).toEqual([
      expect.stringMatching(
        new RegExp(`^ok {3}${target}/${FRAMEWORK} \\(40000 bytes, SHA-256 `, 'u'),
      ),
      expect.stringMatching(new RegExp(`^ok {3}${target}/${CC} \\(300000 bytes, SHA-256 `, 'u')),
    ]);
  });

  test('prints bad, ends with exit code 1 and says how to repair it', async () => {
    await install();
    damage();
    const { code, out, err } = await runtime(['verify']);
    expect(code).toBe(1);
    expect(out).toMatch(/^ok .*framework/mu);
    expect(out).toMatch(/^bad {2}\S*libtensorflow_cc\.so\.2: its SHA-256 is/mu);
    expect(err).toBe('run `npx tfe-node runtime install --force` to replace it\n');
  });

  test('says how to repair another variant by the command for that variant', async () => {
    const cuda = fakeWheel({ variant: 'cuda' });
    fake = {
      ...fake,
      pin: { ...fake.pin, artefacts: { ...fake.pin.artefacts, ...cuda.pin.artefacts } },
    };
    mkdirSync(`${target}-cuda`, { recursive: true });
    const { code, err } = await runtime(['verify', '--variant', 'cuda']);
    expect(code).toBe(1);
    expect(err).toBe('run `npx tfe-node runtime install --variant cuda --force` to replace it\n');
  });

  test('says when it has recorded what it found right', async () => {
    await install();
    utimesSync(join(target, CC), 1, 1);
    const { code, out } = await runtime(['verify']);
    expect(code).toBe(0);
    expect(out).toContain(`recorded in ${target}/manifest.json\n`);
  });
});

describe('runtime remove', () => {
  test('removes what install made, and says when there is nothing', async () => {
    await install();
    expect(await runtime(['remove'])).toEqual({ code: 0, out: `removed ${target}\n`, err: '' });
    expect(existsSync(target)).toBe(false);
    expect(await runtime(['remove'])).toEqual({
      code: 0,
      out: `nothing is installed in ${target}\n`,
      err: '',
    });
  });

  test('refuses a folder that install did not make', async () => {
    mkdirSync(target, { recursive: true });
    writeFileSync(join(target, 'mine.txt'), '');
    const { code, err } = await runtime(['remove']);
    expect(code).toBe(1);
    expect(err).toMatch(/^error TFE_RUNTIME_FOREIGN:/u);
    expect(existsSync(join(target, 'mine.txt'))).toBe(true);
  });
});

test('an installation without a pip ends at once, and does not wait for what never started', () => {
  const script = join(root, 'main.ts');
  const main = join(__dirname, '../../lib/cli/main');
  writeFileSync(script, `void require(${JSON.stringify(main)}).main();`);
  const began = Date.now();
  const { status, stderr } = spawnSync(
    process.execPath,
    ['--require', join(__dirname, '../helpers/register-swc.cjs'), script, 'runtime', 'install'],
    { env: environment, encoding: 'utf8' },
  );
  expect(status).toBe(1);
  expect(stderr).toMatch(/^error TFE_PIP_NOT_FOUND/u);
  expect(Date.now() - began).toBeLessThan(15_000);
});

describe("under Node's permission model", () => {
  const script = (): string => {
    const file = join(root, 'main.ts');
    const main = join(__dirname, '../../lib/cli/main');
    writeFileSync(file, `void require(${JSON.stringify(main)}).main();`);
    return file;
  };

  test.each([
    ['may not write', [], ['--wheel', WHEEL_FILE], /^write to \S+$/u],
    ['may not run pip', ['--allow-fs-write=*'], [], /^run other programs$/u],
    ['may not run Python', ['--allow-fs-write=*'], ['--from-python', 'p'], /^run other programs$/u],
  ])('an installation that %s says so', (_what, grants, options, access) => {
    const register = join(__dirname, '../helpers/register-swc.cjs');
    const { status, stderr } = spawnSync(
      process.execPath,
      [
        ...['--no-warnings', PERMISSION, '--allow-fs-read=*', '--allow-addons', ...grants],
        ...['--require', register, '--require', RECORDER],
        ...[script(), 'runtime', 'install', ...options],
      ],
      { env: { ...process.env, ...environment }, encoding: 'utf8', cwd: root },
    );
    const [, named] =
      /^error TFE_CLI_PERMISSION: .* permission to (.+)\. Run the command without/u.exec(stderr) ??
      [];
    expect(named ?? stderr).toMatch(access);
    expect(status).toBe(1);
  });

  test.each([
    ['FileSystemRead', '/some/file', 'read /some/file'],
    ['FileSystemRead', undefined, 'read files'],
    ['FileSystemWrite', '/some/file', 'write to /some/file'],
    ['Inspector', undefined, 'use Inspector'],
  ])('the refusal of %s of %s is the permission to %s', async (permission, resource, access) => {
    const refusal = Object.assign(new Error('Access to this API has been restricted'), {
      code: 'ERR_ACCESS_DENIED',
      permission,
      ...(resource === undefined ? {} : { resource }),
    });
    const { code, err } = await runtime(['verify'], {
      interruptible: () => Promise.reject(refusal),
    });
    expect(err).toContain(`without the permission to ${access}. Run`);
    expect(code).toBe(1);
  });
});

describe('a signal', () => {
  test.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
    '%s ends an installation, removes what it had written, and is what the process dies of',
    async (signal) => {
      mkdirSync(join(root, 'bin'));
      const pip = join(root, 'bin/pip');
      writeFileSync(
        pip,
        '#!/bin/sh\ncase "$*" in *--version*) echo "pip 99.1 from /x"; exit 0;; esac\necho fetching-now\nexec /bin/sleep 60\n',
      );
      chmodSync(pip, 0o755);
      const script = join(root, 'main.ts');
      const main = join(__dirname, '../../lib/cli/main');
      writeFileSync(script, `void require(${JSON.stringify(main)}).main();`);
      const child = spawn(
        process.execPath,
        ['--require', join(__dirname, '../helpers/register-swc.cjs'), script, 'runtime', 'install'],
        { env: environment, stdio: ['ignore', 'pipe', 'pipe'] },
      );
      let err = '';
      child.stderr.setEncoding('utf8').on('data', (text: string) => (err += text));
      child.stdout.setEncoding('utf8').on('data', (text: string) => {
        if (text.includes('fetching-now')) child.kill(signal);
      });
      const endedBy = await new Promise((resolve) =>
        child.once('close', (_code, killedBy) => resolve(killedBy)),
      );
      expect(err).toMatch(/^error TFE_INSTALL_INTERRUPTED:/u);
      expect(endedBy).toBe(signal);
      expect(tree(join(root, 'cache')).filter((path) => path.includes('staging'))).toEqual([]);
    },
  );
});

describe('runtime install from other places', () => {
  const files = (): Record<string, Buffer> => ({
    [`tensorflow/${FRAMEWORK}`]: fake.content[FRAMEWORK]!,
    [`tensorflow/${CC}`]: fake.content[CC]!,
  });

  test('--from-python says where it found the libraries, and what it goes without', async () => {
    fakePython(root, { files: files() });
    const { code, out, err } = await runtime(['install', '--from-python', './python']);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out.split('\n').slice(1, -2)).toEqual([
      `found tensorflow-cpu 2.21.0 of Python 3.12.4 in ${root}/site-packages/tensorflow`,
      `copying ${FRAMEWORK} (0.0 MB)`,
      `copying ${CC} (0.3 MB)`,
      'without LICENSE: the package does not have it',
      'without THIRD_PARTY_NOTICES.txt: the package does not have it',
    ]);
  });

  test('--from-python without a slash is looked for on PATH', async () => {
    fakePython(root, { files: files() });
    const env = { PATH: root };
    const { code } = await runtime(['install', '--from-python', 'python'], { env });
    expect(code).toBe(0);
    expect(existsSync(join(target, CC))).toBe(true);
  });

  test('--from-python and --wheel exclude each other', async () => {
    const { code, err } = await install('--from-python', 'python3');
    expect(code).toBe(2);
    expect(err).toContain("'--from-python <exe>' cannot be used with option '--wheel <file>'");
  });

  test('--dest installs there, and says how to use it', async () => {
    const { code, out } = await install('--dest', 'image');
    expect(code).toBe(0);
    expect(out).toContain(`installed in ${root}/image (`);
    expect(out).toMatch(/copies of this folder are good as well: set TFE_NODE_RUNTIME/u);
    expect(existsSync(target)).toBe(false);
    const env = { TFE_NODE_RUNTIME: join(root, 'image') };
    expect(await runtime(['path'], { env })).toMatchObject({ code: 0, out: `${root}/image\n` });
  });
});
