/**
 * The steps that every covered call goes through, in the order of rextio-tensorflow:
 *
 *   receiver -> not covered; arity and options -> the op's code; unresolved operand -> not covered;
 *   foreign operand -> 010; ranks and dtypes -> the op's code; otherwise claimed
 *
 * The shape of a call is judged before its operand types, so that a form that can never be lowered is
 * said at once, whatever is known about the types. A family states its tables in a `CallForm`.
 */
import {
  claimed,
  notCovered,
  type ClaimSite,
  type OpRef,
  type RuleRecord,
  type TypeKey,
} from '../core/api';
import { PACKAGE, type Judgement } from './family';
import { refuse, type Fault } from './rule';
import { readSettings, type Settings, type Values } from './settings';
import { isTensor, spelled } from './types';
import { judgeOperands } from './unsupported';

/** Operand types that a rule lowers, and what comes out. */
export interface Row {
  readonly record: RuleRecord;
  readonly operands: readonly TypeKey[];
  readonly result: TypeKey;
}

export function findRow(rows: readonly Row[], types: readonly (TypeKey | null)[]): Row | undefined {
  return rows.find(
    ({ operands }) =>
      operands.length === types.length && operands.every((type, index) => type === types[index]),
  );
}

/** `TensorF32Cpu2D and TensorI64Cpu1D`: what was written where no row fits. */
export function listTypes(types: readonly (TypeKey | null)[]): string {
  return types.map(spelled).join(' and ');
}

/** The fault of operand types that are ours, but in no row. */
export function noRow(types: readonly (TypeKey | null)[]): Fault {
  return { reason: `the rule does not take ${listTypes(types)}` };
}

/** A call that can be lowered: by which row, to which op. */
export interface Match {
  readonly row: Row;
  readonly op: OpRef;
}

export interface CallForm<S extends Settings> {
  readonly targets: readonly string[];
  /** The names that TensorFlow gives the tensor operands, in order. */
  readonly tensors: readonly string[];
  readonly settings: S;
  /** The rule whose code a refusal carries: the one that the recognisable part of the call selects. */
  speaker(site: ClaimSite): RuleRecord;
  /** A fault of shape that only this op has. */
  shapeFault?(site: ClaimSite, values: Values<S>): Fault | undefined;
  /** The last step: all tensors are of our types, and all settings are read. */
  match(types: readonly TypeKey[], values: Values<S>): Match | Fault;
  /**
   * The type of what the call returns when it runs as written, whether or not it can be lowered;
   * `null` where it cannot be told, or has no key. A call that throws returns nothing, so any type
   * is right for it.
   */
  returns(site: ClaimSite): TypeKey | null;
}

/** A literal where a tensor should be. Its type may claim to be a tensor's; it is not one. */
export function literalOperand(site: ClaimSite, tensors: number): Fault | undefined {
  const position = site.operandLiterals
    .slice(0, tensors)
    .findIndex(({ kind }) => kind !== 'dynamic');
  return position === -1
    ? undefined
    : { reason: `operand ${position + 1} is a literal, where a tensor is needed` };
}

export function judgeCall<S extends Settings>(
  form: CallForm<S>,
  site: ClaimSite,
): Judgement | null {
  if (site.kind !== 'call' || site.module !== PACKAGE || !form.targets.includes(site.target)) {
    return null;
  }
  // A method of that name on some value is another function: nothing is known about it.
  if (site.receiver !== null) return { verdict: notCovered() };

  const resultType = form.returns(site);
  const refused = (fault: Fault): Judgement => ({
    verdict: refuse(site, form.speaker(site), fault, resultType),
  });

  const shape = readSettings(site, form.tensors, form.settings);
  if ('fault' in shape) return refused(shape.fault);
  const shapeFault = form.shapeFault?.(site, shape.values);
  if (shapeFault !== undefined) return refused(shapeFault);

  const types = site.operandTypes.slice(0, form.tensors.length);
  const stopped = judgeOperands(site, types, resultType);
  if (stopped !== null) return { verdict: stopped };
  const literal = literalOperand(site, types.length);
  if (literal !== undefined) return refused(literal);

  const match = form.match(types.filter(isTensor), shape.values);
  if (!('op' in match)) return refused(match);
  const { row, op } = match;
  return {
    verdict: claimed(row.record.id, row.result),
    lowering: { op, tensors: types.length },
  };
}
