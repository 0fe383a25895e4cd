/**
 * What `analyzeSource` answers: the report of `model.ts` plus what lowering needs to edit the text. Offsets are
 * UTF-16 offsets into `FileAnalysis.source` exactly as it was given (a BOM and a hashbang count). Reports are made
 * from these objects by `toFileReport`, which leaves out everything that is not plain data.
 */
import type { ClaimSite, Plugin, PluginType, TypeKey } from './api';
import type { FileReport, FunctionReport, SiteReport } from './model';

/** `[start, end)` in UTF-16 offsets. */
export type Span = readonly [start: number, end: number];

/**
 * A node of the parsed file (ESTree with TypeScript nodes). Public as this much only, so that the published
 * declarations do not need the optional parser; inside, cast it to the types of `@oxc-project/types`.
 */
export interface AstNode {
  readonly type: string;
  readonly start: number;
  readonly end: number;
}

/** `module`: the file is an ES module; `commonjs`: it must be lowered with `require`; `script`: neither is written. */
export type ModuleKind = 'module' | 'commonjs' | 'script';

export interface SiteAnalysis extends SiteReport {
  /** The whole call or operator, parentheses around it not included: the text that a lowering replaces. */
  readonly span: Span;
  /** The positional operands in order, each as written (parentheses included). Options are not among them. */
  readonly operandSpans: readonly Span[];
  /** The trailing options object as written, or `null` when there is none. */
  readonly optionsSpan: Span | null;
  /** The receiver of a method call on a value, or `null`. */
  readonly receiverSpan: Span | null;
  /**
   * What the plugin was asked. `ruleId` and `resultType` are `null`, as while claiming; lowering sets them from the
   * report's `ruleId` and `resultType`. `null` when the site was never offered (a spread argument).
   */
  readonly claimSite: ClaimSite | null;
  /** The plugin that answered claimed or rejected; `null` when none did. */
  readonly plugin: Plugin | null;
  /**
   * True when this site is to be lowered: claimed, and the function's route keeps it (`route` is not `fallback`).
   * Lowering goes by this alone.
   */
  readonly lowered: boolean;
}

export interface ParameterAnalysis {
  /** The identifier, or the pattern as written. */
  readonly name: string;
  readonly type: TypeKey | null;
  /** The parameter as written, annotation and default included. */
  readonly span: Span;
  /** `null` for a core type and for an unannotated parameter. */
  readonly pluginType: PluginType | null;
  /** `x?: T` or `x: T = ...`. */
  readonly optional: boolean;
}

/** A module-level `const` of tensor type that the function reads. */
export interface CaptureAnalysis {
  readonly name: string;
  readonly type: TypeKey;
  /** Where the function first reads it. */
  readonly span: Span;
}

export interface FunctionAnalysis extends FunctionReport {
  /** `FunctionDeclaration`, `FunctionExpression` or `ArrowFunctionExpression`. */
  readonly node: AstNode;
  readonly form: 'declaration' | 'arrow' | 'expression';
  /** The function as written: `function f() {}` or `(x) => x`; without `export`, `const f =` and parentheses. */
  readonly span: Span;
  /** The statement at module level: with `export`, `const f =` and the semicolon. */
  readonly statementSpan: Span;
  /** Between the parentheses of the parameter list, both excluded; for `x => x` the identifier itself. */
  readonly paramsSpan: Span;
  /** True for `x => x`: there are no parentheses around the parameter. */
  readonly bareParameter: boolean;
  readonly bodyKind: 'block' | 'expression';
  /** `block`: with the braces. `expression`: the expression, with parentheses around it when there are some. */
  readonly bodySpan: Span;
  /** Behind the last directive of a block body, or behind its `{` when there is none; the body's start otherwise. */
  readonly directivesEnd: number;
  readonly isAsync: boolean;
  readonly isGenerator: boolean;
  /** Names in order when every parameter is a plain identifier without default; `null` otherwise. */
  readonly parameterNames: readonly string[] | null;
  readonly parameters: readonly ParameterAnalysis[];
  readonly captures: readonly CaptureAnalysis[];
  /** The annotated tensor type of the result (of an async function: of what it resolves to), when there is one. */
  readonly resultPluginType: PluginType | null;
  readonly sites: readonly SiteAnalysis[];
  /** Annotated functions of this file that this one calls, by name. */
  readonly callees: readonly string[];
  /** What the directive asked for, or `null`. */
  readonly directive: 'exempt' | 'function' | 'site' | null;
  /** What applied: directive, then command line, then configuration. */
  readonly policy: 'site' | 'function';
  /**
   * True when the function is annotated at module level and asks for its legs (decision 14), whatever its status.
   * False: lowering leaves it exactly as written. So it is for exempt functions, for directives that cannot be
   * followed, for generators, and where `eval` or `with` make names uncertain.
   */
  readonly active: boolean;
}

export interface FileAnalysis extends FileReport {
  readonly source: string;
  /** `null` when the file does not parse (see `diagnostics`); `functions` is empty then. */
  readonly program: AstNode | null;
  readonly moduleKind: ModuleKind;
  /** Behind a BOM and a hashbang and the module's own directives: where an import may be inserted. */
  readonly insertionPoint: number;
  /** Every identifier that occurs anywhere in the file, for fresh names. */
  readonly identifiers: ReadonlySet<string>;
  readonly functions: readonly FunctionAnalysis[];
}
