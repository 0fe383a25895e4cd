/**
 * The dtypes that tensors can have here, as one table: TensorFlow's number, bytes per element, how JavaScript writes the
 * values. native/dtype.cc mirrors it; a test walks both.
 */
import { constants } from 'node:buffer';

/**
 * How a value is written: `half` (float16, bfloat16) as a number or by its bits, `complex` as `{ re, im }`. `opaque` dtypes
 * hold nothing that JavaScript could write or read; their tensors are passed on and freed.
 */
export type DTypeKind =
  'float' | 'half' | 'int' | 'bigint' | 'bool' | 'complex' | 'string' | 'opaque';

interface DTypeRow {
  /** TF_DataType. */
  readonly tf: number;
  /** Bytes per element; 0 where an element is not plain bytes. */
  readonly bytes: number;
  readonly kind: DTypeKind;
  /** Smallest and largest integer; absent for all but integers. */
  readonly range?: readonly [min: number, max: number] | readonly [min: bigint, max: bigint];
  /** What Python's true division answers for two tensors of this dtype. */
  readonly quotient: string | null;
}

export const DTYPES = {
  float32: { tf: 1, bytes: 4, kind: 'float', quotient: 'float32' },
  float64: { tf: 2, bytes: 8, kind: 'float', quotient: 'float64' },
  float16: { tf: 19, bytes: 2, kind: 'half', quotient: 'float16' },
  bfloat16: { tf: 14, bytes: 2, kind: 'half', quotient: 'bfloat16' },
  int8: { tf: 6, bytes: 1, kind: 'int', range: [-128, 127], quotient: 'float32' },
  int16: { tf: 5, bytes: 2, kind: 'int', range: [-32768, 32767], quotient: 'float32' },
  int32: { tf: 3, bytes: 4, kind: 'int', range: [-2147483648, 2147483647], quotient: 'float64' },
  int64: {
    tf: 9,
    bytes: 8,
    kind: 'bigint',
    range: [-9223372036854775808n, 9223372036854775807n],
    quotient: 'float64',
  },
  uint8: { tf: 4, bytes: 1, kind: 'int', range: [0, 255], quotient: 'float32' },
  uint16: { tf: 17, bytes: 2, kind: 'int', range: [0, 65535], quotient: 'float32' },
  uint32: { tf: 22, bytes: 4, kind: 'int', range: [0, 4294967295], quotient: 'float64' },
  uint64: {
    tf: 23,
    bytes: 8,
    kind: 'bigint',
    range: [0n, 18446744073709551615n],
    quotient: 'float64',
  },
  bool: { tf: 10, bytes: 1, kind: 'bool', quotient: null },
  complex64: { tf: 8, bytes: 8, kind: 'complex', quotient: 'complex64' },
  complex128: { tf: 18, bytes: 16, kind: 'complex', quotient: 'complex128' },
  string: { tf: 7, bytes: 0, kind: 'string', quotient: null },
  resource: { tf: 20, bytes: 0, kind: 'opaque', quotient: null },
  variant: { tf: 21, bytes: 0, kind: 'opaque', quotient: null },
} as const satisfies Readonly<Record<string, DTypeRow>>;

/** Name of a dtype, as TensorFlow spells it. */
export type DType = keyof typeof DTYPES;

export const DTYPE_NAMES = Object.keys(DTYPES) as readonly DType[];

/** The typed array that has the bytes of each dtype: halves by their bits, complex numbers as (re, im) pairs. */
export interface CarrierOf {
  float32: Float32Array;
  float64: Float64Array;
  float16: Uint16Array;
  bfloat16: Uint16Array;
  int8: Int8Array;
  int16: Int16Array;
  int32: Int32Array;
  int64: BigInt64Array;
  uint8: Uint8Array;
  uint16: Uint16Array;
  uint32: Uint32Array;
  uint64: BigUint64Array;
  bool: Uint8Array;
  complex64: Float32Array;
  complex128: Float64Array;
}
/** The dtypes whose elements are plain bytes. */
export type PlainDType = keyof CarrierOf;
export type TypedArray = CarrierOf[PlainDType];

/** A complex number. */
export interface Complex {
  readonly re: number;
  readonly im: number;
}

export function isPlain(dtype: DType): dtype is PlainDType {
  return DTYPES[dtype].bytes > 0;
}

export const PLAIN_DTYPES = DTYPE_NAMES.filter(isPlain);

/** The dtypes of numbers, complex ones among them; bool is none. */
export const NUMERIC_DTYPES = PLAIN_DTYPES.filter((dtype) => dtype !== 'bool');

const BY_TF: readonly (DType | undefined)[] = (() => {
  const table: (DType | undefined)[] = [];
  for (const name of DTYPE_NAMES) table[DTYPES[name].tf] = name;
  return table;
})();

/** The dtype of a TF_DataType number; `undefined` when it has no carrier here. */
export function dtypeOfTf(tf: number): DType | undefined {
  return BY_TF[tf];
}

export function isDType(value: unknown): value is DType {
  return typeof value === 'string' && Object.hasOwn(DTYPES, value);
}

/** Constructors of this realm: jest and vm contexts have their own, and users compare with theirs. */
const CARRIERS = {
  float32: Float32Array,
  float64: Float64Array,
  float16: Uint16Array,
  bfloat16: Uint16Array,
  int8: Int8Array,
  int16: Int16Array,
  int32: Int32Array,
  int64: BigInt64Array,
  uint8: Uint8Array,
  uint16: Uint16Array,
  uint32: Uint32Array,
  uint64: BigUint64Array,
  bool: Uint8Array,
  complex64: Float32Array,
  complex128: Float64Array,
} as const;

/** The name of the carrier's class. */
export function carrierName(dtype: PlainDType): string {
  return CARRIERS[dtype].name;
}

/** How many elements of the carrier make one of the tensor. */
export function lanesOf(dtype: PlainDType): 1 | 2 {
  return DTYPES[dtype].kind === 'complex' ? 2 : 1;
}

/** A zeroed carrier of `length` elements of the tensor. */
export function newCarrier<D extends PlainDType>(dtype: D, length: number): CarrierOf[D] {
  return new CARRIERS[dtype](length * lanesOf(dtype)) as CarrierOf[D];
}

/** From here on it is worth asking for memory that is not zeroed. */
const UNZEROED_FROM = 1024 * 1024;

/** A carrier whose every byte the caller writes before anybody sees it. */
export function carrierToFill<D extends PlainDType>(dtype: D, length: number): CarrierOf[D] {
  const bytes = length * DTYPES[dtype].bytes;
  if (bytes < UNZEROED_FROM || bytes > constants.MAX_LENGTH) return newCarrier(dtype, length);
  return carrierOver(dtype, Buffer.allocUnsafeSlow(bytes).buffer);
}

/** The carrier over memory that is there already, of this realm even where the memory is not. */
export function carrierOver<D extends PlainDType>(dtype: D, memory: ArrayBuffer): CarrierOf[D] {
  return new CARRIERS[dtype](memory) as CarrierOf[D];
}
