/**
 * The program `tfe-node`: joins the commands, turns errors into lines and exit codes. The only file of the command line
 * that knows `process`.
 */
import { isTfeError, tfeError, type TfeError } from '../errors';
import { permissionRefusal, type PermissionRefusal } from '../native/files';
import { PACKAGE_VERSION, TENSORFLOW_VERSION } from '../version';
import { Command, CommanderError } from '../vendor/commander';
import { register as build } from './build';
import { register as check } from './check';
import type { CliContext, RegisterCommand } from './context';
import { register as doctor, type DoctorDependencies } from './doctor';
import { register as pin, type PinDependencies } from './pin';
import { register as runtime, type Interruptible, type RuntimeDependencies } from './runtime';

const NAME = 'tfe-node';

/** Wrong command line; the convention that shells and other tools follow. */
const EXIT_USAGE = 2;
const EXIT_ERROR = 1;

/** What a run of the program may be given beside its arguments. */
export interface RunDependencies {
  readonly runtime?: RuntimeDependencies;
  readonly doctor?: DoctorDependencies;
  readonly pin?: PinDependencies;
}

/**
 * Runs one command line (without node and the script) and returns the exit code: 0 done, 1 a typed error or a
 * negative answer, 2 a wrong command line, or a check that could not look at everything. Never rejects.
 */
export async function run(
  argv: readonly string[],
  context: CliContext,
  dependencies: RunDependencies = {},
): Promise<number> {
  const program = new Command(NAME)
    .description(
      `TensorFlow ${TENSORFLOW_VERSION} for Node: the library, and lowering of annotated TypeScript`,
    )
    .version(PACKAGE_VERSION)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => context.out(text),
      writeErr: (text) => context.err(text),
      // Said once, below, in the form that every other error has.
      outputError: () => undefined,
    });
  const commands: readonly RegisterCommand[] = [
    check,
    build,
    (parent, io) => runtime(parent, io, dependencies.runtime),
    (parent, io) => doctor(parent, io, dependencies.doctor),
    (parent, io) => pin(parent, io, dependencies.pin),
  ];
  for (const register of commands) register(program, context);

  try {
    await program.parseAsync([...argv], { from: 'user' });
    return context.exitCode;
  } catch (error) {
    if (error instanceof CommanderError) {
      if (error.exitCode === 0) return 0;
      // A command that only holds others has printed its help already.
      if (error.code !== 'commander.help') printError(usageError(error, program, argv), context);
      return EXIT_USAGE;
    }
    const refusal = permissionRefusal(error);
    if (refusal !== undefined) {
      printError(tfeError('TFE_CLI_PERMISSION', { access: accessOf(refusal) }), context);
    } else if (isTfeError(error)) {
      printError(error, context);
    } else {
      const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
      context.err(`error: ${text}\nThis is a fault of ${NAME} itself; please report it.\n`);
    }
    return EXIT_ERROR;
  }
}

/** To follow "the permission to". */
function accessOf({ permission, resource = 'files' }: PermissionRefusal): string {
  switch (permission) {
    case 'FileSystemRead':
      return `read ${resource}`;
    case 'FileSystemWrite':
      return `write to ${resource}`;
    case 'ChildProcess':
      return 'run other programs';
    default:
      return `use ${permission}`;
  }
}

function printError(error: TfeError, context: CliContext): void {
  context.err(`error ${error.code}: ${error.message}\n`);
}

function usageError(error: CommanderError, program: Command, argv: readonly string[]): TfeError {
  const problem = error.message
    .replace(/^error: /u, '')
    .replace(/\s*\n\s*/gu, ' ')
    .replace(/\.$/u, '');
  const command = [NAME, ...commandPath(program, argv)].join(' ');
  return tfeError('TFE_CLI_USAGE', { problem, command });
}

/** The names of the command that the arguments lead to. */
function commandPath(program: Command, argv: readonly string[]): string[] {
  const [first, ...rest] = argv;
  const next = program.commands.find((command) => command.name() === first);
  return next === undefined ? [] : [next.name(), ...commandPath(next, rest)];
}

const INTERRUPTS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** The program as the `bin` file starts it. */
export async function main(): Promise<void> {
  // A reader that goes away (`tfe-node check | head`) must not change what the command does or answers.
  let isUnwritten = false;
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EPIPE' || isUnwritten) return;
      // A full disk behind `> file`. The command goes on, because it may have to clean up; its answer is lost.
      isUnwritten = true;
      // Heard after the command has ended, it still changes the exit code.
      if (process.exitCode === 0) process.exitCode = EXIT_ERROR;
      // The other stream may still be read.
      if (stream === process.stdout) process.stderr.write(`error: ${error.message}\n`);
    });
  }
  let interruptedBy: NodeJS.Signals | undefined;
  const interruptible: Interruptible = async (task) => {
    const controller = new AbortController();
    const abort = (signal: NodeJS.Signals): void => {
      interruptedBy = signal;
      controller.abort();
    };
    // Once each: a second Ctrl-C ends the process in the ordinary way.
    for (const signal of INTERRUPTS) process.once(signal, abort);
    try {
      return await task(controller.signal);
    } finally {
      for (const signal of INTERRUPTS) process.off(signal, abort);
    }
  };
  const context: CliContext = {
    cwd: process.cwd(),
    env: process.env,
    isTerminal: process.stdout.isTTY && process.stderr.isTTY,
    out: (text) => void process.stdout.write(text),
    err: (text) => void process.stderr.write(text),
    exitCode: 0,
  };
  const code = await run(process.argv.slice(2), context, { runtime: { interruptible } });
  process.exitCode = isUnwritten ? code || EXIT_ERROR : code;
  if (interruptedBy !== undefined) {
    // A shell script goes on after a command that merely failed, and stops after one that a signal ended.
    await new Promise<void>((resolve) => process.stderr.write('', () => resolve()));
    process.kill(process.pid, interruptedBy);
  }
}
