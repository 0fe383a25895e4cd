/**
 * Payloads: every non-tensor argument of an extension op, as plain data. Identity is the canonical encoding, so
 * that hash and equality cannot disagree: keys sorted, every value tagged and its length given, numbers by their
 * bits (NaN equals NaN, -0 differs from 0).
 */
import { describeValue } from '../describe';
import { tfeError } from '../errors';
import { isArray, isObject } from '../objects';

export type PayloadValue =
  | null
  | boolean
  | number
  | bigint
  | string
  | readonly PayloadValue[]
  | { readonly [key: string]: PayloadValue };

export type Payload = Readonly<Record<string, PayloadValue>>;

/** Deeper than any payload that a person writes; a cyclic one ends here with an error. */
const MAX_DEPTH = 32;

const bits = new DataView(new ArrayBuffer(8));

/** @throws TfeError `TFE_EXTENSION_PAYLOAD` naming the first value that is not plain data */
export function encodePayload(familyId: string, payload: Payload): string {
  const received: unknown = payload;
  if (!isObject(received) || isArray(received)) {
    refuse(familyId, '', describeValue(received));
  }
  return encode(familyId, payload, '', 0);
}

/** A deep, frozen copy: the caller's object may change, the op's must not. */
export function freezePayload<P extends PayloadValue>(value: P): P {
  if (Array.isArray(value)) return Object.freeze((value as PayloadValue[]).map(freezePayload)) as P;
  if (typeof value !== 'object' || value === null) return value;
  return Object.freeze(
    Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, freezePayload(entry)])),
  ) as P;
}

function encode(familyId: string, value: unknown, path: string, depth: number): string {
  if (depth > MAX_DEPTH) refuse(familyId, path, 'nested too deeply');
  switch (typeof value) {
    case 'boolean':
      return value ? 'T' : 'F';
    case 'number':
      bits.setFloat64(0, Number.isNaN(value) ? NaN : value);
      return `n${bits.getBigUint64(0).toString(16)};`;
    case 'bigint':
      return `i${value};`;
    case 'string':
      return `s${value.length}:${value}`;
    case 'object':
      break;
    default:
      refuse(familyId, path, describeValue(value));
  }
  if (value === null) return 'N';
  if (!isObject(value)) refuse(familyId, path, describeValue(value)); // a revoked proxy
  if (isArray(value)) {
    const items = Array.from(value, (item, i) =>
      encode(familyId, item, `${path}[${i}]`, depth + 1),
    );
    return `a${items.length}:${items.join('')}`;
  }
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== null && Object.getPrototypeOf(prototype) !== null) {
    refuse(familyId, path, describeValue(value));
  }
  const keys = Object.keys(value).sort();
  const entries = keys.map(
    (key) =>
      `${key.length}:${key}${encode(familyId, (value as Record<string, unknown>)[key], `${path}.${key}`, depth + 1)}`,
  );
  return `o${keys.length}:${entries.join('')}`;
}

function refuse(familyId: string, path: string, received: string): never {
  throw tfeError('TFE_EXTENSION_PAYLOAD', { familyId, path, received }, { familyId });
}
