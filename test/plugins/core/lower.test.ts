import { describe, expect, it } from '@jest/globals';
import { runInNewContext } from 'node:vm';
import type { TfeError } from '../../../lib/errors';
import { TextBuilder } from '../../../plugins/core/edits';
import { lowerSource } from '../../../plugins/core/lower';
import { oxcTransform } from '../../../plugins/core/peers';
import { plainLower, type Lower } from './lower-fake-plugin';
import { analyze, expectExactMap, head, HEADER, lowerText, traceTokens } from './lower-support';

/** The lowered text of one file without its header. */
function lowerBody(source: string, lower: Lower = plainLower): string {
  const text = head(lowerText(HEADER + source, { lower }));
  expect(text.startsWith(HEADER)).toBe(true);
  return text.slice(HEADER.length).trimEnd();
}

/** The lowered leg's text of a function `f` with the body `{ return EXPR; }`. */
function lowerExpression(expression: string, lower: Lower = plainLower): string {
  const text = lowerBody(`export function f(x: T2, w: T2): T2 { return ${expression}; }`, lower);
  const match = /=> \{ return ([^]*?);\s*\}, \(\): T2 => \{ return ([^]*);\s*\}\);\}$/.exec(text);
  expect(match?.[2]).toBe(expression);
  return match![1]!;
}

describe('the shape', () => {
  it('is two legs in the place of the body, and the table at the end of the file', () => {
    const source = `${HEADER}
/** Scores. */
export function score(x: T2, w: T2): T2 {
  const h = tf.add(x, w); // sum
  return tf.softmax(h, /* axis */ 1);
}
`;
    const { code, changed, functions } = lowerText(source);
    expect(changed).toBe(true);
    expect(functions).toMatchObject([
      { function: { name: 'score', status: 'native' }, action: 'lowered', loweredSites: 2 },
    ]);
    expect(code).toBe(`import * as $tfe from "tfe-node/lowered"; ${HEADER}
/** Scores. */
export function score(x: T2, w: T2): T2 { return $score().run([x, w], ($): T2 => {
  const h = $.apply<$T2>(0, x, w); // sum
  return $.apply<$T2>(1, h);
}, (): T2 => {
  const h = tf.add(x, w); // sum
  return tf.softmax(h, /* axis */ 1);
});}
// What follows was added by tfe-node: the tables of the functions lowered above.
var $score$: $tfe.LoweredFunction | undefined;
function $score(): $tfe.LoweredFunction {
  return ($score$ ??= $tfe.define({
    contract: 1,
    name: "score",
    file: "score.ts",
    status: "native",
    route: "native-plugin:tfe-fake",
    scoped: true,
    parameters: [
      { name: "x", type: { dtype: "float32", rank: 2 } },
      { name: "w", type: { dtype: "float32", rank: 2 } },
    ],
    result: { dtype: "float32", rank: 2 },
    sites: [
      { op: { kind: "core", name: "add" }, ruleId: "tfe-fake/add", position: "score.ts:6:13" },
      { op: { kind: "family", familyId: "fake.softmax.v1", payload: { axis: 1 } }, ruleId: "tfe-fake/softmax", position: "score.ts:7:10" },
    ],
  }));
}
type $T2 = import("fake/types").T2;
`);
  });

  it('has its import on the line of the first statement, below what speaks to tools', () => {
    const top = "#!/usr/bin/env node\n// @ts-check\n'use strict'\n/// <reference types='node' />\n";
    const source = `${top}${HEADER}export const f = (x: T2) => tf.relu(x);\n`;
    const { code } = lowerText(source);
    expect(code.startsWith(`${top}import * as $tfe from "tfe-node/lowered"; ${HEADER}`)).toBe(true);
  });

  it('of an arrow function keeps its expression body', () => {
    expect(lowerBody('export const f = (x: T2): T2 => tf.relu(x);')).toBe(
      'export const f = (x: T2): T2 => $f().run([x], ($): T2 => ($.apply<$T2>(0, x)), (): T2 => (tf.relu(x)));',
    );
    expect(lowerBody('export const f = (x: T2) =>\n  (tf.relu(x));')).toBe(
      'export const f = (x: T2) =>\n  $f().run([x], ($) => (($.apply<$T2>(0, x))), () => ((tf.relu(x))));',
    );
  });

  it('of a function expression and of a default export', () => {
    expect(lowerBody('export const f = function (x: T2) { return tf.relu(x); };')).toContain(
      'function (x: T2) { return $f().run([x], ($) => { return $.apply<$T2>(0, x); }, () => { return tf.relu(x); });};',
    );
    expect(lowerBody('export default function (x: T2) { return tf.relu(x); }')).toMatch(
      /^export default function \(x: T2\) \{ return \$\w+\(\)\.run\(\[x\], /,
    );
  });

  it('of an async function waits in both legs', () => {
    expect(
      lowerBody('export async function f(x: T2): Promise<T2> { return tf.relu(x); }'),
    ).toContain(
      'return $f().runAsync([x], async ($): Promise<T2> => { return $.apply<$T2>(0, x); }, async (): Promise<T2> => { return tf.relu(x); });}',
    );
  });

  it('has the source leg alone when nothing is claimed', () => {
    const source = 'export function f(x: T2): T2 { return tf.cos(x); }';
    expect(lowerBody(source)).toBe(
      'export function f(x: T2): T2 { return $f().run([x], null, (): T2 => { return tf.cos(x); });}',
    );
    const [result] = lowerText(HEADER + source).functions;
    expect(result).toMatchObject({
      function: { status: 'fallback' },
      action: 'scoped',
      loweredSites: 0,
    });
  });

  it.each([
    ['an exempt function', "export function f(x: T2) { 'use tfe exempt'; return tf.relu(x); }"],
    ['a function without annotation', 'export function f(x: any) { return tf.relu(x); }'],
    ['a generator', 'export function* f(x: T2) { yield tf.relu(x); }'],
    [
      'a fallback function whose tensors may escape',
      'const kept: T2[] = [];\nexport function f(x: T2) { kept.push(tf.cos(x)); }',
    ],
    ['a file without functions', 'export const y = 1;'],
  ])('leaves %s byte for byte', (_, source) => {
    const lowered = lowerText(HEADER + source);
    expect(lowered.code).toBe(HEADER + source);
    expect(lowered.changed).toBe(false);
    expect(lowered.functions.every(({ action }) => action === 'as written')).toBe(true);
    expectExactMap(lowered.code, lowered.map);
  });

  it('keeps directives first, and ends one that has no semicolon', () => {
    expect(
      lowerBody("export function f(x: T2) {\n  'use strict'\n  return tf.relu(x);\n}"),
    ).toContain("{\n  'use strict'; return $f().run([x], ($) => {\n  return $.apply");
    expect(
      lowerBody("export function f(x: T2) { 'use tfe fallback=site'; return tf.relu(x); }"),
    ).toContain("{ 'use tfe fallback=site'; return $f().run(");
  });

  it('passes plain parameters, with or without a default, and no others', () => {
    const lowered = lowerText(
      `${HEADER}export function f(x: T2, { a }: { a: number }, n = 2, w?: T2, ...rest: number[]) { return tf.relu(x); }`,
    );
    expect(head(lowered)).toContain('return $f().run([x, n, w], ($) => {');
    expect(lowered.code).toContain(
      [
        '    parameters: [',
        '      { name: "x", type: { dtype: "float32", rank: 2 } },',
        '      { name: "n", type: null },',
      ].join('\n'),
    );
  });

  it('leaves sites in parameter defaults as written', () => {
    const text = lowerBody('export function f(x: T2, w: T2 = tf.relu(x)) { return tf.add(x, w); }');
    expect(text).toContain('f(x: T2, w: T2 = tf.relu(x)) { return $f().run([x, w], ');
    expect(text).toContain('$.apply<$T2>(0, x, w)');
  });

  it("does not take TypeScript's this parameter for a value", () => {
    const text = lowerBody('export function f(this: void, x: T2) { return tf.relu(x); }');
    expect(text).toContain('.run([x], ');
  });

  it.each([
    ['x is T2', 'x: T2 | null', 'boolean', 'x !== null'],
    ['asserts x is T2', 'x: T2 | null', 'void', 'undefined'],
  ])(
    'gives legs of a function that answers "%s" a type they can have',
    (type, params, leg, value) => {
      const text = lowerBody(
        `export function f(${params}, w: T2): ${type} { tf.cos(w); return ${value}; }`,
      );
      expect(text).toContain(`null, (): ${leg} => {`);
    },
  );
});

describe('names', () => {
  it('are free in the file', () => {
    const source = `${HEADER}const $ = 1, $tfe = 2, $f$ = 3; type $T2 = 4;
export function f(x: T2) { return tf.relu(x); }
function $f() { return [$, $tfe, $f$]; }
`;
    const { code } = lowerText(source);
    expect(code).toContain('return $f1().run([x], ($1) => { return $1.apply<$T21>(0, x); }');
    expect(code).toContain('import * as $tfe1 from "tfe-node/lowered";');
    expect(code).toContain('var $f1$: $tfe1.LoweredFunction | undefined;');
  });

  it('may be any identifier', () => {
    const { code } = lowerText(`${HEADER}export function größe(x: T2) { return tf.relu(x); }`);
    expect(code).toContain('return $größe().run([x], ');
    expect(code).toContain('name: "größe"');
  });

  it('carry the value of a parameter that var declares again', () => {
    const text = lowerBody(
      'export function f(x: T2, w: T2) { for (var w of [x]) { tf.cos(w); } var { x } = { x: tf.relu(w) }; return x; }',
    );
    expect(text).toContain('{ const $w = w; const $x = x; return $f().run([x, w], ($) => {');
    expect(text).toContain('($) => { var w = $w; var x = $x; for (');
    expect(text).toContain('() => { var w = $w; var x = $x; for (');
  });
});

describe('a site', () => {
  it.each([
    ['tf.add(x, w)', '$.apply<$T2>(0, x, w)'],
    ['tf.add(x, w,)', '$.apply<$T2>(0, x, w)'],
    ['tf.add( x , w )', '$.apply<$T2>(0, x , w)'],
    ['tf.add(x, /* the weights */ w)', '$.apply<$T2>(0, x, /* the weights */ w)'],
    ['tf.add(x, // first\n  w)', '$.apply<$T2>(0, x, // first\n  w)'],
    ['(tf.add)(x, w)', '$.apply<$T2>(0, x, w)'],
    ['(tf).add(x, w)', '$.apply<$T2>(0, x, w)'],
    ["tf['add'](x, w)", '$.apply<$T2>(0, x, w)'],
    ['tf.softmax(x, /* axis */ 1)', '$.apply<$T2>(0, x)'],
    ['tf.softmax(x, -1)', '$.apply<$T2>(0, x)'],
    ['tf.add((x), (w))', '$.apply<$T2>(0, (x), (w))'],
    ['tf.add(x!, w as T2)', '$.apply<$T2>(0, x!, w as T2)'],
    [
      'tf.relu(tf.add(tf.relu(x), tf.softmax(w, 1)))',
      '$.apply<$T2>(0, $.apply<$T2>(1, $.apply<$T2>(2, x), $.apply<$T2>(3, w)))',
    ],
    ['tf.cos(tf.relu(x))', 'tf.cos($.apply<$T2>(0, x))'],
    ['x * w', '$.apply<$T2>(0, x, w)'],
    ['x /* times */ * w', '$.apply<$T2>(0, x, w)'],
    ['(x * w) * tf.relu(x)', '$.apply<$T2>(0, ($.apply<$T2>(1, x, w)), $.apply<$T2>(2, x))'],
  ])('%s becomes %s', (source, lowered) => {
    expect(lowerExpression(source)).toBe(lowered);
  });

  it('is lowered in conditions, loops, arguments and template literals', () => {
    const text = lowerBody(`export function f(x: T2, n: number) {
  if (n > 1) { x = tf.relu(x); } else x = tf.add(x, x);
  outer: for (let i = 0; i < n; i++) { if (i === 3) continue outer; x = tf.relu(x); }
  console.log(\`a \${tf.relu(x)} \\\` \${'tf.relu(x)'} // no comment\`);
  return tf.relu(x);
}`);
    expect(text.match(/\$\.apply/g)).toHaveLength(5);
    expect(text).toContain("`a ${$.apply<$T2>(3, x)} \\` ${'tf.relu(x)'} // no comment`");
  });

  it('does not run into a keyword that the parenthesis of its callee ended', () => {
    const text = lowerBody(`export async function f(x: T2, n: number): Promise<unknown> {
  if (n > 1) return(tf.relu)(x); else(tf.relu)(x);
  return typeof(tf.relu)(x);
}`);
    expect(text.match(/\b(?:return|else|typeof) \$\.apply/g)).toHaveLength(3);
    expect(text.match(/\b(?:return|else|typeof)\(tf\.relu\)\(x\)/g)).toHaveLength(3);
  });

  it('with another edit inside keeps both', () => {
    const source = `${HEADER}export async function f(x: T2) { return tf.add(x, (await import('./w')).w); }`;
    const at = source.indexOf("'./w'");
    const lowered = lowerText(source, { replace: [{ span: [at, at + 5], text: "'./w.js'" }] });
    expect(head(lowered).match(/import\('\.\/w\.js'\)/g)).toHaveLength(2);
    const specifiers = traceTokens(lowered.code, lowered.map).filter(
      ({ text }) => text === "'./w.js'",
    );
    expect(specifiers.map(({ source: offset }) => offset)).toEqual([at, at]);
  });
});

describe('texts', () => {
  const body =
    'export function f(x: T2): T2 {\n  const größe = tf.relu(x); // tf.relu(x) }\n  return tf.softmax(größe, 1);\n}\n';

  it.each([
    ['a BOM', `\ufeff${HEADER}${body}`],
    ['CRLF', `${HEADER}${body}`.replaceAll('\n', '\r\n')],
    [
      'lone CRs',
      `${HEADER}${body}`.replaceAll('\n', '\r').replace('//', '/*').replace(') }', ') */'),
    ],
    ['a hashbang and a directive', `#!/usr/bin/env node\n'use strict';\n${HEADER}${body}`],
    ['U+2028 in a template', `${HEADER}const t = \`\u2028\u{1f600}\`; ${body}`],
    ['no line end at the end', `${HEADER}${body.trimEnd()} // last`],
  ])('with %s keep all they have, and map exactly', (_, source) => {
    const lowered = lowerText(source);
    const tokens = expectExactMap(lowered.code, lowered.map);
    expect(tokens.filter(({ text }) => text === 'größe')).toHaveLength(4);
    const before = !source.includes('{\n') ? source.indexOf('{\r') : source.indexOf('{\n');
    expect(head(lowered).startsWith(source.slice(0, before + 1))).toBe(true);
    if (source.includes('\r\n')) expect(lowered.code).not.toMatch(/[^\r]\n/);
  });

  it('in which both legs map to the same tokens, one by one', () => {
    const source = `${HEADER}export function f(x: T2, n: number): T2 {
  let h = tf.add(x, x);
  for (let i = 0; i < n; i++) { h = tf.relu(h); console.log('a', i, h.shape, \`\${n}\`); }
  const g = (v: number) => v + n;
  return tf.softmax(tf.cos(h), 1);
}
`;
    const { code, map } = lowerText(source);
    const tokens = expectExactMap(code, map);
    const between = code.indexOf('}, (): T2 => {');
    const legs = [
      tokens.filter(({ at }) => at > code.indexOf('($): T2 =>') + 10 && at < between),
      tokens.filter(({ at }) => at > between + 14 && at < code.indexOf('// What follows')),
    ] as const;
    const places = legs.map((leg) => leg.map(({ source: at }) => at!));
    // The source leg has every token of the body, each at its own place.
    const written = new TextBuilder(source).original(0, source.length);
    const all = traceTokens(source, written.map('score.ts')).map(({ at }) => at);
    expect(places[1]).toEqual(all.filter((at) => at > source.indexOf('{\n  let')));
    // The lowered leg has them in the same order; a lowered call stands where the call stood.
    expect(places[0]).toEqual([...places[0]!].sort((a, b) => a - b));
    const calls = legs[0].filter(({ name }) => name !== null);
    expect(calls.map(({ name, source: at }) => [name, source.slice(at!, at! + 7)])).toEqual(
      expect.arrayContaining([
        ['tf.add', 'tf.add('],
        ['tf.relu', 'tf.relu'],
        ['tf.softmax', 'tf.soft'],
      ]),
    );
  });
});

describe('JavaScript and CommonJS', () => {
  it('gets a table without types in a .js file', () => {
    const source = `import { tf } from 'fake';\n/** @param {any} x */\nexport function f(x) { return tf.relu(x); }\n`;
    expect(lowerText(source, { file: 'score.js' }).code).toBe(source);
  });

  it('gets require where the file is CommonJS', () => {
    const source = `import types = require('fake/types');
import fake = require('fake');
export = function f(x: types.T2): types.T2 { return fake.tf.relu(x); };
const g = (x: types.T2): types.T2 => fake.tf.relu(x);
`;
    const lowered = lowerText(source, { file: 'score.cts' });
    expect(lowered.code).not.toContain('import * as');
    expect(lowered.code).toContain(
      'var $g$: import("tfe-node/lowered").LoweredFunction | undefined;',
    );
    expect(lowered.code).toContain('return ($g$ ??= require("tfe-node/lowered").define({');
    expect(lowered.functions[1]).toMatchObject({ function: { name: 'g' }, action: 'lowered' });
  });
});

describe('a lowered function', () => {
  /** Runs the lowered text as a script with stand-ins for the modules; answers what both legs did. */
  function runBoth(
    source: string,
    call: string,
  ): { auto: unknown; fallback: unknown; written: unknown } {
    const run = (code: string, mode: 'auto' | 'fallback') => {
      const { code: js } = oxcTransform().transformSync('a.ts', code, { lang: 'ts' });
      const script = js
        .replace(/import \{ tf \} from "fake";/, '')
        .replace(/import \* as (\S+) from "tfe-node\/lowered";/, 'var $1 = lowered;')
        .replaceAll(/^export /gm, '');
      const op =
        (name: string) =>
        (...inputs: unknown[]) =>
          `${name}(${inputs.join(',')})`;
      const tf = {
        add: op('add'),
        relu: op('relu'),
        softmax: (a: unknown) => `softmax(${String(a)})`,
        cos: op('cos'),
      };
      const lowered = {
        define: (spec: { sites: { op: { name?: string } }[] }) => ({
          run: (_: unknown, leg: ((frame: object) => unknown) | null, written: () => unknown) => {
            if (leg === null || mode === 'fallback') return written();
            return leg({
              value: (value: unknown) => value,
              apply: (site: number, ...inputs: unknown[]) =>
                op(spec.sites[site]!.op.name ?? 'softmax')(...inputs),
            });
          },
        }),
      };
      const log: unknown[] = [];
      const value: unknown = runInNewContext(`${script}\n;(${call})`, {
        tf,
        lowered,
        console: { log: (...values: unknown[]) => log.push(values.join(' ')) },
      });
      return { value, log };
    };
    const { code } = lowerText(HEADER + source);
    return {
      auto: run(code, 'auto'),
      fallback: run(code, 'fallback'),
      written: run(HEADER + source, 'auto'),
    };
  }

  it.each([
    [
      'a loop',
      'export function f(x: T2, n: number) { for (let i = 0; i < n; i++) x = tf.relu(x); return x; }',
      "f('x', 3)",
    ],
    [
      'var again',
      "export function f(x: any, w: T2) { var x = x || 'none'; var w = tf.relu(w); return x + w; }",
      "f('x', 'w')",
    ],
    [
      'hoisted functions',
      'export function f(x: T2) { return g(tf.relu(x)); function g(y: unknown) { return tf.cos(y); } }',
      "f('x')",
    ],
    [
      'arguments and this',
      'export function f(this: any, x: T2) { tf.relu(x); return [this.a, arguments.length, arguments[1]].join(); }',
      "f.call({ a: 7 }, 'x', 'y')",
    ],
    [
      'defaults that see parameters',
      'export function f(x: T2, g = () => x) { var x = tf.relu(x) as any; return [x, g()].join(); }',
      "f('x')",
    ],
    [
      'labels and early return',
      "export function f(x: T2) { a: { if (x) break a; return 'no'; } return tf.relu(x); }",
      "f('x')",
    ],
    [
      'a recursive arrow',
      'export const f = (x: T2, n: number): any => n === 0 ? tf.relu(x) : f(tf.add(x, x), n - 1);',
      "f('x', 2)",
    ],
    [
      'a call before the function',
      "export const early = f('x' as any);\nexport function f(x: T2) { return tf.relu(x); }",
      'early',
    ],
    [
      'statements without semicolons',
      'export function f(x: T2) {\n  let h = x\n  h = tf.relu(h)\n  ;[1].forEach((v) => console.log(v, tf.cos(h)))\n  return h\n}',
      "f('x')",
    ],
    ['an object body', 'export const f = (x: T2) => ({ a: tf.relu(x) })', "f('x').a"],
    ['a comma body', 'export const f = (x: T2) => (console.log(1), tf.relu(x))', "f('x')"],
    [
      'try and finally',
      "export function f(x: T2) { try { return tf.relu(x); } finally { console.log('end'); } }",
      "f('x')",
    ],
  ])('does the same on both legs as it was written: %s', (_, source, call) => {
    const { auto, fallback, written } = runBoth(source, call);
    expect(fallback).toEqual(written);
    expect(auto).toEqual(written);
    expect((written as { value: unknown }).value).toBeDefined();
  });
});

describe('a large file', () => {
  it('is lowered in linear time', () => {
    const source = (n: number) =>
      HEADER +
      Array.from(
        { length: n },
        (_, i) => `export function f${i}(x: T2): T2 { return tf.relu(tf.add(x, tf.relu(x))); }\n`,
      ).join('');
    // The fastest of several: what else the machine does only adds.
    const time = (n: number) => {
      const analysis = analyze(source(n));
      const times = Array.from({ length: 5 }, () => {
        const began = performance.now();
        lowerSource(analysis, { sourceFile: 'a.ts' });
        return performance.now() - began;
      });
      return Math.min(...times);
    };
    time(50);
    const [small, large] = [time(200), time(1600)];
    // 8 times the text; quadratic would be 64.
    expect(large / small).toBeLessThan(24);
  });
});

describe('errors of plugins', () => {
  const failWith = (lower: Lower, expression = 'tf.add(x, w)'): TfeError => {
    try {
      lowerBody(`export function f(x: T2, w: T2): T2 { return ${expression}; }`, lower);
    } catch (error) {
      return error as TfeError;
    }
    throw new Error('nothing was thrown');
  };
  const op = { kind: 'core', name: 'add' } as const;

  it.each<[string, Lower, string]>([
    [
      'the wrong order',
      (_, c) => ({ expr: c.apply(op, [c.operands[1]!, c.operands[0]!]) }),
      'it evaluates operand 1 after operand 2',
    ],
    [
      'an operand twice',
      (_, c) => ({ expr: c.apply(op, [c.operands[0]!, c.operands[0]!, c.operands[1]!]) }),
      'it uses operand 1 twice',
    ],
    [
      'a missing operand that is not a literal',
      (_, c) => ({ expr: c.apply(op, [c.operands[0]!]) }),
      'it drops operand 2, which is not a literal',
    ],
    [
      'a forged operand',
      (_, c) => ({ expr: c.apply(op, [...c.operands, c.operands[0]!.replace(/\d+$/, '9')]) }),
      'it names an operand that the site has not',
    ],
    [
      'an operand in a string',
      (_, c) => ({ expr: `[${c.operands.join(', ')}, '${c.operands[0]}']` }),
      'inside a string',
    ],
    [
      'an operand in a comment',
      (_, c) => ({ expr: `${c.apply(op, c.operands)} /* ${c.operands[0]} */` }),
      'inside a string, a comment',
    ],
    [
      'an operand that may not be evaluated',
      (_, c) => ({ expr: `Math.random() ? ${c.operands[0]} : ${c.operands[1]}` }),
      'it puts operand 1 where it may not be evaluated exactly once',
    ],
    [
      'an operand in a closure',
      (_, c) => ({ expr: `f(${c.operands[0]}, () => ${c.operands[1]})` }),
      'it puts operand 2 where',
    ],
    [
      'an operand that is assigned to',
      (_, c) => ({ expr: `(${c.operands[0]} = 1, ${c.operands[1]})` }),
      'it puts operand 1 where',
    ],
    [
      'an operand as a property name',
      (_, c) => ({ expr: `({ ${c.operands[0]}: ${c.operands[1]} })` }),
      'it puts operand 1 where',
    ],
    [
      'an operand spelled with escapes',
      (_, c) => ({ expr: `[\\u0024${c.operands[0]!.slice(1)}, ${c.operands[1]}]` }),
      'it spells an operand with escapes',
    ],
    [
      'operands that are no texts',
      (_, c) => ({ expr: c.apply(op, [1] as never) }),
      'apply() takes an array of texts',
    ],
  ])('refuse %s', (_, lower, problem) => {
    const error = failWith(lower);
    expect(error.code).toBe('TFE_PLUGIN_LOWER_OPERANDS');
    expect(error.message).toContain(problem);
    expect(error).toMatchObject({
      site: 'score.ts:3:46',
      ruleId: 'tfe-fake/add',
      phase: 'analysis',
    });
    expect(error.message).toContain('The plugin tfe-fake claimed tf.add at score.ts:3:46');
  });

  it.each([
    ['tf.softmax(x, { axis: 1, name: String(w) })', "its option 'name' is not a literal"],
    ['tf.softmax(x, { ...{ axis: 1 } })', 'its options are dynamic'],
    ['x.plus(w)', 'plugin API 1.0 has no token for the receiver'],
  ])('refuse to lose what has no token: %s', (expression, problem) => {
    const error = failWith(plainLower, expression);
    expect(error.code).toBe('TFE_PLUGIN_LOWER_OPERANDS');
    expect(error.message).toContain(problem);
  });

  it('do not concern options that are literals', () => {
    expect(lowerExpression('tf.softmax(x, { axis: 1 })')).toBe('$.apply<$T2>(0, x)');
  });

  it.each<[string, Lower]>([
    ['two expressions', (_, c) => ({ expr: `${c.operands.join(') + (')}` })],
    ['a statement', (_, c) => ({ expr: `${c.apply(op, c.operands)};` })],
    ['text that escapes its place', () => ({ expr: 'a) ; evil(' })],
    ['an open comment', (_, c) => ({ expr: `${c.apply(op, c.operands)} /*` })],
    ['nothing', () => ({ expr: '' })],
    ['no expression', () => ({}) as never],
    ['null', () => null as never],
    ['a bad name for freshName', (_, c) => ({ expr: c.freshName('a b') })],
  ])('refuse %s in the place of one expression', (_, lower) => {
    expect(failWith(lower).code).toMatch(/^TFE_PLUGIN_LOWER_(EXPR|OPERANDS)$/);
  });

  it.each<[string, unknown]>([
    ['no op', null],
    ['an unknown kind', { kind: 'other', name: 'x' }],
    ['a core op without a name', { kind: 'core' }],
    ['a family without a payload', { kind: 'family', familyId: 'x' }],
    ['a payload with a function', { kind: 'family', familyId: 'x', payload: { f: () => 1 } }],
  ])('refuse %s', (_, bad) => {
    const error = failWith((site, c) => ({ expr: c.apply(bad as never, c.operands) }));
    expect(error.code).toBe('TFE_PLUGIN_LOWER_OP');
  });

  it('pass on what lower() threw, as the cause', () => {
    const cause = new RangeError('claim and lower disagree');
    const error = failWith(() => {
      throw cause;
    });
    expect(error.code).toBe('TFE_PLUGIN_LOWER_FAILED');
    expect(error.message).toContain('claim and lower disagree');
    expect(error.cause).toBe(cause);
  });

  it.each<[string, object]>([
    ['a name of the file', { from: 'm', name: 'a', as: 'x' }],
    ['no identifier', { from: 'm', name: 'a', as: 'a b' }],
    ['nothing to import', { from: 'm', name: '', as: 'free' }],
  ])('refuse an import with %s', (_, request) => {
    const error = failWith((site, c) => ({ ...plainLower(site, c), imports: [request as never] }));
    expect(error.code).toBe('TFE_PLUGIN_LOWER_IMPORT');
  });

  it.each([
    ['const a = 1;'],
    ['function x() {}'],
    ['function a() {} function b() {}'],
    ['function ('],
    [''],
  ])('refuse the helper %j', (helper) => {
    const error = failWith((site, c) => ({ ...plainLower(site, c), helpers: [helper] }));
    expect(error.code).toBe('TFE_PLUGIN_LOWER_HELPER');
  });
});

describe('what plugins may ask for', () => {
  it('is an expression around applies, whose operands get the parentheses they need', () => {
    const lower: Lower = (site, c) =>
      site.target === 'tf.add'
        ? { expr: `${c.operands[0]}.plus(${c.operands[1]})` }
        : plainLower(site, c);
    expect(lowerExpression('tf.add(x ?? w, x ?? w)', lower)).toBe(
      '$.value<$T2>((x ?? w).plus(x ?? w)\n)',
    );
  });

  it('is several ops for one site', () => {
    const lower: Lower = (_, c) => ({
      expr: c.apply({ kind: 'core', name: 'b' }, [
        c.apply({ kind: 'core', name: 'a' }, [c.operands[0]!]),
        c.operands[1]!,
      ]),
    });
    const { code } = lowerText(
      `${HEADER}export function f(x: T2, w: T2) { return tf.add(x, w); }`,
      {
        lower,
      },
    );
    expect(code).toContain('return $.apply<$T2>(0, $.apply(1, x), w);');
    expect(code.indexOf('name: "b"')).toBeLessThan(code.indexOf('name: "a"'));
  });

  it('is imports and helpers, once each', () => {
    const lower: Lower = (site, c) => ({
      expr: `$help($imported, ${c.operands.join(', ')})`,
      imports: [
        { from: 'm', name: 'thing', as: '$imported' },
        { from: 'm', name: '*', as: '$all' },
        { from: 'm', name: 'a-b', as: '$odd' },
      ],
      helpers: ['function $help(...args: unknown[]) {\n  return args;\n}'],
    });
    const { code } = lowerText(
      `${HEADER}export function f(x: T2, w: T2) { return tf.add(tf.add(x, w), w); }`,
      { lower },
    );
    expect(code.match(/import \{ thing as \$imported \} from "m";/g)).toHaveLength(1);
    expect(code).toContain('import * as $all from "m";');
    expect(code).toContain('import { "a-b" as $odd } from "m";');
    expect(code.match(/function \$help/g)).toHaveLength(1);
  });

  it('is not two meanings of one name', () => {
    let serial = 0;
    const lower: Lower = (site, c) => ({
      ...plainLower(site, c),
      imports: [{ from: `m${serial++}`, name: 'a', as: '$same' }],
    });
    expect(() =>
      lowerBody('export function f(x: T2) { return tf.relu(tf.relu(x)); }', lower),
    ).toThrow('the name $same already stands for something else');
  });
});
