import { describe, expect, it } from '@jest/globals';
import { originalPositionFor, TraceMap } from '@jridgewell/trace-mapping';
import {
  emitDeclarations,
  emitJavaScript,
  isCommonJs,
  rewriteDeclarations,
  specifiersOf,
} from '../../../plugins/core/emit';
import { lowerSource } from '../../../plugins/core/lower';
import { thrownBy } from '../../helpers/thrown';
import { analyze, expectExactMap, expectParses, HEADER, Lines } from './lower-support';

function emitText(source: string, file = 'score.ts') {
  const analysis = analyze(source, { file });
  const lowered = lowerSource(analysis, { sourceFile: file });
  const emitted = emitJavaScript(analysis, lowered, {
    sourceFile: file,
    mapSource: `../src/${file}`,
  });
  expectParses(emitted.code, 'score.js');
  return emitted;
}

const SCORE = `${HEADER}
/** Größe. */
export function score(x: T2, w: T2, n: number): T2 {
  const größe = tf.add(x, /* w */ w); /* 日本 */ const b = tf.relu(größe);
  for (let i = 0; i < n; i++) { console.log('ü', i, größe.shape, \`\${n} tf.add\`); }
  if (n > 1) return tf.softmax(
    tf.add(b, // one
      tf.cos(b)),
    1,
  );
  return ((tf.softmax))(größe, 1);
}
`;

describe('JavaScript', () => {
  it('has no types, runs on Node 20, and keeps both legs and their imports', () => {
    const { code } = emitText(SCORE);
    expect(code).toContain('import { tf } from "fake";');
    expect(code).not.toContain('fake/types');
    expect(code).toContain('$.apply(1, größe)');
    expect(code).toContain('tf.add(');
    expect(code).toContain('import * as $tfe from "tfe-node/lowered";');
  });

  it('keeps an import that only the source leg uses', () => {
    const source = `${HEADER}import { one } from './one';\nexport const f = (x: T2) => tf.softmax(x, 1);\nexport const g = (x: T2) => tf.add(x, one as unknown as T2);`;
    expect(emitText(source).code).toContain('from "./one"');
  });

  it.each([
    ['LF', SCORE],
    ['CRLF', SCORE.replaceAll('\n', '\r\n')],
    ['a BOM', `\ufeff${SCORE}`],
    ['a hashbang', `#!/usr/bin/env node\n${SCORE}`],
    ['U+2028 in a template', `const t = \`\u2028\`; ${SCORE}`],
    ['using', SCORE.replace('const größe', 'using größe')],
    ['nothing lowered', 'export const y: number = Math.max(1, 2);\n'],
  ])('maps every token back through both steps, with %s', (_, source) => {
    const { code, map } = emitText(source);
    expect(map.sources).toEqual(['../src/score.ts']);
    expect(map.sourcesContent).toEqual([source.replace(/^\ufeff/, '')]);
    expectExactMap(code, map, 'score.js');
  });

  it('maps a lowered call to the call that it replaces, and keeps its name', () => {
    const { code, map } = emitText(SCORE);
    const at = new Lines(code).position(code.indexOf('$.apply(\n'));
    const found = originalPositionFor(new TraceMap(map), at);
    const source = new Lines(SCORE);
    expect(source.offset(found as { line: number; column: number })).toBe(
      SCORE.indexOf('tf.add(x, /*'),
    );
    expect(found.name).toBe('tf.add');
  });

  it('gets the helper of using from this package, whatever names the file has', () => {
    const source = `import { tf } from 'fake';
const _usingCtx = 1, babelHelpers = \`
import _usingCtx2 from "@oxc-project/runtime/helpers/usingCtx";
\`;
export function f() { using a = tf.open(); return [a, _usingCtx, babelHelpers]; }
export async function g() { await using a = tf.open(); for (using b of [a]) { tf.use(b); } }
`;
    const { code } = emitText(source);
    expect(code).toMatch(/^import \{ usingCtx as _usingCtx\d+ \} from "tfe-node\/lowered";$/m);
    expect(code.match(/@oxc-project/g)).toHaveLength(1);
    expect(code).not.toMatch(/\busing a\b/);
  });

  it.each([
    ['a decorator', 'export class A {\n  @dec m() {}\n}', 2, 3],
    ['an auto-accessor', 'export class A {\n  accessor m = 1;\n}', 2, 3],
    ['import defer', "import defer * as a from 'a';\nexport { a };", 1, 1],
  ])('refuses %s, which Node 20 does not run, and says where', (_, source, line, column) => {
    const error = thrownBy(() => emitText(source));
    expect(error.code).toBe('TFE_BUILD_SYNTAX');
    expect(error.facts).toMatchObject({ file: 'score.ts', line, column });
  });

  it('refuses what only a transformer notices, at its place in the source', () => {
    const source = `${HEADER}const ü = '日本😀';\nexport function f(x: T2) { let z = 1; let z = tf.relu(x); return z; }`;
    const error = thrownBy(() => emitText(source));
    expect(error.code).toBe('TFE_BUILD_SYNTAX');
    expect(error.facts).toMatchObject({ line: 4, column: 32 });
    expect(error.message).toContain('`z` has already been declared');
  });

  it.each([
    ["import fake = require('fake');\nexport = fake;"],
    ["const fake = require('fake');\nfake.run();"],
  ])('refuses CommonJS: %j', (source) => {
    expect(thrownBy(() => emitText(source)).code).toBe('TFE_BUILD_COMMONJS');
  });
});

describe('declarations', () => {
  it('are those of the source, with its comments', () => {
    const source = `${HEADER}/** Scores. */\nexport function f(x: T2, n = 2): T2 { return tf.relu(x); }\nconst hidden = 1;\n`;
    expect(emitDeclarations(analyze(source), 'score.ts')).toBe(
      'import type { T2 } from "fake/types";\n/** Scores. */\nexport declare function f(x: T2, n?: number): T2;\n',
    );
  });

  it('name every export whose type would have to be inferred, at its place', () => {
    const source = `\ufeffconst ü = '日本😀';
export function f(x: number) { return g(x); }
export const a: number = 1, b = g(2);
export class K { m(x) {} }
export default function () { return g(1); }
declare function g(x: number): number;
`;
    const error = thrownBy(() => emitDeclarations(analyze(source), 'score.ts'));
    expect(error.code).toBe('TFE_BUILD_DECLARATIONS');
    expect(error.facts['exports']).toEqual([
      {
        name: 'f',
        line: 2,
        column: 17,
        problem: 'Function must have an explicit return type annotation',
      },
      { name: 'b', line: 3, column: 29, problem: 'Variable must have an explicit type annotation' },
      {
        name: 'K',
        line: 4,
        column: 20,
        problem: 'Parameter must have an explicit type annotation',
      },
      {
        name: 'K',
        line: 4,
        column: 18,
        problem: 'Method must have an explicit return type annotation',
      },
      expect.objectContaining({ name: 'default', line: 5, column: 25 }),
    ]);
    expect(error.message).toContain(
      "'f' (2:17): Function must have an explicit return type annotation",
    );
    expect(error.message).toContain('Give each of these exports an explicit type.');
  });

  it('get the specifiers of the emitted files, wherever one may stand', () => {
    const code = `import { a } from './a';
export * from "./b";
export { c } from './c';
export type D = import('./d').D | typeof import('./e');
declare module './f' {
	interface F {}
}
import g = require('./g');
export { g };
import 'outside';
`;
    const seen: string[] = [];
    const result = rewriteDeclarations(code, (specifier) => {
      seen.push(specifier);
      return specifier.startsWith('./') ? `${specifier}.js` : null;
    });
    expect(seen.sort()).toEqual(['./a', './b', './c', './d', './e', './f', './g', 'outside']);
    for (const name of 'abcdefg') expect(result).toContain(`"./${name}.js"`);
    expect(result).toContain("'outside'");
  });
});

describe('specifiers', () => {
  it('of a source are found with their ranges', () => {
    const source =
      "import './a'; export * from \"./b\"; const c = () => import('./c'); import(c());";
    const found = specifiersOf(analyze(source).program);
    expect(found.map(({ value, start, end }) => [value, source.slice(start, end)])).toEqual([
      ['./a', "'./a'"],
      ['./b', '"./b"'],
      ['./c', "'./c'"],
    ]);
  });
});

describe('isCommonJs', () => {
  it.each([
    ["const a = require('a');", true],
    ['module.exports = 1;', true],
    ['console.log(__dirname);', true],
    ["import a from 'a'; const require = 1;", false],
    ['console.log(1);', false],
    ['({ required: 1 });', false],
    ['syntax error here', false],
  ])('of %j is %p', (source, expected) => {
    expect(isCommonJs('a.js', source)).toBe(expected);
  });
});
