/** The family `tfe-node.softmax.v1`: softmax along one axis. TensorFlow's Softmax, which knows the last axis only. */
import { TfeEngine } from '../engines/tfe';
import { defineExtensionRuntime } from '../extension/module';
import { defineExtensionOp } from '../extension/op';
import type { DType } from '../tensor/dtype';
import type { Tensor } from '../tensor/tensor';
import { checkAxis, checkAxisInRange, sameDType } from './checks';

/** `axis` counts from the front. */
export type SoftmaxPayload = Readonly<{ axis: number }>;

const LABEL = 'tf.nn.softmax';
const FAMILY_ID = 'tfe-node.softmax.v1';
const DTYPES: readonly DType[] = ['float32', 'float64'];

export const softmax = defineExtensionOp<SoftmaxPayload>({
  familyId: FAMILY_ID,
  inputCount: 1,
  outputCount: 1,
  effects: [],
  aliases: 'allFresh',
  checkPayload(payload) {
    checkAxis(FAMILY_ID, payload, 'axis');
  },
  inferOutputMeta({ axis }, context) {
    const dtype = sameDType(context, DTYPES, LABEL, ['logits']);
    checkAxisInRange(context, axis, LABEL);
    return [{ dtype, shape: context.inputShape(0) }];
  },
});

export const softmaxRuntime = defineExtensionRuntime({
  runtime: 'SoftmaxRuntime',
  familyId: FAMILY_ID,
  op: softmax,
  sessionSupported: () => true,
  executeInSession({ payload }, engine: TfeEngine, [logits]) {
    const kernel = engine.kernel({ label: LABEL, name: 'Softmax', inputs: 1 });
    const { rank } = logits!;
    if (payload.axis === rank - 1) return [kernel.run1(logits!)];
    // As Python does: swap the axis with the last one, and back.
    const swap = swapWithLast(engine, rank, payload.axis);
    return [swap(kernel.run1(swap(logits!)))];
  },
});

function swapWithLast(engine: TfeEngine, rank: number, axis: number): (tensor: Tensor) => Tensor {
  const permutation = Array.from({ length: rank }, (_, i) => i);
  permutation[axis] = rank - 1;
  permutation[rank - 1] = axis;
  const transpose = engine.kernel({
    label: LABEL,
    name: 'Transpose',
    inputs: 1,
    constants: [{ position: 1, values: permutation, dtype: 'int32' }],
  });
  return (tensor) => transpose.run1(tensor);
}
