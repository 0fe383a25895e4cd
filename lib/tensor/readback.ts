/** Tensor data as JavaScript values: copied or lent, in the form that was asked for. */
import { constants } from 'node:buffer';
import { inspect } from 'node:util';
import { describeShape, describeValue } from '../describe';
import { tfeError } from '../errors';
import { isArray, isObject } from '../objects';
import { native } from '../native/loader';
import { offLoop, type AsyncOptions } from '../native/off-loop';
import {
  carrierName,
  carrierOver,
  carrierToFill,
  DTYPES,
  isPlain,
  lanesOf,
  PLAIN_DTYPES,
  type Complex,
  type CarrierOf,
  type DType,
  type PlainDType,
  type TypedArray,
} from './dtype';
import { fromHalves, type HalfDType } from './half';
import { checkOptions } from './options';
import { hasMemory, lengthOf, tagOf } from './typed-array';
import { readStrings, roomFor, roomForStrings, unpackStrings } from './strings';

/** What `arraySync` answers for dtypes that have two forms. */
export interface ArrayOptions {
  /**
   * `'bigint'` (default): int64 and uint64 as bigints. `'number'`: as Numbers, safe for JSON, or `TFE_INT64_UNSAFE`
   * where one does not fit.
   */
  readonly int64?: 'bigint' | 'number';
  /** `'number'` (default): the values of float16 and bfloat16, exactly. `'bits'`: their 16 bits. */
  readonly float16?: 'number' | 'bits';
  /** `'utf8'` (default): texts, or `TFE_STRING_NOT_UTF8` where one is none. `'bytes'`: their bytes. */
  readonly string?: 'utf8' | 'bytes';
}

/** What `dataSync` and `data` answer for dtypes that have two forms, and whether it may be the tensor's own memory. */
export interface ReadOptions extends ArrayOptions {
  /**
   * `true` (default): the data is yours. `false`: it may be the tensor's own memory, kept alive by the answer also when the
   * tensor is disposed. Do not write to it: it may be the memory of other tensors, too.
   */
  readonly copy?: boolean;
}

/** No option given. */
export type NoOptions = Readonly<Record<never, never>>;

/** What the options O say for K: the default where K is not among them. */
type Choice<O, K extends string, Default> = K extends keyof O
  ? Exclude<O[K], undefined> | (undefined extends O[K] ? Default : never)
  : Default;
type Either<C, Table> = C extends keyof Table ? Table[C] : never;

interface DataTable<O> extends Omit<CarrierOf, HalfDType | 'int64' | 'uint64'> {
  float16: Either<Choice<O, 'float16', 'number'>, { number: Float32Array; bits: Uint16Array }>;
  bfloat16: Either<Choice<O, 'float16', 'number'>, { number: Float32Array; bits: Uint16Array }>;
  int64: Either<Choice<O, 'int64', 'bigint'>, { bigint: BigInt64Array; number: number[] }>;
  uint64: Either<Choice<O, 'int64', 'bigint'>, { bigint: BigUint64Array; number: number[] }>;
  string: Either<Choice<O, 'string', 'utf8'>, { utf8: string[]; bytes: Uint8Array[] }>;
  resource: never;
  variant: never;
}

interface ElementTable<O> extends Record<Exclude<DType, 'resource' | 'variant'>, unknown> {
  float32: number;
  float64: number;
  float16: number;
  bfloat16: number;
  int8: number;
  int16: number;
  int32: number;
  int64: Either<Choice<O, 'int64', 'bigint'>, { bigint: bigint; number: number }>;
  uint8: number;
  uint16: number;
  uint32: number;
  uint64: Either<Choice<O, 'int64', 'bigint'>, { bigint: bigint; number: number }>;
  bool: boolean;
  complex64: Complex;
  complex128: Complex;
  string: Either<Choice<O, 'string', 'utf8'>, { utf8: string; bytes: Uint8Array }>;
  resource: never;
  variant: never;
}

/** What `dataSync` answers for a dtype, with options O. */
export type DataOf<D extends DType, O = NoOptions> = DataTable<O>[D];

/** One element of a dtype's `arraySync`, with options O. */
export type ElementOf<D extends DType, O = NoOptions> = ElementTable<O>[D];

/** Nested arrays of depth R, for `arraySync`. */
export type NestedArray<T, R extends number> = number extends R
  ? T | unknown[]
  : R extends 0
    ? T
    : R extends 1
      ? T[]
      : R extends 2
        ? T[][]
        : R extends 3
          ? T[][][]
          : unknown[];

/**
 * @internal Entries that nested arrays may have. V8 ends the process, without an error to catch, when an array outgrows its
 * elements store or the heap; a typed array holds as many values in a fraction of the memory.
 */
export const MAX_ENTRIES = 2 ** 26;

/** A live tensor, by what reading it needs. */
export interface Source {
  readonly id: number;
  readonly dtype: DType;
  readonly size: number;
}

type Data = TypedArray | number[] | string[] | Uint8Array[];

/** A lend costs 0.9 us whatever its size, and a finalizer later; a copy costs 0.9 us at 4 KiB, 1.8 at 16, 5 at 64. */
const LEND_FROM = 16 * 1024;

const CHOICES = {
  int64: ['bigint', 'number'],
  float16: ['number', 'bits'],
  string: ['utf8', 'bytes'],
  copy: [true, false],
} as const satisfies { [K in keyof ReadOptions]-?: readonly ReadOptions[K][] };

const DATA_OPTIONS = Object.keys(CHOICES) as readonly (keyof ReadOptions)[];
const ARRAY_OPTIONS = DATA_OPTIONS.filter((name) => name !== 'copy');

/**
 * A copy, so that what was checked is what is used: a getter may answer something else the next time. Looks at what is
 * given only: reading classes as numbers is in the path of every small batch.
 */
function checkChoices(
  method: string,
  options: ReadOptions,
  allowed: readonly (keyof ReadOptions)[],
  besides: readonly string[] = [],
): ReadOptions {
  const plain = isObject(options) && !isArray(options);
  const names = (plain ? Object.keys(options) : ['']).filter((name) => !besides.includes(name));
  const given = names as (keyof ReadOptions)[];
  if (!given.every((name) => allowed.includes(name))) {
    checkOptions(method, options, [...allowed, ...besides]);
  }
  const choices: Partial<Record<keyof ReadOptions, unknown>> = {};
  for (const name of given) {
    const value: unknown = options[name];
    choices[name] = value;
    if (value === undefined || (CHOICES[name] as readonly unknown[]).includes(value)) continue;
    throw tfeError('TFE_OPTION_VALUE', {
      function: method,
      option: name,
      expected: CHOICES[name].map((choice) => inspect(choice)).join(' or '),
      received: describeValue(value),
    });
  }
  return choices as ReadOptions;
}

/** From here on a copy takes longer than the way to another thread and back. */
const OFF_LOOP_FROM = 64 * 1024;

const NO_OPTIONS: ReadOptions = Object.freeze({});

/** The options of `dataSync` and `data`. @throws TfeError `TFE_OPTION_UNKNOWN`, `TFE_OPTION_VALUE` */
export function dataOptions(
  method: string,
  options: ReadOptions | undefined,
  besides: readonly string[] = [],
): ReadOptions {
  return options === undefined ? NO_OPTIONS : checkChoices(method, options, DATA_OPTIONS, besides);
}

/** The options of `arraySync`. @throws TfeError `TFE_OPTION_UNKNOWN`, `TFE_OPTION_VALUE` */
export function arrayOptions(method: string, options: ArrayOptions | undefined): ReadOptions {
  return options === undefined ? NO_OPTIONS : checkChoices(method, options, ARRAY_OPTIONS);
}

/**
 * The data, in row-major order.
 * @throws TfeError `TFE_DTYPE_OPAQUE`, `TFE_INT64_UNSAFE`, `TFE_STRING_NOT_UTF8`, `TFE_DATA_TOO_LARGE`,
 *   `TFE_ARRAYS_TOO_LARGE`
 */
export function readData(source: Source, method: string, options: ReadOptions): Data {
  const { id, size } = source;
  const dtype: DType = source.dtype;
  const { kind } = DTYPES[dtype];
  if (kind === 'opaque') throw tfeError('TFE_DTYPE_OPAQUE', { use: method, dtype });
  requireListable(source, options);
  if (kind === 'string') return readStrings(native(), id, size, options.string ?? 'utf8');
  const plain = dtype as PlainDType;
  const memory = options.copy === false && !hasOtherForm(dtype, options) ? lent : copied;
  return formOf(memory(id, plain, size), dtype, options);
}

/**
 * {@link readData} as a promise. What is large is copied on a thread of the worker pool; it has taken its share of the tensor
 * when it returns.
 * @throws TfeError as {@link readData}, and `TFE_QUEUE_FULL`, `TFE_THREAD_UNAVAILABLE`
 */
export async function readDataAsync(
  source: Source,
  method: string,
  options: ReadOptions,
  async: AsyncOptions,
  caller: (...values: never[]) => unknown,
): Promise<Data> {
  const { id, dtype, size } = source;
  const { kind, bytes } = DTYPES[dtype];
  async.signal?.throwIfAborted();
  requireListable(source, options);
  if (kind === 'string') {
    const strings = roomForStrings(native(), id, size);
    await offLoop((binding) => binding.readAsync(id, strings.bytes), nothing, async, caller);
    return unpackStrings(strings, options.string ?? 'utf8');
  }
  const lends = options.copy === false && !hasOtherForm(dtype, options);
  if (kind === 'opaque' || lends || size * bytes < OFF_LOOP_FROM) {
    return readData(source, method, options);
  }
  const data = carrierFor(dtype as PlainDType, size);
  await offLoop((binding) => binding.readAsync(id, data), nothing, async, caller);
  return formOf(data, dtype, options);
}

function nothing(): void {
  // what was read is in its place
}

/** Whether the options ask for something else than the tensor's own elements. */
function hasOtherForm(dtype: DType, options: ReadOptions): boolean {
  const { kind } = DTYPES[dtype];
  if (kind === 'half') return options.float16 !== 'bits';
  return kind === 'bigint' && options.int64 === 'number';
}

function formOf(data: TypedArray, dtype: DType, options: ReadOptions): Data {
  if (!hasOtherForm(dtype, options)) return data;
  if (DTYPES[dtype].kind === 'bigint') return toNumbers(data);
  const halves = data as Uint16Array;
  return roomFor('a typed array', halves.length * 4, () => fromHalves(dtype as HalfDType, halves));
}

/** Strings and numbers are in an array, which V8 bounds as it bounds nested ones. @throws TfeError `TFE_ARRAYS_TOO_LARGE` */
function requireListable({ dtype, size }: Source, options: ReadOptions): void {
  const { kind } = DTYPES[dtype];
  const listed = kind === 'string' || (kind === 'bigint' && options.int64 === 'number');
  if (!listed || size <= MAX_ENTRIES) return;
  throw tfeError('TFE_ARRAYS_TOO_LARGE', { shape: describeShape([size]), limit: MAX_ENTRIES });
}

/** @throws TfeError `TFE_DATA_TOO_LARGE` */
function carrierFor<D extends PlainDType>(dtype: D, size: number): CarrierOf[D] {
  return roomFor('a typed array', size * DTYPES[dtype].bytes, () => carrierToFill(dtype, size));
}

/**
 * Copies the bytes into an array of the caller's.
 * @throws TfeError `TFE_OP_DTYPE` for a dtype whose elements are no plain bytes, `TFE_OP_ARGUMENT` for another array
 */
export function readInto({ id, dtype, size }: Source, method: string, target: unknown): void {
  if (!isPlain(dtype)) {
    const facts = { op: method, argument: 'the tensor', allowed: PLAIN_DTYPES, received: dtype };
    throw tfeError('TFE_OP_DTYPE', facts);
  }
  const [name, length] = [carrierName(dtype), size * lanesOf(dtype)];
  const array = target as TypedArray;
  if (tagOf(target) !== name || lengthOf(array) !== length || !hasMemory(array)) {
    throw tfeError('TFE_OP_ARGUMENT', {
      op: method,
      argument: 'target',
      expected: `a ${name} of ${length}`,
      received: tagOf(target) === name ? `one of ${lengthOf(array)}` : describeValue(target),
    });
  }
  native().read(id, array);
}

/** The elements as `arraySync` nests them. @throws as {@link readData} */
export function readElements(
  source: Source,
  method: string,
  options: ReadOptions,
): ArrayLike<unknown> {
  const data = readData(source, method, options);
  if (source.dtype === 'bool') return Array.from(data as Uint8Array, (value) => value !== 0);
  if (DTYPES[source.dtype].kind !== 'complex') return data;
  const parts = data as Float32Array | Float64Array;
  return Array.from({ length: source.size }, (_, i): Complex => {
    return { re: parts[2 * i]!, im: parts[2 * i + 1]! };
  });
}

function copied(id: number, dtype: PlainDType, size: number): TypedArray {
  const data = carrierFor(dtype, size);
  native().read(id, data);
  return data;
}

function lent(id: number, dtype: PlainDType, size: number): TypedArray {
  const bytes = size * DTYPES[dtype].bytes;
  // Node makes no buffer longer than that of memory which is there already.
  if (bytes < LEND_FROM || bytes > constants.MAX_LENGTH) return copied(id, dtype, size);
  const memory = native().lend(id);
  return memory === undefined
    ? copied(id, dtype, size)
    : roomFor('a typed array', bytes, () => carrierOver(dtype, memory));
}

function toNumbers(data: ArrayLike<number | bigint>): number[] {
  const numbers = new Array<number>(data.length);
  for (let index = 0; index < data.length; index++) {
    const value = data[index]!;
    const number = Number(value);
    if (!Number.isSafeInteger(number)) {
      throw tfeError('TFE_INT64_UNSAFE', { value: String(value), index });
    }
    numbers[index] = number;
  }
  return numbers;
}

/** Elements in arrays as the shape nests them. */
export function nest(flat: ArrayLike<unknown>, shape: readonly number[]): unknown {
  if (shape.length === 0) return flat[0];
  let offset = 0;
  const build = (axis: number): unknown[] => {
    const length = shape[axis]!;
    const level = new Array<unknown>(length);
    const last = axis === shape.length - 1;
    for (let i = 0; i < length; i++) level[i] = last ? flat[offset++] : build(axis + 1);
    return level;
  };
  return build(0);
}
