/** `execute`: every kind of attribute and argument, and every refusal, before TensorFlow sees the call. */
import { beforeAll, describe, expect, test } from '@jest/globals';
import {
  clearKernelCache,
  execute,
  isTfeError,
  raw,
  scope,
  status,
  tf,
  type Tensor,
} from 'tfe-node';
import { PREPARED_LIMIT, preparedOps } from '../../lib/ops/call';
import { definitionOf, opNames } from '../../lib/ops/definition';

let x: Tensor<'float32', 2>;
let i32: Tensor<'int32', 0>;
beforeAll(() => {
  x = tf.constant([
    [1, 2],
    [3, 4],
  ]);
  i32 = tf.constant(1, { dtype: 'int32' });
});

function arrays(tensors: readonly Tensor[]): unknown[] {
  return tensors.map((tensor) => tensor.arraySync());
}

/** Code, facts and message of what `body` throws. */
function refusal(body: () => unknown): { code: string; facts: unknown; message: string } {
  try {
    body();
  } catch (error) {
    if (!isTfeError(error)) throw error;
    const { code, facts, message } = error;
    return { code, facts, message };
  }
  throw new Error('nothing was thrown');
}

// Expected values by hand, from TensorFlow's documentation of each op.
describe('attributes of kind', () => {
  test('int: a number or a bigint', () => {
    expect(arrays(execute('Pack', { inputs: [[x, x]], attrs: { axis: -1 } }))).toEqual([
      [
        [
          [1, 1],
          [2, 2],
        ],
        [
          [3, 3],
          [4, 4],
        ],
      ],
    ]);
    const byBigint = execute('Unpack', { inputs: [x], attrs: { num: 2n, axis: 1n } });
    expect(arrays(byBigint)).toEqual([
      [1, 3],
      [2, 4],
    ]);
  });

  test('float', () => {
    const [y] = execute('LeakyRelu', { inputs: [tf.constant([-4, 2])], attrs: { alpha: 0.25 } });
    expect(y!.arraySync()).toEqual([-1, 2]);
  });

  test('bool', () => {
    const attrs = { transpose_a: true };
    expect(arrays(execute('MatMul', { inputs: [x, x], attrs }))).toEqual([
      [
        [10, 14],
        [14, 20],
      ],
    ]);
  });

  test('type, by name', () => {
    const [y] = execute('Cast', { inputs: [x], attrs: { DstT: 'int64' } });
    expect([y!.dtype, y!.arraySync()]).toEqual([
      'int64',
      [
        [1n, 2n],
        [3n, 4n],
      ],
    ]);
  });

  test('string, as text and as bytes', () => {
    const input = tf.constant([[[[1], [2]]]]);
    const filter = tf.constant([[[[3]]]]);
    for (const padding of ['SAME', Buffer.from('SAME'), new Uint8Array([83, 65, 77, 69])]) {
      const attrs = { strides: [1, 1, 1, 1], padding };
      expect(arrays(execute('Conv2D', { inputs: [input, filter], attrs }))).toEqual([
        [[[[3], [6]]]],
      ]);
    }
  });

  test('shape, of known and of unknown rank', () => {
    for (const shape of [[2, 2], [-1, 2], [null, null], null, [2n, 2n]]) {
      const attrs = { shape };
      expect(arrays(execute('PlaceholderWithDefault', { inputs: [x], attrs }))).toEqual([
        x.arraySync(),
      ]);
    }
    const wrong = refusal(() =>
      execute('PlaceholderWithDefault', { inputs: [x], attrs: { shape: [-2] } }),
    );
    expect(wrong.code).toBe('TFE_OP_ATTRIBUTE');
  });

  test('tensor', () => {
    const before = preparedOps();
    expect(arrays(execute('Const', { attrs: { value: x, dtype: 'float32' } }))).toEqual([
      x.arraySync(),
    ]);
    expect(preparedOps()).toBe(before); // its prepared op has gone, and the tensor's memory with it
  });

  test('func: a function that TensorFlow does not have is refused', () => {
    const attrs = { Tin: ['float32'], Tout: ['float32'], f: 'no_such_function' } as const;
    expect(refusal(() => execute('PartitionedCall', { inputs: [[x]], attrs }))).toMatchObject({
      code: 'TFE_OP_FUNCTION',
      facts: { attribute: 'f', name: 'no_such_function' },
    });
  });

  test('list(int), list(float), list(bool), list(type)', () => {
    const strides = { strides: [1, 2, 1, 1], padding: 'VALID', ksize: [1, 1, 1, 1] };
    expect(
      arrays(execute('MaxPool', { inputs: [tf.constant([[[[1]], [[2]]]])], attrs: strides })),
    ).toEqual([[[[[1]]]]]);
    const attrs = { boundaries: [2, 3.5] };
    expect(arrays(execute('Bucketize', { inputs: [x], attrs }))).toEqual([
      [
        [0, 1],
        [1, 2],
      ],
    ]);
    expect(
      arrays(execute('IdentityN', { inputs: [[x, i32]], attrs: { T: ['float32', 'int32'] } })),
    ).toEqual([x.arraySync(), 1]);
  });

  test('list(func): each must exist', () => {
    const attrs = { Tin: [], Tout: ['float32'], branches: ['no_such_function'] } as const;
    expect(refusal(() => execute('Case', { inputs: [i32, []], attrs }))).toMatchObject({
      code: 'TFE_OP_FUNCTION',
      facts: { attribute: 'branches', name: 'no_such_function' },
    });
  });
});

describe('lists of tensors', () => {
  test('as inputs and as outputs', () => {
    expect(arrays(execute('ConcatV2', { inputs: [[x, x], i32] }))).toEqual([
      [
        [1, 2, 1, 2],
        [3, 4, 3, 4],
      ],
    ]);
    expect(arrays(execute('Concat', { inputs: [i32, [x, x]] }))).toEqual([
      [
        [1, 2, 1, 2],
        [3, 4, 3, 4],
      ],
    ]);
    const sizes = tf.constant([1, 1], { dtype: 'int64' });
    expect(arrays(execute('SplitV', { inputs: [x, sizes, i32], attrs: { num_split: 2 } }))).toEqual(
      [
        [[1], [3]],
        [[2], [4]],
      ],
    );
    expect(arrays(execute('IdentityN', { inputs: [[x, i32]] }))).toEqual([x.arraySync(), 1]);
  });

  // TFE_OpAddInputList takes the dtype of the wrong argument here: it counts arguments where it means tensors.
  test('of two arguments, of two dtypes', () => {
    const indices = [tf.constant([0, 1], { dtype: 'int32' }), tf.constant([2], { dtype: 'int32' })];
    const data = [tf.constant([1, 2]), tf.constant([3])];
    expect(arrays(execute('DynamicStitch', { inputs: [indices, data] }))).toEqual([[1, 2, 3]]);
  });

  test('that are long', () => {
    const many = new Array<Tensor>(300).fill(i32);
    const [sum] = execute('AddN', { inputs: [many] });
    expect(sum!.arraySync()).toBe(300);
    expect(execute('IdentityN', { inputs: [many] })).toHaveLength(300);
  });

  test('whose lengths must agree', () => {
    const one = tf.constant([0], { dtype: 'int32' });
    expect(refusal(() => execute('DynamicStitch', { inputs: [[one], [x, x]] }))).toEqual({
      code: 'TFE_OP_LIST_LENGTH',
      facts: { op: 'DynamicStitch', argument: 'data', expected: '1 tensor', received: 2 },
      message: 'DynamicStitch takes 1 tensor for data but received 2. Give a list of that length.',
    });
  });

  test('whose least length is the definition’s', () => {
    expect(refusal(() => execute('Pack', { inputs: [[]] })).message).toBe(
      'Pack takes at least 1 tensor for values but received 0. Give a list of that length.',
    );
    expect(refusal(() => execute('Concat', { inputs: [i32, [x]] })).message).toBe(
      'Concat takes at least 2 tensors for values but received 1. Give a list of that length.',
    );
  });
});

describe('the number of outputs', () => {
  test('none', () => {
    expect(execute('NoOp')).toEqual([]);
  });

  test('several', () => {
    expect(arrays(execute('TopKV2', { inputs: [x, i32] }))).toEqual([
      [[2], [4]],
      [[1], [1]],
    ]);
  });

  test('a list that an attribute makes too long', () => {
    expect(refusal(() => execute('Unpack', { inputs: [x], attrs: { num: 2 ** 40 } })).code).toBe(
      'TFE_OP_ATTRIBUTE',
    );
  });
});

describe('a call that the definition forbids', () => {
  test.each([
    [
      'AddV',
      'TFE_OP_NOT_REGISTERED',
      'TensorFlow 2.21.0 has no op "AddV". Did you mean Add or AddN or AddV2?',
    ],
    [
      'matmul',
      'TFE_OP_NOT_REGISTERED',
      'TensorFlow 2.21.0 has no op "matmul". Did you mean MatMul?',
    ],
    [
      'Nothing like it',
      'TFE_OP_NOT_REGISTERED',
      'TensorFlow 2.21.0 has no op "Nothing like it". Names are those of the op registry: MatMul, not matmul.',
    ],
    ['', 'TFE_OP_NOT_REGISTERED', expect.any(String)],
    ['__proto__', 'TFE_OP_NOT_EAGER', expect.any(String)],
    ['constructor', 'TFE_OP_NOT_REGISTERED', expect.any(String)],
    ['AddV2\0', 'TFE_OP_NOT_REGISTERED', expect.any(String)],
    ['Assign', 'TFE_OP_NOT_EAGER', expect.stringContaining('references')],
    ['XlaDot', 'TFE_OP_NOT_EAGER', expect.stringContaining('XLA')],
    ['_Arg', 'TFE_OP_NOT_EAGER', expect.stringContaining('underscore')],
    ['Abort', 'TFE_OP_NOT_EAGER', expect.stringContaining('ends the process')],
    ['Unstage', 'TFE_OP_NOT_EAGER', expect.stringContaining('nothing can call it off')],
    ['UnbatchGrad', 'TFE_OP_NOT_EAGER', expect.stringContaining('waits for other calls')],
    ['RegisterDatasetV2', 'TFE_OP_NOT_EAGER', expect.stringContaining('wait for another process')],
  ])('op %j', (name, code, message) => {
    expect(refusal(() => execute(name))).toMatchObject({ code, message });
  });

  test.each<[unknown, unknown, string]>([
    [
      1,
      {},
      'Expected the name of an op for opName of execute but received 1. Correct the argument.',
    ],
    ['NoOp', null, expect.any(String) as unknown as string],
    ['NoOp', { input: [] }, expect.stringContaining('input') as unknown as string],
    [
      'NoOp',
      { device: 1 },
      'Expected the name of a device for device of execute but received 1. Correct the argument.',
    ],
    [
      'NoOp',
      { inputs: {} },
      'Expected an array of inputs for inputs of NoOp but received {}. Correct the argument.',
    ],
    [
      'NoOp',
      { attrs: [] },
      'Expected an object of attributes for attrs of NoOp but received []. Correct the argument.',
    ],
  ])('%p with %p', (name, options, message) => {
    expect(refusal(() => execute(name as string, options as object)).message).toEqual(message);
  });

  test.each<[string, () => unknown, string, string]>([
    [
      'too few inputs',
      () => execute('AddV2', { inputs: [x] }),
      'TFE_OP_INPUT_COUNT',
      'AddV2 takes 2 inputs but received 1. They are x, y.',
    ],
    [
      'too many inputs',
      () => execute('NoOp', { inputs: [x] }),
      'TFE_OP_INPUT_COUNT',
      'NoOp takes 0 inputs but received 1. It has none.',
    ],
    [
      'no tensor',
      () => execute('AddV2', { inputs: [x, 1 as never] }),
      'TFE_OP_ARGUMENT',
      'Expected a Tensor for y of AddV2 but received 1. Make tensors with tf.constant().',
    ],
    [
      'a number where the op takes few dtypes',
      () => raw.TopKV2(x, 1 as never),
      'TFE_OP_ARGUMENT',
      'Expected a Tensor of int16 or int32 or int64 for k of TopKV2 but received 1. ' +
        'Make tensors with tf.constant() and its option dtype.',
    ],
    [
      'tensors that should be a list',
      () => (raw.ConcatV2 as (...inputs: unknown[]) => unknown)(x, x, i32),
      'TFE_OP_ARGUMENT',
      'Expected an object of attributes for attrs of ConcatV2 but received a Tensor. ' +
        'Where an op takes a list of tensors, that is one argument, an array.',
    ],
    [
      'tensors where options are',
      () => execute('AddV2', [x, i32] as never),
      'TFE_OPTION_VALUE',
      expect.stringContaining('but received [ a Tensor, a Tensor ].') as unknown as string,
    ],
    [
      'no attribute where one is needed',
      () => raw.Conv2D(x, x, { strides: [1] } as never),
      'TFE_OP_ATTRIBUTE_MISSING',
      'Conv2D needs its attribute padding (string), which has no default. Give it to raw.Conv2D in its last argument, ' +
        '{ padding: ... }, or to execute as { attrs: { padding: ... } }.',
    ],
    [
      'attributes of execute given to raw',
      () => raw.Relu(x, { attrs: {} } as never),
      'TFE_OP_ATTRIBUTE_UNKNOWN',
      'Relu has no attribute attrs. It has T. With raw they are the properties of the last argument itself.',
    ],
    [
      'a list for a tensor',
      () => execute('Relu', { inputs: [[x]] }),
      'TFE_OP_ARGUMENT',
      expect.stringContaining('Expected a Tensor for features of Relu') as unknown as string,
    ],
    [
      'two dtypes',
      () => execute('AddV2', { inputs: [x, i32] }),
      'TFE_OP_DTYPE_MISMATCH',
      expect.stringContaining('y is int32') as unknown as string,
    ],
    [
      'a dtype that is not allowed',
      () => execute('Relu', { inputs: [tf.constant(true)] }),
      'TFE_OP_DTYPE',
      expect.stringContaining('Relu does not take dtype bool for features.') as unknown as string,
    ],
    [
      'a dtype that is fixed',
      () => execute('TopKV2', { inputs: [x, x], attrs: { Tk: 'int32' } }),
      'TFE_OP_DTYPE',
      'TopKV2 does not take dtype float32 for k. It takes int32.',
    ],
    [
      'a dtype that an attribute contradicts',
      () => execute('Relu', { inputs: [x], attrs: { T: 'int32' } }),
      'TFE_OP_DTYPE',
      'Relu does not take dtype float32 for features. It takes int32.',
    ],
    [
      'an unknown attribute',
      () => execute('LeakyRelu', { inputs: [x], attrs: { beta: 1 } }),
      'TFE_OP_ATTRIBUTE_UNKNOWN',
      'LeakyRelu has no attribute beta. It has alpha, T.',
    ],
    [
      'an attribute of another kind',
      () => execute('MatMul', { inputs: [x, x], attrs: { transpose_a: 1 } }),
      'TFE_OP_ATTRIBUTE',
      'Expected true or false for attribute transpose_a of MatMul but received 1. See docs/ops.md for how each kind of attribute is written.',
    ],
    [
      'an attribute below its minimum',
      () => execute('Split', { inputs: [i32, x], attrs: { num_split: 0 } }),
      'TFE_OP_ATTRIBUTE',
      'Expected 1 or more for attribute num_split of Split but received 0. See docs/ops.md for how each kind of attribute is written.',
    ],
    [
      'a value that is not allowed',
      () =>
        execute('Conv2D', {
          inputs: [tf.constant([[[[1]]]]), tf.constant([[[[1]]]])],
          attrs: { strides: [1, 1, 1, 1], padding: 'same' },
        }),
      'TFE_OP_ATTRIBUTE',
      'Expected one of SAME, VALID, EXPLICIT for attribute padding of Conv2D but received "same". See docs/ops.md for how each kind of attribute is written.',
    ],
    [
      'a list that is too short',
      () =>
        execute('MaxPool', {
          inputs: [tf.constant([[[[1]]]])],
          attrs: { ksize: [1], strides: [1, 1, 1, 1], padding: 'SAME' },
        }),
      'TFE_OP_ATTRIBUTE',
      'Expected at least 4 values for attribute ksize of MaxPool but received 1. See docs/ops.md for how each kind of attribute is written.',
    ],
    [
      'an element of a list',
      () => execute('Squeeze', { inputs: [x], attrs: { squeeze_dims: [0, 0.5] } }),
      'TFE_OP_ATTRIBUTE',
      'Expected a safe integer, or a bigint of 64 bits for attribute squeeze_dims[1] of Squeeze but received 0.5. See docs/ops.md for how each kind of attribute is written.',
    ],
    [
      'a missing attribute',
      () => execute('Cast', { inputs: [x] }),
      'TFE_OP_ATTRIBUTE_MISSING',
      'Cast needs its attribute DstT (type), which has no default. Give it to raw.Cast in its last argument, { DstT: ... }, ' +
        'or to execute as { attrs: { DstT: ... } }.',
    ],
  ])('%s', (_, call, code, message) => {
    expect(refusal(call)).toMatchObject({ code, message });
  });

  test('a disposed tensor, as an input and as an attribute', () => {
    const gone = tf.constant([1]);
    gone.dispose();
    expect(refusal(() => execute('Relu', { inputs: [gone] })).code).toBe('TFE_TENSOR_DISPOSED');
    const attrs = { value: gone, dtype: 'float32' } as const;
    expect(refusal(() => execute('Const', { attrs })).code).toBe('TFE_TENSOR_DISPOSED');
  });

  test('a result that JavaScript cannot hold, before the op has run', () => {
    expect(refusal(() => execute('Cast', { inputs: [x], attrs: { DstT: 'qint8' } })).code).toBe(
      'TFE_DTYPE_NOT_CARRIED',
    );
  });
});

describe('what TensorFlow refuses', () => {
  test('is an error with its status, and harms no later call', () => {
    const bad = tf.constant([1, 2, 3]);
    for (let round = 0; round < 3; round++) {
      const error = refusal(() => execute('AddV2', { inputs: [x, bad] }));
      expect(error).toMatchObject({ code: 'TFE_OP_FAILED', facts: { op: 'AddV2' } });
      expect(arrays(execute('AddV2', { inputs: [x, x] }))).toEqual([
        [
          [2, 4],
          [6, 8],
        ],
      ]);
    }
  });

  test('a device that is not there', () => {
    expect(arrays(execute('AddV2', { inputs: [x, x], device: '/device:CPU:0' }))).toHaveLength(1);
    for (const device of ['/device:GPU:99', 'nonsense', '%', '/job:other/device:CPU:0']) {
      const { code, message } = refusal(() => execute('AddV2', { inputs: [x, x], device }));
      expect([code, message]).toEqual(['TFE_OP_FAILED', expect.stringContaining('evice')]);
    }
    const none = { inputs: [x, x], device: 'CPU\0' };
    expect(refusal(() => execute('AddV2', none)).code).toBe('TFE_OP_ARGUMENT');
  });
});

describe('random ops', () => {
  test('follow their seed attributes, and start over when the kernels are cleared', () => {
    const shape = tf.constant([3], { dtype: 'int32' });
    const draw = (): unknown[] => arrays(raw_(shape));
    const raw_ = (input: Tensor): Tensor[] =>
      execute('RandomUniform', {
        inputs: [input],
        attrs: { dtype: 'float32', seed: 7, seed2: 11 },
      });
    clearKernelCache();
    const first = draw();
    const second = draw();
    expect(second).not.toEqual(first);
    clearKernelCache();
    expect(draw()).toEqual(first);
  });
});

describe('prepared ops', () => {
  test('of varying attributes are no more than the limit, and each still answers', () => {
    const { liveTensors } = status();
    const y = tf.constant([-1]);
    scope(() => {
      for (let k = 1; k <= PREPARED_LIMIT + 200; k++) {
        const [answer] = execute('LeakyRelu', { inputs: [y], attrs: { alpha: k } });
        if (answer!.dataSync()[0] !== -k) throw new Error(`alpha ${k}`);
      }
    });
    expect(preparedOps()).toBe(PREPARED_LIMIT);
    const [again] = execute('LeakyRelu', { inputs: [y], attrs: { alpha: 1 } }); // long gone
    expect(again!.arraySync()).toEqual([-1]);
    again!.dispose();
    y.dispose();
    expect(status().liveTensors).toBe(liveTensors);
    clearKernelCache();
  });

  test('tell apart what looks alike', () => {
    const y = tf.constant([-1]);
    const alphas = [0, -0, 1, 0.5, NaN].map(
      (alpha) => execute('LeakyRelu', { inputs: [y], attrs: { alpha } })[0]!.dataSync()[0],
    );
    expect(alphas).toEqual([-0, 0, -1, -0.5, NaN]);
  });
});

describe('the table of ops', () => {
  test('has what can be called, and reads every definition', () => {
    const names = opNames();
    // TensorFlow 2.21.0's list has 1625: 209 work on references or are XLA's, 36 are in lib/ops/refused.json.
    expect(names).toHaveLength(1380);
    expect(Object.keys(raw)).toEqual(names);
    for (const name of names) expect(definitionOf(name).name).toBe(name);
  });
});
