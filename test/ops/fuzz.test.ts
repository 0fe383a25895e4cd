/** Ten thousand random calls, and some for kernels; scripts/fuzz.mjs makes as many as one likes. */
import { expect, test } from '@jest/globals';
import { testPrograms, expectEnding } from '../helpers/child';
import type { KernelFuzzTask } from '../process/programs/kernel-fuzz';
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

test('calls made for kernels come as far, the same ones for the same seed', () => {
  const ops = ['AddV2', 'DestroyResourceOp', 'QueueSizeV2', 'TensorListLength', 'Tile'];
  const task: KernelFuzzTask = { ops, from: 0, batch: 10, runs: 100, seed: 4, folder };
  const [ending, again] = [programs.run('kernel-fuzz', task), programs.run('kernel-fuzz', task)];
  expectEnding(ending, 0);
  expect(again.said).toEqual(ending.said);
  const ran = (ending.said as { op?: string; ran?: number }[]).filter((one) => one.ran! > 0);
  expect(ran.map(({ op }) => op)).toEqual(ops);
});
