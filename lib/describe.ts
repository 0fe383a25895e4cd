/** How values, shapes and exceptions are shown in an error message: short, and never by running the user's code. */
import { inspect, types } from 'node:util';

const MAX_LENGTH = 120;

/** What a Tensor holds so that structuredClone and postMessage refuse it. Each copy of this package has its own. */
export const NOT_CLONEABLE = Symbol(
  'A tensor belongs to its thread: send exportTensor(tensor) and call importTensor(token) there. A tensor',
);

/** A tensor among other values, as `inspect` shows it. */
const INSPECTED_TENSOR = `Tensor { notCloneable: ${String(NOT_CLONEABLE)} }`;

/** What an error received where it wanted a Tensor, and another copy of this package has made one. */
export const FOREIGN_TENSOR = 'a Tensor of another copy of tfe-node';

export function describeValue(value: unknown): string {
  let text: string;
  if (typeof value === 'string') text = JSON.stringify(value.slice(0, MAX_LENGTH));
  else if (typeof value === 'bigint') text = `${value}n`;
  else if (typeof value === 'function') text = `a function`;
  else if (typeof value === 'object' && value !== null) {
    text = inspected(value);
  } else text = String(value);
  return text.length <= MAX_LENGTH ? text : `${text.slice(0, MAX_LENGTH)}...`;
}

function inspected(value: object): string {
  // Its one property says why it cannot be cloned, which nobody who gave it for something else wants to read.
  const mark: unknown = types.isProxy(value)
    ? undefined
    : Object.getOwnPropertyDescriptor(value, 'notCloneable')?.value;
  if (mark === NOT_CLONEABLE) return 'a Tensor';
  if (typeof mark === 'symbol') return FOREIGN_TENSOR;
  try {
    const text = inspect(value, {
      depth: 1,
      maxArrayLength: 6,
      maxStringLength: 40,
      breakLength: Infinity,
      compact: true,
      customInspect: false,
      getters: false,
    });
    return text.replaceAll(INSPECTED_TENSOR, 'a Tensor');
  } catch {
    // Symbol.toStringTag is read even so, and may be a getter that throws.
    return 'an object';
  }
}

/** What an exception says for itself; anything may be thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

export function describeShape(shape: readonly number[]): string {
  return `[${shape.join(', ')}]`;
}
