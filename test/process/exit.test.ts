/** A process may end in any way while it holds tensors: its exit code is its own, and nothing crashes on the way out. */
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import { buildPrograms, expectEnding } from '../helpers/child';
import { stubLibrary } from '../helpers/stub-library';
import type { ContextsTask } from './programs/contexts';
import type { Way } from './programs/exit';

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'tfe-node-test-')));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const programs = buildPrograms(join(folder, 'package'));

const HOLDING = { holding: 400 };
const ON_PURPOSE = /Error: on purpose/;

const WAYS: readonly (readonly [
  way: Way,
  code: number,
  said?: readonly unknown[],
  stderr?: RegExp,
])[] = [
  ['normally', 0],
  ['exit in a loop', 7],
  ['exit in a scope', 7],
  ['exit in a timer', 7],
  ['exit while workers work', 7],
  ['uncaught exception', 1, [], ON_PURPOSE],
  ['uncaught exception while workers work', 1, [], ON_PURPOSE],
  ['unhandled rejection', 1, [], ON_PURPOSE],
  ['tensors in an exit handler', 0, [{ atExit: true }]],
  ['exit in a worker', 0, [{ workerExit: 5 }]],
  ['uncaught exception in a worker', 0, [{ workerError: 'on purpose' }, { workerExit: 1 }]],
  [
    'tensors in the exit handler of a worker',
    0,
    [{ workerSaid: { live: true } }, { workerExit: 0 }],
  ],
];

test.each(WAYS)('%s: exit code %i', (way, code, said = [], stderr = /(?:)/) => {
  const ending = programs.run('exit', way);
  expectEnding(ending, code);
  expect(ending.said).toEqual([HOLDING, ...said]);
  expect(ending.stderr).toMatch(stderr);
});

describe('the context', () => {
  const library = stubLibrary(join(folder, 'stub'), { contexts: true });

  /** The number of contexts after each change of it, and each wait for their work. */
  function history(task: Omit<ContextsTask, 'cc' | 'framework'>, code: number): string[] {
    const { cc, framework } = library;
    const ending = programs.run('contexts', { cc, framework, ...task });
    expectEnding(ending, code);
    return [...ending.stderr.matchAll(/^contexts: (\d+)$|^(waited)$/gm)].map(
      ([, count, waited]) => count ?? waited!,
    );
  }

  test('is one for the main thread and its workers, and is deleted when the process ends', () => {
    expect(history({ main: true, sets: [3, 2], end: 'normally' }, 0)).toEqual(['1', 'waited', '0']);
  });

  test('is deleted with the last worker and made anew for the next', () => {
    const life = ['1', 'waited', '0'];
    expect(history({ main: false, sets: [1, 1, 1], end: 'normally' }, 0)).toEqual([
      ...life,
      ...life,
      ...life,
    ]);
  });

  // Node runs no cleanup hooks then; what TensorFlow has queued must be over all the same.
  test.each([
    ['exit', 7],
    ['throw', 1],
  ] as const)('is waited for when the process ends by %s', (end, code) => {
    expect(history({ main: true, sets: [1], end }, code)).toEqual(['1', 'waited']);
  });

  test('that does not exist is not waited for', () => {
    expect(history({ main: false, sets: [1], end: 'exit' }, 7)).toEqual(['1', 'waited', '0']);
  });
});
