/** What a fuzzer has found: values that V8 itself throws at, methods on other receivers, lists that change. */
import { describe, expect, test } from '@jest/globals';
import { configure, execute, importTensor, isTfeError, scope, Tensor, tf } from '../../lib';
import { codeOf, expectNoTensorsLeft } from './accounting';

expectNoTensorsLeft();

type Loose = (...args: unknown[]) => unknown;
const loose = (value: unknown): Loose => value as Loose;

function revoked<T extends object>(target: T): T {
  const { proxy, revoke } = Proxy.revocable(target, {});
  revoke();
  return proxy;
}

describe('a revoked proxy', () => {
  const object = revoked({});
  const array = revoked([]);

  test.each<readonly [string, string, () => unknown]>([
    ['values', 'TFE_VALUES_TYPE', () => tf.constant(array)],
    ['an element', 'TFE_VALUES_TYPE', () => tf.constant([object] as unknown as number[])],
    ['a shape', 'TFE_SHAPE_INVALID', () => tf.constant(1, { shape: array })],
    ['options', 'TFE_OPTION_VALUE', () => tf.constant(1, object)],
    ['options of dataSync', 'TFE_OPTION_VALUE', () => scope(() => tf.constant(1).dataSync(object))],
    ['a configuration', 'TFE_OPTION_VALUE', () => configure(object)],
    ['inputs', 'TFE_OP_ARGUMENT', () => execute('NoOp', { inputs: array })],
    ['attributes', 'TFE_OP_ARGUMENT', () => execute('NoOp', { attrs: object })],
    ['a token', 'TFE_OP_ARGUMENT', () => loose(importTensor)(object)],
    ['a function', 'TFE_OP_ARGUMENT', () => scope(revoked(() => 1))],
  ])('as %s is %s', (_, code, call) => {
    expect(codeOf(call)).toBe(code);
  });

  test('as a signal is TFE_OPTION_VALUE', async () => {
    const sum = loose(tf.addAsync)(1, 1, { signal: object }) as Promise<unknown>;
    await expect(sum).rejects.toMatchObject({ code: 'TFE_OPTION_VALUE' });
  });

  test('is no TfeError, and is let out of a scope', () => {
    expect(isTfeError(object)).toBe(false);
    expect(scope(() => [object])).toHaveLength(1);
  });
});

describe('on another receiver', () => {
  test.each(['dataSync', 'arraySync', 'toString', 'toJSON', 'dispose', Symbol.dispose] as const)(
    'the method %p is TFE_OP_ARGUMENT',
    (name) => {
      const method = loose(Tensor.prototype[name]);
      for (const self of [undefined, {}, Tensor.prototype, Object.create(Tensor.prototype)]) {
        expect(codeOf(() => Reflect.apply(method, self, []))).toBe('TFE_OP_ARGUMENT');
      }
    },
  );

  test.each(['dtype', 'shape', 'rank', 'size', 'device', 'isDisposed'])(
    'the property %s is TFE_OP_ARGUMENT',
    (name) => {
      expect(codeOf(() => Reflect.get(Tensor.prototype, name))).toBe('TFE_OP_ARGUMENT');
    },
  );
});

test.each<readonly [string, object]>([
  ['holes', { deviceFilters: new Array(2) }],
  ['a length that is none', { deviceFilters: new Proxy([], { get: () => 1n }) }],
])('a list of a configuration with %s is refused', (_, options) => {
  expect(codeOf(() => configure(options))).toBe('TFE_OPTION_VALUE');
});
