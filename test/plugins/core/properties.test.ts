/** Whatever text comes in, the analysis answers, or throws an error of this package. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';

import { isTfeError } from '../../../lib/errors';
import {
  analyzeSource,
  createRegistry,
  toFileReport,
  type FileAnalysis,
} from '../../../plugins/core';
import { isTypeOnly, walk, type Node, type Program } from '../../../plugins/core/ast';
import { Names } from '../../../plugins/core/names';
import { Bindings } from '../../../plugins/core/scope';
import { textReport } from '../../../plugins/core/report';
import { fakePlugin } from './fake-plugin';

const FOLDER = join(__dirname, '..', 'fixtures');
const SOURCES = readdirSync(FOLDER)
  .filter((name) => name.endsWith('.ts'))
  .sort()
  .map((name) => readFileSync(join(FOLDER, name), 'utf8').replaceAll(/^\/\/.*\n/gm, ''));
const registry = createRegistry([fakePlugin]);

function analyze(source: string, file = 'a.ts'): FileAnalysis | null {
  try {
    return analyzeSource({ file, source, registry });
  } catch (error) {
    if (isTfeError(error)) return null;
    throw error;
  }
}

function namesOf(program: Program): Names {
  return new Names(program, new Bindings(program));
}

/** What every analysis keeps, whatever was analysed. */
function check(source: string, file?: string): void {
  const analysis = analyze(source, file);
  if (analysis === null) return;
  const report = toFileReport(analysis);
  expect(JSON.parse(JSON.stringify(report))).toEqual(report);
  expect(textReport([{ report, source }])).toContain('1 file:');
  const names = analysis.program === null ? null : namesOf(analysis.program as Program);
  for (const f of analysis.functions) {
    // Every call of the covered package is accounted for, once.
    const spans = f.sites.map(({ span }) => span.join('-'));
    expect(new Set(spans).size).toBe(spans.length);
    if (f.active && names !== null) {
      walk(f.node as Node, (node) => {
        if (isTypeOnly(node)) return false;
        if (node.type === 'CallExpression' && !node.optional) {
          if (names.resolve(node.callee)?.module === 'tfe-node') {
            expect(spans).toContain(`${node.start}-${node.end}`);
          }
        }
        return true;
      });
    }
    expect(f.status === 'native').toBe(f.reasons.length === 0);
    expect(f.scoped && !f.active).toBe(false);
    const places = [
      f.span,
      f.bodySpan,
      f.paramsSpan,
      f.statementSpan,
      ...f.sites.map((s) => s.span),
    ];
    for (const [start, end] of places) {
      expect(start).toBeGreaterThanOrEqual(0);
      expect(end).toBeGreaterThanOrEqual(start);
      expect(end).toBeLessThanOrEqual(source.length);
    }
    for (const site of f.sites) {
      for (const [start, end] of site.operandSpans) {
        expect(start).toBeGreaterThanOrEqual(site.span[0]);
        expect(end).toBeLessThanOrEqual(site.span[1]);
      }
    }
  }
}

const anySource = fc.constantFrom(...SOURCES);
const runs = { numRuns: 300, seed: 20261130 };

test('any text', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (source) => check(source)),
    runs,
  );
});

test('any words of the language, in any order', () => {
  const words = fc.constantFrom(
    ...(
      "tf . nn relu ( ) { } [ ] , ; : = => ? ! ... x n 'use tfe exempt' function const let export return if " +
      'for of in await async yield class new this `a${ } ` 1 -1 + - * / import { tf } from "tfe-node" \n <T> as ' +
      'TensorF32Cpu2D type enum namespace declare using /a/ // /* */ super arguments eval with try catch throw'
    ).split(' '),
  );
  fc.assert(
    fc.property(fc.array(words, { maxLength: 60 }), (list) => check(list.join(' '))),
    { ...runs, numRuns: 1000 },
  );
});

test('a fixture with a piece cut out', () => {
  fc.assert(
    fc.property(anySource, fc.nat(), fc.nat({ max: 40 }), (source, at, length) => {
      const start = at % (source.length + 1);
      check(source.slice(0, start) + source.slice(start + length));
    }),
    runs,
  );
});

test('a fixture with a piece of another put in', () => {
  fc.assert(
    fc.property(
      anySource,
      anySource,
      fc.nat(),
      fc.nat(),
      fc.nat({ max: 60 }),
      fc.constantFrom('a.ts', 'a.tsx', 'a.cts', 'a.mts', 'a.js'),
      (source, other, at, from, length, file) => {
        const start = at % (source.length + 1);
        const piece = other.slice(from % other.length).slice(0, length);
        check(source.slice(0, start) + piece + source.slice(start), file);
      },
    ),
    runs,
  );
});

test('a fixture with its lines shuffled', () => {
  fc.assert(
    fc.property(
      anySource.chain((source) => fc.shuffledSubarray(source.split('\n'))),
      (lines) => check(lines.join('\n')),
    ),
    runs,
  );
});

describe('statuses do not depend on', () => {
  const statuses = (analysis: FileAnalysis | null): Map<string, string> =>
    new Map(analysis?.functions.map((f) => [f.name, `${f.status} ${f.reason?.code ?? ''}`]));

  const functions = ['alpha', 'beta', 'gamma', 'delta'];
  const program = (
    order: readonly number[],
    names: readonly string[],
    calls: readonly number[][],
  ) =>
    `import { tf } from 'tfe-node';\nimport type { TensorF32Cpu2D as T } from 'tfe-node/types';\n${order
      .map((i) => {
        const body = (calls[i] ?? []).reduce((inner, callee) => `${names[callee]}(${inner})`, 'x');
        const op = i === 0 ? 'tf.cos' : 'tf.nn.relu';
        return `export function ${names[i]}(x: T): T { return ${op}(${body}); }\n`;
      })
      .join('')}`;

  test('names or order of functions', () => {
    fc.assert(
      fc.property(
        fc.shuffledSubarray([0, 1, 2, 3], { minLength: 4 }),
        fc.shuffledSubarray(functions, { minLength: 4 }),
        fc.array(fc.array(fc.nat({ max: 3 }), { maxLength: 2 }), { minLength: 4, maxLength: 4 }),
        (order, names, calls) => {
          const plain = statuses(analyze(program([0, 1, 2, 3], functions, calls)));
          const other = statuses(analyze(program(order, names, calls)));
          for (const [i, name] of names.entries()) {
            expect(other.get(name)).toBe(plain.get(functions[i]!));
          }
        },
      ),
      { ...runs, numRuns: 200 },
    );
  });

  test('comments, line ends and a BOM', () => {
    for (const source of SOURCES) {
      const plain = statuses(analyze(source));
      expect(statuses(analyze(source.replaceAll('\n', '\r\n')))).toEqual(plain);
      expect(statuses(analyze(`\uFEFF${source}`))).toEqual(plain);
      expect(statuses(analyze(`/* a */\n${source}`))).toEqual(plain);
    }
  });
});
