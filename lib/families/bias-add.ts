/** The family `tfe-node.bias_add.v1`: adds a vector to the channel axis. TensorFlow's BiasAdd. */
import type { TfeEngine } from '../engines/tfe';
import { defineExtensionRuntime } from '../extension/module';
import { defineExtensionOp } from '../extension/op';
import { NUMERIC_DTYPES, type DType } from '../tensor/dtype';
import { checkOneOf, requireRank, requireSameExtent, sameDType } from './checks';
import { kernelSpecs } from './kernels';

/** `NHWC`: channels last, `NCHW`: channels on axis 1. */
export type BiasAddPayload = Readonly<{ dataFormat: 'NHWC' | 'NCHW' }>;

const LABEL = 'tf.nn.bias_add';
const FAMILY_ID = 'tfe-node.bias_add.v1';
const FAMILY = [LABEL, FAMILY_ID] as const;
const DTYPES: readonly DType[] = NUMERIC_DTYPES;

export const biasAdd = defineExtensionOp<BiasAddPayload>({
  familyId: FAMILY_ID,
  inputCount: 2,
  outputCount: 1,
  effects: [],
  aliases: 'allFresh',
  checkPayload(payload) {
    checkOneOf(FAMILY_ID, payload, 'dataFormat', ['NHWC', 'NCHW']);
  },
  inferOutputMeta({ dataFormat }, context) {
    const dtype = sameDType(context, DTYPES, LABEL, ['value', 'bias']);
    const shape = context.inputShape(0);
    requireRank(FAMILY, 'value', 'rank 2 or more', shape.length, shape.length >= 2);
    const biasRank = context.inputShape(1).length;
    requireRank(FAMILY, 'bias', 'rank 1', biasRank, biasRank === 1);
    const channels = dataFormat === 'NCHW' ? 1 : shape.length - 1;
    requireSameExtent(FAMILY, context, ['value', 'bias'], [channels, 0]);
    return [{ dtype, shape }];
  },
});

const kernels = kernelSpecs<BiasAddPayload, 'BiasAdd'>(({ dataFormat }, name) => ({
  label: LABEL,
  name,
  inputs: 2,
  attrs: [['data_format', 'string', dataFormat]],
}));

export const biasAddRuntime = defineExtensionRuntime({
  runtime: 'BiasAddRuntime',
  familyId: FAMILY_ID,
  op: biasAdd,
  sessionSupported: () => true,
  executeInSession: (op, engine: TfeEngine, [value, bias]) => [
    engine.kernel(kernels(op, 'BiasAdd')).run2(value!, bias!),
  ],
  executeAsync: async (op, engine, [value, bias], options) => [
    await engine.kernel(kernels(op, 'BiasAdd')).runAsync([value!, bias!], options),
  ],
});
