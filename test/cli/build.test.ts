import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { execFileSync, spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { transformFileSync } from '@swc/core';
import { build, register } from '../../lib/cli/build';
import { commitOutput } from '../../lib/cli/build-output';
import type { CliContext } from '../../lib/cli/context';
import type { TfeError } from '../../lib/errors';
import { Command } from '../../lib/vendor/commander';
import { thrownBy } from '../helpers/thrown';
import { loweringPlugin } from '../plugins/core/lower-fake-plugin';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tfe-build-test-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

function write(files: Readonly<Record<string, string | Uint8Array>>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
}

function read(name: string): string {
  return readFileSync(join(folder, name), 'utf8');
}

/** Every file below a folder of the test, sorted. */
function list(name: string): string[] {
  return readdirSync(join(folder, name), { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name).slice(join(folder, name).length + 1))
    .sort();
}

interface Printed {
  out: string;
  err: string;
}

function run(
  source = 'src',
  options: { out?: string; fallback?: 'site' | 'function'; config?: string } = {},
  env: CliContext['env'] = {},
): Printed {
  const printed = { out: '', err: '' };
  const context: CliContext = {
    cwd: folder,
    env,
    isTerminal: false,
    out: (text) => void (printed.out += text),
    err: (text) => void (printed.err += text),
    exitCode: 0,
  };
  build(source, { out: 'out', ...options }, context, [loweringPlugin()]);
  return printed;
}

const IMPORTS = "import { tf } from 'fake';\nimport type { T2 } from 'fake/types';\n";
const SCORE = `${IMPORTS}export function score(x: T2, w: T2): T2 {
  return tf.softmax(tf.add(x, w), 1);
}
`;

/** Stand-ins for the packages that built files import: ops are texts, so that what ran can be read. */
function writePackages(): void {
  const using = transformFileSync(join(__dirname, '../../lib/lowered/using.ts'), {
    jsc: { parser: { syntax: 'typescript' }, target: 'es2022' },
    module: { type: 'es6' },
    swcrc: false,
  }).code;
  write({
    'node_modules/fake/package.json': '{ "type": "module", "exports": "./index.js" }',
    'node_modules/fake/index.js': `
const op = (name) => (...inputs) => name + '(' + inputs.join() + ')';
export const tf = { add: op('add'), relu: op('relu'), cos: op('cos'), softmax: (x) => op('softmax')(x),
  open: (name) => ({ toString: () => name, [Symbol.dispose]() { console.log('closed ' + name); } }) };
`,
    'node_modules/tfe-node/package.json':
      '{ "type": "module", "exports": { "./lowered": "./lowered.js" } }',
    'node_modules/tfe-node/using.js': using,
    'node_modules/tfe-node/lowered.js': `
export { usingCtx } from './using.js';
const frameOf = (spec) => ({
  value: (value) => value,
  apply(site, ...inputs) {
    const { op, position } = spec.sites[site];
    if (inputs.includes('boom')) throw new Error('boom at ' + position);
    return (op.name ?? op.familyId.split('.')[1]) + '(' + inputs.join() + ')';
  },
});
export function define(spec) {
  const run = (values, lowered, source) => {
    if (lowered === null || process.env.TFE_NODE_MODE === 'fallback') return source();
    console.log('lowered ' + spec.name);
    return lowered(frameOf(spec));
  };
  return { run, runAsync: run };
}
`,
  });
}

function node(name: string, args: string[] = [], env: Readonly<Record<string, string>> = {}) {
  const result = spawnSync(process.execPath, [...args, join(folder, name)], {
    encoding: 'utf8',
    env: { PATH: process.env['PATH'], ...env },
  });
  return { out: result.stdout, err: result.stderr, code: result.status };
}

describe('what is written', () => {
  it('is a module, its map and its declarations, and a package.json that makes Node read it', () => {
    write({ 'src/score.ts': SCORE });
    const { out, err } = run();
    expect(list('out')).toEqual([
      '.tfe-build.json',
      'package.json',
      'score.d.ts',
      'score.js',
      'score.js.map',
    ]);
    expect(err).toBe('');
    expect(out).toBe(
      'score.ts:3:17  score  native, 2 of 2 sites lowered\n' +
        '1 module built into out: 1 native, 0 mixed, 0 fallback\n',
    );
    expect(read('out/score.js')).toMatch(/\n\/\/# sourceMappingURL=score\.js\.map\n$/);
    expect(JSON.parse(read('out/score.js.map'))).toMatchObject({
      version: 3,
      file: 'score.js',
      sources: ['../src/score.ts'],
      sourcesContent: [SCORE],
    });
    expect(read('out/score.d.ts')).toContain('export declare function score(x: T2, w: T2): T2;');
    expect(JSON.parse(read('out/package.json'))).toEqual({ type: 'module' });
  });

  it('says for each annotated function what became of it, and why', () => {
    write({
      'src/a.ts': `${IMPORTS}export function mixed(x: T2): T2 { return tf.cos(tf.relu(x)); }
export function none(x: T2): T2 { return tf.cos(x); }
export function exempt(x: T2): T2 { 'use tfe exempt'; return tf.relu(x); }
export function plain(x: number): number { return x; }
`,
    });
    const { out } = run();
    const lines = out.split('\n');
    expect(lines[0]).toMatch(/^a\.ts:3:17 {2}mixed {2}mixed, 1 of 2 sites lowered: .*tf\.cos/);
    expect(lines[1]).toMatch(
      /^a\.ts:4:17 {2}none {2}fallback, runs as written, in a scope: .*tf\.cos/,
    );
    expect(lines[2]).toMatch(/^a\.ts:5:17 {2}exempt {2}fallback, runs as written: /);
    expect(lines[3]).toBe('1 module built into out: 0 native, 1 mixed, 2 fallback');
  });

  it('follows --fallback, TFE_NODE_FALLBACK and the configuration, in that order', () => {
    write({ 'src/a.ts': `${IMPORTS}export const f = (x: T2): T2 => tf.cos(tf.relu(x));\n` });
    const isLowered = () => read('out/a.js').includes('$.apply');
    run();
    expect(isLowered()).toBe(true);
    run('src', { fallback: 'function' });
    expect(isLowered()).toBe(false);
    run('src', {}, { TFE_NODE_FALLBACK: 'function' });
    expect(isLowered()).toBe(false);
    write({ 'my.json': '{ "fallback": "function" }' });
    run('src', { config: 'my.json' });
    expect(isLowered()).toBe(false);
    run('src', { config: 'my.json', fallback: 'site' });
    expect(isLowered()).toBe(true);
    expect(thrownBy(() => run('src', { config: 'none.json' })).code).toBe('TFE_CONFIG_UNREADABLE');
  });

  it('keeps folders, copies what Node reads as it is, and rewrites the specifiers between them', () => {
    const main = `import { b } from './lib/b';
import { c } from './lib/c.ts';
import { d } from './lib';
import { e } from './e.js';
import { f } from './f.mjs';
import data from './data.json' with { type: 'json' };
import { g } from "./g";
import type { T } from './types';
import 'node:fs';
export * from './lib/b';
export const later = (): Promise<typeof import('./lib/b')> => import('./lib/b');
export const all: [T, ...unknown[]] = [b, c, d, e, f, data, g];
`;
    write({
      'src/main.ts': main,
      'src/lib/b.ts': "export const b: string = 'b';\n",
      'src/lib/c.ts': "import { b } from '../lib/b';\nexport const c: string = b;\n",
      'src/lib/index.ts': "export { c as d } from './c';\n",
      'src/e.js': 'export const e = 1;\n',
      'src/f.mts': 'export const f: number = 1;\n',
      'src/g.mjs': 'export const g = 1;\n',
      'src/data.json': '{}',
      'src/types.d.ts': 'export type T = string;\n',
      'src/readme.txt': 'no',
      'src/.hidden.ts': 'no',
      'src/node_modules/a/index.ts': 'no',
    });
    const { err } = run();
    expect(err).toBe('');
    expect(list('out')).toEqual([
      '.tfe-build.json',
      'data.json',
      'e.js',
      'f.d.mts',
      'f.mjs',
      'f.mjs.map',
      'g.mjs',
      'lib/b.d.ts',
      'lib/b.js',
      'lib/b.js.map',
      'lib/c.d.ts',
      'lib/c.js',
      'lib/c.js.map',
      'lib/index.d.ts',
      'lib/index.js',
      'lib/index.js.map',
      'main.d.ts',
      'main.js',
      'main.js.map',
      'package.json',
      'types.d.ts',
    ]);
    const code = read('out/main.js');
    const froms = [...code.matchAll(/(?:from|import) "([^"]+)"/g)].map((match) => match[1]);
    expect(froms).toEqual([
      './lib/b.js',
      './lib/c.js',
      './lib/index.js',
      './e.js',
      './f.mjs',
      './data.json',
      './g.mjs',
      'node:fs',
      './lib/b.js',
    ]);
    expect(code).toContain('import("./lib/b.js")');
    expect(read('out/main.d.ts')).toContain('import("./lib/b.js")');
    expect(read('out/main.d.ts')).toContain('from "./types.js"');
    expect(read('out/lib/c.js')).toContain('from "./b.js"');
    expect(node('out/main.js')).toEqual({ out: '', err: expect.anything(), code: 0 });
    const map = JSON.parse(read('out/lib/c.js.map')) as { sources: string[] };
    expect(map.sources).toEqual(['../../src/lib/c.ts']);
  });

  it('notes imports that lead out of the build', () => {
    write({
      'src/a.ts': "import '../other';\nimport './missing';\nexport const a = 1;\n",
      'other.ts': '',
    });
    const { err } = run();
    expect(err).toBe(
      "note: a.ts:1:8: '../other' is not part of this build and stays as written\n" +
        "note: a.ts:2:8: './missing' is not part of this build and stays as written\n",
    );
  });

  it('may be of one file', () => {
    write({ 'src/score.ts': SCORE, 'src/other.ts': 'no( typescript' });
    run('src/score.ts', { out: 'src/dist' });
    expect(list('src/dist')).toContain('score.js');
    expect(list('src/dist')).not.toContain('other.js');
  });

  it('has no package.json of its own below one that says module', () => {
    write({ 'package.json': '{ "type": "module" }', 'src/score.ts': SCORE });
    run();
    expect(list('out')).not.toContain('package.json');
  });

  it('has none either when there are only .mjs files', () => {
    write({ 'src/score.mts': SCORE });
    run();
    expect(list('out')).toEqual(['.tfe-build.json', 'score.d.mts', 'score.mjs', 'score.mjs.map']);
  });

  it('is removed when a later build does not make it again, with the folders that this empties', () => {
    write({ 'src/score.ts': SCORE, 'src/deep/er/old.ts': 'export const a = 1;\n' });
    run();
    write({ 'out/notes.txt': 'mine', 'out/deep/mine.txt': 'mine' });
    rmSync(join(folder, 'src/deep'), { recursive: true });
    const { out } = run();
    expect(out).toContain('removed deep/er/old.js, which an earlier build had made\n');
    expect(list('out')).toEqual([
      '.tfe-build.json',
      'deep/mine.txt',
      'notes.txt',
      'package.json',
      'score.d.ts',
      'score.js',
      'score.js.map',
    ]);
    expect(existsSync(join(folder, 'out/deep/er'))).toBe(false);
  });

  it('is the same, byte for byte, when built again', () => {
    write({ 'src/score.ts': SCORE });
    run();
    const first = list('out').map((name) => read(`out/${name}`));
    run();
    expect(list('out').map((name) => read(`out/${name}`))).toEqual(first);
    expect(readdirSync(folder).sort()).toEqual(['out', 'src']);
  });
});

describe('built files', () => {
  beforeEach(writePackages);

  it('run on this Node, on either leg, with the same result', () => {
    write({
      'src/score.ts': `${IMPORTS}
export function score(x: T2, n = 2): T2 {
  'use tfe fallback=site';
  for (let i = 0; i < n; i++) x = tf.relu(x);
  return tf.softmax(tf.cos(x), /* axis */ 1);
}
export const arrow = async (x: T2): Promise<T2> => tf.add(x, x);
export default function (x: T2): T2 { return tf.relu(x); }
`,
      'src/main.ts': `import other, { arrow, score } from './score';
const x: any = 'x';
console.log(score(x), await arrow(x), other(x));
`,
    });
    run();
    const auto = node('out/main.js');
    expect(auto).toEqual({
      out: 'lowered score\nlowered arrow\nlowered default\nsoftmax(cos(relu(relu(x)))) add(x,x) relu(x)\n',
      err: '',
      code: 0,
    });
    expect(node('out/main.js', [], { TFE_NODE_MODE: 'fallback' }).out).toBe(
      'softmax(cos(relu(relu(x)))) add(x,x) relu(x)\n',
    );
  });

  it('dispose of what using declares, without any other package', () => {
    write({
      'src/main.ts': `${IMPORTS}
function f(x: T2): T2 { using a = tf.open('a'); using b = tf.open('b'); return tf.relu(tf.add(x, x)); }
console.log(f('x' as any));
{ using c = tf.open('c'); console.log('in'); }
`,
    });
    run();
    expect(node('out/main.js').out).toBe(
      'lowered f\nclosed b\nclosed a\nrelu(add(x,x))\nin\nclosed c\n',
    );
  });

  it('can import each other in a circle and be called before they have run', () => {
    write({
      'src/a.ts': `${IMPORTS}import { early } from './b.ts';
export function f(x: T2): T2 { return tf.relu(x); }
console.log(early);
`,
      'src/b.ts': "import { f } from './a.ts';\nexport const early: unknown = f('x' as any);\n",
    });
    run();
    expect(node('out/a.js')).toEqual({ out: 'lowered f\nrelu(x)\n', err: '', code: 0 });
  });

  it('show the source in stack traces', () => {
    write({
      'src/deep/score.ts': `${IMPORTS}
export function score(x: T2): T2 {
  const größe = tf.relu(x);
  return tf.add(
    größe, größe);
}
score('boom' as any);
`,
    });
    run();
    const { err } = node('out/deep/score.js', ['--enable-source-maps']);
    expect(err).toContain('Error: boom at deep/score.ts:5:17');
    expect(err).toMatch(/src\/deep\/score\.ts:5:17\)/);
    expect(err).toMatch(/src\/deep\/score\.ts:9:1\)?/);
    write({ 'src/deep/score.ts': read('src/deep/score.ts').replace('tf.relu(x)', 'nothing(x)') });
    run();
    for (const mode of ['auto', 'fallback']) {
      const traced = node('out/deep/score.js', ['--enable-source-maps'], { TFE_NODE_MODE: mode });
      expect(traced.err).toMatch(/src\/deep\/score\.ts:5:17\)/);
    }
  });
});

describe('what is refused, with nothing written', () => {
  afterEach(() => {
    // No staging folder is left beside anything.
    expect(readdirSync(folder).filter((name) => name.includes('tfe-build-'))).toEqual([]);
  });

  const refused = (code: string, body: () => unknown): TfeError => {
    const error = thrownBy(body);
    expect(error.code).toBe(code);
    expect(existsSync(join(folder, 'out'))).toBe(false);
    return error;
  };

  it('is a source that does not parse, each with its position', () => {
    write({
      'src/a.ts': 'export const a = 1;\nlet = ;\n',
      'src/b/c.ts': 'function (',
      'src/good.ts': SCORE,
    });
    const error = refused('TFE_BUILD_PARSE', () => run());
    expect(error.message).toMatch(/^a\.ts:2:\d+: The file does not parse: /m);
    expect(error.message).toMatch(/^b\/c\.ts:1:\d+: The file does not parse: /m);
  });

  it('is an export whose type would have to be inferred', () => {
    write({
      'src/good.ts': SCORE,
      'src/z.ts':
        'export function f(a: number) { return g(a); }\nconst g = (a: number): number => a;\n',
    });
    const error = refused('TFE_BUILD_DECLARATIONS', () => run());
    expect(error.message).toContain(
      "The declarations of z.ts cannot be written without type inference: 'f' (1:17)",
    );
  });

  it('is a source that is missing, no TypeScript, no text, or empty of modules', () => {
    write({ 'a.js': '', 'empty/a.json': '{}', 'bad/a.ts': new Uint8Array([0xff, 0xfe, 0x00]) });
    for (const source of ['none', 'a.js', 'empty', 'bad']) {
      refused('TFE_BUILD_SOURCE', () => run(source));
    }
    write({ 'types/a.d.ts': '' });
    refused('TFE_BUILD_SOURCE', () => run('types/a.d.ts'));
  });

  it.each(['.cts', '.tsx'])('is a %s file', (extension) => {
    write({ [`src/a${extension}`]: '' });
    const error = refused('TFE_BUILD_UNSUPPORTED', () => run());
    expect(error.message).toContain(`a${extension} cannot be built`);
    refused('TFE_BUILD_UNSUPPORTED', () => run(`src/a${extension}`));
  });

  it('is CommonJS, in TypeScript or in a .js file that would be read as a module', () => {
    write({ 'src/a.ts': "import a = require('fs');\nexport = a;\n" });
    refused('TFE_BUILD_COMMONJS', () => run());
    write({ 'src/a.ts': SCORE, 'src/b.js': "module.exports = require('fs');\n" });
    expect(refused('TFE_BUILD_COMMONJS', () => run()).message).toContain(
      'b.js is a CommonJS module',
    );
    write({ 'package.json': '{ "type": "module" }' });
    run();
    rmSync(join(folder, 'out'), { recursive: true });
  });

  it('is two sources that become the same file', () => {
    write({ 'src/a.ts': SCORE, 'src/a.js': 'export {};' });
    expect(refused('TFE_BUILD_COLLISION', () => run()).message).toContain('a.js');
  });

  it.each([
    ['src', 'src'],
    ['src', 'src/out'],
    ['src', '.'],
    ['src', 'link'],
    ['src', 'link/new/out'],
    ['src/a.ts', 'src'],
    ['src/a.ts', '.'],
    ['src', 'file'],
  ])('is --out that mixes with the source: %s into %s', (source, out) => {
    write({ 'src/a.ts': SCORE, file: '' });
    symlinkSync(join(folder, 'src'), join(folder, 'link'));
    refused('TFE_BUILD_OUT', () => run(source, { out }));
    expect(list('src')).toEqual(['a.ts']);
  });

  it('is a package.json in the way that says something else', () => {
    write({ 'src/a.ts': SCORE, 'src/package.json': '{}' });
    refused('TFE_BUILD_PACKAGE', () => run());
    write({ 'src/package.json': '{ "type": "module" }' });
    run();
    expect(read('out/package.json')).toBe('{ "type": "module" }');
    rmSync(join(folder, 'out'), { recursive: true });
    rmSync(join(folder, 'src/package.json'));
    write({ 'out/package.json': '{ "type": "commonjs" }' });
    expect(thrownBy(() => run()).code).toBe('TFE_BUILD_PACKAGE');
    expect(list('out')).toEqual(['package.json']);
    rmSync(join(folder, 'out'), { recursive: true });
  });
});

describe('files that no build made', () => {
  it('are not replaced, and nothing else is written then', () => {
    write({ 'src/a.ts': SCORE, 'src/b.ts': SCORE, 'out/b.js': 'mine' });
    const error = thrownBy(() => run());
    expect(error.code).toBe('TFE_BUILD_FOREIGN_FILE');
    expect(error.facts['files']).toEqual(['b.js']);
    expect(list('out')).toEqual(['b.js']);
    expect(read('out/b.js')).toBe('mine');
  });

  it('are not replaced where a folder, or a link to one, is in the way', () => {
    write({ 'src/a/b.ts': SCORE, 'elsewhere/x': '' });
    mkdirSync(join(folder, 'out/a/b.js'), { recursive: true });
    expect(thrownBy(() => run()).facts['files']).toEqual(['a/b.js']);
    rmSync(join(folder, 'out'), { recursive: true });
    mkdirSync(join(folder, 'out'));
    symlinkSync(join(folder, 'elsewhere'), join(folder, 'out/a'));
    expect(thrownBy(() => run()).facts['files']).toEqual(['a']);
    expect(list('elsewhere')).toEqual(['x']);
  });

  it.each([
    ['no JSON', '{'],
    ['another version', '{ "version": 2, "files": [] }'],
    ['no list', '{ "version": 1 }'],
    ['no object', 'null'],
    ['a path out of the folder', '{ "version": 1, "files": ["../precious"] }'],
    ['a path out of the folder, inside one', '{ "version": 1, "files": ["a/../../precious"] }'],
    ['an absolute path', '{ "version": 1, "files": ["/etc/passwd"] }'],
    ['a backslash', '{ "version": 1, "files": ["..\\\\precious"] }'],
    ['a number', '{ "version": 1, "files": [1] }'],
    ['itself', '{ "version": 1, "files": [".tfe-build.json"] }'],
  ])('are safe from a list of built files with %s', (_, manifest) => {
    write({ 'src/a.ts': SCORE, 'out/.tfe-build.json': manifest, precious: 'mine' });
    expect(thrownBy(() => run()).code).toBe('TFE_BUILD_MANIFEST');
    expect(read('precious')).toBe('mine');
    expect(list('out')).toEqual(['.tfe-build.json']);
  });

  it('are safe behind a link that a list of built files leads through', () => {
    write({
      'src/a.ts': SCORE,
      'elsewhere/precious': 'mine',
      'out/.tfe-build.json': '{ "version": 1, "files": ["link/precious"] }',
    });
    symlinkSync(join(folder, 'elsewhere'), join(folder, 'out/link'));
    run();
    expect(read('elsewhere/precious')).toBe('mine');
  });
});

describe('a build that is cut short', () => {
  it('leaves the old files whole, and the next one cleans up behind it', () => {
    write({ 'src/a.ts': SCORE });
    run();
    // What a killed build leaves: its staging folder, of a process that is no more.
    const dead = Number(
      execFileSync(process.execPath, ['-p', 'process.pid'], { encoding: 'utf8' }),
    );
    write({
      [`.out.tfe-build-${dead}-abc123/a.js`]: 'half',
      [`.out.tfe-build-${process.pid}-abc123/a.js`]: 'of a build that is running',
      '.out.tfe-build-notes/a.js': 'of somebody else',
    });
    run();
    expect(readdirSync(folder).sort()).toEqual(
      ['.out.tfe-build-notes', `.out.tfe-build-${process.pid}-abc123`, 'out', 'src'].sort(),
    );
  });

  it('at any point leaves only whole files, all of which the next one owns', () => {
    const text = (fill: string) => fill.repeat(200_000);
    const names = Array.from({ length: 40 }, (_, i) => `f${i}/m.js`);
    const script = `
      require(${JSON.stringify(join(__dirname, '../helpers/register-swc.cjs'))});
      const { commitOutput } = require(${JSON.stringify(join(__dirname, '../../lib/cli/build-output.ts'))});
      const names = ${JSON.stringify(names)};
      const files = names.map((path) => ({ path, contents: 'b'.repeat(200000) }));
      process.stdout.write('go');
      for (;;) commitOutput(${JSON.stringify(join(folder, 'out'))}, files);
    `;
    write({ 'build.cjs': script });
    commitOutput(
      join(folder, 'out'),
      names.map((path) => ({ path, contents: text('a') })),
    );
    for (const wait of [0, 3, 7, 20]) {
      const { signal } = spawnSync(process.execPath, [join(folder, 'build.cjs')], {
        timeout: 600 + wait,
        killSignal: 'SIGKILL',
      });
      expect(signal).toBe('SIGKILL');
      for (const name of names) {
        expect([text('a'), text('b')]).toContain(read(`out/${name}`));
      }
    }
    commitOutput(join(folder, 'out'), [{ path: 'only.js', contents: '' }]);
    expect(list('out')).toEqual(['.tfe-build.json', 'only.js']);
    expect(readdirSync(folder).sort()).toEqual(['build.cjs', 'out']);
  });

  it('because nothing can be written where --out is says so', () => {
    write({ 'src/a.ts': SCORE });
    // Nobody may make files there, root included.
    expect(thrownBy(() => run('src', { out: '/proc/out' })).code).toBe('TFE_BUILD_WRITE');
  });

  it('because a parent of --out is a file says so', () => {
    write({ 'src/a.ts': SCORE, file: '' });
    expect(thrownBy(() => run('src', { out: 'file/out' })).code).toBe('TFE_BUILD_WRITE');
  });
});

describe('the command line', () => {
  const parse = async (...argv: string[]) => {
    const printed = { out: '', err: '' };
    const program = new Command('tfe-node').exitOverride().configureOutput({
      writeOut: (text) => void (printed.out += text),
      writeErr: (text) => void (printed.err += text),
    });
    register(program, {
      cwd: folder,
      env: {},
      isTerminal: false,
      out: (text) => void (printed.out += text),
      err: (text) => void (printed.err += text),
      exitCode: 0,
    });
    await program.parseAsync(argv, { from: 'user' });
    return printed;
  };

  it('builds with the plugin of this package', async () => {
    write({
      'src/a.ts': `import { tf } from 'tfe-node';
import type { TensorF32Cpu2D } from 'tfe-node/types';
export const f = (x: TensorF32Cpu2D): TensorF32Cpu2D => tf.nn.relu(x);
`,
    });
    const { out } = await parse('build', 'src', '--out', 'out');
    expect(out).toContain('f  native, 1 of 1 site lowered');
  });

  it('wants --out, and a policy that exists', async () => {
    await expect(parse('build', 'src')).rejects.toMatchObject({
      code: 'commander.missingMandatoryOptionValue',
    });
    await expect(parse('build', 'src', '--out', 'o', '--fallback', 'x')).rejects.toMatchObject({
      code: 'commander.invalidArgument',
    });
  });
});
