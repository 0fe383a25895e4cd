/**
 * What one row of the error registry looks like. Owns the shape only; the rows live in the tables
 * beside this file, one table per subject, and `index.ts` joins them.
 */

/** When an error arises. A reader of a log can tell from it which room of the house to look in. */
export type Phase =
  | 'install' // fetching and verifying the TensorFlow library
  | 'load' // finding and opening the addon and the library
  | 'tensor' // making, reading and freeing tensors
  | 'op' // checking and running one op
  | 'define' // declaring an extension op, a module or a plugin
  | 'prepare' // planning an op on an engine
  | 'analysis' // parsing, claiming and lowering a source file
  | 'call' // entering a lowered function
  | 'cli'; // reading the command line

/** One row: `F` are the facts that the message is built from. */
export interface ErrorSpec<F> {
  readonly phase: Phase;
  /** A full sentence (or more) that names the argument and the value it received. */
  readonly message: (facts: F) => string;
  /** The way out: what to change, or the command to run. */
  readonly hint: string | ((facts: F) => string);
}

/** Types a table of rows without widening it, so that `tfeError` knows each code's facts. */
export function errorTable<T extends Readonly<Record<string, ErrorSpec<never>>>>(table: T): T {
  return table;
}
