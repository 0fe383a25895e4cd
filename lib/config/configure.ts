/**
 * What a process asks of TensorFlow before it is loaded. Owns the options, their checks and how each reaches
 * TensorFlow; which configuration is in force is the addon's knowledge, because threads share it.
 */
import { describeValue } from '../describe';
import { tfeError, type TfeError } from '../errors';
import { addon, addonIfLoaded } from '../native/loader';
import { isArray, isObject, lengthOf } from '../objects';
import { isWellFormed } from '../tensor/strings';
import { encodeConfigProto, type ConfigProto } from './config-proto';

export type LogLevel = 'info' | 'warning' | 'error' | 'fatal';

/** Options of {@link configure}. docs/configuration.md says more of each. */
export interface Configuration extends ConfigProto {
  /** oneDNN's kernels, on by default as in Python. Off makes tiny ops faster and changes last bits. */
  readonly oneDnn?: boolean;
  /** The least that TensorFlow writes to standard error. */
  readonly logLevel?: LogLevel;
  /** Threads for `*Async` functions and `data()`, all threads of the process together. Default 4. */
  readonly asyncThreads?: number;
  /** Tasks off the loop that may wait or run before `TFE_QUEUE_FULL`. Default 1024. */
  readonly asyncQueue?: number;
  /** What a thread may hold before it warns, `TFE_HANDLE_PRESSURE`. Default 100000 tensors, 4 GiB. */
  readonly memoryBudget?: { readonly tensors?: number; readonly bytes?: number };
}

const LOG_LEVELS: readonly LogLevel[] = ['info', 'warning', 'error', 'fatal'];

/** The same defaults as native/configuration.h; a test compares them. */
export const DEFAULTS = {
  asyncThreads: 4,
  asyncQueue: 1024,
  memoryBudget: { tensors: 100_000, bytes: 4 * 2 ** 30 },
} as const;

interface Rule {
  readonly expected: string;
  readonly holds: (value: unknown) => boolean;
}

const MAX_INT = 2 ** 31 - 1;
const LONGEST_LIST = 65_536;

function integer(least: number, most: number): Rule {
  return {
    expected: `an integer from ${least} to ${most}`,
    holds: (value) =>
      Number.isSafeInteger(value) && (value as number) >= least && (value as number) <= most,
  };
}

const BOOLEAN: Rule = { expected: 'a boolean', holds: (value) => typeof value === 'boolean' };
const TEXT: Rule = {
  expected: 'a string without NUL and half of a surrogate pair',
  holds: (value) => typeof value === 'string' && !value.includes('\0') && isWellFormed(value),
};
const BUDGET = integer(0, Number.MAX_SAFE_INTEGER);

/** Each option, or group of options, and what it must be. */
const RULES: Readonly<Record<keyof Configuration, Rule | Readonly<Record<string, Rule>>>> = {
  intraOpThreads: integer(0, MAX_INT),
  interOpThreads: integer(0, MAX_INT),
  softPlacement: BOOLEAN,
  logDevicePlacement: BOOLEAN,
  threadSpinning: BOOLEAN,
  oneDnn: BOOLEAN,
  logLevel: {
    expected: LOG_LEVELS.map((level) => `'${level}'`).join(', '),
    holds: (value) => LOG_LEVELS.includes(value as LogLevel),
  },
  deviceFilters: {
    expected: 'an array of strings',
    holds: (value) => isArray(value) && value.every((entry) => TEXT.holds(entry)),
  },
  deviceCount: {
    expected: 'an object with an integer of 0 or more for each device type, like { CPU: 2 }',
    holds: (value) =>
      isObject(value) &&
      !isArray(value) &&
      Object.entries(value).every(
        ([type, count]) => TEXT.holds(type) && integer(0, MAX_INT).holds(count),
      ),
  },
  gpu: {
    memoryFraction: {
      expected: 'a number above 0',
      holds: (value) => typeof value === 'number' && value > 0 && value < Infinity,
    },
    allowGrowth: BOOLEAN,
    visibleDevices: TEXT,
    forceCompatible: BOOLEAN,
  },
  asyncThreads: integer(1, 256),
  asyncQueue: integer(1, MAX_INT),
  memoryBudget: { tensors: BUDGET, bytes: BUDGET },
};

/**
 * Says what TensorFlow shall be like, before it is first used. One configuration holds for the whole process, worker
 * threads included: the same again changes nothing, another one is refused.
 *
 * Loads the addon, not the library.
 *
 * @throws TfeError `TFE_CONFIGURE_LATE` when the library is open, `TFE_CONFIGURE_CONFLICT` when this process has
 *   another configuration, `TFE_OPTION_VALUE`, `TFE_OPTION_UNKNOWN`, and what loading the addon throws
 * @example
 * configure({ intraOpThreads: 2, logLevel: 'warning' });
 */
export function configure(options: Configuration): void {
  const checked = check(options, RULES, '') as Configuration;
  const { asyncThreads, asyncQueue, memoryBudget } = { ...DEFAULTS, ...checked };
  addon().configure(
    JSON.stringify(checked),
    encodeConfigProto(checked),
    environmentOf(checked),
    asyncThreads,
    asyncQueue,
    memoryBudget.tensors ?? DEFAULTS.memoryBudget.tensors,
    memoryBudget.bytes ?? DEFAULTS.memoryBudget.bytes,
  );
}

/** Variables that TensorFlow reads while it is loaded. */
function environmentOf({ oneDnn, logLevel }: Configuration): [string, string][] {
  const variables: [string, string][] = [];
  if (oneDnn !== undefined) variables.push(['TF_ENABLE_ONEDNN_OPTS', oneDnn ? '1' : '0']);
  if (logLevel !== undefined) {
    variables.push(['TF_CPP_MIN_LOG_LEVEL', String(LOG_LEVELS.indexOf(logLevel))]);
  }
  return variables;
}

/** A copy with sorted keys and without undefined, so that equal options are equal texts. */
function check(
  options: unknown,
  rules: Readonly<Record<string, Rule | Readonly<Record<string, Rule>>>>,
  prefix: string,
): Record<string, unknown> {
  const group = prefix === '' ? 'options' : prefix.slice(0, -1);
  const fields = `an object with ${Object.keys(rules).join(', ')}`;
  if (!isObject(options) || isArray(options)) throw wrongOption(group, fields, options);
  const checked: Record<string, unknown> = {};
  for (const key of read(group, fields, () => Object.keys(options)).sort()) {
    const option = `${prefix}${key}`;
    const rule = Object.hasOwn(rules, key) ? rules[key] : undefined;
    if (rule === undefined) {
      const allowed = Object.keys(rules).map((name) => `${prefix}${name}`);
      throw tfeError('TFE_OPTION_UNKNOWN', { function: 'configure()', option, allowed });
    }
    const expected = isRule(rule) ? rule.expected : 'an object';
    const given = read(option, expected, () => (options as Record<string, unknown>)[key]);
    if (given === undefined) continue;
    if (!isRule(rule)) {
      checked[key] = check(given, rule, `${option}.`);
      continue;
    }
    const value = read(option, expected, () => copied(given));
    if (!rule.holds(value)) throw wrongOption(option, expected, given);
    checked[key] = value;
  }
  return checked;
}

/** What a getter or a proxy answers; it may throw instead. */
function read<T>(option: string, expected: string, get: () => T): T {
  try {
    return get();
  } catch (cause) {
    throw wrongOption(option, expected, undefined, { cause });
  }
}

function wrongOption(
  option: string,
  expected: string,
  value: unknown,
  threw?: { readonly cause: unknown },
): TfeError {
  const received =
    threw === undefined ? describeValue(value) : 'something that throws when it is read';
  return tfeError(
    'TFE_OPTION_VALUE',
    { function: 'configure()', option, expected, received },
    threw,
  );
}

function isRule(rule: Rule | Readonly<Record<string, Rule>>): rule is Rule {
  return typeof rule.holds === 'function';
}

/** A list, or a map by key, so that what is checked is what is used: a getter may answer something else later. */
function copied(value: unknown): unknown {
  if (isArray(value)) {
    const length = lengthOf(value);
    return length >= 0 && length <= LONGEST_LIST
      ? Array.from({ length }, (_, i): unknown => value[i])
      : undefined;
  }
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([x], [y]) => (x < y ? -1 : 1)));
}

/** What `status().configuration` answers. */
export interface ConfigurationInForce extends Configuration {
  readonly oneDnn: boolean;
  readonly asyncThreads: number;
  readonly asyncQueue: number;
  readonly memoryBudget: { readonly tensors: number; readonly bytes: number };
}

/** The configuration of this process: what was asked for, over the environment's and our defaults. */
export function configurationInForce(): ConfigurationInForce {
  const text = addonIfLoaded()?.configuration() ?? '';
  const chosen = text === '' ? {} : (JSON.parse(text) as Configuration);
  const { asyncThreads, asyncQueue, memoryBudget } = DEFAULTS;
  return {
    oneDnn: process.env['TF_ENABLE_ONEDNN_OPTS'] !== '0',
    asyncThreads,
    asyncQueue,
    ...chosen,
    memoryBudget: { ...memoryBudget, ...chosen.memoryBudget },
  };
}
