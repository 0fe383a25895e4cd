/** `tfe-node pin check`: every fact of the pin, one by one, without the addon. */
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import type { CliContext } from '../../lib/cli/context';
import type { PinDependencies } from '../../lib/cli/pin';
import { cpuFlags } from '../../lib/native/cpu';
import type { Finding } from '../../lib/native/finding';
import type { PinCheckOptions, PinReport } from '../../lib/native/pin-check';
import { Command } from '../../lib/vendor/commander';
import { testPrograms, RECORDER } from '../helpers/child';
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
const { checkPin, KOFFI_RANGE, OLDEST_NODE } = load(
  `${folder}/lib/native/pin-check`,
) as typeof import('../../lib/native/pin-check');
const { register } = load(`${folder}/lib/cli/pin`) as typeof import('../../lib/cli/pin');

/** The rows that every complete report has, in order. */
const ROWS = [
  'package',
  'platform',
  'node',
  'node-api',
  'cpu',
  'folder',
  'cc-size',
  'cc-sha256',
  'cc-soname',
  'framework-size',
  'framework-sha256',
  'framework-soname',
  'open',
  'version',
  'symbols',
];

const check = (
  { pin, env }: Pick<StubRuntime, 'pin' | 'env'>,
  options: PinCheckOptions = {},
): Promise<PinReport> => checkPin({ pin, env, execArgv, ...options });

function finding({ findings }: PinReport, id: string): Finding {
  return findings.find((candidate) => candidate.id === id)!;
}

function idsOf({ findings }: PinReport, state: Finding['state']): string[] {
  return findings.filter((candidate) => candidate.state === state).map(({ id }) => id);
}

/** A module that makes koffi unfindable, preloaded. */
function withoutKoffi(): readonly string[] {
  const blocker = join(scratch(), 'no-koffi.cjs');
  writeFileSync(
    blocker,
    `const Module = require('node:module');
     const resolve = Module._resolveFilename;
     Module._resolveFilename = function (name, ...rest) {
       if (name === 'koffi') throw Object.assign(new Error("Cannot find module 'koffi'"), { code: 'MODULE_NOT_FOUND' });
       return resolve.call(this, name, ...rest);
     };`,
  );
  return [...execArgv, '--require', blocker];
}

describe('a library', () => {
  test('of another variant is repaired by the command for that variant', async () => {
    const { pin, env, directory } = await stubRuntime(scratch());
    damage(join(directory, CC));
    rmSync(join(directory, FRAMEWORK));
    const artefacts = { cuda: pin.artefacts.cpu! };
    const report = await check({ pin: { ...pin, artefacts }, env }, { variant: 'cuda' });
    expect(finding(report, 'cc-sha256').todo).toBe(
      'Run `npx tfe-node runtime install --variant cuda --force` to replace it.',
    );
    expect(finding(report, 'framework-size').todo).toBe(
      'Run `npx tfe-node runtime install --variant cuda`.',
    );
  });

  test.each(NO_FILES)('that is %s is not as pinned', async (_what, make) => {
    const runtime = await stubRuntime(scratch());
    const library = join(runtime.directory, FRAMEWORK);
    rmSync(library);
    make(library);
    const report = await check(runtime);
    expect(report.outcome).toBe('failed');
    expect(finding(report, 'framework-size')).toMatchObject({
      state: 'failed',
      fact: expect.stringMatching(NO_FILE),
      code: 'TFE_RUNTIME_NOT_AN_IMAGE',
    });
    expect(report.findings.map(({ id }) => id)).toEqual(ROWS);
  });
});

test('the real library passes, without the addon', async () => {
  const env = { ...process.env, TFE_NODE_ADDON: '/nowhere/tfe_node.node' };
  const report = await checkPin({ env, execArgv });
  expect(report.findings.filter(({ state }) => state !== 'ok')).toEqual([]);
  expect(report.outcome).toBe('ok');
  expect(report.findings.map(({ id }) => id)).toEqual(ROWS);
  expect(finding(report, 'version').fact).toBe('2.21.0');
});

describe('a fact that deviates makes the check fail', () => {
  test('the platform: nothing else of the library is asked', async () => {
    const report = await check(await stubRuntime(scratch()), {
      host: { os: 'win32', arch: 'x64', libc: null, glibcVersion: null },
    });
    expect(report).toMatchObject({ outcome: 'failed', directory: null });
    expect(finding(report, 'platform')).toMatchObject({
      code: 'TFE_PLATFORM_UNSUPPORTED',
      todo: expect.stringContaining('WSL 2'),
    });
    expect(idsOf(report, 'unreached')).toEqual(['open', 'version', 'symbols']);
  });

  test.each([
    ['an old Node', { version: '20.18.3', napi: '9' }, 'node'],
    ['an old Node-API', { version: '20.19.0', napi: '8' }, 'node-api'],
    ['no Node-API', { version: '20.19.0', napi: undefined }, 'node-api'],
  ])('%s', async (_what, node, id) => {
    const report = await check(await stubRuntime(scratch()), { node });
    expect(idsOf(report, 'failed')).toEqual([id]);
  });

  test('a CPU without AVX: the library is not opened', async () => {
    const report = await check(await stubRuntime(scratch()), { cpu: new Set(['sse2']) });
    expect(idsOf(report, 'failed')).toEqual(['cpu']);
    expect(finding(report, 'open')).toMatchObject({
      state: 'unreached',
      fact: 'the CPU cannot run the library',
    });
  });

  test('a size', async () => {
    const runtime = await stubRuntime(scratch());
    writeFileSync(join(runtime.directory, CC), 'x', { flag: 'a' });
    const report = await check(runtime);
    expect(idsOf(report, 'failed')).toEqual(['cc-size', 'cc-sha256']);
    expect(finding(report, 'open').fact).toBe('a library that is not the pinned one is not opened');
  });

  test('a content', async () => {
    const runtime = await stubRuntime(scratch());
    damage(join(runtime.directory, FRAMEWORK));
    const report = await check(runtime);
    expect(report.outcome).toBe('failed');
    expect(idsOf(report, 'failed')).toEqual(['framework-sha256']);
  });

  test('a SONAME', async () => {
    const runtime = await stubRuntime(scratch());
    const pin = pinOf(runtime.directory, { cc: 'libother.so.2' });
    const report = await check({ ...runtime, pin });
    expect(idsOf(report, 'failed')).toEqual(['cc-soname']);
    expect(finding(report, 'cc-soname').fact).toBe(`${CC}, pinned is libother.so.2`);
  });

  test('a file that is missing', async () => {
    const runtime = await stubRuntime(scratch());
    rmSync(join(runtime.directory, CC));
    const report = await check(runtime);
    expect(idsOf(report, 'failed')).toEqual(['cc-size']);
    expect(finding(report, 'cc-size').code).toBe('TFE_RUNTIME_LIBRARY_MISSING');
    expect(idsOf(report, 'unreached')).toEqual([
      'cc-sha256',
      'cc-soname',
      'open',
      'version',
      'symbols',
    ]);
  });

  test.each([
    ['TF_Version()', { version: '2.20.0' }, 'version', '2.20.0, pinned is 2.21.0'],
    ['no version', { version: null }, 'version', 'nothing, pinned is 2.21.0'],
    ['a symbol that is missing', { missing: ['TFE_Execute'] }, 'symbols', 'TFE_Execute is missing'],
  ])('%s', async (_what, options, id, fact) => {
    const report = await check(await stubRuntime(scratch(), options));
    expect(idsOf(report, 'failed')).toEqual([id]);
    expect(finding(report, id).fact).toBe(fact);
  });

  test('a symbol of the wrong image, by the file that has it', async () => {
    const runtime = await stubRuntime(scratch(), { misplaced: ['TFE_Execute'] });
    const report = await check(runtime);
    expect(finding(report, 'symbols')).toMatchObject({
      state: 'failed',
      fact: `TFE_Execute is in ${join(runtime.directory, FRAMEWORK)}`,
      code: 'TFE_SYMBOL_WRONG_IMAGE',
    });
  });

  test('a library that cannot be opened, with the reason of the system', async () => {
    const directory = scratch();
    const runtime = await stubRuntime(directory);
    // Right in header, size, hash and SONAME, but what it needs is gone: the framework lies elsewhere.
    const report = await check({
      ...runtime,
      env: { ...runtime.env, LD_PRELOAD: '' },
      pin: truncatedPin(directory),
    });
    expect(finding(report, 'open')).toMatchObject({ code: 'TFE_LIBRARY_OPEN_FAILED' });
    expect(finding(report, 'open').fact).toContain(join(directory, FRAMEWORK));
  });

  test('a library that ends the process is an answer', async () => {
    const directory = scratch();
    const runtime = await stubRuntime(directory);
    writeFileSync(join(directory, CC), readFileSync(crashing(scratch(), CC)));
    const report = await check({ ...runtime, pin: pinOf(directory) });
    expect(report.outcome).toBe('failed');
    expect(finding(report, 'open').fact).toContain('was ended by SIGSEGV');
    expect(idsOf(report, 'unreached')).toEqual(['version', 'symbols']);
  });

  test('a variant that is not published for the platform', async () => {
    const report = await check(await stubRuntime(scratch()), { variant: 'cuda' });
    expect(finding(report, 'folder')).toMatchObject({
      state: 'failed',
      code: 'TFE_VARIANT_UNAVAILABLE',
    });
  });
});

/** The pin of a framework whose dynamic section the loader cannot use: its segments are cut off. */
function truncatedPin(directory: string): StubRuntime['pin'] {
  const path = join(directory, FRAMEWORK);
  const image = readFileSync(path);
  // A required ABI that no system has: EI_CLASS and the rest stay right.
  image[7] = 0xff;
  writeFileSync(path, image);
  return pinOf(directory);
}

describe('what cannot be checked is no failure', () => {
  test('a library that is not installed', async () => {
    const { pin, env } = await stubRuntime(scratch());
    const report = await check({ pin, env: { ...env, TFE_NODE_RUNTIME: '/nowhere' } });
    expect(report.outcome).toBe('unchecked');
    expect(finding(report, 'folder')).toMatchObject({
      state: 'unreached',
      code: 'TFE_RUNTIME_NOT_INSTALLED',
      todo: expect.stringContaining('npx tfe-node runtime install'),
    });
  });

  test('without koffi: the files are checked, and the install command is named', async () => {
    const report = await check(await stubRuntime(scratch()), { execArgv: withoutKoffi() });
    expect(report.outcome).toBe('unchecked');
    expect(idsOf(report, 'unreached')).toEqual(['open', 'version', 'symbols']);
    expect(finding(report, 'open')).toMatchObject({
      fact: expect.stringContaining('koffi cannot be loaded'),
      todo: "Run: npm install --save-dev 'koffi@^3.3.4'",
    });
  });

  test('a CPU that does not say what it has', async () => {
    const report = await check(await stubRuntime(scratch()), { cpu: null });
    expect(idsOf(report, 'unreached')).toEqual(['cpu']);
    expect(report.outcome).toBe('unchecked');
  });

  test('a file of CPU flags that is not there, or says nothing', () => {
    expect(cpuFlags('/nowhere')).toBeNull();
    const empty = join(scratch(), 'cpuinfo');
    writeFileSync(empty, 'processor : 0\n');
    expect(cpuFlags(empty)).toBeNull();
    writeFileSync(empty, 'processor : 0\nflags\t\t: fpu avx avx2\n');
    expect([...cpuFlags(empty)!]).toEqual(['fpu', 'avx', 'avx2']);
  });
});

test('another TensorFlow in LD_PRELOAD does not change the answer for a good library', async () => {
  const runtime = await stubRuntime(scratch());
  const other = bystander(join(scratch(), 'other'), 'libtensorflow.so.2');
  const report = await check({ ...runtime, env: { ...runtime.env, LD_PRELOAD: other } });
  expect(report.outcome).toBe('ok');
});

test('koffi and Node are asked for as package.json does', () => {
  const manifest = JSON.parse(readFileSync(join(__dirname, '../../package.json'), 'utf8')) as {
    readonly peerDependencies: Readonly<Record<string, string>>;
    readonly engines: { readonly node: string };
  };
  expect(manifest.peerDependencies['koffi']).toBe(KOFFI_RANGE);
  expect(manifest.engines.node).toBe(`>=${OLDEST_NODE.join('.')}.0`);
});

describe('tfe-node pin check', () => {
  async function run(
    runtime: StubRuntime,
    argv: readonly string[],
    dependencies: PinDependencies = {},
  ): Promise<{ code: number; out: string }> {
    let out = '';
    const context: CliContext = {
      cwd: '/',
      env: runtime.env,
      isTerminal: false,
      out: (text) => void (out += text),
      err: (text) => void (out += text),
      exitCode: 0,
    };
    const program = new Command('tfe-node')
      .exitOverride()
      .configureOutput({ writeErr: () => undefined });
    register(program, context, { pin: runtime.pin, execArgv, ...dependencies });
    await program.parseAsync(['pin', 'check', ...argv], { from: 'user' });
    return { code: context.exitCode, out };
  }

  test('answers 0 and a line per fact', async () => {
    const { code, out } = await run(await stubRuntime(scratch()), []);
    expect(code).toBe(0);
    expect(out.split('\n')).toContain('ok           TF_Version(): 2.21.0');
    expect(out).toMatch(/everything is as pinned: TensorFlow 2\.21\.0\n$/u);
  });

  test('answers 1 where something deviates', async () => {
    const { code, out } = await run(await stubRuntime(scratch(), { version: '2.20.0' }), []);
    expect(code).toBe(1);
    expect(out).toMatch(/^failed {7}TF_Version\(\): 2\.20\.0, pinned is 2\.21\.0$/mu);
    expect(out).toMatch(/^ {13}-> Run `npx tfe-node runtime install --force`\.$/mu);
    expect(out).toMatch(/something is not as pinned\n$/u);
  });

  test('answers 2 where it could not check', async () => {
    const { code, out } = await run(await stubRuntime(scratch()), [], {
      execArgv: withoutKoffi(),
    });
    expect(code).toBe(2);
    expect(out).toMatch(/^not checked {2}symbols: koffi cannot be loaded/mu);
    expect(out).toMatch(/not everything could be checked\n$/u);
  });

  test('--json prints the report', async () => {
    const runtime = await stubRuntime(scratch());
    const { code, out } = await run(runtime, ['--json']);
    expect(code).toBe(0);
    const report = JSON.parse(out) as PinReport;
    expect(report).toMatchObject({
      outcome: 'ok',
      package: '0.1.0',
      tensorflow: '2.21.0',
      directory: runtime.directory,
      variant: 'cpu',
    });
    expect(report.findings.map(({ id }) => id)).toEqual(ROWS);
  });

  test('--github prints workflow commands, with the text escaped', async () => {
    const runtime = await stubRuntime(scratch(), { version: '100%\n' });
    const { code, out } = await run(runtime, ['--github']);
    expect(code).toBe(1);
    const lines = out.trimEnd().split('\n');
    for (const line of lines) expect(line).toMatch(/^::(?:debug|error file=package\.json,title=)/u);
    expect(lines).toContain(
      '::error file=package.json,title=tfe-node pin check%3A TFE_LIBRARY_VERSION::' +
        'TF_Version(): 100%25%0A, pinned is 2.21.0 Run `npx tfe-node runtime install --force`.',
    );
  });

  test('--json and --github exclude each other', async () => {
    const runtime = await stubRuntime(scratch());
    await expect(run(runtime, ['--json', '--github'])).rejects.toThrow();
  });
});
