/**
 * Runs a script of this folder in a process of its own and hears what it says line by line. For steps that may end a
 * process: opening a library that is not what it seems. Both ends of the line are here.
 */
import { spawn } from 'node:child_process';
import { writeSync } from 'node:fs';
import { extname, join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import type { Environment } from './paths';

export interface IsolatedOptions {
  readonly env: Environment;
  /** Node's own options. Default: those of this process, so that the child may do what this process may. */
  readonly execArgv?: readonly string[];
  readonly signal?: AbortSignal;
}

export interface Ending {
  /** How it ended as a predicate ("was ended by SIGSEGV"); null: as it should. */
  readonly problem: string | null;
  /** The last lines that it wrote to standard error. */
  readonly said: string;
  /** True when the process never ran, because Node's permission model forbids child processes. */
  readonly forbidden: boolean;
}

const LAST_LINES = 6;

/** Where the process writes: what TensorFlow or a preloaded module prints on its standard output is not ours. */
const LINE_FD = 3;

/** Says something to the process that started this one. It has arrived when this returns, whatever follows. */
export function say(message: object): void {
  writeSync(LINE_FD, `${JSON.stringify(message)}\n`);
}

/** Starts `name` with one argument, a JSON text; `hear` gets what it says. */
export async function runIsolated(
  name: string,
  task: unknown,
  hear: (message: unknown) => void,
  { env, execArgv = process.execArgv, signal }: IsolatedOptions,
): Promise<Ending> {
  const script = join(__dirname, `${name}${extname(__filename)}`);
  let said = '';
  try {
    const child = spawn(process.execPath, [...execArgv, script, JSON.stringify(task)], {
      env: { ...env },
      stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
      ...(signal === undefined ? {} : { signal }),
    });
    child.stderr!.setEncoding('utf8').on('data', (text: string) => {
      said = lastLines(said + text);
    });
    createInterface(child.stdio[LINE_FD] as Readable).on('line', (line) => {
      const message = parsed(line);
      if (message !== undefined) hear(message);
    });
    const [code, killedBy] = await new Promise<[number | null, NodeJS.Signals | null]>(
      (resolve, reject) => {
        child.once('error', reject);
        child.once('close', (...ending) => resolve(ending));
      },
    );
    const problem =
      killedBy !== null
        ? `was ended by ${killedBy}`
        : code === 0
          ? null
          : `ended with exit code ${String(code)}`;
    return { problem, said, forbidden: false };
  } catch (error) {
    if ((error as { code?: unknown }).code !== 'ERR_ACCESS_DENIED') throw error;
    return { problem: 'was not allowed to start', said, forbidden: true };
  }
}

/** Undefined for a line that its end has cut short: nothing was said, then. */
function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

function lastLines(text: string): string {
  return text
    .split('\n')
    .slice(-LAST_LINES - 1)
    .join('\n');
}
