/**
 * Who frees a tensor. A tensor belongs to the scope in which it was made and is freed when that scope ends,
 * unless it is in the scope's result (then it moves to the enclosing scope) or `keep()` took it out. Tensors
 * that no scope owns are the caller's; a FinalizationRegistry is only their safety net, because finalizers
 * never run inside a synchronous loop.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { types } from 'node:util';
import { isFunction, isObject } from '../objects';

/** What a scope needs of a tensor. Implemented by Tensor; kept apart so that the two files do not cycle. */
export interface Scoped {
  /** The scope that frees it, or null. */
  owner: Scope | null;
  /** Its native id, or -1 when it is disposed. */
  readonly liveId: number;
  /** Marks it as freed; the scope frees the handles itself, all at once. */
  markFreed(): void;
  /** Called when no scope owns it any more. */
  watch(): void;
}

const COMPACT_FROM = 1024;

export class Scope {
  #owned: Scoped[] = [];
  #compactAt = COMPACT_FROM;
  closed = false;

  add(tensor: Scoped): void {
    tensor.owner = this;
    this.#owned.push(tensor);
    // A long loop that disposes by hand inside one scope must not keep every dead tensor object.
    if (this.#owned.length >= this.#compactAt) {
      this.#owned = this.#owned.filter((entry) => entry.owner === this && entry.liveId >= 0);
      this.#compactAt = Math.max(COMPACT_FROM, this.#owned.length * 2);
    }
  }

  /** Ends the scope: `survivors` move to `outer`, everything else is freed in one native call. */
  close(survivors: Survivors, outer: Scope | null, release: ReleaseAll): void {
    this.closed = true;
    const ids = new Float64Array(this.#owned.length);
    let count = 0;
    for (const tensor of this.#owned) {
      if (tensor.owner !== this || tensor.liveId < 0) continue;
      if (survivors.has(tensor)) {
        adopt(tensor, outer);
      } else {
        ids[count++] = tensor.liveId;
        tensor.markFreed();
      }
    }
    this.#owned = [];
    if (count > 0) release(ids, count);
  }
}

/** Which tensors outlive the scope. */
export interface Survivors {
  has(tensor: Scoped): boolean;
}

/** None of them. */
export const NOBODY: Survivors = new Set<Scoped>();

type ReleaseAll = (ids: Float64Array, count: number) => void;

/** The innermost synchronous scope. Always null when control returns to the event loop. */
let current: Scope | null = null;

/** Carries the scope of an async function across its awaits. Consulted only once it has been used. */
let asyncScopes: AsyncLocalStorage<Scope> | null = null;

/** The scope that a tensor made now belongs to. */
export function currentScope(): Scope | null {
  if (current !== null) return current;
  const scope = asyncScopes?.getStore();
  return scope === undefined || scope.closed ? null : scope;
}

/** Gives `tensor` to `scope`, or to nobody when there is none or it has ended. */
export function adopt(tensor: Scoped, scope: Scope | null): void {
  if (scope === null || scope.closed) {
    tensor.owner = null;
    tensor.watch();
  } else {
    scope.add(tensor);
  }
}

/** Runs `body` with `scope` as the current scope. */
export function runIn<T>(scope: Scope, body: () => T): T {
  const outer = current;
  current = scope;
  try {
    return body();
  } finally {
    current = outer;
  }
}

/** Runs `body` so that `scope` follows it across awaits. */
export function runInAsync<T>(scope: Scope, body: () => Promise<T>): Promise<T> {
  asyncScopes ??= new AsyncLocalStorage<Scope>();
  const outer = current;
  current = null;
  try {
    return asyncScopes.run(scope, body);
  } finally {
    current = outer;
  }
}

export function isThenable(value: unknown): boolean {
  return (
    (isObject(value) || isFunction(value)) &&
    typeof (value as { then?: unknown }).then === 'function'
  );
}

/** Collects the tensors in a result: itself, and those in nested arrays, Maps, Sets and plain objects. */
export function tensorsIn(value: unknown, isTensor: (value: unknown) => boolean): Set<Scoped> {
  const found = new Set<Scoped>();
  const seen = new Set<object>();
  const pending: object[] = [];
  const visit = (next: unknown): void => {
    if (!isObject(next) || seen.has(next)) return;
    seen.add(next);
    pending.push(next);
  };
  visit(value);
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    if (isTensor(next)) found.add(next as Scoped);
    // Not by its methods, which may be anything, nor by its length: holes hold no tensors.
    else if (Array.isArray(next)) Object.values(next).forEach(visit);
    else if (types.isSet(next)) Set.prototype.forEach.call(next, visit);
    else if (types.isMap(next)) {
      Map.prototype.forEach.call(next, (entry, key) => {
        visit(key);
        visit(entry);
      });
    } else if (isPlainObject(next)) Object.values(next).forEach(visit);
  }
  return found;
}

/** By shape, not by `Object.prototype`: another realm has another one. */
function isPlainObject(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}
