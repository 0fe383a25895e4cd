// First: what is imported after it gets the stand-ins.
import './fake-runtime';
import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import { tfeError, type TfeError } from '../../lib/errors';
import { define, describeLowered, LOWERED_CONTRACT, type LoweredSpec } from '../../lib/lowered';
import { EMITTED_CONTRACT } from '../../plugins/core/lower';
import { currentScope } from '../../lib/tensor/scope';
import { thrownBy } from '../helpers/thrown';
import { executors, FakeTensor, log } from './fake-runtime';

const F32_2D = { dtype: 'float32', rank: 2 };

function specOf(changes: Partial<Record<keyof LoweredSpec, unknown>> = {}): LoweredSpec {
  return {
    contract: 1,
    name: 'score',
    file: 'score.ts',
    status: 'native',
    route: 'native-plugin:tfe-tensorflow',
    scoped: true,
    parameters: [{ name: 'x', type: F32_2D }],
    result: F32_2D,
    sites: [
      { op: { kind: 'core', name: 'Relu' }, ruleId: 'fake/relu', position: 'score.ts:12:11' },
      {
        op: { kind: 'family', familyId: 'tfe-node.softmax.v1', payload: { axis: 1 } },
        ruleId: 'fake/softmax',
        position: 'score.ts:13:3',
      },
    ],
    ...changes,
  } as LoweredSpec;
}

function withMode<T>(mode: string | undefined, run: () => T): T {
  const before = process.env['TFE_NODE_MODE'];
  if (mode === undefined) delete process.env['TFE_NODE_MODE'];
  else process.env['TFE_NODE_MODE'] = mode;
  try {
    return run();
  } finally {
    if (before === undefined) delete process.env['TFE_NODE_MODE'];
    else process.env['TFE_NODE_MODE'] = before;
  }
}

const x = () => new FakeTensor('float32', [2, 3], 'x');

beforeEach(() => {
  log.length = 0;
  executors.clear();
  executors.set('Relu', (a) => `relu(${(a as FakeTensor).label})`);
  executors.set('tfe-node.softmax.v1', (...inputs) => inputs);
});

describe('which leg runs', () => {
  const legs = (spec: LoweredSpec, mode?: string) =>
    withMode(mode, () =>
      define(spec).run(
        [x()],
        () => 'lowered',
        () => 'source',
      ),
    );

  it('is the lowered one without TFE_NODE_MODE, and with auto', () => {
    expect(legs(specOf())).toBe('lowered');
    expect(legs(specOf(), 'auto')).toBe('lowered');
    expect(legs(specOf(), '')).toBe('lowered');
    expect(legs(specOf({ status: 'mixed' }))).toBe('lowered');
  });

  it('is the source with fallback, whose parameters are not checked', () => {
    expect(legs(specOf(), 'fallback')).toBe('source');
    const made = withMode('fallback', () => define(specOf()));
    expect(
      made.run(
        ['no tensor'],
        () => 'lowered',
        () => 'source',
      ),
    ).toBe('source');
  });

  it('is the source where nothing was lowered', () => {
    const made = define(specOf({ status: 'fallback' }));
    expect(made.run(['no tensor'], null, () => 'source')).toBe('source');
  });

  it('is refused with native when the function is mixed or not lowered, with the reason', () => {
    const reason = 'tf.cos is not covered (score.ts:3:5).';
    for (const status of ['mixed', 'fallback'] as const) {
      const made = withMode('native', () => define(specOf({ status, reason })));
      const error = thrownBy(() => made.run([x()], null, () => 'source'));
      expect(error.code).toBe('TFE_MODE_NOT_NATIVE');
      expect(error.message).toContain(`score (score.ts) is ${status}, not native: ${reason}`);
    }
    expect(legs(specOf(), 'native')).toBe('lowered');
  });

  it('is settled once, when the function is defined', () => {
    const made = withMode('fallback', () => define(specOf()));
    const run = () =>
      made.run(
        [x()],
        () => 'lowered',
        () => 'source',
      );
    expect(withMode('auto', run)).toBe('source');
  });

  it('is that of auto for an unknown mode, after one warning', () => {
    const warn = jest.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
    expect(legs(specOf(), 'fast')).toBe('lowered');
    expect(legs(specOf(), 'fast')).toBe('lowered');
    expect(warn).toHaveBeenCalledTimes(1);
    expect(warn.mock.calls[0]).toEqual([
      'TFE_NODE_MODE=fast is not a mode; lowered functions run as with auto. Use one of: auto, native, fallback.',
      { type: 'TfeNodeWarning', code: 'TFE_MODE_INVALID' },
    ]);
    warn.mockRestore();
  });

  it('can be seen afterwards', () => {
    const spec = specOf({ name: 'observed' });
    const made = define(spec);
    const run = () =>
      made.run(
        [x()],
        () => 'lowered',
        () => 'source',
      );
    run();
    run();
    const found = describeLowered().find(({ name }) => name === 'observed');
    expect(found).toMatchObject({
      status: 'native',
      mode: 'auto',
      calls: { lowered: 2, source: 0 },
    });
  });
});

describe('scopes', () => {
  const note = (leg: string) => log.push(`${leg} ${currentScope() === null ? 'free' : 'scoped'}`);

  it('hold both legs when the function is scoped', () => {
    const run = (mode: string) =>
      withMode(mode, () => define(specOf())).run(
        [x()],
        () => note('lowered'),
        () => note('source'),
      );
    run('auto');
    run('fallback');
    expect(log).toEqual(['lowered scoped', 'source scoped']);
    expect(currentScope()).toBeNull();
  });

  it('are not opened when a tensor may escape', () => {
    define(specOf({ scoped: false })).run(
      [x()],
      () => note('lowered'),
      () => note('source'),
    );
    expect(log).toEqual(['lowered free']);
  });

  it('last until the promise of an async function settles', async () => {
    const made = define(specOf({ status: 'mixed' }));
    const result = made.runAsync(
      [x()],
      async () => {
        note('before');
        await Promise.resolve();
        note('after');
        return 1;
      },
      () => Promise.resolve(2),
    );
    note('outside');
    await expect(result).resolves.toBe(1);
    expect(log).toEqual(['before scoped', 'outside free', 'after scoped']);
  });

  it('of an async function hold its source leg too', async () => {
    const run = (scoped: boolean) =>
      define(specOf({ status: 'fallback', scoped })).runAsync([x()], null, () => {
        note('source');
        return Promise.resolve(2);
      });
    await expect(run(true)).resolves.toBe(2);
    await expect(run(false)).resolves.toBe(2);
    expect(log).toEqual(['source scoped', 'source free']);
  });

  it('end when the function throws', () => {
    const boom = new Error('boom');
    expect(() =>
      define(specOf()).run(
        [x()],
        () => {
          throw boom;
        },
        () => 1,
      ),
    ).toThrow(boom);
    expect(currentScope()).toBeNull();
  });

  it('take the promise of a function that is not async, and pass its rejection on', async () => {
    const made = define(specOf());
    const run = (promise: Promise<number>) =>
      made.run(
        [x()],
        () => promise,
        () => promise,
      );
    await expect(run(Promise.resolve(3))).resolves.toBe(3);
    const boom = new Error('boom');
    await expect(run(Promise.reject(boom))).rejects.toBe(boom);
  });
});

describe('annotated parameters', () => {
  const spec = specOf({
    parameters: [
      { name: 'x', type: F32_2D },
      { name: 'rounds', type: null },
      { name: 'bias', type: { dtype: 'float32', rank: 1 }, optional: true },
    ],
  });
  const call = (...values: unknown[]) =>
    thrownBy(() =>
      define(spec).run(
        values,
        () => 'lowered',
        () => 'source',
      ),
    );

  it.each([
    ['nothing', undefined, 'undefined'],
    ['null', null, 'null'],
    ['a number', 3, '3'],
    ['text', 'abc', '"abc"'],
    ['a symbol', Symbol('s'), 'Symbol(s)'],
    ['an array', [1], '[ 1 ]'],
    ['a typed array', new Float32Array(2), 'Float32Array(2) [ 0, 0 ]'],
    ['a promise', Promise.resolve(1), 'a Promise (is an await missing?)'],
    [
      'a proxy that throws',
      new Proxy(
        {},
        {
          get() {
            throw new Error('trap');
          },
        },
      ),
      '{}',
    ],
  ])('refuse %s in the place of a tensor', (_, value, received) => {
    const error = call(value, 1, undefined);
    expect(error.code).toBe('TFE_BOUNDARY_TENSOR');
    expect(error.phase).toBe('call');
    expect(error.facts).toEqual({
      function: 'score',
      parameter: 'x',
      index: 0,
      expected: 'float32, rank 2',
      received,
    });
    expect(error.message).toContain(
      "Parameter 'x' of score is annotated as a tensor (float32, rank 2)",
    );
  });

  it('refuse a disposed tensor before they look at its dtype and rank', () => {
    const gone = new FakeTensor('int64', [1]);
    gone.dispose();
    expect(call(gone, 1, undefined).code).toBe('TFE_BOUNDARY_DISPOSED');
  });

  it('refuse another dtype before another rank, and name both sides', () => {
    const dtype = call(new FakeTensor('int64', [1]), 1, undefined);
    expect(dtype.code).toBe('TFE_BOUNDARY_DTYPE');
    expect(dtype.facts).toMatchObject({ expected: 'float32', received: 'int64' });
    const rank = call(new FakeTensor('float32', [4, 1, 2]), 1, undefined);
    expect(rank.code).toBe('TFE_BOUNDARY_RANK');
    expect(rank.facts).toMatchObject({ expected: 2, received: 3, shape: [4, 1, 2] });
    expect(rank.message).toContain('rank 3, shape [4, 1, 2]');
  });

  it('are checked from left to right, each by its own name', () => {
    expect(call(x(), 1, 'no tensor').facts).toMatchObject({ parameter: 'bias', index: 2 });
    expect(call('no tensor', 1, 'no tensor').facts).toMatchObject({ parameter: 'x', index: 0 });
  });

  it('that are optional take undefined; numbers are not checked', () => {
    const made = define(spec);
    const run = (...values: unknown[]) =>
      made.run(
        values,
        () => 'lowered',
        () => 'source',
      );
    expect(run(x(), 'anything', undefined)).toBe('lowered');
    expect(run(x(), 1, new FakeTensor('float32', [3]))).toBe('lowered');
    expect(call(x(), 1, null).code).toBe('TFE_BOUNDARY_TENSOR');
  });
});

describe('sites', () => {
  it('resolve their op on the first use only, and pass their inputs on', () => {
    const made = define(specOf({ parameters: [] }));
    for (let i = 0; i < 2; i++) {
      made.run(
        [],
        ($) => {
          expect($.apply(0, x())).toBe('relu(x)');
          expect($.apply(1)).toEqual([]);
          expect($.apply(1, 1)).toEqual([1]);
          expect($.apply(1, 1, 2)).toEqual([1, 2]);
          expect($.apply(1, 1, 2, 3)).toEqual([1, 2, 3]);
          expect($.apply(1, 1, 2, 3, 4, 5)).toEqual([1, 2, 3, 4, 5]);
          expect($.value(7)).toBe(7);
        },
        () => undefined,
      );
    }
    expect(log.filter((line) => line.startsWith('resolve'))).toEqual([
      'resolve Relu',
      'resolve tfe-node.softmax.v1',
    ]);
  });

  const failing = (thrown: unknown, site = 0) => {
    executors.set('Relu', () => {
      throw thrown;
    });
    let source = 0;
    try {
      define(specOf()).run(
        [x()],
        ($) => {
          $.apply(site, x());
        },
        () => {
          source += 1;
        },
      );
    } catch (error) {
      expect(source).toBe(0);
      return error;
    }
    throw new Error('nothing was thrown');
  };

  it('add rule and position to an error, keep the object, and never run the source instead', () => {
    const original = tfeError('TFE_BOUNDARY_DISPOSED', { function: 'f', parameter: 'p', index: 0 });
    const error = failing(original) as TfeError;
    expect(error).toBe(original);
    expect(error.code).toBe('TFE_BOUNDARY_DISPOSED');
    expect(error.site).toBe('score.ts:12:11');
    expect(error.ruleId).toBe('fake/relu');
  });

  it('leave the position that an inner site gave, other errors, and frozen ones', () => {
    const inner = tfeError(
      'TFE_BOUNDARY_DISPOSED',
      { function: 'f', parameter: 'p', index: 0 },
      { site: 'inner.ts:1:1' },
    );
    expect(failing(inner)).toBe(inner);
    expect(inner.site).toBe('inner.ts:1:1');
    expect(inner.ruleId).toBeUndefined();
    const foreign = new RangeError('other');
    expect(failing(foreign)).toBe(foreign);
    expect(failing('text')).toBe('text');
    const frozen = Object.freeze(
      tfeError('TFE_BOUNDARY_DISPOSED', { function: 'f', parameter: 'p', index: 0 }),
    );
    expect(failing(frozen)).toBe(frozen);
  });

  it('that the table has not are refused', () => {
    for (const site of [2, -1, 0.5, NaN]) {
      const error = failing(new Error('unused'), site) as TfeError;
      expect(error.code).toBe('TFE_LOWERED_SITE');
      expect(error.message).toContain('its table has 2 sites');
    }
  });
});

describe('define', () => {
  it('shares its contract with the build', () => {
    expect(LOWERED_CONTRACT).toBe(EMITTED_CONTRACT);
  });

  it.each([
    [undefined, 'undefined'],
    [2, '2'],
    ['1', '"1"'],
  ])('refuses contract %p', (contract, received) => {
    const error = thrownBy(() => define(specOf({ contract })));
    expect(error.code).toBe('TFE_LOWERED_CONTRACT');
    expect(error.facts).toEqual({ function: 'score', expected: 1, received });
  });

  it.each<[Partial<Record<keyof LoweredSpec, unknown>>, string]>([
    [{ name: '' }, 'name'],
    [{ name: 3 }, 'name'],
    [{ file: null }, 'file'],
    [{ status: 'not annotated' }, 'status'],
    [{ route: undefined }, 'route'],
    [{ scoped: 'yes' }, 'scoped'],
    [{ reason: 3 }, 'reason'],
    [{ parameters: {} }, 'parameters'],
    [{ parameters: ['x'] }, 'parameters[0]'],
    [{ parameters: [{ name: 'x', type: { dtype: 'float32', rank: -1 } }] }, 'parameters[0].type'],
    [{ parameters: [{ name: 'x', type: undefined }] }, 'parameters[0].type'],
    [{ parameters: [{ name: 'x', type: null, optional: 1 }] }, 'parameters[0].optional'],
    [{ result: 'float32' }, 'result'],
    [{ sites: 'none' }, 'sites'],
    [{ sites: [null] }, 'sites[0]'],
    [{ sites: [{ op: { kind: 'core' }, ruleId: 'r', position: 'p' }] }, 'sites[0].op'],
    [
      { sites: [{ op: { kind: 'family', familyId: 'f' }, ruleId: 'r', position: 'p' }] },
      'sites[0].op',
    ],
    [{ sites: [{ op: { kind: 'core', name: 'Relu' }, position: 'p' }] }, 'sites[0].ruleId'],
  ])('refuses a damaged table %j and names the field', (changes, field) => {
    const error = thrownBy(() => define(specOf(changes)));
    expect(error.code).toBe('TFE_LOWERED_SPEC');
    expect(error.facts['field']).toBe(field);
  });

  it.each([[undefined], [null], [3], [[]], ['spec']])('refuses %p as a table', (spec) => {
    expect(thrownBy(() => define(spec as unknown as LoweredSpec)).code).toBe('TFE_LOWERED_SPEC');
  });

  it('refuses a call with another number of values than the table has parameters', () => {
    const made = define(specOf());
    const error = thrownBy(() =>
      made.run(
        [x(), x()],
        () => 1,
        () => 2,
      ),
    );
    expect(error.facts).toMatchObject({ field: 'parameters', received: 'a list of 1' });
  });
});
