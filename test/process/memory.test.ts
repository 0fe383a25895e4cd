/**
 * Loops that must not grow. The bar is the project's own: resident memory within 20 MB of where it was after the first
 * part, live handles where they were.
 */
import { expect, test } from '@jest/globals';
import { testPrograms, expectEnding } from '../helpers/child';
import type { MemoryTask } from './programs/memory';

const programs = testPrograms();

const BAR = 20e6;

interface Look {
  readonly rounds: number;
  readonly rss: number;
  readonly liveTensors: number;
  readonly liveBytes: number;
}

test.each<MemoryTask>([
  { loop: 'scope', first: 10_000, total: 1_000_000 },
  { loop: 'dispose', first: 10_000, total: 200_000 },
  { loop: 'fail', first: 10_000, total: 100_000 },
  { loop: 'constants', first: 100, total: 2000 },
  { loop: 'strings', first: 50_000, total: 200_000 },
  { loop: 'lends', first: 200, total: 4000 },
  { loop: 'workers', first: 5, total: 25 },
])('$total rounds of $loop hold no more than the first $first', (task) => {
  const ending = programs.run('memory', task, { execArgv: ['--expose-gc'] });
  expectEnding(ending, 0);
  const [early, late] = ending.said as readonly [Look, Look];
  expect(late).toEqual({
    rounds: task.total,
    rss: expect.any(Number),
    liveTensors: early.liveTensors,
    liveBytes: early.liveBytes,
  });
  expect(late.rss - early.rss).toBeLessThan(BAR);
});
