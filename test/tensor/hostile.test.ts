/** Values that V8 itself throws at, methods on other receivers, lists that change: each is refused with a code. */
import { describe, expect, jest, test } from '@jest/globals';
import {
  configure,
  execute,
  importTensor,
  isTfeError,
  keep,
  raw,
  scope,
  status,
  Tensor,
  tf,
  type AttrValue,
} from '../../lib';
import { defineExtensionOp, type ExtensionFamily, type Payload } from '../../lib/extension';
import { codeOf, expectNoTensorsLeft, thrownBy } from './accounting';

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
  const define = (faults: object): ExtensionFamily<Payload> =>
    defineExtensionOp({
      familyId: 'test.revoked.v1',
      inputCount: 1,
      outputCount: 1,
      effects: [],
      aliases: 'allFresh',
      inferOutputMeta: () => [],
      ...faults,
    });

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
    ['an axis', 'TFE_OPTION_VALUE', () => scope(() => tf.argmax(tf.constant([1]), object))],
    ['an extension op', 'TFE_FAMILY_ID', () => loose(defineExtensionOp)(object)],
    ['effects', 'TFE_EXTENSION_EFFECTS_UNDECLARED', () => define({ effects: array })],
    ['aliases', 'TFE_EXTENSION_ALIASES_UNDECLARED', () => define({ aliases: array })],
    ['an alias', 'TFE_EXTENSION_ALIAS_COVERAGE', () => define({ aliases: [object] })],
    ['a payload', 'TFE_EXTENSION_PAYLOAD', () => define({}).op(object)],
    ['part of a payload', 'TFE_EXTENSION_PAYLOAD', () => define({}).op({ part: array })],
  ])('as %s is %s', (_, code, call) => {
    expect(codeOf(call)).toBe(code);
  });

  test('as an axis, off the loop, is TFE_OPTION_VALUE', async () => {
    for (const method of [tf.argmaxAsync, tf.nn.softmaxAsync]) {
      await expect(loose(method)(1, object)).rejects.toMatchObject({ code: 'TFE_OPTION_VALUE' });
    }
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

/** An array that says its true length so many times, and then another. */
function liar(target: readonly unknown[], length: unknown, truths = 0): never {
  let told = 0;
  const get = (array: object, key: PropertyKey): unknown =>
    key === 'length' && told++ >= truths ? length : Reflect.get(array, key);
  return new Proxy(target, { get }) as never;
}

const own = (): never => {
  throw new Error('the caller’s own');
};

describe('an array that lies about its length', () => {
  const LIES = [
    Symbol.iterator,
    2n,
    -1,
    1.5,
    NaN,
    Infinity,
    '2',
    null,
    undefined,
    { valueOf: own },
  ];

  test.each(LIES.map((length) => [typeof length, length]))('is refused: %s', (_, length) => {
    using x = tf.constant([1, 2]);
    const attrs = (value: object): { attrs: Record<string, AttrValue> } => ({
      attrs: value as Record<string, AttrValue>,
    });
    expect([
      codeOf(() => tf.constant(liar([1, 2], length))),
      codeOf(() => tf.constant(liar([1, 2], length, 1))),
      codeOf(() => tf.constant([[1, 2], liar([1, 2], length)])),
      codeOf(() => tf.constant([1, liar([1, 2], length)])),
      codeOf(() => tf.add(x, liar([1, 2], length))),
      codeOf(() => tf.constant([1], { shape: liar([1], length) })),
      codeOf(() => execute('Neg', { inputs: liar([x], length) })),
      codeOf(() => execute('AddN', { inputs: [liar([x], length)] })),
      codeOf(() => raw.AddN(liar([x], length))),
      codeOf(() =>
        execute('IdentityN', { inputs: [[x]], ...attrs({ T: liar(['float32'], length) }) }),
      ),
      codeOf(() =>
        execute('PlaceholderWithDefault', { inputs: [x], ...attrs({ shape: liar([2], length) }) }),
      ),
      codeOf(() => configure({ deviceFilters: liar(['/a'], length) })),
    ]).toEqual([
      'TFE_VALUES_TYPE',
      'TFE_VALUES_RAGGED',
      'TFE_VALUES_RAGGED',
      'TFE_VALUES_RAGGED',
      'TFE_VALUES_TYPE',
      'TFE_SHAPE_INVALID',
      'TFE_OP_ARGUMENT',
      'TFE_OP_ARGUMENT',
      'TFE_OP_ARGUMENT',
      'TFE_OP_ATTRIBUTE',
      'TFE_OP_ATTRIBUTE',
      'TFE_OPTION_VALUE',
    ]);
  });

  test('or that shrinks while it is read is refused', () => {
    const values = [1, 2, 3];
    Object.defineProperty(values, 1, { get: () => (values.length = 2) });
    expect(codeOf(() => tf.constant(values))).toBe('TFE_VALUES_TYPE');
  });
});

test('a tensor that is disposed while the inputs are read is refused', () => {
  const x = tf.constant(1);
  const list = Object.defineProperty([x, x], 1, { get: () => (x.dispose(), x) });
  expect(codeOf(() => execute('AddN', { inputs: [list] }))).toBe('TFE_TENSOR_DISPOSED');
});

test('status({ load }) is a boolean', () => {
  expect(codeOf(() => status({ load: 1 as never }))).toBe('TFE_OPTION_VALUE');
});

describe('an option of a configuration', () => {
  const throwing = (name: string): object => Object.defineProperty({}, name, { get: own, enumerable: true }); // prettier-ignore

  test.each<readonly [string, string, unknown]>([
    ['options', 'options', new Proxy({}, { ownKeys: own })],
    ['an option', 'oneDnn', throwing('oneDnn')],
    ['a group', 'gpu', throwing('gpu')],
    ['an option of a group', 'gpu.allowGrowth', { gpu: throwing('allowGrowth') }],
    ['a list', 'deviceFilters', { deviceFilters: new Proxy([], { get: own }) }],
    ['a map', 'deviceCount', { deviceCount: throwing('CPU') }],
  ])('that throws when it is read is named: %s', (_, option, options) => {
    const error = thrownBy(() => configure(options as object));
    expect(error).toMatchObject({ code: 'TFE_OPTION_VALUE', facts: { option } });
    expect(error.cause).toEqual(new Error('the caller’s own'));
  });

  test('is taken as it was checked: no toJSON, no getter is asked again', () => {
    let asked = 0;
    const options = {
      deviceFilters: Object.assign(['/a'], { toJSON: own }),
      get logLevel(): unknown {
        return asked++ === 0 ? 'error' : own();
      },
    };
    // The library is open: what matters is what the message says was asked for.
    expect(thrownBy(() => configure(options as object))).toMatchObject({
      code: 'TFE_CONFIGURE_LATE',
      facts: { received: '{"deviceFilters":["/a"],"logLevel":"error"}' },
    });
  });

  test('that is half of a surrogate pair is refused', () => {
    expect(codeOf(() => configure({ deviceFilters: ['/\ud800'] }))).toBe('TFE_OPTION_VALUE');
  });
});

test.each<readonly [string, object]>([
  ['holes', { deviceFilters: new Array(2) }],
  ['a length that is none', { deviceFilters: new Proxy([], { get: () => 1n }) }],
])('a list of a configuration with %s is refused', (_, options) => {
  expect(codeOf(() => configure(options))).toBe('TFE_OPTION_VALUE');
});

describe('a tensor of another copy of the package', () => {
  let other: typeof import('../../lib') | undefined;
  jest.isolateModules(() => {
    other = require('../../lib') as typeof import('../../lib');
  });

  test.each<readonly [string, string, (theirs: Tensor<'float32', 1>) => unknown]>([
    ['tf.add', 'TFE_VALUES_TYPE', (theirs) => tf.add([1], theirs)],
    ['tf.constant', 'TFE_VALUES_TYPE', (theirs) => tf.constant(theirs as never)],
    ['execute', 'TFE_OP_ARGUMENT', (theirs) => execute('Neg', { inputs: [theirs] })],
    ['raw', 'TFE_OP_ARGUMENT', (theirs) => raw.Neg(theirs)],
    ['keep', 'TFE_OP_ARGUMENT', (theirs) => keep(theirs)],
  ])('is refused as one: %s', (_, code, use) => {
    using theirs = other!.tf.constant([1]);
    const error = thrownBy(() => use(theirs));
    expect(error.code).toBe(code);
    expect(error.message).toContain('a Tensor of another copy of tfe-node');
    expect(error.hint).toContain('npm ls tfe-node');
  });
});
