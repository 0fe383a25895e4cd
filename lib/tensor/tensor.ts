/**
 * The tensor of JavaScript: a plain class that carries the id of a native slot. All memory is the slot's;
 * this object holds none. Making tensors of values is constant.ts's, running ops kernel.ts's.
 */
import { inspect } from 'node:util';
import { describeShape, describeValue } from '../describe';
import { tfeError } from '../errors';
import type { NativeBinding } from '../native/binding';
import { native } from '../native/loader';
import { offLoop, signalOption, type AsyncOptions } from '../native/off-loop';
import { carrierOver, DTYPES, dtypeOfTf, newCarrier, type DataOf, type DType } from './dtype';
import {
  adopt,
  currentScope,
  isThenable,
  refusePromise,
  runIn,
  runInAsync,
  Scope,
  tensorsIn,
  type Scoped,
  type Survivors,
} from './scope';

/** What `dataSync` answers for int64 and uint64. */
export interface ReadOptions {
  /**
   * `'bigint'` (default): a BigInt64Array or BigUint64Array. `'number'`: an array of Numbers, safe for JSON,
   * or `TFE_INT64_UNSAFE` where one does not fit.
   */
  readonly int64?: 'bigint' | 'number';
}

/** Options of `data()`. */
export interface DataOptions extends ReadOptions, AsyncOptions {}

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

/** One element of a dtype's `arraySync`. */
export type ElementOf<D extends DType> = D extends 'int64' | 'uint64'
  ? bigint
  : D extends 'bool'
    ? boolean
    : number;

/** More elements than this are counted, not printed, by `toString`. */
const PRINT_LIMIT = 1000;

const NOT_CLONEABLE = Symbol(
  'A tensor belongs to its thread: send exportTensor(tensor) and call importTensor(token) there. A tensor',
);

/** Finds the native id; -1 when disposed. Set in Tensor's static block: the field itself is private. */
let idOf: (tensor: Tensor) => number;
let hasId: (value: object) => boolean;

/**
 * A tensor held by TensorFlow. `D` is its dtype, `R` its rank.
 *
 * Free it with `scope`, `using` or `dispose()`. Reading a disposed tensor throws `TFE_TENSOR_DISPOSED`.
 *
 * @example
 * using x = tf.constant([[1, 2], [3, 4]]); // Tensor<'float32', 2>
 * x.dataSync(); // Float32Array [1, 2, 3, 4]
 */
export class Tensor<
  out D extends DType = DType,
  out R extends number = number,
> implements Disposable {
  /** Name of the dtype: `'float32'`. */
  readonly dtype: D;
  #id: number;
  readonly #shape: number[];
  #owner: Scope | null = null;
  /**
   * @internal A value that structuredClone and postMessage refuse, with a message that says what to do. Without it
   * they would answer an object without the tensor: they do not see private fields, nor properties named by symbols.
   */
  readonly notCloneable = NOT_CLONEABLE;

  /** @internal Tensors are made by `tf.constant` and by ops. */
  constructor(id: number, dtype: D, shape: number[]) {
    this.#id = id;
    this.dtype = dtype;
    this.#shape = shape;
  }

  /** Size of each dimension, outermost first. Frozen. */
  get shape(): readonly number[] {
    return Object.freeze(this.#shape);
  }

  get rank(): R {
    return this.#shape.length as R;
  }

  /** Number of elements. */
  get size(): number {
    return sizeOf(this.#shape);
  }

  /**
   * The device that holds the data: `/job:localhost/replica:0/task:0/device:CPU:0`.
   * @throws TfeError `TFE_TENSOR_DISPOSED`
   */
  get device(): string {
    return native().device(liveId(this, 'Tensor.device'));
  }

  get isDisposed(): boolean {
    return this.#id < 0;
  }

  /**
   * A copy of the data, in row-major order: the typed array of the dtype's row in docs/tensors.md.
   * @throws TfeError `TFE_TENSOR_DISPOSED`, `TFE_INT64_UNSAFE`, `TFE_OPTION_VALUE`
   */
  dataSync(options: {
    readonly int64: 'number';
  }): D extends 'int64' | 'uint64' ? number[] : DataOf<D>;
  dataSync(options?: { readonly int64?: 'bigint' }): DataOf<D>;
  dataSync(options?: ReadOptions): DataOf<D> | number[];
  dataSync(options?: ReadOptions): DataOf<D> | number[] {
    const asNumbers = wantsNumbers(options, 'dataSync');
    const data = readData(this);
    return asNumbers && DTYPES[this.dtype].kind === 'bigint' ? toNumbers(data) : data;
  }

  /**
   * Like `dataSync`, off the event loop: the copy is made on a thread of the worker pool. The tensor may be disposed
   * before the promise settles. With `signal`, the promise rejects as soon as it is aborted.
   * @throws TfeError as `dataSync`, and `TFE_QUEUE_FULL`; always as a rejection
   */
  data(
    options: DataOptions & { readonly int64: 'number' },
  ): Promise<D extends 'int64' | 'uint64' ? number[] : DataOf<D>>;
  data(options?: DataOptions & { readonly int64?: 'bigint' }): Promise<DataOf<D>>;
  async data(options?: DataOptions): Promise<DataOf<D> | number[]> {
    const asNumbers = wantsNumbers(options, 'data');
    const signal = signalOption('data', options);
    const id = liveId(this, 'data()');
    const data = await offLoop(
      (binding) => binding.readAsync(id),
      (_, buffer) => carrierOver(this.dtype, buffer as ArrayBuffer),
      signal,
      // eslint-disable-next-line @typescript-eslint/unbound-method -- named, not called
      this.data,
    );
    return asNumbers && DTYPES[this.dtype].kind === 'bigint' ? toNumbers(data) : data;
  }

  /**
   * A copy of the data as nested arrays: numbers, bigints for int64 and uint64 (numbers on request), booleans
   * for bool; the bare value for rank 0.
   * @throws TfeError `TFE_TENSOR_DISPOSED`, `TFE_INT64_UNSAFE`
   */
  // Typed by `this`: with D and R in the results, Tensor<D, R> would not be a Tensor<DType, number>.
  arraySync<T extends Tensor>(
    this: T,
    options: { readonly int64: 'number' },
  ): NestedArray<T['dtype'] extends 'bool' ? boolean : number, T['rank']>;
  arraySync<T extends Tensor>(
    this: T,
    options?: { readonly int64?: 'bigint' },
  ): NestedArray<ElementOf<T['dtype']>, T['rank']>;
  arraySync(options?: ReadOptions): unknown {
    const asNumbers = wantsNumbers(options, 'arraySync');
    const data = readData(this);
    const flat: ArrayLike<unknown> =
      asNumbers && DTYPES[this.dtype].kind === 'bigint'
        ? toNumbers(data)
        : this.dtype === 'bool'
          ? Array.from(data as Uint8Array, (value) => value !== 0)
          : data;
    return nest(flat, this.#shape);
  }

  /** Frees the tensor's memory. Doing it twice is fine. */
  dispose(): void {
    if (this.#id < 0) return;
    native().release(this.#id);
    this.markFreed();
    if (this.#owner === null) unowned.unregister(this);
  }

  [Symbol.dispose](): void {
    this.dispose();
  }

  /** The values, shape and dtype as text; large tensors show their size instead of values. */
  toString(): string {
    const facts = `shape=${describeShape(this.#shape)}, dtype=${this.dtype}`;
    if (this.isDisposed) return `Tensor(disposed, ${facts})`;
    if (this.size > PRINT_LIMIT) return `Tensor(${this.size} values, ${facts})`;
    const values = inspect(this.arraySync(), { depth: null, maxArrayLength: null, compact: 3 });
    return `Tensor(${values}, ${facts})`;
  }

  /**
   * Template literals show the tensor; operators throw, because `a + b` would silently make text.
   * @throws TfeError `TFE_TENSOR_AS_PRIMITIVE`
   */
  [Symbol.toPrimitive](hint: 'string' | 'number' | 'default'): string {
    if (hint === 'string') return this.toString();
    throw tfeError('TFE_TENSOR_AS_PRIMITIVE', {});
  }

  /** What `JSON.stringify` writes: the facts. For the values give it `arraySync()`. */
  toJSON(): { readonly dtype: D; readonly shape: readonly number[] } {
    return { dtype: this.dtype, shape: this.shape };
  }

  /** @internal */
  [inspect.custom](): string {
    return this.toString();
  }

  /** @internal */
  get owner(): Scope | null {
    return this.#owner;
  }
  /** @internal */
  set owner(scope: Scope | null) {
    this.#owner = scope;
  }
  /** @internal */
  get liveId(): number {
    return this.#id;
  }
  /** @internal */
  markFreed(): void {
    this.#id = -1;
  }
  /** @internal */
  watch(): void {
    unowned.register(this, this.#id, this);
  }

  static {
    idOf = (tensor) => tensor.#id;
    hasId = (value) => #id in value;
  }
}

/**
 * Frees tensors that no scope owned and nobody disposed, when their object is collected. A safety net: it never
 * runs inside a synchronous loop.
 */
const unowned = new FinalizationRegistry<number>((id) => {
  native().release(id);
});

/** True for a tensor of this copy of tfe-node. */
export function isTensor(value: unknown): value is Tensor {
  return typeof value === 'object' && value !== null && hasId(value);
}

/**
 * The native id of a live tensor.
 * @throws TfeError `TFE_TENSOR_DISPOSED`
 */
export function liveId(tensor: Tensor, use: string): number {
  const id = idOf(tensor);
  if (id < 0) throw tfeError('TFE_TENSOR_DISPOSED', { use });
  return id;
}

/** The tensor of a new native id, whose dtype and dims the addon has just written to the scratch array. */
export function tensorOf(binding: NativeBinding, id: number): Tensor {
  return tensorIn(binding, id, currentScope());
}

/** {@link tensorOf} for a scope that is not the current one: what comes from another turn of the loop. */
export function tensorIn(binding: NativeBinding, id: number, scope: Scope | null): Tensor {
  const scratch = binding.scratch;
  const dtype = dtypeOfTf(scratch[0]!);
  if (dtype === undefined) {
    binding.release(id);
    throw tfeError('TFE_DTYPE_NOT_CARRIED', { tf: scratch[0]! });
  }
  const rank = scratch[1]!;
  const shape = new Array<number>(rank);
  for (let i = 0; i < rank; i++) shape[i] = scratch[i + 2]!;
  const tensor = new Tensor(id, dtype, shape);
  adopt(tensor, scope);
  return tensor;
}

/** Another tensor over the same memory, which lives until it is freed itself. */
export function shareOf(tensor: Tensor, use: string): Tensor {
  const binding = native();
  return tensorOf(binding, binding.share(liveId(tensor, use)));
}

/** Product of the dims. */
export function sizeOf(shape: readonly number[]): number {
  let size = 1;
  for (const dim of shape) size *= dim;
  return size;
}

/**
 * Runs `body` and frees every tensor made in it that is not part of its result. Tensors in the result (itself, or in
 * nested arrays, plain objects, Maps and Sets) move to the enclosing scope. Nothing is freed that was made outside.
 *
 * @throws TfeError `TFE_SCOPE_PROMISE` when `body` answers a promise: use {@link scopeAsync}
 * @example
 * const classes = scope(() => tf.argmax(tf.nn.softmax(tf.matmul(x, w), 1), 1)); // one tensor is left
 */
export function scope<T>(body: () => T): T {
  const outer = currentScope();
  const inner = new Scope();
  let survivors: Survivors = NOBODY;
  try {
    const result = runIn(inner, body);
    if (isThenable(result)) {
      // Its rejection would otherwise be unhandled on top of the error below.
      void Promise.resolve(result).catch(() => undefined);
      refusePromise();
    }
    survivors = survivorsOf(result);
    return result;
  } finally {
    inner.close(survivors, outer, releaseAll);
  }
}

/**
 * `scope` for async functions: tensors are freed when the promise settles. Scopes of functions that run at the same
 * time keep apart (AsyncLocalStorage): none frees or adopts another's tensors.
 */
export async function scopeAsync<T>(body: () => Promise<T>): Promise<T> {
  const outer = currentScope();
  const inner = new Scope();
  let survivors: Survivors = NOBODY;
  try {
    const result = await runInAsync(inner, async () => body());
    survivors = survivorsOf(result);
    return result;
  } finally {
    inner.close(survivors, outer, releaseAll);
  }
}

/**
 * Takes `tensor` out of its scope: the caller frees it from now on. Answers the tensor.
 * @throws TfeError `TFE_OP_ARGUMENT`, `TFE_TENSOR_DISPOSED`
 */
export function keep<T extends Tensor>(tensor: T): T {
  if (!isTensor(tensor)) {
    throw tfeError('TFE_OP_ARGUMENT', {
      op: 'keep()',
      argument: 'the argument',
      expected: 'a Tensor',
      received: describeValue(tensor),
    });
  }
  liveId(tensor, 'keep()');
  if (tensor.owner !== null) adopt(tensor, null);
  return tensor;
}

/** @internal */
export const NOBODY: Survivors = new Set<Scoped>();

/** @internal The tensors that a scope's result lets out. */
export function survivorsOf(result: unknown): Survivors {
  return isTensor(result) ? new Set<Scoped>([result]) : tensorsIn(result, isTensor);
}

/** @internal Frees many handles in one crossing. */
export function releaseAll(ids: Float64Array, count: number): void {
  native().releaseAll(ids, count);
}

function readData<D extends DType>(tensor: Tensor<D>): DataOf<D> {
  const id = liveId(tensor, 'dataSync()');
  const data = newCarrier(tensor.dtype, tensor.size);
  native().read(id, data);
  return data;
}

function wantsNumbers(options: ReadOptions | undefined, method: string): boolean {
  const int64: unknown = options?.int64 ?? 'bigint';
  if (int64 === 'number') return true;
  if (int64 === 'bigint') return false;
  throw tfeError('TFE_OPTION_VALUE', {
    function: method,
    option: 'int64',
    expected: "'bigint' or 'number'",
    received: inspect(int64),
  });
}

function toNumbers(data: ArrayLike<number | bigint>): number[] {
  return Array.from(data, (value, index) => {
    const number = Number(value);
    if (!Number.isSafeInteger(number)) {
      throw tfeError('TFE_INT64_UNSAFE', { value: String(value), index });
    }
    return number;
  });
}

function nest(flat: ArrayLike<unknown>, shape: readonly number[]): unknown {
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
