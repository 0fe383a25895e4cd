/** Checks that every op makes of its operands before TensorFlow sees them. One voice for all ops. */
import { describeShape, describeValue } from '../describe';
import { tfeError, type TfeError } from '../errors';
import type { DType } from '../tensor/dtype';
import { extentOf, isTensor, type Tensor } from '../tensor/tensor';

/** @throws TfeError `TFE_OP_ARGUMENT` when `value` is not a tensor of this package */
export function requireTensor(value: unknown, op: string, argument: string): Tensor {
  if (isTensor(value)) return value;
  throw argumentError(op, argument, 'a Tensor', value);
}

/** `TFE_OP_ARGUMENT` */
export function argumentError(
  op: string,
  argument: string,
  expected: string,
  value: unknown,
): TfeError {
  return tfeError(
    'TFE_OP_ARGUMENT',
    { op, argument, expected, received: describeValue(value) },
    { op },
  );
}

/** @throws TfeError `TFE_OP_DTYPE` */
export function requireDType(
  tensor: Tensor,
  allowed: readonly DType[],
  op: string,
  argument: string,
): void {
  if (allowed.includes(tensor.dtype)) return;
  throw tfeError('TFE_OP_DTYPE', { op, argument, allowed, received: tensor.dtype }, { op });
}

/** Elements of a result of up to 16 bytes each that int64 can still count in bytes. */
const MAX_ELEMENTS = 2 ** 59;

/**
 * Refuses a result that TensorFlow cannot count: it ends the process where the dims, zeros set aside, have a product
 * beyond int64. Small inputs can ask for one: `[2 ** 32, 0]` by `[0, 2 ** 32]` is a matrix product.
 * @throws TfeError `TFE_OP_SHAPE`
 */
export function requireCountable(
  shape: readonly number[],
  inputs: readonly Tensor[],
  op: string,
): void {
  if (extentOf(shape) < MAX_ELEMENTS) return;
  throw tfeError(
    'TFE_OP_SHAPE',
    {
      op,
      reason: `a result of shape ${describeShape(shape)} is beyond what TensorFlow can count`,
      shapes: inputs.map((input) => describeShape(input.shape)),
    },
    { op },
  );
}

/** {@link requireCountable} for an op that broadcasts. Shapes that do not broadcast are TensorFlow's to refuse. */
export function requireCountableBroadcast(x: Tensor, y: Tensor, op: string): void {
  const bound = x.size * y.size;
  // The path of nearly every call. A size of 0 says nothing about the other dims.
  if (bound > 0 && bound < MAX_ELEMENTS) return;
  const [long, short] = x.rank >= y.rank ? [x.shape, y.shape] : [y.shape, x.shape];
  const lead = long.length - short.length;
  const shape = long.map((dim, axis) => (dim === 1 && axis >= lead ? short[axis - lead]! : dim));
  requireCountable(shape, [x, y], op);
}

/** @throws TfeError `TFE_OP_DTYPE_MISMATCH` */
export function requireSameDType(
  first: Tensor,
  second: Tensor,
  op: string,
  argument: string,
): void {
  if (first.dtype === second.dtype) return;
  throw tfeError(
    'TFE_OP_DTYPE_MISMATCH',
    { op, argument, first: first.dtype, second: second.dtype },
    { op },
  );
}

/** An axis counted from the front. @throws TfeError `TFE_OP_AXIS` */
export function normalizeAxis(axis: number, rank: number, op: string): number {
  // Adding 0 makes 0 of -0, which would be another payload.
  if (axis >= -rank && axis < rank) return axis < 0 ? axis + rank : axis + 0;
  throw tfeError('TFE_OP_AXIS', { op, axis, rank }, { op });
}
