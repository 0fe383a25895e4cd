/**
 * The surface that no rule lowers: operands outside the vocabulary, and the operators that have no
 * tf function with a rule.
 */
import { notCovered, type ClaimSite, type TypeKey, type Verdict } from '../core/api';
import type { Family } from './family';
import { defineRule, refuse, type Fault } from './rule';
import { isTensor, spelled } from './types';

export const UNSUPPORTED = defineRule(
  '010',
  'unsupported-tensor-surface',
  { kind: 'type', pattern: 'any tensor operand or operator that no other rule names' },
  'fallback',
  {
    constraint:
      'Operands are TensorF32Cpu2D, TensorF32Cpu1D or TensorI64Cpu1D. A number, another dtype, rank or device, and ' +
      'every operator without a rule of its own are outside.',
    guidance:
      "Annotate the operand with TensorF32Cpu2D, TensorF32Cpu1D or TensorI64Cpu1D from 'tfe-node/types', if that is what it is. " +
      'A call with any other operand runs as written.',
  },
);

/**
 * The step of the ladder that looks at who the operands are, or `null` where all are tensors of ours.
 * An unresolved operand comes before a foreign one: once it is resolved, another rule may speak.
 */
export function judgeOperands(
  site: ClaimSite,
  types: readonly (TypeKey | null)[],
  resultType: TypeKey | null,
  foreignSuggestion: string = UNSUPPORTED.guidance,
): Verdict | null {
  if (types.includes(null)) return notCovered(resultType);
  const position = types.findIndex((type) => !isTensor(type));
  if (position === -1) return null;
  const fault: Fault = {
    reason: `operand ${position + 1} is ${spelled(types[position] ?? null)}, which is not a tensor type of this plugin`,
    suggestion: foreignSuggestion,
  };
  return refuse(site, UNSUPPORTED, fault, resultType);
}

/** These convert their operands to primitives, which a tensor refuses by throwing. */
const THROWING_OPERATORS = new Set('% ** & | ^ << >> >>> < <= > >='.split(' '));

/** These never throw between two tensors: they ask whether both sides are one object. */
const IDENTITY_OPERATORS = new Set(['==', '!=', '===', '!==']);

function judgeThrowing(site: ClaimSite): Verdict {
  const suggestion = 'Call the tf function that computes it; that call runs as written.';
  const fault: Fault = {
    reason:
      'JavaScript has no operator overloading, so this operator throws on a tensor when it runs',
    suggestion,
  };
  return (
    judgeOperands(site, site.operandTypes, null, suggestion) ??
    refuse(site, UNSUPPORTED, fault, null)
  );
}

function judgeIdentity(site: ClaimSite): Verdict {
  // `x === undefined` is how JavaScript asks whether an optional tensor was given: nothing to refuse.
  if (!site.operandTypes.every(isTensor)) return notCovered('boolean');
  const fault: Fault = {
    reason: 'it asks whether both sides are one tensor object and compares no values',
    suggestion:
      'To compare values, read them first (dataSync()) and compare those; that runs as written.',
  };
  return refuse(site, UNSUPPORTED, fault, 'boolean');
}

function judgeOperator(site: ClaimSite): Verdict | null {
  if (site.kind !== 'binop' || !site.operandTypes.some(isTensor)) return null;
  if (THROWING_OPERATORS.has(site.target)) return judgeThrowing(site);
  if (IDENTITY_OPERATORS.has(site.target)) return judgeIdentity(site);
  return null;
}

export const unsupported: Family = {
  records: [UNSUPPORTED],
  targets: [],
  judge(site) {
    const verdict = judgeOperator(site);
    return verdict && { verdict };
  },
};
