/** `tf.nn.bias_add`: a rank-2 value and a rank-1 bias, channels last. */
import type { Family } from './family';
import { findRow, judgeCall, literalOperand, noRow, type CallForm, type Row } from './ladder';
import { nativeCall } from './rule';
import { wordSetting } from './settings';
import { F32_1D, F32_2D } from './types';

const BIAS_ADD = nativeCall('021', 'bias-add-nhwc-f32-cpu-2d', 'tf.nn.bias_add(value, bias)', {
  constraint:
    "value is TensorF32Cpu2D and bias is TensorF32Cpu1D, in this order; data_format is absent or 'NHWC'; no other option. " +
    'The result is TensorF32Cpu2D. The size of bias is checked when the op runs.',
  guidance:
    "Pass a TensorF32Cpu2D value and then a TensorF32Cpu1D bias by position. The only option lowered is { data_format: 'NHWC' }, which is also the default.",
});

const ROWS: readonly Row[] = [{ record: BIAS_ADD, operands: [F32_2D, F32_1D], result: F32_2D }];

const settings = { data_format: wordSetting('NHWC') };

const form: CallForm<typeof settings> = {
  targets: ['tf.nn.bias_add'],
  tensors: ['value', 'bias'],
  settings,
  speaker: () => BIAS_ADD,
  // A literal operand is a fault of shape here, as in rextio-tensorflow, not a foreign operand.
  shapeFault: (site) => literalOperand(site, 2),
  match(types, { data_format: dataFormat = 'NHWC' }) {
    const row = findRow(ROWS, types);
    if (row === undefined) return noRow(types);
    return {
      row,
      op: { kind: 'family', familyId: 'tfe-node.bias_add.v1', payload: { dataFormat } },
    };
  },
  // The sum has the type of value, whatever the bias is.
  returns: ({ operandTypes: [value] }) => (value === F32_2D ? F32_2D : null),
};

export const biasAdd: Family = {
  records: [BIAS_ADD],
  targets: form.targets,
  judge: (site) => judgeCall(form, site),
};
