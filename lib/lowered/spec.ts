/**
 * The table that a lowered function carries: what it is, what its parameters must be, and which op each of its sites
 * runs. Owns the shape, its version and the check of it, since built files may be older than the package or edited.
 */
import { tfeError } from '../errors';
import type { OpRef } from '../runtime/resolve';
import { describeValue } from '../describe';

/**
 * Version of the agreement between built files and this subpath: the fields below, `define`, `run`, `runAsync` and the
 * frame's methods. Raised when a file built before can no longer run.
 */
export const LOWERED_CONTRACT = 1;

export interface LoweredTensorType {
  readonly dtype: string;
  readonly rank: number;
}

export interface LoweredParameter {
  readonly name: string;
  /** `null`: not annotated as a tensor, so it is not checked. */
  readonly type: LoweredTensorType | null;
  /** `undefined` is accepted as well. */
  readonly optional?: boolean;
}

export interface LoweredSite {
  readonly op: OpRef;
  readonly ruleId: string;
  /** `score.ts:12:11`, counted from 1. */
  readonly position: string;
}

export interface LoweredSpec {
  readonly contract: typeof LOWERED_CONTRACT;
  readonly name: string;
  readonly file: string;
  readonly status: 'native' | 'mixed' | 'fallback';
  readonly route: string;
  /** Whether what the function makes and does not return is freed. */
  readonly scoped: boolean;
  /** Why it is not native. */
  readonly reason?: string;
  /** In the order in which `run` receives their values. */
  readonly parameters: readonly LoweredParameter[];
  readonly result: LoweredTensorType | null;
  readonly sites: readonly LoweredSite[];
}

type Fields = Readonly<Record<string, unknown>>;

/** What a field must be, in words, and the test of it. */
interface Kind {
  readonly is: string;
  readonly test: (value: unknown) => boolean;
}

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const STRING: Kind = {
  is: 'a string that is not empty',
  test: (value) => typeof value === 'string' && value !== '',
};
const BOOLEAN: Kind = { is: 'true or false', test: (value) => typeof value === 'boolean' };
const LIST: Kind = { is: 'an array', test: Array.isArray };
const STATUS: Kind = {
  is: "'native', 'mixed' or 'fallback'",
  test: (value) => value === 'native' || value === 'mixed' || value === 'fallback',
};
const TENSOR_TYPE: Kind = {
  is: 'null or { dtype, rank }',
  test: (value) =>
    value === null ||
    (isFields(value) &&
      STRING.test(value['dtype']) &&
      Number.isInteger(value['rank']) &&
      (value['rank'] as number) >= 0),
};
const OP: Kind = {
  is: 'a core op or an extension family with its payload',
  test: (value) =>
    isFields(value) &&
    (value['kind'] === 'core'
      ? STRING.test(value['name'])
      : value['kind'] === 'family' && STRING.test(value['familyId']) && isFields(value['payload'])),
};
const optionally = (kind: Kind): Kind => ({
  is: `absent or ${kind.is}`,
  test: (value) => value === undefined || kind.test(value),
});

const SPEC_FIELDS: Readonly<Record<string, Kind>> = {
  file: STRING,
  status: STATUS,
  route: STRING,
  scoped: BOOLEAN,
  reason: optionally(STRING),
  parameters: LIST,
  result: TENSOR_TYPE,
  sites: LIST,
};
const PARAMETER_FIELDS: Readonly<Record<string, Kind>> = {
  name: STRING,
  type: TENSOR_TYPE,
  optional: optionally(BOOLEAN),
};
const SITE_FIELDS: Readonly<Record<string, Kind>> = { op: OP, ruleId: STRING, position: STRING };

function damaged(name: string, field: string, expected: string, received: unknown): never {
  throw tfeError('TFE_LOWERED_SPEC', {
    function: name,
    field,
    expected,
    received: describeValue(received),
  });
}

function checkFields(
  name: string,
  at: string,
  value: unknown,
  kinds: Readonly<Record<string, Kind>>,
): void {
  if (!isFields(value)) damaged(name, at, 'an object', value);
  for (const [field, kind] of Object.entries(kinds)) {
    const received = value[field];
    if (!kind.test(received)) {
      damaged(name, at === '' ? field : `${at}.${field}`, kind.is, received);
    }
  }
}

/** Throws `TFE_LOWERED_SPEC` or `TFE_LOWERED_CONTRACT`, naming the field. */
export function checkSpec(spec: unknown): asserts spec is LoweredSpec {
  if (!isFields(spec)) damaged('(unnamed)', 'spec', 'an object', spec);
  const name = STRING.test(spec['name']) ? (spec['name'] as string) : '(unnamed)';
  if (spec['contract'] !== LOWERED_CONTRACT) {
    throw tfeError('TFE_LOWERED_CONTRACT', {
      function: name,
      expected: LOWERED_CONTRACT,
      received: describeValue(spec['contract']),
    });
  }
  if (!STRING.test(spec['name'])) damaged(name, 'name', STRING.is, spec['name']);
  checkFields(name, '', spec, SPEC_FIELDS);
  (spec['parameters'] as readonly unknown[]).forEach((parameter, index) => {
    checkFields(name, `parameters[${index}]`, parameter, PARAMETER_FIELDS);
  });
  (spec['sites'] as readonly unknown[]).forEach((site, index) => {
    checkFields(name, `sites[${index}]`, site, SITE_FIELDS);
  });
}
