/**
 * What a process asks of TensorFlow before it is loaded. Owns the options, their checks and how each reaches
 * TensorFlow; which configuration is in force is the addon's knowledge, because threads share it.
 */
import { describeValue } from '../describe';
import { tfeError } from '../errors';
import { addon, addonIfLoaded } from '../native/loader';
import { isArray, isObject } from '../objects';
import { encodeConfigProto, type ConfigProto } from './config-proto';

/** From everything to the least, as TensorFlow's `TF_CPP_MIN_LOG_LEVEL` 0 to 3. */
export type LogLevel = 'info' | 'warning' | 'error' | 'fatal';

/**
 * Options of {@link configure}, those of TensorFlow's ConfigProto included. A value of another type or out of its range is
 * refused, `TFE_OPTION_VALUE`, and a name that is not here, `TFE_OPTION_UNKNOWN`.
 */
export interface Configuration extends ConfigProto {
  /**
   * Whether kernels use oneDNN. Off makes tiny ops faster and changes last bits. Sets `TF_ENABLE_ONEDNN_OPTS`; default: that
   * variable's, else `true`, as in Python.
   */
  readonly oneDnn?: boolean;
  /**
   * The least severe messages that TensorFlow writes to standard error. Sets `TF_CPP_MIN_LOG_LEVEL`; default: that
   * variable's, else `'info'`.
   */
  readonly logLevel?: LogLevel;
  /** Threads of the worker pool, which `*Async` functions and `data()` share in all threads: 1 to 256. Default 4. */
  readonly asyncThreads?: number;
  /** Tasks of the pool that may wait or run; one more rejects with `TFE_QUEUE_FULL`. 1 to 2^31 - 1. Default 1024. */
  readonly asyncQueue?: number;
  /** What each thread may hold; past it the thread warns once, `TFE_HANDLE_PRESSURE`. Nothing is refused. */
  readonly memoryBudget?: {
    /** Live tensors, 0 to 2^53 - 1. Default 100000. */
    readonly tensors?: number;
    /** Bytes of their data, 0 to 2^53 - 1. Default 4 GiB. */
    readonly bytes?: number;
  };
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
  expected: 'a string without NUL',
  holds: (value) => typeof value === 'string' && !value.includes('\0'),
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
 * Loads the addon, not the library. What TensorFlow itself refuses, such as no CPU device at all, is known when the context is
 * made: `TFE_CONTEXT_FAILED` at the first tensor.
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
  const refuse = (option: string, expected: string, received: unknown): never => {
    throw tfeError('TFE_OPTION_VALUE', {
      function: 'configure()',
      option,
      expected,
      received: describeValue(received),
    });
  };
  if (!isObject(options) || isArray(options)) {
    const option = prefix === '' ? 'options' : prefix.slice(0, -1);
    return refuse(option, `an object with ${Object.keys(rules).join(', ')}`, options);
  }
  const checked: Record<string, unknown> = {};
  for (const key of Object.keys(options).sort()) {
    const given = (options as Readonly<Record<string, unknown>>)[key];
    const option = `${prefix}${key}`;
    const rule = Object.hasOwn(rules, key) ? rules[key] : undefined;
    if (rule === undefined) {
      const allowed = Object.keys(rules).map((name) => `${prefix}${name}`);
      throw tfeError('TFE_OPTION_UNKNOWN', { function: 'configure()', option, allowed });
    }
    if (given === undefined) continue;
    if (!isRule(rule)) {
      checked[key] = check(given, rule, `${option}.`);
      continue;
    }
    const value = copied(given);
    if (!rule.holds(value)) refuse(option, rule.expected, given);
    checked[key] = value;
  }
  return checked;
}

function isRule(rule: Rule | Readonly<Record<string, Rule>>): rule is Rule {
  return typeof rule.holds === 'function';
}

/** A list, or a map by key, so that what is checked is what is used: a getter may answer something else later. */
function copied(value: unknown): unknown {
  if (isArray(value)) {
    const length: unknown = value.length;
    return integer(0, LONGEST_LIST).holds(length)
      ? Array.from({ length: length as number }, (_, i): unknown => value[i])
      : undefined;
  }
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([x], [y]) => (x < y ? -1 : 1)));
}

/** What `status().configuration` answers: what was asked for, and defaults for these options. */
export interface ConfigurationInForce extends Configuration {
  /** Whether kernels use oneDNN. */
  readonly oneDnn: boolean;
  /** Threads of the worker pool. */
  readonly asyncThreads: number;
  /** Tasks of the pool that may wait or run. */
  readonly asyncQueue: number;
  /** What each thread may hold before it warns, in tensors and bytes. */
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
