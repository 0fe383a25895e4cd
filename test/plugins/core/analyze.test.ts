/** `analyzeSource` where fixtures cannot go: odd texts, positions, policies, plugins that misbehave. */
import { describe, expect, test } from '@jest/globals';

import {
  analyzeSource,
  createRegistry,
  toFileReport,
  type FileAnalysis,
} from '../../../plugins/core';
import type { ClaimSite, Plugin, Verdict } from '../../../plugins/core/api';
import { claimed } from '../../../plugins/core/api';
import { F32_1D, F32_2D, fakePlugin, I64_1D, RULES, SYMBOLS } from './fake-plugin';

const HEAD = `import { tf } from 'tfe-node';
import type { TensorF32Cpu1D, TensorF32Cpu2D } from 'tfe-node/types';
`;

function analyze(
  source: string,
  options: { file?: string; plugins?: Plugin[]; fallback?: 'site' | 'function' } = {},
): FileAnalysis {
  return analyzeSource({
    file: options.file ?? 'a.ts',
    source,
    registry: createRegistry(options.plugins ?? [fakePlugin]),
    config: { fallback: options.fallback ?? 'site' },
  });
}

/** The fake plugin with some members replaced. */
function fake(changes: Partial<Plugin>): Plugin {
  return { ...fakePlugin, ...changes };
}

/** The sites that the plugin was asked about, once each. */
function asked(source: string): ClaimSite[] {
  const sites: ClaimSite[] = [];
  const plugin = fake({
    claim: (site) => {
      sites.push(site);
      return fakePlugin.claim(site);
    },
  });
  analyze(source, { plugins: [plugin] });
  return sites;
}

describe('texts', () => {
  test.each([
    ['nothing', ''],
    ['a BOM alone', '\uFEFF'],
    ['a comment', '// nothing'],
    ['a hashbang', '#!/usr/bin/env node'],
    ['blank lines', '\r\n\r\n'],
  ])('%s is a file without functions', (_, source) => {
    const analysis = analyze(source);
    expect(analysis.diagnostics).toEqual([]);
    expect(analysis.functions).toEqual([]);
    expect(analysis.moduleKind).toBe('script');
  });

  const body = 'export const f = (x: TensorF32Cpu2D) => tf.nn.relu(tf.cos(x));\n';

  test.each([
    ['LF', HEAD + body],
    ['CRLF', (HEAD + body).replaceAll('\n', '\r\n')],
    ['a BOM', `\uFEFF${HEAD}${body}`],
    ['a line separator', (HEAD + body).replaceAll('\n', '\u2028')],
  ])('positions are right with %s', (_, source) => {
    const [f] = analyze(source).functions;
    expect(f?.status).toBe('mixed');
    expect(f?.nameRange).toMatchObject({ line: 3, column: 14, endColumn: 15 });
    expect(f?.reason?.range).toMatchObject({ line: 3, column: 52 });
    expect(source.slice(f!.reason!.range.start, f!.reason!.range.end)).toBe('tf.cos(x)');
  });

  test('columns count UTF-16 units, and a BOM has none', () => {
    const source = `\uFEFF/* 😀 */ const f = (x: import('tfe-node/types').TensorF32Cpu2D) => x;`;
    expect(analyze(source).functions[0]?.nameRange).toMatchObject({ line: 1, column: 16 });
  });

  test('a hashbang and a directive come before the insertion point', () => {
    const source = `#!/usr/bin/env node\n'use strict';\n${HEAD}`;
    const { insertionPoint, moduleKind } = analyze(source);
    expect(source.slice(0, insertionPoint)).toBe("#!/usr/bin/env node\n'use strict';");
    expect(moduleKind).toBe('module');
  });

  test.each([
    ['import x from "x"', 'module'],
    ['export {}', 'module'],
    ['import.meta.url', 'module'],
    ['const x = require("x")', 'commonjs'],
    ['import x = require("x")', 'commonjs'],
    ['export = 1', 'commonjs'],
    ['const x = 1', 'script'],
  ])('%s makes the file a %s', (source, kind) => {
    expect(analyze(source).moduleKind).toBe(kind);
  });

  test('a syntax error is a diagnostic with its place, and nothing else is said', () => {
    const analysis = analyze('const a = 1;\nconst b = ;\n');
    expect(analysis.functions).toEqual([]);
    expect(analysis.program).toBeNull();
    expect(analysis.diagnostics).toHaveLength(1);
    expect(analysis.diagnostics[0]).toMatchObject({
      code: 'TFEC-000',
      range: { line: 2, column: 11, start: 23 },
    });
    expect(analysis.diagnostics[0]?.message).toContain('Unexpected token');
  });

  test.each(['a.ts', 'a.mts', 'a.cts', 'a.tsx'])('%s may be annotated', (file) => {
    expect(analyze(HEAD + body, { file }).functions[0]?.status).toBe('mixed');
  });

  test.each(['a.js', 'a.mjs', 'a.jsx', 'a.cjs'])('%s is JavaScript', (file) => {
    const source = "const { tf } = require('tfe-node');\nfunction f(x) { return tf.nn.relu(x); }\n";
    expect(analyze(source, { file }).functions[0]?.status).toBe('not annotated');
    expect(analyze(HEAD + body, { file }).diagnostics[0]?.code).toBe('TFEC-000');
  });

  test('sloppy JavaScript is read as a script, and `with` is a dynamic scope', () => {
    const source = 'function f(x) { with (x) { return y; } }';
    expect(analyze(source, { file: 'a.cjs' }).diagnostics).toEqual([]);
  });

  test('JSX is read in .tsx', () => {
    const source = `${HEAD}export function View(x: TensorF32Cpu2D) { const h = tf.nn.relu(x); return <p title={h}>{h}</p>; }`;
    const [f] = analyze(source, { file: 'a.tsx' }).functions;
    expect(f?.reasons[0]?.code).toBe('TFEC-131');
    expect(f?.scopeReason?.code).toBe('TFEC-020');
  });

  test('declaration files have nothing to lower', () => {
    const source = `${HEAD}export declare function f(x: TensorF32Cpu2D): TensorF32Cpu2D;`;
    expect(analyze(source, { file: 'a.d.ts' }).functions).toEqual([]);
    expect(analyze(source).functions).toEqual([]);
  });
});

describe('nesting', () => {
  const deep = 200_000;
  test.each([
    ['parentheses', '('.repeat(deep) + ')'.repeat(deep)],
    ['unclosed brackets', '['.repeat(deep)],
    ['blocks', '{'.repeat(deep) + '}'.repeat(deep)],
    ['functions', 'function f(){'.repeat(deep)],
    ['classes', '(class{a='.repeat(deep)],
    ['templates', '`${'.repeat(deep)],
    ['arrow functions', 'a=>'.repeat(deep) + 'a'],
    ['conditionals', 'a?b:'.repeat(deep) + 'c'],
    ['assignments', 'a='.repeat(deep) + 'a'],
    ['powers', 'a**'.repeat(deep) + 'a'],
    ['if statements', 'if(a)'.repeat(deep) + 'b'],
    ['if statements on lines', 'if(a)\n'.repeat(deep) + 'b'],
    ['else if', 'if(a){}else '.repeat(deep) + '{}'],
    ['labels', Array.from({ length: 50_000 }, (_, i) => `l${i}:`).join('') + ';'],
    ['unary operators', '!'.repeat(deep) + '1'],
    ['typeof', 'typeof '.repeat(deep) + '1'],
    ['new', 'new '.repeat(deep) + 'a'],
    ['do', 'do '.repeat(deep) + ';'],
    ['sums', '1' + '+1'.repeat(deep)],
    ['members', 'a' + '.b'.repeat(deep)],
    ['calls', 'a' + '()'.repeat(deep)],
    ['types', `type A = ${'B<'.repeat(deep)}C${'>'.repeat(deep)}`],
    ['keyof', `type A = ${'keyof '.repeat(deep)}B`],
    ['conditional types', `type A = ${'B extends C ? D : '.repeat(deep)}E`],
    ['function types', `type A = ${'() => '.repeat(deep)}B`],
    ['brackets behind a regular expression', `/"/;${'('.repeat(deep)}`],
    ['brackets behind a comment', `/* ' */ // "\n${'('.repeat(deep)}`],
    ['brackets behind a template', `\`\${'}'}\`;${'('.repeat(deep)}`],
  ])('deep %s end in a diagnostic, not in a crash', (_, source) => {
    const analysis = analyze(source);
    expect(analysis.functions).toEqual([]);
    expect(['TFEC-000', 'TFEC-001']).toContain(analysis.diagnostics[0]?.code);
  });

  test.each([
    ['elements', '<a>'.repeat(deep)],
    ['brackets behind an apostrophe in text', `<a>it's</a>;${'('.repeat(deep)}`],
    ['brackets on the line of an apostrophe', `x = <a>'</a> + ${'('.repeat(deep)}`],
    ['brackets behind slashes in text', `x = <a>http://b</a> + ${'('.repeat(deep)}`],
  ])('deep JSX %s end in a diagnostic, not in a crash', (_, source) => {
    const analysis = analyze(source, { file: 'a.tsx' });
    expect(['TFEC-000', 'TFEC-001']).toContain(analysis.diagnostics[0]?.code);
  });

  test('long files that do not nest are analysed', () => {
    const lines = [
      'a.b = c ? d : e',
      'const f = (x) => x * 2',
      "const g = { a: [1, 2], b: '(((' }",
      'if (a) b = c; else if (d) e = !f',
      'for (let i = 0; i < 10; i++) { a[i] = `${i}` }',
      'type T = A extends B ? C : D',
    ];
    const source = Array.from({ length: 6000 }, (_, i) => lines[i % lines.length]).join('\n');
    expect(analyze(source.replaceAll(/const (.)/g, 'var $1')).diagnostics).toEqual([]);
  });
});

describe('places that lowering edits', () => {
  const cases: [string, { params: string; body: string; directives?: string; bare?: boolean }][] = [
    [
      'function f(x: TensorF32Cpu2D) { return x }',
      { params: 'x: TensorF32Cpu2D', body: '{ return x }' },
    ],
    [
      'async function* f /* ( */ <T>( /* a ) */ x: TensorF32Cpu2D, /* b ) */ ) { yield x }',
      { params: ' /* a ) */ x: TensorF32Cpu2D, /* b ) */ ', body: '{ yield x }' },
    ],
    [
      'const f = async (x: TensorF32Cpu2D): Promise<T> => (x)',
      { params: 'x: TensorF32Cpu2D', body: '(x)' },
    ],
    ['const f = (): TensorF32Cpu2D => ({} as any)', { params: '', body: '({} as any)' }],
    [
      "function f(x: TensorF32Cpu2D) { 'a'; 'use tfe fallback=site'; return x }",
      {
        params: 'x: TensorF32Cpu2D',
        body: "{ 'a'; 'use tfe fallback=site'; return x }",
        directives: "{ 'a'; 'use tfe fallback=site';",
      },
    ],
    ['export default function (x: TensorF32Cpu2D) {}', { params: 'x: TensorF32Cpu2D', body: '{}' }],
    [
      'const f = function named(x: TensorF32Cpu2D,) {}',
      { params: 'x: TensorF32Cpu2D,', body: '{}' },
    ],
  ];
  test.each(cases)('%s', (text, wanted) => {
    const source = HEAD + text;
    const [f] = analyze(source).functions;
    if (f === undefined) throw new Error('no function');
    expect(source.slice(...f.paramsSpan)).toBe(wanted.params);
    expect(source.slice(...f.bodySpan)).toBe(wanted.body);
    expect(f.bareParameter).toBe(wanted.bare ?? false);
    expect(f.bodyKind).toBe(wanted.body.startsWith('{') ? 'block' : 'expression');
    expect(source.slice(f.bodySpan[0], f.directivesEnd)).toBe(
      wanted.directives ?? (f.bodyKind === 'block' ? '{' : ''),
    );
    expect(source.slice(...f.statementSpan)).toBe(text);
  });

  test('a parameter without parentheses is marked', () => {
    const source = `${HEAD}const f = async x => tf.nn.relu(x)`;
    const [f] = analyze(source).functions;
    expect(f).toMatchObject({ status: 'not annotated', bareParameter: true, active: false });
    expect(source.slice(...f!.paramsSpan)).toBe('x');
  });

  test('operands, options and receivers are given as written', () => {
    const source = `${HEAD}const f = (x: TensorF32Cpu2D) => tf.nn.softmax((x.relu()), /* b */ 1, ({ axis: 1 }))`;
    const sites = analyze(source).functions[0]!.sites;
    const [softmax, relu] = sites;
    expect(softmax!.operandSpans.map((span) => source.slice(...span))).toEqual(['(x.relu())', '1']);
    expect(source.slice(...softmax!.optionsSpan!)).toBe('({ axis: 1 })');
    expect(softmax!.receiverSpan).toBeNull();
    expect(source.slice(...relu!.receiverSpan!)).toBe('x');
    expect(source.slice(...relu!.span)).toBe('x.relu()');
  });

  test('parameters say their type and where they stand', () => {
    const source = `${HEAD}function f(x: TensorF32Cpu2D, n: number, o = 1, { p }: any) { return tf.nn.relu(x) }`;
    const [f] = analyze(source).functions;
    expect(f!.parameterNames).toBeNull();
    expect(f!.parameters.map(({ name, type, optional }) => [name, type, optional])).toEqual([
      ['x', F32_2D, false],
      ['n', 'number', false],
      ['o', null, true],
      ['{ p }: any', null, false],
    ]);
    expect(f!.parameters[0]!.pluginType?.tensor).toEqual({ dtype: 'float32', rank: 2 });
    expect(source.slice(...f!.parameters[2]!.span)).toBe('o = 1');
  });

  test('all names of the file are known', () => {
    const { identifiers } = analyze(
      `${HEAD}class A { #b = c; d() { label: for (;;) break label; } }`,
    );
    for (const name of ['tf', 'A', 'b', 'c', 'd', 'label']) expect(identifiers).toContain(name);
  });
});

describe('sites', () => {
  const inside = (call: string, parameters = 'x: TensorF32Cpu2D, n: number, s: string'): string =>
    `${HEAD}const f = (${parameters}) => ${call};`;

  test('are frozen, have no location and no answer in them', () => {
    const [site] = asked(inside('tf.nn.softmax(x, { axis: 1 })'));
    expect(site).toEqual({
      kind: 'call',
      module: 'tfe-node',
      target: 'tf.nn.softmax',
      operandTypes: [F32_2D],
      operandLiterals: [{ kind: 'dynamic' }],
      options: {
        kind: 'static',
        entries: [{ name: 'axis', type: 'number', literal: { kind: 'int', value: 1 } }],
      },
      receiver: null,
      ruleId: null,
      resultType: null,
    });
    const frozen = (value: unknown): boolean =>
      typeof value !== 'object' ||
      value === null ||
      (Object.isFrozen(value) && Object.values(value).every(frozen));
    expect(frozen(site)).toBe(true);
  });

  test.each([
    ['1', { kind: 'int', value: 1 }, 'number'],
    ['-1', { kind: 'int', value: -1 }, 'number'],
    ['- -1', { kind: 'int', value: 1 }, 'number'],
    ['-0', { kind: 'int', value: 0 }, 'number'],
    ['0x1F', { kind: 'int', value: 31 }, 'number'],
    ['1_000', { kind: 'int', value: 1000 }, 'number'],
    ['1.0', { kind: 'int', value: 1 }, 'number'],
    ['1e3', { kind: 'int', value: 1000 }, 'number'],
    ['1.5', { kind: 'float', value: 1.5 }, 'number'],
    ['9007199254740993', { kind: 'float', value: 9007199254740992 }, 'number'],
    ['Infinity', { kind: 'float', value: Infinity }, 'number'],
    ['NaN', { kind: 'float', value: NaN }, 'number'],
    ['2 * 3 - 1', { kind: 'int', value: 5 }, 'number'],
    ['(1 as const)', { kind: 'int', value: 1 }, 'number'],
    ['1n', { kind: 'bigint', value: 1n }, 'bigint'],
    ['-2n', { kind: 'bigint', value: -2n }, 'bigint'],
    ['true', { kind: 'bool', value: true }, 'boolean'],
    ['!true', { kind: 'bool', value: false }, 'boolean'],
    ['null', { kind: 'null' }, 'null'],
    ['undefined', { kind: 'undefined' }, 'undefined'],
    ['void 0', { kind: 'undefined' }, 'undefined'],
    ["'NH' + 'WC'", { kind: 'str', value: 'NHWC' }, 'string'],
    ['`N${"H"}W${1}`', { kind: 'str', value: 'NHW1' }, 'string'],
    ['[1, -2, (3)]', { kind: 'intTuple', value: [1, -2, 3] }, null],
    ['[]', { kind: 'intTuple', value: [] }, null],
    ['[1, 0] as const', { kind: 'intTuple', value: [1, 0] }, null],
    ['[1, , 2]', { kind: 'dynamic' }, null],
    ['[...[1]]', { kind: 'dynamic' }, null],
    ['[1.5]', { kind: 'dynamic' }, null],
    ['n', { kind: 'dynamic' }, 'number'],
    ['n + 1', { kind: 'dynamic' }, 'number'],
    ['s', { kind: 'dynamic' }, 'string'],
    ['x', { kind: 'dynamic' }, F32_2D],
    ['{}.a', { kind: 'dynamic' }, null],
    ['/a/', { kind: 'dynamic' }, null],
    ['() => 1', { kind: 'dynamic' }, null],
  ])('an operand %s is %j', (text, literal, type) => {
    const call = `tf.opaque(x, ${text}, 0)`;
    const [site] = asked(inside(call)).filter(({ target }) => target === 'tf.opaque');
    expect(site?.operandLiterals[1]).toEqual(literal);
    expect(site?.operandTypes[1]).toBe(type);
    const [option] = asked(inside(`tf.opaque(x, { o: ${text} })`));
    expect(option?.options).toMatchObject({
      kind: 'static',
      entries: [{ name: 'o', literal, type }],
    });
  });

  test('0 and -0 are one literal, whatever the sign', () => {
    const [site] = asked(inside('tf.opaque(x, -0)'));
    const literal = site?.operandLiterals[1];
    expect(literal?.kind === 'int' && Object.is(literal.value, 0)).toBe(true);
  });

  test.each([
    ['const A = 1', 'A', { kind: 'int', value: 1 }],
    ['const A = 1, B = -A', 'B', { kind: 'int', value: -1 }],
    ['const A = A', 'A', { kind: 'dynamic' }],
    ['let A = 1', 'A', { kind: 'dynamic' }],
    ['var A = 1', 'A', { kind: 'dynamic' }],
    ['const { A } = { A: 1 }', 'A', { kind: 'dynamic' }],
    ['const A = [1]', 'A', { kind: 'dynamic' }],
    ['declare const A: 1', 'A', { kind: 'dynamic' }],
    ['enum A { B = 1 }', 'A.B', { kind: 'dynamic' }],
    ['import { A } from "./a"', 'A', { kind: 'dynamic' }],
    ['const undefined = 1', 'undefined', { kind: 'int', value: 1 }],
  ])('after `%s`, %s is %j', (declaration, text, literal) => {
    const source = `${HEAD}${declaration};\nconst f = (x: TensorF32Cpu2D) => tf.opaque(x, ${text});`;
    expect(asked(source)[0]?.operandLiterals[1]).toEqual(literal);
  });

  test('a local of the name of a constant hides it', () => {
    const source = `${HEAD}const A = 1;\nconst f = (x: TensorF32Cpu2D, A: number) => tf.opaque(x, A);`;
    expect(asked(source)[0]?.operandLiterals[1]).toEqual({ kind: 'dynamic' });
  });

  test.each([
    ['tf.opaque(x)', { kind: 'absent' }],
    ['tf.opaque(x, {})', { kind: 'static', entries: [] }],
    ['tf.opaque({ a: 1 }, x)', { kind: 'absent' }],
    ['tf.opaque(x, { ...s })', { kind: 'dynamic', reason: 'the options object has a spread' }],
    [
      'tf.opaque(x, { [s]: 1 })',
      { kind: 'dynamic', reason: 'the options object has a computed key' },
    ],
    [
      'tf.opaque(x, { get a() { return 1 } })',
      { kind: 'dynamic', reason: 'the options object has a getter or setter' },
    ],
    ['tf.opaque(x, { a() {} })', { kind: 'dynamic', reason: 'the options object has a method' }],
    [
      'tf.opaque(x, { a: 1, "a": 2 })',
      { kind: 'dynamic', reason: "the options object has 'a' twice" },
    ],
    [
      'tf.opaque(x, { "__proto__": s })',
      { kind: 'dynamic', reason: 'the options object sets its prototype' },
    ],
  ])('%s has the options %j', (call, options) => {
    expect(asked(inside(call)).find(({ target }) => target === 'tf.opaque')?.options).toEqual(
      options,
    );
  });

  test('options that are the only argument leave no operand', () => {
    const [site] = asked(inside('tf.opaque({ a: x })'));
    expect(site?.operandTypes).toEqual([]);
    expect(site?.options).toMatchObject({ entries: [{ name: 'a', type: F32_2D }] });
  });

  test('are asked about once, however often they occur', () => {
    const call = 'tf.add(tf.nn.relu(x), tf.nn.relu(x))';
    const sites = asked(inside(`tf.add(${call}, ${call})`));
    expect(sites.map(({ target }) => target).sort()).toEqual(['tf.add', 'tf.nn.relu']);
  });

  test('a spread is never offered', () => {
    expect(asked(inside('tf.opaque(...x)'))).toEqual([]);
  });

  test('methods and operators are offered to the owner of the type, calls to who covers the package', () => {
    const other = fake({
      id: 'tfe-other',
      covers: () => ({ packages: ['other'], symbols: [] }),
      describe: () => [],
      typeVocabulary: () => [],
      claim: () => {
        throw new Error('asked');
      },
    });
    const source = inside('[tf.nn.relu(x), x.relu(), x % x]');
    const [f] = analyze(source, { plugins: [other, fakePlugin] }).functions;
    expect(f?.sites.map((site) => site.verdict)).toEqual(['claimed', 'claimed', 'claimed']);
  });
});

describe('policy', () => {
  const mixed = (directive = ''): string =>
    `${HEAD}export function f(x: TensorF32Cpu2D) { ${directive} return tf.nn.relu(tf.cos(x)); }`;

  test('`function` leaves a function with an unclaimed call as written, its verdicts kept', () => {
    const [f] = analyze(mixed(), { fallback: 'function' }).functions;
    expect(f).toMatchObject({
      status: 'fallback',
      route: 'fallback',
      policy: 'function',
      active: true,
      scoped: true,
      reason: { code: 'TFEC-030' },
    });
    expect(f?.sites.map(({ verdict, route, lowered }) => [verdict, route, lowered])).toEqual([
      ['claimed', 'fallback', false],
      ['not covered', 'fallback', false],
    ]);
  });

  test('a directive wins over it, either way', () => {
    const site = analyze(mixed("'use tfe fallback=site';"), { fallback: 'function' });
    expect(site.functions[0]?.status).toBe('mixed');
    const whole = analyze(mixed("'use tfe fallback=function';"), { fallback: 'site' });
    expect(whole.functions[0]?.status).toBe('fallback');
  });

  test('native functions are native under either', () => {
    const source = `${HEAD}export const f = (x: TensorF32Cpu2D) => tf.nn.relu(x);`;
    expect(analyze(source, { fallback: 'function' }).functions[0]?.status).toBe('native');
  });

  test('a caller of a function that is left as written is not native', () => {
    const annotated = mixed().replace('Cpu2D) {', 'Cpu2D): TensorF32Cpu2D {');
    const source = `${annotated}\nexport const g = (x: TensorF32Cpu2D) => tf.nn.relu(f(x));`;
    const g = analyze(source, { fallback: 'function' }).functions[1];
    expect(g).toMatchObject({ status: 'fallback', reason: { code: 'TFEC-124' } });
  });

  test('a callee whose result is not annotated is named as the cause', () => {
    const source = `${mixed()}\nexport const g = (x: TensorF32Cpu2D) => tf.nn.relu(f(x));`;
    const g = analyze(source).functions[1];
    expect(g?.reason?.message).toContain("the result of 'f' is not annotated");
  });
});

describe('propagation', () => {
  const chain = (names: readonly string[]): string =>
    HEAD +
    names
      .map((name, i) => {
        const next = names[i + 1];
        const inner = next === undefined ? 'tf.cos(x)' : `${next}(x)`;
        return `export function ${name}(x: TensorF32Cpu2D): TensorF32Cpu2D { return tf.nn.relu(${inner}); }\n`;
      })
      .join('');

  test.each([[['a', 'b', 'c', 'd']], [['d', 'c', 'b', 'a']], [['b', 'd', 'a', 'c']]])(
    'does not depend on names: %j',
    (names) => {
      const { functions } = analyze(chain(names));
      expect(functions.map(({ status }) => status)).toEqual(['mixed', 'mixed', 'mixed', 'mixed']);
      expect(functions.map(({ reason }) => reason?.code)).toEqual([
        'TFEC-124',
        'TFEC-124',
        'TFEC-124',
        'TFEC-030',
      ]);
      expect(functions[0]?.reason?.becauseOf).toEqual({ kind: 'function', name: names[1] });
    },
  );

  test('a long chain of callees is settled', () => {
    const names = Array.from({ length: 500 }, (_, i) => `f${i}`);
    expect(analyze(chain(names)).functions.every(({ status }) => status === 'mixed')).toBe(true);
  });
});

describe('unknown ops', () => {
  const complete = fake({
    covers: () => ({ packages: ['tfe-node'], symbols: SYMBOLS, exports: [...SYMBOLS, 'tf.cos'] }),
  });

  test('are named with what they may have meant', () => {
    const source = `${HEAD}export const f = (x: TensorF32Cpu2D) => tf.nn.rellu(tf.cos(tf.nn.relu(x)));`;
    const [f] = analyze(source, { plugins: [complete] }).functions;
    expect(f?.reasons.map(({ code }) => code)).toEqual(['TFEC-004', 'TFEC-030']);
    expect(f?.reason?.message).toBe("'tfe-node' has no 'tf.nn.rellu'.");
    expect(f?.reason?.suggestion).toBe("Did you mean 'tf.nn.relu'?");
  });

  test('are named outside annotated functions too', () => {
    const { diagnostics } = analyze(`${HEAD}tf.softmax(1);\n(() => tf.frobnicate(2))();`, {
      plugins: [complete],
    });
    expect(
      diagnostics.map(({ code, suggestion, range }) => [code, suggestion, range.line]),
    ).toEqual([
      ['TFEC-004', "Did you mean 'tf.nn.softmax'?", 3],
      ['TFEC-004', 'Check the name against the documentation.', 4],
    ]);
  });

  test('are not judged when the plugin does not know all names, but a slip of the hand is seen', () => {
    const source = `${HEAD}export const f = (x: TensorF32Cpu2D) => tf.matmull(tf.nn.relu(x), x);`;
    const [f] = analyze(source).functions;
    expect(f?.reason).toMatchObject({ code: 'TFEC-030', suggestion: "Did you mean 'tf.matmul'?" });
  });
});

describe('plugins that misbehave', () => {
  const source = `${HEAD}export const f = (x: TensorF32Cpu2D) => tf.nn.relu(x);`;
  const second = (changes: Partial<Plugin>): Plugin => ({
    ...fakePlugin,
    id: 'tfe-second',
    describe: () => [{ ...RULES[0]!, id: 'tfe-second/unary', diagnosticCode: 'TFEP-SECOND-001' }],
    typeVocabulary: () => [],
    ...changes,
  });
  const run = (claim: (site: ClaimSite) => unknown): (() => unknown) => {
    const plugin = fake({ claim: claim as (site: ClaimSite) => Verdict });
    return () => analyze(source, { plugins: [plugin] });
  };

  test.each<[string, unknown]>([
    ['nothing', undefined],
    ['a word', 'claimed'],
    ['another verdict', { verdict: 'declined', resultType: null }],
    ['a rule that it does not have', claimed('tfe-fake/other', F32_2D)],
    ['a rule of another kind', claimed('tfe-fake/binop', F32_2D)],
    ['a result type that nobody knows', claimed('tfe-fake/unary', 'tfe-fake/other')],
    ['no result type', { verdict: 'claimed', ruleId: 'tfe-fake/unary', resultType: null }],
    ['an undefined result type', { verdict: 'not covered' }],
    [
      'a code that no rule declares',
      {
        verdict: 'rejected',
        diagnostic: { code: 'TFEP-FAKE-999', message: 'm', suggestion: 's' },
        resultType: null,
      },
    ],
    ['no diagnostic', { verdict: 'rejected', resultType: null }],
    [
      'a diagnostic without text',
      { verdict: 'rejected', diagnostic: { code: 'TFEP-FAKE-001' }, resultType: null },
    ],
  ])('answering %s is an error that names plugin and call', (_, answer) => {
    expect(run(() => answer)).toThrow(
      expect.objectContaining({
        code: 'TFE_PLUGIN_VERDICT',
        facts: expect.objectContaining({ pluginId: 'tfe-fake', target: 'tf.nn.relu' }),
      }),
    );
  });

  test('throwing is an error with its cause', () => {
    const cause = new TypeError('no such thing');
    const thrown = run(() => {
      throw cause;
    });
    expect(thrown).toThrow(
      expect.objectContaining({ code: 'TFE_PLUGIN_THREW', cause, phase: 'analysis' }),
    );
  });

  test('two that claim one call are an error that names both', () => {
    const plugins = [fakePlugin, second({ claim: () => claimed('tfe-second/unary', F32_2D) })];
    expect(() => analyze(source, { plugins })).toThrow(
      expect.objectContaining({
        code: 'TFE_PLUGIN_CONFLICT',
        facts: { target: 'tf.nn.relu', plugins: ['tfe-fake', 'tfe-second'] },
      }),
    );
  });

  test('of two, one may claim what the other does not cover; the route names both', () => {
    const plugins = [
      second({
        claim: (site) =>
          site.target === 'tf.cos'
            ? claimed('tfe-second/unary', F32_2D)
            : { verdict: 'not covered', resultType: null },
      }),
      fakePlugin,
    ];
    const text = `${HEAD}export const f = (x: TensorF32Cpu2D) => tf.nn.relu(tf.cos(x));`;
    const [f] = analyze(text, { plugins }).functions;
    expect(f).toMatchObject({ status: 'native', route: 'native-plugin:tfe-fake+tfe-second' });
    expect(f?.sites.map(({ pluginId }) => pluginId)).toEqual(['tfe-fake', 'tfe-second']);
  });

  test('of two that reject, the first by name is heard, whatever the order', () => {
    const rejecting = (id: string, code: string): Plugin => ({
      ...second({}),
      id,
      describe: () => [{ ...RULES[0]!, id: `${id}/unary`, diagnosticCode: code }],
      claim: () => ({
        verdict: 'rejected',
        diagnostic: { code, message: `${id}.`, suggestion: 's.' },
        resultType: null,
      }),
    });
    const a = rejecting('tfe-a', 'TFEP-A-001');
    const b = rejecting('tfe-b', 'TFEP-B-001');
    const uncovered = fake({ claim: () => ({ verdict: 'not covered', resultType: null }) });
    for (const plugins of [
      [a, b, uncovered],
      [uncovered, b, a],
    ]) {
      expect(analyze(source, { plugins }).functions[0]?.reason?.message).toBe('tfe-a.');
    }
  });
});

test('the type of a variable does not depend on the order of its writes', () => {
  const source = `${HEAD}
export function f(x: TensorF32Cpu2D, v: TensorF32Cpu1D, n: number) {
  let a, b, c;
  for (let i = 0; i < n; i++) {
    c = tf.nn.relu(b);
    b = tf.nn.relu(a);
    a = tf.nn.relu(x);
  }
  const flat = tf.argmax(c, 1);
  return [tf.add(a, b), flat];
}`;
  const [f] = analyze(source).functions;
  expect(f?.status).toBe('native');
  expect(f?.sites.map(({ resultType }) => resultType)).toEqual([
    F32_2D,
    F32_2D,
    F32_2D,
    I64_1D,
    F32_2D,
  ]);
});

test('the report is plain data, and says the same on every run', () => {
  const source = `${HEAD}export const f = (x: TensorF32Cpu2D, v: TensorF32Cpu1D) => tf.opaque(tf.nn.relu(x), v);`;
  const first = toFileReport(analyze(source));
  expect(JSON.parse(JSON.stringify(first))).toEqual(first);
  expect(toFileReport(analyze(source))).toEqual(first);
  expect(first.functions[0]?.sites[0]?.operandTypes).toEqual([F32_2D, F32_1D]);
});
