/**
 * `tf.nn.softmax` over the last axis, which is the only axis that TensorFlow's Softmax kernel knows:
 * over another one Python transposes around it, and no rule does that.
 */
import type { TypeKey } from '../core/api';
import type { Family } from './family';
import { judgeCall, noRow, type CallForm, type Row } from './ladder';
import { nativeCall } from './rule';
import { axisSetting, type Axis } from './settings';
import { F32_1D, F32_2D } from './types';

const SOFTMAX_2D = nativeCall(
  '007',
  'softmax-axis1-f32-cpu-2d',
  'tf.nn.softmax(logits, 1), tf.nn.softmax(logits, { axis: 1 })',
  {
    constraint:
      'logits is TensorF32Cpu2D; axis is written as the literal 1, by position or as option; no other option. The result has the same type.',
    guidance:
      'For a TensorF32Cpu2D write the axis out: tf.nn.softmax(logits, { axis: 1 }), without other options.',
  },
);

const SOFTMAX_1D = nativeCall(
  '025',
  'softmax-axis0-f32-cpu-1d',
  'tf.nn.softmax(logits), tf.nn.softmax(logits, { axis: 0 })',
  {
    constraint:
      'logits is TensorF32Cpu1D; axis is absent, or the literal 0, by position or as option; no other option. The result has the same type.',
    guidance:
      'For a TensorF32Cpu1D leave the axis out, or write { axis: 0 }, without other options.',
  },
);

interface SoftmaxRow extends Row {
  readonly axis: Axis;
  /** Rank 1 has one axis, so leaving it out is as explicit; rank 2 must say it. */
  readonly axisMayBeAbsent: boolean;
}

const ROWS: ReadonlyMap<TypeKey, SoftmaxRow> = new Map([
  [
    F32_2D,
    { record: SOFTMAX_2D, operands: [F32_2D], result: F32_2D, axis: 1, axisMayBeAbsent: false },
  ],
  [
    F32_1D,
    { record: SOFTMAX_1D, operands: [F32_1D], result: F32_1D, axis: 0, axisMayBeAbsent: true },
  ],
]);

function rowOf(type: TypeKey | null | undefined): SoftmaxRow | undefined {
  return ROWS.get(type ?? '');
}

/** The rank decides which axis is lowered, so a message must never name the other one. */
function lastAxis(type: TypeKey | null | undefined): string {
  const row = rowOf(type);
  return row ? `${row.axis}` : 'the last axis (1 for a TensorF32Cpu2D, 0 for a TensorF32Cpu1D)';
}

const settings = {
  axis: axisSetting({
    wanted: ({ operandTypes: [type] }) => lastAxis(type),
    advise: (literal, { operandTypes: [type] }) =>
      literal.kind === 'int' && literal.value === -1
        ? `Count it from the front: write ${lastAxis(type)} in place of -1.`
        : undefined,
  }),
};

const form: CallForm<typeof settings> = {
  targets: ['tf.nn.softmax'],
  tensors: ['logits'],
  settings,
  speaker: ({ operandTypes: [type] }) => rowOf(type)?.record ?? SOFTMAX_2D,
  match(types, { axis }) {
    const row = rowOf(types[0]);
    if (row === undefined) return noRow(types);
    if (axis === undefined && !row.axisMayBeAbsent) {
      return {
        reason: 'the axis is left out',
        suggestion: 'Write { axis: 1 }: left out, the axis is the last one, which is 1 for rank 2.',
      };
    }
    if (axis !== undefined && axis !== row.axis) {
      return row.record === SOFTMAX_1D
        ? { reason: 'a rank-1 tensor has no axis 1' }
        : {
            reason: 'softmax over axis 0 of a rank-2 tensor is not one over its last axis',
            suggestion:
              'Write { axis: 1 } only if the last axis is meant; over axis 0 the results are others, and the call runs as written.',
          };
    }
    const payload = { axis: row.axis };
    return { row, op: { kind: 'family', familyId: 'tfe-node.softmax.v1', payload } };
  },
  returns: ({ operandTypes: [type] }) => rowOf(type)?.result ?? null,
};

export const softmax: Family = {
  records: [SOFTMAX_2D, SOFTMAX_1D],
  targets: form.targets,
  judge: (site) => judgeCall(form, site),
};
