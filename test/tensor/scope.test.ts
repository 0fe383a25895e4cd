/** scope: what it frees, what it lets out, and that no way of leaving it loses a tensor. */
import { createContext, runInContext } from 'node:vm';
import { describe, expect, test } from '@jest/globals';
import { keep, scope, scopeAsync, tf, type Tensor } from '../../lib';
import { codeOf, expectNoTensorsLeft, held } from './accounting';

expectNoTensorsLeft();

/** How many tensors `run` leaves behind; they are freed. */
function left(run: () => unknown): number {
  return scope(() => {
    const before = held().tensors;
    run();
    return held().tensors - before;
  });
}

describe('a scope', () => {
  test('frees what was made in it', () => {
    const before = held();
    const sum = scope(() => tf.add(tf.constant([1, 2]), tf.constant([3, 4])).dataSync());
    expect([...sum]).toEqual([4, 6]);
    expect(held()).toEqual(before);
  });

  test('frees nothing that was made outside', () => {
    using outside = tf.constant(1);
    scope(() => tf.add(outside, 1).dataSync());
    expect(outside.arraySync()).toBe(1);
  });

  test('frees nothing that was made outside and is in its result', () => {
    scope(() => {
      const outside = tf.constant(1);
      const same = scope(() => outside);
      expect(same).toBe(outside);
      expect(outside.isDisposed).toBe(false);
    });
  });

  test('is fine with tensors that were disposed inside', () => {
    const count = left(() =>
      scope(() => {
        const tensor = tf.constant(1);
        tensor.dispose();
        return tensor;
      }),
    );
    expect(count).toBe(0);
  });

  test('frees what was made outside when it is disposed inside', () => {
    scope(() => {
      const outside = tf.constant(1);
      scope(() => {
        outside.dispose();
      });
      expect(outside.isDisposed).toBe(true);
    });
  });

  test('answers what its function answers', () => {
    expect(scope(() => 'text')).toBe('text');
    expect(scope(() => undefined)).toBeUndefined();
  });

  test('marks what it frees', () => {
    const escaped: Tensor[] = [];
    scope(() => {
      escaped.push(tf.constant(1));
    });
    expect(escaped[0]!.isDisposed).toBe(true);
  });
});

describe('tensors in the result survive', () => {
  const inside = (): Tensor => tf.constant(1);
  const realm = createContext({});

  class Model {
    constructor(readonly weights: Tensor) {}
  }

  const results: readonly (readonly [string, number, () => unknown])[] = [
    ['alone', 1, inside],
    ['in an array', 2, () => [inside(), inside()]],
    ['in an object', 2, () => ({ x: inside(), nested: { y: inside() } })],
    ['in an object without a prototype', 1, () => Object.assign(Object.create(null) as object, { x: inside() })], // prettier-ignore
    ['among the values of a Map', 1, () => new Map([['x', inside()]])],
    ['among the keys of a Map', 1, () => new Map([[inside(), 'x']])],
    ['in a Set', 1, () => new Set([inside()])],
    ['deep in all of them', 1, () => [{ x: new Map([[1, new Set([[inside()]])]]) }]],
    ['only once when they are there twice', 1, () => {
      const x = inside();
      return [x, { x }];
    }], // prettier-ignore
    ['in arrays and objects of another realm', 1, () => {
      const make = runInContext('(x) => ({ list: [new Map([[1, x]])] })', realm) as (x: Tensor) => unknown;
      return make(inside());
    }], // prettier-ignore
  ];
  test.each(results)('%s', (_, survivors, result) => {
    expect(left(() => scope(() => (inside(), result())))).toBe(survivors);
  });

  test('in a result that contains itself', () => {
    const count = left(() =>
      scope(() => {
        const result: unknown[] = [inside()];
        result.push(result, { result });
        return result;
      }),
    );
    expect(count).toBe(1);
  });

  test('not in an instance of a class: what a class holds is its own business', () => {
    expect(left(() => scope(() => new Model(inside())))).toBe(0);
  });

  test('not in a closure', () => {
    expect(left(() => scope(() => { const x = inside(); return () => x; }))).toBe(0); // prettier-ignore
  });

  test('beside more plain values than fit on the stack', () => {
    const values = new Array<number>(300_000).fill(0);
    expect(left(() => scope(() => [values, inside()]))).toBe(1);
  });

  test('in an object that only calls itself a Map', () => {
    const count = left(() => scope(() => ({ [Symbol.toStringTag]: 'Map', x: inside() })));
    expect(count).toBe(1);
  });

  test('and belong to the scope outside, which frees them', () => {
    const before = held();
    scope(() => {
      const kept = scope(() => scope(() => inside()));
      expect(kept.isDisposed).toBe(false);
    });
    expect(held()).toEqual(before);
  });

  test('and belong to the caller where there is no scope outside', () => {
    const tensor = scope(() => inside());
    expect(tensor.isDisposed).toBe(false);
    tensor.dispose();
  });
});

describe('nested scopes', () => {
  test('free their own', () => {
    scope(() => {
      const outer = tf.constant(1);
      const before = held().tensors;
      scope(() => {
        tf.add(outer, 1);
      });
      expect(held().tensors).toBe(before);
      expect(outer.isDisposed).toBe(false);
    });
  });

  test('go on in the outer one after the inner one', () => {
    const before = held();
    scope(() => {
      scope(() => tf.constant(1));
      tf.constant(2);
    });
    expect(held()).toEqual(before);
  });
});

describe('a scope whose function throws', () => {
  test('frees what was made and throws on', () => {
    const before = held();
    const thrown = new Error('mine');
    expect(() =>
      scope(() => {
        tf.constant(1);
        throw thrown;
      }),
    ).toThrow(thrown);
    expect(held()).toEqual(before);
  });

  test('leaves the outer scope in charge', () => {
    const before = held();
    scope(() => {
      expect(() =>
        scope(() => {
          throw new Error('inner');
        }),
      ).toThrow('inner');
      tf.constant(1);
    });
    expect(held()).toEqual(before);
  });

  test('frees what was made when its result cannot be searched', () => {
    const before = held();
    const result = {
      get x(): unknown {
        throw new Error('from a getter');
      },
    };
    expect(() => scope(() => (tf.constant(1), result))).toThrow('from a getter');
    expect(held()).toEqual(before);
  });
});

describe('a scope whose function answers a promise', () => {
  test('is refused, and frees what was made', () => {
    const before = held();
    const code = codeOf(() =>
      scope(() => {
        tf.constant(1);
        return Promise.resolve(1);
      }),
    );
    expect(code).toBe('TFE_SCOPE_PROMISE');
    expect(held()).toEqual(before);
  });

  test('is refused for anything with a then', () => {
    expect(codeOf(() => scope(() => ({ then: () => undefined })))).toBe('TFE_SCOPE_PROMISE');
  });

  test('does not leave an unhandled rejection behind', async () => {
    const unhandled: unknown[] = [];
    const listener = (reason: unknown) => unhandled.push(reason);
    process.on('unhandledRejection', listener);
    expect(codeOf(() => scope(() => Promise.reject(new Error('late'))))).toBe('TFE_SCOPE_PROMISE');
    await new Promise((resolve) => setTimeout(resolve, 10));
    process.off('unhandledRejection', listener);
    expect(unhandled).toEqual([]);
  });
});

describe('keep', () => {
  test('takes a tensor out of every scope around it', () => {
    let kept: Tensor | undefined;
    scope(() => {
      scope(() => {
        kept = keep(tf.constant(5));
      });
    });
    expect(kept!.arraySync()).toBe(5);
    kept!.dispose();
  });

  test('answers the tensor, and twice is fine', () => {
    scope(() => {
      const tensor = tf.constant(1);
      expect(keep(keep(tensor))).toBe(tensor);
      tensor.dispose();
    });
  });

  test('holds also when the tensor is in the result', () => {
    const outer = scope(() => {
      const inner = scope(() => keep(tf.constant(1)));
      return () => inner;
    })();
    expect(outer.isDisposed).toBe(false);
    outer.dispose();
  });

  test('holds when the scope throws', () => {
    const kept: Tensor[] = [];
    expect(() =>
      scope(() => {
        kept.push(keep(tf.constant(1)));
        throw new Error('after keep');
      }),
    ).toThrow('after keep');
    expect(kept[0]!.isDisposed).toBe(false);
    kept[0]!.dispose();
  });

  test('refuses a disposed tensor', () => {
    const tensor = tf.constant(1);
    tensor.dispose();
    expect(codeOf(() => keep(tensor))).toBe('TFE_TENSOR_DISPOSED');
  });

  test.each([null, 1, {}])('refuses %p, which is no tensor', (value) => {
    expect(codeOf(() => keep(value as unknown as Tensor))).toBe('TFE_OP_ARGUMENT');
  });
});

// A scope drops the tensors that are gone from its list from the 1024th on: lib/tensor/scope.ts.
describe('a scope with thousands of tensors', () => {
  test('frees them all', () => {
    const before = held();
    scope(() => {
      for (let i = 0; i < 5000; i++) tf.constant(i);
      expect(held().tensors - before.tensors).toBe(5000);
    });
    expect(held()).toEqual(before);
  });

  test('frees those that were not disposed by hand, and forgets none', () => {
    const before = held();
    scope(() => {
      for (let i = 0; i < 5000; i++) {
        const tensor = tf.constant(i);
        if (i % 3 !== 0) tensor.dispose();
      }
      expect(held().tensors - before.tensors).toBe(1667);
    });
    expect(held()).toEqual(before);
  });

  test('lets out what was kept and what is in the result', () => {
    const kept: Tensor[] = [];
    const results = scope(() => {
      const own: Tensor[] = [];
      for (let i = 0; i < 4000; i++) {
        const tensor = tf.constant(i);
        if (i % 100 === 0) kept.push(keep(tensor));
        else if (i % 100 === 1) own.push(tensor);
      }
      return own;
    });
    const values = [...kept, ...results].map((tensor) => tensor.arraySync());
    expect(values).toEqual([...Array.from({ length: 40 }, (_, i) => i * 100), ...Array.from({ length: 40 }, (_, i) => i * 100 + 1)]); // prettier-ignore
    for (const tensor of [...kept, ...results]) tensor.dispose();
  });
});

test.each([undefined, null, 1, {}])('%p is no body of a scope', async (body) => {
  expect(codeOf(() => scope(body as () => void))).toBe('TFE_OP_ARGUMENT');
  await expect(scopeAsync(body as () => Promise<void>)).rejects.toMatchObject({
    code: 'TFE_OP_ARGUMENT',
  });
});
