import { describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { analyzeSource } from '../../../plugins/core/analyze';
import { lowerSource } from '../../../plugins/core/lower';
import { createRegistry } from '../../../plugins/core/registry';
import { plugin } from '../../../plugins/tensorflow';

const ROOT = join(__dirname, '../../..');

const OPTIONS: ts.CompilerOptions = {
  target: ts.ScriptTarget.ES2022,
  lib: ['lib.es2023.d.ts', 'lib.esnext.disposable.d.ts'],
  module: ts.ModuleKind.Node20,
  moduleDetection: ts.ModuleDetectionKind.Force,
  noEmit: true,
  strict: true,
  exactOptionalPropertyTypes: true,
  isolatedModules: true,
  noImplicitOverride: true,
  noImplicitReturns: true,
  noPropertyAccessFromIndexSignature: true,
  noUncheckedIndexedAccess: true,
  noUnusedLocals: true,
  noUnusedParameters: true,
  skipLibCheck: true,
  types: ['node'],
  typeRoots: [join(ROOT, 'node_modules/@types')],
  paths: {
    'tfe-node': [join(ROOT, 'lib/index.ts')],
    'tfe-node/types': [join(ROOT, 'lib/types.ts')],
    'tfe-node/lowered': [join(ROOT, 'lib/lowered/index.ts')],
  },
};

/** What the compiler says of texts as if they were modules of this repository. */
function typeErrors(texts: Readonly<Record<string, string>>): string[] {
  const names = new Map(
    Object.entries(texts).map(([name, text]) => [join(ROOT, 'examples', name), text]),
  );
  const host = ts.createCompilerHost(OPTIONS);
  const { fileExists, getSourceFile } = host;
  host.fileExists = (name) => names.has(name) || fileExists(name);
  host.getSourceFile = (name, options) => {
    const text = names.get(name);
    return text === undefined
      ? getSourceFile(name, options)
      : ts.createSourceFile(name, text, options);
  };
  const program = ts.createProgram([...names.keys()], OPTIONS, host);
  return [...names.keys()].flatMap((name) => {
    const file = program.getSourceFile(name);
    return [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)].map(
      ({ code, messageText, start = 0 }) => {
        const line = file!.getLineAndCharacterOfPosition(start).line + 1;
        return `${name.slice(ROOT.length)}:${line} TS${code} ${ts.flattenDiagnosticMessageText(messageText, ' ')}`;
      },
    );
  });
}

const IMPORTS = `import { tf } from 'tfe-node';
import type { TensorF32Cpu1D, TensorF32Cpu2D, TensorI64Cpu1D } from 'tfe-node/types';
type One = TensorF32Cpu1D; type Two = TensorF32Cpu2D; type Classes = TensorI64Cpu1D;
export type { Classes, One, Two };
`;

const SOURCES: Readonly<Record<string, string>> = {
  'native.ts': `export function f(x: TensorF32Cpu2D, w: TensorF32Cpu2D, b: TensorF32Cpu1D, n: number): TensorI64Cpu1D {
  let h = tf.nn.bias_add(tf.matmul(x, w), b);
  for (let i = 0; i < n; i++) h = i % 2 === 0 ? tf.nn.relu(h) : tf.nn.tanh(h);
  const p = tf.nn.softmax(h, 1);
  return tf.argmax(p, 1);
}`,
  'inferred.ts': `export const f = (x: TensorF32Cpu2D) => tf.nn.softmax(x, -1);
export const g = function (x: TensorF32Cpu2D) { const h = tf.nn.relu(x); return [h, h.shape] as const; };
export const used: TensorF32Cpu2D = f(g(tf.constant([[1]]))[0]);`,
  'mixed.ts': `export function f(x: TensorF32Cpu2D, scale?: number): number[] {
  const h = tf.nn.relu(x);
  const rows = h.arraySync().map((row) => row.reduce((sum, value) => sum + value, 0));
  return rows.map((value) => value * (scale ?? 1)).concat(tf.cos(tf.nn.relu(h)).shape.map((size) => size + 1));
}
export const literal = (x: TensorF32Cpu2D): { kind: 'a'; value: readonly [TensorF32Cpu2D, 1] } => ({ kind: 'a', value: [tf.nn.relu(x), 1] });
export function narrowed(x: TensorF32Cpu2D, y: TensorF32Cpu2D | null): TensorF32Cpu2D {
  if (y === null) { return tf.nn.relu(x); }
  y = tf.add(y, x);
  return tf.nn.relu(tf.add(x, y));
}`,
  'statements.ts': `export async function f(x: TensorF32Cpu2D): Promise<TensorF32Cpu2D> { await Promise.resolve(); return tf.nn.relu(x); }
export function nothing(x: TensorF32Cpu2D): void { console.log(tf.cos(tf.nn.relu(x)).shape); }
export function maybe(x: TensorF32Cpu2D, n: number): TensorF32Cpu2D | undefined { if (n > 1) return tf.nn.relu(x); return undefined; }
export function isIt(x: TensorF32Cpu2D | number): x is number { return typeof x === 'number'; }
export function never(x: TensorF32Cpu2D): never { throw new Error(String(tf.cos(x).shape)); }
export function again(x: TensorF32Cpu2D, n: number) { var n: number = n || 2; return n > 1 ? tf.nn.relu(x) : tf.cos(x); }
export function generic<T extends { a: number }>(x: TensorF32Cpu2D, t: T): [TensorF32Cpu2D, T] { return [tf.nn.relu(x), t]; }
export function overloaded(x: TensorF32Cpu2D, n: 1): TensorF32Cpu2D;
export function overloaded(x: TensorF32Cpu2D, n: 2): TensorI64Cpu1D;
export function overloaded(x: TensorF32Cpu2D, n: number): TensorF32Cpu2D | TensorI64Cpu1D { return n === 1 ? tf.nn.relu(x) : tf.argmax(x, 1); }
export default function (this: void, x: TensorF32Cpu2D, { a }: { a: number }, ...rest: number[]) {
  using h = tf.nn.relu(x);
  switch (rest.length) { case 1: return tf.cos(h).rank + a; default: return h.rank; }
}`,
  'names.ts': `const $ = 1, $tfe = 2, $f$ = 3; export { $, $tfe, $f$ };
export function f(x: TensorF32Cpu2D): TensorF32Cpu2D { return tf.nn.relu(x); }
export const $TensorF32Cpu2D = 1;`,
  'digits.ts': '',
};

describe('the types of lowered text', () => {
  const written = Object.fromEntries(
    Object.entries(SOURCES).map(([name, text]) => [
      name,
      name === 'digits.ts'
        ? readFileSync(join(ROOT, 'examples/digits/score.ts'), 'utf8')
        : IMPORTS + text,
    ]),
  );

  it('are checked at all', () => {
    const [error] = typeErrors({ 'bad.ts': `${IMPORTS}export const a: One = tf.constant([[1]]);` });
    expect(error).toContain('bad.ts:5 TS2322');
  });

  it('are right where those of the source are, under every strict option', () => {
    expect(typeErrors(written)).toEqual([]);
    const actions: string[] = [];
    const lowered = Object.fromEntries(
      Object.entries(written).map(([name, source]) => {
        const registry = createRegistry([plugin]);
        const analysis = analyzeSource({ file: name, source, registry });
        const { code, functions } = lowerSource(analysis, { sourceFile: name });
        actions.push(...functions.map(({ action }) => action));
        return [name, code];
      }),
    );
    expect(typeErrors(lowered)).toEqual([]);
    expect(actions.filter((action) => action === 'lowered').length).toBeGreaterThan(10);
    expect(actions).toContain('scoped');
  });
});
