/** Extension ops off the event loop: a chain of kernels, its temporaries freed, its inputs kept. */
import { expect, test } from '@jest/globals';
import { tf, type AsyncOptions, type Tensor } from 'tfe-node';
import { defineExtensionOp, defineExtensionRuntime, EagerRuntime } from 'tfe-node/extension';
import { TfeEngine } from '../../lib/engines/tfe';
import type { KernelSpec } from '../../lib/tensor/kernel';
import { expectNoTensorsLeft } from '../tensor/accounting';

expectNoTensorsLeft();

const SQUARE: KernelSpec = { label: 'test.fourth', name: 'Square', inputs: 1 };
const ADD: KernelSpec = { label: 'test.fourth', name: 'AddV2', inputs: 2 };

const define = (familyId: `test.${string}.v1`, withAsync: boolean) => {
  const family = defineExtensionOp({
    familyId,
    inputCount: 1,
    outputCount: 1,
    effects: [],
    aliases: 'allFresh',
    inferOutputMeta: (_, context) => [
      { dtype: context.inputDtype(0), shape: context.inputShape(0) },
    ],
  });
  const runtime = new EagerRuntime();
  const module = defineExtensionRuntime({
    runtime: 'TestRuntime',
    familyId,
    op: family,
    sessionSupported: () => true,
    executeInSession: (_, engine: TfeEngine, [x]) => [engine.kernel(SQUARE).run1(x!)],
    ...(withAsync && {
      // x^4 + x: the input is used again when the caller has disposed of it.
      executeAsync: async (
        _: unknown,
        engine: TfeEngine,
        [x]: readonly Tensor[],
        options: AsyncOptions,
      ) => {
        const square = engine.kernel(SQUARE);
        const fourth = await square.runAsync([await square.runAsync([x!], options)], options);
        return [await engine.kernel(ADD).runAsync([fourth, x!], options)];
      },
    }),
  });
  runtime.installExtensionModule(module.extensionModule(TfeEngine.type));
  return { runtime, op: family.op({}) };
};

test('a chain of kernels keeps its input and frees what is between', async () => {
  const { runtime, op } = define('test.fourth.v1', true);
  const x = tf.constant([1, 2, 3]);
  const promise = runtime.applyAsync(new TfeEngine(), op, [x]);
  x.dispose();
  const [y] = await promise;
  expect([...(y!.dataSync() as Float32Array)]).toEqual([2, 18, 84]);
  y!.dispose();
});

test('a family without an asynchronous executor is refused', async () => {
  const { runtime, op } = define('test.square.v1', false);
  using x = tf.constant([1]);
  await expect(runtime.applyAsync(new TfeEngine(), op, [x])).rejects.toMatchObject({
    code: 'TFE_EXTENSION_NO_ASYNC',
  });
});
