/**
 * Names a value in an error message without running any of the caller's code: no getter, no proxy trap, no
 * `toString`. A message about a bad argument must never fail because of that argument.
 */
import { types } from 'node:util';

const MAX_TEXT = 40;

function quoted(text: string): string {
  return text.length <= MAX_TEXT
    ? JSON.stringify(text)
    : `${JSON.stringify(text.slice(0, MAX_TEXT))}... (${text.length} characters)`;
}

/** The kinds of objects that are met in the place of a tensor, in the order in which they are tried. */
const OBJECT_KINDS: readonly (readonly [test: (value: object) => boolean, name: string])[] = [
  [types.isProxy, 'a Proxy'],
  [types.isPromise, 'a Promise (is an await missing?)'],
  [Array.isArray, 'an array'],
  [types.isFloat32Array, 'a Float32Array'],
  [types.isFloat64Array, 'a Float64Array'],
  [types.isBigInt64Array, 'a BigInt64Array'],
  [types.isTypedArray, 'a typed array'],
  [types.isAnyArrayBuffer, 'an ArrayBuffer'],
  [types.isDate, 'a Date'],
];

/** `null`, `the number 3`, `an array`, `a Promise (is an await missing?)`. */
export function describeValue(value: unknown): string {
  switch (typeof value) {
    case 'undefined':
      return 'undefined';
    case 'string':
      return `the string ${quoted(value)}`;
    case 'number':
      return `the number ${Object.is(value, -0) ? '-0' : value}`;
    case 'bigint':
      return value < 10n ** 30n && value > -(10n ** 30n)
        ? `the bigint ${value}n`
        : 'a large bigint';
    case 'boolean':
      return String(value);
    case 'symbol':
      return 'a symbol';
    case 'function':
      return 'a function';
    case 'object':
      if (value === null) return 'null';
      return OBJECT_KINDS.find(([test]) => test(value))?.[1] ?? 'an object';
  }
}
