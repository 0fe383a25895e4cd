/**
 * What a process asks of TensorFlow before it is loaded. Owns the options, their checks and how each reaches
 * TensorFlow; which configuration is in force is the addon's knowledge, because threads share it.
 */
import { isDeepStrictEqual } from 'node:util';
import { describeValue } from '../describe';
import { isTfeError, tfeError, type TfeError } from '../errors';
import type { NativeBinding } from '../native/binding';
import { oneDnnByDefault } from '../native/cpu';
import { addon, addonIfLoaded } from '../native/loader';
import { isArray, isObject, lengthOfArray } from '../objects';
import { isWellFormed } from '../tensor/strings';
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
   * variable's, else TensorFlow's, as in Python: `true` on processors with instructions for neural networks.
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

type Effect = Parameters<NativeBinding['configure']> extends [string, ...infer E] ? E : never;

interface Rule {
  readonly expected: string;
  readonly holds: (value: unknown) => boolean;
}

const MAX_INT = 2 ** 31 - 1;
/** As many processors as the largest machines have. Where the system gives fewer, TensorFlow ends the process. */
const MAX_THREADS = 1024;
/** Each costs memory, and TensorFlow makes all of them. */
const MAX_DEVICES = 1024;
/** More than any process has devices; a proxy may say any length. */
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
  expected: 'a string without NUL or half of a surrogate pair',
  holds: (value) => typeof value === 'string' && !value.includes('\0') && isWellFormed(value),
};
/** The rest of the name is TensorFlow's to refuse: TFE_CONTEXT_FAILED. */
const isDeviceName = (value: unknown): boolean =>
  TEXT.holds(value) && (value as string).startsWith('/');
const BUDGET = integer(0, Number.MAX_SAFE_INTEGER);

/** Each option, or group of options, and what it must be. */
const RULES: Readonly<Record<keyof Configuration, Rule | Readonly<Record<string, Rule>>>> = {
  intraOpThreads: integer(0, MAX_THREADS),
  interOpThreads: integer(0, MAX_THREADS),
  softPlacement: BOOLEAN,
  logDevicePlacement: BOOLEAN,
  threadSpinning: BOOLEAN,
  oneDnn: BOOLEAN,
  logLevel: {
    expected: LOG_LEVELS.map((level) => `'${level}'`).join(', '),
    holds: (value) => LOG_LEVELS.includes(value as LogLevel),
  },
  deviceFilters: {
    expected: "an array of device names, like '/job:localhost' or '/device:CPU:0'",
    holds: (value) => isArray(value) && value.every(isDeviceName),
  },
  deviceCount: {
    expected: `an object with an integer from 0 (CPU: 1) to ${MAX_DEVICES} for each device type, like { CPU: 2, GPU: 0 },`,
    holds: (value) =>
      isObject(value) &&
      !isArray(value) &&
      Object.entries(value).every(
        ([type, count]) =>
          /^[A-Z][A-Z0-9_]*$/u.test(type) &&
          // Without a CPU there is no context.
          integer(type === 'CPU' ? 1 : 0, MAX_DEVICES).holds(count),
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
 * threads included: asking for what is in force changes nothing, at any time; anything else is refused from then on.
 *
 * Loads the addon, not the library. What TensorFlow itself refuses, such as a device filter that is no device, is known when the
 * context is made: `TFE_CONTEXT_FAILED` at the first tensor.
 *
 * @throws TfeError `TFE_CONFIGURE_LATE` when the library is open, `TFE_CONFIGURE_CONFLICT` when this process has
 *   another configuration, `TFE_OPTION_VALUE`, `TFE_OPTION_UNKNOWN`, and what loading the addon throws
 * @example
 * configure({ intraOpThreads: 2, logLevel: 'warning' });
 */
export function configure(options: Configuration): void {
  const checked = check(options, RULES, '') as Configuration;
  if (Object.keys(checked).length === 0) return;
  try {
    addon().configure(JSON.stringify(checked), ...effectOf(checked));
  } catch (error) {
    if (!isRefused(error) || !isInForce(checked)) throw error;
  }
}

/** What the options come to: the arguments of the addon's `configure`. */
function effectOf(options: Configuration): Effect {
  const { asyncThreads, asyncQueue, memoryBudget } = { ...DEFAULTS, ...options };
  return [
    encodeConfigProto(options),
    environmentOf(options),
    asyncThreads,
    asyncQueue,
    memoryBudget.tensors ?? DEFAULTS.memoryBudget.tensors,
    memoryBudget.bytes ?? DEFAULTS.memoryBudget.bytes,
  ];
}

function isRefused(error: unknown): boolean {
  return (
    isTfeError(error) &&
    (error.code === 'TFE_CONFIGURE_CONFLICT' || error.code === 'TFE_CONFIGURE_LATE')
  );
}

/** Whether the process is as these options ask already. */
function isInForce(options: Configuration): boolean {
  const known = configurationInForce();
  const asked = {
    ...known,
    ...options,
    memoryBudget: { ...known.memoryBudget, ...options.memoryBudget },
    ...(known.gpu === undefined && options.gpu === undefined
      ? {}
      : { gpu: { ...known.gpu, ...options.gpu } }),
  };
  return isDeepStrictEqual(effectOf(asked), effectOf(known));
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
    const length = lengthOfArray(value);
    return length >= 0 && length <= LONGEST_LIST
      ? Array.from({ length }, (_, i): unknown => value[i])
      : undefined;
  }
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([x], [y]) => (x < y ? -1 : 1)));
}

/** What `status().configuration` answers: what was asked for, and defaults for these options. */
export interface ConfigurationInForce extends Configuration {
  /** Whether kernels use oneDNN; absent where nobody chose and the system does not say what its processor is. */
  readonly oneDnn?: boolean;
  /** Threads of the worker pool. */
  readonly asyncThreads: number;
  /** Tasks of the pool that may wait or run. */
  readonly asyncQueue: number;
  /** What each thread may hold before it warns, in tensors and bytes. */
  readonly memoryBudget: { readonly tensors: number; readonly bytes: number };
}

/** Asked once: the processor stays what it is, and its description is long where there are many. */
let byDefault: boolean | null | undefined;

/** As TensorFlow reads the variable: anything else is none. */
function oneDnnOf(variable: string | undefined): boolean | null {
  switch (variable?.toLowerCase()) {
    case '0':
    case 'false':
      return false;
    case '1':
    case 'true':
      return true;
    default:
      return (byDefault = byDefault === undefined ? oneDnnByDefault() : byDefault);
  }
}

/** The configuration of this process: what was asked for, over the environment's and our defaults. */
export function configurationInForce(): ConfigurationInForce {
  const text = addonIfLoaded()?.configuration() ?? '';
  const chosen = text === '' ? {} : (JSON.parse(text) as Configuration);
  const { asyncThreads, asyncQueue, memoryBudget } = DEFAULTS;
  const oneDnn = oneDnnOf(process.env['TF_ENABLE_ONEDNN_OPTS']);
  const logLevel = LOG_LEVELS[Number(process.env['TF_CPP_MIN_LOG_LEVEL'] ?? 0)];
  return {
    ...(oneDnn === null ? {} : { oneDnn }),
    ...(logLevel === undefined ? {} : { logLevel }),
    asyncThreads,
    asyncQueue,
    ...chosen,
    memoryBudget: { ...memoryBudget, ...chosen.memoryBudget },
  };
}
