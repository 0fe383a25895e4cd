/** Programs that other programs are: they do not start, do not end, say too much, or leave others behind that hold their output. */
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { LastLines, runProgram, type ProgramEnding } from '../../lib/native/program';
import { testPrograms } from '../helpers/child';
import { cleanScratchAfterEach, scratch } from '../helpers/scratch';

cleanScratchAfterEach();

const { folder } = testPrograms();

interface Run {
  readonly ending: ProgramEnding;
  readonly lines: readonly string[];
  readonly ms: number;
}

async function run(
  script: string,
  options: Partial<Parameters<typeof runProgram>[2]> = {},
): Promise<Run> {
  const lines: string[] = [];
  const began = performance.now();
  const ending = await runProgram('/bin/sh', ['-c', script], {
    env: process.env,
    stdio: ['ignore', 'pipe', 'ignore'],
    hear: { 1: (line) => lines.push(line) },
    ...options,
  });
  return { ending, lines, ms: performance.now() - began };
}

/** Far less than what the programs below sleep, far more than it takes to notice. */
const SOON_MS = 15_000;

describe('a program', () => {
  test('is heard line by line, the last one without an end included', async () => {
    const { ending, lines } = await run("printf 'one\\r\\ntwo\\n\\nthree\\rfour'");
    expect(lines).toEqual(['one', 'two', 'three', 'four']);
    expect(ending).toEqual({ problem: null, refusal: null, wasSlow: false });
  });

  test.each([
    ['exit 3', 'ended with exit code 3'],
    ['kill -KILL $$', 'was ended by SIGKILL'],
  ])('that does `%s` is said to have', async (script, problem) => {
    expect((await run(script)).ending).toMatchObject({ problem, refusal: null });
  });

  test.each(['', '/nowhere/program', '/tmp', 'a\0b'])(
    'that cannot be started (%j) is an answer',
    async (name) => {
      const ending = await runProgram(name, [], {
        env: process.env,
        stdio: ['ignore', 'pipe', 'pipe'],
        hear: { 1: () => undefined, 2: () => undefined },
      });
      expect(ending.problem).toMatch(/^could not be run \(.+\)$/u);
      expect(ending.refusal).toBeInstanceOf(Error);
    },
  );

  test('that ends no line is heard in pieces', async () => {
    const { lines } = await run('head -c 5000000 /dev/zero | tr "\\0" a');
    expect(lines.length).toBeGreaterThan(3);
    expect(lines.join('')).toHaveLength(5_000_000);
  });

  test('that leaves another behind is not waited for longer than its output may take', async () => {
    const { ending, lines, ms } = await run('echo said; sleep 60 & exit 4');
    expect(ending.problem).toBe('ended with exit code 4');
    expect(lines).toEqual(['said']);
    expect(ms).toBeLessThan(SOON_MS);
  });

  test('that hangs is ended when patience is over, and what it waits for is not waited for', async () => {
    const { ending, ms } = await run('sleep 60; exit 5', { patienceMs: 100 });
    expect(ending).toMatchObject({ problem: 'was ended by SIGKILL', wasSlow: true });
    expect(ms).toBeLessThan(SOON_MS);
  });

  test.each([
    ['at once', 'sleep 60; exit 5', {}, 'was ended by SIGKILL'],
    [
      'as it likes',
      'trap "exit 6" TERM; sleep 1; exit 5',
      { graceMs: 9_000 },
      'ended with exit code 6',
    ],
    [
      'when grace is over',
      'trap "" TERM; sleep 60; exit 5',
      { graceMs: 300 },
      'was ended by SIGKILL',
    ],
  ])('that is called off ends %s', async (_how, script, options, problem) => {
    const controller = new AbortController();
    setTimeout(() => controller.abort(), 200);
    const { ending, ms } = await run(script, { ...options, signal: controller.signal });
    expect(ending.problem).toBe(problem);
    expect(ms).toBeLessThan(SOON_MS);
  });

  test('that is called off before it starts ends at once', async () => {
    const { ending } = await run('sleep 60', { signal: AbortSignal.abort() });
    expect(ending.problem).toBe('was ended by SIGKILL');
  });
});

test('of much that was said the last lines are kept, each up to a length', () => {
  const last = new LastLines(2);
  for (const line of ['one', 'two', 'x'.repeat(5000)]) last.add(line);
  expect(String(last)).toBe(`two\n${'x'.repeat(1000)}...`);
});

// A limit of its own: what is used up there would be missing here.
test.each([
  ['doctor', 'examine', 'platform', 'failed'],
  ['pin-check', 'checkPin', 'open', 'unreached'],
])('without an open file to spare %s still answers', (file, name, id, state) => {
  const script = join(scratch(), 'exhausted.cjs');
  writeFileSync(
    script,
    `const { closeSync, openSync, writeSync } = require('node:fs');
     const { ${name} } = require(${JSON.stringify(join(folder, 'lib/native', file))});
     const filled = [];
     const fill = () => { try { for (;;) filled.push(openSync('/dev/null')); } catch {} };
     // Files are opened and closed before the process is started.
     fill();
     closeSync(filled.pop());
     ${name}({}).then((report) => writeSync(1, JSON.stringify(report)));`,
  );
  const { stdout, stderr, status } = spawnSync(
    '/bin/sh',
    ['-c', 'ulimit -n 64; exec "$0" "$@"', process.execPath, script],
    { encoding: 'utf8' },
  );
  expect({ stderr, status }).toEqual({ stderr: '', status: 0 });
  const { findings } = JSON.parse(stdout) as { findings: { id: string }[] };
  expect(findings.find((finding) => finding.id === id)).toMatchObject({
    state,
    fact: expect.stringMatching(/could not be run \(.*(?:EMFILE|too many open files)/u),
    todo: expect.stringContaining('ulimit -a'),
  });
});
