/**
 * The tensor of JavaScript: a plain class that carries the id of a native slot. All memory is the slot's;
 * this object holds none. Making tensors of values is constant.ts's, running ops kernel.ts's.
 */
import { inspect } from 'node:util';
import { describeShape, describeValue, NOT_CLONEABLE } from '../describe';
import { isTfeError, tfeError } from '../errors';
import type { NativeBinding } from '../native/binding';
import { native } from '../native/loader';
import { signalOption, type AsyncOptions } from '../native/off-loop';
import { isFunction } from '../objects';
import { DTYPES, dtypeOfTf, type CarrierOf, type DType, type PlainDType } from './dtype';
import {
  arrayOptions,
  dataOptions,
  MAX_ENTRIES,
  nest,
  readData,
  readDataAsync,
  readElements,
  readInto,
  type ArrayOptions,
  type DataOf,
  type ElementOf,
  type NestedArray,
  type NoOptions,
  type ReadOptions,
  type Source,
} from './readback';
import {
  adopt,
  currentScope,
  isThenable,
  NOBODY,
  runIn,
  runInAsync,
  Scope,
  tensorsIn,
  type Scoped,
  type Survivors,
} from './scope';

/** Options of `data()`. */
export interface DataOptions extends ReadOptions, AsyncOptions {}

/** More elements than this are counted, not printed, by `toString`. */
const PRINT_LIMIT = 1000;

/** Doors to what is private in Tensor, set in its static block. `idOf` answers -1 for a disposed tensor. */
let idOf: (tensor: Tensor) => number;
let hasId: (value: object) => boolean;
let newTensor: (id: number, dtype: DType, shape: number[]) => Tensor;

/**
 * A tensor held by TensorFlow. `D` is its dtype, `R` its rank. Made by `tf.constant` and by ops only.
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
  readonly #dtype: D;
  #id: number;
  readonly #shape: number[];
  #owner: Scope | null = null;
  /**
   * @internal A value that structuredClone and postMessage refuse, with a message that says what to do. Without it
   * they would answer an object without the tensor: they do not see private fields, nor properties named by symbols.
   */
  readonly notCloneable = NOT_CLONEABLE;

  private constructor(id: number, dtype: D, shape: number[]) {
    this.#id = id;
    this.#dtype = dtype;
    this.#shape = shape;
  }

  /** Name of the dtype: `'float32'`. */
  get dtype(): D {
    requireSelf(this, 'Tensor.dtype');
    return this.#dtype;
  }

  /** Size of each dimension, outermost first. Frozen. */
  get shape(): readonly number[] {
    requireSelf(this, 'Tensor.shape');
    return Object.freeze(this.#shape);
  }

  /** Number of dimensions; 0 for a scalar. */
  get rank(): R {
    requireSelf(this, 'Tensor.rank');
    return this.#shape.length as R;
  }

  /** Number of elements: the product of the dimensions, 1 for a scalar. */
  get size(): number {
    requireSelf(this, 'Tensor.size');
    return sizeOf(this.#shape);
  }

  /**
   * The device that holds the data: `/job:localhost/replica:0/task:0/device:CPU:0`.
   * @throws TfeError `TFE_TENSOR_DISPOSED`
   */
  get device(): string {
    return native().device(liveId(this, 'Tensor.device'));
  }

  /** Whether its memory has been freed. Dtype, rank, shape and size can still be read then. */
  get isDisposed(): boolean {
    requireSelf(this, 'Tensor.isDisposed');
    return this.#id < 0;
  }

  /**
   * The data, in row-major order, as docs/tensors.md's table says for the dtype. A copy, unless `{ copy: false }` allows
   * the tensor's own memory: that is not copied, outlives the tensor, and must not be written to.
   * @throws TfeError `TFE_TENSOR_DISPOSED`, `TFE_DTYPE_OPAQUE`, `TFE_INT64_UNSAFE`, `TFE_STRING_NOT_UTF8`,
   *   `TFE_OPTION_UNKNOWN`, `TFE_OPTION_VALUE`, `TFE_DATA_TOO_LARGE`, `TFE_ARRAYS_TOO_LARGE`
   * @example tf.constant([1n, 2n]).dataSync({ int64: 'number' }); // [1, 2]
   */
  dataSync<const O extends ReadOptions = NoOptions>(options?: O): DataOf<D, O> {
    const choices = dataOptions('dataSync', options);
    return readData(sourceOf(this, 'dataSync()'), 'dataSync()', choices) as DataOf<D, O>;
  }

  /**
   * Copies the data, in row-major order, into an array of yours and answers that array: no new memory for each read. It is of
   * the class that docs/tensors.md's table has for the dtype, float16 and bfloat16 by their bits, and exactly as long.
   * @throws TfeError `TFE_TENSOR_DISPOSED`, `TFE_OP_ARGUMENT` for an array of another class or length, `TFE_OP_DTYPE` for
   *   a tensor of strings, a resource or a variant
   * @example tf.constant([1, 2]).readInto(new Float32Array(2)); // Float32Array [1, 2]
   */
  readInto<A extends (D extends PlainDType ? CarrierOf[D] : never)>(target: A): A {
    readInto(sourceOf(this, 'readInto()'), 'readInto()', target);
    return target;
  }

  /**
   * What `dataSync` answers, as a promise: from 64 KiB on, and strings of any size, it is copied off the event loop. The
   * tensor may be disposed meanwhile. The data is the caller's own, except where `{ copy: false }` lends the tensor's memory.
   * @throws TfeError as a rejection, like every error: those of `dataSync`, `TFE_QUEUE_FULL`,
   *   `TFE_THREAD_UNAVAILABLE`; the reason of `signal`
   * @example await tf.constant([1n, 2n]).data({ int64: 'number' }); // [1, 2]
   */
  async data<const O extends DataOptions = NoOptions>(options?: O): Promise<DataOf<D, O>> {
    const choices = dataOptions('data', options, ['signal']);
    const signal = signalOption('data', options);
    const data = await readDataAsync(
      sourceOf(this, 'data()'),
      'data()',
      choices,
      signal,
      // eslint-disable-next-line @typescript-eslint/unbound-method -- named, not called
      this.data,
    );
    return data as DataOf<D, O>;
  }

  /**
   * A copy of the data as nested arrays: numbers, bigints for int64 and uint64 (numbers on request), booleans
   * for bool, `{ re, im }` for complex dtypes, texts for string (bytes on request); the bare value for rank 0.
   * @throws TfeError `TFE_TENSOR_DISPOSED`, `TFE_DTYPE_OPAQUE`, `TFE_INT64_UNSAFE`, `TFE_STRING_NOT_UTF8`,
   *   `TFE_OPTION_UNKNOWN`, `TFE_OPTION_VALUE`, `TFE_DATA_TOO_LARGE`, `TFE_ARRAYS_TOO_LARGE`
   * @example tf.constant([[1, 2], [3, 4]]).arraySync(); // [[1, 2], [3, 4]]
   */
  // Typed by `this`: with D and R in the results, Tensor<D, R> would not be a Tensor<DType, number>.
  arraySync<T extends Tensor, const O extends ArrayOptions = NoOptions>(
    this: T,
    options?: O,
  ): NestedArray<ElementOf<T['dtype'], O>, T['rank']>;
  arraySync(options?: ArrayOptions): unknown {
    requireSelf(this, 'arraySync()');
    const choices = arrayOptions('arraySync', options);
    if (extentOf(this.#shape) > MAX_ENTRIES) {
      throw tfeError('TFE_ARRAYS_TOO_LARGE', {
        shape: describeShape(this.#shape),
        limit: MAX_ENTRIES,
      });
    }
    return nest(readElements(sourceOf(this, 'arraySync()'), 'arraySync()', choices), this.#shape);
  }

  /** Frees the tensor's memory. Doing it twice is fine. */
  dispose(): void {
    requireSelf(this, 'dispose()');
    if (this.#id < 0) return;
    native().release(this.#id);
    this.markFreed();
    if (this.#owner === null) unowned.unregister(this);
  }

  /** What `using` calls at the end of the block. */
  [Symbol.dispose](): void {
    requireSelf(this, 'Symbol.dispose');
    this.dispose();
  }

  /** The values, shape and dtype as text; large tensors show their size instead of values. */
  toString(): string {
    requireSelf(this, 'toString()');
    const facts = `shape=${describeShape(this.#shape)}, dtype=${this.dtype}`;
    if (this.isDisposed) return `Tensor(disposed, ${facts})`;
    // An empty tensor may have a long axis of empty rows.
    if (extentOf(this.#shape) > PRINT_LIMIT) return `Tensor(${this.size} values, ${facts})`;
    if (DTYPES[this.dtype].kind === 'opaque') return `Tensor(opaque, ${facts})`;
    const values = printable(this);
    if (values === undefined) return `Tensor(${this.size} values, ${facts})`;
    return `Tensor(${inspect(values, { depth: null, maxArrayLength: null, compact: 3 })}, ${facts})`;
  }

  /**
   * Template literals show the tensor; operators throw, because `a + b` would silently make text.
   * @throws TfeError `TFE_TENSOR_AS_PRIMITIVE`
   */
  [Symbol.toPrimitive](hint: 'string' | 'number' | 'default'): string {
    requireSelf(this, 'Symbol.toPrimitive');
    if (hint === 'string') return this.toString();
    throw tfeError('TFE_TENSOR_AS_PRIMITIVE', {});
  }

  /** What `JSON.stringify` writes: the facts. For the values give it `arraySync()`. */
  toJSON(): { readonly dtype: D; readonly shape: readonly number[] } {
    requireSelf(this, 'toJSON()');
    return { dtype: this.dtype, shape: this.shape };
  }

  /** @internal */
  [inspect.custom](): string {
    // The prototype is inspected too, where somebody prints the class.
    return isTensor(this) ? this.toString() : 'Tensor {}';
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
    newTensor = (id, dtype, shape) => new Tensor(id, dtype, shape);
  }
}

/**
 * Frees tensors that no scope owned and nobody disposed, when their object is collected. A safety net: it never
 * runs inside a synchronous loop.
 */
const unowned = new FinalizationRegistry<number>((id) => {
  native().release(id);
});

/**
 * True for a tensor of this copy of tfe-node, disposed or not; false for everything else, look-alikes included.
 * @example isTensor(tf.constant([1])); // true
 */
export function isTensor(value: unknown): value is Tensor {
  return typeof value === 'object' && value !== null && hasId(value);
}

/** A method may be called on anything. */
function requireSelf(self: unknown, use: string): void {
  if (!isTensor(self)) refuseArgument(use, 'a Tensor', self);
}

/**
 * @internal The native id of a live tensor.
 * @throws TfeError `TFE_TENSOR_DISPOSED`, `TFE_OP_ARGUMENT`
 */
export function liveId(tensor: Tensor, use: string): number {
  requireSelf(tensor, use);
  const id = idOf(tensor);
  if (id < 0) throw tfeError('TFE_TENSOR_DISPOSED', { use });
  return id;
}

/** @internal The tensor of a new native id, whose dtype and dims the addon has just written to the scratch array. */
export function tensorOf(binding: NativeBinding, id: number): Tensor {
  return tensorIn(binding, id, currentScope());
}

/** @internal {@link tensorOf} for a scope that is not the current one: what comes from another turn of the loop. */
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
  const tensor = newTensor(id, dtype, shape);
  adopt(tensor, scope);
  return tensor;
}

/** @internal The tensors of the addon's answer about several outputs, each with what `tensorOf` finds in the scratch array. */
export function tensorsOf(
  binding: NativeBinding,
  facts: Float64Array,
  scope: Scope | null = currentScope(),
): Tensor[] {
  const tensors: Tensor[] = [];
  let at = 0;
  try {
    while (at < facts.length) {
      const id = facts[at]!;
      const end = at + 3 + facts[at + 2]!;
      binding.scratch.set(facts.subarray(at + 1, end));
      at = end; // tensorIn frees the one that it refuses
      tensors.push(tensorIn(binding, id, scope));
    }
  } catch (error) {
    for (const tensor of tensors) tensor.dispose();
    for (; at < facts.length; at += 3 + facts[at + 2]!) binding.release(facts[at]!);
    throw error;
  }
  return tensors;
}

/** @internal Another tensor over the same memory, which lives until it is freed itself. */
export function shareOf(tensor: Tensor, use: string): Tensor {
  const binding = native();
  return tensorOf(binding, binding.share(liveId(tensor, use)));
}

/** @internal Product of the dims that are not 0: the most entries that nested arrays of this shape have on one level. */
export function extentOf(shape: readonly number[]): number {
  let extent = 1;
  for (const dim of shape) if (dim > 1) extent *= dim;
  return extent;
}

/** @internal Product of the dims. */
export function sizeOf(shape: readonly number[]): number {
  let size = 1;
  for (const dim of shape) size *= dim;
  return size;
}

/**
 * Runs `body` and frees every tensor made in it that is not part of its result. Tensors in the result (itself, or in
 * nested arrays, plain objects, Maps and Sets) move to the enclosing scope. Nothing is freed that was made outside.
 *
 * @throws TfeError `TFE_SCOPE_PROMISE` when `body` answers a promise: use {@link scopeAsync}; `TFE_OP_ARGUMENT` where it is no
 *   function; what `body` throws
 * @example
 * const classes = scope(() => tf.argmax(tf.nn.softmax(tf.matmul(x, w), 1), 1)); // one tensor is left
 */
export function scope<T>(body: () => T): T {
  if (!isFunction(body)) refuseArgument('scope()', 'a function', body);
  const outer = currentScope();
  const inner = new Scope();
  let survivors: Survivors = NOBODY;
  try {
    const result = runIn(inner, body);
    if (isThenable(result)) {
      // Its rejection would otherwise be unhandled on top of the error below.
      void Promise.resolve(result).catch(() => undefined);
      throw tfeError('TFE_SCOPE_PROMISE', {});
    }
    survivors = survivorsOf(result);
    return result;
  } finally {
    inner.close(survivors, outer, releaseAll);
  }
}

/**
 * `scope` for async functions: when the promise of `body` settles, tensors made in it are freed, except those in its result,
 * which move to the scope of the call. Scopes of functions that run at the same time keep apart (AsyncLocalStorage): none
 * frees or adopts another's tensors. What `body` does not await may end after the scope; its result then belongs to nobody.
 *
 * @throws TfeError `TFE_OP_ARGUMENT` where `body` is no function, and what `body` throws or rejects with; as a rejection
 * @example (await scopeAsync(async () => tf.addAsync(tf.constant([1, 2]), 1))).arraySync(); // [2, 3]
 */
export async function scopeAsync<T>(body: () => Promise<T>): Promise<T> {
  if (!isFunction(body)) refuseArgument('scopeAsync()', 'a function', body);
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

/** @internal @throws TfeError `TFE_OP_ARGUMENT` about the one argument of a function */
export function refuseArgument(op: string, expected: string, value: unknown): never {
  throw tfeError('TFE_OP_ARGUMENT', {
    op,
    argument: 'the argument',
    expected,
    received: describeValue(value),
  });
}

/**
 * Takes `tensor` out of its scope: the caller frees it from now on. Answers the tensor.
 *
 * @throws TfeError `TFE_OP_ARGUMENT`, `TFE_TENSOR_DISPOSED`
 * @example
 * let cached;
 * scope(() => { cached = keep(tf.constant([1, 2])); });
 * cached.dispose();
 */
export function keep<T extends Tensor>(tensor: T): T {
  liveId(tensor, 'keep()');
  if (tensor.owner !== null) adopt(tensor, null);
  return tensor;
}

/** @internal The tensors that a scope's result lets out. */
export function survivorsOf(result: unknown): Survivors {
  return isTensor(result) ? new Set<Scoped>([result]) : tensorsIn(result, isTensor);
}

/** @internal Frees many handles in one crossing. */
export function releaseAll(ids: Float64Array, count: number): void {
  native().releaseAll(ids, count);
}

/** @throws TfeError `TFE_TENSOR_DISPOSED` */
function sourceOf(tensor: Tensor, use: string): Source {
  return { id: liveId(tensor, use), dtype: tensor.dtype, size: tensor.size };
}

/** Strings that are no texts are shown by their bytes, and those too long for one not at all: showing must not throw. */
function printable(tensor: Tensor): unknown {
  try {
    return tensor.arraySync();
  } catch (error) {
    if (!isTfeError(error)) throw error;
    if (error.code === 'TFE_DATA_TOO_LARGE') return undefined;
    if (error.code !== 'TFE_STRING_NOT_UTF8') throw error;
    return tensor.arraySync({ string: 'bytes' });
  }
}
