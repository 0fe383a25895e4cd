/** scopeAsync: scopes of functions that run at the same time keep apart. */
import { describe, expect, test } from '@jest/globals';
import { keep, scope, scopeAsync, tf, type Tensor } from '../../lib';
import { expectNoTensorsLeft, held } from './accounting';

expectNoTensorsLeft();

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

/** A promise and the function that settles it. */
function gate(): { readonly open: () => void; readonly opened: Promise<void> } {
  let open!: () => void;
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { open, opened };
}

describe('an async scope', () => {
  test('frees what was made before and after an await', async () => {
    const before = held();
    await scopeAsync(async () => {
      tf.constant(1);
      await turn();
      tf.constant(2);
      expect(held().tensors - before.tensors).toBe(2);
    });
    expect(held()).toEqual(before);
  });

  test('lets out what is in its result', async () => {
    const result = await scopeAsync(async () => {
      const x = tf.constant(1);
      await turn();
      return { sum: tf.add(x, 1) };
    });
    expect(result.sum.arraySync()).toBe(2);
    result.sum.dispose();
  });

  test('frees everything when its function rejects', async () => {
    const before = held();
    const run = scopeAsync(async () => {
      tf.constant(1);
      await turn();
      tf.constant(2);
      throw new Error('late');
    });
    await expect(run).rejects.toThrow('late');
    expect(held()).toEqual(before);
  });

  test('frees everything when its function throws at once', async () => {
    const before = held();
    const run = scopeAsync(() => {
      tf.constant(1);
      throw new Error('early');
    });
    await expect(run).rejects.toThrow('early');
    expect(held()).toEqual(before);
  });

  test('does not own what its caller makes while it waits', async () => {
    const door = gate();
    const run = scopeAsync(() => door.opened);
    using own = tf.constant(1);
    door.open();
    await run;
    expect(own.isDisposed).toBe(false);
  });

  test('lets keep() take a tensor out', async () => {
    const kept = await scopeAsync(async () => {
      const tensor = keep(tf.constant(1));
      await turn();
      return () => tensor;
    });
    expect(kept().isDisposed).toBe(false);
    kept().dispose();
  });
});

describe('two async scopes at the same time', () => {
  test('free their own, each at its own end', async () => {
    const [slow, fast] = [gate(), gate()];
    const made: Record<'slow' | 'fast', Tensor[]> = { slow: [], fast: [] };
    const run = (name: 'slow' | 'fast', door: ReturnType<typeof gate>) =>
      scopeAsync(async () => {
        made[name].push(tf.constant(1));
        await turn();
        made[name].push(tf.constant(2));
        await door.opened;
        made[name].push(tf.constant(3));
      });
    const running = [run('slow', slow), run('fast', fast)];
    await turn();
    fast.open();
    await running[1];
    expect(made.fast.map((tensor) => tensor.isDisposed)).toEqual([true, true, true]);
    expect(made.slow.map((tensor) => tensor.isDisposed)).toEqual([false, false]);
    slow.open();
    await running[0];
    expect(made.slow.map((tensor) => tensor.isDisposed)).toEqual([true, true, true]);
  });

  test('that end in the order in which they did not begin leave nothing', async () => {
    const before = held();
    await Promise.all(
      [3, 1, 2].map((turns) =>
        scopeAsync(async () => {
          for (let i = 0; i < turns; i++) {
            tf.constant(i);
            await turn();
          }
        }),
      ),
    );
    expect(held()).toEqual(before);
  });
});

describe('scopes in an async scope', () => {
  test('a synchronous one frees its own and hands its result over', async () => {
    const before = held();
    await scopeAsync(async () => {
      await turn();
      const inner = scope(() => tf.add(tf.constant(1), tf.constant(1)));
      expect(held().tensors - before.tensors).toBe(1);
      await turn();
      expect(inner.arraySync()).toBe(2);
    });
    expect(held()).toEqual(before);
  });

  test('an async one hands its result over', async () => {
    const before = held();
    await scopeAsync(async () => {
      const inner = await scopeAsync(async () => {
        await turn();
        return tf.constant(1);
      });
      expect(inner.isDisposed).toBe(false);
    });
    expect(held()).toEqual(before);
  });
});

describe('an async scope in a synchronous one', () => {
  test('outlives it, and its result is the caller’s', async () => {
    let running: Promise<Tensor> | undefined;
    scope(() => {
      running = scopeAsync(async () => {
        await turn();
        return tf.constant(1);
      });
      tf.constant(2);
    });
    const result = await running!;
    expect(result.isDisposed).toBe(false);
    result.dispose();
  });
});

describe('work that goes on after its async scope has ended', () => {
  test('makes tensors that are its own', async () => {
    const door = gate();
    let detached: Promise<Tensor> | undefined;
    await scopeAsync(async () => {
      detached = (async () => {
        await door.opened;
        return tf.constant(1);
      })();
      await turn();
    });
    door.open();
    const tensor = await detached!;
    expect(tensor.isDisposed).toBe(false);
    tensor.dispose();
  });
});
