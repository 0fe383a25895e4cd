/** What every program of this folder uses: its task and its voice. See test/helpers/child.ts. */
import { writeSync } from 'node:fs';

/** The one argument, a JSON text. */
export function task<T>(): T {
  return JSON.parse(process.argv[2] ?? '{}') as T;
}

/** One line of JSON on standard output, written at once: the process may be about to crash. */
export function say(value: unknown): void {
  writeSync(1, `${JSON.stringify(value)}\n`);
}

/** What a test compares of an error. */
export function describeError(error: unknown): Record<string, unknown> {
  const { code, facts, message, tfStatus } = error as Record<string, unknown>;
  return { code, facts, message, ...(tfStatus === undefined ? {} : { tfStatus }) };
}
