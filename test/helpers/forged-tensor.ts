/** A tensor object around an id that no op answered. Only JavaScript can make one: the constructor is private. */
import { Tensor, type DType } from '../../lib';

export function forgedTensor(id: number, dtype: DType, shape: number[]): Tensor {
  return Reflect.construct(Tensor as unknown as typeof Object, [id, dtype, shape]) as Tensor;
}
