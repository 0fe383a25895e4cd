/**
 * The addon's surface as TypeScript sees it. The only file that requires the `.node` file; nothing else may
 * know what it looks like. Finding it and opening the library are loader.ts's.
 */
import { TfeError, type TfeErrorCode } from '../errors';
import { tfCodeName } from './tf-code';

/**
 * Attribute of a prepared op: name, kind, value. An int is a safe integer or a bigint, a type a TF_DataType, a tensor its
 * id, a shape its dims (-1: any size) or null (any rank), a function its name.
 */
export type NativeAttr =
  | readonly [name: string, kind: 'type' | 'float' | 'tensor', value: number]
  | readonly [name: string, kind: 'int', value: number | bigint]
  | readonly [name: string, kind: 'bool', value: boolean]
  | readonly [name: string, kind: 'string', value: string | Uint8Array]
  | readonly [name: string, kind: 'func', value: string]
  | readonly [name: string, kind: 'shape', value: readonly (number | bigint)[] | null]
  | readonly [name: string, kind: `list(${string})`, value: readonly unknown[]];

/** The library that is open. */
export interface NativeLibrary {
  readonly version: string;
  readonly ccPath: string;
  readonly frameworkPath: string;
  readonly devices: readonly { readonly name: string; readonly type: string }[];
}

/** Counts of this thread, and of the process where it says so. */
export interface NativeHeld {
  readonly liveHandles: number;
  readonly peakHandles: number;
  readonly liveBytes: number;
  readonly peakBytes: number;
  /** Memory of tensors that ArrayBuffers hold. */
  readonly lentBytes: number;
  /** Tasks off the loop that this thread waits for. */
  readonly pending: number;
  /** Tasks of all threads that wait or run. */
  readonly processPending: number;
  readonly threads: number;
  readonly queue: number;
  readonly exported: number;
  readonly budgetHandles: number;
  readonly budgetBytes: number;
}

export interface NativeBinding {
  /**
   * Shared with the addon. After `create` and `run`: `[dtype, rank, dim0, dim1, ...]` of the new tensor.
   * Before `create`: the dims. Valid until the next call.
   */
  readonly scratch: Float64Array;
  setErrorFactory(
    make: (
      code: TfeErrorCode,
      facts: Readonly<Record<string, string>>,
      tfCode: number,
      tfMessage: string,
    ) => Error,
  ): void;
  /** Opens the two images; answers whether they were mapped already. */
  open(
    ccPath: string,
    frameworkPath: string,
    version: string,
    cpuFlags: readonly string[],
  ): boolean;
  /** The version of the glibc that runs; null where it is another C library. */
  readonly glibc: string | null;
  /** Makes the context, whose devices it names; undefined before `open`. */
  library(): NativeLibrary | undefined;
  create(dtype: number, rank: number, data: ArrayBufferView): number;
  /** One string fills the whole shape; `lengths` are in bytes. */
  createStrings(rank: number, bytes: ArrayBufferView, lengths: Float64Array): number;
  stringLengths(id: number, lengths: Float64Array): void;
  readStrings(id: number, into: ArrayBufferView): void;
  /** The tensor's own memory; undefined where it has to be copied: nothing in it, or a host that forbids it. */
  lend(id: number): ArrayBuffer | undefined;
  read(id: number, into: ArrayBufferView): void;
  device(id: number): string;
  exists(id: number): boolean;
  release(id: number): boolean;
  releaseAll(ids: Float64Array, count: number): void;
  prepare(
    label: string,
    name: string,
    inputs: number,
    attrs: readonly NativeAttr[],
    constants: readonly (readonly [position: number, id: number])[],
    /** For `runMany`; without it the op has one output and at most 8 inputs. */
    outputs?: number,
    device?: string,
    /** Whether each call is checked by the op's shape function, which eager execution leaves out. */
    checksShapes?: boolean,
  ): number;
  run(index: number, ...ids: number[]): number;
  /** Answers `[id, dtype, rank, ...dims]` of each output, one after another. */
  runMany(index: number, ids: Float64Array): Float64Array;
  /** Drops a prepared op; false when there is none of that index. */
  forget(index: number): boolean;
  clearKernels(): void;
  /** TensorFlow's OpList message. */
  opList(): Buffer;
  /** For the tasks begun from now on: called once per ticket that is not cancelled, with an error or the answer. */
  setSettle(settle: (ticket: number, error: unknown, value: unknown) => void): void;
  /** `runMany` on a thread of the pool; answers a ticket. The task has its own share of each input. */
  runAsync(index: number, ids: Float64Array): number;
  /**
   * `runMany` of an op that may wait, on a thread of its own. This thread waits for it and calls `tick` now and then, so that
   * `worker.terminate()` reaches it.
   */
  runApart(index: number, ids: Float64Array, tick: () => void): Float64Array;
  /**
   * `read`, or `readStrings` of a string tensor, on a thread of the pool; answers a ticket. Nobody else may have `into`
   * before the task is over: its memory must stay where it is.
   */
  readAsync(id: number, into: ArrayBufferView): number;
  cancel(ticket: number): void;
  /** Another handle of the same tensor. */
  share(id: number): number;
  configure(
    text: string,
    proto: Uint8Array,
    environment: readonly (readonly [name: string, value: string])[],
    threads: number,
    queue: number,
    handles: number,
    bytes: number,
  ): void;
  /** The text that `configure` was given; empty when nobody has. */
  configuration(): string;
  setWarn(warn: (handles: number, bytes: number) => void): void;
  exportTensor(id: number, milliseconds: number): string;
  importTensor(key: string): number;
  held(): NativeHeld;
}

/** Requires the addon at `path` and gives it this realm's error class. */
export function requireBinding(path: string): NativeBinding {
  // A .node file cannot be imported.
  const binding = require(path) as NativeBinding;
  binding.setErrorFactory(
    (code, facts, tfCode, tfMessage) =>
      new TfeError(
        code,
        facts,
        tfCode === 0
          ? {}
          : { tfStatus: { code: tfCode, name: tfCodeName(tfCode), message: tfMessage } },
      ),
  );
  return binding;
}
