/**
 * The scope of one call. Like `scope` of the tensor layer, except that a function which is not async may answer a
 * promise: as it was written it works, so lowering must not turn it into an error. What it made by then is kept until
 * the promise settles.
 */
import { currentScope, isThenable, NOBODY, runIn, Scope, type Survivors } from '../tensor/scope';
import { releaseAll, survivorsOf } from '../tensor/tensor';

/** Runs `body`, then frees every tensor made in it that is not in its result, or in what its promise resolves to. */
export function scopeCall<T>(body: () => T): T {
  const outer = currentScope();
  const inner = new Scope();
  const end = (survivors: Survivors) => {
    inner.close(survivors, outer, releaseAll);
  };
  let survivors: Survivors = NOBODY;
  let isPending = false;
  try {
    const result = runIn(inner, body);
    isPending = isThenable(result);
    if (isPending) return settled(result as PromiseLike<unknown>, end) as T;
    survivors = survivorsOf(result);
    return result;
  } finally {
    if (!isPending) end(survivors);
  }
}

async function settled(
  promise: PromiseLike<unknown>,
  end: (survivors: Survivors) => void,
): Promise<unknown> {
  let survivors: Survivors = NOBODY;
  try {
    const result = await promise;
    survivors = survivorsOf(result);
    return result;
  } finally {
    end(survivors);
  }
}
