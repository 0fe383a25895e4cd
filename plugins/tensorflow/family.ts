/** What a rule family is to the router, and what it answers for a site. */
import type {
  ClaimSite,
  LoweredExpr,
  LoweringContext,
  OpRef,
  RuleRecord,
  Verdict,
} from '../core/api';
import { PLUGIN_ID } from './types';

/** The package whose calls are judged, as its import binding names it. */
export const PACKAGE = 'tfe-node';

export interface Judgement {
  readonly verdict: Verdict;
  /** What the site becomes; present exactly when the verdict is *claimed*. */
  readonly lowering?: {
    readonly op: OpRef;
    /** How many leading operands the op takes; literals after them are in the op's payload. */
    readonly tensors: number;
  };
}

export interface Family {
  readonly records: readonly RuleRecord[];
  /** The paths in `tfe-node` whose calls the family claims. */
  readonly targets: readonly string[];
  /** Pure. `null` when the site is none of this family's. */
  judge(site: ClaimSite): Judgement | null;
}

function refuseToLower(site: ClaimSite, why: string): never {
  throw new Error(`${PLUGIN_ID} will not lower '${site.target}': ${why}`);
}

function describe(verdict: Verdict): string {
  if (verdict.verdict === 'claimed') return `claimed by ${verdict.ruleId} as ${verdict.resultType}`;
  const why = verdict.verdict === 'rejected' ? ` (${verdict.diagnostic.message})` : '';
  return `${verdict.verdict}${why}`;
}

/**
 * Lowers a site by judging it once more: whatever changed between claiming and lowering (a rule id,
 * a literal, an operand, a receiver) changes the judgement or disagrees with it, and is refused.
 */
export function lowerJudged(
  site: ClaimSite,
  { verdict, lowering }: Judgement,
  context: LoweringContext,
): LoweredExpr {
  if (verdict.verdict !== 'claimed' || lowering === undefined) {
    return refuseToLower(site, `judged again, the site is ${describe(verdict)}`);
  }
  if (site.ruleId !== verdict.ruleId || site.resultType !== verdict.resultType) {
    return refuseToLower(
      site,
      `it was claimed by ${site.ruleId} as ${site.resultType}, but judged again it is ${describe(verdict)}`,
    );
  }
  if (context.operands.length !== site.operandTypes.length) {
    return refuseToLower(
      site,
      `it has ${site.operandTypes.length} operands, but ${context.operands.length} were rendered`,
    );
  }
  return { expr: context.apply(lowering.op, context.operands.slice(0, lowering.tensors)) };
}
