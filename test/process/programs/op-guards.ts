/** Calls that would end the process, or hang it, if they reached TensorFlow's kernels; says how each was answered. */
import { execute, isTfeError, raw, scope, tf, type AttrValue, type Tensor } from '../../../lib';
import { Kernel } from '../../../lib/extension';
import { DTYPES, type DType, type PlainDType } from '../../../lib/tensor/dtype';
import { say } from './program';

type Input = Tensor | readonly Tensor[];
type Shape = readonly number[];

const floats = (shape: Shape, dtype: 'float32' | 'bfloat16' = 'float32'): Tensor =>
  tf.constant(1, { shape, dtype });
const halves = (shape: Shape): Tensor => tf.constant(1, { shape, dtype: 'float16' });
const complex = (shape: Shape): Tensor => tf.constant(1, { shape, dtype: 'complex64' });
const int32 = (values: readonly number[], shape?: Shape): Tensor =>
  tf.constant(values, { dtype: 'int32', ...(shape === undefined ? {} : { shape }) });
const int64 = (values: number | readonly bigint[]): Tensor =>
  tf.constant(values, { dtype: 'int64' });
const one = (op: string, inputs: readonly Input[], attrs: Record<string, AttrValue> = {}): Tensor =>
  execute(op, { inputs, attrs })[0]!;

const none = [] as const;
const queue = (type: 'float32' | 'string'): Tensor =>
  one('FIFOQueueV2', none, { component_types: [type], shared_name: `queue of ${type}` });
const table = (): Tensor =>
  one('MutableHashTableV2', none, { key_dtype: 'int64', value_dtype: 'float32' });
const reader = (): Tensor => one('IdentityReaderV2', none);
const writer = (): Tensor => one('SummaryWriter', none);
const accumulator = (): Tensor =>
  one('ResourceConditionalAccumulator', none, { dtype: 'float32', shape: [2] });
let variables = 0;
const variableOf = (value: Tensor): Tensor => {
  const { dtype, shape } = value;
  const made = one('VarHandleOp', none, { dtype, shape, shared_name: `variable ${variables++}` });
  execute('AssignVariableOp', { inputs: [made, value] });
  return made;
};
const variable = (): Tensor => variableOf(floats([2, 2]));
const list = (): Tensor =>
  one('TensorListFromTensor', [floats([2, 2]), int32([2])], { element_dtype: 'float32' });
const dataset = (): Tensor =>
  one('RangeDataset', [int64(0), int64(3), int64(1)], {
    output_types: ['int64'],
    output_shapes: [[]],
  });

const window = { ksize: [1, 1, 1, 1], strides: [1, 1, 1, 1], padding: 'SAME' };
const steps = { strides: [1, 1, 1, 1], padding: 'SAME' };
const huge = (): Tensor => int64([2n ** 63n - 1n]);
const seed = (): Tensor => int64([1n, 2n]);

const CALLS: Readonly<Record<string, () => unknown>> = {
  // What their shape functions refuse.
  'AvgPool of a window of five axes': () =>
    one('AvgPool', [floats([3, 2, 2, 3], 'bfloat16')], {
      ...window,
      ksize: [1, 1, 3, 2, 1],
      data_format: 'NCHW',
    }),
  'Conv2D of matrices': () => one('Conv2D', [floats([1, 2]), floats([1, 2])], steps),
  'Conv2D of matrices as a kernel': () =>
    new Kernel({
      label: 'test.conv',
      name: 'Conv2D',
      inputs: 2,
      attrs: [
        ['T', 'type', 1],
        ['strides', 'list(int)', [1, 1, 1, 1]],
        ['padding', 'string', 'SAME'],
      ],
    }).run2(floats([1, 2]), floats([1, 2])),
  'Conv2DBackpropInput with one step': () =>
    one('Conv2DBackpropInput', [int32([3, 8, 5, 8]), floats([3, 8, 5, 8]), floats([3, 8, 5, 8])], {
      ...steps,
      strides: [1],
    }),
  'Conv3DBackpropInputV2 of no shape': () =>
    one(
      'Conv3DBackpropInputV2',
      [int32([], [0]), floats([1, 1, 1, 1, 1]), floats([1, 1, 1, 1, 1])],
      {
        ...steps,
        strides: [1, 1, 1, 1, 1],
      },
    ),
  'DepthwiseConv2dNative of matrices': () =>
    one('DepthwiseConv2dNative', [floats([1, 2]), floats([1, 2])], steps),
  'TensorScatterAdd with too long indices': () =>
    raw.TensorScatterAdd(floats([2]), int32([0, 0], [1, 2]) as Tensor<'int32'>, floats([1])),
  'ScatterNdNonAliasingAdd with indices of no axis': () =>
    one('ScatterNdNonAliasingAdd', [floats([4, 2]), int32([1], []), floats([4, 2])]),
  ScatterNdNonAliasingAdd: () =>
    one('ScatterNdNonAliasingAdd', [floats([4]), int32([1], [1, 1]), floats([1])]).dtype,
  'RaggedGather of another ragged rank': () =>
    one('RaggedGather', [[int32([4])], floats([4]), int32([0])], { OUTPUT_RAGGED_RANK: 5 }),

  // Ranks.
  'CropAndResizeGradBoxes of boxes of four axes': () =>
    one('CropAndResizeGradBoxes', [
      floats([0, 8, 5, 4]),
      floats([0, 8, 5, 4]),
      floats([0, 8, 5, 4]),
      int32([], [0, 8, 5, 4]),
    ]),
  'LRNGrad of an image of three axes': () =>
    one('LRNGrad', [floats([5, 4, 1, 2]), floats([5, 4, 1, 2]), floats([5, 4, 1])]),
  'QueueEnqueueManyV2 of a scalar': () =>
    one('QueueEnqueueManyV2', [queue('float32'), [floats([])]]),
  'ReaderReadUpToV2 of two numbers': () =>
    one('ReaderReadUpToV2', [reader(), queue('string'), int64([1n, 2n])]),
  'ResourceAccumulatorTakeGradient of two numbers': () =>
    one('ResourceAccumulatorTakeGradient', [accumulator(), int32([1, 2])], { dtype: 'float32' }),
  'TensorListGetItem of two places': () =>
    one('TensorListGetItem', [list(), int32([0, 1]), int32([2])], { element_dtype: 'float32' }),
  'WriteScalarSummary of two steps': () =>
    one('WriteScalarSummary', [writer(), int64([1n, 2n]), tf.constant('tag'), floats([])]),

  // Attributes and values.
  'Batch with more threads than there may be': () =>
    one('Batch', [[floats([1])]], {
      num_batch_threads: 100_000,
      max_batch_size: 4,
      batch_timeout_micros: 10,
      grad_timeout_micros: 10,
    }),
  'CustomAggregator of -1 bins': () =>
    one('CustomAggregator', [floats([1])], { id: 'x', num_bins: -1, calibration_method: 5 }),
  'FixedUnigramCandidateSampler of 2^32 shards': () =>
    one('FixedUnigramCandidateSampler', [tf.constant([[1n]])], {
      num_true: 1,
      num_sampled: 1,
      unique: true,
      range_max: 1,
      unigrams: [1],
      num_shards: 2 ** 32,
    }),
  'ParseExampleDataset with keys of nothing': () =>
    one('ParseExampleDataset', [dataset(), int64(1), []], {
      sparse_keys: ['a', 'b'],
      dense_keys: ['c'],
      sparse_types: ['int64'],
      dense_shapes: [],
      output_types: ['variant'],
      output_shapes: [[]],
    }),
  'IRFFT of length 0': () => one('IRFFT', [complex([2, 2]), int32([0])]),
  'RFFT of length 0': () => one('RFFT', [floats([2, 2]), int32([0])]),
  'RFFT2D of length 0': () => one('RFFT2D', [floats([2, 2]), int32([2, 0])]),
  'GatherV2 along axis -2^63': () =>
    one('GatherV2', [floats([1, 2]), int32([0]), tf.constant(-(2n ** 63n))]),
  'GatherV2 along axis -1': () => one('GatherV2', [floats([1, 2]), int32([0]), int64(-1)]).dtype,
  'StatefulRandomBinomial of a shape of int64': () =>
    one('StatefulRandomBinomial', [variable(), int64(1), seed(), floats([]), floats([])], {
      dtype: 'float32',
    }),
  'NearestNeighbors of -1 neighbours': () =>
    one('NearestNeighbors', [floats([4, 2]), floats([4, 2]), int64(-1)]),
  'ReaderReadUpToV2 of -1 records': () =>
    one('ReaderReadUpToV2', [reader(), queue('string'), int64(-1)]),
  'RandomGamma of 2^63 - 1 elements': () => one('RandomGamma', [huge(), halves([])]),
  'StatelessRandomGammaV2 of 2^63 - 1 elements': () =>
    one('StatelessRandomGammaV2', [huge(), seed(), halves([])]),
  'RandomUniform of 2^63 - 1 elements': () => one('RandomUniform', [huge()], { dtype: 'bfloat16' }),
  'StatelessRandomNormal of 2^63 - 1 elements': () =>
    one('StatelessRandomNormal', [huge(), seed()], { dtype: 'bfloat16' }),

  'TensorListScatterIntoExistingList to place -1': () =>
    one('TensorListScatterIntoExistingList', [list(), floats([1, 2]), int32([-1])]),
  'Unbatch of rows that the tensor has not': () =>
    one('Unbatch', [floats([1]), tf.constant([[1n, 5n, 2n]]), int64(1)], { timeout_micros: 1000 }),
  'Unbatch of its rows': () =>
    one('Unbatch', [floats([1]), tf.constant([[1n, 0n, 1n]]), int64(1)], { timeout_micros: 1000 })
      .dtype,

  // Resources.
  'an accumulator of another dtype': () =>
    one('ResourceAccumulatorApplyGradient', [accumulator(), int64(1), floats([2], 'bfloat16')]),
  'DestroyResourceOp of an accumulator': () => one('DestroyResourceOp', [accumulator()]),
  'DestroyResourceOp of a reader': () => one('DestroyResourceOp', [reader()]),
  'DeleteSeedGenerator of a reader': () => one('DeleteSeedGenerator', [reader(), dataset()]),
  'a reader that was to be destroyed': () => reader().dtype,
  'LookupTableExportV2 as another dtype': () =>
    one('LookupTableExportV2', [table()], { Tkeys: 'int64', Tvalues: 'float64' }),
  LookupTableExportV2: () =>
    one('LookupTableExportV2', [table()], { Tkeys: 'int64', Tvalues: 'float32' }).dtype,
  'ReaderReadV2 from a table': () => one('ReaderReadV2', [reader(), table()]),
  'ResourceGather of batches of all axes': () =>
    one('ResourceGather', [variable(), int32([0, 1, 0, 1], [2, 2])], {
      batch_dims: 2,
      dtype: 'float32',
    }),
  'ResourceGather of batches': () =>
    one('ResourceGather', [variable(), int32([0, 1, 0, 1], [2, 2])], {
      batch_dims: 1,
      dtype: 'float32',
    }).dtype,
  'ReadVariableOp of variables of every dtype': () =>
    Object.keys(DTYPES)
      .filter((dtype) => DTYPES[dtype as DType].kind !== 'opaque')
      .map((name) => {
        const dtype = name as PlainDType | 'string';
        const value = tf.constant(dtype === 'string' ? 'a' : dtype === 'bool' ? true : 1, {
          dtype,
        });
        return one('ReadVariableOp', [variableOf(value)], { dtype }).dtype === dtype;
      })
      .every(Boolean)
      .toString(),
  'ReadVariableOp as another dtype, after it was scattered to': () => {
    const read = variableOf(floats([2, 2]));
    execute('ResourceScatterNdAdd', { inputs: [read, int32([0], [1, 1]), floats([1, 2])] });
    return one('ReadVariableOp', [read], { dtype: 'int32' });
  },
  'ResourceApplyGradientDescent of another dtype': () =>
    execute('ResourceApplyGradientDescent', {
      inputs: [
        variable(),
        tf.constant(1, { dtype: 'float64' }),
        tf.constant([[1]], { dtype: 'float64' }),
      ],
    }),
  ResourceApplyGradientDescent: () => {
    const weights = variableOf(floats([2]));
    execute('ResourceApplyGradientDescent', { inputs: [weights, tf.constant(1), floats([2])] });
    return one('ReadVariableOp', [weights], { dtype: 'float32' }).dataSync().join();
  },
  'ResourceGatherNd of another dtype': () =>
    one('ResourceGatherNd', [variable(), int32([0], [1, 1])], { dtype: 'resource' }),
  'a variable that became another one': () => {
    const changed = variableOf(floats([2]));
    const before = one('ReadVariableOp', [changed], { dtype: 'float32' }).dtype;
    execute('DestroyResourceOp', { inputs: [changed] });
    execute('AssignVariableOp', { inputs: [changed, int32([1, 2])] });
    return `${before} ${one('ReadVariableOp', [changed], { dtype: 'int32' }).dtype}`;
  },
  'ReadVariableOp of no variable': () => one('ReadVariableOp', [table()], { dtype: 'float32' }),
  'a variable that is destroyed': () =>
    execute('DestroyResourceOp', {
      inputs: [one('VarHandleOp', none, { dtype: 'float32', shape: [2] })],
      attrs: { ignore_lookup_error: true },
    }).length,
};

for (const [call, run] of Object.entries(CALLS)) {
  say({ call });
  const answer = scope(() => {
    try {
      return String(run());
    } catch (error) {
      if (!isTfeError(error)) throw error;
      return error.code;
    }
  });
  say({ call, answer });
}
