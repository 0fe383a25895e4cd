/**
 * Looking at values that a caller gives. A revoked proxy throws a TypeError at whoever only asks what it is; to these
 * functions it is nothing, so that it is refused like any other wrong value.
 */

/** `Array.isArray`, and false for a revoked proxy. */
export function isArray(value: unknown): value is unknown[] {
  try {
    return Array.isArray(value);
  } catch {
    return false;
  }
}

/** The length of an array, which may be a proxy that says anything; -1 for what is no array or no length. */
export function lengthOfArray(value: unknown): number {
  const length: unknown = isArray(value) ? value.length : undefined;
  return Number.isSafeInteger(length) && (length as number) >= 0 ? (length as number) : -1;
}

/** An array as a list of so many entries, in an error message. */
export function describeLength(length: number): string {
  return length < 0 ? 'an array without a length' : `an array of ${length}`;
}

/** An object whose properties can be asked for. */
export function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && isReadable(value);
}

/** A function whose properties can be asked for. */
export function isFunction(value: unknown): value is (...args: never[]) => unknown {
  return typeof value === 'function' && isReadable(value);
}

/** False for a revoked proxy alone. */
function isReadable(value: unknown): boolean {
  try {
    Array.isArray(value); // the one question that reaches no trap
    return true;
  } catch {
    return false;
  }
}
