/** How a received value is shown in an error message: short, and never by running the user's code. */
import { inspect } from 'node:util';

const MAX_LENGTH = 120;

export function describeValue(value: unknown): string {
  let text: string;
  if (typeof value === 'string') text = JSON.stringify(value.slice(0, MAX_LENGTH));
  else if (typeof value === 'bigint') text = `${value}n`;
  else if (typeof value === 'function') text = `a function`;
  else if (typeof value === 'object' && value !== null) {
    text = inspect(value, {
      depth: 1,
      maxArrayLength: 6,
      maxStringLength: 40,
      breakLength: Infinity,
      compact: true,
      customInspect: false,
      getters: false,
    });
  } else text = String(value);
  return text.length <= MAX_LENGTH ? text : `${text.slice(0, MAX_LENGTH)}...`;
}

export function describeShape(shape: readonly number[]): string {
  return `[${shape.join(', ')}]`;
}
