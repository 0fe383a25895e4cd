/**
 * JavaScript values to the data of a tensor: what they are, and whether they fit the dtype. Everything is checked before
 * a byte is handed to TensorFlow.
 */
import { types } from 'node:util';
import { describeShape, describeValue } from '../describe';
import { tfeError } from '../errors';
import { describeLength, isArray, isObject, lengthOfArray } from '../objects';
import {
  DTYPES,
  lanesOf,
  newCarrier,
  type CarrierOf,
  type Complex,
  type DType,
  type PlainDType,
  type TypedArray,
} from './dtype';
import { toHalves, type HalfDType } from './half';
import { MAX_ENTRIES } from './readback';
import type { Text } from './strings';
import { extentOf, isTensor } from './tensor';
import { bufferOf, byteOffsetOf, hasMemory, lengthOf, tagOf } from './typed-array';

export const MAX_RANK = 254;

export function isDim(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

type Element = number | bigint | boolean | Complex | Text;

interface PlainValues {
  readonly dtype: PlainDType;
  readonly data: TypedArray;
  /** Elements of the tensor in `data`. */
  readonly count: number;
  readonly shape: readonly number[];
}

interface StringValues {
  readonly dtype: 'string';
  readonly data: readonly Text[];
  readonly count: number;
  readonly shape: readonly number[];
}

/** `dtype` undefined: derived from the values. Errors call them `name`, an argument of the caller's. */
export function readValues(
  values: unknown,
  dtype: DType | undefined,
  name: string,
): PlainValues | StringValues {
  if (dtype !== undefined && DTYPES[dtype].kind === 'opaque') {
    throw tfeError('TFE_DTYPE_OPAQUE', { use: 'tf.constant', dtype });
  }
  // The bytes of one string, not a vector.
  if (dtype === 'string' && types.isUint8Array(values))
    return strings([requireText(values, 0, name)], []);
  const carried = carrierDType(values);
  if (carried !== undefined) {
    requireMemory(values as TypedArray, name);
    return readTyped(values as TypedArray, carried, dtype ?? carried);
  }
  const shape = nestedShape(values, name);
  if (extentOf(shape) > MAX_ENTRIES) {
    throw tfeError('TFE_ARRAYS_TOO_LARGE', { shape: describeShape(shape), limit: MAX_ENTRIES });
  }
  const flat: Element[] = [];
  flatten(values, shape, 0, name, dtype === 'string', flat);
  const target = dtype ?? dtypeOfElements(flat);
  if (target === 'string') {
    const texts = flat.map((value, index) => requireText(value, index, name));
    return strings(texts, shape);
  }
  return plain(target as PlainDType, convert(flat, flat.length, target as PlainDType), shape);
}

function strings(data: readonly Text[], shape: readonly number[]): StringValues {
  return { dtype: 'string', data, count: data.length, shape };
}

function plain(dtype: PlainDType, data: TypedArray, shape?: readonly number[]): PlainValues {
  const count = lengthOf(data) / lanesOf(dtype);
  return { dtype, data, count, shape: shape ?? [count] };
}

function readTyped(array: TypedArray, carried: PlainDType, dtype: DType): PlainValues {
  if (dtype === 'string') refuse(array, 0, dtype);
  const length = lengthOf(array);
  const target = dtype as PlainDType;
  switch (DTYPES[target].kind) {
    case 'complex':
      return plain(target, pairs(array, carried, target));
    case 'half':
      // Halves have no typed array of their own in Node 20: 16-bit integers are their bits.
      if (carried === 'uint16') return plain(target, array);
      break;
    case 'bool':
      if (carried === 'uint8') {
        const bytes = array as Uint8Array;
        for (let i = 0; i < length; i++) if (bytes[i]! > 1) refuse(bytes[i], i, 'bool');
        return plain(target, bytes);
      }
      break;
  }
  if (carried === target) return plain(target, carried === 'float16' ? halfBits(array) : array);
  return plain(target, convert(array, length, target));
}

/** The bits of a Float16Array. */
function halfBits(array: TypedArray): Uint16Array {
  return new Uint16Array(bufferOf(array), byteOffsetOf(array), lengthOf(array));
}

/** (re, im) pairs in the precision of the dtype. */
function pairs(array: TypedArray, carried: DType, dtype: PlainDType): TypedArray {
  const length = lengthOf(array);
  if (DTYPES[carried].kind !== 'float' || length % 2 !== 0) {
    throw tfeError('TFE_VALUES_PAIRS', { dtype, received: describeValue(array) });
  }
  const wanted = dtype === 'complex64' ? 'float32' : 'float64';
  return carried === wanted ? array : convert(array, length, wanted);
}

const CARRIED: Readonly<Partial<Record<string, PlainDType>>> = {
  Float32Array: 'float32',
  Float64Array: 'float64',
  Float16Array: 'float16', // Node 24
  BigInt64Array: 'int64',
  BigUint64Array: 'uint64',
  Int32Array: 'int32',
  Uint32Array: 'uint32',
  Int16Array: 'int16',
  Uint16Array: 'uint16',
  Int8Array: 'int8',
  Uint8Array: 'uint8', // and Node's Buffer
  Uint8ClampedArray: 'uint8',
};

/** By internal slot, so that typed arrays of another realm (jest, vm) are recognised and look-alikes are not. */
function carrierDType(values: unknown): PlainDType | undefined {
  if (!ArrayBuffer.isView(values)) return undefined;
  const tag = tagOf(values);
  return tag === undefined ? undefined : CARRIED[tag];
}

/** The shape that the first element of every level says; `flatten` holds the others against it. */
function nestedShape(values: unknown, name: string): number[] {
  const shape: number[] = [];
  let level = values;
  while (isArray(level)) {
    // A cyclic array would nest for ever; no tensor has more dims than this.
    if (shape.length === MAX_RANK) refuseType(values, name);
    const length = lengthOfArray(level);
    if (length < 0) refuseType(values, name);
    shape.push(length);
    level = level[0];
  }
  return shape;
}

function flatten(
  values: unknown,
  shape: readonly number[],
  axis: number,
  path: string,
  bytes: boolean,
  flat: Element[],
): void {
  if (axis === shape.length) {
    const element = bytes && types.isUint8Array(values) ? values : scalarOf(values);
    if (element !== undefined) {
      flat.push(element);
      return;
    }
    if (isArray(values)) {
      refuseRagged(path, 'a value', describeLength(lengthOfArray(values)));
    }
    refuseType(values, path);
  }
  const length = shape[axis]!;
  if (!isArray(values)) {
    if (axis === 0 || scalarOf(values) !== undefined) {
      refuseRagged(path, describeLength(length), describeValue(values));
    }
    refuseType(values, path);
  }
  const found = lengthOfArray(values);
  if (found !== length) refuseRagged(path, describeLength(length), describeLength(found));
  for (let i = 0; i < length; i++)
    flatten(values[i], shape, axis + 1, `${path}[${i}]`, bytes, flat);
}

/** The value by itself; undefined for what is none. A complex number is copied: a getter may answer something else later. */
function scalarOf(value: unknown): Exclude<Element, Uint8Array> | undefined {
  switch (typeof value) {
    case 'number':
    case 'bigint':
    case 'boolean':
    case 'string':
      return value;
    case 'object': {
      if (!isObject(value) || isTensor(value)) return undefined;
      const { re, im } = value as { re?: unknown; im?: unknown };
      return typeof re === 'number' && typeof im === 'number' ? { re, im } : undefined;
    }
    default:
      return undefined;
  }
}

function isComplex(value: Element): value is Complex {
  return typeof value === 'object' && !types.isUint8Array(value);
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

/** float32 for numbers (and for nothing at all, as in Python); the others as in Python. */
function dtypeOfElements(flat: readonly Element[]): DType {
  switch (typeof flat[0]) {
    case 'bigint':
      return 'int64';
    case 'boolean':
      return 'bool';
    case 'string':
      return 'string';
    case 'object':
      return 'complex128';
    default:
      return 'float32';
  }
}

function refuse(value: unknown, index: number, dtype: DType): never {
  throw tfeError('TFE_VALUE_DOES_NOT_FIT', { value: describeValue(value), index, dtype });
}

function requireText(value: Element, index: number, name: string): Text {
  if (typeof value === 'string') return value;
  if (!types.isUint8Array(value)) return refuse(value, index, 'string');
  requireMemory(value, name);
  return value;
}

function requireMemory(array: ArrayBufferView, name: string): void {
  if (hasMemory(array)) return;
  throw tfeError('TFE_VALUES_TYPE', {
    path: name,
    received: 'a typed array whose buffer is detached or too short for it',
  });
}

/** A carrier of as many elements as the caller asked for: too many are an error of ours. */
export function allocate<D extends PlainDType>(dtype: D, elements: number): CarrierOf[D] {
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

/** Copies elements into the dtype's carrier; each must fit. */
function convert(values: ArrayLike<Element>, count: number, dtype: PlainDType): TypedArray {
  const row = DTYPES[dtype];
  // Through float32, as Python does: its numbers are rounded to float32 first, too.
  if (row.kind === 'half') {
    return toHalves(dtype as HalfDType, floats(values, count, dtype, 'float32') as Float32Array);
  }
  if (row.kind === 'float') return floats(values, count, dtype, dtype as 'float32' | 'float64');
  const data = allocate(dtype, count);
  for (let i = 0; i < count; i++) {
    const value = values[i]!;
    switch (row.kind) {
      case 'bool':
        if (typeof value !== 'boolean') refuse(value, i, dtype);
        (data as Uint8Array)[i] = value ? 1 : 0;
        break;
      case 'int': {
        const number = typeof value === 'bigint' ? Number(value) : value;
        if (typeof number !== 'number' || !Number.isInteger(number)) refuse(value, i, dtype);
        if (number < row.range[0] || number > row.range[1]) refuse(value, i, dtype);
        (data as Int32Array)[i] = number;
        break;
      }
      case 'bigint': {
        if (typeof value !== 'bigint' && !Number.isSafeInteger(value)) refuse(value, i, dtype);
        const big = BigInt(value as number | bigint);
        if (big < row.range[0] || big > row.range[1]) refuse(value, i, dtype);
        (data as BigInt64Array)[i] = big;
        break;
      }
      case 'complex': {
        const complex = typeof value === 'number' ? { re: value, im: 0 } : value;
        if (!isComplex(complex)) refuse(value, i, dtype);
        (data as Float64Array)[2 * i] = complex.re;
        (data as Float64Array)[2 * i + 1] = complex.im;
        break;
      }
    }
  }
  return data;
}

function floats(
  values: ArrayLike<Element>,
  count: number,
  dtype: DType,
  precision: 'float32' | 'float64',
): Float32Array | Float64Array {
  const data = allocate(precision, count);
  for (let i = 0; i < count; i++) {
    const value = values[i]!;
    if (typeof value !== 'number') refuse(value, i, dtype);
    data[i] = value;
  }
  return data;
}
