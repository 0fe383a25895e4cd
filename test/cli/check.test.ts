/** `tfe-node check`, as a shell sees it. */
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { describe, expect, test } from '@jest/globals';

import { check, register } from '../../lib/cli/check';
import type { CliContext } from '../../lib/cli/context';
import { Command } from '../../lib/vendor/commander';
import type { JsonReport } from '../../plugins/core/report';
import { cleanScratchAfterEach, scratch } from '../helpers/scratch';
import { fakePlugin } from '../plugins/core/fake-plugin';

cleanScratchAfterEach();

const HEAD = `import { tf } from 'tfe-node';
import type { TensorF32Cpu2D } from 'tfe-node/types';
`;
const NATIVE = `${HEAD}export const native = (x: TensorF32Cpu2D): TensorF32Cpu2D => tf.nn.relu(x);\n`;
const MIXED = `${HEAD}export const mixed = (x: TensorF32Cpu2D): TensorF32Cpu2D => tf.nn.relu(tf.cos(x));\n`;
const EXEMPT = `${HEAD}export function exempt(x: TensorF32Cpu2D) { 'use tfe exempt'; return tf.cos(x); }\n`;
const PLAIN = "import { tf } from 'tfe-node';\nexport const plain = (x) => tf.nn.relu(x);\n";

function project(files: Readonly<Record<string, string>>): string {
  const folder = scratch();
  for (const [name, text] of Object.entries({ 'package.json': '{}', ...files })) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  return folder;
}

interface Outcome {
  readonly out: string;
  readonly err: string;
  readonly exitCode: number;
}

/** Runs `tfe-node check ...args` with the plugin that ships. */
async function run(cwd: string, args: string[], env: CliContext['env'] = {}): Promise<Outcome> {
  let out = '';
  let err = '';
  const context: CliContext = {
    cwd,
    env,
    isTerminal: false,
    out: (text) => void (out += text),
    err: (text) => void (err += text),
    exitCode: 0,
  };
  const program = new Command('tfe-node').exitOverride().configureOutput({
    writeErr: () => undefined,
    writeOut: () => undefined,
  });
  register(program, context);
  await program.parseAsync(['check', ...args], { from: 'user' });
  return { out, err, exitCode: context.exitCode };
}

async function json(cwd: string, args: string[], env?: CliContext['env']): Promise<JsonReport> {
  return JSON.parse((await run(cwd, [...args, '--json'], env)).out) as JsonReport;
}

describe('what is checked', () => {
  test('a file', async () => {
    const { out, err, exitCode } = await run(project({ 'a.ts': NATIVE }), ['a.ts']);
    expect(out).toContain('native  native  native-plugin:tfe-tensorflow  (a.ts:3:14)');
    expect(out).toContain('3:62    tf.nn.relu  claimed  tfe-tensorflow/relu-f32-cpu-2d');
    expect([err, exitCode]).toEqual(['', 0]);
  });

  test('a folder: TypeScript below it, sorted, without packages, declarations and hidden folders', async () => {
    const cwd = project({
      'src/z.ts': NATIVE,
      'src/a.mts': NATIVE,
      'src/b.cts': NATIVE,
      'src/deep/c.tsx': NATIVE,
      'src/d.d.ts': 'declare const d: 1;',
      'src/e.d.mts': 'declare const e: 1;',
      'src/f.js': 'no(',
      'src/node_modules/p/index.ts': 'no(',
      'src/.hidden/h.ts': 'no(',
    });
    const { files } = await json(cwd, ['src']);
    expect(files.map(({ file }) => file)).toEqual([
      'src/a.mts',
      'src/b.cts',
      'src/deep/c.tsx',
      'src/z.ts',
    ]);
  });

  test('a link back to a folder above is not followed', async () => {
    const cwd = project({ 'src/a.ts': NATIVE });
    symlinkSync('..', join(cwd, 'src', 'loop'));
    expect((await json(cwd, ['.'])).files.map(({ file }) => file)).toEqual(['src/a.ts']);
  });

  test('a folder whose name means something in patterns', async () => {
    const cwd = project({ '[a](b){c}*/a.ts': NATIVE });
    expect((await json(cwd, ['[a](b){c}*'])).files).toHaveLength(1);
  });

  test('each file once, also when it is named twice', async () => {
    const cwd = project({ 'src/a.ts': NATIVE });
    expect((await json(cwd, ['src', 'src/a.ts', './src/../src/a.ts'])).files).toHaveLength(1);
  });

  test('JavaScript when it is named', async () => {
    const cwd = project({
      'a.js': "const { tf } = require('tfe-node');\nconst f = (x) => tf.add(x, x);",
    });
    expect((await json(cwd, ['a.js'])).files[0]?.functions[0]?.status).toBe('not annotated');
  });

  test.each([
    ['does not exist', 'absent.ts'],
    ['does not exist', 'a.ts/below'],
    ['is not a source file', 'package.json'],
  ])('a path that %s is an error: %s', async (problem, path) => {
    const cwd = project({ 'a.ts': NATIVE });
    await expect(run(cwd, [path])).rejects.toMatchObject({
      code: 'TFE_CHECK_PATH',
      facts: { path, problem },
    });
  });

  test('nothing named is a wrong command line', async () => {
    await expect(run(project({}), [])).rejects.toMatchObject({ code: 'commander.missingArgument' });
  });
});

describe('the exit code', () => {
  test.each([
    ['mixed functions', MIXED],
    ['functions without annotation', PLAIN],
    ['nothing', ''],
  ])('is 0 with %s when nothing is required', async (_, text) => {
    expect((await run(project({ 'a.ts': text }), ['a.ts'])).exitCode).toBe(0);
  });

  test('is 1 when a file does not parse; the others are analysed', async () => {
    const cwd = project({ 'a.ts': 'const a = ;', 'b.ts': NATIVE });
    const { out, exitCode } = await run(cwd, ['.']);
    expect(exitCode).toBe(1);
    expect(out).toContain('a.ts:1:11  TFEC-000');
    expect(out).toContain('native-plugin:tfe-tensorflow');
  });

  test.each<[string, string, number, string]>([
    ['all is native', NATIVE, 0, ''],
    ['a function is mixed', `${NATIVE}${MIXED.replace(HEAD, '')}`, 1, 'mixed (mixed)'],
    ['nothing is annotated', PLAIN, 1, 'there is no annotated function'],
    ['there is nothing', '', 1, 'there is no annotated function'],
    ['the rest is exempt', `${NATIVE}${EXEMPT.replace(HEAD, '')}`, 0, ''],
    ['all is exempt', EXEMPT, 1, 'there is no annotated function'],
    ['the rest is not annotated', `${NATIVE}${PLAIN.split('\n')[1]}`, 0, ''],
  ])('with --require native, when %s', async (_, text, exitCode, said) => {
    const outcome = await run(project({ 'a.ts': text }), ['a.ts', '--require', 'native']);
    expect(outcome.exitCode).toBe(exitCode);
    expect(outcome.err).toContain(said);
    if (said === '') expect(outcome.err).toBe('');
  });

  test('with --require native, when a file does not parse', async () => {
    const cwd = project({ 'a.ts': NATIVE, 'b.ts': '(' });
    expect((await run(cwd, ['.', '--require', 'native'])).exitCode).toBe(1);
  });

  test('--require takes nothing but native', async () => {
    await expect(run(project({}), ['.', '--require', 'mixed'])).rejects.toMatchObject({
      code: 'commander.invalidArgument',
    });
  });
});

describe('the policy', () => {
  const status = async (args: string[], env?: CliContext['env'], files = {}): Promise<string> => {
    const cwd = project({ 'a.ts': MIXED, ...files });
    return (await json(cwd, ['a.ts', ...args], env)).files[0]!.functions[0]!.status;
  };

  test('is site, unless the command line, the environment or the configuration say otherwise', async () => {
    const configured = { 'tfe.config.json': '{"fallback": "function"}' };
    expect(await status([])).toBe('mixed');
    expect(await status([], {}, configured)).toBe('fallback');
    expect(await status([], { TFE_NODE_FALLBACK: 'site' }, configured)).toBe('mixed');
    expect(await status([], { TFE_NODE_FALLBACK: 'function' })).toBe('fallback');
    expect(await status(['--fallback', 'site'], { TFE_NODE_FALLBACK: 'function' })).toBe('mixed');
    expect(await status(['--fallback', 'function'])).toBe('fallback');
  });

  test('of the environment is checked', async () => {
    await expect(status([], { TFE_NODE_FALLBACK: 'none' })).rejects.toMatchObject({
      code: 'TFE_FALLBACK_POLICY',
    });
  });

  test('of a named configuration applies', async () => {
    const files = { 'other.json': '{"fallback": "function"}' };
    expect(await status(['--config', 'other.json'], {}, files)).toBe('fallback');
    await expect(status(['--config', 'absent.json'])).rejects.toMatchObject({
      code: 'TFE_CONFIG_UNREADABLE',
    });
  });
});

test('a plugin of the configuration is active beside the one that ships', async () => {
  const cwd = project({
    'tfe.config.json': '{"plugins": ["./cosine.cjs"]}',
    'cosine.cjs': `exports.plugin = {
      id: 'tfe-cosine',
      apiVersion: '1.0',
      covers: () => ({ packages: ['tfe-node'], symbols: ['tf.cos'] }),
      describe: () => [{
        id: 'tfe-cosine/cos', scope: { kind: 'call', pattern: 'tf.cos' }, constraint: '', outcome: 'native',
        diagnosticCode: 'TFEP-COSINE-001', guidance: '', stability: 'stable',
      }],
      typeVocabulary: () => [],
      claim: (site) => site.target === 'tf.cos'
        ? { verdict: 'claimed', ruleId: 'tfe-cosine/cos', resultType: site.operandTypes[0] }
        : { verdict: 'not covered', resultType: null },
      lower: () => ({ expr: 'undefined' }),
    };`,
    'a.ts': MIXED,
  });
  const { files } = await json(cwd, ['a.ts']);
  expect(files[0]?.functions[0]?.route).toBe('native-plugin:tfe-cosine+tfe-tensorflow');
});

test('the JSON is the contract', async () => {
  const report = await json(project({ 'a.ts': MIXED }), ['a.ts']);
  expect(report.contractVersion).toBe('1.0');
  expect(report.summary.functions.mixed).toBe(1);
  expect(report.files[0]?.functions[0]).toMatchObject({
    name: 'mixed',
    exported: true,
    status: 'mixed',
    route: 'mixed-plugin:tfe-tensorflow',
    scoped: true,
    reason: { code: 'TFEC-030', becauseOf: null, range: { line: 3, column: 72 } },
  });
});

test('other plugins can be built in', () => {
  const cwd = project({ 'a.ts': NATIVE });
  let out = '';
  const context: CliContext = {
    cwd,
    env: {},
    isTerminal: false,
    out: (text) => void (out += text),
    err: () => undefined,
    exitCode: 0,
  };
  check(['a.ts'], {}, context, [fakePlugin]);
  expect(out).toContain('native-plugin:tfe-fake');
});
