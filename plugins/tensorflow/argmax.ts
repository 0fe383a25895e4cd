/** `tf.argmax` over a literal axis of a rank-2 tensor: int64 positions, one for each row or column. */
import type { ClaimSite, RuleRecord } from '../core/api';
import type { Family } from './family';
import { judgeCall, noRow, type CallForm, type Row } from './ladder';
import { nativeCall } from './rule';
import { axisSetting, mayState, statedAxis, type Axis } from './settings';
import { F32_2D, I64_1D } from './types';

function argmaxRecord(code: string, axis: Axis): RuleRecord {
  return nativeCall(
    code,
    `argmax-axis${axis}-i64-cpu-2d`,
    `tf.argmax(input, ${axis}), tf.argmax(input, { axis: ${axis} })`,
    {
      constraint:
        `input is TensorF32Cpu2D; axis is written as the literal ${axis}, by position or as option; no other option. ` +
        'The result is TensorI64Cpu1D. Which of several equal maxima is taken is up to the kernel.',
      guidance:
        'Write the axis of a TensorF32Cpu2D out as 0 or 1, by position or as { axis: 1 }, and leave output_type and name out: the positions are int64.',
    },
  );
}

const ROWS: Readonly<Record<Axis, Row>> = {
  1: { record: argmaxRecord('008', 1), operands: [F32_2D], result: I64_1D },
  0: { record: argmaxRecord('024', 0), operands: [F32_2D], result: I64_1D },
};

/** Of a rank-2 tensor, the axes that Python also counts from the end. */
const FROM_THE_END: Readonly<Record<number, Axis>> = { [-1]: 1, [-2]: 0 };

const settings = {
  axis: axisSetting({
    wanted: () => '0 or 1',
    advise(literal) {
      const axis = literal.kind === 'int' ? FROM_THE_END[literal.value] : undefined;
      return axis === undefined
        ? undefined
        : `Count it from the front: write ${axis}, which is the same axis of a rank-2 tensor.`;
    },
  }),
};

/** output_type, by name or as Python's third operand, decides the dtype of the result. */
function returnsInt64(site: ClaimSite): boolean {
  return site.operandTypes.length <= 2 && !mayState(site, 'output_type');
}

const form: CallForm<typeof settings> = {
  targets: ['tf.argmax'],
  tensors: ['input'],
  settings,
  // A call that says axis 0 is the axis-0 rule's, whatever else is wrong with it; any other is 008's.
  speaker: (site) => ROWS[statedAxis(site, 1) ?? 1].record,
  shapeFault: (_site, { axis }) =>
    axis === undefined
      ? {
          reason: 'the axis is left out',
          suggestion:
            'Write { axis: 0 } for what it does now, or { axis: 1 } for one position in each row.',
        }
      : undefined,
  match(types, { axis }) {
    if (axis === undefined || types[0] !== F32_2D) return noRow(types);
    const payload = { axis, outputType: 'int64' };
    return { row: ROWS[axis], op: { kind: 'family', familyId: 'tfe-node.argmax.v1', payload } };
  },
  returns: (site) => (site.operandTypes[0] === F32_2D && returnsInt64(site) ? I64_1D : null),
};

export const argmax: Family = {
  records: [ROWS[1].record, ROWS[0].record],
  targets: form.targets,
  judge: (site) => judgeCall(form, site),
};
