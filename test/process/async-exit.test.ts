/** A process may end in any way while work runs off its loop: its exit code is its own, and nothing crashes. */
import { expect, test } from '@jest/globals';
import { testPrograms, expectEnding } from '../helpers/child';
import type { AsyncWay } from './programs/async-exit';

const programs = testPrograms();

test.each<readonly [way: AsyncWay, code: number, said: readonly unknown[]]>([
  ['pending', 0, [{ done: 6 }]],
  ['exit', 7, []],
  ['exit with waiting tasks', 7, []],
  ['uncaught exception', 1, []],
  ['exit in a worker', 0, [{ worker: 5 }, { pending: 0 }]],
  ['terminate', 0, [{ workers: [1, 1, 1] }, { pending: 0 }]],
  ['exit while workers work', 7, []],
  ['aborted, then nothing', 0, [{ settled: 20 }]],
  ['tokens', 0, [{ exit: 0, back: [11, 12, 13] }]],
])('%s: exit code %i', (way, code, said) => {
  const ending = programs.run('async-exit', way);
  expectEnding(ending, code);
  expect(ending.said).toEqual(said);
});
