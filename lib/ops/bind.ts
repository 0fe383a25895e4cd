/**
 * One call against the op's definition, before TensorFlow sees anything of it: how many inputs, of which dtypes, which
 * attributes, and what follows from them. The answer is everything that a prepared op needs.
 */
import { describeValue } from '../describe';
import { tfeError } from '../errors';
import type { NativeAttr } from '../native/binding';
import { isArray, isObject, lengthOfArray } from '../objects';
import { DTYPES, dtypeOfTf } from '../tensor/dtype';
import { isTensor, type Tensor } from '../tensor/tensor';
import {
  checkAttribute,
  defaultOf,
  MAX_LISTED,
  plural,
  wrongAttribute,
  type Checked,
} from './attributes';
import {
  isListArg,
  type ArgDefinition,
  type AttrDefinition,
  type OpDefinition,
} from './definition';
import { checkGuards, guarded, isGuarded } from './guards';
import { asksForResources, checkResources } from './resources';
import { typeName, typeOf } from './types';

export interface BoundCall {
  /** Of all arguments, lists spread out. */
  readonly inputs: readonly Tensor[];
  /** How many tensors each output argument holds. */
  readonly outputLengths: readonly number[];
  readonly outputs: number;
  readonly attrs: readonly NativeAttr[];
  /** Equal for calls that one prepared op can serve; `null` when no other can use it. */
  readonly key: string | null;
}

/** What an attribute is, and who said so. */
interface Binding {
  readonly checked: Checked;
  readonly by: 'input' | 'attribute';
}

/** As many dtypes are named where a tensor is missing. */
const FEW_DTYPES = 3;

/**
 * @throws TfeError `TFE_OP_INPUT_COUNT`, `TFE_OP_ARGUMENT`, `TFE_OP_RANK`, `TFE_OP_DTYPE`, `TFE_OP_DTYPE_MISMATCH`,
 *   `TFE_OP_LIST_LENGTH`, `TFE_OP_ATTRIBUTE`, `TFE_OP_ATTRIBUTE_MISSING`, `TFE_OP_ATTRIBUTE_UNKNOWN`, `TFE_DTYPE_NOT_CARRIED`
 */
export function bindCall(op: OpDefinition, inputs: unknown, attrs: unknown): BoundCall {
  const bound = givenAttributes(op, attrs);
  const flat = bindInputs(op, inputs, bound);
  const native: NativeAttr[] = [];
  const keys: (string | null)[] = [];
  for (const attr of op.attrs) {
    const checked = settle(op, attr, bound);
    if (checked === null) continue;
    // TensorFlow infers what single inputs say, and then it is always the same set of attributes too. With a list among
    // the inputs it must not infer: it reads the list of the wrong argument, and past its end when that is empty.
    if (attr.inferred && !op.hasListInput) continue;
    native.push([attr.name, attr.kind, checked.native] as NativeAttr);
    keys.push(checked.key);
  }
  const outputLengths = op.outputs.map((arg) => outputLength(op, arg, bound));
  checkCarried(op, bound);
  const attribute = (name: string): unknown => bound.get(name)?.checked.native;
  if (isGuarded(op.name)) checkGuards(op, { inputs: flat.map(guarded), attribute });
  if (asksForResources(op.name)) checkResources(op.name, flat, attribute);
  return {
    inputs: flat,
    outputLengths,
    outputs: outputLengths.reduce((sum, length) => sum + length, 0),
    attrs: native,
    key: keys.includes(null) ? null : `${flat.length};${keys.join(';')}`,
  };
}

function givenAttributes(op: OpDefinition, attrs: unknown): Map<string, Binding> {
  const bound = new Map<string, Binding>();
  if (attrs === undefined) return bound;
  if (!isObject(attrs) || isArray(attrs) || isTensor(attrs)) {
    throw tfeError(
      'TFE_OP_ARGUMENT',
      {
        op: op.name,
        argument: 'attrs',
        expected: 'an object of attributes',
        received: describeValue(attrs),
      },
      { op: op.name },
    );
  }
  for (const [name, value] of Object.entries(attrs)) {
    const attr = op.attrs.find((one) => one.name === name);
    if (attr === undefined) {
      const known = op.attrs.map((one) => one.name);
      throw tfeError(
        'TFE_OP_ATTRIBUTE_UNKNOWN',
        { op: op.name, attribute: name.slice(0, 100), known },
        { op: op.name },
      );
    }
    if (value === undefined) continue;
    bound.set(name, { checked: checkAttribute(op.name, attr, value), by: 'attribute' });
  }
  return bound;
}

function bindInputs(op: OpDefinition, inputs: unknown, bound: Map<string, Binding>): Tensor[] {
  const count = lengthOfArray(inputs);
  if (!isArray(inputs) || count < 0) {
    throw wrongInput(op, 'inputs', 'an array of inputs', inputs);
  }
  if (count !== op.inputs.length) {
    throw tfeError(
      'TFE_OP_INPUT_COUNT',
      { op: op.name, expected: op.inputs.map(({ name }) => name), received: count },
      { op: op.name },
    );
  }
  const flat: Tensor[] = [];
  op.inputs.forEach((arg, i) => {
    const value = inputs[i];
    if (!isListArg(arg)) {
      bindTensor(op, arg, arg.name, value, bound, flat);
      return;
    }
    const length = lengthOfArray(value);
    if (!isArray(value) || length < 0) {
      throw wrongInput(op, arg.name, 'an array of Tensors', value);
    }
    if (length > MAX_LISTED) {
      throw wrongLength(op, arg.name, `at most ${MAX_LISTED}`, length);
    }
    const first = flat.length;
    for (let k = 0; k < length; k++) {
      bindTensor(op, arg, `${arg.name}[${k}]`, value[k], bound, flat);
    }
    bindLength(op, arg, flat.slice(first), bound);
  });
  return flat;
}

function bindTensor(
  op: OpDefinition,
  arg: ArgDefinition,
  place: string,
  value: unknown,
  bound: Map<string, Binding>,
  flat: Tensor[],
): void {
  if (!isTensor(value)) throw wrongInput(op, place, `a Tensor${ofDTypes(op, arg)}`, value);
  const tf: number = DTYPES[value.dtype].tf;
  flat.push(value);
  if (arg.typeListAttr !== null) return; // each element has its own type
  if (arg.typeAttr === null) {
    if (tf !== arg.type) throw wrongDType(op, place, [arg.type], value);
    return;
  }
  const earlier = bound.get(arg.typeAttr);
  if (earlier !== undefined) {
    if (earlier.checked.native === tf) return;
    if (earlier.by === 'attribute') {
      throw wrongDType(op, place, [earlier.checked.native as number], value);
    }
    const first = typeName(earlier.checked.native as number);
    throw tfeError(
      'TFE_OP_DTYPE_MISMATCH',
      { op: op.name, argument: place, first, second: value.dtype },
      { op: op.name },
    );
  }
  const { allowed } = attrOf(op, arg.typeAttr);
  if (allowed?.includes(tf) === false) {
    throw wrongDType(op, place, allowed as readonly number[], value);
  }
  bound.set(arg.typeAttr, { checked: { native: tf, key: String(tf) }, by: 'input' });
}

/** The attribute that says how long a list is, or of which types. */
function bindLength(
  op: OpDefinition,
  arg: ArgDefinition,
  list: readonly Tensor[],
  bound: Map<string, Binding>,
): void {
  const attr = attrOf(op, (arg.numberAttr ?? arg.typeListAttr)!);
  const minimum = attr.minimum ?? 0;
  if (list.length < minimum) {
    throw wrongLength(op, arg.name, `at least ${minimum}`, list.length);
  }
  const earlier = bound.get(attr.name)?.checked;
  if (arg.numberAttr !== null) {
    if (earlier === undefined) {
      const checked = { native: list.length, key: String(list.length) };
      bound.set(attr.name, { checked, by: 'input' });
    } else if (earlier.native !== list.length) {
      throw wrongLength(op, arg.name, String(earlier.native), list.length);
    }
    return;
  }
  const types = list.map(({ dtype }) => typeOf(dtype)!);
  if (earlier === undefined) {
    types.forEach((tf, i) => {
      if (attr.allowed?.includes(tf) !== false) return;
      throw wrongDType(op, `${arg.name}[${i}]`, attr.allowed as readonly number[], list[i]!);
    });
    bound.set(attr.name, { checked: { native: types, key: `[${types.join(',')}]` }, by: 'input' });
    return;
  }
  const wanted = earlier.native as readonly number[];
  if (wanted.length !== types.length) {
    throw wrongLength(op, arg.name, String(wanted.length), types.length);
  }
  types.forEach((tf, i) => {
    if (tf !== wanted[i]) throw wrongDType(op, `${arg.name}[${i}]`, [wanted[i]!], list[i]!);
  });
}

/** The attribute's value: given, bound or its default; `null` where TensorFlow fills it in. */
function settle(
  op: OpDefinition,
  attr: AttrDefinition,
  bound: Map<string, Binding>,
): Checked | null {
  const known = bound.get(attr.name);
  if (known !== undefined) return known.checked;
  if (attr.unset) return null;
  if (attr.fallback === undefined) {
    throw tfeError(
      'TFE_OP_ATTRIBUTE_MISSING',
      { op: op.name, attribute: attr.name, kind: attr.kind },
      { op: op.name },
    );
  }
  const checked = defaultOf(attr);
  bound.set(attr.name, { checked, by: 'attribute' });
  return checked;
}

function outputLength(op: OpDefinition, arg: ArgDefinition, bound: Map<string, Binding>): number {
  const name = arg.numberAttr ?? arg.typeListAttr;
  if (name === null) return 1;
  const { native } = bound.get(name)!.checked;
  const length = Array.isArray(native) ? native.length : Number(native);
  if (length < 0 || length > MAX_LISTED) {
    throw wrongAttribute(op.name, name, `0 to ${MAX_LISTED}`, native);
  }
  return length;
}

/** Refuses an op whose result JavaScript could not hold, before it has done anything. */
function checkCarried(op: OpDefinition, bound: Map<string, Binding>): void {
  for (const { type, typeAttr, typeListAttr } of op.outputs) {
    const name = typeAttr ?? typeListAttr;
    const types = name === null ? type : bound.get(name)!.checked.native;
    for (const tf of [types].flat() as readonly number[]) {
      if (dtypeOfTf(tf) === undefined) {
        throw tfeError('TFE_DTYPE_NOT_CARRIED', { tf }, { op: op.name });
      }
    }
  }
}

function attrOf(op: OpDefinition, name: string): AttrDefinition {
  return op.attrs.find((attr) => attr.name === name)!;
}

/** ` of int32 or int64`, where the op takes few dtypes. */
function ofDTypes(op: OpDefinition, arg: ArgDefinition): string {
  const attr = op.attrs.find(({ name }) => name === arg.typeAttr);
  const allowed = (arg.type >= 0 ? [arg.type] : (attr?.allowed ?? [])) as readonly number[];
  return allowed.length > 0 && allowed.length <= FEW_DTYPES
    ? ` of ${allowed.map(typeName).join(' or ')}`
    : '';
}

function wrongInput(op: OpDefinition, argument: string, expected: string, value: unknown): Error {
  return tfeError(
    'TFE_OP_ARGUMENT',
    { op: op.name, argument, expected, received: describeValue(value) },
    { op: op.name },
  );
}

function wrongDType(
  op: OpDefinition,
  argument: string,
  allowed: readonly number[],
  { dtype }: Tensor,
): Error {
  return tfeError(
    'TFE_OP_DTYPE',
    { op: op.name, argument, allowed: allowed.map(typeName), received: dtype },
    { op: op.name },
  );
}

function wrongLength(
  op: OpDefinition,
  argument: string,
  expected: string,
  received: number,
): Error {
  return tfeError(
    'TFE_OP_LIST_LENGTH',
    {
      op: op.name,
      argument,
      expected: `${expected} tensor${plural(expected.endsWith(' 1') || expected === '1' ? 1 : 2)}`,
      received,
    },
    { op: op.name },
  );
}
