/**
 * Walks the table of core ops against TensorFlow itself: a dtype is in a row exactly when TensorFlow 2.21.0 has a CPU kernel
 * for it.
 */
import { describe, expect, test } from '@jest/globals';
import { scope, tf, type DType, type Tensor } from '../../lib';
import { CORE_OPS, coreOp, type CoreOpName } from '../../lib/core-ops/table';
import { DTYPE_NAMES, isPlain } from '../../lib/tensor/dtype';
import { Kernel } from '../../lib/tensor/kernel';
import { opaqueTensor } from '../helpers/opaque';
import { expectNoTensorsLeft, thrownBy } from '../tensor/accounting';

expectNoTensorsLeft();

const NAMES = Object.keys(CORE_OPS) as CoreOpName[];
const CELLS = NAMES.flatMap((name) => DTYPE_NAMES.map((dtype) => [name, dtype] as const));

/** Two ones of a dtype, or two of what it has instead: values that every op would take. */
const ones = (dtype: DType): Tensor => {
  if (dtype === 'string') return tf.constant('1', { dtype, shape: [2] });
  if (!isPlain(dtype)) return opaqueTensor(dtype);
  return tf.cast(tf.constant([1, 1]), dtype);
};

const operands = (name: CoreOpName, dtype: DType): Tensor[] =>
  CORE_OPS[name].arguments.map(() => ones(dtype));

/** Whether TensorFlow runs the row's kernel on a dtype, asked without our checks. */
function tensorflowTakes(name: CoreOpName, dtype: DType): boolean {
  const row = CORE_OPS[name];
  const [a, b] = operands(name, dtype);
  const kernel = new Kernel({
    label: row.label,
    name: row.kernel,
    inputs: b === undefined ? 1 : 2,
  });
  try {
    if (b === undefined) kernel.run1(a!);
    else kernel.run2(a!, b);
    return true;
  } catch {
    return false;
  }
}

describe('the table of core ops', () => {
  // divide is the exception: Python casts integers before RealDiv, which has no kernel for them.
  test.each(CELLS.filter(([name]) => name !== 'divide'))(
    '%s has %s exactly when TensorFlow has a kernel for it',
    (name, dtype) => {
      scope(() => {
        const inTable = CORE_OPS[name].dtypes.includes(dtype);
        expect(inTable).toBe(tensorflowTakes(name, dtype));
      });
    },
  );

  test.each(CELLS)('%s on %s runs, or is refused before TensorFlow is asked', (name, dtype) => {
    scope(() => {
      const run = () => coreOp(name)(...operands(name, dtype));
      if (CORE_OPS[name].dtypes.includes(dtype)) {
        expect(run().shape).toEqual([2]);
        return;
      }
      const error = thrownBy(run);
      expect(error.code).toBe('TFE_OP_DTYPE');
      expect(error.tfStatus).toBeUndefined();
      expect(error.facts).toMatchObject({ op: CORE_OPS[name].label, received: dtype });
    });
  });

  // NumPy's and Python TensorFlow's true division: tensorflow/python/ops/math_ops.py, _truediv_python3.
  test.each([
    ['float32', 'float32'],
    ['float64', 'float64'],
    ['int8', 'float32'],
    ['int16', 'float32'],
    ['uint8', 'float32'],
    ['uint16', 'float32'],
    ['int32', 'float64'],
    ['int64', 'float64'],
    ['uint32', 'float64'],
    ['uint64', 'float64'],
    ['float16', 'float16'],
    ['bfloat16', 'bfloat16'],
    ['complex64', 'complex64'],
    ['complex128', 'complex128'],
  ] as const)('divide answers for %s a quotient of %s', (dtype, quotient) => {
    scope(() => {
      expect(coreOp('divide')(ones(dtype), ones(dtype)).dtype).toBe(quotient);
    });
  });

  test.each(NAMES)('%s carries the name that Python users know', (name) => {
    expect(CORE_OPS[name].label).toMatch(new RegExp(`^tf\\.(nn\\.)?${name}$`));
  });

  test('has no op of another name', () => {
    for (const name of ['Relu', 'toString', '__proto__', '']) expect(coreOp(name)).toBeUndefined();
  });
});

describe('an executor called without the tf.* functions, as lowered code does', () => {
  test.each(NAMES)('%s refuses what is not a tensor', (name) => {
    scope(() => {
      const inputs = operands(name, 'float32');
      inputs[inputs.length - 1] = [1, 2] as unknown as Tensor;
      const error = thrownBy(() => coreOp(name)(...inputs));
      expect(error.code).toBe('TFE_OP_ARGUMENT');
      expect(error.facts['argument']).toBe(CORE_OPS[name].arguments.at(-1));
    });
  });

  test.each(NAMES)('%s refuses a missing operand', (name) => {
    expect(thrownBy(() => coreOp(name)()).code).toBe('TFE_OP_ARGUMENT');
  });
});
