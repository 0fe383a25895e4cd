/** Payloads: one canonical encoding, so that equal payloads are one op and unequal ones are not. */
import { isDeepStrictEqual } from 'node:util';
import { createContext, runInContext } from 'node:vm';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { tf } from '../../lib';
import { encodePayload, freezePayload, type Payload } from '../../lib/extension/payload';
import { thrownBy } from '../tensor/accounting';

const FAMILY = 'test.payload.v1';
const encode = (payload: unknown): string => encodePayload(FAMILY, payload as Payload);
const encodeIn = (value: unknown): string => encode({ x: value });

/** Plain data. Few keys and few values, so that equal payloads come up by themselves. */
const plain = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom(null, true, false, 0, -0, 1, NaN, Infinity, 0n, 1n, -1n, '', '0', 'a', 'b'),
    fc.double(),
    fc.bigInt(),
    fc.string(),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom('a', 'b', '__proto__', '1:a'), tie('value'), { maxKeys: 3 }),
  ),
})).value;

/** A copy whose objects have their keys in another order. */
function reordered(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reordered);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).reverse().map(([key, entry]) => [key, reordered(entry)])); // prettier-ignore
}

/** Prototypes do not count: a dictionary without one is the same payload. */
const withoutPrototypes = (value: unknown): unknown => reordered(value);

describe('the encoding of payloads', () => {
  // Node's own deep equality: NaN equals NaN, 0 is not -0, 1 is not 1n, the order of keys does not matter.
  test('is equal exactly for payloads that are deeply equal', () => {
    fc.assert(
      fc.property(plain, plain, (a, b) => {
        const equal = isDeepStrictEqual(withoutPrototypes(a), withoutPrototypes(b));
        expect(encodeIn(a) === encodeIn(b)).toBe(equal);
      }),
      { numRuns: 2000 },
    );
  });

  test('does not depend on the order of keys', () => {
    fc.assert(
      fc.property(plain, (payload) => {
        expect(encodeIn(reordered(payload))).toBe(encodeIn(payload));
      }),
    );
  });

  test('survives structured cloning', () => {
    fc.assert(
      fc.property(plain, (payload) => {
        expect(encodeIn(structuredClone(payload))).toBe(encodeIn(payload));
      }),
    );
  });

  test.each([
    ['0 and -0', 0, -0],
    ['a number and a bigint', 1, 1n],
    ['a number and its text', 1, '1'],
    ['null and text', null, 'null'],
    ['false and 0', false, 0],
    ['an array and an object with its indices', [1], { 0: 1 }],
    ['an empty array and an empty object', [], {}],
    ['one text and two', ['ab'], ['a', 'b']],
    ['text that looks like an encoding', { a: 's1:b' }, { a: 'b' }],
  ])('tells %s apart', (_, left, right) => {
    expect(encode({ x: left })).not.toBe(encode({ x: right }));
  });

  test('takes every NaN for the same', () => {
    const bits = new DataView(new ArrayBuffer(8));
    bits.setBigUint64(0, 0xfff8_0000_0000_0001n);
    expect(encode({ x: bits.getFloat64(0) })).toBe(encode({ x: NaN }));
  });

  test('takes plain objects and arrays of another realm', () => {
    const foreign: unknown = runInContext('({ axes: [0, 1] })', createContext({}));
    expect(encode(foreign)).toBe(encode({ axes: [0, 1] }));
  });
});

describe('a payload', () => {
  const cyclic: Record<string, unknown> = {};
  cyclic['self'] = cyclic;

  test.each([
    ['undefined', { x: undefined }],
    ['a function', { x: () => 1 }],
    ['a symbol', { x: Symbol('s') }],
    ['a Date', { x: new Date(0) }],
    ['a Map', { x: new Map() }],
    ['a typed array', { x: new Float32Array(1) }],
    ['an instance of a class', { x: new (class Axis {})() }],
    ['a hole in an array', { x: [1, , 2] }], // eslint-disable-line no-sparse-arrays
    ['something that contains itself', cyclic],
  ])('may not hold %s', (_, payload) => {
    expect(thrownBy(() => encode(payload)).code).toBe('TFE_EXTENSION_PAYLOAD');
  });

  test('may not hold a tensor, and the message says where it was', () => {
    using tensor = tf.constant(1);
    const error = thrownBy(() => encode({ weights: [{ x: tensor }] }));
    expect(error.message).toContain('payload.weights[0].x is a Tensor');
    expect(error.message).toContain('tensors are inputs, not payload');
  });

  test.each([
    ['nothing', undefined],
    ['null', null],
    ['text', 'axis'],
    ['an array', [1]],
  ])(
    // prettier-ignore
    'may not be %s instead of an object',
    (_, payload) => {
      const family = () => encode(payload);
      expect(thrownBy(family).code).toBe('TFE_EXTENSION_PAYLOAD');
    },
  );
});

describe('freezing', () => {
  test('makes a deep copy that cannot change', () => {
    const payload = { axes: [0, 1], nested: { flag: true } };
    const frozen = freezePayload(payload);
    payload.axes[0] = 9;
    payload.nested.flag = false;
    expect(frozen).toEqual({ axes: [0, 1], nested: { flag: true } });
    for (const part of [frozen, frozen.axes, frozen.nested]) {
      expect(Object.isFrozen(part)).toBe(true);
    }
  });

  test('keeps the payload what it was', () => {
    fc.assert(
      fc.property(plain, (payload) => {
        expect(encode(freezePayload({ x: payload } as Payload))).toBe(encode({ x: payload }));
      }),
    );
  });
});
