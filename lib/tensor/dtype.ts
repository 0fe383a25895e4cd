/**
 * The dtypes that tensors can have here, as one table: TensorFlow's number, bytes per element, the typed
 * array that carries the data. native/dtype.cc mirrors it; a test walks both.
 */

export type DTypeKind = 'float' | 'int' | 'bigint' | 'bool';

interface DTypeRow {
  /** TF_DataType. */
  readonly tf: number;
  readonly bytes: number;
  readonly kind: DTypeKind;
  /** Smallest and largest integer; absent for floats and bool. */
  readonly range?: readonly [min: number, max: number] | readonly [min: bigint, max: bigint];
  /** What Python's true division answers for two tensors of this dtype. */
  readonly quotient: string | null;
}

export const DTYPES = {
  float32: { tf: 1, bytes: 4, kind: 'float', quotient: 'float32' },
  float64: { tf: 2, bytes: 8, kind: 'float', quotient: 'float64' },
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
} as const satisfies Readonly<Record<string, DTypeRow>>;

/** Name of a dtype, as TensorFlow spells it. */
export type DType = keyof typeof DTYPES;

export const DTYPE_NAMES = Object.keys(DTYPES) as readonly DType[];

/** The typed array that carries each dtype's data. */
export interface CarrierOf {
  float32: Float32Array;
  float64: Float64Array;
  int8: Int8Array;
  int16: Int16Array;
  int32: Int32Array;
  int64: BigInt64Array;
  uint8: Uint8Array;
  uint16: Uint16Array;
  uint32: Uint32Array;
  uint64: BigUint64Array;
  bool: Uint8Array;
}
export type DataOf<D extends DType> = CarrierOf[D];
export type TypedArray = CarrierOf[DType];

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
  int8: Int8Array,
  int16: Int16Array,
  int32: Int32Array,
  int64: BigInt64Array,
  uint8: Uint8Array,
  uint16: Uint16Array,
  uint32: Uint32Array,
  uint64: BigUint64Array,
  bool: Uint8Array,
} as const;

/** A zeroed carrier of `length` elements. */
export function newCarrier<D extends DType>(dtype: D, length: number): DataOf<D> {
  return new CARRIERS[dtype](length) as DataOf<D>;
}

/** A carrier over all of `buffer`. */
export function carrierOver<D extends DType>(dtype: D, buffer: ArrayBuffer): DataOf<D> {
  return new CARRIERS[dtype](buffer) as DataOf<D>;
}
