/**
 * Runs a script of this folder in a process of its own and hears what it says line by line. For steps that may end a
 * process: opening a library that is not what it seems.
 */
import { spawn } from 'node:child_process';
import { extname, join } from 'node:path';
import { createInterface } from 'node:readline';
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

/** Starts `name` with one argument, a JSON text; `hear` gets each JSON value that it prints on a line. */
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
      stdio: ['ignore', 'pipe', 'pipe'],
      ...(signal === undefined ? {} : { signal }),
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      said = lastLines(said + text);
    });
    createInterface(child.stdout).on('line', (line) => {
      // What TensorFlow or a preloaded library prints is not ours.
      if (line.startsWith('{')) hear(JSON.parse(line) as unknown);
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

function lastLines(text: string): string {
  return text
    .split('\n')
    .slice(-LAST_LINES - 1)
    .join('\n');
}
