/**
 * The demo family of the article that tenferro's extension ops come from, `rie-demo.softplus_op.v1`, on TensorFlow's
 * Softplus kernel. Golden y: tenferro-extension-ops.md 9.5, computed by libm; TensorFlow's exp and log1p are its own.
 */
import { beforeAll, describe, expect, test } from '@jest/globals';
import { scope, tf } from '../../lib';
import {
  defineExtensionOp,
  defineExtensionRuntime,
  EagerRuntime,
  TfeEngine,
  type KernelSpec,
} from '../../lib/extension';
import { ulps } from '../helpers/oracle';
import { codeOf, expectNoTensorsLeft } from '../tensor/accounting';

expectNoTensorsLeft();

const FAMILY = 'rie-demo.softplus_op.v1';
const X = [-2, -0.5, 0, 3];
const GOLDEN = [0.1269280110429725, 0.4740769841801067, 0.6931471805599453, 3.048587351573742];

const softplus = defineExtensionOp({
  familyId: FAMILY,
  inputCount: 1,
  outputCount: 1,
  effects: [],
  aliases: 'allFresh',
  inferOutputMeta: (_, context) => [{ dtype: context.inputDtype(0), shape: context.inputShape(0) }],
});

const SOFTPLUS: KernelSpec = { label: FAMILY, name: 'Softplus', inputs: 1 };

const softplusRuntime = defineExtensionRuntime({
  runtime: 'SoftplusRuntime',
  familyId: FAMILY,
  op: softplus,
  sessionSupported: () => true,
  executeInSession: (_, engine: TfeEngine, [x]) => [engine.kernel(SOFTPLUS).run1(x!)],
});

describe('softplus', () => {
  const runtime = new EagerRuntime();
  const engine = new TfeEngine();
  beforeAll(() => {
    runtime.installExtensionModule(softplusRuntime.extensionModule(TfeEngine.type));
  });

  test('has the golden values within 4 ulp', () => {
    scope(() => {
      const x = tf.constant(X, { dtype: 'float64' });
      const [y] = runtime.apply(engine, softplus.op({}), [x]);
      expect(y!.dtype).toBe('float64');
      const values = y!.dataSync() as Float64Array;
      const distances = GOLDEN.map((golden, i) => ulps(values[i]!, golden, 'float64'));
      expect(Math.max(...distances)).toBeLessThanOrEqual(4);
    });
  });

  test('has a dtype that TensorFlow refuses refused by it: the family says nothing of dtypes', () => {
    scope(() => {
      const run = () => runtime.apply(engine, softplus.op({}), [tf.constant([1n])]);
      expect(codeOf(run)).toBe('TFE_OP_FAILED');
    });
  });
});
