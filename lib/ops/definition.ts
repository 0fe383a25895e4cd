/**
 * TensorFlow's definition of each op (OpDef), read from the generated table: what an op takes and gives, and the rules of
 * its attributes. Read op by op, when one is first called.
 */
import { tfeError } from '../errors';
import { OP_TABLE } from '../raw/table';
import refused from './refused.json';

export type ScalarKind = 'string' | 'int' | 'float' | 'bool' | 'type' | 'shape' | 'tensor' | 'func';
/** TensorFlow has no op with an attribute that is a list of tensors. */
export type AttrKind = ScalarKind | `list(${Exclude<ScalarKind, 'tensor'>})`;

export interface ArgDefinition {
  readonly name: string;
  /** TF_DataType; -1 where attributes say it. */
  readonly type: number;
  /** Attribute that holds the type. */
  readonly typeAttr: string | null;
  /** Attribute that holds the length of a list of one type. */
  readonly numberAttr: string | null;
  /** Attribute that holds the types of a list of many. */
  readonly typeListAttr: string | null;
}

export interface AttrDefinition {
  readonly name: string;
  readonly kind: AttrKind;
  /** The kind of a list's elements, or of the attribute itself. */
  readonly scalar: ScalarKind;
  readonly isList: boolean;
  /** As the table writes it (types as TF_DataType); `undefined` when there is none. */
  readonly fallback: unknown;
  /** TensorFlow fills it in when it is not given. */
  readonly unset: boolean;
  /** Values allowed, types as TF_DataType. */
  readonly allowed: readonly (string | number)[] | null;
  /** Least value of an int, least length of a list. */
  readonly minimum: number | null;
  /** The inputs determine it. */
  readonly inferred: boolean;
}

export interface OpDefinition {
  readonly name: string;
  readonly inputs: readonly ArgDefinition[];
  readonly outputs: readonly ArgDefinition[];
  readonly attrs: readonly AttrDefinition[];
  /** Some input is a list: then TensorFlow infers nothing, and every attribute is set. */
  readonly hasListInput: boolean;
  readonly hasListOutput: boolean;
}

type ArgRow = readonly [name: string, type: number | string, numberAttr?: string];
type AttrRow = readonly [
  name: string,
  kind: AttrKind,
  rules?: {
    readonly default?: unknown;
    readonly unset?: boolean;
    readonly allowed?: readonly (string | number)[];
    readonly minimum?: number;
  },
];
type OpRow = readonly [
  inputs: readonly ArgRow[],
  outputs: readonly ArgRow[],
  attrs: readonly AttrRow[],
];

let lines: ReadonlyMap<string, string> | null = null;
const definitions = new Map<string, OpDefinition>();

function table(): ReadonlyMap<string, string> {
  if (lines === null) {
    const made = new Map<string, string>();
    for (const line of OP_TABLE.split('\n')) {
      const space = line.indexOf(' ');
      if (space > 0) made.set(line.slice(0, space), line.slice(space + 1));
    }
    lines = made;
  }
  return lines;
}

/** What stands in the table for an op that cannot be called, and why. */
const REASONS: Readonly<Record<string, string>> = {
  0: 'it works on references to the variables of TensorFlow 1',
  1: "it is one of XLA's, which run in a compiled function only",
};

/**
 * Ops that would end the process or keep it from ending, and why; test/ops/walk.test.ts runs all others. A file, because
 * scripts/generate-raw.mjs leaves them out of the types.
 */
const REFUSED: ReadonlyMap<string, string> = new Map(
  refused.flatMap(({ reason, ops }) => ops.map((op) => [op, reason] as const)),
);

/** Names of the ops that can be called, sorted. */
export function opNames(): readonly string[] {
  const names: string[] = [];
  for (const [name, row] of table()) {
    if (row.length > 1 && !REFUSED.has(name)) names.push(name);
  }
  return names;
}

/** @throws TfeError `TFE_OP_NOT_REGISTERED`, `TFE_OP_NOT_EAGER` */
export function definitionOf(name: string): OpDefinition {
  const known = definitions.get(name);
  if (known !== undefined) return known;
  const row = table().get(name);
  if (row === undefined) throw unknownOp(name);
  if (row.length === 1) throw notEager(name, REASONS[row]!);
  const reason = REFUSED.get(name);
  if (reason !== undefined) throw notEager(name, reason);
  const definition = read(name, JSON.parse(row) as OpRow);
  definitions.set(name, definition);
  return definition;
}

function notEager(op: string, reason: string): Error {
  return tfeError('TFE_OP_NOT_EAGER', { op, reason }, { op });
}

function unknownOp(name: string): Error {
  if (name.startsWith('_')) {
    return notEager(name, "names with an underscore are TensorFlow's own, made by its rewriting");
  }
  const op = name.slice(0, 100);
  return tfeError('TFE_OP_NOT_REGISTERED', { op, suggestions: suggestions(op) }, { op });
}

/** The names that lie nearest, at most three. */
function suggestions(name: string): readonly string[] {
  const wanted = name.toLowerCase().replaceAll('_', '');
  const near: [distance: number, name: string][] = [];
  for (const candidate of table().keys()) {
    const other = candidate.toLowerCase();
    const limit = Math.max(1, Math.floor(Math.min(wanted.length, other.length) / 4));
    if (Math.abs(other.length - wanted.length) > limit) continue;
    const distance = editDistance(wanted, other);
    if (distance <= limit) near.push([distance, candidate]);
  }
  near.sort(([a], [b]) => a - b);
  return near.slice(0, 3).map(([, candidate]) => candidate);
}

function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const change = row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(change, row[j]! + 1, next[j - 1]! + 1));
    }
    row = next;
  }
  return row[b.length]!;
}

function read(name: string, [inputRows, outputRows, attrRows]: OpRow): OpDefinition {
  const inputs = inputRows.map(readArg);
  const outputs = outputRows.map(readArg);
  const inferred = new Set(
    inputs.flatMap(({ typeAttr, numberAttr, typeListAttr }) => [
      typeAttr,
      numberAttr,
      typeListAttr,
    ]),
  );
  const attrs = attrRows.map(([attr, kind, rules = {}]): AttrDefinition => {
    const isList = kind.startsWith('list(');
    return {
      name: attr,
      kind,
      scalar: (isList ? kind.slice(5, -1) : kind) as ScalarKind,
      isList,
      fallback: rules.default,
      unset: rules.unset === true,
      allowed: rules.allowed ?? null,
      minimum: rules.minimum ?? null,
      inferred: inferred.has(attr),
    };
  });
  return {
    name,
    inputs,
    outputs,
    attrs,
    hasListInput: inputs.some(isListArg),
    hasListOutput: outputs.some(isListArg),
  };
}

function readArg([name, type, numberAttr]: ArgRow): ArgDefinition {
  const text = typeof type === 'string' ? type : null;
  const isTypeList = text?.startsWith('*') === true;
  return {
    name,
    type: typeof type === 'number' ? type : -1,
    typeAttr: isTypeList ? null : text,
    numberAttr: numberAttr ?? null,
    typeListAttr: isTypeList ? text.slice(1) : null,
  };
}

export function isListArg({ numberAttr, typeListAttr }: ArgDefinition): boolean {
  return numberAttr !== null || typeListAttr !== null;
}
