/** Checks that every op makes of its operands before TensorFlow sees them. One voice for all ops. */
import { describeValue } from '../describe';
import { tfeError } from '../errors';
import type { DType } from '../tensor/dtype';
import { isTensor, type Tensor } from '../tensor/tensor';

/** @throws TfeError `TFE_OP_ARGUMENT` when `value` is not a tensor of this package */
export function requireTensor(value: unknown, op: string, argument: string): Tensor {
  if (isTensor(value)) return value;
  throw tfeError(
    'TFE_OP_ARGUMENT',
    { op, argument, expected: 'a Tensor', received: describeValue(value) },
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
