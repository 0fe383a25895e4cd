/**
 * The closed table of core ops. Adding one is a line here, a signature in lib/tf.ts and an oracle case; anything that
 * needs more than a kernel is an extension family.
 */
import { composite, type AsyncOptions } from '../native/off-loop';
import { DTYPES, NUMERIC_DTYPES, type DType } from '../tensor/dtype';
import { Kernel } from '../tensor/kernel';
import { scopeAsync, type Tensor } from '../tensor/tensor';
import { castKernels } from './cast';
import {
  requireCountableBroadcast,
  requireDType,
  requireSameDType,
  requireTensor,
} from './operand';

/** Runs one op on its operands; both the `tf.*` functions and lowered code call these, so the numbers are the same. */
export type OpExecutor = (...inputs: Tensor[]) => Tensor;

/**
 * The same op off the event loop, which errors call `label`. It has taken its share of the inputs when it returns; it
 * rejects instead of throwing.
 */
export type AsyncOpExecutor = (
  inputs: readonly Tensor[],
  options: AsyncOptions,
  label: string,
) => Promise<Tensor>;

interface Executors {
  readonly run: OpExecutor;
  readonly runAsync: AsyncOpExecutor;
}

interface CoreOpRow {
  /** Python's name. */
  readonly label: string;
  /** TensorFlow's op. */
  readonly kernel: string;
  readonly arguments: readonly [string] | readonly [string, string];
  readonly dtypes: readonly DType[];
  /** Python's `/`: integers are cast to the dtype of the table's `quotient` column first. */
  readonly trueDivision?: boolean;
}

const NUMBERS: readonly DType[] = NUMERIC_DTYPES;
const REAL: readonly DType[] = NUMERIC_DTYPES.filter((dtype) => DTYPES[dtype].kind !== 'complex');
const FLOATS: readonly DType[] = NUMERIC_DTYPES.filter((dtype) => DTYPES[dtype].quotient === dtype);

/** Dtypes are those that TensorFlow 2.21.0 registers CPU kernels for; test/core-ops walks them. */
export const CORE_OPS = {
  relu: { label: 'tf.nn.relu', kernel: 'Relu', arguments: ['features'], dtypes: REAL },
  tanh: { label: 'tf.nn.tanh', kernel: 'Tanh', arguments: ['x'], dtypes: FLOATS },
  sigmoid: { label: 'tf.nn.sigmoid', kernel: 'Sigmoid', arguments: ['x'], dtypes: FLOATS },
  cos: { label: 'tf.cos', kernel: 'Cos', arguments: ['x'], dtypes: FLOATS },
  add: { label: 'tf.add', kernel: 'AddV2', arguments: ['x', 'y'], dtypes: NUMBERS },
  subtract: { label: 'tf.subtract', kernel: 'Sub', arguments: ['x', 'y'], dtypes: NUMBERS },
  multiply: { label: 'tf.multiply', kernel: 'Mul', arguments: ['x', 'y'], dtypes: NUMBERS },
  divide: {
    label: 'tf.divide',
    kernel: 'RealDiv',
    arguments: ['x', 'y'],
    dtypes: NUMBERS,
    trueDivision: true,
  },
} as const satisfies Readonly<Record<string, CoreOpRow>>;

export type CoreOpName = keyof typeof CORE_OPS;

/** Names of the ops that have these arguments. */
type NameOf<A> = {
  [N in CoreOpName]: (typeof CORE_OPS)[N]['arguments'] extends A ? N : never;
}[CoreOpName];

export type UnaryOpName = NameOf<readonly [string]>;
export type BinaryOpName = NameOf<readonly [string, string]>;

function makeExecutors(row: CoreOpRow): Executors {
  const { label, dtypes } = row;
  const [first, second] = row.arguments;
  if (second === undefined) {
    const kernel = new Kernel({ label, name: row.kernel, inputs: 1 });
    const checked = (a: unknown, use: string): Tensor => {
      const x = requireTensor(a, use, first);
      requireDType(x, dtypes, use, first);
      return x;
    };
    return {
      run: (a) => kernel.run1(checked(a, label)),
      runAsync: async ([a], options, use) => kernel.runAsync([checked(a, use)], options, use),
    };
  }
  const kernel = new Kernel({ label, name: row.kernel, inputs: 2 });
  const check = (a: unknown, b: unknown, use: string): void => {
    const x = requireTensor(a, use, first);
    const y = requireTensor(b, use, second);
    requireDType(x, dtypes, use, first);
    requireSameDType(x, y, use, second);
    requireCountableBroadcast(x, y, use);
  };
  const executors: Executors = {
    run(a, b) {
      check(a, b, label);
      return kernel.run2(a, b);
    },
    async runAsync([a, b], options, use) {
      check(a, b, use);
      return kernel.runAsync([a!, b!], options, use);
    },
  };
  return row.trueDivision === true ? withIntegersCast(executors, label) : executors;
}

/** Python casts integers before it divides (tensorflow/python/ops/math_ops.py, `_truediv_python3`). */
function withIntegersCast(divide: Executors, label: string): Executors {
  const cast = castKernels(label);
  /** The kernel that both operands go through first, or null where none is needed. */
  const castFor = (a: unknown, b: unknown, use: string): Kernel | null => {
    const x = requireTensor(a, use, 'x');
    const y = requireTensor(b, use, 'y');
    const quotient = DTYPES[x.dtype].quotient;
    if (quotient === null || quotient === x.dtype) return null;
    requireSameDType(x, y, use, 'y');
    return cast(quotient);
  };
  return {
    run(a, b) {
      const kernel = castFor(a, b, label);
      if (kernel === null) return divide.run(a, b);
      const numerator = kernel.run1(a);
      try {
        const denominator = kernel.run1(b);
        try {
          return divide.run(numerator, denominator);
        } finally {
          denominator.dispose();
        }
      } finally {
        numerator.dispose();
      }
    },
    async runAsync([a, b], options, use) {
      const kernel = castFor(a, b, use);
      if (kernel === null) return divide.runAsync([a!, b!], options, use);
      return composite(
        () =>
          scopeAsync(async () => {
            const floats = [a!, b!].map((operand) => kernel.runAsync([operand], options, use));
            return divide.runAsync(await allOf(floats), options, use);
          }),
        options,
        (quotient) => quotient.dispose(),
        composite,
      );
    },
  };
}

/** As Promise.all, but all are settled when it rejects: what they make may then be freed. */
async function allOf(promises: readonly Promise<Tensor>[]): Promise<Tensor[]> {
  await Promise.allSettled(promises);
  return Promise.all(promises);
}

const EXECUTORS: ReadonlyMap<string, Executors> = new Map(
  Object.entries(CORE_OPS).map(([name, row]) => [name, makeExecutors(row)]),
);

/** The executor of a core op; `undefined` for a name that the table does not have. */
export function coreOp(name: CoreOpName): OpExecutor;
export function coreOp(name: string): OpExecutor | undefined;
export function coreOp(name: string): OpExecutor | undefined {
  return EXECUTORS.get(name)?.run;
}

/** The executor of a core op off the event loop. */
export function coreOpAsync(name: CoreOpName): AsyncOpExecutor {
  return EXECUTORS.get(name)!.runAsync;
}
