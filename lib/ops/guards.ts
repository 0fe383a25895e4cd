/**
 * Where TensorFlow 2.21.0 ends the process, or hangs, instead of answering an error: kernels that check what they are given
 * with an assertion, or not at all. What a row asks is what the op's own shape function or documentation asks.
 * test/ops/walk.test.ts and test/ops/guards.test.ts found the rows.
 */
import { describeValue } from '../describe';
import { tfeError } from '../errors';
import type { Tensor } from '../tensor/tensor';
import { wrongAttribute } from './attributes';
import type { ArgDefinition, OpDefinition } from './definition';
import { typeName } from './types';

/** Rank of each input; null: any; -1: any but 0. The last one holds for all inputs that follow. */
const RANKS: Readonly<Record<string, readonly (number | null)[]>> = {
  AvgPool3DGrad: [1, 5],
  AvgPoolGrad: [1, 4],
  CombinedNonMaxSuppression: [4, 3, 0, 0, 0, 0],
  Conv2DBackpropFilter: [4, 1, 4],
  Conv2DBackpropInput: [1, 4, 4],
  Conv3D: [5, 5],
  Conv3DBackpropFilterV2: [5, 1, 5],
  Conv3DBackpropInputV2: [1, 5, 5],
  CreateSummaryDbWriter: [0],
  CropAndResize: [4, 2, 1, 1],
  CropAndResizeGradBoxes: [4, 4, 2, 1],
  CropAndResizeGradImage: [4, 2, 1, 1],
  DepthwiseConv2dNativeBackpropFilter: [4, 1, 4],
  DepthwiseConv2dNativeBackpropInput: [1, 4, 4],
  DeserializeIterator: [null, 1],
  FakeQuantWithMinMaxVarsPerChannel: [-1, 1, 1],
  FakeQuantWithMinMaxVarsPerChannelGradient: [-1, -1, 1, 1],
  ImportEvent: [0],
  LSTMBlockCell: [2, 2, 2, 2, 1, 1, 1, 1],
  LSTMBlockCellGrad: [2, 2, 2, 2, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2],
  LRNGrad: [4],
  LoadAndRemapMatrix: [null, null, 1, 1, 1],
  MultiDeviceIteratorInit: [null, null, 0],
  QueueEnqueueManyV2: [null, -1],
  ReaderReadUpToV2: [0],
  ResourceAccumulatorTakeGradient: [null, 0],
  RpcServer: [0],
  TensorListGetItem: [null, 0, null],
  Unbatch: [null, 2, 0],
  WriteAudioSummary: [0, 0, 0, null, 0],
  WriteGraphSummary: [0],
  WriteHistogramSummary: [0, 0, 0, null],
  WriteImageSummary: [0, 0, 0, null],
  WriteRawProtoSummary: [0, 0, null],
  WriteScalarSummary: [0],
  WriteSummary: [0, 0, null, 0, 0],
};

const ANY_BUT_0 = -1;

type Bounds = readonly [least: number, greatest: number];
const MAX_INT32 = 2 ** 31 - 1;
/** Of threads, which a kernel starts without looking whether it can; `configure` takes no more either. */
const MAX_THREADS = 1024;

/** What an attribute may be. */
const ATTRIBUTES: Readonly<Record<string, Readonly<Record<string, Bounds>>>> = {
  Batch: { num_batch_threads: [1, MAX_THREADS] },
  CustomAggregator: { num_bins: [0, MAX_INT32] },
  ExperimentalThreadPoolHandle: { num_threads: [0, MAX_THREADS] },
  LearnedUnigramCandidateSampler: { range_max: [-Infinity, MAX_INT32] },
  SnapshotDataset: { num_reader_threads: [-1, MAX_THREADS], num_writer_threads: [-1, MAX_THREADS] },
  ThreadPoolHandle: { num_threads: [0, MAX_THREADS] },
  ThreadUnsafeUnigramCandidateSampler: { range_max: [-Infinity, MAX_INT32] },
};

/**
 * The one dtype of an attribute, as TF_DataType: a gradient of another dtype than its accumulator's ends the process, and
 * nothing says of an accumulator which one that is.
 */
const TYPES_OF: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  ResourceAccumulatorApplyGradient: { dtype: 1 },
  ResourceAccumulatorTakeGradient: { dtype: 1 },
  ResourceConditionalAccumulator: { dtype: 1 },
};

const DENSE = ['dense_keys', 'dense_shapes', 'Tdense'] as const;
const SPARSE = ['sparse_keys', 'sparse_types'] as const;

/** Attributes that are lists of one length: a kernel goes through one as far as another is long. */
const LENGTHS: Readonly<Record<string, readonly (readonly string[])[]>> = {
  ExperimentalParseExampleDataset: [DENSE, SPARSE],
  ParseExampleDataset: [DENSE, SPARSE],
  ParseExampleDatasetV2: [DENSE, SPARSE],
};

/** How many values an attribute that is a list has. */
const COUNTS: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  AvgPool3DGrad: { ksize: 5, strides: 5 },
  AvgPoolGrad: { ksize: 4, strides: 4 },
  Conv2DBackpropFilter: { dilations: 4, strides: 4 },
  Conv2DBackpropInput: { dilations: 4, strides: 4 },
  Conv3DBackpropFilterV2: { dilations: 5, strides: 5 },
  Conv3DBackpropInputV2: { dilations: 5, strides: 5 },
  DepthwiseConv2dNativeBackpropFilter: { dilations: 4, strides: 4 },
  DepthwiseConv2dNativeBackpropInput: { dilations: 4, strides: 4 },
};

/** How many values an input has that is a shape, by its place. */
const SIZES: Readonly<Record<string, readonly [place: number, sizes: readonly number[]]>> = {
  AvgPool3DGrad: [0, [5]],
  AvgPoolGrad: [0, [4]],
  Conv2DBackpropFilter: [1, [4]],
  Conv2DBackpropInput: [0, [2, 4]],
  Conv3DBackpropFilterV2: [1, [5]],
  Conv3DBackpropInputV2: [0, [5]],
  DepthwiseConv2dNativeBackpropFilter: [1, [4]],
  DepthwiseConv2dNativeBackpropInput: [0, [4]],
};

/** What the values of an input may be, by its place. */
const VALUES: Readonly<Record<string, Readonly<Record<number, Bounds>>>> = {
  ExperimentalPrivateThreadPoolDataset: { 1: [0, MAX_THREADS] },
  NearestNeighbors: { 2: [0, MAX_INT32] },
  PrivateThreadPoolDataset: { 1: [0, MAX_THREADS] },
  RaggedBincount: { 2: [0, MAX_INT32] },
  ReaderReadUpToV2: { 2: [0, MAX_INT32] },
  TensorListScatterIntoExistingList: { 2: [0, MAX_INT32] },
};

/** Likewise, of the last value of an input. */
const LAST_VALUES: Readonly<Record<string, readonly [place: number, bounds: Bounds]>> = {
  IRFFT: [1, [1, MAX_INT32]],
  IRFFT2D: [1, [1, MAX_INT32]],
  IRFFT3D: [1, [1, MAX_INT32]],
  RFFT: [1, [1, MAX_INT32]],
  RFFT2D: [1, [1, MAX_INT32]],
  RFFT3D: [1, [1, MAX_INT32]],
};

/** More elements than this have a size in bytes that overflows; the allocator is asked for what is left of it. */
const MAX_ELEMENTS = 2 ** 53;
/** Of ops that make numbers: the place of the input that is the shape of their output. */
const MADE_BY_SHAPE: Readonly<Record<string, number>> = {
  ParameterizedTruncatedNormal: 0,
  RandomStandardNormal: 0,
  RandomUniform: 0,
  StatefulStandardNormal: 1,
  StatefulStandardNormalV2: 2,
  StatefulTruncatedNormal: 2,
  StatefulUniform: 2,
  StatelessParameterizedTruncatedNormal: 0,
  StatelessRandomNormal: 0,
  StatelessRandomNormalV2: 0,
  StatelessRandomUniform: 0,
  StatelessRandomUniformV2: 0,
  StatelessTruncatedNormal: 0,
  StatelessTruncatedNormalV2: 0,
  TruncatedNormal: 0,
};

/**
 * Ops whose kernels trust what their shape function checks. Eager execution leaves that function out, so each call runs it
 * first: it sees the shapes of all inputs, and the values of those that say a shape or an axis.
 */
const SHAPES: ReadonlySet<string> = new Set([
  'AvgPool',
  'AvgPool3D',
  'AvgPool3DGrad',
  'AvgPoolGrad',
  'CollectiveGatherV2',
  'CollectivePermute',
  'CollectiveReduceScatterV2',
  'Conv',
  'Conv2D',
  'Conv2DBackpropFilter',
  'Conv2DBackpropInput',
  'Conv3D',
  'Conv3DBackpropFilterV2',
  'Conv3DBackpropInputV2',
  'DepthwiseConv2dNative',
  'DepthwiseConv2dNativeBackpropFilter',
  'DepthwiseConv2dNativeBackpropInput',
  'FusedPadConv2D',
  'FusedResizeAndPadConv2D',
  'LoadAndRemapMatrix',
  'ParseExample',
  'QuantizeAndDequantizeV3',
  'RaggedGather',
  'ResourceAccumulatorApplyGradient',
  'ResourceAccumulatorSetGlobalStep',
  'ResourceAccumulatorTakeGradient',
  'SparseCrossHashed',
  'TensorScatterAdd',
  'TensorScatterMax',
  'TensorScatterMin',
  'TensorScatterSub',
  'TensorScatterUpdate',
]);

export function checksShapes(op: string): boolean {
  return SHAPES.has(op);
}

/** What is asked of an input. */
export interface Guarded {
  readonly shape: readonly number[];
  readonly rank: number;
  /** The values of an integer tensor. */
  integers(): Iterable<number | bigint>;
}

export function guarded(tensor: Tensor): Guarded {
  return {
    shape: tensor.shape,
    rank: tensor.rank,
    integers: () => tensor.dataSync() as Iterable<number | bigint>,
  };
}

/** A call of an op, as the guards see it. */
export interface GuardedCall {
  readonly inputs: readonly Guarded[];
  readonly attribute: (name: string) => unknown;
}

const TABLES = [
  RANKS,
  ATTRIBUTES,
  TYPES_OF,
  LENGTHS,
  COUNTS,
  SIZES,
  VALUES,
  LAST_VALUES,
  MADE_BY_SHAPE,
] as const;

export function isGuarded(op: string): boolean {
  return TABLES.some((table) => Object.hasOwn(table, op));
}

/** @throws TfeError `TFE_OP_RANK`, `TFE_OP_ATTRIBUTE`, `TFE_OP_ARGUMENT` */
export function checkGuards(op: OpDefinition, { inputs, attribute }: GuardedCall): void {
  const { name } = op;
  if (Object.hasOwn(RANKS, name)) checkRanks(op, RANKS[name]!, inputs);
  if (Object.hasOwn(ATTRIBUTES, name)) {
    for (const [attr, [least, greatest]] of Object.entries(ATTRIBUTES[name]!)) {
      const value = attribute(attr);
      if (Number(value) >= least && Number(value) <= greatest) continue;
      const expected = Number(value) > greatest ? `at most ${greatest}` : `${least} or more`;
      throw wrongAttribute(name, attr, expected, value);
    }
  }
  if (Object.hasOwn(TYPES_OF, name)) {
    for (const [attr, type] of Object.entries(TYPES_OF[name]!)) {
      const value = attribute(attr);
      if (value !== type) throw wrongAttribute(name, attr, typeName(type), typeName(Number(value)));
    }
  }
  if (Object.hasOwn(LENGTHS, name)) {
    for (const [first, ...others] of LENGTHS[name]!) checkLengths(name, first!, others, attribute);
  }
  if (Object.hasOwn(COUNTS, name)) {
    for (const [attr, count] of Object.entries(COUNTS[name]!)) {
      const received = (attribute(attr) as readonly unknown[] | undefined)?.length ?? count;
      if (received !== count) throw wrongAttribute(name, attr, `${count} values`, received);
    }
  }
  if (Object.hasOwn(SIZES, name)) {
    const [at, sizes] = SIZES[name]!;
    const [received] = inputs[at]!.shape;
    if (received === undefined || !sizes.includes(received)) {
      throw wrongValue(op, op.inputs[at]!.name, `${sizes.join(' or ')} values`, received);
    }
  }
  if (Object.hasOwn(VALUES, name)) {
    for (const [at, bounds] of Object.entries(VALUES[name]!)) {
      checkValues(op, op.inputs[Number(at)]!, inputs[Number(at)]!, bounds);
    }
  }
  if (Object.hasOwn(LAST_VALUES, name)) {
    const [at, bounds] = LAST_VALUES[name]!;
    const integers = (): (number | bigint)[] => [...inputs[at]!.integers()].slice(-1);
    checkValues(op, op.inputs[at]!, { ...inputs[at]!, integers }, bounds);
  }
  if (name === 'Unbatch') checkBatch(op, inputs);
  if (Object.hasOwn(MADE_BY_SHAPE, name)) {
    const at = MADE_BY_SHAPE[name]!;
    checkElements(op, op.inputs[at]!, inputs[at]!);
  }
}

function checkLengths(
  op: string,
  first: string,
  others: readonly string[],
  attribute: GuardedCall['attribute'],
): void {
  const lengthOf = (name: string): number =>
    (attribute(name) as readonly unknown[] | undefined)?.length ?? 0;
  const length = lengthOf(first);
  for (const other of others) {
    const received = lengthOf(other);
    if (received === length) continue;
    throw wrongAttribute(op, other, `as many values as ${first} has, ${length},`, received);
  }
}

function checkRanks(
  op: OpDefinition,
  ranks: readonly (number | null)[],
  inputs: readonly Guarded[],
): void {
  inputs.forEach(({ rank: received }, i) => {
    const rank = ranks[Math.min(i, ranks.length - 1)]!;
    if (rank === null || received === rank || (rank === ANY_BUT_0 && received > 0)) return;
    const expected = rank === ANY_BUT_0 ? 'rank 1 or more' : `rank ${rank}`;
    const argument = op.inputs[Math.min(i, op.inputs.length - 1)]!.name;
    throw tfeError('TFE_OP_RANK', { op: op.name, argument, expected, received }, { op: op.name });
  });
}

function checkValues(
  op: OpDefinition,
  { name }: ArgDefinition,
  input: Guarded,
  [least, greatest]: Bounds,
): void {
  for (const value of input.integers()) {
    if (value >= least && value <= greatest) continue;
    throw wrongValue(op, name, `values from ${least} to ${greatest}`, value);
  }
}

function checkElements(op: OpDefinition, { name }: ArgDefinition, shape: Guarded): void {
  let elements = 1;
  for (const dim of shape.integers()) {
    elements *= Number(dim);
    if (elements > MAX_ELEMENTS) {
      throw wrongValue(op, name, `a shape of at most 2^53 elements`, dim);
    }
  }
}

/** Each row of `batch_index` is an id and the rows of the tensor, from one to before another, that are its own. */
function checkBatch(op: OpDefinition, [tensor, index]: readonly Guarded[]): void {
  const rows = [...index!.integers()].map(Number);
  let left = tensor!.shape[0] ?? 0;
  const fits = index!.shape[1] === 3;
  for (let i = 0; i < rows.length; i += 3) {
    const size = rows[i + 2]! - rows[i + 1]!;
    left -= size;
    if (fits && size >= 0 && left >= 0) continue;
    throw wrongValue(op, 'batch_index', 'rows [id, from, to] of the batched tensor', rows);
  }
}

function wrongValue(
  { name: op }: OpDefinition,
  argument: string,
  expected: string,
  received: unknown,
): Error {
  const facts = { op, argument, expected, received: describeValue(received) };
  return tfeError('TFE_OP_ARGUMENT', facts, { op });
}
