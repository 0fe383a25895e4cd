/**
 * Lowered TypeScript to what Node runs and what TypeScript users read: JavaScript with a map back to the source, and
 * declarations. Declarations are of the source, not of the lowered text. Text in, text out; no I/O.
 */
import { tfeError } from '../../lib/errors';
import type { FileAnalysis } from './analysis-model';
import { walk, type Node, type Program } from './ast';
import { composeMaps, withoutBom, type RawSourceMap } from './edits';
import type { LoweredSource } from './lower';
import { oxcParser, oxcTransform } from './peers';
import { Positions } from './positions';

/** What built files run on; `engines.node` of package.json. */
const TARGET = 'node20';

/** Helpers of oxc that generated code may import, and our own function of the same meaning. */
const HELPER_PACKAGE = '@oxc-project/runtime/helpers/';
const HELPERS: Readonly<Record<string, string>> = { usingCtx: 'usingCtx' };
const HELPER_SUBPATH = 'tfe-node/lowered';

export interface EmittedJavaScript {
  readonly code: string;
  readonly map: RawSourceMap;
}

export interface EmitOptions {
  /** Name of the source for messages and for the choice of the language. */
  readonly sourceFile: string;
  /** Name of the source in the map: relative to the emitted file. */
  readonly mapSource: string;
}

/**
 * JavaScript for Node 20, as an ES module.
 *
 * @throws `TFE_BUILD_COMMONJS`, `TFE_BUILD_SYNTAX`
 */
export function emitJavaScript(
  analysis: FileAnalysis,
  lowered: LoweredSource,
  { sourceFile, mapSource }: EmitOptions,
): EmittedJavaScript {
  checkRunnable(analysis, sourceFile);
  const transform = (code: string) =>
    oxcTransform().transformSync(sourceFile, withoutBom(code), {
      lang: 'ts',
      sourceType: 'module',
      target: TARGET,
      sourcemap: true,
    });
  const result = transform(lowered.code);
  if (result.errors.length > 0 || result.map === undefined) {
    // Errors of the source have positions that the reader can use; those of the lowered text have not.
    const ofSource = transform(analysis.source).errors[0];
    const error = ofSource ?? result.errors[0];
    throw syntaxError(
      analysis,
      sourceFile,
      offsetOfByte(analysis.source, ofSource?.labels[0]?.start ?? 0),
      error?.message ?? 'the transformer gave no source map',
    );
  }
  const odd = Object.keys(result.helpersUsed).find((name) => !Object.hasOwn(HELPERS, name));
  if (odd !== undefined) {
    throw syntaxError(analysis, sourceFile, 0, `its syntax needs the helper '${odd}' on Node 20`);
  }
  const code =
    Object.keys(result.helpersUsed).length > 0 ? withOwnHelpers(result.code) : result.code;
  const transformed = { ...result.map, version: 3 as const };
  return { code, map: composeMaps([transformed, lowered.map], mapSource, analysis.source) };
}

/** What parses and still does not run as an ES module on Node 20. */
function checkRunnable(analysis: FileAnalysis, sourceFile: string): void {
  const program = programOf(analysis);
  if (analysis.moduleKind === 'commonjs')
    throw tfeError('TFE_BUILD_COMMONJS', { file: sourceFile });
  walk(program, (node) => {
    if (node.type === 'Decorator' || node.type === 'AccessorProperty') {
      throw syntaxError(
        analysis,
        sourceFile,
        node.start,
        'Node 20 does not run decorators and auto-accessors',
      );
    }
    if (
      (node.type === 'ImportDeclaration' || node.type === 'ImportExpression') &&
      node.phase !== null &&
      node.phase !== undefined
    ) {
      throw syntaxError(
        analysis,
        sourceFile,
        node.start,
        `Node 20 does not run 'import ${node.phase}'`,
      );
    }
  });
}

function syntaxError(analysis: FileAnalysis, file: string, offset: number, problem: string) {
  const { line, column } = new Positions(analysis.source).at(offset);
  return tfeError('TFE_BUILD_SYNTAX', { file, line, column, problem });
}

function programOf(analysis: FileAnalysis): Program {
  if (analysis.program === null) {
    throw new TypeError(`${analysis.file} does not parse; its diagnostics must be reported first.`);
  }
  return analysis.program as unknown as Program;
}

/**
 * Built files run without oxc's helper package. Its imports stand on lines of their own, which no mapping names, so
 * changing them leaves the map right.
 */
function withOwnHelpers(code: string): string {
  const { program } = oxcParser().parseSync('emitted.js', code, {
    lang: 'js',
    sourceType: 'module',
  });
  let result = code;
  for (const statement of [...program.body].reverse()) {
    if (statement.type !== 'ImportDeclaration') continue;
    const specifier = statement.specifiers[0];
    const source = statement.source.value;
    if (specifier === undefined || !source.startsWith(HELPER_PACKAGE)) continue;
    const own = HELPERS[source.slice(HELPER_PACKAGE.length)];
    if (own === undefined) continue;
    const text = `import { ${own} as ${specifier.local.name} } from "${HELPER_SUBPATH}";`;
    result = result.slice(0, statement.start) + text + result.slice(statement.end);
  }
  return result;
}

/**
 * Declarations of the source, without type inference.
 *
 * @throws `TFE_BUILD_DECLARATIONS` that names every export whose type would have to be inferred
 */
export function emitDeclarations(analysis: FileAnalysis, sourceFile: string): string {
  const program = programOf(analysis);
  const { code, errors } = oxcTransform().isolatedDeclarationSync(
    sourceFile,
    withoutBom(analysis.source),
  );
  if (errors.length === 0) return code;
  const positions = new Positions(analysis.source);
  throw tfeError('TFE_BUILD_DECLARATIONS', {
    file: sourceFile,
    exports: errors.map(({ message, labels }) => {
      const offset = offsetOfByte(analysis.source, labels[0]?.start ?? 0);
      return {
        name: declaredAt(program, offset),
        ...positions.at(offset),
        problem: message.replace(/^TS\d+: /, '').replace(/ with --isolatedDeclarations\.?$/, ''),
      };
    }),
  });
}

/** oxc-transform counts in bytes of UTF-8, without the BOM that was taken off; everything here in UTF-16 units. */
function offsetOfByte(source: string, byte: number): number {
  const text = withoutBom(source);
  const before = Buffer.from(text).subarray(0, byte).toString();
  return source.length - text.length + before.length;
}

/** The name of the declaration at module level that holds an offset; `default` for a default export without one. */
function declaredAt(program: Program, offset: number): string {
  const holds = (node: Node) => node.start <= offset && offset < node.end;
  const statement = program.body.find(holds);
  if (statement === undefined) return 'this file';
  const declaration =
    statement.type === 'ExportNamedDeclaration' || statement.type === 'ExportDefaultDeclaration'
      ? statement.declaration
      : statement;
  if (declaration?.type === 'VariableDeclaration') {
    const { id } = declaration.declarations.find(holds) ?? {};
    if (id?.type === 'Identifier') return id.name;
  } else if (declaration !== null && 'id' in declaration && declaration.id?.type === 'Identifier') {
    return declaration.id.name;
  }
  return statement.type === 'ExportDefaultDeclaration' ? 'default' : 'this statement';
}

const COMMONJS_NAMES = new Set(['require', 'module', 'exports', '__dirname', '__filename']);

/** Whether a JavaScript file is written for CommonJS: it has no import or export, and uses what only CommonJS has. */
export function isCommonJs(file: string, source: string): boolean {
  const { program, module, errors } = oxcParser().parseSync(file, withoutBom(source), {
    lang: 'jsx',
    sourceType: 'unambiguous',
  });
  // What does not parse is Node's to report.
  if (module.hasModuleSyntax || errors.length > 0) return false;
  let found = false;
  walk(program, (node) => {
    if (node.type === 'Identifier' && COMMONJS_NAMES.has(node.name)) found = true;
    return !found;
  });
  return found;
}

/** A module specifier in a file: the range of the literal, quotes included. */
export interface Specifier {
  readonly value: string;
  readonly start: number;
  readonly end: number;
}

/** Every place that names another module by a literal: imports, exports, `import()`, `import('x').T`, `declare module`. */
export function specifiersOf(program: unknown): Specifier[] {
  const found: Specifier[] = [];
  const add = (node: Node | null | undefined) => {
    if (node?.type === 'Literal' && typeof node.value === 'string') {
      found.push({ value: node.value, start: node.start, end: node.end });
    }
  };
  walk(program as Program, (node) => {
    switch (node.type) {
      case 'ImportDeclaration':
      case 'ExportNamedDeclaration':
      case 'ExportAllDeclaration':
      case 'ImportExpression':
      case 'TSImportType':
        add(node.source);
        break;
      case 'TSExternalModuleReference':
        add(node.expression);
        break;
      case 'TSModuleDeclaration':
        add(node.id);
        break;
    }
  });
  return found;
}

/** Rewrites the specifiers of a declaration file; `resolve` answers `null` for one that stays. */
export function rewriteDeclarations(
  code: string,
  resolve: (specifier: string) => string | null,
): string {
  const { program } = oxcParser().parseSync('emitted.d.ts', code, {
    lang: 'dts',
    sourceType: 'module',
  });
  let result = code;
  const specifiers = specifiersOf(program).sort((a, b) => b.start - a.start);
  for (const { value, start, end } of specifiers) {
    const target = resolve(value);
    if (target === null) continue;
    result = result.slice(0, start) + JSON.stringify(target) + result.slice(end);
  }
  return result;
}
