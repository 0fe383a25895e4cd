/**
 * Metadata inference of the four families against the kernels that they describe: for inputs of any shape both take them
 * and agree on the result, or both refuse.
 */
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { isTfeError, scope, tf, type DType, type Tensor } from '../../lib';
import { argmax, biasAdd, matmul, softmax, type ExtensionOp } from '../../lib/extension';
import { ExtensionShapeContext } from '../../lib/extension/shape-context';
import { applyOne } from '../../lib/runtime/default';
import { PLAIN_DTYPES, DTYPES, newCarrier } from '../../lib/tensor/dtype';
import { Kernel, type KernelSpec } from '../../lib/tensor/kernel';
import { expectNoTensorsLeft } from '../tensor/accounting';

expectNoTensorsLeft();

const ones = (dtype: DType, shape: readonly number[]): Tensor =>
  tf.constant(dtype === 'bool' ? true : DTYPES[dtype].kind === 'string' ? '1' : 1, {
    dtype,
    shape,
  });

/** Dtype and shape that a kernel gives, asked without the family; null where TensorFlow refuses. */
function kernelsAnswer(spec: Omit<KernelSpec, 'label' | 'inputs'>, inputs: readonly Tensor[]) {
  const kernel = new Kernel({ label: 'test', inputs: inputs.length as 1 | 2, ...spec });
  try {
    const result =
      inputs.length === 1 ? kernel.run1(inputs[0]!) : kernel.run2(inputs[0]!, inputs[1]!);
    return { dtype: result.dtype, shape: [...result.shape] };
  } catch (error) {
    if (isTfeError(error) && error.code === 'TFE_OP_FAILED') return null;
    throw error;
  }
}

/** Dtype and shape that the family infers; null where it refuses. */
function familysAnswer(op: ExtensionOp, inputs: readonly Tensor[]) {
  try {
    const [meta] = op.inferOutputMeta(new ExtensionShapeContext(op.familyId, inputs));
    return { dtype: meta!.dtype, shape: [...meta!.shape] };
  } catch (error) {
    if (isTfeError(error)) return null;
    throw error;
  }
}

/** The family infers what the kernel answers, and running the op through the runtime holds it to that. */
function expectAgreement(
  op: ExtensionOp,
  spec: Omit<KernelSpec, 'label' | 'inputs'>,
  inputs: readonly Tensor[],
): void {
  const inferred = familysAnswer(op, inputs);
  expect(inferred).toEqual(kernelsAnswer(spec, inputs));
  if (inferred === null) return;
  const { dtype, shape } = applyOne(op, inputs);
  expect({ dtype, shape }).toEqual(inferred);
}

const dim = fc.nat({ max: 3 });
const shapeOf = (minLength: number, maxLength: number) => fc.array(dim, { minLength, maxLength });

describe('matmul', () => {
  /** Mostly shapes that fit; `noise` makes some that do not. */
  const operands = fc.record({
    batchA: shapeOf(0, 2),
    broadcast: fc.array(fc.boolean(), { minLength: 2, maxLength: 2 }),
    longer: fc.boolean(),
    m: dim,
    k: dim,
    n: dim,
    noise: fc.option(dim, { freq: 4 }),
    transposeA: fc.boolean(),
    transposeB: fc.boolean(),
    dtype: fc.constantFrom<DType>('float32', 'float64', 'int32', 'int64'),
  });

  test('infers the shapes of MatMul and BatchMatMulV2', () => {
    fc.assert(
      fc.property(
        operands,
        ({ batchA, broadcast, longer, m, k, n, noise, transposeA, transposeB, dtype }) => {
          // prettier-ignore
          const batchB = [...(longer ? [2] : []), ...batchA.map((size, i) => (broadcast[i]! ? 1 : size))]; // prettier-ignore
          const inner = noise ?? k;
          const a = [...batchA, ...(transposeA ? [k, m] : [m, k])];
          const b = [...batchB, ...(transposeB ? [n, inner] : [inner, n])];
          const batched = a.length > 2 || b.length > 2;
          scope(() => {
            expectAgreement(
              matmul.op({ transposeA, transposeB }),
              batched
              ? { name: 'BatchMatMulV2', attrs: [['adj_x', 'bool', transposeA], ['adj_y', 'bool', transposeB]] } // prettier-ignore
              : { name: 'MatMul', attrs: [['transpose_a', 'bool', transposeA], ['transpose_b', 'bool', transposeB]] }, // prettier-ignore
              [ones(dtype, a), ones(dtype, b)],
            );
          });
        },
      ),
    );
  });

  test('refuses batch dimensions that do not broadcast, as BatchMatMulV2 does', () => {
    fc.assert(
      fc.property(shapeOf(1, 3), shapeOf(1, 3), (batchA, batchB) => {
        scope(() => {
          expectAgreement(
            matmul.op({ transposeA: false, transposeB: false }),
            { name: 'BatchMatMulV2', attrs: [['adj_x', 'bool', false], ['adj_y', 'bool', false]] }, // prettier-ignore
            [ones('float32', [...batchA, 2, 1]), ones('float32', [...batchB, 1, 2])],
          );
        });
      }),
    );
  });
});

describe('bias_add', () => {
  test('infers the shapes of BiasAdd', () => {
    fc.assert(
      fc.property(
        shapeOf(0, 5),
        fc.option(shapeOf(0, 2), { freq: 4 }),
        fc.constantFrom<'NHWC' | 'NCHW'>('NHWC', 'NCHW'),
        fc.constantFrom<DType>(...PLAIN_DTYPES.filter((dtype) => dtype !== 'bool')),
        (value, bias, dataFormat, dtype) => {
          const channels = value[dataFormat === 'NCHW' ? 1 : value.length - 1] ?? 1;
          scope(() => {
            expectAgreement(
              biasAdd.op({ dataFormat }),
              { name: 'BiasAdd', attrs: [['data_format', 'string', dataFormat]] },
              [ones(dtype, value), ones(dtype, bias ?? [channels])],
            );
          });
        },
      ),
    );
  });
});

describe('softmax', () => {
  test('infers the shape of Softmax along the last axis', () => {
    fc.assert(
      fc.property(shapeOf(0, 5), fc.constantFrom<DType>('float32', 'float64'), (shape, dtype) => {
        const op = softmax.op({ axis: Math.max(0, shape.length - 1) });
        scope(() => {
          expectAgreement(op, { name: 'Softmax' }, [ones(dtype, shape)]);
        });
      }),
    );
  });

  test('keeps the shape along every axis', () => {
    fc.assert(
      fc.property(shapeOf(1, 5), fc.nat({ max: 5 }), (shape, axis) => {
        scope(() => {
          const x = ones('float32', shape);
          const op = softmax.op({ axis });
          if (axis >= shape.length) expect(familysAnswer(op, [x])).toBeNull();
          else expect(applyOne(op, [x]).shape).toEqual(shape);
        });
      }),
    );
  });
});

describe('argmax', () => {
  test('infers the shapes of ArgMax', () => {
    fc.assert(
      fc.property(
        shapeOf(0, 5),
        fc.nat({ max: 5 }),
        fc.constantFrom<'int32' | 'int64'>('int32', 'int64'),
        fc.constantFrom<DType>(...PLAIN_DTYPES),
        (shape, axis, outputType, dtype) => {
          // An axis without elements has no largest: only the kernel refuses it, see below.
          fc.pre(shape[axis] !== 0);
          scope(() => {
            expectAgreement(
              argmax.op({ axis, outputType }),
              {
                name: 'ArgMax',
                attrs: [['output_type', 'type', DTYPES[outputType].tf]],
                constants: [{ position: 1, values: axis, dtype: 'int32' }],
              },
              [ones(dtype, shape)],
            );
          });
        },
      ),
    );
  });
});

describe.each([
  ['matmul', matmul.op({ transposeA: false, transposeB: false }), 'MatMul', 2],
  ['bias_add', biasAdd.op({ dataFormat: 'NHWC' }), 'BiasAdd', 2],
  ['softmax', softmax.op({ axis: 1 }), 'Softmax', 1],
  ['argmax', argmax.op({ axis: 1, outputType: 'int64' }), 'ArgMax', 1],
] as const)('the dtypes of %s', (name, op, kernel, count) => {
  // matmul leaves complex numbers to a kernel of its own: their adjoint is not their transpose.
  const dtypes = PLAIN_DTYPES.filter(
    (dtype) => name !== 'matmul' || DTYPES[dtype].kind !== 'complex',
  );

  test.each(dtypes)('%s: taken exactly when the kernel takes it', (dtype) => {
    scope(() => {
      const matrix = tf.constant(newCarrier(dtype, 4), { dtype, shape: [2, 2] });
      const second = kernel === 'BiasAdd' ? tf.constant(newCarrier(dtype, 2), { dtype }) : matrix;
      const inputs = count === 1 ? [matrix] : [matrix, second];
      const constants = kernel === 'ArgMax' ? [{ position: 1, values: 1, dtype: 'int32' }] as const : []; // prettier-ignore
      const taken = kernelsAnswer({ name: kernel, constants }, inputs) !== null;
      const ours = familysAnswer(op, inputs) !== null;
      expect({ name, dtype, taken: ours }).toEqual({ name, dtype, taken });
    });
  });
});
