/**
 * The check of a lowered function's annotated parameters, once per call and only on the lowered leg: its ops were
 * chosen for those dtypes and ranks. Nothing is converted; what does not fit is refused by name.
 */
import { types } from 'node:util';
import { describeValue } from '../describe';
import { tfeError } from '../errors';
import { isTensor, type Tensor } from '../tensor/tensor';
import type { LoweredParameter, LoweredSpec, LoweredTensorType } from './spec';

interface Guard extends LoweredTensorType {
  readonly index: number;
  readonly parameter: string;
  readonly optional: boolean;
}

export type Guards = readonly Guard[];

export function guardsOf(parameters: readonly LoweredParameter[]): Guards {
  return parameters.flatMap(({ name, type, optional = false }, index) =>
    type === null ? [] : [{ index, parameter: name, optional, ...type }],
  );
}

/** Left to right; for each parameter: is it a tensor, is it alive, its dtype, its rank. */
export function checkArguments(
  spec: LoweredSpec,
  guards: Guards,
  values: readonly unknown[],
): void {
  for (const guard of guards) {
    const value = values[guard.index];
    if (value === undefined && guard.optional) continue;
    if (!isTensor(value)) refuse(spec, guard, value);
    if (value.isDisposed || value.dtype !== guard.dtype || value.rank !== guard.rank) {
      refuse(spec, guard, value);
    }
  }
}

function refuse(spec: LoweredSpec, guard: Guard, value: unknown): never {
  const at = { function: spec.name, parameter: guard.parameter, index: guard.index };
  const expected = `${guard.dtype}, rank ${guard.rank}`;
  if (!isTensor(value)) {
    const received = types.isPromise(value)
      ? 'a Promise (is an await missing?)'
      : describeValue(value);
    throw tfeError('TFE_BOUNDARY_TENSOR', { ...at, expected, received });
  }
  const tensor: Tensor = value;
  if (tensor.isDisposed) throw tfeError('TFE_BOUNDARY_DISPOSED', at);
  if (tensor.dtype !== guard.dtype) {
    throw tfeError('TFE_BOUNDARY_DTYPE', { ...at, expected: guard.dtype, received: tensor.dtype });
  }
  throw tfeError('TFE_BOUNDARY_RANK', {
    ...at,
    expected: guard.rank,
    received: tensor.rank,
    shape: tensor.shape,
  });
}
