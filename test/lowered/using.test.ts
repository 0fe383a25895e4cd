import { describe, expect, it } from '@jest/globals';
import { usingCtx } from '../../lib/lowered/using';

/** Runs `body` as oxc-transform writes a block with `using` declarations. */
function block(body: (ctx: ReturnType<typeof usingCtx>) => void): void {
  const ctx = usingCtx();
  try {
    body(ctx);
  } catch (error) {
    ctx.e = error;
  } finally {
    ctx.d();
  }
}

async function asyncBlock(body: (ctx: ReturnType<typeof usingCtx>) => void): Promise<void> {
  const ctx = usingCtx();
  try {
    body(ctx);
  } catch (error) {
    ctx.e = error;
  } finally {
    await ctx.d();
  }
}

function resource(name: string, log: string[], error?: Error): Disposable {
  return {
    [Symbol.dispose]() {
      log.push(name);
      if (error !== undefined) throw error;
    },
  };
}

describe('using', () => {
  it('disposes in reverse order, once, and answers the value', () => {
    const log: string[] = [];
    block((ctx) => {
      const a = resource('a', log);
      expect(ctx.u(a)).toBe(a);
      ctx.u(resource('b', log));
      expect(ctx.u(null)).toBeNull();
      expect(ctx.u(undefined)).toBeUndefined();
    });
    expect(log).toEqual(['b', 'a']);
  });

  it('disposes after a throw and rethrows the error', () => {
    const log: string[] = [];
    const boom = new Error('boom');
    expect(() =>
      block((ctx) => {
        ctx.u(resource('a', log));
        throw boom;
      }),
    ).toThrow(boom);
    expect(log).toEqual(['a']);
  });

  it('rethrows even undefined', () => {
    let caught: unknown = 'nothing';
    try {
      block(() => {
        // eslint-disable-next-line @typescript-eslint/only-throw-error -- that is the case
        throw undefined;
      });
    } catch (error) {
      caught = error;
    }
    expect(caught).toBeUndefined();
  });

  it('keeps the first error beside the one of a disposal, as SuppressedError', () => {
    const log: string[] = [];
    const first = new Error('first');
    const second = new Error('second');
    let caught: unknown;
    try {
      block((ctx) => {
        ctx.u(resource('a', log));
        ctx.u(resource('b', log, second));
        throw first;
      });
    } catch (error) {
      caught = error;
    }
    expect(caught).toMatchObject({ name: 'SuppressedError', error: second, suppressed: first });
    expect(log).toEqual(['b', 'a']);
  });

  it.each([[1], ['text'], [{}], [{ [Symbol.dispose]: 1 }]])(
    'refuses %p, which cannot be disposed of, and disposes of what was taken before',
    (value) => {
      const log: string[] = [];
      expect(() =>
        block((ctx) => {
          ctx.u(resource('a', log));
          ctx.u(value);
        }),
      ).toThrow(TypeError);
      expect(log).toEqual(['a']);
    },
  );

  it('finds the method when the value is declared, not when it is disposed of', () => {
    const log: string[] = [];
    block((ctx) => {
      const value = resource('first', log);
      ctx.u(value);
      value[Symbol.dispose] = () => log.push('second');
    });
    expect(log).toEqual(['first']);
  });
});

describe('await using', () => {
  it('awaits each disposal before the next, and falls back to the synchronous method', async () => {
    const log: string[] = [];
    await asyncBlock((ctx) => {
      ctx.a({
        async [Symbol.asyncDispose]() {
          log.push('begin');
          await Promise.resolve();
          log.push('end');
        },
      });
      ctx.a(resource('sync', log));
      ctx.u(resource('plain', log));
      ctx.a(null);
    });
    expect(log).toEqual(['plain', 'sync', 'begin', 'end']);
  });

  it('prefers the asynchronous method', async () => {
    const log: string[] = [];
    await asyncBlock((ctx) => {
      ctx.a({
        [Symbol.dispose]: () => log.push('sync'),
        [Symbol.asyncDispose]: () => Promise.resolve(log.push('async')),
      });
    });
    expect(log).toEqual(['async']);
  });

  it('rejects with the errors of both the block and the disposal', async () => {
    const boom = new Error('boom');
    const late = new Error('late');
    const result = asyncBlock((ctx) => {
      ctx.a({ [Symbol.asyncDispose]: () => Promise.reject(late) });
      throw boom;
    });
    await expect(result).rejects.toMatchObject({ error: late, suppressed: boom });
  });
});
