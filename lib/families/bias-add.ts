/** The family `tfe-node.bias_add.v1`: adds a vector to the channel axis. TensorFlow's BiasAdd. */
import { tfeError } from '../errors';
import type { TfeEngine } from '../engines/tfe';
import { defineExtensionRuntime } from '../extension/module';
import { defineExtensionOp } from '../extension/op';
import { NUMERIC_DTYPES, type DType } from '../tensor/dtype';
import { checkOneOf, requireSameExtent, sameDType } from './checks';
import { kernelSpecs } from './kernels';

/** `NHWC`: channels last, `NCHW`: channels on axis 1. */
export type BiasAddPayload = Readonly<{ dataFormat: 'NHWC' | 'NCHW' }>;

const LABEL = 'tf.nn.bias_add';
const FAMILY_ID = 'tfe-node.bias_add.v1';
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
    requireRank('value', 'rank 2 or more', shape.length, shape.length >= 2);
    const biasRank = context.inputShape(1).length;
    requireRank('bias', 'rank 1', biasRank, biasRank === 1);
    const channels = dataFormat === 'NCHW' ? 1 : shape.length - 1;
    requireSameExtent(context, [LABEL, FAMILY_ID], ['value', 'bias'], [channels, 0]);
    return [{ dtype, shape }];
  },
});

function requireRank(argument: string, expected: string, received: number, good: boolean): void {
  if (good) return;
  throw tfeError(
    'TFE_OP_RANK',
    { op: LABEL, argument, expected, received },
    { op: LABEL, familyId: FAMILY_ID },
  );
}

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
