/**
 * What the analysis of a file answers. Plain data: `check --json` prints it, lowering reads it, tests
 * compare it. Lines and columns count from 1, columns in UTF-16 units; offsets are UTF-16 as well.
 */
import type { ClaimSite, TypeKey, Verdict } from './api';

export interface SourceRange {
  readonly start: number;
  readonly end: number;
  readonly line: number;
  readonly column: number;
  readonly endLine: number;
  readonly endColumn: number;
}

export interface Diagnostic {
  /** `TFEC-NNN` (core) or `TFEP-<SEGMENT>-NNN` (a plugin's). */
  readonly code: string;
  readonly message: string;
  readonly suggestion: string;
  readonly range: SourceRange;
}

/**
 * Why a function is not native. `becauseOf` marks a consequence: of another site, of a function that it calls, or of a
 * value (a property read, a variable) that has a reason of its own.
 */
export interface Reason extends Diagnostic {
  readonly becauseOf: {
    readonly kind: 'site' | 'function' | 'value';
    readonly name: string;
  } | null;
}

export type FunctionStatus =
  | 'native' // every call is claimed and the function is traceable by construction
  | 'mixed' // some sites are claimed, the rest run as written between them
  | 'fallback' // nothing is lowered: the function runs as written
  | 'not annotated'; // it calls a covered package, but nothing asked for it to be lowered

export interface SiteReport {
  readonly range: SourceRange;
  readonly kind: ClaimSite['kind'];
  readonly module: string;
  readonly target: string;
  readonly operandTypes: readonly (TypeKey | null)[];
  readonly verdict: Verdict['verdict'];
  readonly resultType: TypeKey | null;
  readonly ruleId: string | null;
  readonly pluginId: string | null;
  /** `native-plugin:<id>` where the site is lowered, `fallback` where it runs as written. */
  readonly route: string;
  /** Why the site is not claimed; `null` where it is. */
  readonly reason: Reason | null;
}

export interface FunctionReport {
  readonly name: string;
  readonly exported: boolean;
  readonly range: SourceRange;
  readonly nameRange: SourceRange;
  readonly status: FunctionStatus;
  /** `native-plugin:<ids>`, `mixed-plugin:<ids>` or `fallback`. */
  readonly route: string;
  /** The first cause that keeps the function from being native; `null` when it is. */
  readonly reason: Reason | null;
  readonly reasons: readonly Reason[];
  readonly parameters: readonly { readonly name: string; readonly type: TypeKey | null }[];
  readonly resultType: TypeKey | null;
  /** Whether what the function makes and does not return is freed; if not, `scopeReason` says why. */
  readonly scoped: boolean;
  readonly scopeReason: Diagnostic | null;
  readonly sites: readonly SiteReport[];
}

export interface FileReport {
  readonly file: string;
  /** Errors of the file itself: it does not parse, or cannot be read. */
  readonly diagnostics: readonly Diagnostic[];
  readonly functions: readonly FunctionReport[];
}
