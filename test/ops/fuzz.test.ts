/** Ten thousand random calls; scripts/fuzz.mjs makes as many as one likes. */
import { expect, test } from '@jest/globals';
import { testPrograms, expectEnding } from '../helpers/child';
import type { FuzzTask } from '../process/programs/op-fuzz';

const programs = testPrograms();
const { folder } = programs;

test('random calls answer or throw a TfeError, and leave no tensor behind', () => {
  const task: FuzzTask = { runs: 10_000, seed: 4, folder };
  const ending = programs.run('op-fuzz', task);
  const last = ending.said.at(-1) as { left?: number; codes?: Record<string, number> };
  expect(last).toMatchObject({ done: true, left: 0 });
  expectEnding(ending, 0);
  // That it is not all refused at the same door.
  expect(Object.keys(last.codes!)).toEqual(
    expect.arrayContaining(['ran', 'TFE_OP_FAILED', 'TFE_OP_DTYPE', 'TFE_OP_ATTRIBUTE']),
  );
});
