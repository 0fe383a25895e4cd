/**
 * An installation in a process of its own, for tests that kill it or run two at once. Started with one argument, a
 * JSON text: the options, and where to stop. Says every step on its standard output, and its outcome at the end.
 */
import { existsSync, readFileSync, writeSync } from 'node:fs';
import { installRuntime } from '../../lib/native/install';
import type { Pin } from '../../lib/native/pin';
import { PLATFORM } from './fake-wheel';

export interface ChildTask {
  readonly cache: string;
  readonly wheel: string;
  /** Takes the files from this Python instead of the wheel. */
  readonly python?: string;
  readonly pinFile: string;
  readonly force?: boolean;
  /** Stand still for ever at this step: `seal`, or `extract libtensorflow_cc.so.2`. */
  readonly stopAt?: string;
  /** At `step`, stand still until the file exists. */
  readonly gate?: { readonly step: string; readonly file: string };
}

const task = JSON.parse(process.argv[2]!) as ChildTask;

function wait(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

function say(text: string): void {
  writeSync(1, `${text}\n`);
}

installRuntime({
  platform: PLATFORM,
  pin: JSON.parse(readFileSync(task.pinFile, 'utf8')) as Pin,
  ...(task.python === undefined ? { wheel: task.wheel } : { fromPython: task.python }),
  env: { XDG_CACHE_HOME: task.cache },
  force: task.force ?? false,
  report: (event) => {
    if (event.step === 'progress') return;
    const step = 'file' in event ? `${event.step} ${event.file}` : event.step;
    say(step);
    if (step === task.stopAt) for (;;) wait(1000);
    if (step === task.gate?.step) while (!existsSync(task.gate.file)) wait(5);
  },
}).then(
  ({ outcome }) => say(`outcome ${outcome}`),
  (error: unknown) => {
    say(`error ${String((error as { code?: unknown }).code)}: ${(error as Error).message}`);
    process.exitCode = 1;
  },
);
