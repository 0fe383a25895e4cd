/** What a typed array is by its internal slots: no subclass, no other realm and no look-alike changes the answer. */

const PROTOTYPE = Object.getPrototypeOf(Uint8Array.prototype) as object;

function getter(name: PropertyKey): (array: unknown) => unknown {
  const { get } = Object.getOwnPropertyDescriptor(PROTOTYPE, name) as {
    get: (this: void) => unknown;
  };
  return (array) => Reflect.apply(get, array, []) as unknown;
}

/** Name of its class, `'Float32Array'`; undefined for what is no typed array. */
export const tagOf = getter(Symbol.toStringTag) as (value: unknown) => string | undefined;

/** Number of elements. */
export const lengthOf = getter('length') as (array: ArrayBufferView) => number;

/** The memory it is a view of. */
export const bufferOf = getter('buffer') as (array: ArrayBufferView) => ArrayBuffer;

/** Where in its memory it begins. */
export const byteOffsetOf = getter('byteOffset') as (array: ArrayBufferView) => number;

/** Whether its memory is there. A typed array that has lost it, or that outgrows it, looks like an empty one. */
export function hasMemory(array: ArrayBufferView): boolean {
  if (lengthOf(array) > 0) return true;
  try {
    Uint8Array.prototype.keys.call(array as Uint8Array);
    return true;
  } catch {
    return false;
  }
}
