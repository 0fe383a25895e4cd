/** What TensorFlow has made is deleted: op, handles, prepared constants, and the context last. */
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import { buildPrograms, expectEnding } from '../helpers/child';
import { stubLibrary } from '../helpers/stub-library';
import type { DropOrderTask } from './programs/drop-order';

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'tfe-node-test-')));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const programs = buildPrograms(join(folder, 'package'));
const { cc, framework } = stubLibrary(join(folder, 'stub'), { objects: true });

interface Event {
  readonly made: boolean;
  readonly kind: string;
  readonly object: string;
}

function history(end: DropOrderTask['end']): readonly Event[] {
  const ending = programs.run('drop-order', { cc, framework, end } satisfies DropOrderTask);
  expectEnding(ending, 0);
  return [...ending.stderr.matchAll(/^([+-]) (\w+) (\d+)$/gm)].map(([, sign, kind, number]) => ({
    made: sign === '+',
    kind: kind!,
    object: `${kind} ${number}`,
  }));
}

describe.each(['normally', 'worker'] as const)('an environment that ends: %s', (end) => {
  const events = history(end);

  test('everything that was made is deleted, once', () => {
    const made = events.filter((event) => event.made).map(({ object }) => object);
    const deleted = events.filter((event) => !event.made).map(({ object }) => object);
    expect(new Set(made).size).toBe(made.length);
    expect(deleted.sort()).toEqual(made.sort());
    const kinds = new Set(events.map(({ kind }) => kind));
    const all = ['cancellation', 'context', 'handle', 'op', 'share', 'status', 'tensor'];
    expect([...kinds].sort()).toEqual(all);
  });

  test('the context goes after every op, handle, constant, token and task', () => {
    const context = events.findIndex(({ made, kind }) => !made && kind === 'context');
    const later = events.slice(context + 1).filter(({ kind }) => kind !== 'status');
    expect(later).toEqual([]);
  });

  test("the environment's op goes before its prepared constants, and they before the other handles", () => {
    const order = events.filter(({ made }) => !made).map(({ object }) => object);
    // The first op is that of the check, the second runs `add` here; the first share is its constant, the first
    // handle is kept.
    const first = (kind: string, nth: number): string =>
      events.filter((event) => event.made && event.kind === kind)[nth]!.object;
    const places = [first('op', 1), first('share', 0), first('handle', 0)].map((object) =>
      order.indexOf(object),
    );
    expect(places).toEqual([...places].sort((a, b) => a - b));
  });
});
