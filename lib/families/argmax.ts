/** The family `tfe-node.argmax.v1`: index of the largest value along one axis. TensorFlow's ArgMax. */
import type { TfeEngine } from '../engines/tfe';
import { defineExtensionRuntime } from '../extension/module';
import { defineExtensionOp } from '../extension/op';
import { DTYPES as TABLE, PLAIN_DTYPES, type DType } from '../tensor/dtype';
import { checkAxis, checkAxisInRange, checkOneOf, sameDType } from './checks';
import { kernelSpecs } from './kernels';

/** `axis` counts from the front. */
export type ArgmaxPayload = Readonly<{ axis: number; outputType: 'int32' | 'int64' }>;

const LABEL = 'tf.argmax';
/** All that have an order. */
const DTYPES: readonly DType[] = PLAIN_DTYPES.filter((dtype) => TABLE[dtype].kind !== 'complex');
const FAMILY_ID = 'tfe-node.argmax.v1';

export const argmax = defineExtensionOp<ArgmaxPayload>({
  familyId: FAMILY_ID,
  inputCount: 1,
  outputCount: 1,
  effects: [],
  aliases: 'allFresh',
  checkPayload(payload) {
    checkAxis(FAMILY_ID, payload, 'axis');
    checkOneOf(FAMILY_ID, payload, 'outputType', ['int32', 'int64']);
  },
  inferOutputMeta({ axis, outputType }, context) {
    sameDType(context, DTYPES, LABEL, ['input']);
    checkAxisInRange(context, axis, LABEL);
    const shape = context.inputShape(0).filter((_, i) => i !== axis);
    return [{ dtype: outputType, shape }];
  },
});

const kernels = kernelSpecs<ArgmaxPayload, 'ArgMax'>(({ axis, outputType }, name) => ({
  label: LABEL,
  name,
  inputs: 1,
  attrs: [['output_type', 'type', TABLE[outputType].tf]],
  constants: [{ position: 1, values: axis, dtype: 'int32' }],
}));

export const argmaxRuntime = defineExtensionRuntime({
  runtime: 'ArgmaxRuntime',
  familyId: FAMILY_ID,
  op: argmax,
  sessionSupported: () => true,
  executeInSession: (op, engine: TfeEngine, [input]) => [
    engine.kernel(kernels(op, 'ArgMax')).run1(input!),
  ],
  executeAsync: async (op, engine, [input], options) => [
    await engine.kernel(kernels(op, 'ArgMax')).runAsync([input!], options),
  ],
});
