/**
 * What a command may touch of the outside. Commands write through it and set `exitCode`; only `main.ts` knows
 * `process`. Tests pass a context of their own.
 */
import type { Command } from '../vendor/commander';

export interface CliContext {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Whether standard output and error are terminals: progress bars and colours only then. */
  readonly isTerminal: boolean;
  out(text: string): void;
  err(text: string): void;
  /** 0: done; 1: the answer is no, or a typed error; 2: the command line is wrong, or `pin check` could not check. */
  exitCode: number;
}

/** Adds one command to the program: `register` of the file that is named like the command. */
export type RegisterCommand = (program: Command, context: CliContext) => void;
