/**
 * Runs a program to its end. Owns everything that can go wrong around one: it cannot be started, it never ends, it says more
 * than memory holds, or what it started itself keeps its output open. Every ending is an answer, never an exception.
 */
import { spawn, type ChildProcess, type StdioOptions } from 'node:child_process';
import type { Readable } from 'node:stream';
import { problemOf } from './files';
import type { Environment } from './paths';

export interface ProgramOptions {
  readonly env: Environment;
  readonly stdio: StdioOptions;
  /**
   * Hears what the program writes, line by line and without blank lines, by the number of the descriptor. Where `stdio` has no
   * pipe there is nothing to hear.
   */
  readonly hear: Readonly<Record<number, (line: string) => void>>;
  /** Ends the program when it is aborted; the ending is answered as any other. */
  readonly signal?: AbortSignal;
  /** Ends the program when it has run that long. Default: it may take its time. */
  readonly patienceMs?: number;
  /** How long the program may go on after it was told to end. Default: it is killed at once. */
  readonly graceMs?: number;
}

export interface ProgramEnding {
  /** How it ended as a predicate ("ended with exit code 3"); null: with exit code 0. */
  readonly problem: string | null;
  /** Why it never ran; null when it did. */
  readonly refusal: Error | null;
  /** Whether it was ended because `patienceMs` were over. */
  readonly wasSlow: boolean;
}

/** How long output is waited for that a program's own children hold open after its end. */
const DRAIN_MS = 1000;

/** Runs `program`; resolves with its ending, also when it could not be started. */
export async function runProgram(
  program: string,
  args: readonly string[],
  { env, stdio, hear, signal, patienceMs, graceMs = 0 }: ProgramOptions,
): Promise<ProgramEnding> {
  let child: ChildProcess;
  try {
    child = spawn(program, args, { env: { ...env }, stdio });
  } catch (error) {
    return refused(error as Error);
  }
  let wasSlow = false;
  const timers: NodeJS.Timeout[] = [];
  const after = (ms: number, act: () => void): void => void timers.push(setTimeout(act, ms));
  const stop = (): void => {
    child.kill(graceMs > 0 ? 'SIGTERM' : 'SIGKILL');
    if (graceMs > 0) after(graceMs, () => child.kill('SIGKILL'));
  };
  const ending = new Promise<ProgramEnding>((resolve) => {
    // Before anything is read: without descriptors to spare there is no pipe to read from, only this event.
    child.once('error', (error) => resolve(refused(error)));
    child.once('exit', (code, killedBy) => {
      const end = (): void =>
        resolve({ problem: problemIn(code, killedBy), refusal: null, wasSlow });
      child.once('close', end);
      after(DRAIN_MS, end);
    });
  });
  const readers = Object.entries(hear).map(
    ([descriptor, line]) => new LineReader(child, Number(descriptor), line),
  );
  if (signal?.aborted === true) stop();
  else signal?.addEventListener('abort', stop, { once: true });
  if (patienceMs !== undefined) {
    after(patienceMs, () => {
      wasSlow = true;
      stop();
    });
  }
  try {
    return await ending;
  } finally {
    for (const timer of timers) clearTimeout(timer);
    signal?.removeEventListener('abort', stop);
    for (const reader of readers) reader.end();
  }
}

function refused(error: Error): ProgramEnding {
  return { problem: `could not be run (${problemOf(error)})`, refusal: error, wasSlow: false };
}

function problemIn(code: number | null, killedBy: NodeJS.Signals | null): string | null {
  if (killedBy !== null) return `was ended by ${killedBy}`;
  return code === 0 ? null : `ended with exit code ${String(code)}`;
}

/** A line that is longer is heard in pieces: a program may write for ever and end no line. */
const LONGEST_LINE = 1 << 20;

/** Reads one output of a program. */
class LineReader {
  readonly #hear: (line: string) => void;
  readonly #stream: Readable | null;
  #rest = '';

  constructor(child: ChildProcess, descriptor: number, hear: (line: string) => void) {
    this.#hear = hear;
    this.#stream = pipeOf(child, descriptor);
    // A pipe that breaks ends as one that is closed does.
    this.#stream?.on('error', () => undefined);
    this.#stream?.setEncoding('utf8').on('data', (text: string) => this.#take(text));
  }

  /** Hears the line that no line end followed, and nothing after it. */
  end(): void {
    this.#stream?.destroy();
    this.#say(this.#rest);
    this.#rest = '';
  }

  #take(text: string): void {
    const lines = (this.#rest + text).split(/\r?\n|\r/u);
    this.#rest = lines.pop() ?? '';
    for (const line of lines) this.#say(line);
    if (this.#rest.length <= LONGEST_LINE) return;
    this.#say(this.#rest);
    this.#rest = '';
  }

  #say(line: string): void {
    const clean = line.trimEnd();
    if (clean !== '') this.#hear(clean);
  }
}

/** Null where there is no pipe; a program that was not started may have no list of them. */
function pipeOf(child: ChildProcess, descriptor: number): Readable | null {
  const stdio = child.stdio as ChildProcess['stdio'] | undefined;
  return (stdio?.[descriptor] ?? null) as Readable | null;
}

/** Characters of a line that are worth quoting. */
const QUOTED_LENGTH = 1000;

/** The last lines that were heard. */
export class LastLines {
  readonly #count: number;
  readonly #lines: string[] = [];

  constructor(count: number) {
    this.#count = count;
  }

  add(line: string): void {
    this.#lines.push(line.length <= QUOTED_LENGTH ? line : `${line.slice(0, QUOTED_LENGTH)}...`);
    if (this.#lines.length > this.#count) this.#lines.shift();
  }

  toString(): string {
    return this.#lines.join('\n');
  }
}
