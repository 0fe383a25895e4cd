/**
 * Calls that TensorFlow's kernels get to see: inputs and attributes as an op's definition asks, with shapes, values and
 * resources that may fit or not. Most of them change an earlier call that was answered as none before it. Says each
 * call before it is made: that line, as the task's `call`, makes it again.
 */
import fc from 'fast-check';
import {
  clearKernelCache,
  execute,
  executeAsync,
  isTfeError,
  scopeAsync,
  tf,
  type AttrValue,
  type Tensor,
} from '../../../lib';
import {
  definitionOf,
  isListArg,
  opNames,
  type AttrDefinition,
  type OpDefinition,
} from '../../../lib/ops/definition';
import { typeName } from '../../../lib/ops/types';
import { mayWait } from '../../../lib/ops/waiting';
import { DTYPES, isDType, type DType } from '../../../lib/tensor/dtype';
import { say, task } from './program';

export interface KernelFuzzTask {
  /** None: all. */
  readonly ops: readonly string[];
  /** The first of them, by its place, and how many. */
  readonly from: number;
  readonly batch: number;
  /** Calls of each op. */
  readonly runs: number;
  readonly seed: number;
  /** Where it may write: some ops do. */
  readonly folder: string;
  /** The only call to make, where there is one. */
  readonly call?: Call;
}

/** What an input is made of, which its dtype decides: `made` where that is opaque, else `values`, over and over. */
interface Given {
  readonly shape: readonly number[];
  readonly values: readonly (number | 'NaN')[];
  readonly made: string;
}

/** A call before its dtypes and lengths are applied, so that parts of two make a third. Each argument has its longest list. */
interface Draft {
  readonly inputs: readonly (readonly Given[])[];
  readonly attrs: Readonly<Record<string, AttrValue | undefined>>;
}

type Input = { readonly made: string } | ({ readonly dtype: DType } & Omit<Given, 'made'>);

interface Call {
  readonly op: string;
  readonly inputs: readonly (Input | readonly Input[])[];
  readonly attrs: Draft['attrs'];
}

const LONGEST = 4;
/** What a call that waits is given until it is called off. */
const WAIT_MS = 50;
/** No path leads out of the folder. */
const STRINGS = ['', 'a', 'x,y', '1', '{"a":1}', '%s', '(a+', 'NHWC', '\n\u0003abc', 'file'];

const one = (
  op: string,
  inputs: readonly (Tensor | readonly Tensor[])[] = [],
  attrs: Record<string, AttrValue> = {},
): Tensor => execute(op, { inputs, attrs })[0]!;
const ones = (shape: readonly number[]): Tensor => tf.constant(1, { shape });
const int64 = (value: number): Tensor => tf.constant(value, { dtype: 'int64' });
const int32 = (value: number | number[]): Tensor => tf.constant(value, { dtype: 'int32' });

const ELEMENTS = { output_types: ['int64'], output_shapes: [[]] };
const TABLE = { key_dtype: 'int64', value_dtype: 'float32' };
const LIST = { element_dtype: 'float32' };

const variableOf = (dtype: DType, shared_name: string): Record<string, AttrValue> => ({
  dtype,
  shape: null,
  shared_name,
});

const MADE: Readonly<Record<'resource' | 'variant', Readonly<Record<string, () => Tensor>>>> = {
  resource: {
    accumulator: () => one('ResourceConditionalAccumulator', [], { dtype: 'float32', shape: [2] }),
    emptyVariable: () => one('VarHandleOp', [], variableOf('float32', 'empty')),
    hashTable: () => one('HashTableV2', [], TABLE),
    iterator() {
      const iterator = one('AnonymousIteratorV3', [], ELEMENTS);
      execute('MakeIterator', { inputs: [MADE.variant['dataset']!(), iterator] });
      return iterator;
    },
    iteratorOfNothing: () => one('AnonymousIteratorV3', [], ELEMENTS),
    memoryCache: () => one('AnonymousMemoryCache'),
    mutex: () => one('MutexV2'),
    queue() {
      const queue = one('FIFOQueueV2', [], { component_types: ['float32'] });
      execute('QueueEnqueueV2', { inputs: [queue, [tf.constant([1, 2])]] });
      return queue;
    },
    queueOfNothing: () => one('FIFOQueueV2', [], { component_types: ['string'] }),
    reader: () => one('IdentityReaderV2'),
    seedGenerator: () => one('AnonymousSeedGenerator', [int64(1), int64(2), tf.constant(true)]),
    stack: () => one('StackV2', [int32(4)], { elem_type: 'float32' }),
    table: () => one('MutableHashTableV2', [], TABLE),
    tensorArray: () => one('TensorArrayV3', [int32(3)], { dtype: 'float32' }),
    variable() {
      const variable = one('VarHandleOp', [], variableOf('float32', 'floats'));
      execute('AssignVariableOp', { inputs: [variable, ones([2, 2])] });
      return variable;
    },
    variableOfIntegers() {
      const variable = one('VarHandleOp', [], variableOf('int64', 'integers'));
      execute('AssignVariableOp', { inputs: [variable, tf.constant([1n, 2n, 3n])] });
      return variable;
    },
    writer: () => one('SummaryWriter'),
  },
  variant: {
    dataset: () => one('RangeDataset', [int64(0), int64(3), int64(1)], ELEMENTS),
    emptyList: () => one('EmptyTensorList', [int32([]), int32(3)], LIST),
    list: () => one('TensorListFromTensor', [ones([2, 2]), int32([2])], LIST),
    listOfNothing: () => one('TensorListReserve', [int32([2]), int32(3)], LIST),
    map: () => one('EmptyTensorMap'),
    optional: () => one('OptionalFromValue', [[tf.constant([1, 2])]]),
    optionalOfNothing: () => one('OptionalNone'),
    ragged: () =>
      one('RaggedTensorToVariant', [[tf.constant([0n, 2n])], tf.constant([1, 2])], {
        RAGGED_RANK: 1,
        Tvalues: 'float32',
        batched_input: false,
      }),
    tensors: () => one('TensorDataset', [[ones([2, 2])]], { output_shapes: [[2, 2]] }),
  },
};

const often = <T>(weight: number, arbitrary: fc.Arbitrary<T>): fc.WeightedArbitrary<T> => ({
  weight,
  arbitrary,
});
const dim = fc.constantFrom(0, 1, 2, 2, 3, 4, 5);
const dims = fc.array(dim, { maxLength: 5 });
const number = fc.constantFrom<number | 'NaN'>(0, 1, 2, 3, 4, -1, -2, 0.5, 7);
const edge = fc.constantFrom<number | 'NaN'>(-(2 ** 63), 2 ** 63, 2 ** 31, -(2 ** 31), 'NaN', 1e30);
const values = fc.oneof(
  often(8, fc.array(number, { minLength: 1, maxLength: 4 })),
  often(1, fc.array(fc.oneof(number, edge), { minLength: 1, maxLength: 3 })),
);

const given = (shared: readonly number[]): fc.Arbitrary<Given> =>
  fc.record({
    shape: fc.oneof(
      often(4, fc.constant(shared)),
      often(3, dims),
      often(2, fc.constant([])),
      often(2, fc.tuple(dim)),
    ),
    values,
    made: fc.constantFrom(...Object.keys({ ...MADE.resource, ...MADE.variant })),
  });

function scalarOf({ scalar, allowed, minimum, isList }: AttrDefinition): fc.Arbitrary<AttrValue> {
  if (scalar === 'type') {
    const types = (allowed ?? [1, 3, 9, 7, 20, 21, 2, 10, 14]).map((type) =>
      typeName(Number(type)),
    );
    const carried = types.filter(isDType);
    return fc.constantFrom(...(carried.length > 0 ? carried : types));
  }
  if (allowed !== null) return fc.constantFrom(...allowed.map(String));
  const least = isList ? -(2 ** 31) : (minimum ?? -(2 ** 31));
  const int = fc.oneof(
    often(6, fc.constantFrom(1, 1, 2, 3, 4)),
    often(1, fc.constantFrom(-1, 0, 100, 2 ** 31 - 1, -(2 ** 31), 2 ** 40)),
  );
  const kinds = {
    int: int.map((value) => Math.max(value, least)),
    float: fc.constantFrom(0, 1, -1, 0.5, 2, 1e30),
    bool: fc.boolean(),
    string: fc.constantFrom(...STRINGS),
    shape: fc.option(fc.array(fc.constantFrom(-1, 0, 1, 2, 2, 3), { maxLength: 3 })),
    tensor: fc.constant(null),
    func: fc.constant('no_such_function'),
  };
  return kinds[scalar];
}

function valueOf(attr: AttrDefinition): fc.Arbitrary<AttrValue | undefined> {
  const { scalar, isList, minimum, inferred, fallback } = attr;
  const least = minimum ?? 0;
  if (inferred && scalar === 'int') {
    return fc.integer({ min: least, max: Math.max(least, LONGEST - 1) });
  }
  const value = isList
    ? (fc.oneof(
        fc.array(scalarOf(attr), { minLength: least, maxLength: Math.max(least, LONGEST) }),
        fc.array(scalarOf(attr), { minLength: Math.max(least, 4), maxLength: Math.max(least, 5) }),
      ) as fc.Arbitrary<AttrValue>)
    : scalarOf(attr);
  return inferred || fallback === undefined ? value : fc.option(value, { nil: undefined });
}

function draftOf(op: OpDefinition): fc.Arbitrary<Draft> {
  const attrs = fc.record(Object.fromEntries(op.attrs.map((attr) => [attr.name, valueOf(attr)])));
  return fc.tuple(dims, attrs).chain(([shared, made]) => {
    const several = fc.array(given(shared), { minLength: LONGEST, maxLength: LONGEST });
    return fc.record({
      inputs: fc.tuple(...op.inputs.map(() => several)),
      attrs: fc.constant(made),
    });
  });
}

/** The draft with some of its parts, by their places, as another draft has them. */
function crossed(draft: Draft, other: Draft, places: readonly number[]): Draft {
  const inputs = [...draft.inputs];
  const attrs = { ...draft.attrs };
  const names = Object.keys(attrs);
  for (const place of places) {
    const part = place % Math.max(1, inputs.length + names.length);
    const name = names[part - inputs.length];
    if (name !== undefined) attrs[name] = other.attrs[name];
    else if (part < inputs.length) inputs[part] = other.inputs[part]!;
  }
  return { inputs, attrs };
}

function callOf(op: OpDefinition, { inputs, attrs }: Draft): Call {
  const input = (given: Given, dtype: string): Input =>
    dtype === 'resource' || dtype === 'variant'
      ? { made: Object.hasOwn(MADE[dtype], given.made) ? given.made : otherOf(dtype, given) }
      : { dtype: isDType(dtype) ? dtype : 'float32', shape: given.shape, values: given.values };
  return {
    op: op.name,
    inputs: op.inputs.map((arg, i) => {
      const [first] = inputs[i]!;
      const dtype = arg.typeAttr === null ? typeName(arg.type) : String(attrs[arg.typeAttr]);
      if (!isListArg(arg)) return input(first!, dtype);
      const dtypes =
        arg.typeListAttr === null
          ? Array.from({ length: Number(attrs[arg.numberAttr!]) }, () => dtype)
          : (attrs[arg.typeListAttr] as readonly string[]);
      return dtypes.map((each, place) => input(inputs[i]![place % LONGEST]!, each));
    }),
    attrs,
  };
}

/** For a name of the other dtype, one of this. */
function otherOf(dtype: keyof typeof MADE, { made }: Given): string {
  const names = Object.keys(MADE[dtype]);
  return names[made.length % names.length]!;
}

function tensorOf(input: Input): Tensor {
  if ('made' in input) return { ...MADE.resource, ...MADE.variant }[input.made]!();
  const { dtype, shape, values } = input;
  const { kind, ...row } = DTYPES[dtype];
  const element = (value: number | 'NaN'): unknown => {
    const number = Number(value);
    const whole = Math.trunc(number) || 0;
    if (kind === 'bool') return number > 0;
    if (kind === 'complex') return { re: number, im: 1 };
    if (kind === 'string') return STRINGS[Math.abs(whole) % STRINGS.length]!;
    if (!('range' in row)) return number;
    const [least, greatest] = row.range;
    if (whole <= least) return least;
    if (whole >= greatest) return greatest;
    return kind === 'bigint' ? BigInt(whole) : whole;
  };
  const size = shape.reduce((product, each) => product * each, 1);
  const elements = Array.from({ length: size }, (_, i) => element(values[i % values.length]!));
  return tf.constant(elements as number[], { dtype, shape });
}

/** What TensorFlow answered, without what differs between calls of one kind; undefined where it did not see the call. */
async function answerOf({ op, inputs, attrs }: Call): Promise<string | undefined> {
  return scopeAsync(async () => {
    try {
      const tensors = inputs.map((input) =>
        'map' in input ? input.map(tensorOf) : tensorOf(input),
      );
      const given = Object.fromEntries(
        definitionOf(op).attrs.map(({ name, kind }) => [
          name,
          kind === 'tensor' && attrs[name] === null ? ones([2]) : attrs[name],
        ]),
      );
      const options = { inputs: tensors, attrs: given };
      const outputs = mayWait(op)
        ? await executeAsync(op, { ...options, signal: AbortSignal.timeout(WAIT_MS) })
        : execute(op, options);
      return `ran ${outputs.map(({ dtype, shape }) => `${dtype} of rank ${shape.length}`).join()}`;
    } catch (error) {
      if (isTfeError(error)) {
        if (error.code !== 'TFE_OP_FAILED') return undefined;
        return String(error.facts['reason']).replaceAll(/-?\d+/g, '#');
      }
      if ((error as Error).name === 'TimeoutError') return 'waited';
      throw error;
    }
  });
}

/** How many calls ran. */
async function fuzz(op: OpDefinition, runs: number, seed: number): Promise<number> {
  const step = fc.record({
    draft: draftOf(op),
    cross: fc.constantFrom(true, true, false),
    from: fc.nat(),
    places: fc.array(fc.nat(1000), { minLength: 1, maxLength: 3 }),
  });
  const seen = new Set<string>();
  const drafts: Draft[] = [];
  let ran = 0;
  for (const { draft: fresh, cross, from, places } of fc.sample(step, { numRuns: runs, seed })) {
    const draft =
      cross && drafts.length > 0 ? crossed(drafts[from % drafts.length]!, fresh, places) : fresh;
    const call = callOf(op, draft);
    say({ call });
    const answer = await answerOf(call);
    if (answer?.startsWith('ran ') === true) ran += 1;
    if (answer === undefined || seen.has(answer)) continue;
    seen.add(answer);
    drafts.push(draft);
  }
  return ran;
}

const { ops, from, batch, runs, seed, folder, call } = task<KernelFuzzTask>();
process.chdir(folder);
/** There are no functions here that it could call. */
const needsFunction = ({ attrs }: OpDefinition): boolean =>
  attrs.some(({ scalar, fallback }) => scalar === 'func' && fallback === undefined);
const callable = (ops.length > 0 ? ops : opNames())
  .map(definitionOf)
  .filter((op) => !needsFunction(op));

async function main(): Promise<void> {
  if (call !== undefined) {
    say({ call });
    say({ answer: (await answerOf(call)) ?? 'refused before' });
    return;
  }
  for (let place = from; place < Math.min(from + batch, callable.length); place++) {
    const op = callable[place]!;
    say({ op: op.name, place });
    say({ op: op.name, ran: await fuzz(op, runs, seed) });
    clearKernelCache(); // What a kernel keeps is freed here: a crash now is of this op, though of none of its calls alone.
  }
  say({ done: true, left: Math.max(0, callable.length - from - batch) });
}

void main();
