/**
 * Every registered op, one by one, with too many and too few inputs, inputs that are no tensors or of other dtypes, and
 * attributes of every wrong kind: refused before TensorFlow sees the call. Then the plainest calls it can take, with
 * inputs of rank 0 to 5 and attributes at the ends of their range: an answer or an error, never the end of the process.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { opNames } from '../../lib/ops/definition';
import { testPrograms, expectEnding } from '../helpers/child';
import type { WalkTask } from '../process/programs/op-walk';

const programs = testPrograms();
const { folder } = programs;

const STEP = 2; // two halves: a process that has made every kernel is large

test.each(Array.from({ length: STEP }, (_, i) => i))('part %i of all ops', (from) => {
  const scratch = join(folder, `scratch-${from}`);
  mkdirSync(scratch);
  const task: WalkTask = { from, step: STEP, folder: scratch };
  const ending = programs.run('op-walk', task);
  const last = ending.said.at(-1) as Record<string, unknown>;
  expect(last).toEqual({ done: true, ran: expect.any(Number), refusals: expect.any(Object) });
  expectEnding(ending, 0);
  expect(last['ran']).toBeGreaterThan(300);
  expect(ending.said).toHaveLength(Math.ceil((opNames().length - from) / STEP) + 1);
});
