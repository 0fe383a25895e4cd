/**
 * The closed table of core ops. Adding one is a line here, a signature in lib/tf.ts and an oracle case; anything that
 * needs more than a kernel is an extension family.
 */
import { DTYPES, NUMERIC_DTYPES, type DType } from '../tensor/dtype';
import { Kernel } from '../tensor/kernel';
import type { Tensor } from '../tensor/tensor';
import { caster } from './cast';
import {
  requireCountableBroadcast,
  requireDType,
  requireSameDType,
  requireTensor,
} from './operand';

/** Runs one op on its operands; both the `tf.*` functions and lowered code call these, so the numbers are the same. */
export type OpExecutor = (...inputs: Tensor[]) => Tensor;

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
const ROWS = {
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

export type CoreOpName = keyof typeof ROWS;

export const CORE_OPS: Readonly<Record<CoreOpName, CoreOpRow>> = ROWS;

function makeExecutor(row: CoreOpRow): OpExecutor {
  const { label, dtypes } = row;
  const [first, second] = row.arguments;
  if (second === undefined) {
    const kernel = new Kernel({ label, name: row.kernel, inputs: 1 });
    return (a) => {
      const x = requireTensor(a, label, first);
      requireDType(x, dtypes, label, first);
      return kernel.run1(x);
    };
  }
  const kernel = new Kernel({ label, name: row.kernel, inputs: 2 });
  const run: OpExecutor = (a, b) => {
    const x = requireTensor(a, label, first);
    const y = requireTensor(b, label, second);
    requireDType(x, dtypes, label, first);
    requireSameDType(x, y, label, second);
    requireCountableBroadcast(x, y, label);
    return kernel.run2(x, y);
  };
  return row.trueDivision === true ? withIntegersCast(run, label) : run;
}

/** Python casts integers before it divides (tensorflow/python/ops/math_ops.py, `_truediv_python3`). */
function withIntegersCast(divide: OpExecutor, label: string): OpExecutor {
  const cast = caster(label);
  return (a, b) => {
    const x = requireTensor(a, label, 'x');
    const y = requireTensor(b, label, 'y');
    const quotient = DTYPES[x.dtype].quotient;
    if (quotient === null || quotient === x.dtype) return divide(x, y);
    requireSameDType(x, y, label, 'y');
    const numerator = cast(x, quotient);
    try {
      const denominator = cast(y, quotient);
      try {
        return divide(numerator, denominator);
      } finally {
        denominator.dispose();
      }
    } finally {
      numerator.dispose();
    }
  };
}

const EXECUTORS: ReadonlyMap<string, OpExecutor> = new Map(
  Object.entries(ROWS).map(([name, row]) => [name, makeExecutor(row)]),
);

/** The executor of a core op; `undefined` for a name that the table does not have. */
export function coreOp(name: CoreOpName): OpExecutor;
export function coreOp(name: string): OpExecutor | undefined;
export function coreOp(name: string): OpExecutor | undefined {
  return EXECUTORS.get(name);
}
