/** A system that gives no more threads: an error with a code, and work goes on with the threads that there are. */
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { expectEnding, testPrograms } from '../helpers/child';
import { noThreads } from '../helpers/stub-library';

const programs = testPrograms();

test('an op off the loop, or one that may wait in a worker, says so', () => {
  const preload = noThreads(join(programs.folder, 'stub'));
  const ending = programs.run('no-threads', {}, { env: { LD_PRELOAD: preload } });
  expectEnding(ending, 0);
  const [none, some, one, worker] = ending.said;
  expect(none).toEqual({
    none: expect.stringMatching(
      /gives this process no thread .*: Resource temporarily unavailable\. /,
    ),
  });
  expect(some).toEqual({ some: 2 });
  expect(one).toEqual({ one: new Array(8).fill(2), pending: 0 });
  expect(worker).toEqual({ worker: ['TFE_THREAD_UNAVAILABLE', 'done', 'done'] });
});
