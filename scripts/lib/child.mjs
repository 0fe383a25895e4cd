/**
 * Child processes of the scripts. A child's output is streamed to standard error, so that standard output stays
 * free for what the user asked for (`npm test -- --json`). A signal to the script reaches the child, and the script waits for its end.
 */
import { spawn } from 'node:child_process';
import { constants } from 'node:os';

/** A failure that is explained by its message alone: printed without a stack. */
export class ScriptError extends Error {
  /** @param {string} message @param {number} exitCode */
  constructor(message, exitCode = 1) {
    super(message);
    this.exitCode = exitCode;
  }
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/**
 * Runs a command to its end with its output streamed. Resolves when it exits with 0.
 * @throws {ScriptError} naming the command and how it ended.
 */
export function stream(command, args, { cwd, env = process.env, what = command } = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd, env, stdio: ['ignore', 2, 2] });
    let interrupted;
    const forward = (signal) => {
      interrupted = signal;
      child.kill(signal);
    };
    for (const signal of SIGNALS) process.on(signal, forward);
    const done = (error) => {
      for (const signal of SIGNALS) process.off(signal, forward);
      if (error === undefined) resolve();
      else reject(error);
    };
    child.on('error', (error) =>
      done(new ScriptError(`${what} could not start: ${error.message}`)),
    );
    child.on('close', (code, signal) => {
      if (interrupted !== undefined) {
        done(
          new ScriptError(
            `${what} was interrupted (${interrupted}).`,
            128 + constants.signals[interrupted],
          ),
        );
      } else if (code === 0) done();
      else
        done(new ScriptError(`${what} failed (${code === null ? signal : `exit code ${code}`}).`));
    });
  });
}

/** Runs `main` and turns its failure into a message and an exit code. */
export async function runScript(name, main) {
  try {
    await main();
  } catch (error) {
    if (error instanceof ScriptError) {
      process.stderr.write(`${name}: ${error.message}\n`);
      process.exitCode = error.exitCode;
      return;
    }
    throw error;
  }
}
