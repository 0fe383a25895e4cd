/**
 * Processes of their own, for what a test process cannot survive or cannot repeat: opening a library, ending, crashing.
 * The programs lie in test/process/programs. They are compiled together with lib/ into a folder that looks like this
 * repository, so that a child needs no compiler, starts fast, and runs where addons are forbidden.
 */
import { spawnSync } from 'node:child_process';
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, expect } from '@jest/globals';
import { transformSync } from '@swc/core';

const ROOT = join(__dirname, '../..');

/** Node's option for its permission model: before Node 22.13 it had another name. */
export const PERMISSION = process.allowedNodeEnvironmentFlags.has('--permission')
  ? '--permission'
  : '--experimental-permission';

/** Preloaded into children, so that the error codes they make count as reached. */
export const RECORDER = join(__dirname, 'record-errors-preload.cjs');

/** The addon under test; scripts/sanitize.sh names another. */
export const ADDON =
  process.env['TFE_NODE_ADDON'] ?? join(ROOT, 'build/cmake/Release/tfe_node.node');

/**
 * process.exit() of Node 24 waits for a thread of V8 that compiles, and that thread now and then waits for the main
 * thread to collect garbage: a hang of Node's own, https://github.com/nodejs/node/issues/54918.
 */
const NO_HANG = ['--no-concurrent-sparkplug', '--no-concurrent-recompilation'];

export interface ChildOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** Options of Node itself. */
  readonly execArgv?: readonly string[];
}

export interface Ending {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stderr: string;
  /** What the program said, one value a line. */
  readonly said: readonly unknown[];
}

export interface Programs {
  /** The folder that looks like this repository, without a build in it. */
  readonly folder: string;
  /** Runs a program to its end. */
  run(program: string, task?: unknown, options?: ChildOptions): Ending;
}

/** {@link buildPrograms} into a folder that is gone after the test file, or the group of tests, that calls this. */
export function testPrograms(): Programs {
  const folder = mkdtempSync(join(tmpdir(), 'tfe-node-test-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  return buildPrograms(folder);
}

/** Compiles lib/ and the programs into `folder`. */
export function buildPrograms(folder: string): Programs {
  for (const room of ['lib', 'test/process/programs']) {
    for (const entry of readdirSync(join(ROOT, room), { recursive: true, encoding: 'utf8' })) {
      const name = join(room, entry);
      const target = join(folder, name.replace(/\.ts$/, '.js'));
      mkdirSync(dirname(target), { recursive: true });
      if (name.endsWith('.ts')) writeFileSync(target, compile(join(ROOT, name)));
      else if (name.endsWith('.json')) copyFileSync(join(ROOT, name), target);
    }
  }
  copyFileSync(join(ROOT, 'package.json'), join(folder, 'package.json'));
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules')); // what lib/vendor bundles
  return { folder, run: (program, task, options) => run(folder, program, task, options) };
}

/** As jest does (jest.config.js). */
function compile(filename: string): string {
  return transformSync(readFileSync(filename, 'utf8'), {
    filename,
    jsc: { parser: { syntax: 'typescript' }, target: 'es2022' },
    module: { type: 'commonjs' },
    sourceMaps: 'inline',
    swcrc: false,
  }).code;
}

function run(
  folder: string,
  program: string,
  task: unknown = {},
  { env = {}, execArgv = [] }: ChildOptions = {},
): Ending {
  const path = join(folder, 'test/process/programs', `${program}.js`);
  const child = spawnSync(
    process.execPath,
    [...NO_HANG, ...execArgv, '--require', RECORDER, path, JSON.stringify(task)],
    {
      encoding: 'utf8',
      env: { ...process.env, TFE_NODE_ADDON: ADDON, TF_CPP_MIN_LOG_LEVEL: '2', ...env },
      timeout: 110_000,
      killSignal: 'SIGKILL',
      maxBuffer: 64 * 1024 * 1024,
    },
  );
  if (child.error !== undefined) throw child.error;
  return {
    code: child.status,
    signal: child.signal,
    stderr: child.stderr,
    said: child.stdout
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as unknown),
  };
}

/** That the process ended by itself, with that exit code, and nothing native complained. */
export function expectEnding(ending: Ending, code: number): void {
  // One comparison, so that a failure shows what the child wrote.
  expect({
    ...ending,
    crashed: /terminate called|Segmentation|FATAL|Check failed/.exec(ending.stderr),
  }).toEqual({ ...ending, code, signal: null, crashed: null });
}
