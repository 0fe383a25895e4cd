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

/** An object whose properties can be asked for. */
export function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && isReadable(value);
}

/** False for a revoked proxy alone. */
export function isReadable(value: unknown): boolean {
  try {
    Array.isArray(value); // the one question that reaches no trap
    return true;
  } catch {
    return false;
  }
}
