/**
 * The helper behind `using` and `await using` in built files: Node 20 does not parse the syntax, so the build turns it
 * into calls of this. Follows the proposal (tc39/proposal-explicit-resource-management): resources are disposed of in
 * reverse order, each exactly once, and an error while disposing does not hide an earlier one.
 */

type Dispose = () => unknown;

interface Resource {
  /** `null`: an `await using` of null or undefined, which still waits once. */
  readonly dispose: Dispose | null;
  readonly isAsync: boolean;
}

/** Node 20 has no `SuppressedError`; where the platform has one, it is used. */
function suppressed(error: unknown, hidden: unknown): unknown {
  const Native = (
    globalThis as { SuppressedError?: new (error: unknown, hidden: unknown) => Error }
  ).SuppressedError;
  if (Native !== undefined) return new Native(error, hidden);
  const combined = new Error('An error was suppressed during disposal.');
  combined.name = 'SuppressedError';
  return Object.assign(combined, { error, suppressed: hidden });
}

const NOTHING: unknown = Object.freeze({});

function disposerOf(value: unknown, isAsync: boolean): Dispose {
  if (typeof value !== 'object' && typeof value !== 'function') {
    throw new TypeError('using declarations take objects, functions, null or undefined.');
  }
  const holder = value as Record<symbol, unknown>;
  const asyncMethod = isAsync ? holder[Symbol.asyncDispose] : undefined;
  const isSyncMethod = asyncMethod === undefined || asyncMethod === null;
  const method = isSyncMethod ? holder[Symbol.dispose] : asyncMethod;
  if (typeof method !== 'function') {
    const wanted = isAsync ? 'Symbol.asyncDispose or Symbol.dispose' : 'Symbol.dispose';
    throw new TypeError(`A value declared with using has no method [${wanted}].`);
  }
  if (!isAsync || !isSyncMethod) return () => method.call(value) as unknown;
  // The promise of a synchronous method is not awaited (proposal, GetDisposeMethod).
  return () => {
    method.call(value);
  };
}

/** What the transformed code calls. The transformer (oxc, as Babel before it) settles the names. */
export interface UsingContext {
  /** Takes the error that the block ended with. */
  e: unknown;
  /** `using x = value`. */
  u<T>(value: T): T;
  /** `await using x = value`. */
  a<T>(value: T): T;
  /** The end of the block: disposes of everything, then throws the error if there is one. A promise after an `a`. */
  d(): unknown;
}

/** One block with `using` or `await using` declarations. */
export function usingCtx(): UsingContext {
  const resources: Resource[] = [];
  let failure: unknown = NOTHING;

  const add = <T>(value: T, isAsync: boolean): T => {
    if (value !== null && value !== undefined) {
      resources.push({ dispose: disposerOf(value, isAsync), isAsync });
    } else if (isAsync) {
      resources.push({ dispose: null, isAsync });
    }
    return value;
  };
  const fail = (error: unknown): void => {
    failure = failure === NOTHING ? error : suppressed(error, failure);
  };
  const end = (): void => {
    if (failure !== NOTHING) throw failure;
  };
  const disposeAsync = async (): Promise<void> => {
    for (let resource = resources.pop(); resource !== undefined; resource = resources.pop()) {
      try {
        const result = resource.dispose?.();
        if (resource.isAsync) await result;
      } catch (error) {
        fail(error);
      }
    }
    end();
  };

  return {
    get e() {
      return failure;
    },
    set e(error) {
      failure = error;
    },
    u: (value) => add(value, false),
    a: (value) => add(value, true),
    d() {
      if (resources.some(({ isAsync }) => isAsync)) return disposeAsync();
      for (let resource = resources.pop(); resource !== undefined; resource = resources.pop()) {
        try {
          resource.dispose?.();
        } catch (error) {
          fail(error);
        }
      }
      return end();
    },
  };
}
