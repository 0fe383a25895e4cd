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
export const lengthOf = getter('length') as (array: Uint8Array) => number;
