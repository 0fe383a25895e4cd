/** `tf.nn.relu`, `tf.nn.sigmoid`, `tf.nn.tanh`: one tensor, whose type is kept. */
import type { ClaimSite, RuleRecord, TypeKey } from '../core/api';
import type { Family } from './family';
import { findRow, judgeCall, noRow, type CallForm, type Row } from './ladder';
import { nativeCall } from './rule';
import { F32_1D, F32_2D, I64_1D, spelled } from './types';

interface Activation {
  readonly name: 'relu' | 'sigmoid' | 'tanh';
  /** TensorFlow's name of the operand. */
  readonly operand: string;
  /** The numbers of its rules. */
  readonly rank2: string;
  readonly rank1: string;
  /** The types that TensorFlow computes it for; the result has the operand's type. */
  readonly keeps: readonly TypeKey[];
}

/** TensorFlow's Relu has an int64 kernel; its Sigmoid and Tanh refuse integers. */
const ACTIVATIONS: readonly Activation[] = [
  {
    name: 'relu',
    operand: 'features',
    rank2: '002',
    rank1: '018',
    keeps: [F32_2D, F32_1D, I64_1D],
  },
  { name: 'sigmoid', operand: 'x', rank2: '005', rank1: '019', keeps: [F32_2D, F32_1D] },
  { name: 'tanh', operand: 'x', rank2: '009', rank1: '020', keeps: [F32_2D, F32_1D] },
];

function activationRecord({ name, operand }: Activation, code: string, type: TypeKey): RuleRecord {
  return nativeCall(
    code,
    `${name}-f32-cpu-${type === F32_2D ? '2d' : '1d'}`,
    `tf.nn.${name}(${operand})`,
    {
      constraint: `${operand} is ${spelled(type)}; no options. The result has the same type.`,
      guidance: `Pass one TensorF32Cpu2D or TensorF32Cpu1D by position to tf.nn.${name}, without options.`,
    },
  );
}

function activationFamily(activation: Activation): Family {
  const rank2 = activationRecord(activation, activation.rank2, F32_2D);
  const rank1 = activationRecord(activation, activation.rank1, F32_1D);
  const rows: readonly Row[] = [
    { record: rank2, operands: [F32_2D], result: F32_2D },
    { record: rank1, operands: [F32_1D], result: F32_1D },
  ];
  const form: CallForm<Record<never, never>> = {
    targets: [`tf.nn.${activation.name}`],
    tensors: [activation.operand],
    settings: {},
    speaker: ({ operandTypes: [type] }: ClaimSite) =>
      type === F32_1D || type === I64_1D ? rank1 : rank2,
    match(types) {
      const row = findRow(rows, types);
      return row ? { row, op: { kind: 'core', name: activation.name } } : noRow(types);
    },
    returns: ({ operandTypes: [type] }) => activation.keeps.find((kept) => kept === type) ?? null,
  };
  return {
    records: [rank2, rank1],
    targets: form.targets,
    judge: (site) => judgeCall(form, site),
  };
}

export const activations: readonly Family[] = ACTIVATIONS.map(activationFamily);
