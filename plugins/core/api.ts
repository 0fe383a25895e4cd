/**
 * The provider API: what a plugin implements and what the host hands it. Types only, plus the three
 * verdict makers and `definePlugin`. A plugin sees sites without locations, so that a verdict can
 * depend on nothing but the site, its types and the configuration (and can be cached).
 */

/** Version of this API. Majors must match; minors only add. */
export const PLUGIN_API_VERSION = '1.0';

/**
 * A type as the analysis knows it: a plugin's `"<plugin>/<name>"` key, or a core type.
 * `null` stands for "could not be resolved".
 */
export type TypeKey = string;
/** The keys of the types that every plugin may name as a result, beside those of the vocabularies. */
export const CORE_TYPES = ['number', 'bigint', 'boolean', 'string', 'null', 'undefined'] as const;

/** A folded literal. `-1`, `0x1` and `1` are values here, not texts; absent is not `undefined`. */
export type ClaimLiteral =
  | { readonly kind: 'dynamic' }
  | { readonly kind: 'null' }
  | { readonly kind: 'undefined' }
  | { readonly kind: 'bool'; readonly value: boolean }
  | { readonly kind: 'int'; readonly value: number }
  | { readonly kind: 'float'; readonly value: number }
  | { readonly kind: 'bigint'; readonly value: bigint }
  | { readonly kind: 'str'; readonly value: string }
  | { readonly kind: 'intTuple'; readonly value: readonly number[] };

/** One property of a trailing options object. */
export interface OptionEntry {
  readonly name: string;
  readonly type: TypeKey | null;
  readonly literal: ClaimLiteral;
}

/**
 * The trailing options object of a call. `dynamic`: an object was written, but with a spread, a
 * computed key or a getter, so its keys are unknown.
 */
export type ClaimOptions =
  | { readonly kind: 'absent' }
  | { readonly kind: 'static'; readonly entries: readonly OptionEntry[] }
  | { readonly kind: 'dynamic'; readonly reason: string };

/** One call or operator that a plugin may claim. Frozen plain data, no location. */
export interface ClaimSite {
  readonly kind: 'call' | 'binop';
  /** The package that the callee's import binding names: `tfe-node`. Empty for an operator. */
  readonly module: string;
  /** The alias-resolved path inside that package (`tf.nn.softmax`), or the operator (`+`). */
  readonly target: string;
  /** Positional operands; the trailing options object is not among them. */
  readonly operandTypes: readonly (TypeKey | null)[];
  readonly operandLiterals: readonly ClaimLiteral[];
  readonly options: ClaimOptions;
  /** Set when the call is a method on a value (`x.softmax()`); never part of `operandTypes`. */
  readonly receiver: { readonly type: TypeKey | null } | null;
  /** At lowering: what this plugin's own claim answered. `null` while claiming. */
  readonly ruleId: string | null;
  readonly resultType: TypeKey | null;
}

/** Why a plugin rejects a site. */
export interface PluginDiagnostic {
  /** `TFEP-<SEGMENT>-NNN`, declared by one of the plugin's rule records. */
  readonly code: string;
  readonly message: string;
  /** What to write instead. */
  readonly suggestion: string;
}

/** What a plugin says of a site. Each carries the type of what the call gives, where that is known. */
export type Verdict =
  | { readonly verdict: 'claimed'; readonly ruleId: string; readonly resultType: TypeKey }
  | {
      readonly verdict: 'rejected';
      readonly diagnostic: PluginDiagnostic;
      /** What the call returns when it runs as written, so that later sites keep their types. */
      readonly resultType: TypeKey | null;
    }
  | { readonly verdict: 'not covered'; readonly resultType: TypeKey | null };

/** The site is lowered, by the rule of that id; the call gives a value of `resultType`. */
export function claimed(ruleId: string, resultType: TypeKey): Verdict {
  return { verdict: 'claimed', ruleId, resultType };
}

/** The site runs as written, and the user is told what to write instead. */
export function rejected(diagnostic: PluginDiagnostic, resultType: TypeKey | null = null): Verdict {
  return { verdict: 'rejected', diagnostic, resultType };
}

/** The site runs as written; this plugin has nothing to say of it but its type. */
export function notCovered(resultType: TypeKey | null = null): Verdict {
  return { verdict: 'not covered', resultType };
}

/** A rule as data: the one source of its documentation, its tests and its diagnostics. */
export interface RuleRecord {
  /** `<plugin>/<slug>`, unique. */
  readonly id: string;
  readonly scope: { readonly kind: 'call' | 'binop' | 'type'; readonly pattern: string };
  /** What must hold, and how far results may differ when not bit-exact. */
  readonly constraint: string;
  readonly outcome: 'native' | 'reject' | 'fallback';
  /** `TFEP-<SEGMENT>-NNN`, one rule per code. */
  readonly diagnosticCode: string;
  /** Reused as the suggestion of its diagnostic. */
  readonly guidance: string;
  readonly stability: 'stable' | 'experimental';
}

/** A tensor type that annotations may name. */
export interface PluginType {
  /** `<plugin>/<name>`: `tfe-tensorflow/tensor-f32-cpu-2d`. */
  readonly key: TypeKey;
  /** Spellings: exported type names of a module, e.g. `{ module: 'tfe-node/types', name: 'TensorF32Cpu2D' }`. */
  readonly annotations: readonly { readonly module: string; readonly name: string }[];
  /** What the boundary of a lowered function checks at run time. */
  readonly tensor: { readonly dtype: string; readonly rank: number };
}

/** Which op a lowered site runs: a core op by name, or an extension family with its payload. */
export type OpRef =
  | { readonly kind: 'core'; readonly name: string }
  | {
      readonly kind: 'family';
      readonly familyId: string;
      readonly payload: Readonly<Record<string, unknown>>;
    };

/** What a plugin lowers with: tokens and makers of text, never source text. */
export interface LoweringContext {
  /** One opaque token per positional operand. Use each at most once, in order, inside `expr`. */
  readonly operands: readonly string[];
  /** Text of an expression that runs `op` on the given operands at this site. */
  apply(op: OpRef, operands: readonly string[]): string;
  /** An identifier that the file does not use yet. */
  freshName(prefix: string): string;
}

/** What a site becomes: exactly one expression. */
export interface LoweredExpr {
  readonly expr: string;
  /** Imports that `expr` needs, deduplicated by the host. */
  readonly imports?: readonly {
    readonly from: string;
    readonly name: string;
    readonly as: string;
  }[];
  /** Module-level items that `expr` needs, deduplicated by exact text. */
  readonly helpers?: readonly string[];
}

/** Which calls are a plugin's. */
export interface Coverage {
  /** Packages whose calls are offered to this plugin. */
  readonly packages: readonly string[];
  /** Paths inside them that the plugin knows, for reports. */
  readonly symbols: readonly string[];
  /**
   * All paths that can be called in the packages, where the plugin knows that: any other path is then reported as an
   * unknown op with what it may have meant. Left out: the host does not judge names.
   */
  readonly exports?: readonly string[];
}

/** A plugin: what it covers, its rules, and a verdict for each site. */
export interface Plugin {
  /** Lower-case words joined by `-`; the namespace of its rule ids and type keys. */
  readonly id: string;
  /** `PLUGIN_API_VERSION` of the API that it is written for. */
  readonly apiVersion: string;
  covers(): Coverage;
  /** Its rules: the only ones that a claim may name, with the only codes that a rejection may carry. */
  describe(): readonly RuleRecord[];
  /** The tensor types that annotations may name. */
  typeVocabulary(): readonly PluginType[];
  /** Pure: the same site gives the same verdict. */
  claim(site: ClaimSite): Verdict;
  /** Checks again all that the claim promised; throws when claim and lower disagree. */
  lower(site: ClaimSite, context: LoweringContext): LoweredExpr;
}

/**
 * Types a plugin where it is written; `createRegistry` validates it when it is loaded.
 *
 * @example
 * export const plugin = definePlugin({
 *   id: 'my-plugin',
 *   apiVersion: PLUGIN_API_VERSION,
 *   covers: () => ({ packages: ['my-package'], symbols: ['scale'] }),
 *   describe: () => [],
 *   typeVocabulary: () => [],
 *   claim: () => notCovered(),
 *   lower: () => { throw new Error('it claims nothing'); },
 * });
 */
export function definePlugin(plugin: Plugin): Plugin {
  return plugin;
}
