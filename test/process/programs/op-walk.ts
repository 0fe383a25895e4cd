/**
 * Calls every registered op with what it must refuse, and with the plainest call that it could take: in order, from one op
 * on, one line before each op, so that a crash names its op.
 */
import { inspect } from 'node:util';
import { execute, isTfeError, scope, tf, type AttrValue, type Tensor } from '../../../lib';
import {
  definitionOf,
  isListArg,
  opNames,
  type ArgDefinition,
  type AttrDefinition,
  type OpDefinition,
} from '../../../lib/ops/definition';
import { typeName } from '../../../lib/ops/types';
import { DTYPE_NAMES, isDType, type DType } from '../../../lib/tensor/dtype';
import { say, task } from './program';

export interface WalkTask {
  /** Every `step`th op from `from` on. */
  readonly from: number;
  readonly step: number;
  /** Where it may write: some ops do. */
  readonly folder: string;
}

type Input = Tensor | readonly Tensor[];
type Attrs = Record<string, AttrValue | undefined>;

const tensors = new Map<DType, Tensor>();
for (const dtype of DTYPE_NAMES) {
  const value = dtype === 'bool' ? true : dtype === 'int64' || dtype === 'uint64' ? 1n : 1;
  try {
    tensors.set(dtype, tf.constant([value], { dtype }));
  } catch {
    // No tensor can be made of a number in this dtype.
  }
}

/** A tensor of the first dtype that is allowed and can be made here. */
function tensorFor(allowed: readonly (string | number)[] | null): Tensor | undefined {
  const names = (allowed ?? [1]).map((tf) => typeName(Number(tf)));
  const name = names.find((one): one is DType => isDType(one) && tensors.has(one));
  return name === undefined ? undefined : tensors.get(name);
}

function attrOf(op: OpDefinition, name: string): AttrDefinition {
  return op.attrs.find((attr) => attr.name === name)!;
}

function inputFor(op: OpDefinition, arg: ArgDefinition): Input | undefined {
  const one =
    arg.typeListAttr !== null
      ? tensorFor(attrOf(op, arg.typeListAttr).allowed)
      : tensorFor(arg.typeAttr === null ? [arg.type] : attrOf(op, arg.typeAttr).allowed);
  if (one === undefined || !isListArg(arg)) return one;
  const { minimum } = attrOf(op, (arg.numberAttr ?? arg.typeListAttr)!);
  return Array.from({ length: Math.max(1, minimum ?? 0) }, () => one);
}

const PLAIN: Readonly<Record<AttrDefinition['scalar'], AttrValue>> = {
  string: 'x',
  int: 1,
  float: 1,
  bool: false,
  type: 'float32',
  shape: [1],
  tensor: tensors.get('float32')!,
  func: 'no_such_function',
};

function attrFor({ scalar, isList, allowed, minimum }: AttrDefinition): AttrValue {
  const [first] = allowed ?? [];
  const one =
    first === undefined
      ? scalar === 'int' && minimum !== null && !isList
        ? Math.max(1, minimum)
        : PLAIN[scalar]
      : scalar === 'type'
        ? typeName(Number(first))
        : String(first);
  return isList ? (Array.from({ length: Math.max(1, minimum ?? 0) }, () => one) as AttrValue) : one;
}

/** Of each kind a value that no other kind takes, or that no kind takes. */
const STRANGE: readonly unknown[] = [
  null,
  undefined,
  Symbol('x'),
  {},
  () => 1,
  NaN,
  1.5,
  2 ** 53,
  2n ** 63n,
  1e300,
  'x\0y',
  [[[]]],
  [-2],
  new Array(70_000).fill(1),
  new Float32Array(1),
  tensors.get('float32'),
];

/** Whether one of STRANGE is a value that this attribute takes. */
function isRight({ scalar, isList, allowed }: AttrDefinition, value: unknown): boolean {
  if (scalar === 'tensor') return value === tensors.get('float32');
  if (isList) return Array.isArray(value) && value[0] === -2 && /int|float/.test(scalar);
  if (scalar === 'shape') return value === null;
  if (scalar === 'string') return typeof value === 'string' && allowed === null;
  return scalar === 'float' && typeof value === 'number' && value !== 1e300;
}

const refusals = new Map<string, number>();

/** Whether TensorFlow ran it; anything thrown must be a TfeError. */
function attempt(name: string, inputs: unknown, attrs: unknown): boolean {
  return scope(() => {
    try {
      execute(name, { inputs: inputs as never, attrs: attrs as never });
      return true;
    } catch (error) {
      if (!isTfeError(error)) throw error;
      refusals.set(error.code, (refusals.get(error.code) ?? 0) + 1);
      return false;
    }
  });
}

/** Throws when the addon let TensorFlow see what the definition forbids. */
function mustRefuse(name: string, what: string, inputs: unknown, attrs: unknown): void {
  const before = refusals.get('TFE_OP_FAILED') ?? 0;
  if (attempt(name, inputs, attrs)) throw new Error(`${name} ran with ${what}`);
  if ((refusals.get('TFE_OP_FAILED') ?? 0) > before) {
    throw new Error(`${name} reached TensorFlow with ${what}`);
  }
}

/** Varied values of the right kind, for TensorFlow to refuse or to take. */
function variants({ scalar, isList, allowed, minimum }: AttrDefinition): readonly AttrValue[] {
  if (allowed !== null || isList) return isList && (minimum ?? 0) === 0 ? [[]] : [];
  if (scalar === 'int') return [-1, 0, -(2 ** 31), 2 ** 31, 2n ** 63n - 1n];
  if (scalar === 'float') return [NaN, -1, Infinity];
  if (scalar === 'string') return ['', new Uint8Array([255, 0, 254])];
  if (scalar === 'shape') return [null, [], [-1], [0]];
  if (scalar === 'bool') return [true];
  return [];
}

/** The same input with that many dimensions of size 1. */
function withRank(rank: number): (input: Input | undefined) => Input {
  const one = (tensor: Tensor): Tensor => {
    const data = tensor.dataSync() as never;
    return tf.constant(data, { dtype: tensor.dtype, shape: new Array<number>(rank).fill(1) });
  };
  return (input) => (Array.isArray(input) ? (input as Tensor[]).map(one) : one(input as Tensor));
}

function walk(op: OpDefinition): boolean {
  const { name } = op;
  const inputs = op.inputs.map((arg) => inputFor(op, arg));
  const callable = !inputs.includes(undefined);
  const attrs: Attrs = {};
  for (const attr of op.attrs) {
    if (!attr.inferred && attr.fallback === undefined) attrs[attr.name] = attrFor(attr);
  }
  const x = tensors.get('float32')!;

  mustRefuse(name, 'an input too many', [...inputs, x], attrs);
  mustRefuse(
    name,
    'a thousand inputs too many',
    [...inputs, ...new Array<Tensor>(1000).fill(x)],
    attrs,
  );
  if (inputs.length > 0) mustRefuse(name, 'an input too few', inputs.slice(1), attrs);
  if (inputs.length > 0) mustRefuse(name, 'no inputs', [], attrs);
  mustRefuse(name, 'an unknown attribute', inputs, { ...attrs, no_such_attribute: 1 });
  op.inputs.forEach((arg, i) => {
    for (const value of [null, undefined, 1, 'x', {}, isListArg(arg) ? x : [x], [null]]) {
      mustRefuse(name, `${inspect(value)} for ${arg.name}`, inputs.with(i, value as never), attrs);
    }
    if (arg.typeListAttr !== null) return;
    const allowed: readonly unknown[] | null =
      arg.typeAttr === null ? [arg.type] : attrOf(op, arg.typeAttr).allowed;
    if (allowed === null) return;
    const names = allowed.map((type) => typeName(Number(type)));
    const [wrong] = [...tensors].find(([dtype]) => !names.includes(dtype)) ?? [];
    if (wrong === undefined) return;
    const given = isListArg(arg) ? [tensors.get(wrong)!] : tensors.get(wrong)!;
    mustRefuse(name, `${wrong} for ${arg.name}`, inputs.with(i, given), attrs);
  });
  for (const attr of op.attrs) {
    for (const value of STRANGE) {
      if (value === undefined || isRight(attr, value)) continue;
      mustRefuse(name, `a strange value for ${attr.name}`, inputs, {
        ...attrs,
        [attr.name]: value,
      });
    }
  }
  if (!callable) return false;
  for (let rank = 0; rank <= 5; rank++) attempt(name, inputs.map(withRank(rank)), attrs);
  for (const attr of op.attrs) {
    for (const value of variants(attr)) attempt(name, inputs, { ...attrs, [attr.name]: value });
  }
  return true;
}

const { from, step, folder } = task<WalkTask>();
process.chdir(folder);
const names = opNames();
let ran = 0;
for (let i = from; i < names.length; i += step) {
  const name = names[i]!;
  say({ op: name, index: i });
  if (walk(definitionOf(name))) ran += 1;
}
say({ done: true, ran, refusals: Object.fromEntries(refusals) });
