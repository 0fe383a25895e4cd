/** Ten thousand random calls of public functions; scripts/fuzz.mjs makes as many as one likes. */
import { expect, test } from '@jest/globals';
import { testPrograms, expectEnding } from '../helpers/child';
import type { ApiFuzzTask } from './programs/api-fuzz';

const programs = testPrograms();

test('random values have a right answer or a helpful error, and leave nothing behind', () => {
  const ending = programs.run('api-fuzz', { runs: 10_000, seed: 3 } satisfies ApiFuzzTask);
  const last = ending.said.at(-1) as { codes?: Record<string, number> };
  expect(last).toMatchObject({ done: true, left: 0 });
  expectEnding(ending, 0);
  // That it is not all refused at the same door.
  const answered = Object.keys(last.codes!).filter((key) => key.endsWith(' answered'));
  expect(answered).toEqual(
    expect.arrayContaining(['constant', 'op', 'execute', 'read', 'tokens'].map((door) => `${door} answered`)), // prettier-ignore
  );
});
