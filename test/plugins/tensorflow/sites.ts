/** Builds claim sites as the host hands them out: plain data, aligned literals, nothing claimed yet. */
import type {
  ClaimLiteral,
  ClaimOptions,
  ClaimSite,
  LoweringContext,
  OpRef,
  OptionEntry,
  TypeKey,
} from '../../../plugins/core/api';

export const F2 = 'tfe-tensorflow/tensor-f32-cpu-2d';
export const F1 = 'tfe-tensorflow/tensor-f32-cpu-1d';
export const I1 = 'tfe-tensorflow/tensor-i64-cpu-1d';
/** A tensor type of some other plugin. */
export const FOREIGN = 'other-plugin/tensor-f64-cpu-2d';

export const DYNAMIC: ClaimLiteral = { kind: 'dynamic' };
export const ABSENT: ClaimOptions = { kind: 'absent' };

/** A literal as the analysis folds it, with the core type it gives it. */
export interface Written {
  readonly type: TypeKey | null;
  readonly literal: ClaimLiteral;
}

export function written(value: number | boolean | string | bigint | null | undefined): Written {
  switch (typeof value) {
    case 'number':
      return {
        type: 'number',
        literal: { kind: Number.isInteger(value) ? 'int' : 'float', value },
      };
    case 'boolean':
      return { type: 'boolean', literal: { kind: 'bool', value } };
    case 'string':
      return { type: 'string', literal: { kind: 'str', value } };
    case 'bigint':
      return { type: 'bigint', literal: { kind: 'bigint', value } };
    case 'undefined':
      return { type: 'undefined', literal: { kind: 'undefined' } };
    default:
      return { type: 'null', literal: { kind: 'null' } };
  }
}

/** `axis`, a parameter of type number: its value is not known. */
export const SOME_NUMBER: Written = { type: 'number', literal: DYNAMIC };

type OptionValue = Parameters<typeof written>[0] | Written;

function isWritten(value: OptionValue): value is Written {
  return typeof value === 'object' && value !== null;
}

/** The options object as the call writes it; an array of pairs, because a name may come twice. */
export function options(...pairs: readonly (readonly [string, OptionValue])[]): ClaimOptions {
  const entries = pairs.map(([name, value]): OptionEntry => ({
    name,
    ...(isWritten(value) ? value : written(value)),
  }));
  return { kind: 'static', entries };
}

export const SPREAD: ClaimOptions = { kind: 'dynamic', reason: 'spread' };

type Operand = TypeKey | null | Written;

function operands(all: readonly Operand[]): Pick<ClaimSite, 'operandTypes' | 'operandLiterals'> {
  const pairs = all.map((operand) =>
    typeof operand === 'object' && operand !== null ? operand : { type: operand, literal: DYNAMIC },
  );
  return {
    operandTypes: pairs.map(({ type }) => type),
    operandLiterals: pairs.map(({ literal }) => literal),
  };
}

const UNCLAIMED = { receiver: null, ruleId: null, resultType: null } as const;

export function call(
  target: string,
  all: readonly Operand[],
  opts: ClaimOptions = ABSENT,
): ClaimSite {
  return {
    kind: 'call',
    module: 'tfe-node',
    target,
    ...operands(all),
    options: opts,
    ...UNCLAIMED,
  };
}

export function binop(operator: string, left: Operand, right: Operand): ClaimSite {
  return {
    kind: 'binop',
    module: '',
    target: operator,
    ...operands([left, right]),
    options: ABSENT,
    ...UNCLAIMED,
  };
}

export function showType(type: TypeKey | null): string {
  return type === null ? '?' : type.replace('tfe-tensorflow/tensor-', '');
}

function showLiteral(literal: ClaimLiteral): string {
  if (!('value' in literal)) return literal.kind;
  return typeof literal.value === 'string' ? `'${literal.value}'` : String(literal.value);
}

/** The site as a reader would write it: `tf.nn.softmax(f32-cpu-2d, 1)`. */
export function show(site: ClaimSite): string {
  const shown = site.operandTypes.map((type, index) => {
    const literal = site.operandLiterals[index] ?? DYNAMIC;
    return literal.kind === 'dynamic' ? showType(type) : showLiteral(literal);
  });
  if (site.kind === 'binop') return shown.join(` ${site.target} `);
  if (site.options.kind === 'static') {
    const entries = site.options.entries.map(
      ({ name, literal }) => `${name}: ${showLiteral(literal)}`,
    );
    shown.push(`{ ${entries.join(', ')} }`);
  }
  if (site.options.kind === 'dynamic') shown.push('{ ... }');
  return `${site.target}(${shown.join(', ')})`;
}

/** A lowering context that records what it was asked to run. */
export function recordingContext(
  operandTokens: readonly string[],
): LoweringContext & { readonly applied: { op: OpRef; operands: readonly string[] }[] } {
  const applied: { op: OpRef; operands: readonly string[] }[] = [];
  return {
    operands: operandTokens,
    applied,
    apply(op, given) {
      applied.push({ op, operands: given });
      return `$.apply(${[applied.length - 1, ...given].join(', ')})`;
    },
    freshName: (prefix) => `${prefix}$1`,
  };
}

export function contextFor(site: ClaimSite): ReturnType<typeof recordingContext> {
  return recordingContext(site.operandTypes.map((_, index) => `$operand${index}`));
}
