/** Stacks that reach the caller's program. */

/** Of ours, above the caller's: V8 keeps ten frames by default, and these must not push the caller's own out. */
const OUR_FRAMES = 20;

type Callable = ((...values: never[]) => unknown) | (abstract new (...values: never[]) => unknown);

/**
 * Gives `target` a `stack` from `below` on (a function that is running), as long as the caller has asked for and ours beside.
 * Formatted only when it is read.
 */
export function captureStack(target: object, below: Callable): void {
  const { stackTraceLimit } = Error;
  const longer = stackTraceLimit > 0 ? stackTraceLimit + OUR_FRAMES : stackTraceLimit;
  const limited = Reflect.set(Error, 'stackTraceLimit', longer); // false where Error is frozen
  Error.captureStackTrace(target, below);
  if (limited) Error.stackTraceLimit = stackTraceLimit;
}
