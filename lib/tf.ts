/**
 * The Python-named namespace. Each function turns its operands into tensors, checks its options, and hands over to the
 * executor of a core op or to the eager runtime; it has no numbers of its own.
 */
import {
  CORE_OPS,
  coreOp,
  coreOpAsync,
  type BinaryOpName,
  type UnaryOpName,
} from './core-ops/table';
import { CASTABLE, castKernels } from './core-ops/cast';
import { argumentError, normalizeAxis, requireDType } from './core-ops/operand';
import { describeValue } from './describe';
import { tfeError } from './errors';
import {
  argmax as argmaxFamily,
  biasAdd,
  matmul as matmulFamily,
  softmax as softmaxFamily,
} from './families';
import { signalOption, type AsyncOptions } from './native/off-loop';
import { isObject } from './objects';
import { applyOne, applyOneAsync } from './runtime/default';
import { constant, makeConstant, type NumericValues, type RankOf } from './tensor/constant';
import type { DType, PlainDType } from './tensor/dtype';
import type { Kernel } from './tensor/kernel';
import { booleanOption, checkOptions } from './tensor/options';
import type { BroadcastRank, MatrixRank, ReducedRank } from './tensor/rank';
import { isTensor, type Tensor } from './tensor/tensor';

/** An operand that is not a tensor yet: it takes the dtype of the other operand. */
export type Operand = NumericValues;

/** Options of `tf.matmul`. */
export interface MatmulOptions {
  /** Multiplies with the transpose of `a`, its last two axes exchanged. Default `false`. */
  readonly transpose_a?: boolean;
  /** The same for `b`. */
  readonly transpose_b?: boolean;
  /** Conjugate transpose; the same as `transpose_a` for real numbers, and not to be combined with it. */
  readonly adjoint_a?: boolean;
  /** The same for `b`. */
  readonly adjoint_b?: boolean;
  /** Taken as in Python, without effect: eager ops have no names. */
  readonly name?: string;
}

/** Options of `tf.nn.softmax`. */
export interface AxisOptions {
  /** Counted from the front, or from the end when negative. */
  readonly axis?: number;
  /** Taken as in Python, without effect: eager ops have no names. */
  readonly name?: string;
}

/** Options of `tf.nn.bias_add`. */
export interface BiasAddOptions {
  /** `'NHWC'` (default): channels last. `'NCHW'`: channels on axis 1. Or any of Python's `'N...C'`, `'NC...'`. */
  readonly data_format?: string;
  /** Taken as in Python, without effect: eager ops have no names. */
  readonly name?: string;
}

/** Options of `tf.argmax`. */
export interface ArgmaxOptions<O extends 'int32' | 'int64'> extends AxisOptions {
  /** Default `'int64'`. */
  readonly output_type?: O;
}

/** `tf.divide`: what Python's true division answers. */
export type QuotientDType<D extends DType> = D extends 'int32' | 'int64' | 'uint32' | 'uint64'
  ? 'float64'
  : D extends 'int8' | 'int16' | 'uint8' | 'uint16'
    ? 'float32'
    : D;

type Unary = <D extends DType, R extends number>(x: Tensor<D, R>) => Tensor<D, R>;

/** The dtype of a result: that of the operands, or of their true division. */
type DTypeRule = 'same' | 'quotient';
type ResultDType<K extends DTypeRule, D extends DType> = K extends 'quotient'
  ? QuotientDType<D>
  : D;

// Each signature has a text of its own: of a function with several, an editor shows the text of the one that is called.
interface Binary<K extends DTypeRule = 'same'> {
  /** Two tensors of one dtype, whose shapes broadcast. */
  <D extends DType, A extends number, B extends number>(
    x: Tensor<D, A>,
    y: Tensor<NoInfer<D>, B>,
  ): Tensor<ResultDType<K, D>, BroadcastRank<A, B>>;
  /** A tensor, and a number or array that takes its dtype; their shapes broadcast. */
  <D extends DType, R extends number, const V extends Operand>(
    x: Tensor<D, R>,
    y: V,
  ): Tensor<ResultDType<K, D>, BroadcastRank<R, RankOf<V>>>;
  /** A number or array that takes the dtype of a tensor, and this tensor; their shapes broadcast. */
  <D extends DType, R extends number, const V extends Operand>(
    x: V,
    y: Tensor<D, R>,
  ): Tensor<ResultDType<K, D>, BroadcastRank<R, RankOf<V>>>;
  /** Numbers or arrays: `x` becomes a tensor as in `tf.constant`, `y` takes its dtype; their shapes broadcast. */
  (x: Operand, y: Operand): Tensor;
}

type UnaryAsync = <D extends DType, R extends number>(
  x: Tensor<D, R>,
  options?: AsyncOptions,
) => Promise<Tensor<D, R>>;

interface BinaryAsync<K extends DTypeRule = 'same'> {
  /**
   * Two tensors of one dtype, whose shapes broadcast. Both may be disposed while it runs. The result belongs to
   * the scope of the call, and is freed when `signal` aborts the call.
   */
  <D extends DType, A extends number, B extends number>(
    x: Tensor<D, A>,
    y: Tensor<NoInfer<D>, B>,
    options?: AsyncOptions,
  ): Promise<Tensor<ResultDType<K, D>, BroadcastRank<A, B>>>;
  /**
   * A tensor, and a number or array that takes its dtype; their shapes broadcast. The tensor may be disposed while it runs.
   * The result belongs to the scope of the call, and is freed when `signal` aborts the call.
   */
  <D extends DType, R extends number, const V extends Operand>(
    x: Tensor<D, R>,
    y: V,
    options?: AsyncOptions,
  ): Promise<Tensor<ResultDType<K, D>, BroadcastRank<R, RankOf<V>>>>;
  /**
   * A number or array that takes the dtype of a tensor, and this tensor; their shapes broadcast. The tensor may be disposed
   * while it runs. The result belongs to the scope of the call, and is freed when `signal` aborts the call.
   */
  <D extends DType, R extends number, const V extends Operand>(
    x: V,
    y: Tensor<D, R>,
    options?: AsyncOptions,
  ): Promise<Tensor<ResultDType<K, D>, BroadcastRank<R, RankOf<V>>>>;
  /**
   * Numbers or arrays: `x` becomes a tensor as in `tf.constant`, `y` takes its dtype; their shapes broadcast. The result
   * belongs to the scope of the call, and is freed when `signal` aborts the call.
   */
  (x: Operand, y: Operand, options?: AsyncOptions): Promise<Tensor>;
}

/**
 * `value`, the argument `name`, as a tensor: itself, or a temporary one that is freed when `run` returns. An asynchronous
 * `run` has taken its share of it by then.
 */
function withOperand<T>(
  name: string,
  value: unknown,
  dtype: DType | undefined,
  run: (tensor: Tensor) => T,
): T {
  if (isTensor(value)) return run(value);
  const temporary = makeConstant(value, dtype, undefined, name);
  try {
    return run(temporary);
  } finally {
    temporary.dispose();
  }
}

/** {@link withOperand} for two: the one that is no tensor takes the dtype of the other. */
function withOperands<T>(
  [first, second]: readonly [string, string],
  x: unknown,
  y: unknown,
  run: (left: Tensor, right: Tensor) => T,
): T {
  return withOperand(first, x, isTensor(y) ? y.dtype : undefined, (left) =>
    withOperand(second, y, left.dtype, (right) => run(left, right)),
  );
}

function unary(op: UnaryOpName): Unary {
  const execute = coreOp(op);
  const [name] = CORE_OPS[op].arguments;
  return ((x: unknown) => withOperand(name, x, undefined, (tensor) => execute(tensor))) as Unary;
}

function binary<F>(op: BinaryOpName): F {
  const execute = coreOp(op);
  const names = CORE_OPS[op].arguments;
  return ((x: unknown, y: unknown): Tensor => {
    // The path of nearly every call, without closures.
    if (isTensor(x) && isTensor(y)) return execute(x, y);
    return withOperands(names, x, y, execute);
  }) as F;
}

/** The trailing options of an asynchronous function that has no others. */
function signalAlone(label: string, options: unknown): AsyncOptions {
  if (options === undefined) return {};
  checkOptions(label, options, ['signal']);
  return signalOption(label, options);
}

function unaryAsync(label: string, op: UnaryOpName): UnaryAsync {
  const execute = coreOpAsync(op);
  const [name] = CORE_OPS[op].arguments;
  return (async (x: unknown, options?: unknown) => {
    const signal = signalAlone(label, options);
    return withOperand(name, x, undefined, (tensor) => execute([tensor], signal, label));
  }) as UnaryAsync;
}

function binaryAsync<F>(label: string, op: BinaryOpName): F {
  const execute = coreOpAsync(op);
  const names = CORE_OPS[op].arguments;
  return (async (x: unknown, y: unknown, options?: unknown) => {
    const signal = signalAlone(label, options);
    return withOperands(names, x, y, (left, right) => execute([left, right], signal, label));
  }) as F;
}

/** Options of `tf.cast`. */
export interface NameOption {
  /** Taken as in Python, without effect: eager ops have no names. */
  readonly name?: string;
}

const castKernel = castKernels('tf.cast');

/**
 * The values of `x` in another dtype, elementwise; same shape. Any dtype but string, resource and variant, to any of them.
 * Fractions are cut off towards 0, integers wrap around, bool is 0 and 1, anything but 0 is true; of a complex number the
 * real part is kept. What a float beyond an integer's range becomes depends on the processor, as in Python. The answer is a
 * tensor of its own, also when `x` has the dtype already. TensorFlow op `Cast`.
 *
 * @throws TfeError `TFE_OP_DTYPE`, `TFE_OP_ARGUMENT` for another target, `TFE_OPTION_UNKNOWN`, `TFE_TENSOR_DISPOSED`
 * @example tf.cast(tf.constant([1.7, -1.7]), 'int32').dataSync(); // Int32Array [1, -1]
 */
function cast<R extends number, D extends PlainDType>(
  x: Tensor<DType, R>,
  dtype: D,
  options?: NameOption,
): Tensor<D, R>;
function cast<const V extends Operand, D extends PlainDType>(
  x: V,
  dtype: D,
  options?: NameOption,
): Tensor<D, RankOf<V>>;
function cast(x: unknown, dtype: PlainDType, options?: NameOption): Tensor {
  if (options !== undefined) checkOptions('tf.cast', options, ['name']);
  const kernel = castKernelFor('tf.cast', dtype);
  return withOperand('x', x, undefined, (tensor) => kernel.run1(castable('tf.cast', tensor)));
}

/**
 * {@link cast} off the event loop: the same shapes, dtypes and results. `x` may be disposed while it runs. The result
 * belongs to the scope of the call, and is freed when `signal` aborts the call.
 *
 * @throws TfeError as a rejection, like every error: those of `tf.cast`, `TFE_QUEUE_FULL`,
 *   `TFE_THREAD_UNAVAILABLE`, and for `options` `TFE_OPTION_UNKNOWN` and `TFE_OPTION_VALUE`; the reason of `signal`
 * @example (await tf.castAsync(tf.constant([1.7, -1.7]), 'int32')).arraySync(); // [1, -1]
 */
function castAsync<R extends number, D extends PlainDType>(
  x: Tensor<DType, R>,
  dtype: D,
  options?: NameOption & AsyncOptions,
): Promise<Tensor<D, R>>;
function castAsync<const V extends Operand, D extends PlainDType>(
  x: V,
  dtype: D,
  options?: NameOption & AsyncOptions,
): Promise<Tensor<D, RankOf<V>>>;
async function castAsync(
  x: unknown,
  dtype: PlainDType,
  options?: NameOption & AsyncOptions,
): Promise<Tensor> {
  const label = 'tf.castAsync';
  if (options !== undefined) checkOptions(label, options, withSignal(['name']));
  const signal = signalOption(label, options);
  const kernel = castKernelFor(label, dtype);
  return withOperand('x', x, undefined, (tensor) =>
    kernel.runAsync([castable(label, tensor)], signal, label),
  );
}

function castKernelFor(label: string, dtype: PlainDType): Kernel {
  if (CASTABLE.includes(dtype)) return castKernel(dtype);
  throw argumentError(label, 'dtype', `one of ${CASTABLE.join(', ')}`, dtype);
}

function castable(label: string, tensor: Tensor): Tensor {
  requireDType(tensor, CASTABLE, label, 'x');
  return tensor;
}

const MATMUL_OPERANDS = ['a', 'b'] as const;
const MATMUL_OPTIONS = ['transpose_a', 'transpose_b', 'adjoint_a', 'adjoint_b', 'name'];
const PLAIN_MATMUL = matmulFamily.op({ transposeA: false, transposeB: false });

/**
 * Matrix product of the last two axes; leading axes are batch axes and broadcast. `[..., m, k]` by `[..., k, n]` gives
 * `[..., m, n]`. float32, float64, int32 or int64. Extension family `tfe-node.matmul.v1`.
 *
 * @throws TfeError `TFE_OP_RANK` below rank 2, `TFE_OP_SHAPE` when k differs or batch axes do
 *   not broadcast, `TFE_OP_DTYPE`, `TFE_OP_DTYPE_MISMATCH`, `TFE_OPTION_UNKNOWN`, `TFE_OPTION_VALUE`, `TFE_TENSOR_DISPOSED`
 * @example tf.matmul(tf.constant([[1, 2]]), tf.constant([[3], [4]])).arraySync(); // [[11]]
 */
function matmul<D extends DType, A extends number, B extends number>(
  a: Tensor<D, A> & (MatrixRank<A> extends never ? never : unknown),
  b: Tensor<NoInfer<D>, B> & (MatrixRank<B> extends never ? never : unknown),
  options?: MatmulOptions,
): Tensor<D, BroadcastRank<A, B>> {
  const label = 'tf.matmul';
  const op = options === undefined ? PLAIN_MATMUL : matmulOp(options);
  const result = withOperands(MATMUL_OPERANDS, a, b, (left, right) =>
    applyOne(op, [left, right], label),
  );
  return result as Tensor<D, BroadcastRank<A, B>>;
}

/**
 * {@link matmul} off the event loop: the same shapes, dtypes and results. `a` and `b` may be disposed while it runs.
 * The result belongs to the scope of the call, and is freed when `signal` aborts the call.
 *
 * @throws TfeError as a rejection, like every error: those of `tf.matmul`, `TFE_QUEUE_FULL`,
 *   `TFE_THREAD_UNAVAILABLE`, and for `options` `TFE_OPTION_UNKNOWN` and `TFE_OPTION_VALUE`; the reason of `signal`
 * @example (await tf.matmulAsync(tf.constant([[1, 2]]), tf.constant([[3], [4]]))).arraySync(); // [[11]]
 */
async function matmulAsync<D extends DType, A extends number, B extends number>(
  a: Tensor<D, A> & (MatrixRank<A> extends never ? never : unknown),
  b: Tensor<NoInfer<D>, B> & (MatrixRank<B> extends never ? never : unknown),
  options?: MatmulOptions & AsyncOptions,
): Promise<Tensor<D, BroadcastRank<A, B>>> {
  const label = 'tf.matmulAsync';
  const op =
    options === undefined ? PLAIN_MATMUL : matmulOp(options, label, withSignal(MATMUL_OPTIONS));
  const signal = signalOption(label, options);
  return withOperands(MATMUL_OPERANDS, a, b, (left, right) =>
    applyOneAsync(op, [left, right], signal, label),
  ) as Promise<Tensor<D, BroadcastRank<A, B>>>;
}

function withSignal(options: readonly string[]): readonly string[] {
  return [...options, 'signal'];
}

function matmulOp(
  options: MatmulOptions,
  label = 'tf.matmul',
  allowed: readonly string[] = MATMUL_OPTIONS,
): ReturnType<typeof matmulFamily.op> {
  checkOptions(label, options, allowed);
  const given = options as Readonly<Record<string, unknown>>;
  const flag = (name: string): boolean => booleanOption(label, given, name, false);
  const transposes = (side: 'a' | 'b'): boolean => {
    const transpose = flag(`transpose_${side}`);
    const adjoint = flag(`adjoint_${side}`);
    if (transpose && adjoint) {
      throw tfeError('TFE_OPTION_VALUE', {
        function: label,
        option: `adjoint_${side}`,
        expected: `only one of transpose_${side} and adjoint_${side} to be true`,
        received: 'both',
      });
    }
    return transpose || adjoint;
  };
  return matmulFamily.op({ transposeA: transposes('a'), transposeB: transposes('b') });
}

const BIAS_ADD_OPTIONS = ['data_format', 'name'];
const CHANNELS_LAST = biasAdd.op({ dataFormat: 'NHWC' });
const CHANNELS_FIRST = biasAdd.op({ dataFormat: 'NCHW' });

/**
 * Adds the vector `bias` (rank 1) to the channel axis of `value` (rank 2 or more). Any dtype of numbers; shape of
 * `value`. Extension family `tfe-node.bias_add.v1`.
 *
 * @throws TfeError `TFE_OP_RANK`, `TFE_OP_SHAPE` when the channels differ, `TFE_OP_DTYPE_MISMATCH`,
 *   `TFE_OPTION_VALUE`, `TFE_OPTION_UNKNOWN`, `TFE_TENSOR_DISPOSED`
 * @example tf.nn.bias_add(tf.constant([[1, 2]]), tf.constant([10, 20])).arraySync(); // [[11, 22]]
 */
function biasAddOp<D extends DType, R extends number>(
  value: Tensor<D, R>,
  bias: Tensor<NoInfer<D>, 1>,
  options?: BiasAddOptions,
): Tensor<D, R> {
  const op = options === undefined || channelsLast(options) ? CHANNELS_LAST : CHANNELS_FIRST;
  return withOperand('value', value, undefined, (left) =>
    withOperand('bias', bias, left.dtype, (right) => applyOne(op, [left, right], 'tf.nn.bias_add')),
  ) as Tensor<D, R>;
}

/**
 * {@link tf.nn.bias_add} off the event loop: the same shapes, dtypes and results. `value` and `bias` may be disposed
 * while it runs. The result belongs to the scope of the call, and is freed when `signal` aborts the call.
 *
 * @throws TfeError as a rejection, like every error: those of `tf.nn.bias_add`, `TFE_QUEUE_FULL`,
 *   `TFE_THREAD_UNAVAILABLE`, and for `options` `TFE_OPTION_UNKNOWN` and `TFE_OPTION_VALUE`; the reason of `signal`
 * @example (await tf.nn.bias_addAsync(tf.constant([[1, 2]]), tf.constant([10, 20]))).arraySync(); // [[11, 22]]
 */
async function biasAddAsync<D extends DType, R extends number>(
  value: Tensor<D, R>,
  bias: Tensor<NoInfer<D>, 1>,
  options?: BiasAddOptions & AsyncOptions,
): Promise<Tensor<D, R>> {
  const label = 'tf.nn.bias_addAsync';
  const last = options === undefined || channelsLast(options, label, withSignal(BIAS_ADD_OPTIONS));
  const signal = signalOption(label, options);
  return withOperand('value', value, undefined, (left) =>
    withOperand('bias', bias, left.dtype, (right) =>
      applyOneAsync(last ? CHANNELS_LAST : CHANNELS_FIRST, [left, right], signal, label),
    ),
  ) as Promise<Tensor<D, R>>;
}

/** Python takes any format that says where the channels are. */
function channelsLast(
  options: BiasAddOptions,
  label = 'tf.nn.bias_add',
  allowed: readonly string[] = BIAS_ADD_OPTIONS,
): boolean {
  checkOptions(label, options, allowed);
  const format: unknown = options.data_format ?? 'NHWC';
  if (typeof format === 'string') {
    if (format.startsWith('NC')) return false;
    if (format.startsWith('N') && format.endsWith('C')) return true;
  }
  throw tfeError('TFE_OPTION_VALUE', {
    function: label,
    option: 'data_format',
    expected: "a format like 'NHWC' or 'NCHW'",
    received: describeValue(format),
  });
}

/** The axis given as a number or as an option, counted from the front. */
function axisOf(
  op: string,
  axisOrOptions: unknown,
  options: readonly string[],
  fallback: number,
  rank: number,
): number {
  let axis = axisOrOptions;
  if (typeof axisOrOptions === 'object' && axisOrOptions !== null) {
    checkOptions(op, axisOrOptions, options);
    axis = (axisOrOptions as AxisOptions).axis;
  }
  axis ??= fallback;
  if (!Number.isSafeInteger(axis)) {
    throw tfeError('TFE_OPTION_VALUE', {
      function: op,
      option: 'axis',
      expected: 'an integer',
      received: describeValue(axis),
    });
  }
  return normalizeAxis(axis as number, rank, op);
}

const SOFTMAX_OPTIONS = ['axis', 'name'];

/**
 * Softmax along one axis (default: the last): `exp(x) / sum(exp(x))`. Any float dtype, rank 1 or more; same shape.
 * Extension family `tfe-node.softmax.v1`.
 *
 * @param axis counted from the front, or from the end when negative; also as `{ axis }`
 * @throws TfeError `TFE_OP_AXIS`, `TFE_OP_DTYPE`, `TFE_OPTION_VALUE`, `TFE_OPTION_UNKNOWN`, `TFE_TENSOR_DISPOSED`
 * @example tf.nn.softmax(tf.constant([[1, 1]]), 1).arraySync(); // [[0.5, 0.5]]
 */
function softmax<D extends DType, R extends number>(
  logits: Tensor<D, R>,
  axis?: number | AxisOptions,
): Tensor<D, R> {
  return withOperand('logits', logits, undefined, (x) => {
    const front = axisOf('tf.nn.softmax', axis, SOFTMAX_OPTIONS, -1, x.rank);
    return applyOne(softmaxFamily.op({ axis: front }), [x], 'tf.nn.softmax');
  }) as Tensor<D, R>;
}

/**
 * {@link softmax} off the event loop: the same shapes, dtypes and results. `options` where the axis is a number.
 * `logits` may be disposed while it runs. The result belongs to the scope of the call, and is freed when `signal`
 * aborts the call.
 *
 * @throws TfeError as a rejection, like every error: those of `tf.nn.softmax`, `TFE_QUEUE_FULL`,
 *   `TFE_THREAD_UNAVAILABLE`, and for `options` `TFE_OPTION_UNKNOWN` and `TFE_OPTION_VALUE`; the reason of `signal`
 * @example (await tf.nn.softmaxAsync(tf.constant([[1, 1]]), 1)).arraySync(); // [[0.5, 0.5]]
 */
async function softmaxAsync<D extends DType, R extends number>(
  logits: Tensor<D, R>,
  axis?: number | (AxisOptions & AsyncOptions),
  options?: AsyncOptions,
): Promise<Tensor<D, R>> {
  const label = 'tf.nn.softmaxAsync';
  const signal = signalBeside(label, axis, options);
  return withOperand('logits', logits, undefined, (x) => {
    const front = axisOf(label, axis, withSignal(SOFTMAX_OPTIONS), -1, x.rank);
    return applyOneAsync(softmaxFamily.op({ axis: front }), [x], signal, label);
  }) as Promise<Tensor<D, R>>;
}

/** The signal, in the options that hold the axis or in those after it. */
function signalBeside(label: string, axis: unknown, options: unknown): AsyncOptions {
  return isObject(axis) && options === undefined
    ? signalOption(label, axis)
    : signalAlone(label, options);
}

const ARGMAX_OPTIONS = ['axis', 'output_type', 'name'];

/**
 * Index of the largest value along one axis (default 0); that axis is gone from the shape. Any dtype that has an order, rank 1 or more;
 * int64 (or int32) results. Of equal values the first is answered; NaN is skipped. Extension family
 * `tfe-node.argmax.v1`.
 *
 * @param axis counted from the front, or from the end when negative; also as `{ axis, output_type }`
 * @throws TfeError `TFE_OP_AXIS`, `TFE_OP_FAILED` for an empty axis, `TFE_OPTION_VALUE`, `TFE_OPTION_UNKNOWN`,
 *   `TFE_TENSOR_DISPOSED`
 * @example tf.argmax(tf.constant([[1, 3, 2]]), 1).dataSync(); // BigInt64Array [1n]
 */
function argmax<R extends number, O extends 'int32' | 'int64' = 'int64'>(
  input: Tensor<DType, R>,
  axis?: number | ArgmaxOptions<O>,
): Tensor<O, ReducedRank<R>> {
  return withOperand('input', input, undefined, (x) => {
    const front = axisOf('tf.argmax', axis, ARGMAX_OPTIONS, 0, x.rank);
    const outputType = outputTypeOf(axis);
    return applyOne(argmaxFamily.op({ axis: front, outputType }), [x], 'tf.argmax');
  }) as Tensor<O, ReducedRank<R>>;
}

/**
 * {@link argmax} off the event loop: the same shapes, dtypes and results. `options` where the axis is a number. `input`
 * may be disposed while it runs. The result belongs to the scope of the call, and is freed when `signal` aborts the
 * call.
 *
 * @throws TfeError as a rejection, like every error: those of `tf.argmax`, `TFE_QUEUE_FULL`,
 *   `TFE_THREAD_UNAVAILABLE`, and for `options` `TFE_OPTION_UNKNOWN` and `TFE_OPTION_VALUE`; the reason of `signal`
 * @example (await tf.argmaxAsync(tf.constant([[1, 3, 2]]), 1)).arraySync(); // [1n]
 */
async function argmaxAsync<R extends number, O extends 'int32' | 'int64' = 'int64'>(
  input: Tensor<DType, R>,
  axis?: number | (ArgmaxOptions<O> & AsyncOptions),
  options?: AsyncOptions,
): Promise<Tensor<O, ReducedRank<R>>> {
  const label = 'tf.argmaxAsync';
  const signal = signalBeside(label, axis, options);
  return withOperand('input', input, undefined, (x) => {
    const front = axisOf(label, axis, withSignal(ARGMAX_OPTIONS), 0, x.rank);
    const outputType = outputTypeOf(axis, label);
    return applyOneAsync(argmaxFamily.op({ axis: front, outputType }), [x], signal, label);
  }) as Promise<Tensor<O, ReducedRank<R>>>;
}

function outputTypeOf(axis: unknown, label = 'tf.argmax'): 'int32' | 'int64' {
  const given = isObject(axis)
    ? ((axis as { output_type?: unknown }).output_type ?? 'int64')
    : 'int64';
  if (given === 'int64' || given === 'int32') return given;
  throw tfeError('TFE_OPTION_VALUE', {
    function: label,
    option: 'output_type',
    expected: "'int32' or 'int64'",
    received: describeValue(given),
  });
}

/**
 * What `tf` and `tf.math` have in common. Each is documented as a member: the published declarations keep the text of a
 * member and drop that of a constant.
 */
const math = {
  /**
   * Sum, elementwise with broadcasting. Both operands of one dtype (any of numbers); a number or array takes the dtype of
   * the other operand. Integers wrap around. TensorFlow op `AddV2`.
   * @throws TfeError `TFE_OP_DTYPE_MISMATCH`, `TFE_OP_DTYPE`, `TFE_OP_FAILED` (shapes that do not broadcast),
   *   `TFE_TENSOR_DISPOSED`
   * @example tf.add(tf.constant([1, 2]), 10).dataSync(); // [11, 12]
   */
  add: binary<Binary>('add'),
  /**
   * Difference, `x - y`; otherwise as `tf.add`. TensorFlow op `Sub`.
   * @example tf.subtract(tf.constant([3]), 1).dataSync(); // [2]
   */
  subtract: binary<Binary>('subtract'),
  /**
   * Product, elementwise; otherwise as `tf.add`. TensorFlow op `Mul`.
   * @example tf.multiply(tf.constant([3]), 2).dataSync(); // [6]
   */
  multiply: binary<Binary>('multiply'),
  /**
   * Python's true division: integers are divided as float64 (float32 for 8 and 16 bits); `x / 0` is an infinity or NaN.
   * Otherwise as `tf.add`. TensorFlow ops `Cast` and `RealDiv`.
   * @example tf.divide(tf.constant([1n]), 2n).dataSync(); // Float64Array [0.5]
   */
  divide: binary<Binary<'quotient'>>('divide'),
  /**
   * Cosine of an angle in radians, elementwise. Any float or complex dtype, any rank; same shape. TensorFlow op `Cos`.
   * @throws TfeError `TFE_OP_DTYPE`, `TFE_TENSOR_DISPOSED`
   * @example tf.cos(tf.constant([0])).dataSync(); // [1]
   */
  cos: unary('cos'),
  /**
   * Hyperbolic tangent, elementwise. Any float or complex dtype, any rank; same shape. TensorFlow op `Tanh`.
   * @throws TfeError `TFE_OP_DTYPE`, `TFE_TENSOR_DISPOSED`
   * @example tf.nn.tanh(tf.constant([0])).dataSync(); // [0]
   */
  tanh: unary('tanh'),
  /**
   * Logistic function, `1 / (1 + exp(-x))`, elementwise. Any float or complex dtype, any rank; same shape. TensorFlow op `Sigmoid`.
   * @throws TfeError `TFE_OP_DTYPE`, `TFE_TENSOR_DISPOSED`
   * @example tf.nn.sigmoid(tf.constant([0])).dataSync(); // [0.5]
   */
  sigmoid: unary('sigmoid'),
  /**
   * {@link tf.add} off the event loop: the same shapes, dtypes and results. `x` and `y` may be disposed while it runs.
   * The result belongs to the scope of the call, and is freed when `signal` aborts the call.
   * @throws TfeError as a rejection, like every error: those of `tf.add`, `TFE_QUEUE_FULL`,
   *   `TFE_THREAD_UNAVAILABLE`, and for `options` `TFE_OPTION_UNKNOWN` and `TFE_OPTION_VALUE`; the reason of `signal`
   * @example (await tf.addAsync(tf.constant([1, 2]), 10)).arraySync(); // [11, 12]
   */
  addAsync: binaryAsync<BinaryAsync>('tf.addAsync', 'add'),
  /**
   * {@link tf.subtract} off the event loop: the same shapes, dtypes and results. `x` and `y` may be disposed while it
   * runs. The result belongs to the scope of the call, and is freed when `signal` aborts the call.
   * @throws TfeError as a rejection, like every error: those of `tf.subtract`, `TFE_QUEUE_FULL`,
   *   `TFE_THREAD_UNAVAILABLE`, and for `options` `TFE_OPTION_UNKNOWN` and `TFE_OPTION_VALUE`; the reason of `signal`
   * @example (await tf.subtractAsync(tf.constant([3]), 1)).arraySync(); // [2]
   */
  subtractAsync: binaryAsync<BinaryAsync>('tf.subtractAsync', 'subtract'),
  /**
   * {@link tf.multiply} off the event loop: the same shapes, dtypes and results. `x` and `y` may be disposed while it
   * runs. The result belongs to the scope of the call, and is freed when `signal` aborts the call.
   * @throws TfeError as a rejection, like every error: those of `tf.multiply`, `TFE_QUEUE_FULL`,
   *   `TFE_THREAD_UNAVAILABLE`, and for `options` `TFE_OPTION_UNKNOWN` and `TFE_OPTION_VALUE`; the reason of `signal`
   * @example (await tf.multiplyAsync(tf.constant([3]), 2)).arraySync(); // [6]
   */
  multiplyAsync: binaryAsync<BinaryAsync>('tf.multiplyAsync', 'multiply'),
  /**
   * {@link tf.divide} off the event loop: the same shapes, dtypes and results. `x` and `y` may be disposed while it
   * runs. The result belongs to the scope of the call, and is freed when `signal` aborts the call.
   * @throws TfeError as a rejection, like every error: those of `tf.divide`, `TFE_QUEUE_FULL`,
   *   `TFE_THREAD_UNAVAILABLE`, and for `options` `TFE_OPTION_UNKNOWN` and `TFE_OPTION_VALUE`; the reason of `signal`
   * @example (await tf.divideAsync(tf.constant([1n]), 2n)).arraySync(); // [0.5]
   */
  divideAsync: binaryAsync<BinaryAsync<'quotient'>>('tf.divideAsync', 'divide'),
  /**
   * {@link tf.cos} off the event loop: the same shapes, dtypes and results. `x` may be disposed while it runs. The
   * result belongs to the scope of the call, and is freed when `signal` aborts the call.
   * @throws TfeError as a rejection, like every error: those of `tf.cos`, `TFE_QUEUE_FULL`,
   *   `TFE_THREAD_UNAVAILABLE`, and for `options` `TFE_OPTION_UNKNOWN` and `TFE_OPTION_VALUE`; the reason of `signal`
   * @example (await tf.cosAsync(tf.constant([0]))).arraySync(); // [1]
   */
  cosAsync: unaryAsync('tf.cosAsync', 'cos'),
  /**
   * {@link tf.tanh} off the event loop: the same shapes, dtypes and results. `x` may be disposed while it runs. The
   * result belongs to the scope of the call, and is freed when `signal` aborts the call.
   * @throws TfeError as a rejection, like every error: those of `tf.tanh`, `TFE_QUEUE_FULL`,
   *   `TFE_THREAD_UNAVAILABLE`, and for `options` `TFE_OPTION_UNKNOWN` and `TFE_OPTION_VALUE`; the reason of `signal`
   * @example (await tf.nn.tanhAsync(tf.constant([0]))).arraySync(); // [0]
   */
  tanhAsync: unaryAsync('tf.nn.tanhAsync', 'tanh'),
  /**
   * {@link tf.sigmoid} off the event loop: the same shapes, dtypes and results. `x` may be disposed while it runs. The
   * result belongs to the scope of the call, and is freed when `signal` aborts the call.
   * @throws TfeError as a rejection, like every error: those of `tf.sigmoid`, `TFE_QUEUE_FULL`,
   *   `TFE_THREAD_UNAVAILABLE`, and for `options` `TFE_OPTION_UNKNOWN` and `TFE_OPTION_VALUE`; the reason of `signal`
   * @example (await tf.nn.sigmoidAsync(tf.constant([0]))).arraySync(); // [0.5]
   */
  sigmoidAsync: unaryAsync('tf.nn.sigmoidAsync', 'sigmoid'),
  argmax,
  argmaxAsync,
};

const nn = {
  /**
   * Rectified linear unit, `max(x, 0)`, elementwise. Any dtype of real numbers, any rank; same shape. TensorFlow op `Relu`.
   * @throws TfeError `TFE_OP_DTYPE`, `TFE_TENSOR_DISPOSED`
   * @example tf.nn.relu(tf.constant([-1, 2])).dataSync(); // [0, 2]
   */
  relu: unary('relu'),
  /** The same function as `tf.tanh`. */
  tanh: math.tanh,
  /** The same function as `tf.sigmoid`. */
  sigmoid: math.sigmoid,
  /**
   * {@link tf.nn.relu} off the event loop: the same shapes, dtypes and results. `x` may be disposed while it runs. The
   * result belongs to the scope of the call, and is freed when `signal` aborts the call.
   * @throws TfeError as a rejection, like every error: those of `tf.nn.relu`, `TFE_QUEUE_FULL`,
   *   `TFE_THREAD_UNAVAILABLE`, and for `options` `TFE_OPTION_UNKNOWN` and `TFE_OPTION_VALUE`; the reason of `signal`
   * @example (await tf.nn.reluAsync(tf.constant([-1, 2]))).arraySync(); // [0, 2]
   */
  reluAsync: unaryAsync('tf.nn.reluAsync', 'relu'),
  /** The same function as `tf.tanhAsync`. */
  tanhAsync: math.tanhAsync,
  /** The same function as `tf.sigmoidAsync`. */
  sigmoidAsync: math.sigmoidAsync,
  softmax,
  softmaxAsync,
  bias_add: biasAddOp,
  bias_addAsync: biasAddAsync,
};

/** Frozen; each function has the name that it is called by, in stacks and in a REPL. */
function named<T extends object>(functions: T): Readonly<T> {
  for (const [name, value] of Object.entries(functions)) {
    if (typeof value === 'function') Object.defineProperty(value, 'name', { value: name });
  }
  return Object.freeze(functions);
}

/**
 * TensorFlow's functions under Python's names: defaults and results are those of Python TensorFlow 2.21.0; keyword
 * arguments are one trailing object. Frozen, so that what a call means cannot change under lowered code.
 */
export const tf = named({
  /**
   * Makes a tensor of `values`.
   *
   * Python's `tf.constant`, except that JavaScript has one number type: numbers become float32 (Python makes integers
   * int32), bigints int64, booleans bool, texts string, `{ re, im }` complex128; typed arrays keep their dtype. Values
   * must fit the dtype exactly, apart from rounding to a float dtype: integers in range, no fraction, no NaN for an
   * integer dtype.
   *
   * With `dtype: 'float16'` or `'bfloat16'` a `Uint16Array` is taken for the bits. With a complex dtype a `Float32Array`
   * or `Float64Array` is taken for (re, im) pairs. With `dtype: 'string'` a `Uint8Array` is the bytes of one string.
   *
   * @throws TfeError `TFE_VALUES_TYPE`, `TFE_VALUES_RAGGED`, `TFE_ARRAYS_TOO_LARGE`, `TFE_VALUE_DOES_NOT_FIT`,
   *   `TFE_VALUES_PAIRS`, `TFE_STRING_LONE_SURROGATE`, `TFE_SHAPE_INVALID`, `TFE_SHAPE_MISMATCH`, `TFE_DTYPE_UNKNOWN`,
   *   `TFE_DTYPE_OPAQUE`, `TFE_OPTION_UNKNOWN`, `TFE_OPTION_VALUE`, `TFE_TENSOR_ALLOCATION`
   * @example
   * tf.constant([[1, 2], [3, 4]]); // Tensor<'float32', 2>
   * tf.constant([1n, 2n]); // Tensor<'int64', 1>
   * tf.constant(new Float32Array(6), { shape: [2, 3] }); // Tensor<'float32', 2>
   * tf.constant(0, { dtype: 'int32', shape: [2, 2] }); // four zeros
   * tf.constant(['a', 'b']); // Tensor<'string', 1>
   * tf.constant({ re: 0, im: 1 }); // Tensor<'complex128', 0>
   */
  constant,
  cast,
  matmul,
  castAsync,
  matmulAsync,
  ...math,
  dtypes: named({ cast, castAsync }),
  linalg: named({ matmul, matmulAsync }),
  math: named(math),
  nn: named(nn),
});
