/** `tfe-node doctor`: each step can fail, says so, and stops only what needs it. The walk runs in a process of its own. */
import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, realpathSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import type { CliContext } from '../../lib/cli/context';
import type { DoctorReport } from '../../lib/native/doctor';
import { DOCTOR_STEPS } from '../../lib/native/doctor-steps';
import type { Finding } from '../../lib/native/finding';
import { Command } from '../../lib/vendor/commander';
import { ADDON, testPrograms, PERMISSION, RECORDER } from '../helpers/child';
import { CC, FRAMEWORK } from '../helpers/fake-wheel';
import { NO_FILE, NO_FILES } from '../helpers/no-file';
import { cleanScratchAfterEach, scratch } from '../helpers/scratch';
import { bystander, crashing } from '../helpers/stub-library';
import { damage, pinOf, stubRuntime, type StubRuntime } from '../helpers/stub-runtime';

cleanScratchAfterEach();

// Compiled, so that the processes that the package itself starts need no compiler.
const { folder } = testPrograms();
const execArgv = ['--require', RECORDER];
const load = createRequire(__filename);
const { examine } = load(`${folder}/lib/native/doctor`) as typeof import('../../lib/native/doctor');
const { register } = load(`${folder}/lib/cli/doctor`) as typeof import('../../lib/cli/doctor');

interface Surroundings {
  readonly env?: Readonly<Record<string, string>>;
  readonly execArgv?: readonly string[];
}

async function walk(
  { pin, env }: StubRuntime,
  { env: more, execArgv: options = [] }: Surroundings = {},
): Promise<DoctorReport> {
  return examine({
    pin,
    env: { ...env, TFE_NODE_ADDON: ADDON, ...more },
    execArgv: [...execArgv, ...options],
  });
}

function finding({ findings }: DoctorReport, id: string): Finding {
  return findings.find((candidate) => candidate.id === id)!;
}

function idsOf({ findings }: DoctorReport, state: Finding['state']): string[] {
  return findings.filter((candidate) => candidate.state === state).map(({ id }) => id);
}

const AFTER_OPEN = ['version', 'symbols', 'context', 'op'];

test('the steps need only steps before them', () => {
  const seen = new Set<string>();
  for (const { id, needs } of DOCTOR_STEPS) {
    for (const need of needs) expect(seen).toContain(need);
    seen.add(id);
  }
});

test('with the real library every step goes well', async () => {
  const report = await examine({ env: { ...process.env, TFE_NODE_ADDON: ADDON }, execArgv });
  expect(report.findings.filter(({ state }) => state !== 'ok')).toEqual([]);
  expect(report.ok).toBe(true);
  expect(finding(report, 'version').fact).toBe('2.21.0');
  expect(finding(report, 'op').fact).toBe('tf.add([1, 2], [3, 4]) is [4, 6]');
});

describe('a step that fails', () => {
  test.each<
    readonly [
      what: string,
      harm: (runtime: StubRuntime) => Surroundings,
      id: string,
      code: string | null,
      unreached: readonly string[],
    ]
  >([
    [
      'the addon is not built',
      () => ({ env: { TFE_NODE_ADDON: '/nowhere/tfe_node.node' } }),
      'addon',
      'TFE_ADDON_NOT_BUILT',
      ['addon-load', 'open', ...AFTER_OPEN],
    ],
    [
      'the addon does not load',
      ({ directory }) => {
        const text = join(directory, 'text.node');
        writeFileSync(text, 'no addon\n');
        return { env: { TFE_NODE_ADDON: text } };
      },
      'addon-load',
      'TFE_ADDON_LOAD_FAILED',
      ['open', ...AFTER_OPEN],
    ],
    [
      'addons are forbidden',
      () => ({ execArgv: ['--no-addons'] }),
      'permission',
      'TFE_ADDONS_DISABLED',
      ['addon-load', 'open', ...AFTER_OPEN],
    ],
    [
      'the addon may not be read',
      ({ directory }) => {
        const modules = realpathSync(join(folder, 'node_modules'));
        const readable = [folder, modules, join(__dirname, '../helpers'), directory];
        const grants = readable.map((path) => `--allow-fs-read=${path}/*`);
        return { execArgv: [PERMISSION, '--allow-addons', ...grants] };
      },
      'addon',
      'TFE_READ_FORBIDDEN',
      ['addon-load', 'open', ...AFTER_OPEN],
    ],
    [
      'there is no folder',
      ({ directory }) => ({ env: { TFE_NODE_RUNTIME: join(directory, 'nowhere') } }),
      'folder',
      'TFE_RUNTIME_NOT_INSTALLED',
      ['manifest', 'files', 'hashes', 'image', 'open', ...AFTER_OPEN],
    ],
    [
      'the manifest is no JSON',
      ({ directory }) => {
        writeFileSync(join(directory, 'manifest.json'), '{');
        return {};
      },
      'manifest',
      'TFE_RUNTIME_MANIFEST_CORRUPT',
      ['files', 'open', ...AFTER_OPEN],
    ],
    [
      'a file has another time',
      ({ directory }) => {
        utimesSync(join(directory, CC), 1, 1);
        return {};
      },
      'files',
      'TFE_RUNTIME_CHANGED',
      ['open', ...AFTER_OPEN],
    ],
  ])('%s', async (_what, harm, id, code, unreached) => {
    const runtime = await stubRuntime(scratch());
    const report = await walk(runtime, harm(runtime));
    expect(report.ok).toBe(false);
    expect(idsOf(report, 'failed')).toEqual([id]);
    expect(idsOf(report, 'unreached')).toEqual(unreached);
    expect(finding(report, id)).toMatchObject({ code, todo: expect.stringMatching(/\S/u) });
  });

  test('a file with another content and the recorded stamps', async () => {
    const runtime = await stubRuntime(scratch());
    const report = await walk({
      ...runtime,
      pin: JSON.parse(
        JSON.stringify(runtime.pin).replaceAll(
          runtime.pin.artefacts.cpu!['linux-x86_64']!.libraries.cc.sha256,
          'f'.repeat(64),
        ),
      ) as StubRuntime['pin'],
    });
    expect(finding(report, 'hashes')).toMatchObject({ state: 'failed', code: 'TFE_RUNTIME_HASH' });
    expect(finding(report, 'hashes').fact).toContain('pinned is ffff');
  });

  test('a file that is gone', async () => {
    const runtime = await stubRuntime(scratch());
    rmSync(join(runtime.directory, FRAMEWORK));
    const report = await walk(runtime);
    expect(finding(report, 'files')).toMatchObject({ code: 'TFE_RUNTIME_LIBRARY_MISSING' });
    expect(finding(report, 'hashes').state).toBe('failed');
    expect(finding(report, 'open').state).toBe('unreached');
  });

  test.each(NO_FILES)('a library that is %s', async (_what, make) => {
    const runtime = await stubRuntime(scratch());
    const library = join(runtime.directory, FRAMEWORK);
    rmSync(library);
    make(library);
    const report = await walk(runtime);
    for (const id of ['files', 'hashes', 'image']) {
      expect(finding(report, id)).toMatchObject({
        state: 'failed',
        fact: expect.stringMatching(NO_FILE),
        code: 'TFE_RUNTIME_NOT_AN_IMAGE',
      });
    }
  });

  test('a file of another variant, with the command for that variant', async () => {
    const runtime = await stubRuntime(scratch());
    damage(join(runtime.directory, CC));
    const artefacts = { cuda: runtime.pin.artefacts.cpu! };
    const report = await walk({ ...runtime, pin: { ...runtime.pin, artefacts } });
    expect(finding(report, 'hashes').todo).toBe(
      'Run `npx tfe-node runtime install --variant cuda --force` to replace it.',
    );
  });

  test('another SONAME than the pinned one', async () => {
    const { directory, env, pin } = await stubRuntime(scratch());
    const other = JSON.parse(
      JSON.stringify(pin).replaceAll(`"soname":"${CC}"`, '"soname":"libother.so.2"'),
    ) as StubRuntime['pin'];
    const report = await walk({ directory, env, pin: other });
    expect(idsOf(report, 'failed')).toEqual(['image']);
    expect(finding(report, 'image').fact).toBe(`${CC} calls itself ${CC}, pinned is libother.so.2`);
  });

  test('another TensorFlow that is mapped already', async () => {
    const runtime = await stubRuntime(scratch());
    const other = bystander(join(scratch(), 'other'), 'libtensorflow.so.2');
    const report = await walk(runtime, { env: { LD_PRELOAD: other } });
    expect(idsOf(report, 'failed')).toEqual(['mapped']);
    expect(finding(report, 'mapped')).toMatchObject({ code: 'TFE_LIBRARY_CONFLICT' });
    expect(finding(report, 'mapped').fact).toContain(other);
  });

  test.each([
    ['another version', { version: '2.20.0' }, 'version', 'TFE_LIBRARY_VERSION', ['open']],
    [
      'a symbol that is missing',
      { missing: ['TFE_Execute'] },
      'symbols',
      'TFE_SYMBOL_MISSING',
      ['open', 'version'],
    ],
    [
      'a symbol of the wrong image',
      { misplaced: ['TFE_Execute'] },
      'symbols',
      'TFE_SYMBOL_WRONG_IMAGE',
      ['open', 'version'],
    ],
    [
      'a context that is refused',
      { status: 13 },
      'context',
      'TFE_CONTEXT_FAILED',
      ['open', 'version', 'symbols'],
    ],
  ])('%s: the steps before it went well', async (_what, options, id, code, well) => {
    const report = await walk(await stubRuntime(scratch(), options));
    expect(idsOf(report, 'failed')).toEqual([id]);
    expect(finding(report, id)).toMatchObject({ code });
    expect(idsOf(report, 'ok')).toEqual(expect.arrayContaining(well));
  });
});

describe('a step that ends the process', () => {
  test('is the one that failed: an addon that crashes', async () => {
    const runtime = await stubRuntime(scratch());
    const addon = crashing(scratch(), 'crash.node');
    const report = await walk(runtime, { env: { TFE_NODE_ADDON: addon } });
    expect(finding(report, 'addon-load')).toMatchObject({
      state: 'failed',
      fact: expect.stringContaining('the process was ended by SIGSEGV in this step'),
    });
    // What comes after it in the walk was not reached, whatever it needs.
    expect(finding(report, 'folder')).toMatchObject({
      state: 'unreached',
      fact: 'the walk ended before it',
    });
    expect(report.ok).toBe(false);
  });

  test('is the one that failed: a library that crashes', async () => {
    const directory = scratch();
    const runtime = await stubRuntime(directory);
    copyFileSync(crashing(scratch(), CC), join(directory, CC));
    rmSync(join(directory, 'manifest.json'));
    const report = await walk({ ...runtime, pin: pinOf(directory) });
    expect(idsOf(report, 'failed')).toEqual(['open']);
    expect(finding(report, 'open').fact).toContain('SIGSEGV');
    expect(idsOf(report, 'unreached')).toEqual(AFTER_OPEN);
  });
});

describe('a process', () => {
  /** What runs before the walk in its process. */
  const preloaded = (text: string): Surroundings => {
    const file = join(scratch(), 'preloaded.cjs');
    writeFileSync(file, text);
    return { execArgv: ['--require', file] };
  };

  test('that would wait for a debugger does not', async () => {
    const report = await walk(await stubRuntime(scratch()), { execArgv: ['--inspect-brk=0'] });
    expect(finding(report, 'addon-load').state).toBe('ok');
  });

  test('that prints other things is not misheard', async () => {
    const runtime = await stubRuntime(scratch());
    const lines = ['{', '{"said":"begin","id":"nothing"}', '{"level":"info"}', 'null'];
    const report = await walk(
      runtime,
      preloaded(`console.log(${JSON.stringify(lines.join('\n'))})`),
    );
    expect(report.findings.map(({ id }) => id)).toEqual(DOCTOR_STEPS.map(({ id }) => id));
    // The stub computes nothing.
    expect(report.findings.filter(({ state }) => state !== 'ok').map(({ id }) => id)).toEqual([
      'op',
    ]);
  });

  test('that is killed in the middle of a word has said what came before it', async () => {
    const runtime = await stubRuntime(scratch());
    const report = await walk(
      runtime,
      preloaded(`
        const fs = require('node:fs');
        const write = fs.writeSync;
        fs.writeSync = (fd, text, ...rest) => {
          if (!String(text).includes('"begin","id":"folder"')) return write(fd, text, ...rest);
          write(fd, text.slice(0, 12));
          process.kill(process.pid, 'SIGKILL');
        };`),
    );
    expect(idsOf(report, 'failed')).toEqual(['folder']);
    expect(finding(report, 'folder').fact).toContain('SIGKILL');
    expect(finding(report, 'addon-load').state).toBe('ok');
  });
});

test('the permission model, where it forbids child processes, is said to', () => {
  const script = `require(${JSON.stringify(`${folder}/lib/native/doctor`)})
    .examine().then((report) => console.log(JSON.stringify(report)))`;
  const { stdout, stderr } = spawnSync(
    process.execPath,
    [PERMISSION, '--allow-fs-read=*', '--allow-addons', ...execArgv, '-e', script],
    { encoding: 'utf8' },
  );
  const line = stdout.trim().split('\n').at(-1)!;
  if (line === '') throw new Error(stderr);
  const report = JSON.parse(line) as DoctorReport;
  expect(idsOf(report, 'failed')).toEqual(['permission']);
  expect(finding(report, 'permission').todo).toContain('--allow-child-process');
});

describe('tfe-node doctor', () => {
  async function doctor(
    runtime: StubRuntime,
    argv: readonly string[],
  ): Promise<{ code: number; out: string }> {
    let out = '';
    const context: CliContext = {
      cwd: '/',
      env: { ...runtime.env, TFE_NODE_ADDON: '/nowhere/tfe_node.node' },
      isTerminal: false,
      out: (text) => void (out += text),
      err: (text) => void (out += text),
      exitCode: 0,
    };
    const program = new Command('tfe-node')
      .exitOverride()
      .configureOutput({ writeErr: () => undefined });
    register(program, context, { pin: runtime.pin, execArgv });
    await program.parseAsync(['doctor', ...argv], { from: 'user' });
    return { code: context.exitCode, out };
  }

  test('prints each step with its fact, and under a failure what to do', async () => {
    const runtime = await stubRuntime(scratch());
    const { code, out } = await doctor(runtime, []);
    expect(code).toBe(1);
    const lines = out.split('\n');
    expect(lines).toContain(`ok           library folder: ${runtime.directory} (TFE_NODE_RUNTIME)`);
    const failed = lines.findIndex((line) => line.startsWith('failed'));
    expect(lines[failed]).toBe(
      'failed       addon is built: TFE_NODE_ADDON names /nowhere/tfe_node.node, which is not there.',
    );
    expect(lines[failed + 1]).toMatch(/^ {13}-> Correct the variable, or remove it/u);
    expect(lines).toContain('not reached  one op: needs: eager context');
    expect(lines.at(-2)).toBe('tfe-node does not work here: 1 of 17 steps failed');
  });

  test('--json prints the same as data', async () => {
    const runtime = await stubRuntime(scratch());
    const { code, out } = await doctor(runtime, ['--json']);
    expect(code).toBe(1);
    const report = JSON.parse(out) as DoctorReport;
    expect(report.ok).toBe(false);
    expect(report.findings.map(({ id }) => id)).toEqual(DOCTOR_STEPS.map(({ id }) => id));
    expect(finding(report, 'addon')).toMatchObject({
      state: 'failed',
      code: 'TFE_ADDON_NOT_BUILT',
    });
  });

  test('writes nothing into the folder of the library', async () => {
    const runtime = await stubRuntime(scratch());
    rmSync(join(runtime.directory, 'manifest.json'));
    await doctor(runtime, []);
    expect(existsSync(join(runtime.directory, 'manifest.json'))).toBe(false);
    damage(join(runtime.directory, CC));
    const { out } = await doctor(runtime, []);
    expect(out).toMatch(/failed +SHA-256 of both libraries/u);
  });
});
