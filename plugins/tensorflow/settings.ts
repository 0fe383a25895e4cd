/**
 * The literals of a call: what its options object and the positional operands after its tensors say.
 * A setting is a value known while compiling; it goes into an op's payload and is never an operand.
 */
import type { ClaimLiteral, ClaimSite, TypeKey } from '../core/api';
import type { Fault } from './rule';

export interface Setting<Value> {
  /** The core type that the analysis must have given the literal. */
  readonly type: TypeKey;
  /** May also follow the tensors by position, as Python's signature allows. */
  readonly positional: boolean;
  /** The values that are lowered at this site, for messages: `0 or 1`. */
  wanted(site: ClaimSite): string;
  /** The literal as a payload value, or `undefined` where it is not one that is lowered. */
  read(literal: ClaimLiteral): Value | undefined;
  /** What to write instead of a value that is not lowered, where that can be said precisely. */
  advise?(literal: ClaimLiteral, site: ClaimSite): string | undefined;
}

export type Settings = Readonly<Record<string, Setting<unknown>>>;

/** The values of settings; a setting that was not written is absent. */
export type Values<S extends Settings> = {
  readonly [K in keyof S]?: S[K] extends Setting<infer Value> ? Value : never;
};

export type Axis = 0 | 1;

/** Folded values, not texts: `0x1` is axis 1, and `-0` is axis 0. */
function readAxis(literal: ClaimLiteral): Axis | undefined {
  if (literal.kind !== 'int') return undefined;
  if (literal.value === 1) return 1;
  return literal.value === 0 ? 0 : undefined;
}

/** The axis of a call that takes 0 or 1; which of them, and what to write instead, is the op's. */
export function axisSetting(
  says: Required<Pick<Setting<Axis>, 'wanted' | 'advise'>>,
): Setting<Axis> {
  return { type: 'number', positional: true, read: readAxis, ...says };
}

export const BOOLEAN: Setting<boolean> = {
  type: 'boolean',
  wanted: () => 'true or false',
  positional: false,
  read: (literal) => (literal.kind === 'bool' ? literal.value : undefined),
};

export function wordSetting<Word extends string>(word: Word): Setting<Word> {
  return {
    type: 'string',
    wanted: () => `'${word}'`,
    positional: false,
    read: (literal) => (literal.kind === 'str' && literal.value === word ? word : undefined),
  };
}

function describeLiteral(literal: ClaimLiteral): string {
  switch (literal.kind) {
    case 'dynamic':
      return 'not a literal';
    case 'null':
    case 'undefined':
      return literal.kind;
    case 'str':
      return `'${literal.value}'`;
    case 'bigint':
      return `${literal.value}n`;
    case 'intTuple':
      return `[${literal.value.join(', ')}]`;
    default:
      return String(literal.value);
  }
}

/** A setting as the call writes it, by either way. */
interface Stated {
  readonly name: string;
  readonly type: TypeKey | null;
  readonly literal: ClaimLiteral;
}

function positionalNames(settings: Settings): string[] {
  return Object.keys(settings).filter((name) => settings[name]?.positional);
}

/** Everything the call states, positional literals first; the arity has been checked. */
function stated(site: ClaimSite, tensors: number, settings: Settings): Stated[] {
  const { operandTypes, operandLiterals, options } = site;
  const byPosition = positionalNames(settings).flatMap((name, index): Stated[] => {
    const literal = operandLiterals[tensors + index];
    return literal === undefined
      ? []
      : [{ name, type: operandTypes[tensors + index] ?? null, literal }];
  });
  return options.kind === 'static' ? [...byPosition, ...options.entries] : byPosition;
}

/** The axis that a call states, whatever else is wrong with it; `undefined` without a good one. */
export function statedAxis(site: ClaimSite, tensors: number): Axis | undefined {
  const entries = site.options.kind === 'static' ? site.options.entries : [];
  const literal =
    site.operandLiterals[tensors] ?? entries.find(({ name }) => name === 'axis')?.literal;
  return literal && readAxis(literal);
}

/** Whether the call may state an option of this name: it does, or its options are unknown. */
export function mayState(site: ClaimSite, name: string): boolean {
  const { options } = site;
  if (options.kind === 'static') return options.entries.some((entry) => entry.name === name);
  return options.kind === 'dynamic';
}

function arityFault(
  site: ClaimSite,
  tensors: readonly string[],
  settings: Settings,
): Fault | undefined {
  const written = site.operandTypes.length;
  const optional = positionalNames(settings);
  if (written < tensors.length || written > tensors.length + optional.length) {
    const names = [...tensors, ...optional.map((name) => `optional ${name}`)].join(', ');
    return {
      reason: `it takes ${names} by position, not ${written} operand${written === 1 ? '' : 's'}`,
    };
  }
  if (site.operandLiterals.length !== written) {
    return { reason: 'its operand literals do not match its operands one to one' };
  }
  return undefined;
}

function settingFault(site: ClaimSite, settings: Settings, entry: Stated): Fault | undefined {
  const { name, type, literal } = entry;
  const setting = Object.hasOwn(settings, name) ? settings[name] : undefined;
  if (setting === undefined) {
    return name === 'name'
      ? {
          reason: "option 'name' names a node of a graph, and eager execution has none",
          suggestion: "Remove the option 'name'; it has no effect.",
        }
      : { reason: `option '${name}' is not one that the rule lowers` };
  }
  if (literal.kind === 'dynamic') {
    return {
      reason: `'${name}' is not a literal`,
      suggestion: `Write ${setting.wanted(site)} in place of the expression; with any other '${name}' the call runs as written.`,
    };
  }
  if (setting.read(literal) === undefined) {
    const suggestion = setting.advise?.(literal, site);
    return {
      reason: `'${name}' is ${describeLiteral(literal)}; only ${setting.wanted(site)} is lowered`,
      ...(suggestion === undefined ? {} : { suggestion }),
    };
  }
  if (type !== setting.type) {
    return {
      reason: `'${name}' is ${describeLiteral(literal)}, but its type is ${type ?? 'unresolved'}`,
    };
  }
  return undefined;
}

/**
 * Reads what a call states besides its tensors, or says what is wrong with its shape: arity, dynamic
 * or unknown options, a setting that is given twice, is not a literal or has a value not lowered.
 */
export function readSettings<S extends Settings>(
  site: ClaimSite,
  tensors: readonly string[],
  settings: S,
): { readonly values: Values<S> } | { readonly fault: Fault } {
  const { options } = site;
  const arity = arityFault(site, tensors, settings);
  if (arity !== undefined) return { fault: arity };
  if (options.kind === 'dynamic') {
    return {
      fault: {
        reason: `its options are not known before it runs (${options.reason})`,
        suggestion: 'Write the options out in an object literal, each with a literal value.',
      },
    };
  }
  const values: Record<string, unknown> = {};
  for (const entry of stated(site, tensors.length, settings)) {
    const fault = settingFault(site, settings, entry);
    if (fault !== undefined) return { fault };
    if (Object.hasOwn(values, entry.name)) {
      return { fault: { reason: `'${entry.name}' is given twice`, suggestion: 'Write it once.' } };
    }
    values[entry.name] = settings[entry.name]?.read(entry.literal);
  }
  // Each value was read by the setting of its own name, which is what `Values` says.
  return { values: values as Values<S> };
}
