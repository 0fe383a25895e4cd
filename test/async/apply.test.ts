/** Extension ops off the event loop: a chain of kernels, its temporaries freed, its inputs kept. */
import { expect, test } from '@jest/globals';
import { memory, tf, type AsyncOptions, type Tensor } from 'tfe-node';
import {
  defineExtensionOp,
  defineExtensionRuntime,
  EagerRuntime,
  type ExtensionOp,
} from 'tfe-node/extension';
import { TfeEngine } from '../../lib/engines/tfe';
import type { KernelSpec } from '../../lib/tensor/kernel';
import { expectNoTensorsLeft } from '../tensor/accounting';

expectNoTensorsLeft();

const SQUARE: KernelSpec = { label: 'test.fourth', name: 'Square', inputs: 1 };
const ADD: KernelSpec = { label: 'test.fourth', name: 'AddV2', inputs: 2 };

type ExecuteAsync = (
  op: ExtensionOp,
  engine: TfeEngine,
  inputs: readonly Tensor[],
  options: AsyncOptions,
) => Promise<readonly Tensor[]>;

const define = (familyId: `test.${string}.v1`, executeAsync?: ExecuteAsync) => {
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
    ...(executeAsync && { executeAsync }),
  });
  runtime.installExtensionModule(module.extensionModule(TfeEngine.type));
  return { runtime, op: family.op({}) };
};

/** x^4 + x: the input is used again when the caller has disposed of it. */
const fourthPlus: ExecuteAsync = async (_, engine, [x], options) => {
  const square = engine.kernel(SQUARE);
  const fourth = await square.runAsync([await square.runAsync([x!], options)], options);
  return [await engine.kernel(ADD).runAsync([fourth, x!], options)];
};

test('a chain of kernels keeps its input and frees what is between', async () => {
  const { runtime, op } = define('test.fourth.v1', fourthPlus);
  const x = tf.constant([1, 2, 3]);
  const promise = runtime.applyAsync(new TfeEngine(), op, [x]);
  x.dispose();
  const [y] = await promise;
  expect([...(y!.dataSync() as Float32Array)]).toEqual([2, 18, 84]);
  y!.dispose();
});

test('a family without an asynchronous executor is refused', async () => {
  const { runtime, op } = define('test.square.v1');
  using x = tf.constant([1]);
  await expect(runtime.applyAsync(new TfeEngine(), op, [x])).rejects.toMatchObject({
    code: 'TFE_EXTENSION_NO_ASYNC',
  });
});

test.each<readonly [string, unknown, string]>([
  ['null', null, 'TFE_OPTION_VALUE'],
  ['an array', [], 'TFE_OPTION_VALUE'],
  ['an unknown option', { sginal: AbortSignal.abort() }, 'TFE_OPTION_UNKNOWN'],
  ['a signal that is none', { signal: { aborted: false } }, 'TFE_OPTION_VALUE'],
])('options that are %s are refused, as a rejection', async (_, options, code) => {
  const { runtime, op } = define('test.fourth.v1', fourthPlus);
  using x = tf.constant([1]);
  const promise = runtime.applyAsync(new TfeEngine(), op, [x], options as AsyncOptions);
  await expect(promise).rejects.toMatchObject({ code });
});

test('a signal that is aborted already begins nothing', async () => {
  let begun = 0;
  const { runtime, op } = define('test.fourth.v1', async (...call) => {
    begun += 1;
    return fourthPlus(...call);
  });
  using x = tf.constant([1]);
  const reason = new Error('before');
  const signal = AbortSignal.abort(reason);
  await expect(runtime.applyAsync(new TfeEngine(), op, [x], { signal })).rejects.toBe(reason);
  expect(begun).toBe(0);
});

test('an abort rejects at once, and frees the outputs of an executor that goes on', async () => {
  let goOn = (): void => undefined;
  const waiting = new Promise<void>((resolve) => (goOn = resolve));
  let output: Tensor | undefined;
  const { runtime, op } = define('test.fourth.v1', async (_, engine, [x]) => {
    await waiting;
    return [(output = engine.kernel(SQUARE).run1(x!))];
  });
  using x = tf.constant([3]);
  const before = memory().tensors;
  const control = new AbortController();
  const promise = runtime.applyAsync(new TfeEngine(), op, [x], { signal: control.signal });
  const reason = new Error('enough');
  control.abort(reason);
  await expect(promise).rejects.toBe(reason);
  expect(output).toBeUndefined();
  goOn();
  await new Promise((resolve) => setImmediate(resolve));
  expect(output!.isDisposed).toBe(true);
  expect(memory().tensors).toBe(before);
});
