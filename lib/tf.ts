/**
 * The Python-named namespace. Each function turns its operands into tensors, checks its options, and hands over to the
 * executor of a core op or to the eager runtime; it has no numbers of its own.
 */
import { coreOp, coreOpAsync, type AsyncOpExecutor, type OpExecutor } from './core-ops/table';
import { normalizeAxis } from './core-ops/operand';
import { describeValue } from './describe';
import { tfeError } from './errors';
import {
  argmax as argmaxFamily,
  biasAdd,
  matmul as matmulFamily,
  softmax as softmaxFamily,
} from './families';
import { signalOption, type AsyncOptions } from './native/off-loop';
import { applyOne, applyOneAsync } from './runtime/default';
import { constant, makeConstant, type ConstantValues, type RankOf } from './tensor/constant';
import type { DType } from './tensor/dtype';
import { booleanOption, checkOptions } from './tensor/options';
import type { BroadcastRank, MatrixRank, ReducedRank } from './tensor/rank';
import { isTensor, type Tensor } from './tensor/tensor';

/** An operand that is not a tensor yet: it takes the dtype of the other operand. */
export type Operand = ConstantValues;

export interface MatmulOptions {
  readonly transpose_a?: boolean;
  readonly transpose_b?: boolean;
  /** Conjugate transpose; the same as `transpose_a` for real numbers. */
  readonly adjoint_a?: boolean;
  readonly adjoint_b?: boolean;
  /** Accepted as in Python; eager ops have no names. */
  readonly name?: string;
}

export interface AxisOptions {
  /** Counted from the front, or from the end when negative. */
  readonly axis?: number;
  readonly name?: string;
}

export interface BiasAddOptions {
  /** `'NHWC'` (default): channels last. `'NCHW'`: channels on axis 1. Or any of Python's `'N...C'`, `'NC...'`. */
  readonly data_format?: string;
  readonly name?: string;
}

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

interface Binary {
  <D extends DType, A extends number, B extends number>(
    x: Tensor<D, A>,
    y: Tensor<NoInfer<D>, B>,
  ): Tensor<D, BroadcastRank<A, B>>;
  <D extends DType, R extends number, const V extends Operand>(
    x: Tensor<D, R>,
    y: V,
  ): Tensor<D, BroadcastRank<R, RankOf<V>>>;
  <D extends DType, R extends number, const V extends Operand>(
    x: V,
    y: Tensor<D, R>,
  ): Tensor<D, BroadcastRank<R, RankOf<V>>>;
  (x: Operand, y: Operand): Tensor;
}

interface Division {
  <D extends DType, A extends number, B extends number>(
    x: Tensor<D, A>,
    y: Tensor<NoInfer<D>, B>,
  ): Tensor<QuotientDType<D>, BroadcastRank<A, B>>;
  <D extends DType, R extends number, const V extends Operand>(
    x: Tensor<D, R>,
    y: V,
  ): Tensor<QuotientDType<D>, BroadcastRank<R, RankOf<V>>>;
  <D extends DType, R extends number, const V extends Operand>(
    x: V,
    y: Tensor<D, R>,
  ): Tensor<QuotientDType<D>, BroadcastRank<R, RankOf<V>>>;
  (x: Operand, y: Operand): Tensor;
}

type UnaryAsync = <D extends DType, R extends number>(
  x: Tensor<D, R>,
  options?: AsyncOptions,
) => Promise<Tensor<D, R>>;

interface BinaryAsync {
  <D extends DType, A extends number, B extends number>(
    x: Tensor<D, A>,
    y: Tensor<NoInfer<D>, B>,
    options?: AsyncOptions,
  ): Promise<Tensor<D, BroadcastRank<A, B>>>;
  <D extends DType, R extends number, const V extends Operand>(
    x: Tensor<D, R>,
    y: V,
    options?: AsyncOptions,
  ): Promise<Tensor<D, BroadcastRank<R, RankOf<V>>>>;
  <D extends DType, R extends number, const V extends Operand>(
    x: V,
    y: Tensor<D, R>,
    options?: AsyncOptions,
  ): Promise<Tensor<D, BroadcastRank<R, RankOf<V>>>>;
  (x: Operand, y: Operand, options?: AsyncOptions): Promise<Tensor>;
}

interface DivisionAsync {
  <D extends DType, A extends number, B extends number>(
    x: Tensor<D, A>,
    y: Tensor<NoInfer<D>, B>,
    options?: AsyncOptions,
  ): Promise<Tensor<QuotientDType<D>, BroadcastRank<A, B>>>;
  <D extends DType, R extends number, const V extends Operand>(
    x: Tensor<D, R>,
    y: V,
    options?: AsyncOptions,
  ): Promise<Tensor<QuotientDType<D>, BroadcastRank<R, RankOf<V>>>>;
  <D extends DType, R extends number, const V extends Operand>(
    x: V,
    y: Tensor<D, R>,
    options?: AsyncOptions,
  ): Promise<Tensor<QuotientDType<D>, BroadcastRank<R, RankOf<V>>>>;
  (x: Operand, y: Operand, options?: AsyncOptions): Promise<Tensor>;
}

/**
 * `value` as a tensor: itself, or a temporary one that is freed when `run` returns. An asynchronous `run` has taken its share of
 * it by then.
 */
function withOperand<T>(value: unknown, dtype: DType | undefined, run: (tensor: Tensor) => T): T {
  if (isTensor(value)) return run(value);
  const temporary = makeConstant(value, dtype, undefined);
  try {
    return run(temporary);
  } finally {
    temporary.dispose();
  }
}

function unary(execute: OpExecutor): Unary {
  return ((x: unknown) => withOperand(x, undefined, (tensor) => execute(tensor))) as Unary;
}

function binary<F>(execute: OpExecutor): F {
  return ((x: unknown, y: unknown): Tensor => {
    // The path of nearly every call, without closures.
    if (isTensor(x) && isTensor(y)) return execute(x, y);
    return withOperand(x, isTensor(y) ? y.dtype : undefined, (left) =>
      withOperand(y, left.dtype, (right) => execute(left, right)),
    );
  }) as F;
}

/** The trailing options of an asynchronous function that has no others. */
function signalAlone(label: string, options: unknown): AsyncOptions {
  if (options === undefined) return {};
  checkOptions(label, options, ['signal']);
  return signalOption(label, options);
}

function unaryAsync(label: string, execute: AsyncOpExecutor): UnaryAsync {
  return (async (x: unknown, options?: unknown) => {
    const signal = signalAlone(label, options);
    return withOperand(x, undefined, (tensor) => execute([tensor], signal));
  }) as UnaryAsync;
}

function binaryAsync<F>(label: string, execute: AsyncOpExecutor): F {
  return (async (x: unknown, y: unknown, options?: unknown) => {
    const signal = signalAlone(label, options);
    return withOperand(x, isTensor(y) ? y.dtype : undefined, (left) =>
      withOperand(y, left.dtype, (right) => execute([left, right], signal)),
    );
  }) as F;
}

/**
 * Rectified linear unit, `max(x, 0)`, elementwise. Any dtype but bool, any rank; same shape. TensorFlow op `Relu`.
 * @throws TfeError `TFE_OP_DTYPE`, `TFE_TENSOR_DISPOSED`
 * @example tf.nn.relu(tf.constant([-1, 2])).dataSync(); // [0, 2]
 */
const relu: Unary = unary(coreOp('relu'));
/** {@link relu} off the event loop. @throws TfeError as a rejection, also `TFE_QUEUE_FULL` */
const reluAsync: UnaryAsync = unaryAsync('tf.nn.reluAsync', coreOpAsync('relu'));

/**
 * Hyperbolic tangent, elementwise. float32 or float64, any rank; same shape. TensorFlow op `Tanh`.
 * @throws TfeError `TFE_OP_DTYPE`, `TFE_TENSOR_DISPOSED`
 * @example tf.nn.tanh(tf.constant([0])).dataSync(); // [0]
 */
const tanh: Unary = unary(coreOp('tanh'));
/** {@link tanh} off the event loop. @throws TfeError as a rejection, also `TFE_QUEUE_FULL` */
const tanhAsync: UnaryAsync = unaryAsync('tf.nn.tanhAsync', coreOpAsync('tanh'));

/**
 * Logistic function, `1 / (1 + exp(-x))`, elementwise. float32 or float64, any rank; same shape. TensorFlow op `Sigmoid`.
 * @throws TfeError `TFE_OP_DTYPE`, `TFE_TENSOR_DISPOSED`
 * @example tf.nn.sigmoid(tf.constant([0])).dataSync(); // [0.5]
 */
const sigmoid: Unary = unary(coreOp('sigmoid'));
/** {@link sigmoid} off the event loop. @throws TfeError as a rejection, also `TFE_QUEUE_FULL` */
const sigmoidAsync: UnaryAsync = unaryAsync('tf.nn.sigmoidAsync', coreOpAsync('sigmoid'));

/**
 * Cosine of an angle in radians, elementwise. float32 or float64, any rank; same shape. TensorFlow op `Cos`.
 * @throws TfeError `TFE_OP_DTYPE`, `TFE_TENSOR_DISPOSED`
 * @example tf.cos(tf.constant([0])).dataSync(); // [1]
 */
const cos: Unary = unary(coreOp('cos'));
/** {@link cos} off the event loop. @throws TfeError as a rejection, also `TFE_QUEUE_FULL` */
const cosAsync: UnaryAsync = unaryAsync('tf.cosAsync', coreOpAsync('cos'));

/**
 * Sum, elementwise with broadcasting. Both operands of one dtype (any but bool); a number or array takes the dtype of
 * the other operand. Integers wrap around. TensorFlow op `AddV2`.
 * @throws TfeError `TFE_OP_DTYPE_MISMATCH`, `TFE_OP_DTYPE`, `TFE_OP_FAILED` (shapes that do not broadcast),
 *   `TFE_TENSOR_DISPOSED`
 * @example tf.add(tf.constant([1, 2]), 10).dataSync(); // [11, 12]
 */
const add: Binary = binary(coreOp('add'));
/** {@link add} off the event loop. @throws TfeError as a rejection, also `TFE_QUEUE_FULL` */
const addAsync: BinaryAsync = binaryAsync('tf.addAsync', coreOpAsync('add'));

/** Difference; otherwise as {@link add}. TensorFlow op `Sub`. @example tf.subtract(tf.constant([3]), 1).dataSync(); // [2] */
const subtract: Binary = binary(coreOp('subtract'));
/** {@link subtract} off the event loop. @throws TfeError as a rejection, also `TFE_QUEUE_FULL` */
const subtractAsync: BinaryAsync = binaryAsync('tf.subtractAsync', coreOpAsync('subtract'));

/** Product, elementwise; otherwise as {@link add}. TensorFlow op `Mul`. @example tf.multiply(tf.constant([3]), 2).dataSync(); // [6] */
const multiply: Binary = binary(coreOp('multiply'));
/** {@link multiply} off the event loop. @throws TfeError as a rejection, also `TFE_QUEUE_FULL` */
const multiplyAsync: BinaryAsync = binaryAsync('tf.multiplyAsync', coreOpAsync('multiply'));

/**
 * Python's true division: integers are divided as float64 (float32 for 8 and 16 bits); `x / 0` is an infinity or NaN.
 * Otherwise as {@link add}. TensorFlow ops `Cast` and `RealDiv`.
 * @example tf.divide(tf.constant([1n]), 2n).dataSync(); // Float64Array [0.5]
 */
const divide: Division = binary(coreOp('divide'));
/** {@link divide} off the event loop. @throws TfeError as a rejection, also `TFE_QUEUE_FULL` */
const divideAsync: DivisionAsync = binaryAsync('tf.divideAsync', coreOpAsync('divide'));

const MATMUL_OPTIONS = ['transpose_a', 'transpose_b', 'adjoint_a', 'adjoint_b', 'name'];
const PLAIN_MATMUL = matmulFamily.op({ transposeA: false, transposeB: false });

/**
 * Matrix product of the last two axes; leading axes are batch axes and broadcast. `[..., m, k]` by `[..., k, n]` gives
 * `[..., m, n]`. float32, float64, int32 or int64. Extension family `tfe-node.matmul.v1`.
 *
 * @throws TfeError `TFE_OP_RANK` below rank 2, `TFE_EXTENSION_SHAPE` when k differs, `TFE_OP_SHAPE` when batch axes do
 *   not broadcast, `TFE_OP_DTYPE`, `TFE_OP_DTYPE_MISMATCH`, `TFE_OPTION_UNKNOWN`, `TFE_OPTION_VALUE`, `TFE_TENSOR_DISPOSED`
 * @example tf.matmul(tf.constant([[1, 2]]), tf.constant([[3], [4]])).arraySync(); // [[11]]
 */
function matmul<D extends DType, A extends number, B extends number>(
  a: Tensor<D, A> & (MatrixRank<A> extends never ? never : unknown),
  b: Tensor<NoInfer<D>, B> & (MatrixRank<B> extends never ? never : unknown),
  options?: MatmulOptions,
): Tensor<D, BroadcastRank<A, B>> {
  const op = options === undefined ? PLAIN_MATMUL : matmulOp(options);
  const result = isTensor(a)
    ? withOperand(b, a.dtype, (right) => applyOne(op, [a, right]))
    : withOperand(a, isTensor(b) ? (b as Tensor).dtype : undefined, (left) =>
        withOperand(b, left.dtype, (right) => applyOne(op, [left, right])),
      );
  return result as Tensor<D, BroadcastRank<A, B>>;
}

/** {@link matmul} off the event loop. @throws TfeError as a rejection, also `TFE_QUEUE_FULL` */

async function matmulAsync<D extends DType, A extends number, B extends number>(
  a: Tensor<D, A> & (MatrixRank<A> extends never ? never : unknown),
  b: Tensor<NoInfer<D>, B> & (MatrixRank<B> extends never ? never : unknown),
  options?: MatmulOptions & AsyncOptions,
): Promise<Tensor<D, BroadcastRank<A, B>>> {
  const label = 'tf.matmulAsync';
  const op =
    options === undefined ? PLAIN_MATMUL : matmulOp(options, label, withSignal(MATMUL_OPTIONS));
  const signal = signalOption(label, options);
  return withOperand(a, isTensor(b) ? (b as Tensor).dtype : undefined, (left) =>
    withOperand(b, left.dtype, (right) => applyOneAsync(op, [left, right], signal)),
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
 * Adds the vector `bias` (rank 1) to the channel axis of `value` (rank 2 or more). Any dtype but bool; shape of
 * `value`. Extension family `tfe-node.bias_add.v1`.
 *
 * @throws TfeError `TFE_OP_RANK`, `TFE_EXTENSION_SHAPE` when the channels differ, `TFE_OP_DTYPE_MISMATCH`,
 *   `TFE_OPTION_VALUE`, `TFE_OPTION_UNKNOWN`, `TFE_TENSOR_DISPOSED`
 * @example tf.nn.bias_add(tf.constant([[1, 2]]), tf.constant([10, 20])).arraySync(); // [[11, 22]]
 */
function biasAddOp<D extends DType, R extends number>(
  value: Tensor<D, R>,
  bias: Tensor<NoInfer<D>, 1>,
  options?: BiasAddOptions,
): Tensor<D, R> {
  const op = options === undefined || channelsLast(options) ? CHANNELS_LAST : CHANNELS_FIRST;
  return withOperand(value, undefined, (left) =>
    withOperand(bias, left.dtype, (right) => applyOne(op, [left, right])),
  ) as Tensor<D, R>;
}

/** {@link biasAddOp} off the event loop. @throws TfeError as a rejection, also `TFE_QUEUE_FULL` */

async function biasAddAsync<D extends DType, R extends number>(
  value: Tensor<D, R>,
  bias: Tensor<NoInfer<D>, 1>,
  options?: BiasAddOptions & AsyncOptions,
): Promise<Tensor<D, R>> {
  const label = 'tf.nn.bias_addAsync';
  const last = options === undefined || channelsLast(options, label, withSignal(BIAS_ADD_OPTIONS));
  const signal = signalOption(label, options);
  return withOperand(value, undefined, (left) =>
    withOperand(bias, left.dtype, (right) =>
      applyOneAsync(last ? CHANNELS_LAST : CHANNELS_FIRST, [left, right], signal),
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
 * Softmax along one axis (default: the last): `exp(x) / sum(exp(x))`. float32 or float64, rank 1 or more; same shape.
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
  return withOperand(logits, undefined, (x) => {
    const front = axisOf('tf.nn.softmax', axis, SOFTMAX_OPTIONS, -1, x.rank);
    return applyOne(softmaxFamily.op({ axis: front }), [x]);
  }) as Tensor<D, R>;
}

/**
 * {@link softmax} off the event loop; `options` where the axis is a number.
 * @throws TfeError as a rejection, also `TFE_QUEUE_FULL`
 */

async function softmaxAsync<D extends DType, R extends number>(
  logits: Tensor<D, R>,
  axis?: number | (AxisOptions & AsyncOptions),
  options?: AsyncOptions,
): Promise<Tensor<D, R>> {
  const label = 'tf.nn.softmaxAsync';
  const signal = signalBeside(label, axis, options);
  return withOperand(logits, undefined, (x) => {
    const front = axisOf(label, axis, withSignal(SOFTMAX_OPTIONS), -1, x.rank);
    return applyOneAsync(softmaxFamily.op({ axis: front }), [x], signal);
  }) as Promise<Tensor<D, R>>;
}

/** The signal, in the options that hold the axis or in those after it. */
function signalBeside(label: string, axis: unknown, options: unknown): AsyncOptions {
  return typeof axis === 'object' && axis !== null && options === undefined
    ? signalOption(label, axis)
    : signalAlone(label, options);
}

const ARGMAX_OPTIONS = ['axis', 'output_type', 'name'];

/**
 * Index of the largest value along one axis (default 0); that axis is gone from the shape. Any dtype, rank 1 or more;
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
  return withOperand(input, undefined, (x) => {
    const front = axisOf('tf.argmax', axis, ARGMAX_OPTIONS, 0, x.rank);
    const outputType = outputTypeOf(axis);
    return applyOne(argmaxFamily.op({ axis: front, outputType }), [x]);
  }) as Tensor<O, ReducedRank<R>>;
}

/**
 * {@link argmax} off the event loop; `options` where the axis is a number.
 * @throws TfeError as a rejection, also `TFE_QUEUE_FULL`
 */

async function argmaxAsync<R extends number, O extends 'int32' | 'int64' = 'int64'>(
  input: Tensor<DType, R>,
  axis?: number | (ArgmaxOptions<O> & AsyncOptions),
  options?: AsyncOptions,
): Promise<Tensor<O, ReducedRank<R>>> {
  const label = 'tf.argmaxAsync';
  const signal = signalBeside(label, axis, options);
  return withOperand(input, undefined, (x) => {
    const front = axisOf(label, axis, withSignal(ARGMAX_OPTIONS), 0, x.rank);
    const outputType = outputTypeOf(axis, label);
    return applyOneAsync(argmaxFamily.op({ axis: front, outputType }), [x], signal);
  }) as Promise<Tensor<O, ReducedRank<R>>>;
}

function outputTypeOf(axis: unknown, label = 'tf.argmax'): 'int32' | 'int64' {
  const given =
    typeof axis === 'object' && axis !== null
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
 * TensorFlow's functions under Python's names: defaults and results are those of Python TensorFlow 2.21.0; keyword
 * arguments are one trailing object. Frozen, so that what a call means cannot change under lowered code.
 */
export const tf = Object.freeze({
  constant,
  matmul,
  matmulAsync,
  argmax,
  argmaxAsync,
  add,
  addAsync,
  subtract,
  subtractAsync,
  multiply,
  multiplyAsync,
  divide,
  divideAsync,
  cos,
  cosAsync,
  tanh,
  tanhAsync,
  sigmoid,
  sigmoidAsync,
  linalg: Object.freeze({ matmul, matmulAsync }),
  math: Object.freeze({
    add,
    addAsync,
    subtract,
    subtractAsync,
    multiply,
    multiplyAsync,
    divide,
    divideAsync,
    argmax,
    argmaxAsync,
    cos,
    cosAsync,
    tanh,
    tanhAsync,
    sigmoid,
    sigmoidAsync,
  }),
  nn: Object.freeze({
    relu,
    reluAsync,
    tanh,
    tanhAsync,
    sigmoid,
    sigmoidAsync,
    softmax,
    softmaxAsync,
    bias_add: biasAddOp,
    bias_addAsync: biasAddAsync,
  }),
});
