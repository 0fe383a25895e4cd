/** Any op off the event loop: the checks and numbers of `execute`, and kernels that wait can be called off. */
import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, test } from '@jest/globals';
import {
  clearKernelCache,
  execute,
  executeAsync,
  scopeAsync,
  status,
  tf,
  type ExecuteOptions,
  type Tensor,
} from 'tfe-node';
import { preparedOps } from '../../lib/ops/call';
import { testPrograms, expectEnding } from '../helpers/child';
import { outcomeOf } from '../helpers/thrown';
import type { WaitingTask } from '../process/programs/waiting-kernel';
import { expectNoTensorsLeft } from '../tensor/accounting';
import { idle } from './idle';

expectNoTensorsLeft();

describe('executeAsync', () => {
  test('answers what execute answers: several outputs, lists, none', async () => {
    await scopeAsync(async () => {
      const x = tf.constant([
        [3, 1, 2],
        [6, 5, 4],
      ]);
      const calls: readonly [string, ExecuteOptions][] = [
        ['TopKV2', { inputs: [x, tf.constant(2, { dtype: 'int32' })] }],
        ['Split', { inputs: [tf.constant(1, { dtype: 'int32' }), x], attrs: { num_split: 3 } }],
        ['ConcatV2', { inputs: [[x, x, x], tf.constant(0, { dtype: 'int32' })] }],
        ['NoOp', {}],
      ];
      for (const [name, options] of calls) {
        const data = (tensors: readonly Tensor[]): unknown[] =>
          tensors.map((tensor) => [tensor.dtype, tensor.shape, tensor.arraySync()]);
        expect(data(await executeAsync(name, options))).toEqual(data(execute(name, options)));
      }
    });
  });

  test('takes inputs that are disposed as soon as it has returned', async () => {
    const x = tf.constant([1, 2]);
    const promise = executeAsync('Neg', { inputs: [x] });
    x.dispose();
    const [y] = await promise;
    expect(y!.dataSync()).toEqual(Float32Array.of(-1, -2));
    y!.dispose();
  });

  test.each<readonly [string, () => Promise<unknown>, string]>([
    ['an unknown op', () => executeAsync('NoSuchOp'), 'TFE_OP_NOT_REGISTERED'],
    ['no name', () => executeAsync(1 as never), 'TFE_OP_ARGUMENT'],
    ['no signal', () => executeAsync('NoOp', { signal: {} as never }), 'TFE_OPTION_VALUE'],
    ['an unknown option', () => executeAsync('NoOp', { input: [] } as never), 'TFE_OPTION_UNKNOWN'],
    ['inputs that are missing', () => executeAsync('Neg'), 'TFE_OP_INPUT_COUNT'],
    ['a NUL in the device', () => executeAsync('NoOp', { device: '\0' }), 'TFE_OP_ARGUMENT'],
    [
      'what TensorFlow refuses',
      () => executeAsync('NoOp', { device: '/device:GPU:7' }),
      'TFE_OP_FAILED',
    ],
  ])('rejects for %s', async (_, run, code) => {
    expect(await outcomeOf(run())).toBe(code);
  });

  test('an op that is forgotten while it waits or runs is still there for it', async () => {
    using x = tf.constant([1, 2]);
    using value = tf.constant([0]);
    // A tensor as an attribute: no other call can use the prepared op, so it is forgotten at once.
    const before = preparedOps();
    const many = Array.from({ length: 200 }, async () =>
      executeAsync('Const', { attrs: { value, dtype: 'float32' } }),
    );
    const sums = Array.from({ length: 200 }, async () => executeAsync('AddV2', { inputs: [x, x] }));
    for (const [constant] of await Promise.all(many)) {
      expect(constant!.dataSync()).toEqual(Float32Array.of(0));
      constant!.dispose();
    }
    for (const [sum] of await Promise.all(sums)) {
      expect(sum!.dataSync()).toEqual(Float32Array.of(2, 4));
      sum!.dispose();
    }
    expect(preparedOps()).toBeLessThanOrEqual(before + 2);
  });
});

/** A queue with nothing in it: its dequeue waits for ever. */
function emptyQueue(): Tensor {
  const attrs = { component_types: ['float32'], shapes: [[]], capacity: 2 } as const;
  return execute('FIFOQueueV2', { attrs })[0]!;
}

async function dequeue(queue: Tensor, signal?: AbortSignal): Promise<Tensor[]> {
  const options = { inputs: [queue], attrs: { component_types: ['float32'] } } as const;
  return executeAsync('QueueDequeueV2', { ...options, signal });
}

describe('a kernel that waits', () => {
  test('is called off by its signal, and its thread is free again', async () => {
    using queue = emptyQueue();
    const control = new AbortController();
    const threads = status().configuration.asyncThreads;
    const waiting = Array.from({ length: 2 * threads }, async () => dequeue(queue, control.signal));
    control.abort();
    for (const result of await Promise.allSettled(waiting)) {
      expect(result.status).toBe('rejected');
    }
    using x = tf.constant([1]);
    const results = await Promise.all(Array.from({ length: threads }, async () => tf.cosAsync(x)));
    for (const result of results) result.dispose();
  });

  test('ends what it waits for in another way, too', async () => {
    using queue = emptyQueue();
    using x = tf.constant(5);
    const dequeued = dequeue(queue);
    execute('QueueEnqueueV2', { inputs: [queue, [x]] });
    const [answer] = await dequeued;
    expect(answer!.arraySync()).toBe(5);
    answer!.dispose();
  });

  describe('keeps nobody from going', () => {
    const programs = testPrograms();

    const ITERATING = [
      'DatasetToSingleElement',
      'DatasetToTFRecord',
      'ExperimentalDatasetToTFRecord',
      'IteratorGetNext',
      'IteratorGetNextAsOptional',
      'IteratorGetNextSync',
    ];
    const GOES_ON = [{ worker: 1 }, { once: 5 }];

    test.each<[WaitingTask['where'], WaitingTask['end'], number, unknown[]]>([
      ['main', 'process.exit', 7, []],
      ['main', 'uncaught exception', 1, []],
      ['worker', 'terminate', 0, GOES_ON],
      ['worker, synchronously', 'terminate', 0, GOES_ON],
      ['worker, synchronously', 'process.exit', 7, []],
      ['worker, synchronously', 'process.reallyExit', 7, []],
      ['worker, synchronously', 'uncaught exception', 1, []],
      ['worker, synchronously', 'feed', 0, [{ value: 5, tensors: 2 }]],
    ])('in %s: %s', (where, end, code, said) => {
      const ending = programs.run('waiting-kernel', { where, end } satisfies WaitingTask);
      expectEnding(ending, code);
      expect(ending.said).toEqual(said);
    });

    test.each([
      ['of data', ITERATING],
      ['of queues and readers', ['QueueDequeueV2', 'ReaderReadUpToV2', 'ReaderReadV2', 'a kernel']],
    ])('in several workers, synchronously: terminate, ops %s', (_, ops) => {
      const ending = programs.run('waiting-ops', ops);
      expectEnding(ending, 0);
      expect(ending.said).toHaveLength(ops.length);
      expect(ending.said).toEqual(expect.arrayContaining(ops.map((op) => ({ op, exit: 1 }))));
    });
  });
});

test('the kernel cache is cleared when no task runs any more: a kernel may own what a task uses', async () => {
  const draw = (): number => {
    using shape = tf.constant([1], { dtype: 'int32' });
    const attrs = { dtype: 'float32', seed: 5, seed2: 6 } as const;
    const [value] = execute('RandomUniform', { inputs: [shape], attrs });
    const [number] = value!.dataSync() as Float32Array;
    value!.dispose();
    return number!;
  };
  clearKernelCache();
  const [first, second] = [draw(), draw()];
  clearKernelCache();
  expect(draw()).toBe(first);
  using queue = emptyQueue();
  const control = new AbortController();
  const waiting = dequeue(queue, control.signal);
  try {
    const [nothing] = await executeAsync('NoOp'); // begins after the one that waits
    expect(nothing).toBeUndefined();
    clearKernelCache();
    expect(draw()).toBe(second);
  } finally {
    control.abort(new Error('mine')); // or the test would wait for ever
  }
  await expect(waiting).rejects.toThrow('mine');
  await idle();
  for (let i = 0; i < 1000 && draw() !== first; i += 1) await turn();
  expect(draw()).toBe(second);
});
