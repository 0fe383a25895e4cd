/** clearKernelCache() while other threads, and the pool, run what it clears. */
import { expect, test } from '@jest/globals';
import { testPrograms, expectEnding } from '../helpers/child';
import type { KernelCacheTask } from './programs/kernel-cache';

const programs = testPrograms();

test.each<KernelCacheTask>([
  { workers: 3, rounds: 60, abreast: 20, every: 1 },
  { workers: 3, rounds: 150, abreast: 20, every: 25 },
  { workers: 0, rounds: 200, abreast: 40, every: 3 },
])('$workers workers and the pool, cleared after every $every', (task) => {
  const ending = programs.run('kernel-cache', task);
  expectEnding(ending, 0);
  const { rounds, abreast, every } = task;
  const right = {
    right: 4 * rounds * abreast,
    wrong: 0,
    cleared: Math.ceil((rounds * abreast) / every),
  };
  expect(ending.said).toEqual([
    { results: Array.from({ length: task.workers + 1 }, () => right) },
    { left: 0, pending: 0 },
  ]);
});
