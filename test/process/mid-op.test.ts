/**
 * A thread or the process may end while ops run, in any thread and on or off its loop: the exit code is its own, nothing
 * crashes, nothing hangs, and nobody complains. One process per case.
 */
import { expect, test } from '@jest/globals';
import { testPrograms } from '../helpers/child';
import type { MidOpTask } from './programs/mid-op';

const programs = testPrograms();

/** What TensorFlow says of itself when it is loaded. */
const BANNER =
  /^(?:WARNING: All log messages before absl|I0000 .* oneDNN custom operations are on).*\n/gm;

interface Expected {
  readonly code?: number | null;
  readonly signal?: NodeJS.Signals;
  readonly said?: readonly unknown[];
  readonly stderr?: RegExp;
}

const NOTHING = /^$/;
const ON_PURPOSE = /^.*mid-op\.js:\d+\n[^]*\nError: on purpose\n[^]*\n$/;
const ALL = ['long', 'short', 'long async', 'short async', 'read async'] as const;
/** 1000 ones by 1000 ones. */
const GOES_ON = { once: 1000 };

const CASES: readonly (readonly [name: string, task: MidOpTask, expected: Expected])[] = [
  // The main thread ends the process; its exit code is that of an exit without any op.
  [
    'process.exit() while workers work on their loops',
    { main: 'nothing', workers: ['long', 'short', 'long'], end: 'exit' },
    { code: 7 },
  ],
  ['process.exit() while all work', { main: 'long async', workers: ALL, end: 'exit' }, { code: 7 }],
  [
    'process.exit() in the middle of a large read',
    { main: 'read async', workers: ['read async'], end: 'exit' },
    { code: 7 },
  ],
  [
    'process.exit() among short ops',
    { main: 'short async', workers: ['short', 'short async'], end: 'exit', after: 30 },
    { code: 7 },
  ],
  [
    "process.reallyExit(), which emits no 'exit'",
    { main: 'long async', workers: [], end: 'reallyExit' },
    { code: 7 },
  ],
  [
    'process.reallyExit() while all work',
    { main: 'long async', workers: ALL, end: 'reallyExit' },
    { code: 7 },
  ],
  [
    'an uncaught exception while all work',
    { main: 'long async', workers: ALL, end: 'throw' },
    { code: 1, stderr: ON_PURPOSE },
  ],
  [
    'an unhandled rejection while all work',
    { main: 'long async', workers: ALL, end: 'reject' },
    { code: 1, stderr: ON_PURPOSE },
  ],
  [
    'SIGTERM while all work',
    { main: 'long async', workers: ALL, end: 'signal' },
    { code: null, signal: 'SIGTERM' },
  ],
  [
    'the first op off the loop begins in an exit handler',
    { main: 'nothing', workers: [], end: 'begin in the exit handler' },
    { code: 7 },
  ],
  [
    'an exit handler throws before others',
    { main: 'long async', workers: ['long'], end: 'throw in the exit handler' },
    { code: 7, stderr: ON_PURPOSE },
  ],
  [
    'an exit handler runs ops',
    { main: 'long async', workers: ['long', 'long async'], end: 'work in the exit handler' },
    { code: 7, said: [{ atExit: 1000 }] },
  ],
  [
    'a beforeExit handler runs ops, and is waited for',
    { main: 'nothing', workers: [], end: 'work in the beforeExit handler' },
    { said: [{ beforeExit: 1000 }, { then: 1000 }] },
  ],
  // A worker ends; the main thread goes on.
  [
    'workers are terminated in the middle of an op',
    { main: 'nothing', workers: ['long', 'long'], end: 'terminate' },
    { said: [{ exits: [1, 1] }, GOES_ON] },
  ],
  [
    'workers are terminated with ops off their loops',
    { main: 'nothing', workers: ['long async', 'read async'], end: 'terminate' },
    { said: [{ exits: [1, 1] }, GOES_ON] },
  ],
  [
    'workers are terminated while all work',
    { main: 'long async', workers: ALL, end: 'terminate' },
    { said: [{ exits: [1, 1, 1, 1, 1] }, GOES_ON] },
  ],
  [
    'process.exit() in a worker',
    { main: 'long async', workers: ['long async', 'long'], end: 'exit', by: 'worker' },
    { said: [{ exits: [7, 1] }, GOES_ON] },
  ],
  [
    'process.reallyExit() in a worker',
    { main: 'short async', workers: ['read async', 'short'], end: 'reallyExit', by: 'worker' },
    { said: [{ exits: [7, 1] }, GOES_ON] },
  ],
  [
    'an uncaught exception in a worker',
    { main: 'long async', workers: ['long async', 'long'], end: 'throw', by: 'worker' },
    { said: [{ workerError: 'on purpose' }, { exits: [1, 1] }, GOES_ON] },
  ],
  [
    'an unhandled rejection in a worker',
    { main: 'read async', workers: ['short async', 'short'], end: 'reject', by: 'worker' },
    { said: [{ workerError: 'on purpose' }, { exits: [1, 1] }, GOES_ON] },
  ],
  [
    'an exit handler of a worker runs ops',
    { main: 'short async', workers: ['long async'], end: 'work in the exit handler', by: 'worker' },
    { said: [{ atExit: 1000 }, { exits: [7] }, GOES_ON] },
  ],
];

test.each(CASES)('%s', (_, task, { code = 0, signal = null, said = [], stderr = NOTHING }) => {
  const ending = programs.run('mid-op', task);
  expect({ ...ending, stderr: ending.stderr.replace(BANNER, '') }).toEqual({
    code,
    signal,
    said,
    stderr: expect.stringMatching(stderr),
  });
});
