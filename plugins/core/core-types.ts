/**
 * What the language itself says of types: operators on core types, the members of `Math` and `Number`, and what may be
 * read off a tensor. Tables and pure functions; knows no file and no plugin.
 */
import type { TypeKey } from './api';

/** `undefined` while nothing is known yet; `null` when it cannot be resolved. */
export type Type = TypeKey | null | undefined;

/** Pure functions of numbers; `Math.random` is not one. */
export const PURE_MATH: ReadonlySet<string> = new Set(
  (
    'abs acos acosh asin asinh atan atan2 atanh cbrt ceil clz32 cos cosh exp expm1 floor fround hypot imul ' +
    'log log10 log1p log2 max min pow round sign sin sinh sqrt tan tanh trunc'
  ).split(' '),
);
export const MATH_CONSTANTS: ReadonlySet<string> = new Set(
  'E LN10 LN2 LOG10E LOG2E PI SQRT1_2 SQRT2'.split(' '),
);
export const NUMBER_CONSTANTS: ReadonlySet<string> = new Set(
  'EPSILON MAX_SAFE_INTEGER MAX_VALUE MIN_SAFE_INTEGER MIN_VALUE NEGATIVE_INFINITY NaN POSITIVE_INFINITY'.split(
    ' ',
  ),
);
/** What may be read off a tensor without reading its values. */
export const TENSOR_FACTS: ReadonlySet<string> = new Set(['dtype', 'rank', 'shape', 'size']);

const COMPARISONS = new Set(['==', '!=', '===', '!==', '<', '<=', '>', '>=', 'in', 'instanceof']);

/** The type of a value that is one or the other. */
export function joinTypes(a: Type, b: Type): Type {
  if (a === undefined) return b;
  if (b === undefined || a === b) return a;
  return null;
}

/** The type of `left operator right` on core types; `null` on anything else. */
export function arithmetic(operator: string, left: Type, right: Type): Type {
  if (COMPARISONS.has(operator)) return 'boolean';
  if (left === undefined || right === undefined) return undefined;
  if (left === null || right === null) return null;
  if (operator === '+' && (left === 'string' || right === 'string')) {
    return isPrimitive(left) && isPrimitive(right) ? 'string' : null;
  }
  if (left === 'bigint' && right === 'bigint') return operator === '>>>' ? null : 'bigint';
  return isScalar(left) && isScalar(right) ? 'number' : null;
}

/** A core type: the key of a tensor type names its plugin. */
export function isPrimitive(type: TypeKey | null): boolean {
  return type !== null && !type.includes('/');
}

/** A type of which a native function may compute. */
export function isScalar(type: TypeKey | null): boolean {
  return type === 'number' || type === 'boolean';
}
