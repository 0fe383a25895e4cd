/**
 * Values of attributes: what JavaScript gives for each kind, checked and made into what the addon takes. Whether an op has
 * the attribute, and whether it agrees with the inputs, is bind.ts's to say.
 */
import { types } from 'node:util';
import { describeValue } from '../describe';
import { tfeError } from '../errors';
import { isArray, lengthOfArray } from '../objects';
import { isWellFormed } from '../tensor/strings';
import { isTensor, liveId, type Tensor } from '../tensor/tensor';
import { hasMemory } from '../tensor/typed-array';
import type { AttrDefinition, ScalarKind } from './definition';
import { typeName, typeOf } from './types';

/** Text as UTF-8, or bytes as they are. */
export type AttrString = string | Uint8Array;
/** Size of each dimension, -1 or null where it may be any; null when the rank may be any too. */
export type AttrShape = readonly (number | bigint | null)[] | null;
/** A type is given by its name (types.ts), a function too. */
export type AttrScalar = AttrString | number | bigint | boolean | AttrShape | Tensor;
/** Any value of any attribute; the op's definition says which. */
export type AttrValue = AttrScalar | readonly AttrScalar[];

/** A checked value: as the addon takes it. */
export type NativeScalar =
  string | Uint8Array | number | bigint | boolean | readonly (number | bigint)[] | null;

export interface Checked {
  readonly native: NativeScalar | readonly NativeScalar[];
  /** The same for equal values and for no others; `null` for what cannot be compared (a tensor). */
  readonly key: string | null;
}

/** TensorFlow makes tables of this length from one number; the addon refuses more too. */
export const MAX_LISTED = 65_536;
const MAX_RANK = 254;
const MAX_FLOAT32 = 3.4028234663852886e38;
const INT64 = [-(2n ** 63n), 2n ** 63n - 1n] as const;

const EXPECTED: Readonly<Record<ScalarKind, string>> = {
  string: 'a string (no half of a surrogate pair) or a Uint8Array',
  int: 'a safe integer, or a bigint of 64 bits',
  float: 'a number that float32 can hold',
  bool: 'true or false',
  type: "the name of a type, like 'float32'",
  shape: 'an array of dimensions (-1 or null: any size), or null (any rank)',
  tensor: 'a Tensor',
  func: 'the name of a function',
};

export function wrongAttribute(
  op: string,
  attribute: string,
  expected: string,
  received: unknown,
): Error {
  return tfeError(
    'TFE_OP_ATTRIBUTE',
    { op, attribute, expected, received: describeValue(received) },
    { op },
  );
}

/** @throws TfeError `TFE_OP_ATTRIBUTE`, `TFE_TENSOR_DISPOSED` */
export function checkAttribute(op: string, attr: AttrDefinition, value: unknown): Checked {
  return attr.isList ? checkList(op, attr, value) : checkOne(op, attr, value, attr.name);
}

function checkList(op: string, attr: AttrDefinition, value: unknown): Checked {
  const { name, scalar, minimum } = attr;
  const length = lengthOfArray(value);
  if (!isArray(value) || length < 0) {
    throw wrongAttribute(op, name, `an array, each element ${EXPECTED[scalar]},`, value);
  }
  if (length > MAX_LISTED) {
    throw wrongAttribute(op, name, `at most ${MAX_LISTED} values`, length);
  }
  if (minimum !== null && length < minimum) {
    throw wrongAttribute(op, name, `at least ${minimum} value${plural(minimum)}`, length);
  }
  const native: NativeScalar[] = [];
  const keys: string[] = [];
  for (let i = 0; i < length; i++) {
    const checked = checkOne(op, attr, value[i], `${name}[${i}]`);
    native.push(checked.native as NativeScalar);
    keys.push(checked.key!);
  }
  return { native, key: `[${keys.join(',')}]` };
}

export function plural(count: number): string {
  return count === 1 ? '' : 's';
}

function checkOne(op: string, attr: AttrDefinition, value: unknown, place: string): Checked {
  const checked = READERS[attr.scalar](value);
  if (checked === null) throw wrongAttribute(op, place, EXPECTED[attr.scalar], value);
  const { allowed, minimum } = attr;
  if (allowed !== null && !allowed.includes(comparable(checked.native))) {
    const names = allowed.map((one) => (typeof one === 'number' ? typeName(one) : one));
    throw wrongAttribute(op, place, `one of ${names.join(', ')}`, value);
  }
  if (!attr.isList && minimum !== null && Number(checked.native) < minimum) {
    throw wrongAttribute(op, place, `${minimum} or more`, value);
  }
  if (attr.scalar === 'tensor') liveId(value as Tensor, op);
  return checked;
}

/** The table's spelling of a value that may have to be one of several: a type's number, or text. */
function comparable(native: Checked['native']): string | number {
  return native instanceof Uint8Array
    ? Buffer.from(native).toString('latin1')
    : (native as string | number);
}

const READERS: Readonly<Record<ScalarKind, (value: unknown) => Checked | null>> = {
  string(value) {
    if (typeof value === 'string') {
      return isWellFormed(value) ? { native: value, key: JSON.stringify(value) } : null;
    }
    if (!types.isUint8Array(value) || !hasMemory(value)) return null;
    // A copy: what the caller does with its bytes later must not reach a prepared op. Buffer.from alone would ask the
    // array for its length, which may be anything.
    const bytes = Buffer.from(new Uint8Array(value).buffer);
    return { native: bytes, key: `b${bytes.toString('hex')}` };
  },
  int: readInt,
  float(value) {
    if (typeof value !== 'number') return null;
    if (Number.isFinite(value) && Math.abs(value) > MAX_FLOAT32) return null;
    const float = Math.fround(value);
    return { native: float, key: Object.is(float, -0) ? '-0' : String(float) };
  },
  bool: (value) => (typeof value === 'boolean' ? { native: value, key: String(value) } : null),
  type(value) {
    const tf = typeOf(value);
    return tf === undefined ? null : { native: tf, key: String(tf) };
  },
  shape(value) {
    if (value === null) return { native: null, key: 'null' };
    const length = lengthOfArray(value);
    if (!isArray(value) || length < 0 || length > MAX_RANK) return null;
    const dims: (number | bigint)[] = [];
    for (let i = 0; i < length; i++) {
      const dim = value[i];
      const checked = dim === null ? UNKNOWN_DIM : readInt(dim);
      if (checked === null || (checked.native as number | bigint) < -1) return null;
      dims.push(checked.native as number | bigint);
    }
    return { native: dims, key: `[${dims.join(',')}]` };
  },
  tensor: (value) => (isTensor(value) ? { native: value.liveId, key: null } : null),
  func: (value) =>
    typeof value === 'string' && value !== '' && !value.includes('\0')
      ? { native: value, key: JSON.stringify(value) }
      : null,
};

const UNKNOWN_DIM: Checked = { native: -1, key: '-1' };

function readInt(value: unknown): Checked | null {
  if (typeof value === 'bigint') {
    if (value < INT64[0] || value > INT64[1]) return null;
    const number = Number(value);
    return { native: Number.isSafeInteger(number) ? number : value, key: String(value) };
  }
  // Adding 0 makes 0 of -0.
  return Number.isSafeInteger(value) ? { native: (value as number) + 0, key: String(value) } : null;
}

/** A default, as the table writes it, in the spelling that {@link checkAttribute} would make of the same value. */
export function defaultOf({ fallback, scalar, isList }: AttrDefinition): Checked {
  const one = (value: unknown): Checked => {
    if (scalar === 'type') return { native: value as number, key: String(value) };
    if (scalar === 'float') return READERS.float(Number(value))!;
    if (scalar === 'func') return { native: value as string, key: JSON.stringify(value) };
    return READERS[scalar](value)!;
  };
  if (!isList) return one(fallback);
  const values = (fallback as unknown[]).map(one);
  return {
    native: values.map(({ native }) => native as NativeScalar),
    key: `[${values.map(({ key }) => key).join(',')}]`,
  };
}
