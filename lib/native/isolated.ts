/**
 * Runs a script of this folder in a process of its own and hears what it says line by line. For steps that may end a
 * process: opening a library that is not what it seems. Both ends of the line are here.
 */
import { writeSync } from 'node:fs';
import { extname, join } from 'node:path';
import { permissionRefusal } from './files';
import type { Environment } from './paths';
import { LastLines, runProgram } from './program';

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
  /** What kept the process from running: Node's permission model, or a system that gives no more of what it takes. */
  readonly refusedBy: 'permission' | 'system' | null;
}

/** What to do where the system refuses a process. */
export const SYSTEM_LIMITS =
  'The system gives no more processes, open files or memory: see `ulimit -a` and the limits of the container.';

const LAST_LINES = 6;

/** Where the process writes: what TensorFlow or a preloaded module prints on its standard output is not ours. */
const LINE_FD = 3;

/** Says something to the process that started this one. It has arrived when this returns, whatever follows. */
export function say(message: object): void {
  writeSync(LINE_FD, `${JSON.stringify(message)}\n`);
}

/** The port is this process's, and a process that waits for its own debugger waits for ever. */
const DEBUGGER = /^--(?:inspect|debug)/u;

/** Starts `name` with one argument, a JSON text; `hear` gets what it says. */
export async function runIsolated(
  name: string,
  task: unknown,
  hear: (message: unknown) => void,
  { env, execArgv = process.execArgv, signal }: IsolatedOptions,
): Promise<Ending> {
  const script = join(__dirname, `${name}${extname(__filename)}`);
  const said = new LastLines(LAST_LINES);
  const { problem, refusal } = await runProgram(
    process.execPath,
    [...execArgv.filter((option) => !DEBUGGER.test(option)), script, JSON.stringify(task)],
    {
      env,
      stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
      hear: {
        2: (line) => said.add(line),
        [LINE_FD]: (line) => {
          const message = parsed(line);
          if (message !== undefined) hear(message);
        },
      },
      ...(signal === undefined ? {} : { signal }),
    },
  );
  signal?.throwIfAborted();
  const isForbidden = permissionRefusal(refusal) !== undefined;
  return {
    problem: isForbidden ? 'was not allowed to start' : problem,
    said: said.toString(),
    refusedBy: isForbidden ? 'permission' : refusal === null ? null : 'system',
  };
}

/** Undefined for a line that its end has cut short: nothing was said, then. */
function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
