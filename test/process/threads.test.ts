/** Threads of one process share one TensorFlow and nothing else. One process per case. */
import { describe, expect, test } from '@jest/globals';
import { testPrograms, expectEnding } from '../helpers/child';
import type { ThreadsTask } from './programs/threads';
import type { TokensTask } from './programs/tokens';

const programs = testPrograms();

function said(task: ThreadsTask): readonly unknown[] {
  const ending = programs.run('threads', task);
  expectEnding(ending, 0);
  return ending.said;
}

const MAIN = { main: { right: 500, wrong: 0 } };
const NOTHING_HELD = { liveTensors: 0 };
const done = (rounds: number): unknown => ({ result: { right: rounds, wrong: 0 }, exit: 0 });

test('the main thread and three workers use tensors at the same time', () => {
  const workers = [
    { work: 'add', rounds: 500 },
    { work: 'fail', rounds: 500 },
    { work: 'copy', rounds: 200 },
  ] as const;
  expect(said({ main: 'meanwhile', workers })).toEqual([
    MAIN,
    { workers: [done(500), done(500), done(200)] },
    NOTHING_HELD,
  ]);
});

test('the main thread and five workers use tensors at the same time, on and off their loops', () => {
  const workers = [
    { work: 'add', rounds: 300 },
    { work: 'async', rounds: 300 },
    { work: 'async', rounds: 300 },
    { work: 'async read', rounds: 100 },
    { work: 'unscoped', rounds: 300 },
  ] as const;
  expect(said({ main: 'meanwhile', workers })).toEqual([
    MAIN,
    { workers: [done(300), done(300), done(300), done(100), done(300)] },
    NOTHING_HELD,
  ]);
});

test('a worker loads after the main thread', () => {
  const workers = [{ work: 'add', rounds: 50 }] as const;
  expect(said({ main: 'before', workers })).toEqual([MAIN, { workers: [done(50)] }, NOTHING_HELD]);
});

test('the main thread loads after a worker that has ended', () => {
  const workers = [{ work: 'add', rounds: 50 }] as const;
  expect(said({ main: 'after', workers })).toEqual([{ workers: [done(50)] }, MAIN, NOTHING_HELD]);
});

test('only workers load, set after set', () => {
  const workers = [
    { work: 'add', rounds: 20 },
    { work: 'unscoped', rounds: 20 },
  ] as const;
  expect(said({ main: 'never', workers, repeat: 3 })).toEqual([
    ...Array.from({ length: 3 }, () => ({ workers: [done(20), done(20)] })),
    NOTHING_HELD,
  ]);
});

describe('worker.terminate() in the middle of', () => {
  test.each(['add', 'fail', 'copy', 'unscoped', 'scope', 'async', 'async read'] as const)(
    '%s',
    (work) => {
      const worker = { work, rounds: -1 };
      const workers = [worker, worker];
      expect(said({ main: 'before', workers, terminate: true, repeat: 4 })).toEqual([
        MAIN,
        // 1 is what Node gives a terminated worker.
        ...Array.from({ length: 4 }, () => ({
          workers: [
            { result: null, exit: 1 },
            { result: null, exit: 1 },
          ],
        })),
        NOTHING_HELD,
      ]);
    },
  );
});

describe('a token whose thread has ended', () => {
  const tokens = (task: TokensTask): readonly unknown[] => {
    const ending = programs.run('tokens', task);
    expectEnding(ending, 0);
    return ending.said;
  };

  test('is good while another thread uses TensorFlow', () => {
    expect(tokens({ uses: true })).toEqual([{ exported: 1 }, { exported: 1 }, { values: [1, 2] }]);
  });

  test('is lost with the last one that did; until then it counts in threads with the addon', () => {
    expect(tokens({ uses: false })).toEqual([
      { exported: 0 },
      { exported: 1 },
      expect.objectContaining({
        code: 'TFE_TOKEN_EXPIRED',
        message: expect.stringContaining('every thread that used TensorFlow has ended'),
      }),
    ]);
  });
});
