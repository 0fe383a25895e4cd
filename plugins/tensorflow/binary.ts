/**
 * `tf.add`, `tf.subtract`, `tf.multiply`, `tf.divide`, and the operators that Python would write for
 * them. JavaScript has no operator overloading: `a + b` on tensors throws when it runs, so the
 * operators are recognised only to say what to write.
 */
import type { ClaimSite, RuleRecord, TypeKey, Verdict } from '../core/api';
import type { Family } from './family';
import { findRow, judgeCall, listTypes, noRow, type CallForm, type Row } from './ladder';
import { defineRule, nativeCall, refuse } from './rule';
import { F32_1D, F32_2D, I64_1D, isTensor } from './types';
import { judgeOperands } from './unsupported';

interface Operation {
  readonly name: 'add' | 'subtract' | 'multiply' | 'divide';
  /** How the rule ids spell it. */
  readonly slug: string;
  readonly operator: string;
  /** The numbers of the rule for the call and of the one for the operator. */
  readonly call: string;
  readonly binop: string;
  /** Divide turns integers into float64, which has no key. */
  readonly keepsInt64: boolean;
}

const OPERATIONS: readonly Operation[] = [
  { name: 'add', slug: 'add', operator: '+', call: '003', binop: '006', keepsInt64: true },
  { name: 'subtract', slug: 'sub', operator: '-', call: '014', binop: '015', keepsInt64: true },
  { name: 'multiply', slug: 'mul', operator: '*', call: '013', binop: '012', keepsInt64: true },
  { name: 'divide', slug: 'div', operator: '/', call: '016', binop: '017', keepsInt64: false },
];

/** The rank pairs that are lowered: the result has the greater rank, by broadcasting the last axis. */
const PAIRS: readonly {
  readonly operands: readonly [TypeKey, TypeKey];
  readonly result: TypeKey;
}[] = [
  { operands: [F32_2D, F32_2D], result: F32_2D },
  { operands: [F32_1D, F32_1D], result: F32_1D },
  { operands: [F32_2D, F32_1D], result: F32_2D },
  { operands: [F32_1D, F32_2D], result: F32_2D },
];

const PAIRS_IN_WORDS =
  'x and y are each TensorF32Cpu2D or TensorF32Cpu1D, in any combination; the result has the greater rank. ' +
  'Sizes that do not broadcast are reported when the op runs.';

/** A scalar takes the dtype of the tensor beside it, so the tensor's type is kept. */
function scalarResult(left: TypeKey | null, right: TypeKey | null): TypeKey | null {
  if (right === 'number') return left;
  return left === 'number' ? right : null;
}

function returnType(
  { keepsInt64 }: Operation,
  rows: readonly Row[],
  site: ClaimSite,
): TypeKey | null {
  const [left = null, right = null] = site.operandTypes;
  const result =
    findRow(rows, [left, right])?.result ?? (left === right ? left : scalarResult(left, right));
  if (!isTensor(result)) return null;
  return result === I64_1D && !keepsInt64 ? null : result;
}

function operatorRecord(operation: Operation, call: string): RuleRecord {
  return defineRule(
    operation.binop,
    `${operation.slug}-binop-f32-cpu`,
    { kind: 'binop', pattern: `x ${operation.operator} y` },
    'reject',
    {
      constraint: `Never lowered: JavaScript has no operator overloading, and '${operation.operator}' throws on a tensor when it runs.`,
      guidance: `Write ${call}(x, y), which is lowered where x and y are TensorF32Cpu2D or TensorF32Cpu1D.`,
    },
  );
}

function judgeOperator(
  operation: Operation,
  record: RuleRecord,
  rows: readonly Row[],
  site: ClaimSite,
): Verdict | null {
  const { kind, target, operandTypes } = site;
  if (kind !== 'binop' || target !== operation.operator || !operandTypes.some(isTensor)) {
    return null;
  }
  // It throws, so no type is wrong; the type of the call to write instead lets the sites after it be
  // judged as they will be once it is written.
  const resultType = returnType(operation, rows, site);
  const foreign = operandTypes.includes('string')
    ? 'Text of a tensor is tensor.toString(), written out.'
    : record.guidance;
  return (
    judgeOperands(site, operandTypes, resultType, foreign) ??
    refuse(
      site,
      record,
      {
        reason: `JavaScript has no operator overloading, so '${target}' between ${listTypes(operandTypes)} throws when it runs`,
      },
      resultType,
    )
  );
}

function binaryFamily(operation: Operation): Family {
  const { name, slug } = operation;
  const [call, ...aliases] = [`tf.${name}`, `tf.math.${name}`] as const;
  const record = nativeCall(
    operation.call,
    `${slug}-call-f32-cpu`,
    `${call}(x, y), ${aliases[0]}(x, y)`,
    {
      constraint: `${PAIRS_IN_WORDS} No options.`,
      guidance: `Pass two tensors by position to ${call}, each TensorF32Cpu2D or TensorF32Cpu1D, without options.`,
    },
  );
  const operator = operatorRecord(operation, call);
  const rows = PAIRS.map((pair): Row => ({ record, ...pair }));
  const form: CallForm<Record<never, never>> = {
    targets: [call, ...aliases],
    tensors: ['x', 'y'],
    settings: {},
    speaker: () => record,
    match(types) {
      const row = findRow(rows, types);
      return row ? { row, op: { kind: 'core', name } } : noRow(types);
    },
    returns: (site) => returnType(operation, rows, site),
  };
  return {
    records: [record, operator],
    targets: form.targets,
    judge(site) {
      const verdict = judgeOperator(operation, operator, rows, site);
      return verdict ? { verdict } : judgeCall(form, site);
    },
  };
}

export const binary: readonly Family[] = OPERATIONS.map(binaryFamily);
