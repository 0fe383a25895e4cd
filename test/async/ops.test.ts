/** The asynchronous functions: the numbers of the synchronous ones, from a thread of the pool, in the caller's scope. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { getEventListeners } from 'node:events';
import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, describe, expect, test } from '@jest/globals';
import {
  exportTensor,
  importTensor,
  isTensor,
  memory,
  scope,
  scopeAsync,
  tf,
  type Tensor,
} from 'tfe-node';
import { native } from '../../lib/native/loader';
import { liveId } from '../../lib/tensor/tensor';
import { functionsOf } from '../process/programs/tf-functions';
import { outcomeOf } from '../helpers/thrown';
import { expectNoTensorsLeft } from '../tensor/accounting';
import { idle } from './idle';

expectNoTensorsLeft();

const FUNCTIONS = functionsOf(tf);
const OPS = [...FUNCTIONS.keys()].filter((name) => name !== 'constant' && !name.endsWith('Async'));
const MATRIX = [
  [1, -2],
  [3, 4],
];

/** Operands of each op that has not two matrices; then its options. */
const OPERANDS: Readonly<Record<string, readonly unknown[]>> = {
  argmax: [MATRIX, 1],
  cast: [MATRIX, 'int32'],
  softmax: [MATRIX, 0],
  bias_add: [MATRIX, [10, 20]],
  relu: [MATRIX],
  tanh: [MATRIX],
  sigmoid: [MATRIX],
  cos: [MATRIX],
};

describe.each(OPS)('tf.%s', (name) => {
  const values = OPERANDS[name] ?? [MATRIX, MATRIX];
  const operands = (): unknown[] =>
    values.map((value) => (Array.isArray(value) ? tf.constant(value as number[]) : value));

  test('has an asynchronous twin with the same numbers', async () => {
    await scopeAsync(async () => {
      const expected = FUNCTIONS.get(name)!(...operands()) as Tensor;
      const answered = (await FUNCTIONS.get(`${name}Async`)!(...operands())) as Tensor;
      expect([answered.dtype, answered.shape]).toEqual([expected.dtype, expected.shape]);
      expect(answered.dataSync()).toEqual(expected.dataSync());
    });
  });

  test('takes operands that are disposed as soon as the call has returned', async () => {
    const given = operands();
    const promise = FUNCTIONS.get(`${name}Async`)!(...given) as Promise<Tensor>;
    for (const operand of given) if (isTensor(operand)) operand.dispose();
    const result = await promise;
    expect(result.isDisposed).toBe(false);
    result.dispose();
  });

  test('refuses a disposed operand, as a rejection', async () => {
    const given = operands();
    for (const operand of given) if (isTensor(operand)) operand.dispose();
    const promise = FUNCTIONS.get(`${name}Async`)!(...given) as Promise<unknown>;
    await expect(promise).rejects.toMatchObject({ code: 'TFE_TENSOR_DISPOSED' });
    // Both name the function that was called.
    await expect(promise).rejects.toThrow(new RegExp(`used by tf\\.(nn\\.)?${name}Async is`, 'u'));
    const call = (): unknown => FUNCTIONS.get(name)!(...given);
    expect(call).toThrow(new RegExp(`used by tf\\.(nn\\.)?${name} is`, 'u'));
  });
});

describe('an asynchronous op', () => {
  test('takes numbers and arrays beside a tensor', async () => {
    using x = tf.constant([1, 2]);
    using sum = await tf.addAsync(x, 10);
    using product = await tf.multiplyAsync([2, 3], x);
    expect([[...sum.dataSync()], [...product.dataSync()]]).toEqual([
      [11, 12],
      [2, 6],
    ]);
  });

  test('divides integers as Python does', async () => {
    using x = tf.constant([1n, 7n]);
    using quotient = await tf.divideAsync(x, 2n);
    expect(quotient.dataSync()).toEqual(new Float64Array([0.5, 3.5]));
  });

  test('keeps its options', async () => {
    using x = tf.constant([[1, 2, 3]]);
    using product = await tf.matmulAsync(x, x, { transpose_b: true });
    expect(product.arraySync()).toEqual([[14]]);
    using index = await tf.argmaxAsync(x, { axis: 1, output_type: 'int32' });
    expect(index.dtype).toBe('int32');
  });

  test.each<readonly [string, () => Promise<unknown>, string]>([
    [
      'an unknown option',
      () => tf.addAsync([1], [1], { sginal: 1 } as object),
      'TFE_OPTION_UNKNOWN',
    ],
    ['no signal', () => tf.addAsync([1], [1], { signal: 'x' } as never), 'TFE_OPTION_VALUE'],
    [
      'no signal beside the axis',
      () => tf.nn.softmaxAsync([[1]] as never, 0, { signal: {} } as never),
      'TFE_OPTION_VALUE',
    ],
    ['shapes that differ', () => tf.addAsync([1, 2], [1, 2, 3]), 'TFE_OP_FAILED'],
    ['an axis out of range', () => tf.argmaxAsync([[1]] as never, 5), 'TFE_OP_AXIS'],
    [
      'shapes that differ in a division of integers',
      () => tf.divideAsync([1n, 2n], [1n, 2n, 3n]),
      'TFE_OP_FAILED',
    ],
  ])('rejects for %s', async (_, run, code) => {
    expect(await outcomeOf(run())).toBe(code);
  });

  test('that TensorFlow refuses shows the stack of its caller', async () => {
    async function theCaller(): Promise<unknown> {
      return tf.addAsync([1, 2], [1, 2, 3]);
    }
    const error = await theCaller().catch((reason: unknown) => reason as Error);
    expect((error as Error).stack).toMatch(
      /^TfeError: tf\.add failed .*\n(?: +at .*\n)*.*theCaller/,
    );
  });

  test('of several kernels shows it too', async () => {
    async function theCaller(): Promise<unknown> {
      return tf.divideAsync([1n, 2n], [1n, 2n, 3n]);
    }
    const error = await theCaller().catch((reason: unknown) => reason as Error);
    expect((error as Error).stack).toContain('theCaller');
  });

  test('keeps AsyncLocalStorage', async () => {
    const storage = new AsyncLocalStorage<number>();
    const seen = await Promise.all(
      [1, 2, 3].map((id) =>
        storage.run(id, async () => {
          (await tf.addAsync([id], [id])).dispose();
          const first = storage.getStore();
          using x = tf.constant([[1, 2]]);
          (await tf.nn.softmaxAsync(x, 0)).dispose();
          return [first, storage.getStore()];
        }),
      ),
    );
    expect(seen).toEqual([
      [1, 1],
      [2, 2],
      [3, 3],
    ]);
  });
});

describe('data()', () => {
  test('reads on another thread what dataSync reads on this one', async () => {
    using x = tf.constant([
      [1n, 2n ** 60n],
      [-1n, 0n],
    ]);
    expect(await x.data()).toEqual(x.dataSync());
    using empty = tf.constant([], { shape: [0, 3] });
    expect(await empty.data()).toEqual(new Float32Array(0));
  });

  test('leaves the loop free while it copies', async () => {
    using big = tf.constant(new Float32Array(1 << 22).fill(3));
    const promise = big.data();
    big.dispose();
    expect(memory().pending).toBe(1);
    const data = await promise;
    expect([data.length, data[0], data[data.length - 1]]).toEqual([1 << 22, 3, 3]);
    expect(memory().pending).toBe(0);
  });

  test('rejects when the signal is aborted', async () => {
    using x = tf.constant([1]);
    const reason = new Error('enough');
    await expect(x.data({ signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    await expect(x.data({ signal: 1 } as never)).rejects.toMatchObject({
      code: 'TFE_OPTION_VALUE',
    });
  });

  test('rejects for a number that does not fit', async () => {
    using x = tf.constant([2n ** 60n]);
    await expect(x.data({ int64: 'number' })).rejects.toMatchObject({ code: 'TFE_INT64_UNSAFE' });
  });
});

describe('an AbortSignal', () => {
  const big = (): Tensor<'float32', 2> =>
    tf.constant(new Float32Array(700 * 700).fill(1), { shape: [700, 700] });

  test('that is aborted already begins nothing', async () => {
    const { processPending } = memory();
    const reason = new Error('before');
    const promise = tf.addAsync([1], [1], { signal: AbortSignal.abort(reason) });
    expect(memory().processPending).toBe(processPending);
    await expect(promise).rejects.toBe(reason);
  });

  test('rejects at once with its reason, whatever runs', async () => {
    using x = big();
    const control = new AbortController();
    let settled = 0;
    const promises = Array.from({ length: 30 }, () =>
      tf.matmulAsync(x, x, { signal: control.signal }).catch((reason: unknown) => {
        settled += 1;
        return reason;
      }),
    );
    // Long enough for some to be over; none of them can be settled before the loop turns.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 50);
    const reason = { any: 'value' };
    control.abort(reason);
    for (let i = 0; i < 10; i += 1) await Promise.resolve();
    expect(settled).toBe(30);
    expect(new Set(await Promise.all(promises))).toEqual(new Set([reason]));
    await idle();
  });

  test('frees the result of what runs on', async () => {
    const before = memory().tensors;
    using x = big();
    const control = new AbortController();
    const promise = tf.nn.softmaxAsync(x, 0, { signal: control.signal });
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
    control.abort();
    await expect(promise).rejects.toMatchObject({ name: 'AbortError' });
    await idle();
    expect(memory().tensors).toBe(before + 1);
  });

  test('does nothing to what is over, and collects no listeners', async () => {
    const control = new AbortController();
    for (let i = 0; i < 50; i += 1) {
      (await tf.addAsync([1], [1], { signal: control.signal })).dispose();
    }
    expect(getEventListeners(control.signal, 'abort').length).toBeLessThanOrEqual(1);
    control.abort();
  });
});

describe('asynchronous results and scopes', () => {
  test('belong to the scope of the call', async () => {
    const before = memory().tensors;
    let inside: Tensor | undefined;
    const kept = await scopeAsync(async () => {
      const x = tf.constant([1, 2]);
      inside = await tf.addAsync(x, x);
      return tf.multiplyAsync(inside, 2);
    });
    expect([inside!.isDisposed, [...kept.dataSync()]]).toEqual([true, [4, 8]]);
    expect(memory().tensors).toBe(before + 1);
    kept.dispose();
  });

  test('of scopes at the same time are neither freed nor adopted by each other', async () => {
    const before = memory().tensors;
    const wrong: string[] = [];
    const one = async (id: number): Promise<Tensor> =>
      scopeAsync(async () => {
        let x: Tensor = tf.constant([id, id]);
        const mine: Tensor[] = [x];
        for (let i = 0; i < 20; i += 1) {
          const [sum, soft] = await Promise.all([
            tf.addAsync(x, 1),
            tf.nn.softmaxAsync(x as Tensor<'float32', 2>, 0),
          ]);
          mine.push(sum, soft);
          x = sum;
          if (i % 5 === id % 5) await turn();
          for (const tensor of mine) if (tensor.isDisposed) wrong.push(`${id}: freed`);
        }
        if (x.dataSync()[0] !== id + 20) wrong.push(`${id}: ${x.dataSync()[0]}`);
        return x;
      });
    const results = await Promise.all(Array.from({ length: 25 }, (_, id) => one(id)));
    expect(wrong).toEqual([]);
    expect(memory().tensors).toBe(before + 25);
    for (const tensor of results) tensor.dispose();
  });

  test('whose scope has ended belong to nobody', async () => {
    let promise: Promise<Tensor> | undefined;
    await scopeAsync(async () => {
      promise = tf.addAsync([1], [1]);
      await Promise.resolve();
    });
    const late = await promise!;
    expect(late.isDisposed).toBe(false);
    late.dispose();
  });

  test('may be made by a synchronous scope that does not answer the promise', async () => {
    let promise: Promise<Tensor> | undefined;
    scope(() => {
      const x = tf.constant([1, 2]);
      promise = tf.addAsync(x, x);
    });
    const late = await promise!;
    expect([...late.dataSync()]).toEqual([2, 4]);
    late.dispose();
  });
});

test('what TensorFlow refused before is no matter of the next task, token or prepared op', async () => {
  using x = tf.constant([1, 2]);
  using three = tf.constant([1, 2, 3]);
  const refused = (): void => expect(() => tf.add(x as Tensor, three)).toThrow(/tf\.add failed/);
  refused();
  using sum = await tf.addAsync(x, x);
  expect(sum.dataSync()).toEqual(Float32Array.of(2, 4));
  refused();
  using back = importTensor(exportTensor(x));
  expect(back.dataSync()).toEqual(x.dataSync());
  refused();
  const binding = native();
  const index = binding.prepare('add', 'AddV2', 1, [['T', 'type', 1]], [[1, liveId(x, 'test')]]);
  expect(binding.forget(index)).toBe(true);
});

describe('whatever became of Error', () => {
  const { prepareStackTrace } = Error;
  afterEach(() => {
    Error.prepareStackTrace = prepareStackTrace;
    Object.defineProperty(Error, 'stackTraceLimit', { writable: true });
  });

  test.each<readonly [string, () => unknown]>([
    ['answers no text', () => ({ frames: 1 })],
    ['answers a number', () => 5],
    [
      'throws',
      () => {
        throw new RangeError('not mine');
      },
    ],
  ])('a promise rejects where prepareStackTrace %s', async (_, prepare) => {
    Error.prepareStackTrace = prepare;
    const codes = [
      await outcomeOf(tf.addAsync([1, 2], [1, 2, 3])),
      await outcomeOf(tf.divideAsync([1n, 2n], [1n, 2n, 3n])),
    ];
    expect(codes).toEqual(['TFE_OP_FAILED', 'TFE_OP_FAILED']);
  });

  test('work is done where its stackTraceLimit cannot be set', async () => {
    Object.defineProperty(Error, 'stackTraceLimit', { writable: false });
    using x = tf.constant([1]);
    using sum = await tf.addAsync(x, x);
    expect(sum.dataSync()).toEqual(Float32Array.of(2));
    expect(memory().pending).toBe(0);
  });
});

test('no listener stays on a signal when the work is done', async () => {
  using x = tf.constant([1, 2]);
  const { signal } = new AbortController();
  const sums = await Promise.all([tf.addAsync(x, x, { signal }), tf.addAsync(x, x, { signal })]);
  for (const sum of sums) sum.dispose();
  expect(await outcomeOf(tf.addAsync(x, [1, 2, 3], { signal }))).toBe('TFE_OP_FAILED');
  expect(getEventListeners(signal, 'abort')).toEqual([]);
});

test('a signal that throws leaves no task behind', async () => {
  using x = tf.constant([1, 2]);
  const { signal } = new AbortController();
  signal.addEventListener = () => {
    throw new RangeError('mine');
  };
  await expect(tf.addAsync(x, x, { signal })).rejects.toThrow('mine');
  expect(memory().pending).toBe(0);
});

test('an op that fails leaves no error behind for a later question about a tensor', () => {
  using x = tf.constant([1, 2]);
  using three = tf.constant([1, 2, 3]);
  expect(() => tf.add(x as Tensor, three)).toThrow(/tf\.add failed/);
  expect(x.device).toMatch(/CPU:0$/);
});
