/** The family `tfe-node.matmul.v1`: matrix product, batched from rank 3 on. TensorFlow's MatMul and BatchMatMulV2. */
import type { TfeEngine } from '../engines/tfe';
import { defineExtensionRuntime } from '../extension/module';
import { defineExtensionOp } from '../extension/op';
import type { ExtensionShapeContext, SymDim } from '../extension/shape-context';
import type { DType } from '../tensor/dtype';
import type { Tensor } from '../tensor/tensor';
import { checkBoolean, requireRank, requireSameExtent, sameDType, shapeError } from './checks';
import { kernelSpecs } from './kernels';

export type MatmulPayload = Readonly<{ transposeA: boolean; transposeB: boolean }>;

const LABEL = 'tf.matmul';
const FAMILY_ID = 'tfe-node.matmul.v1';
const FAMILY = [LABEL, FAMILY_ID] as const;
/** Not complex numbers: their adjoint is not their transpose, and the payload does not tell the two apart. */
const DTYPES: readonly DType[] = ['float32', 'float64', 'float16', 'bfloat16', 'int32', 'int64'];

export const matmul = defineExtensionOp<MatmulPayload>({
  familyId: FAMILY_ID,
  inputCount: 2,
  outputCount: 1,
  effects: [],
  aliases: 'allFresh',
  checkPayload(payload) {
    checkBoolean(FAMILY_ID, payload, 'transposeA');
    checkBoolean(FAMILY_ID, payload, 'transposeB');
  },
  inferOutputMeta({ transposeA, transposeB }, context) {
    const dtype = sameDType(context, DTYPES, LABEL, ['a', 'b']);
    const a = context.inputShape(0);
    const b = context.inputShape(1);
    requireRank(FAMILY, 'a', 'rank 2 or more', a.length, a.length >= 2);
    requireRank(FAMILY, 'b', 'rank 2 or more', b.length, b.length >= 2);
    const [rowsA, contractedA] = axes(a.length, transposeA);
    const [contractedB, columnsB] = axes(b.length, transposeB);
    requireSameExtent(FAMILY, context, ['a', 'b'], [contractedA, contractedB]);
    return [{ dtype, shape: [...batch(context), a[rowsA]!, b[columnsB]!] }];
  },
});

/** The two matrix axes, first the one that stands for rows of the product's left operand. */
function axes(rank: number, transpose: boolean): readonly [number, number] {
  return transpose ? [rank - 1, rank - 2] : [rank - 2, rank - 1];
}

/** Batch dims broadcast as in NumPy. */
function batch(context: ExtensionShapeContext): SymDim[] {
  const a = context.inputShape(0).slice(0, -2);
  const b = context.inputShape(1).slice(0, -2);
  const rank = Math.max(a.length, b.length);
  return Array.from({ length: rank }, (_, i) => {
    const left = a[i - rank + a.length] ?? 1;
    const right = b[i - rank + b.length] ?? 1;
    if (left !== right && left !== 1 && right !== 1) {
      throw shapeError(FAMILY, context, 'the batch dimensions do not broadcast');
    }
    return left === 1 ? right : left;
  });
}

const kernels = kernelSpecs<MatmulPayload, 'MatMul' | 'BatchMatMulV2'>(
  ({ transposeA, transposeB }, name) => ({
    label: LABEL,
    name,
    inputs: 2,
    attrs:
      name === 'MatMul'
        ? [
            ['transpose_a', 'bool', transposeA],
            ['transpose_b', 'bool', transposeB],
          ]
        : [
            ['adj_x', 'bool', transposeA],
            ['adj_y', 'bool', transposeB],
          ],
  }),
);

export const matmulRuntime = defineExtensionRuntime({
  runtime: 'MatmulRuntime',
  familyId: FAMILY_ID,
  op: matmul,
  sessionSupported: () => true,
  executeInSession(op, engine: TfeEngine, [a, b]) {
    return [engine.kernel(kernels(op, kernelFor(a!, b!))).run2(a!, b!)];
  },
  async executeAsync(op, engine, [a, b], options) {
    return [await engine.kernel(kernels(op, kernelFor(a!, b!))).runAsync([a!, b!], options)];
  },
});

function kernelFor(a: Tensor, b: Tensor): 'MatMul' | 'BatchMatMulV2' {
  return a.rank === 2 && b.rank === 2 ? 'MatMul' : 'BatchMatMulV2';
}
