/**
 * `tf.constant`: JavaScript values to tensors. Everything is checked before a byte is handed to TensorFlow, and the bytes
 * are copied: later changes to the caller's array change no tensor.
 */
import { describeShape, describeValue } from '../describe';
import { tfeError } from '../errors';
import { native } from '../native/loader';
import { isArray, lengthOfArray } from '../objects';
import { checkOptions } from './options';
import {
  DTYPE_NAMES,
  DTYPES,
  isDType,
  lanesOf,
  type Complex,
  type DType,
  type PlainDType,
  type TypedArray,
} from './dtype';
import { packStrings } from './strings';
import type { Tensor } from './tensor';
import { extentOf, sizeOf, tensorOf } from './tensor';
import { allocate, isDim, MAX_RANK, readValues } from './values';

type NumericScalar = number | bigint | boolean | Complex;
type Scalar = NumericScalar | string;
type Carrier = TypedArray | Uint8ClampedArray;

/** A number, bigint, boolean, complex number or text, or arrays of them nested to any depth. */
export type NestedValues = Scalar | readonly NestedValues[];
/** What `tf.constant` takes: nested values, or the typed array of a dtype. */
export type ConstantValues = NestedValues | Carrier;

type NestedNumbers = NumericScalar | readonly NestedNumbers[];
/** What an op with numbers takes in the place of a tensor. */
export type NumericValues = NestedNumbers | Carrier;

/** Texts, or the bytes of strings, or arrays of them nested to any depth. */
export type StringValues = string | Uint8Array | readonly StringValues[];

/** What is at the bottom of nested arrays. Spelled out: a recursive type of values this wide does not end. */
type Leaf<V> = V extends Carrier | Scalar
  ? V
  : V extends readonly (infer A)[]
    ? A extends Scalar
      ? A
      : A extends readonly (infer B)[]
        ? B extends Scalar
          ? B
          : B extends readonly (infer C)[]
            ? C extends Scalar
              ? C
              : C extends readonly (infer E)[]
                ? E extends Scalar
                  ? E
                  : Scalar
                : never
            : never
        : never
    : never;

/** What `tf.constant` makes of values when no dtype is given. */
export type DefaultDType<V> = DTypeOfLeaf<Leaf<V>>;

type DTypeOfLeaf<L> = [L] extends [never]
  ? 'float32'
  : L extends Float64Array
    ? 'float64'
    : L extends Float32Array
      ? 'float32'
      : L extends BigInt64Array
        ? 'int64'
        : L extends BigUint64Array
          ? 'uint64'
          : L extends Int32Array
            ? 'int32'
            : L extends Uint32Array
              ? 'uint32'
              : L extends Int16Array
                ? 'int16'
                : L extends Uint16Array
                  ? 'uint16'
                  : L extends Int8Array
                    ? 'int8'
                    : L extends Uint8Array | Uint8ClampedArray
                      ? 'uint8'
                      : L extends number
                        ? 'float32'
                        : L extends bigint
                          ? 'int64'
                          : L extends boolean
                            ? 'bool'
                            : L extends string
                              ? 'string'
                              : L extends Complex
                                ? 'complex128'
                                : DType;

/** How deeply values are nested: the rank of their tensor; `number` beyond four. */
export type RankOf<V> = V extends Carrier ? 1 : NestingOf<V, Scalar>;

type NestingOf<V, S> = V extends S
  ? 0
  : V extends readonly (infer A)[]
    ? [A] extends [S]
      ? 1
      : A extends readonly (infer B)[]
        ? [B] extends [S]
          ? 2
          : B extends readonly (infer C)[]
            ? [C] extends [S]
              ? 3
              : C extends readonly (infer E)[]
                ? [E] extends [S]
                  ? 4
                  : number
                : number
            : number
        : number
    : number;

/** Options of `tf.constant`. */
export interface ConstantOptions<D extends DType, S extends readonly number[]> {
  /** Default: the carrier's dtype; float32 for numbers, int64 for bigints, bool for booleans, ... */
  readonly dtype?: D;
  /** Default: the nesting of the values. One value fills the whole shape. */
  readonly shape?: S;
}

type GivenRank<S extends readonly number[], Nesting> = S extends readonly [never]
  ? Nesting
  : S['length'];

/** Signature of `tf.constant`: rank from the shape when there is one, else from the nesting of the values. */
export interface Constant {
  <const V extends StringValues, const S extends readonly number[] = readonly [unspecified: never]>(
    values: V,
    options: ConstantOptions<'string', S> & { readonly dtype: 'string' },
  ): Tensor<'string', GivenRank<S, NestingOf<V, string | Uint8Array>>>;
  <
    const V extends ConstantValues,
    D extends DType = DefaultDType<V>,
    const S extends readonly number[] = readonly [unspecified: never],
  >(
    values: V,
    options?: ConstantOptions<D, S>,
  ): Tensor<NoInfer<D>, GivenRank<S, RankOf<V>>>;
}

/** `tf.constant`, documented there. */
export const constant = ((
  values: unknown,
  options: ConstantOptions<DType, readonly number[]> = {},
): Tensor => {
  checkOptions('tf.constant', options, ['dtype', 'shape']);
  // Read once: a getter may answer something else the next time.
  const { dtype, shape } = options;
  if (dtype !== undefined && !isDType(dtype)) {
    throw tfeError('TFE_DTYPE_UNKNOWN', { received: describeValue(dtype), allowed: DTYPE_NAMES });
  }
  return makeConstant(values, dtype, shape === undefined ? undefined : checkedShape(shape));
}) as Constant;

/**
 * `constant` after its options are known to be good. `dtype` undefined: derived from the values, which errors call `name`.
 */
export function makeConstant(
  values: unknown,
  dtype: DType | undefined,
  shape: readonly number[] | undefined,
  name = 'values',
): Tensor {
  const read = readValues(values, dtype, name);
  const finalShape = shape ?? read.shape;
  const elements = sizeOf(finalShape);
  const fills = read.count === 1 && shape !== undefined && elements <= Number.MAX_SAFE_INTEGER;
  if (read.count !== elements && !fills) {
    throw tfeError('TFE_SHAPE_MISMATCH', {
      shape: describeShape(finalShape),
      elements,
      values: read.count,
    });
  }
  const binding = native();
  if (read.dtype === 'string') {
    const { bytes, lengths } = packStrings(read.data);
    binding.scratch.set(finalShape);
    return tensorOf(binding, binding.createStrings(finalShape.length, bytes, lengths));
  }
  const data = read.count === elements ? read.data : newFilled(read.dtype, read.data, elements);
  binding.scratch.set(finalShape);
  return tensorOf(binding, binding.create(DTYPES[read.dtype].tf, finalShape.length, data));
}

/** A carrier full of one value. */
function newFilled(dtype: PlainDType, value: TypedArray, elements: number): TypedArray {
  const filled = allocate(dtype, elements);
  if (lanesOf(dtype) === 1) return (filled as Float32Array).fill(value[0] as number);
  for (let i = 0; i < filled.length; i++) filled[i] = value[i % 2]!;
  return filled;
}

/** A copy, so that what was checked is what is used. */
function checkedShape(shape: unknown): readonly number[] {
  if (isArray(shape)) {
    const length = lengthOfArray(shape);
    if (length >= 0 && length <= MAX_RANK) {
      // Array.from: `every` would skip the holes of a sparse array.
      const dims = Array.from({ length }, (_, axis) => shape[axis]);
      // Also of an empty tensor: TensorFlow multiplies the dims before it comes to the 0.
      if (dims.every(isDim) && extentOf(dims) <= Number.MAX_SAFE_INTEGER) return dims;
    }
  }
  throw tfeError('TFE_SHAPE_INVALID', { received: describeValue(shape) });
}
