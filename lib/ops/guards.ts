/**
 * Where TensorFlow 2.21.0 ends the process, or hangs, instead of answering an error: kernels that check what they are given
 * with an assertion, or not at all. What a row asks is what the op's own shape function or documentation asks.
 * test/ops/walk.test.ts looks for what is missing here, test/ops/guards.test.ts holds what was found.
 */
import { describeValue } from '../describe';
import { tfeError } from '../errors';
import type { Tensor } from '../tensor/tensor';
import { wrongAttribute } from './attributes';
import type { OpDefinition } from './definition';
import { typeName } from './types';

const ANY_BUT_0 = -1;

/** Rank of each input; null: any. The last one holds for all inputs that follow. */
export const RANKS: Readonly<Record<string, readonly (number | null)[]>> = {
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
  FakeQuantWithMinMaxVarsPerChannel: [ANY_BUT_0, 1, 1],
  FakeQuantWithMinMaxVarsPerChannelGradient: [ANY_BUT_0, ANY_BUT_0, 1, 1],
  ImportEvent: [0],
  LSTMBlockCell: [2, 2, 2, 2, 1, 1, 1, 1],
  LSTMBlockCellGrad: [2, 2, 2, 2, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2],
  LRNGrad: [4],
  LoadAndRemapMatrix: [null, null, 1, 1, 1],
  MultiDeviceIteratorInit: [null, null, 0],
  QueueEnqueueManyV2: [null, ANY_BUT_0],
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

type Bounds = readonly [least: number, greatest: number];
const MAX_INT32 = 2 ** 31 - 1;
/** Of threads, which a kernel starts without looking whether it can; `configure` takes no more either. */
const MAX_THREADS = 1024;

/** Between what an attribute lies. */
export const ATTRIBUTES: Readonly<Record<string, Readonly<Record<string, Bounds>>>> = {
  Batch: { num_batch_threads: [1, MAX_THREADS] },
  CustomAggregator: { num_bins: [0, MAX_INT32] },
  ExperimentalThreadPoolHandle: { num_threads: [0, MAX_THREADS] },
  FixedUnigramCandidateSampler: { num_shards: [1, MAX_INT32] },
  LearnedUnigramCandidateSampler: { range_max: [-Infinity, MAX_INT32] },
  SnapshotDataset: { num_reader_threads: [-1, MAX_THREADS], num_writer_threads: [-1, MAX_THREADS] },
  ThreadPoolHandle: { num_threads: [0, MAX_THREADS] },
  ThreadUnsafeUnigramCandidateSampler: { range_max: [-Infinity, MAX_INT32] },
};

/**
 * The one dtype of an attribute, as TF_DataType. A gradient of another dtype than its accumulator's ends the process, and
 * nothing says of an accumulator which one that is; a shape of int64 is read as one of int32.
 */
export const TYPES_OF: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  ResourceAccumulatorApplyGradient: { dtype: 1 },
  ResourceAccumulatorTakeGradient: { dtype: 1 },
  ResourceConditionalAccumulator: { dtype: 1 },
  StatefulRandomBinomial: { S: 3 },
};

const DENSE = ['dense_keys', 'dense_shapes', 'Tdense'] as const;
const SPARSE = ['sparse_keys', 'sparse_types'] as const;

/** Attributes that are lists of one length: a kernel goes through one as far as another is long. */
export const LENGTHS: Readonly<Record<string, readonly (readonly string[])[]>> = {
  ExperimentalParseExampleDataset: [DENSE, SPARSE],
  ParseExampleDataset: [DENSE, SPARSE],
  ParseExampleDatasetV2: [DENSE, SPARSE],
};

/** How many values an attribute that is a list has. */
export const COUNTS: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  AvgPool3DGrad: { ksize: 5, strides: 5 },
  AvgPoolGrad: { ksize: 4, strides: 4 },
  Conv2DBackpropFilter: { dilations: 4, strides: 4 },
  Conv2DBackpropInput: { dilations: 4, strides: 4 },
  Conv3DBackpropFilterV2: { dilations: 5, strides: 5 },
  Conv3DBackpropInputV2: { dilations: 5, strides: 5 },
  DepthwiseConv2dNativeBackpropFilter: { dilations: 4, strides: 4 },
  DepthwiseConv2dNativeBackpropInput: { dilations: 4, strides: 4 },
};

/** How many values an input has that is a shape: the input's place, and the numbers that it may be. */
export const SIZES: Readonly<Record<string, readonly [place: number, sizes: readonly number[]]>> = {
  AvgPool3DGrad: [0, [5]],
  AvgPoolGrad: [0, [4]],
  Conv2DBackpropFilter: [1, [4]],
  Conv2DBackpropInput: [0, [2, 4]],
  Conv3DBackpropFilterV2: [1, [5]],
  Conv3DBackpropInputV2: [0, [5]],
  DepthwiseConv2dNativeBackpropFilter: [1, [4]],
  DepthwiseConv2dNativeBackpropInput: [0, [4]],
};

/** Between what the values of an input lie, by its place. */
export const VALUES: Readonly<Record<string, Readonly<Record<number, Bounds>>>> = {
  ExperimentalPrivateThreadPoolDataset: { 1: [0, MAX_THREADS] },
  GatherV2: { 2: [-MAX_INT32, MAX_INT32] },
  NearestNeighbors: { 2: [0, MAX_INT32] },
  PrivateThreadPoolDataset: { 1: [0, MAX_THREADS] },
  RaggedBincount: { 2: [0, MAX_INT32] },
  ReaderReadUpToV2: { 2: [0, MAX_INT32] },
  TensorListScatterIntoExistingList: { 2: [0, MAX_INT32] },
};

/** Likewise for the last value of an input. */
export const LAST_VALUES: Readonly<Record<string, readonly [place: number, bounds: Bounds]>> = {
  IRFFT: [1, [1, MAX_INT32]],
  IRFFT2D: [1, [1, MAX_INT32]],
  IRFFT3D: [1, [1, MAX_INT32]],
  RFFT: [1, [1, MAX_INT32]],
  RFFT2D: [1, [1, MAX_INT32]],
  RFFT3D: [1, [1, MAX_INT32]],
};

/**
 * The places of a tensor and of the rows `[id, from, to]` that say which of its rows belong to which id: from one to before
 * another.
 */
export const BATCHES: Readonly<Record<string, readonly [tensor: number, index: number]>> = {
  Unbatch: [0, 1],
};

/** More elements than this have a size in bytes that overflows; the allocator is asked for what is left of it. */
const MAX_ELEMENTS = 2 ** 53;
/** Of ops that make numbers: the place of the input that is the shape of their output. */
export const MADE_BY_SHAPE: Readonly<Record<string, number>> = {
  ParameterizedTruncatedNormal: 0,
  RandomGamma: 0,
  RandomStandardNormal: 0,
  RandomUniform: 0,
  StatefulStandardNormal: 1,
  StatefulStandardNormalV2: 2,
  StatefulTruncatedNormal: 2,
  StatefulUniform: 2,
  StatelessParameterizedTruncatedNormal: 0,
  StatelessRandomGammaV2: 0,
  StatelessRandomGammaV3: 0,
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
export const SHAPES: ReadonlySet<string> = new Set([
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
  'ScatterNdNonAliasingAdd',
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
  /** The values of an integer tensor. */
  integers(): Iterable<number | bigint>;
}

export function guarded(tensor: Tensor): Guarded {
  return {
    shape: tensor.shape,
    integers: () => tensor.dataSync() as Iterable<number | bigint>,
  };
}

/** A call of an op, as the guards see it. */
export interface GuardedCall {
  readonly inputs: readonly Guarded[];
  readonly attribute: (name: string) => unknown;
}

type Guard = (op: OpDefinition, call: GuardedCall) => void;

/** What is asked of each op's calls. Gathered once: every call of any op looks here. */
const GUARDS = new Map<string, Guard[]>();

/** Puts a table by op under the one reader of its rows. */
function guard<Row>(
  rows: Readonly<Record<string, Row>>,
  check: (op: OpDefinition, row: Row, call: GuardedCall) => void,
): void {
  for (const [name, row] of Object.entries(rows)) {
    const guards = GUARDS.get(name) ?? [];
    GUARDS.set(name, [...guards, (op, call) => check(op, row, call)]);
  }
}

// In this order: a call that deviates from several tables is told of its ranks first, and of values last.
guard(RANKS, checkRanks);
guard(ATTRIBUTES, checkAttributes);
guard(TYPES_OF, checkTypes);
guard(LENGTHS, checkLengths);
guard(COUNTS, checkCounts);
guard(SIZES, checkSize);
guard(VALUES, checkValues);
guard(LAST_VALUES, checkLastValue);
guard(BATCHES, checkBatch);
guard(MADE_BY_SHAPE, checkElements);

export function isGuarded(op: string): boolean {
  return GUARDS.has(op);
}

/** @throws TfeError `TFE_OP_RANK`, `TFE_OP_ATTRIBUTE`, `TFE_OP_ARGUMENT` */
export function checkGuards(op: OpDefinition, call: GuardedCall): void {
  for (const check of GUARDS.get(op.name) ?? []) check(op, call);
}

function checkRanks(op: OpDefinition, ranks: readonly (number | null)[], call: GuardedCall): void {
  call.inputs.forEach(({ shape: { length: received } }, i) => {
    const rank = ranks[Math.min(i, ranks.length - 1)]!;
    if (rank === null || received === rank || (rank === ANY_BUT_0 && received > 0)) return;
    const expected = rank === ANY_BUT_0 ? 'rank 1 or more' : `rank ${rank}`;
    const argument = op.inputs[Math.min(i, op.inputs.length - 1)]!.name;
    throw tfeError('TFE_OP_RANK', { op: op.name, argument, expected, received }, { op: op.name });
  });
}

function checkAttributes(
  { name: op }: OpDefinition,
  row: Readonly<Record<string, Bounds>>,
  { attribute }: GuardedCall,
): void {
  for (const [name, [least, greatest]] of Object.entries(row)) {
    const value = attribute(name);
    if (Number(value) >= least && Number(value) <= greatest) continue;
    const expected = Number(value) > greatest ? `at most ${greatest}` : `${least} or more`;
    throw wrongAttribute(op, name, expected, value);
  }
}

function checkTypes(
  { name: op }: OpDefinition,
  row: Readonly<Record<string, number>>,
  { attribute }: GuardedCall,
): void {
  for (const [name, type] of Object.entries(row)) {
    const value = attribute(name);
    if (value !== type) throw wrongAttribute(op, name, typeName(type), typeName(Number(value)));
  }
}

function checkLengths(
  { name: op }: OpDefinition,
  groups: readonly (readonly string[])[],
  { attribute }: GuardedCall,
): void {
  for (const [first, ...others] of groups) {
    const length = lengthOf(attribute(first!)) ?? 0;
    for (const other of others) {
      const received = lengthOf(attribute(other)) ?? 0;
      if (received === length) continue;
      throw wrongAttribute(op, other, `as many values as ${first!} has, ${length},`, received);
    }
  }
}

function checkCounts(
  { name: op }: OpDefinition,
  row: Readonly<Record<string, number>>,
  { attribute }: GuardedCall,
): void {
  for (const [name, count] of Object.entries(row)) {
    const received = lengthOf(attribute(name)) ?? count;
    if (received !== count) throw wrongAttribute(op, name, `${count} values`, received);
  }
}

/** Undefined for an attribute that is left to TensorFlow. */
function lengthOf(list: unknown): number | undefined {
  return (list as readonly unknown[] | undefined)?.length;
}

function checkSize(
  op: OpDefinition,
  [place, sizes]: readonly [number, readonly number[]],
  { inputs }: GuardedCall,
): void {
  const [received] = inputs[place]!.shape;
  if (received !== undefined && sizes.includes(received)) return;
  throw wrongValue(op, place, `${sizes.join(' or ')} values`, received);
}

function checkValues(
  op: OpDefinition,
  row: Readonly<Record<number, Bounds>>,
  { inputs }: GuardedCall,
): void {
  for (const [key, bounds] of Object.entries(row)) {
    const place = Number(key);
    requireBetween(op, place, inputs[place]!.integers(), bounds);
  }
}

function checkLastValue(
  op: OpDefinition,
  [place, bounds]: readonly [number, Bounds],
  { inputs }: GuardedCall,
): void {
  requireBetween(op, place, [...inputs[place]!.integers()].slice(-1), bounds);
}

function requireBetween(
  op: OpDefinition,
  place: number,
  values: Iterable<number | bigint>,
  [least, greatest]: Bounds,
): void {
  for (const value of values) {
    if (value >= least && value <= greatest) continue;
    throw wrongValue(op, place, `values from ${least} to ${greatest}`, value);
  }
}

function checkBatch(
  op: OpDefinition,
  [tensor, index]: readonly [number, number],
  { inputs }: GuardedCall,
): void {
  const rows = [...inputs[index]!.integers()].map(Number);
  let left = inputs[tensor]!.shape[0] ?? 0;
  const fits = inputs[index]!.shape[1] === 3;
  for (let i = 0; i < rows.length; i += 3) {
    const size = rows[i + 2]! - rows[i + 1]!;
    left -= size;
    if (fits && size >= 0 && left >= 0) continue;
    throw wrongValue(op, index, 'rows [id, from, to] of the batched tensor', rows);
  }
}

function checkElements(op: OpDefinition, place: number, { inputs }: GuardedCall): void {
  let elements = 1;
  for (const dim of inputs[place]!.integers()) {
    elements *= Number(dim);
    if (elements > MAX_ELEMENTS) {
      throw wrongValue(op, place, 'a shape of at most 2^53 elements', dim);
    }
  }
}

function wrongValue(
  { name: op, inputs }: OpDefinition,
  place: number,
  expected: string,
  received: unknown,
): Error {
  const argument = inputs[place]!.name;
  const facts = { op, argument, expected, received: describeValue(received) };
  return tfeError('TFE_OP_ARGUMENT', facts, { op });
}
