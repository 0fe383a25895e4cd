/** The program around the commands: help, versions, exit codes, and how errors are said. */
import { spawn, spawnSync } from 'node:child_process';
import {
  accessSync,
  closeSync,
  constants,
  cpSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  readdirSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import type { CliContext } from '../../lib/cli/context';
import { run, type RunDependencies } from '../../lib/cli/main';
import { cleanScratchAfterEach, scratch } from '../helpers/scratch';

cleanScratchAfterEach();

const ROOT = join(__dirname, '../..');

interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

async function cli(argv: readonly string[], dependencies?: RunDependencies): Promise<Ran> {
  let out = '';
  let err = '';
  const context: CliContext = {
    cwd: '/',
    env: { XDG_CACHE_HOME: '/nowhere' },
    isTerminal: false,
    out: (text) => void (out += text),
    err: (text) => void (err += text),
    exitCode: 0,
  };
  const code = await run(argv, context, dependencies);
  return { code, out, err };
}

describe('tfe-node', () => {
  test('--version prints the version of package.json', async () => {
    const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
      version: string;
    };
    expect(await cli(['--version'])).toEqual({ code: 0, out: `${version}\n`, err: '' });
  });

  test.each([
    [['--help']],
    [['help']],
    [['runtime', '--help']],
    [['runtime', 'install', '--help']],
  ])('%j prints help and is no error', async (argv) => {
    const { code, out, err } = await cli(argv);
    expect(code).toBe(0);
    expect(out).toMatch(/^Usage: tfe-node/u);
    expect(err).toBe('');
  });

  test.each([[[]], [['runtime']]])(
    '%j is not enough: the help goes to standard error',
    async (argv) => {
      const { code, out, err } = await cli(argv);
      expect(code).toBe(2);
      expect(out).toBe('');
      expect(err).toMatch(/^Usage: tfe-node/u);
      expect(err).not.toMatch(/error/u);
    },
  );

  test.each([
    [
      ['runtimes'],
      /unknown command 'runtimes' \(Did you mean runtime\?\)\. Run `npx tfe-node --help`/u,
    ],
    [['runtime', 'instal'], /unknown command 'instal'.*Run `npx tfe-node runtime --help`/u],
    [['runtime', 'path', '--all'], /unknown option '--all'.*`npx tfe-node runtime path --help`/u],
    [['runtime', 'path', 'x'], /too many arguments/u],
    [
      ['runtime', 'install', '--variant', 'gpu'],
      /'gpu' is invalid\. Allowed choices are cpu, cuda\./u,
    ],
    [['runtime', 'install', '--wheel'], /argument missing/u],
    [
      ['runtime', 'install', '--wheel', ''],
      /'--wheel <file>' argument '' is invalid\. It must not/u,
    ],
    [['runtime', 'install', '--from-python='], /'--from-python <exe>' argument '' is invalid/u],
    [['runtime', 'install', '--dest', ''], /'--dest <dir>' argument '' is invalid/u],
  ])('%j is a wrong command line: exit code 2 and one line', async (argv, message) => {
    const { code, out, err } = await cli(argv);
    expect(code).toBe(2);
    expect(out).toBe('');
    expect(err).toMatch(/^error TFE_CLI_USAGE: [^\n]+\n$/u);
    expect(err).toMatch(message);
  });

  test('a typed error is one line with its code, and exit code 1', async () => {
    const { code, out, err } = await cli(['runtime', 'path'], {
      runtime: { platform: 'linux-x86_64' },
    });
    expect(code).toBe(1);
    expect(out).toBe('');
    expect(err).toMatch(/^error TFE_RUNTIME_NOT_INSTALLED: The TensorFlow library .*\n$/u);
  });

  test('a fault of its own is said to be one, with its stack', async () => {
    const interruptible = (): never => {
      throw new TypeError('x is not a function');
    };
    const { code, err } = await cli(['runtime', 'install'], {
      runtime: { platform: 'linux-x86_64', interruptible },
    });
    expect(code).toBe(1);
    expect(err).toMatch(
      /^error: TypeError: x is not a function\n {4}at [^]*fault of tfe-node itself/u,
    );
  });
});

describe('bin/tfe-node.js', () => {
  test('is executable, so that `npx tfe-node` works in a clone', () => {
    expect(() => accessSync(join(ROOT, 'bin/tfe-node.js'), constants.X_OK)).not.toThrow();
  });

  test('says in a clone that was not built what to run', () => {
    const clone = scratch();
    cpSync(join(ROOT, 'bin'), join(clone, 'bin'), { recursive: true });
    const { status, stderr } = spawnSync(process.execPath, [join(clone, 'bin/tfe-node.js')], {
      encoding: 'utf8',
    });
    expect(status).toBe(1);
    expect(stderr).toMatch(/not built yet: run `npm run build`/u);
  });

  /** A clone whose dist is the sources themselves, compiled on the way in. */
  function built(): { readonly script: string; readonly args: readonly string[] } {
    const clone = scratch();
    cpSync(join(ROOT, 'bin'), join(clone, 'bin'), { recursive: true });
    mkdirSync(join(clone, 'dist/lib/cli'), { recursive: true });
    writeFileSync(
      join(clone, 'dist/lib/cli/main.js'),
      `module.exports = require(${JSON.stringify(join(ROOT, 'lib/cli/main.ts'))});`,
    );
    return {
      script: join(clone, 'bin/tfe-node.js'),
      args: ['--require', join(ROOT, 'test/helpers/register-swc.cjs')],
    };
  }

  test('hands the exit code on', () => {
    const { script, args } = built();
    const go = (...argv: string[]) =>
      spawnSync(process.execPath, [...args, script, ...argv], { encoding: 'utf8' });
    expect(go('--version')).toMatchObject({ status: 0 });
    expect(go('nonsense')).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('error TFE_CLI_USAGE'),
    });
  });

  test('goes on when its reader goes away', async () => {
    const { script, args } = built();
    const child = spawn(process.execPath, [...args, script, '--help'], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    // Closed before the program has begun to write.
    child.stdout.destroy();
    let err = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => (err += text));
    const status = await new Promise((resolve) => child.once('close', resolve));
    expect({ status, err }).toEqual({ status: 0, err: '' });
  });

  // Linux has a file that is always full.
  (existsSync('/dev/full') ? test : test.skip)(
    'says in one line that its output cannot be written',
    () => {
      const { script, args } = built();
      const full = openSync('/dev/full', 'w');
      const { status, stderr } = spawnSync(process.execPath, [...args, script, '--help'], {
        encoding: 'utf8',
        stdio: ['ignore', full, 'pipe'],
      });
      closeSync(full);
      expect(status).toBe(1);
      expect(stderr).toMatch(/^error: ENOSPC: [^\n]+\n$/);
    },
  );

  (existsSync('/dev/full') ? test : test.skip)(
    'goes on when its output cannot be written, because it may have to clean up',
    () => {
      const { script, args } = built();
      const root = scratch();
      const pip = join(root, 'pip');
      writeFileSync(
        pip,
        `#!/bin/sh\ncase "$*" in *--version*) echo "pip 99.1"; exit 0;; esac\ntouch ${root}/asked\nexit 7\n`,
        { mode: 0o755 },
      );
      const full = openSync('/dev/full', 'w');
      const { status, stderr } = spawnSync(
        process.execPath,
        [...args, script, 'runtime', 'install'],
        {
          encoding: 'utf8',
          stdio: ['ignore', full, 'pipe'],
          env: {
            ...process.env,
            TFE_NODE_PIP: pip,
            TFE_NODE_RUNTIME: '',
            XDG_CACHE_HOME: join(root, 'cache'),
          },
        },
      );
      closeSync(full);
      expect(status).toBe(1);
      expect(stderr).toMatch(/^error: ENOSPC: [^\n]+\nerror TFE_PIP_FAILED: [^\n]+\n$/);
      expect(existsSync(join(root, 'asked'))).toBe(true);
      expect(readdirSync(join(root, 'cache/tfe-node/2.21.0'))).toEqual([]);
    },
  );
});
