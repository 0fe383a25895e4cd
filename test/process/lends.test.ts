/** The end of a worker, and of the process, while ArrayBuffers still hold tensor memory: clean, and nothing of others goes. */
import { expect, test } from '@jest/globals';
import { testPrograms, expectEnding } from '../helpers/child';
import type { LendsTask } from './programs/lends';

const programs = testPrograms();

/** 20 lends of 2^16 float32. */
const LENT = 20 * (1 << 18);

test.each<LendsTask & { workerExit: number; exit: number }>([
  { worker: 'ends', main: 'ends', workerExit: 0, exit: 0 },
  { worker: 'exits', main: 'ends', workerExit: 5, exit: 0 },
  { worker: 'is terminated', main: 'exits', workerExit: 1, exit: 7 },
])(
  'a worker that $worker with lends and a main thread that $main with its own',
  ({ worker, main, workerExit, exit }) => {
    const ending = programs.run('lends', { worker, main });
    expectEnding(ending, exit);
    const one = { said: true, exit: workerExit };
    expect(ending.said).toEqual([[one, one], { whole: true, lentBytes: LENT }]);
  },
);
