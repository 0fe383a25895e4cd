/**
 * Promises over the addon's worker pool. Owns which promise waits for which ticket, abort signals, and the stack of
 * the caller; what runs is the addon's business, what becomes of a result its caller's.
 */
import { describeValue } from '../describe';
import { isTfeError, tfeError } from '../errors';
import { captureStack } from '../errors/stack';
import { isObject } from '../objects';
import type { NativeBinding } from './binding';
import { native } from './loader';

/** Options of every `*Async` function. */
export interface AsyncOptions {
  /**
   * Rejects the promise at once, with the signal's reason. Work that has not begun is taken back. A kernel that waits (for a
   * queue, a mutex) is called off; one that computes ends by itself, and its result is freed. Default: none. What is no
   * AbortSignal is refused, `TFE_OPTION_VALUE`.
   */
  readonly signal?: AbortSignal | undefined;
}

interface Waiting {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: Error) => void;
}

const waiting = new Map<number, Waiting>();

function settle(ticket: number, error: unknown, value: unknown): void {
  const entry = waiting.get(ticket);
  waiting.delete(ticket);
  if (error === null) entry?.resolve(value);
  else entry?.reject(error as Error);
}

/**
 * Begins a task and answers a promise of what `finish` makes of its value. Never throws. The task must have taken a
 * share of all it needs when `start` returns.
 *
 * @param caller the function whose frames, and those below it, an error's stack leaves out
 */
export function offLoop<T>(
  start: (binding: NativeBinding) => number,
  finish: (binding: NativeBinding, value: unknown) => T,
  { signal }: AsyncOptions,
  caller: (...values: never[]) => unknown,
): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    signal?.throwIfAborted();
    const binding = native();
    // Each time: another copy of this package in this thread has the same addon and its own promises.
    binding.setSettle(settle);
    // A native error is made on another turn, where the caller's frames are gone.
    const trace = traceOf(caller);
    let ticket = 0;
    let aborted = false;
    // Before the task begins: a signal may be anybody's, and what it throws must not leave a task that nobody waits for.
    const forget = onAbort(signal, (reason) => {
      aborted = true;
      waiting.delete(ticket);
      binding.cancel(ticket);
      reject(reason);
    });
    if (aborted) return;
    try {
      ticket = start(binding);
    } catch (error) {
      forget();
      throw error;
    }
    waiting.set(ticket, {
      resolve(value) {
        forget();
        try {
          resolve(finish(binding, value));
        } catch (error) {
          reject(withStack(error, trace));
        }
      },
      reject(error) {
        forget();
        reject(withStack(error, trace));
      },
    });
  });
}

/**
 * Several tasks as one: `work`, or the rejection of `signal` as soon as it comes; then `discard` frees what `work`
 * answers later. An error of a task that began on a later turn gets the frames of this call.
 */
export function composite<T>(
  work: () => Promise<T>,
  { signal }: AsyncOptions,
  discard: (result: T) => void,
  caller: (...values: never[]) => unknown,
): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    signal?.throwIfAborted();
    const trace = traceOf(caller);
    // By what the signal has told: what it says of itself, it may not have told.
    let aborted = false;
    const forget = onAbort(signal, (reason) => {
      aborted = true;
      reject(reason);
    });
    if (aborted) return;
    const run = async (): Promise<void> => {
      try {
        const result = await work();
        if (aborted) discard(result);
        else resolve(result);
      } catch (error) {
        reject(withMoreStack(error, trace));
      } finally {
        forget();
      }
    };
    void run();
  });
}

interface Trace {
  readonly stack?: string;
}

/** The caller's stack. Formatted only when it is read. */
function traceOf(caller: (...values: never[]) => unknown): Trace {
  const trace: Trace = {};
  captureStack(trace, caller);
  return trace;
}

type Abort = (reason: Error) => void;

interface Listener {
  readonly aborts: Set<Abort>;
  readonly listen: () => void;
}

/** One listener a signal, while there is work: Node warns of more than ten, and keeps a signal with a listener alive. */
const listeners = new WeakMap<AbortSignal, Listener>();

/** Calls `abort` once, when the signal is aborted; answers the function that calls it off. */
function onAbort(signal: AbortSignal | undefined, abort: Abort): () => void {
  if (signal === undefined) return () => undefined;
  let listener = listeners.get(signal);
  if (listener === undefined) {
    const aborts = new Set<Abort>();
    const listen = (): void => {
      listeners.delete(signal);
      const reason = reasonOf(signal);
      for (const each of aborts) each(reason);
    };
    aborts.add(abort); // a signal may call at once
    listener = { aborts, listen };
    listeners.set(signal, listener);
    try {
      signal.addEventListener('abort', listen, { once: true });
    } catch (error) {
      listeners.delete(signal);
      throw error;
    }
  }
  const { aborts, listen } = listener;
  aborts.add(abort);
  return () => {
    if (!aborts.delete(abort) || aborts.size > 0) return;
    if (listeners.get(signal)?.listen === listen) listeners.delete(signal);
    try {
      signal.removeEventListener('abort', listen);
    } catch {
      // The promise is about to settle, and must.
    }
  };
}

/** Why a signal was aborted; whatever it throws when it is asked. */
function reasonOf(signal: AbortSignal): Error {
  try {
    return signal.reason as Error;
  } catch (error) {
    return error as Error;
  }
}

/**
 * The `signal` of an options object that has been checked for unknown keys.
 * @throws TfeError `TFE_OPTION_VALUE`
 */
export function signalOption(functionName: string, options: unknown): AsyncOptions {
  const signal = (options as { signal?: unknown } | undefined)?.signal;
  if (signal === undefined) return {};
  let cause: unknown;
  try {
    if (isSignal(signal)) return { signal };
  } catch (error) {
    cause = error; // a getter's own
  }
  throw tfeError(
    'TFE_OPTION_VALUE',
    {
      function: functionName,
      option: 'signal',
      expected: 'an AbortSignal',
      received: describeValue(signal),
    },
    { cause },
  );
}

/** By what it can do: another realm has another AbortSignal. */
function isSignal(value: unknown): value is AbortSignal {
  if (!isObject(value)) return false;
  const { aborted, addEventListener, removeEventListener, throwIfAborted } =
    value as Partial<AbortSignal>;
  return (
    typeof aborted === 'boolean' &&
    typeof addEventListener === 'function' &&
    typeof removeEventListener === 'function' &&
    typeof throwIfAborted === 'function'
  );
}

/** The error of another turn of the loop, with the frames of the call instead of its own. */
function withStack(error: unknown, trace: Trace): Error {
  return setStack(error, () => {
    const frames = framesOf(trace);
    return frames === '' ? null : `${(error as Error).name}: ${(error as Error).message}${frames}`;
  });
}

/** The error with the frames of the call below its own, unless they are there. */
function withMoreStack(error: unknown, trace: Trace): Error {
  return setStack(error, () => {
    const frames = framesOf(trace);
    const { stack } = error as { stack?: unknown };
    if (!isTfeError(error) || typeof stack !== 'string') return null;
    return stack.includes(frames.split('\n').at(-1)!) ? null : `${stack}${frames}`;
  });
}

/** A stack is a help only, and `Error.prepareStackTrace` may be anybody's: whatever it does, the promise settles. */
function setStack(error: unknown, make: () => string | null): Error {
  try {
    const stack = error instanceof Error ? make() : null;
    if (stack !== null) (error as Error).stack = stack;
  } catch {
    // the error as it is
  }
  return error as Error;
}

function framesOf({ stack }: { readonly stack?: unknown }): string {
  return typeof stack === 'string' && stack.includes('\n') ? stack.slice(stack.indexOf('\n')) : '';
}
