/** Makes rule records, and the diagnostics that speak for them. */
import { rejected, type ClaimSite, type RuleRecord, type TypeKey, type Verdict } from '../core/api';
import { PLUGIN_ID } from './types';

type RuleText = Pick<RuleRecord, 'constraint' | 'guidance'>;

/** A rule as data; its id and code follow from its slug and number. */
export function defineRule(
  number: string,
  slug: string,
  scope: RuleRecord['scope'],
  outcome: RuleRecord['outcome'],
  text: RuleText,
): RuleRecord {
  return Object.freeze({
    id: `${PLUGIN_ID}/${slug}`,
    scope: Object.freeze(scope),
    constraint: text.constraint,
    outcome,
    diagnosticCode: `TFEP-TENSORFLOW-${number}`,
    guidance: text.guidance,
    stability: 'experimental',
  });
}

/**
 * A rule that lowers a call. Both legs of a lowered function run the same executor, so every one of
 * them is bit-exact against the call as written, and the record says so.
 */
export function nativeCall(
  number: string,
  slug: string,
  pattern: string,
  { constraint, guidance }: RuleText,
): RuleRecord {
  const exact = `${constraint} Bit-exact: the lowered call runs the same executor as the call as written.`;
  return defineRule(number, slug, { kind: 'call', pattern }, 'native', {
    constraint: exact,
    guidance,
  });
}

/** Why a site is refused. */
export interface Fault {
  /** Completes the sentence "tfe-tensorflow cannot lower '<target>': ...". */
  readonly reason: string;
  /** What to write instead, where that is more precise than the rule's guidance. */
  readonly suggestion?: string;
  /** The rule that speaks, where it is not the one that the site's form selects. */
  readonly record?: RuleRecord;
}

export function refuse(
  site: ClaimSite,
  speaker: RuleRecord,
  fault: Fault,
  resultType: TypeKey | null,
): Verdict {
  return rejected(
    {
      code: (fault.record ?? speaker).diagnosticCode,
      message: `${PLUGIN_ID} cannot lower '${site.target}': ${fault.reason}`,
      suggestion: fault.suggestion ?? speaker.guidance,
    },
    resultType,
  );
}
