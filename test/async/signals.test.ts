/** Signals that are not the platform's own: what they do must not leave a promise that never settles, nor a task. */
import { describe, expect, test } from '@jest/globals';
import { execute, executeAsync, tf, type Tensor } from 'tfe-node';
import { outcomeOf } from '../helpers/thrown';
import { expectNoTensorsLeft } from '../tensor/accounting';
import { idle } from './idle';

expectNoTensorsLeft();

const reason = new Error('enough');
const nothing = (): void => undefined;

function fake(rest: object): AbortSignal {
  const methods = {
    addEventListener: nothing,
    removeEventListener: nothing,
    throwIfAborted: nothing,
  };
  return { aborted: false, reason, ...methods, ...rest } as unknown as AbortSignal;
}

const throws = (): never => {
  throw reason;
};

/** How the sum, or the quotient, which is several kernels, ends: a number, a code, the error, or 'never'. */
async function ending(name: 'addAsync' | 'divideAsync', signal: AbortSignal): Promise<unknown> {
  const x = tf.constant([2], { dtype: 'int32' });
  const call = tf[name] as (x: Tensor, y: Tensor, options: object) => Promise<Tensor>;
  const value = call(x, x, { signal }).then((result) => {
    const [number] = result.dataSync();
    result.dispose();
    return number;
  });
  const never = new Promise((resolve) => setTimeout(resolve, 2000, 'never').unref());
  try {
    return await outcomeOf(Promise.race([value, never]));
  } finally {
    await idle();
    x.dispose();
  }
}

const RESULTS = { addAsync: 4, divideAsync: 1 };

for (const name of ['addAsync', 'divideAsync'] as const) {
  test(`tf.${name}: a signal without removeEventListener is none`, async () => {
    const signal = fake({ removeEventListener: undefined });
    expect(await ending(name, signal)).toBe('TFE_OPTION_VALUE');
  });

  test(`tf.${name}: a signal whose removeEventListener throws changes no answer`, async () => {
    expect(await ending(name, fake({ removeEventListener: throws }))).toBe(RESULTS[name]);
  });

  test(`tf.${name}: a signal that says that it is aborted, and tells nobody, changes no answer`, async () => {
    let asked = 0;
    const signal = fake({});
    Object.defineProperty(signal, 'aborted', { get: () => asked++ > 0 });
    expect(await ending(name, signal)).toBe(RESULTS[name]);
  });

  test(`tf.${name}: a signal that calls at once rejects`, async () => {
    const signal = fake({ addEventListener: (_: string, call: () => void) => call() });
    for (let i = 0; i < 2; i++) expect(await ending(name, signal)).toBe(reason);
  });

  test(`tf.${name}: a signal that cannot be listened to rejects, every time`, async () => {
    const signal = fake({ addEventListener: throws });
    for (let i = 0; i < 2; i++) expect(await ending(name, signal)).toBe(reason);
  });

  test(`tf.${name}: a signal that throws when it is looked at is none`, async () => {
    const getter = Object.defineProperty(fake({}), 'aborted', { get: throws });
    expect(await ending(name, getter)).toBe('TFE_OPTION_VALUE');
    expect(await ending(name, AbortSignal.prototype)).toBe('TFE_OPTION_VALUE');
  });
}

describe('a kernel that waits is called off', () => {
  const attrs = { component_types: ['float32'] };

  async function waiting(signal: AbortSignal, abort: () => void): Promise<unknown> {
    const [queue] = execute('FIFOQueueV2', { attrs });
    const task = executeAsync('QueueDequeueV2', { inputs: [queue!], attrs, signal });
    abort();
    const end = await task.catch((error: unknown) => error);
    await idle();
    queue!.dispose();
    return end;
  }

  test('by a composite signal that nobody else holds', async () => {
    const control = new AbortController();
    const others = Array.from({ length: 3 }, () => new AbortController().signal);
    const composite = AbortSignal.any([...others, AbortSignal.any([control.signal])]);
    const end = waiting(composite, () => {
      globalThis.gc?.();
      control.abort(reason);
    });
    expect(await end).toBe(reason);
  });

  test('by a signal whose reason throws, with what it throws', async () => {
    let call = nothing;
    const signal = fake({
      addEventListener: (_: string, listener: () => void) => (call = listener),
    });
    Object.defineProperty(signal, 'reason', { get: throws });
    expect(await waiting(signal, () => call())).toBe(reason);
  });
});
