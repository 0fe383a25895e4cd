/** What the tests of lowering and of emitting share: the pipeline on a text, and checks of maps. */
import { expect } from '@jest/globals';
import { originalPositionFor, TraceMap } from '@jridgewell/trace-mapping';
import { analyzeSource } from '../../../plugins/core/analyze';
import { childrenOf, type Node } from '../../../plugins/core/ast';
import type { FileAnalysis } from '../../../plugins/core/analysis-model';
import type { RawSourceMap } from '../../../plugins/core/edits';
import { lowerSource, type LoweredSource, type LowerOptions } from '../../../plugins/core/lower';
import { oxcParser } from '../../../plugins/core/peers';
import { createRegistry } from '../../../plugins/core/registry';
import { loweringPlugin, plainLower, type Lower } from './lower-fake-plugin';

export const HEADER = "import { tf } from 'fake';\nimport type { T2 } from 'fake/types';\n";

export function analyze(
  source: string,
  { lower = plainLower, file = 'score.ts' }: { lower?: Lower; file?: string } = {},
): FileAnalysis {
  const analysis = analyzeSource({
    file,
    source,
    registry: createRegistry([loweringPlugin(lower)]),
  });
  expect(analysis.program).not.toBeNull();
  return analysis;
}

export function lowerText(
  source: string,
  options: { lower?: Lower; file?: string; replace?: LowerOptions['replace'] } = {},
): LoweredSource {
  const { file = 'score.ts', replace = [] } = options;
  const lowered = lowerSource(analyze(source, options), { sourceFile: file, replace });
  expectParses(lowered.code, file);
  return lowered;
}

/** The lowered text without what stands around it: the imports on the first line and the tables at the end. */
export function head({ code }: LoweredSource): string {
  const at = code.search(/^\/\/ What follows was added by tfe-node/m);
  return (at < 0 ? code : code.slice(0, at)).replace(
    /import \* as \S+ from "tfe-node\/lowered"; (?:import [^;]*; )*/,
    '',
  );
}

export function expectParses(code: string, file: string): void {
  const { errors } = oxcParser().parseSync(file, code.replace(/^\ufeff/, ''), {
    sourceType: 'module',
    showSemanticErrors: true,
  });
  expect(errors.map(({ message, codeframe }) => `${message}\n${codeframe}`)).toEqual([]);
}

const LINE_END = /\r\n|[\n\r\u2028\u2029]/g;

/** Offsets to positions and back, as V8 counts lines; written apart from the code under test. */
export class Lines {
  readonly #starts = [0];
  readonly #text: string;

  constructor(text: string) {
    this.#text = text.replace(/^\ufeff/, '');
    for (const match of this.#text.matchAll(LINE_END)) {
      this.#starts.push(match.index + match[0].length);
    }
  }

  get text(): string {
    return this.#text;
  }

  position(offset: number): { line: number; column: number } {
    const line = this.#starts.filter((start) => start <= offset).length;
    return { line, column: offset - this.#starts[line - 1]! };
  }

  offset({ line, column }: { line: number; column: number }): number {
    return this.#starts[line - 1]! + column;
  }
}

export interface TracedToken {
  readonly text: string;
  /** Offset in the code, without a BOM. */
  readonly at: number;
  /** Offset in the source, without a BOM; `null` where the code stands for nothing in it. */
  readonly source: number | null;
  readonly name: string | null;
}

/** Every identifier and literal of `code`, traced back through `map`. */
export function traceTokens(code: string, map: RawSourceMap, file = 'score.ts'): TracedToken[] {
  const generated = new Lines(code);
  const source = new Lines(map.sourcesContent![0]!);
  const traced = new TraceMap(map);
  const tokens: TracedToken[] = [];
  const visit = (node: Node): void => {
    if (node.type === 'Identifier' || node.type === 'Literal') {
      const isName = node.type === 'Identifier';
      const text = isName ? node.name : generated.text.slice(node.start, node.end);
      const found = originalPositionFor(traced, generated.position(node.start));
      tokens.push({
        text,
        at: node.start,
        source: found.source === null ? null : source.offset(found),
        name: found.name,
      });
    }
    childrenOf(node).forEach(visit);
  };
  const { program } = oxcParser().parseSync(file, generated.text, {
    sourceType: 'module',
    astType: 'ts',
  });
  visit(program);
  return tokens.sort((a, b) => a.at - b.at);
}

/** What stands around and between the legs: it maps to the body's start, not token by token. */
const SHELL =
  /(?:const \S+ = \S+; )*(?:return )?\$\S*\(\)\.run(?:Async)?\(\[[^\]]*\], [^]*?=> [{(](?: var \S+ = \S+;)*|[})], (?:async )?\(\)(?:: [^=]*)? => [{(](?: var \S+ = \S+;)*/g;

/** Names that lowering and the transformer add, and the numbers of sites. */
const OURS =
  /^(?:\$|run$|runAsync$|apply$|value$|usingCtx$|_usingCtx\d*$|_$|[ueda]$)|^\d+$|tfe-node/;

/**
 * Every token that was in the source maps to a place where the source has that token. Answers the tokens, for closer
 * questions.
 */
export function expectExactMap(code: string, map: RawSourceMap, file = 'score.ts'): TracedToken[] {
  const source = map.sourcesContent![0]!;
  const tail = code.search(/^\/\/ What follows was added by tfe-node/m);
  const shells = [...code.replace(/^\ufeff/, '').matchAll(SHELL)].map(
    (match) => [match.index, match.index + match[0].length] as const,
  );
  const tokens = traceTokens(code, map, file).filter(
    ({ at }) => (tail < 0 || at < tail) && !shells.some(([start, end]) => start <= at && at < end),
  );
  const wrong = tokens.filter(
    ({ text, source: at }) =>
      !OURS.test(text) && (at === null || !startsWith(source, text.split('\n')[0]!, at)),
  );
  expect(
    wrong.map(({ text, source: at }) => [text, at === null ? null : source.slice(at, at + 20)]),
  ).toEqual([]);
  return tokens;
}

/** The transformer writes every string in double quotes. */
function startsWith(source: string, text: string, at: number): boolean {
  const strip = (part: string) => part.replace(/^['"]|['"]$/g, '');
  return strip(source.slice(at, at + text.length)) === strip(text);
}
