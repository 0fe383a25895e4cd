/** Checks a trailing options object: an object, and no key that the function does not have. */
import { describeValue } from '../describe';
import { tfeError } from '../errors';
import { isArray, isObject } from '../objects';

export function checkOptions(
  functionName: string,
  options: unknown,
  allowed: readonly string[],
): void {
  if (!isObject(options) || isArray(options)) {
    throw tfeError('TFE_OPTION_VALUE', {
      function: functionName,
      option: 'options',
      expected: `an object with ${allowed.join(', ')}`,
      received: describeValue(options),
    });
  }
  for (const key of Object.keys(options)) {
    if (!allowed.includes(key)) {
      throw tfeError('TFE_OPTION_UNKNOWN', { function: functionName, option: key, allowed });
    }
  }
}

/** The boolean option `name`, or `fallback` when it is absent. */
export function booleanOption(
  functionName: string,
  options: Readonly<Record<string, unknown>>,
  name: string,
  fallback: boolean,
): boolean {
  const value = options[name];
  if (value === undefined) return fallback;
  if (typeof value !== 'boolean') {
    throw tfeError('TFE_OPTION_VALUE', {
      function: functionName,
      option: name,
      expected: 'a boolean',
      received: describeValue(value),
    });
  }
  return value;
}
