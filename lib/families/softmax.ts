/** The family `tfe-node.softmax.v1`: softmax along one axis. TensorFlow's Softmax, which knows the last axis only. */
import type { TfeEngine } from '../engines/tfe';
import { defineExtensionRuntime } from '../extension/module';
import { defineExtensionOp } from '../extension/op';
import type { DType } from '../tensor/dtype';
import type { KernelSpec } from '../tensor/kernel';
import { checkAxis, checkAxisInRange, sameDType } from './checks';
import { kernelSpecs } from './kernels';

/** `axis` counts from the front. */
export type SoftmaxPayload = Readonly<{ axis: number }>;

const LABEL = 'tf.nn.softmax';
const FAMILY_ID = 'tfe-node.softmax.v1';
const DTYPES: readonly DType[] = ['float32', 'float64', 'float16', 'bfloat16'];

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

const KERNEL: KernelSpec = { label: LABEL, name: 'Softmax', inputs: 1 };

/** Swaps the payload's axis with the last one of a tensor of `rank`; its own inverse. */
const swaps = kernelSpecs<SoftmaxPayload, number>(({ axis }, rank) => {
  const permutation = Array.from({ length: rank }, (_, i) => i);
  permutation[axis] = rank - 1;
  permutation[rank - 1] = axis;
  return {
    label: LABEL,
    name: 'Transpose',
    inputs: 1,
    constants: [{ position: 1, values: permutation, dtype: 'int32' }],
  };
});

export const softmaxRuntime = defineExtensionRuntime({
  runtime: 'SoftmaxRuntime',
  familyId: FAMILY_ID,
  op: softmax,
  sessionSupported: () => true,
  executeInSession(op, engine: TfeEngine, [logits]) {
    const kernel = engine.kernel(KERNEL);
    const { rank } = logits!;
    if (op.payload.axis === rank - 1) return [kernel.run1(logits!)];
    // As Python does; the two temporaries are freed by the runtime's scope.
    const swap = engine.kernel(swaps(op, rank));
    return [swap.run1(kernel.run1(swap.run1(logits!)))];
  },
  async executeAsync(op, engine, [logits], options) {
    const kernel = engine.kernel(KERNEL);
    const { rank } = logits!;
    if (op.payload.axis === rank - 1) return [await kernel.runAsync([logits!], options)];
    const swap = engine.kernel(swaps(op, rank));
    const swapped = await swap.runAsync([logits!], options);
    return [await swap.runAsync([await kernel.runAsync([swapped], options)], options)];
  },
});
