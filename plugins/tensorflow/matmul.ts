/** `tf.matmul`: two rank-2 tensors, with literal transpose options. */
import { judgeCall, listTypes, type CallForm, type Row } from './ladder';
import type { Family } from './family';
import { nativeCall } from './rule';
import { BOOLEAN, mayState } from './settings';
import { F32_2D } from './types';
import { UNSUPPORTED } from './unsupported';

const MATMUL = nativeCall('001', 'matmul-f32-cpu-2d', 'tf.matmul(a, b), tf.linalg.matmul(a, b)', {
  constraint:
    'a and b are TensorF32Cpu2D; transpose_a and transpose_b are absent, or written as true or false; no other option. ' +
    'The result is TensorF32Cpu2D. The contracted sizes are checked when the op runs.',
  guidance:
    'Pass two TensorF32Cpu2D operands by position. The only options lowered are transpose_a and transpose_b, each written as true or false.',
});

const ROW: Row = { record: MATMUL, operands: [F32_2D, F32_2D], result: F32_2D };

const settings = { transpose_a: BOOLEAN, transpose_b: BOOLEAN };

const form: CallForm<typeof settings> = {
  targets: ['tf.matmul', 'tf.linalg.matmul'],
  tensors: ['a', 'b'],
  settings,
  speaker: () => MATMUL,
  match(types, { transpose_a = false, transpose_b = false }) {
    if (!types.every((type) => type === F32_2D)) {
      // Another rank is batched matmul, and another dtype another kernel: outside the surface.
      return {
        record: UNSUPPORTED,
        reason: `matmul is lowered for two TensorF32Cpu2D, not for ${listTypes(types)}`,
      };
    }
    const payload = { transposeA: transpose_a, transposeB: transpose_b };
    return { row: ROW, op: { kind: 'family', familyId: 'tfe-node.matmul.v1', payload } };
  },
  // Of all options of tf.matmul only output_type changes what the result of two float32 matrices is.
  returns(site) {
    const [a, b] = site.operandTypes;
    return a === F32_2D && b === F32_2D && !mayState(site, 'output_type') ? F32_2D : null;
  },
};

export const matmul: Family = {
  records: [MATMUL],
  targets: form.targets,
  judge: (site) => judgeCall(form, site),
};
