/**
 * JavaScript values to tensors: what they are, whether they fit the dtype and the shape. Everything is checked before
 * a byte is handed to TensorFlow, and the bytes are copied: later changes to the caller's array change no tensor.
 */
import { types } from 'node:util';
import { describeShape, describeValue } from '../describe';
import { tfeError } from '../errors';
import { native } from '../native/loader';
import { checkOptions } from './options';
import {
  DTYPE_NAMES,
  DTYPES,
  isDType,
  newCarrier,
  type DataOf,
  type DType,
  type TypedArray,
} from './dtype';
import type { Tensor } from './tensor';
import { extentOf, isTensor, MAX_ENTRIES, sizeOf, tensorOf } from './tensor';

type Scalar = number | bigint | boolean;
type Carrier = TypedArray | Uint8ClampedArray;

/** A number, bigint or boolean, or arrays of them nested to any depth. */
export type NestedValues = Scalar | readonly NestedValues[];
/** What `tf.constant` takes: nested values, or the typed array of a dtype. */
export type ConstantValues = NestedValues | Carrier;

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
                            : DType;

/** How deeply values are nested: the rank of their tensor; `number` beyond four. */
export type RankOf<V> = V extends Carrier
  ? 1
  : V extends Scalar
    ? 0
    : V extends readonly (infer A)[]
      ? [A] extends [Scalar]
        ? 1
        : A extends readonly (infer B)[]
          ? [B] extends [Scalar]
            ? 2
            : B extends readonly (infer C)[]
              ? [C] extends [Scalar]
                ? 3
                : C extends readonly (infer E)[]
                  ? [E] extends [Scalar]
                    ? 4
                    : number
                  : number
              : number
          : number
      : number;

/** Options of `tf.constant`. */
export interface ConstantOptions<D extends DType, S extends readonly number[]> {
  /** Default: the carrier's dtype; float32 for numbers, int64 for bigints, bool for booleans. */
  readonly dtype?: D;
  /** Default: the nesting of the values. One value fills the whole shape. */
  readonly shape?: S;
}

const MAX_RANK = 254;

/** Signature of `tf.constant`: rank from the shape when there is one, else from the nesting of the values. */
export type Constant = <
  const V extends ConstantValues,
  D extends DType = DefaultDType<V>,
  const S extends readonly number[] = readonly [unspecified: never],
>(
  values: V,
  options?: ConstantOptions<D, S>,
) => Tensor<NoInfer<D>, S extends readonly [never] ? RankOf<V> : S['length']>;

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

/** `constant` after its options are known to be good. `dtype` undefined: derived from the values. */
export function makeConstant(
  values: unknown,
  dtype: DType | undefined,
  shape: readonly number[] | undefined,
): Tensor {
  const read = readValues(values, dtype);
  const finalShape = shape ?? read.shape;
  const elements = sizeOf(finalShape);
  let { data } = read;
  const count = lengthOf(data);
  if (count !== elements) {
    if (count !== 1 || shape === undefined || elements > Number.MAX_SAFE_INTEGER) {
      throw tfeError('TFE_SHAPE_MISMATCH', {
        shape: describeShape(finalShape),
        elements,
        values: count,
      });
    }
    const filled = newFilled(read.dtype, elements);
    (filled as Float32Array).fill(data[0] as never);
    data = filled;
  }
  const binding = native();
  binding.scratch.set(finalShape);
  const id = binding.create(DTYPES[read.dtype].tf, finalShape.length, data);
  return tensorOf(binding, id);
}

/** A carrier of a size that the caller's shape asked for: too large a one is an error of ours, not a RangeError. */
function newFilled(dtype: DType, elements: number): TypedArray {
  try {
    return newCarrier(dtype, elements);
  } catch (cause) {
    throw tfeError(
      'TFE_TENSOR_ALLOCATION',
      { bytes: String(elements * DTYPES[dtype].bytes) },
      { cause },
    );
  }
}

/** A copy, so that what was checked is what is used. */
function checkedShape(shape: unknown): readonly number[] {
  if (Array.isArray(shape)) {
    const { length } = shape;
    if (isDim(length) && length <= MAX_RANK) {
      // Array.from: `every` would skip the holes of a sparse array.
      const dims = Array.from({ length }, (_, axis) => (shape as unknown[])[axis]);
      if (dims.every(isDim)) return dims;
    }
  }
  throw tfeError('TFE_SHAPE_INVALID', { received: describeValue(shape) });
}

function isDim(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

const TYPED_ARRAY = Object.getPrototypeOf(Uint8Array.prototype) as object;

/** By internal slot: a subclass may have a `length` of its own. */
function lengthOf(array: Carrier): number {
  return Reflect.get(TYPED_ARRAY, 'length', array) as number;
}

/** A typed array without memory looks like an empty one. */
function requireMemory(array: Carrier): void {
  try {
    Uint8Array.prototype.keys.call(array as Uint8Array);
  } catch {
    throw tfeError('TFE_VALUES_TYPE', {
      path: '',
      received: 'a typed array whose buffer is detached or too short for it',
    });
  }
}

interface ReadValues {
  readonly data: TypedArray;
  readonly dtype: DType;
  readonly shape: readonly number[];
}

function readValues(values: unknown, dtype: DType | undefined): ReadValues {
  const carried = carrierDType(values);
  if (carried !== undefined) {
    const array = values as Carrier;
    const shape = [lengthOf(array)];
    if (shape[0] === 0) requireMemory(array);
    // Uint8ClampedArray and Node's Buffer have uint8's bytes; bool is carried by bytes of 0 and 1.
    if (dtype === undefined || dtype === carried) {
      return { data: array as TypedArray, dtype: carried, shape };
    }
    if (dtype === 'bool' && carried === 'uint8') {
      const bytes = array as Uint8Array;
      for (let i = 0; i < shape[0]!; i++) if (bytes[i]! > 1) refuse(bytes[i], i, 'bool');
      return { data: bytes, dtype, shape };
    }
    return { data: convert(array, shape[0]!, dtype), dtype, shape };
  }
  const shape = nestedShape(values);
  if (extentOf(shape) > MAX_ENTRIES) {
    throw tfeError('TFE_ARRAYS_TOO_LARGE', { shape: describeShape(shape), limit: MAX_ENTRIES });
  }
  const flat: Scalar[] = [];
  flatten(values, shape, 0, '', flat);
  const target = dtype ?? dtypeOfScalars(flat);
  return { data: convert(flat, flat.length, target), dtype: target, shape };
}

/** By internal slot, so that typed arrays of another realm (jest, vm) are recognised and look-alikes are not. */
function carrierDType(values: unknown): DType | undefined {
  if (!ArrayBuffer.isView(values)) return undefined;
  if (types.isFloat32Array(values)) return 'float32';
  if (types.isFloat64Array(values)) return 'float64';
  if (types.isBigInt64Array(values)) return 'int64';
  if (types.isBigUint64Array(values)) return 'uint64';
  if (types.isInt32Array(values)) return 'int32';
  if (types.isUint32Array(values)) return 'uint32';
  if (types.isInt16Array(values)) return 'int16';
  if (types.isUint16Array(values)) return 'uint16';
  if (types.isInt8Array(values)) return 'int8';
  if (types.isUint8Array(values) || types.isUint8ClampedArray(values)) return 'uint8';
  return undefined;
}

/** The shape that the first element of every level says; `flatten` holds the others against it. */
function nestedShape(values: unknown): number[] {
  const shape: number[] = [];
  let level = values;
  while (Array.isArray(level)) {
    // A cyclic array would nest for ever; no tensor has more dims than this.
    if (shape.length === MAX_RANK) refuseType(values, '');
    const { length } = level;
    // A proxy of an array may say anything.
    if (!isDim(length)) refuseType(values, '');
    shape.push(length);
    level = (level as unknown[])[0];
  }
  return shape;
}

function flatten(
  values: unknown,
  shape: readonly number[],
  axis: number,
  path: string,
  flat: Scalar[],
): void {
  if (axis === shape.length) {
    if (isScalar(values)) {
      flat.push(values);
      return;
    }
    if (Array.isArray(values)) refuseRagged(path, 'a value', `an array of ${values.length}`);
    refuseType(values, path);
  }
  const length = shape[axis]!;
  if (!Array.isArray(values)) {
    if (path === '' || isScalar(values)) {
      refuseRagged(path, `an array of ${length}`, describeValue(values));
    }
    refuseType(values, path);
  }
  const level = values as unknown[];
  if (level.length !== length) {
    refuseRagged(path, `an array of ${length}`, `an array of ${level.length}`);
  }
  for (let i = 0; i < length; i++) flatten(level[i], shape, axis + 1, `${path}[${i}]`, flat);
}

function isScalar(value: unknown): value is Scalar {
  return typeof value === 'number' || typeof value === 'bigint' || typeof value === 'boolean';
}

function refuseRagged(path: string, expected: string, received: string): never {
  throw tfeError('TFE_VALUES_RAGGED', { path, expected, received });
}

function refuseType(value: unknown, path: string): never {
  throw tfeError('TFE_VALUES_TYPE', {
    path,
    received: isTensor(value) ? 'a Tensor' : describeValue(value),
  });
}

/** float32 for numbers (and for nothing at all, as in Python), int64 for bigints, bool for booleans. */
function dtypeOfScalars(flat: readonly Scalar[]): DType {
  const first = typeof flat[0];
  if (first === 'bigint') return 'int64';
  if (first === 'boolean') return 'bool';
  return 'float32';
}

function refuse(value: unknown, index: number, dtype: DType): never {
  throw tfeError('TFE_VALUE_DOES_NOT_FIT', { value: describeValue(value), index, dtype });
}

/** Copies values into the dtype's carrier; each must fit. */
function convert(values: ArrayLike<Scalar>, count: number, dtype: DType): TypedArray {
  const data = newFilled(dtype, count);
  const row = DTYPES[dtype];
  for (let i = 0; i < count; i++) {
    const value = values[i]!;
    switch (row.kind) {
      case 'float':
        if (typeof value !== 'number') refuse(value, i, dtype);
        (data as DataOf<'float32'>)[i] = value;
        break;
      case 'bool':
        if (typeof value !== 'boolean') refuse(value, i, dtype);
        (data as DataOf<'bool'>)[i] = value ? 1 : 0;
        break;
      case 'int': {
        const number = typeof value === 'bigint' ? Number(value) : value;
        if (typeof number !== 'number' || !Number.isInteger(number)) refuse(value, i, dtype);
        if (number < row.range[0] || number > row.range[1]) refuse(value, i, dtype);
        (data as DataOf<'int32'>)[i] = number;
        break;
      }
      case 'bigint': {
        if (typeof value === 'boolean') refuse(value, i, dtype);
        if (typeof value === 'number' && !Number.isSafeInteger(value)) refuse(value, i, dtype);
        const big = BigInt(value);
        if (big < row.range[0] || big > row.range[1]) refuse(value, i, dtype);
        (data as DataOf<'int64'>)[i] = big;
        break;
      }
    }
  }
  return data;
}
