/**
 * Lowering of an analysed file: text in, text and map out. A lowered function keeps its signature, its name and its
 * place; its body becomes two legs, the lowered one and the one as written, and `tfe-node/lowered` picks at run time.
 * Everything that is not a claimed site keeps its text. Owns no I/O and no decision about what is lowered: that is the
 * analysis's. docs/lowering.md shows the shape.
 */
import type { FileAnalysis, FunctionAnalysis, SiteAnalysis, Span } from './analysis-model';
import type { PluginType } from './api';
import type { Program } from './ast';
import { TextBuilder, type RawSourceMap } from './edits';
import { lowerSite, type ExprPart, type SiteTable } from './lower-expr';
import { shellOf, type LegParameter, type Shell } from './lower-legs';
import { printLiteral } from './lower-literal';
import { FreshNames, isIdentifier, ModuleAdditions } from './lower-module';

/** Version of the tables; `LOWERED_CONTRACT` of `tfe-node/lowered`, which a test compares. */
export const EMITTED_CONTRACT = 1;

export interface LowerOptions {
  /** Name of the file in the map and in the tables: relative, with forward slashes. */
  readonly sourceFile: string;
  /** Other edits of the same text, such as import specifiers. They must not overlap each other. */
  readonly replace?: readonly Replacement[];
}

export interface Replacement {
  readonly span: Span;
  readonly text: string;
}

export interface LoweredFunctionResult {
  readonly function: FunctionAnalysis;
  /**
   * `lowered`: it has a lowered leg. `scoped`: only the leg as written, in a scope. `as written`: not touched.
   */
  readonly action: 'lowered' | 'scoped' | 'as written';
  /** How many of its sites are lowered. */
  readonly loweredSites: number;
}

export interface LoweredSource {
  readonly code: string;
  readonly map: RawSourceMap;
  /** False when `code` is the source. */
  readonly changed: boolean;
  /** In order of the text. */
  readonly functions: readonly LoweredFunctionResult[];
}

/**
 * Lowers one analysed file: the new text, and its map back to the source.
 *
 * @throws TfeError `TFE_PLUGIN_LOWER_*` when a plugin's lowering does not keep what its claim promised
 * @example
 * const { code, map } = lowerSource(analyzeSource({ file: 'score.ts', source, registry }), { sourceFile: 'score.ts' });
 */
export function lowerSource(analysis: FileAnalysis, options: LowerOptions): LoweredSource {
  return new FileLowering(analysis, options).run();
}

interface Edit {
  readonly start: number;
  readonly end: number;
  write(builder: TextBuilder, edits: EditList): void;
}

/** Edits in order of the text, outer ones first. Edits inside an edit are that edit's to write. */
class EditList {
  readonly #edits: readonly Edit[];

  constructor(edits: readonly Edit[]) {
    this.#edits = [...edits].sort((a, b) => a.start - b.start || b.end - a.end);
  }

  /** Writes a range of the source with the outermost edits that lie in it. */
  write(builder: TextBuilder, start: number, end: number): void {
    let cursor = start;
    for (let i = this.#firstFrom(start); i < this.#edits.length; i++) {
      const edit = this.#edits[i]!;
      if (edit.start >= end) break;
      if (edit.start < cursor || edit.end > end) continue;
      builder.original(cursor, edit.start);
      edit.write(builder, this);
      cursor = edit.end;
    }
    builder.original(cursor, end);
  }

  #firstFrom(offset: number): number {
    let low = 0;
    let high = this.#edits.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#edits[middle]!.start < offset) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

class FileLowering {
  readonly #analysis: FileAnalysis;
  readonly #sourceFile: string;
  readonly #replacements: readonly Edit[];
  readonly #additions: ModuleAdditions;
  readonly #frame: string;
  readonly #tokenStem: string;
  #serial = 0;

  constructor(analysis: FileAnalysis, { sourceFile, replace = [] }: LowerOptions) {
    this.#analysis = analysis;
    this.#sourceFile = sourceFile;
    this.#replacements = replace.map(({ span: [start, end], text }) => ({
      start,
      end,
      write: (builder) => builder.replacement(text, start),
    }));
    const names = new FreshNames(analysis.identifiers);
    this.#tokenStem = names.stem('$tfeOperand');
    this.#frame = names.take('$');
    this.#additions = new ModuleAdditions({
      names,
      typed: /\.[cm]?tsx?$/i.test(sourceFile),
      commonJs: analysis.moduleKind === 'commonjs',
    });
  }

  run(): LoweredSource {
    const { source, functions } = this.#analysis;
    const results: LoweredFunctionResult[] = [];
    const edits: Edit[] = [...this.#replacements];
    let lastEnd = -1;
    for (const fn of [...functions].sort((a, b) => a.span[0] - b.span[0])) {
      // A function inside a lowered one is part of its legs.
      const action = fn.span[0] < lastEnd ? 'as written' : this.#actionFor(fn);
      const sites = action === 'lowered' ? sitesOf(fn) : [];
      results.push({
        function: fn,
        action,
        loweredSites: sites.length,
      });
      if (action === 'as written') continue;
      lastEnd = fn.span[1];
      edits.push(this.#functionEdit(fn, sites, action === 'lowered'));
    }
    const changed = edits.length > 0;
    if (!this.#additions.isEmpty) edits.push(this.#importEdit());
    const builder = new TextBuilder(source);
    new EditList(edits).write(builder, 0, source.length);
    this.#writeTail(builder);
    return {
      code: builder.toString(),
      map: builder.map(this.#sourceFile),
      changed,
      functions: results,
    };
  }

  #actionFor(fn: FunctionAnalysis): LoweredFunctionResult['action'] {
    if (!fn.active || fn.status === 'not annotated') return 'as written';
    // `yield` cannot stand in an arrow function; and in a script neither import nor require is known to work.
    if (fn.isGenerator || this.#analysis.moduleKind === 'script') return 'as written';
    if (fn.status === 'fallback') return fn.scoped ? 'scoped' : 'as written';
    return 'lowered';
  }

  #functionEdit(fn: FunctionAnalysis, sites: readonly SiteAnalysis[], lowered: boolean): Edit {
    const { source } = this.#analysis;
    const { names } = this.#additions;
    const table = names.take(isIdentifier(fn.name) ? `$${fn.name}` : '$lowered');
    const entries: string[] = [];
    const siteTable: SiteTable = {
      frame: this.#frame,
      additions: this.#additions,
      tokenStem: this.#tokenStem,
      position: ({ range }) => `${this.#sourceFile}:${range.line}:${range.column}`,
      add: (entry) => entries.push(entry) - 1,
    };
    const siteEdits = sites.map((site) =>
      siteEdit(site, lowerSite(site, this.#serial++, siteTable), source),
    );
    const shell = shellOf(
      fn,
      source,
      { lowered, usesFrame: siteEdits.length > 0 },
      { table, frame: this.#frame },
      names,
    );
    this.#additions.addTable(table, this.#tableFields(fn, shell.parameters, entries));
    return this.#bodyEdit(fn, shell, lowered ? siteEdits : null);
  }

  #bodyEdit(fn: FunctionAnalysis, shell: Shell, siteEdits: readonly Edit[] | null): Edit {
    const isBlock = fn.bodyKind === 'block';
    const start = isBlock ? fn.directivesEnd : fn.bodySpan[0];
    const end = isBlock ? fn.bodySpan[1] - 1 : fn.bodySpan[1];
    const written = new EditList(this.#replacements);
    return {
      start,
      end,
      write: (builder) => {
        builder.replacement(shell.open, fn.bodySpan[0]);
        if (siteEdits !== null) {
          new EditList([...this.#replacements, ...siteEdits]).write(builder, start, end);
          builder.replacement(shell.between, fn.bodySpan[0]);
        }
        written.write(builder, start, end);
        builder.replacement(shell.close, Math.max(fn.bodySpan[0], fn.bodySpan[1] - 1));
      },
    };
  }

  #tableFields(
    fn: FunctionAnalysis,
    parameters: readonly LegParameter[],
    entries: readonly string[],
  ): (readonly [string, string])[] {
    const described = parameters.map(({ name, start }) => {
      const parameter = fn.parameters.find(({ span }) => span[0] <= start && start < span[1]);
      const type = tensorOf(parameter?.pluginType ?? null);
      const optional = type !== null && parameter?.optional === true;
      return printLiteral({ name, type, ...(optional ? { optional } : {}) });
    });
    const { reason } = fn;
    return [
      ['contract', String(EMITTED_CONTRACT)],
      ['name', printLiteral(fn.name)],
      ['file', printLiteral(this.#sourceFile)],
      ['status', printLiteral(fn.status)],
      ['route', printLiteral(fn.route)],
      ['scoped', printLiteral(fn.scoped)],
      ...(reason === null
        ? []
        : ([
            [
              'reason',
              printLiteral(
                `${reason.message} (${this.#sourceFile}:${reason.range.line}:${reason.range.column})`,
              ),
            ],
          ] as const)),
      ['parameters', list(described)],
      ['result', printLiteral(tensorOf(fn.resultPluginType))],
      ['sites', list(entries)],
    ];
  }

  /** Before the first statement that is no directive: comments above it may speak to tools, and must stay on top. */
  #importEdit(): Edit {
    const { body } = this.#analysis.program as unknown as Program;
    const first = body.find(
      (statement) => statement.type !== 'ExpressionStatement' || statement.directive === undefined,
    );
    const at = first?.start ?? this.#analysis.insertionPoint;
    return {
      start: at,
      end: at,
      write: (builder) => {
        const imports = this.#additions.imports();
        builder.inserted(imports === '' ? '' : `${imports} `);
      },
    };
  }

  #writeTail(builder: TextBuilder): void {
    if (this.#additions.isEmpty) return;
    const lines = this.#additions.tail();
    const { source } = this.#analysis;
    const eol = source.includes('\r\n') ? '\r\n' : '\n';
    const gap = /[\n\r\u2028\u2029]$/.test(source) ? '' : eol;
    builder.inserted(gap + `${lines.join('\n')}\n`.replaceAll('\n', eol));
  }
}

/** The lowered sites that lie in the body; a parameter's default is evaluated before either leg. */
function sitesOf(fn: FunctionAnalysis): SiteAnalysis[] {
  const start = Math.max(fn.bodySpan[0], fn.directivesEnd);
  return fn.sites
    .filter(({ lowered, span }) => lowered && span[0] >= start && span[1] <= fn.bodySpan[1])
    .sort((a, b) => a.span[0] - b.span[0] || b.span[1] - a.span[1]);
}

function tensorOf(type: PluginType | null): { dtype: string; rank: number } | null {
  return type === null ? null : { dtype: type.tensor.dtype, rank: type.tensor.rank };
}

function list(items: readonly string[]): string {
  return items.length === 0 ? '[]' : `[\n${items.map((item) => `      ${item},\n`).join('')}    ]`;
}

function siteEdit(site: SiteAnalysis, parts: readonly ExprPart[], source: string): Edit {
  const [start, end] = site.span;
  return {
    start,
    end,
    write: (builder, edits) => {
      parts.forEach((part, position) => {
        if (part.kind === 'operand') {
          const [from, to] = site.operandSpans[part.index]!;
          if (part.wrap) builder.replacement('(', from);
          edits.write(builder, from, to);
          if (part.wrap) builder.replacement(')', to);
          return;
        }
        const before = parts[position - 1];
        const after = parts[position + 1];
        if (before?.kind !== 'operand') {
          // `return(tf.nn.relu)(x)`: the parenthesis kept the keyword from the name.
          if (KEYWORD_END.test(source.charAt(start - 1))) builder.inserted(' ');
          builder.replacement(part.text, start, site.target);
        } else if (after?.kind !== 'operand') {
          builder.replacement(part.text, Math.max(start, end - 1));
        } else {
          const from = site.operandSpans[before.index]![1];
          const to = site.operandSpans[after.index]![0];
          const kept =
            after.index === before.index + 1 &&
            !before.wrap &&
            !after.wrap &&
            /^\s*,\s*$/.test(part.text) &&
            COMMA.test(source.slice(from, to));
          if (kept) builder.original(from, to);
          else builder.replacement(part.text, from);
        }
      });
    },
  };
}

const KEYWORD_END = /[a-z]/;

// A comment's end is the first one, so that a long gap cannot be read in many ways.
const TRIVIA = String.raw`(?:\s|\/\*(?:[^*]|\*(?!\/))*\*\/|\/\/[^\n\r\u2028\u2029]*[\n\r\u2028\u2029])*`;
/** One comma with nothing but white space and comments around it. */
const COMMA = new RegExp(`^${TRIVIA},${TRIVIA}$`);
