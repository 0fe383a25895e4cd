import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { runInNewContext } from 'node:vm';
import { NotPlainData, printLiteral } from '../../../plugins/core/lower-literal';

const read = (text: string): unknown => runInNewContext(`(${text})`);

describe('printLiteral', () => {
  it('writes any plain data so that JavaScript reads the same data', () => {
    const leaf = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.double(),
      fc.boolean(),
      fc.constant(null),
      fc.bigInt(),
    );
    const data = fc.letrec<{ value: unknown }>((tie) => ({
      value: fc.oneof(
        { depthSize: 'small' },
        leaf,
        fc.array(tie('value'), { maxLength: 3 }),
        fc.dictionary(fc.string({ unit: 'binary' }), tie('value'), { maxKeys: 3 }),
      ),
    })).value;
    fc.assert(
      fc.property(data, (value) => {
        expect(read(printLiteral(value))).toEqual(value);
      }),
    );
  });

  it.each([
    [-0, '-0'],
    [NaN, 'NaN'],
    [-Infinity, '-Infinity'],
    [10n, '10n'],
    [{ a: [1, 'b'], 'c-d': {} }, '{ a: [1, "b"], "c-d": {} }'],
  ])('writes %p as %s', (value, text) => {
    expect(printLiteral(value)).toBe(text);
  });

  it('keeps a key named __proto__ a key', () => {
    const value = JSON.parse('{ "__proto__": 1 }') as object;
    expect(Object.keys(read(printLiteral(value)) as object)).toEqual(['__proto__']);
  });

  it.each<[string, unknown, string]>([
    ['undefined', { a: undefined }, 'a is undefined'],
    ['a function', { a: [() => 1] }, 'a[0] is a function'],
    ['a symbol', Symbol('s'), 'the value is a symbol'],
    ['a class instance', { when: new Date(0) }, 'when is not a plain object'],
    ['a symbol key', { [Symbol('s')]: 1 }, 'the value has a symbol as a key'],
    [
      'an accessor',
      {
        get a() {
          throw new Error('must not run');
        },
      },
      'a is an accessor',
    ],
  ])('refuses %s and says where', (_, value, message) => {
    expect(() => printLiteral(value)).toThrow(NotPlainData);
    expect(() => printLiteral(value)).toThrow(message);
  });

  it('refuses a cycle', () => {
    const cycle: Record<string, unknown> = {};
    cycle['self'] = cycle;
    expect(() => printLiteral(cycle)).toThrow('nests too deeply or refers to itself');
  });
});
