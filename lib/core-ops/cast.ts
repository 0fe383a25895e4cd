/** Conversion of dtypes: TensorFlow's Cast, for `tf.cast` and for the ops of Python that convert before they compute. */
import { DTYPES, PLAIN_DTYPES, type DType, type PlainDType } from '../tensor/dtype';
import { Kernel } from '../tensor/kernel';
import type { Tensor } from '../tensor/tensor';

/** Numbers and bool: TensorFlow has a kernel from each to each. */
export const CASTABLE: readonly PlainDType[] = PLAIN_DTYPES;

/** Makes a converter whose errors say `label`. Its kernels are prepared once per dtype. */
export function caster(label: string): (tensor: Tensor, to: DType) => Tensor {
  const kernels = new Map<DType, Kernel>();
  return (tensor, to) => {
    let kernel = kernels.get(to);
    if (kernel === undefined) {
      kernel = new Kernel({
        label,
        name: 'Cast',
        inputs: 1,
        attrs: [
          ['DstT', 'type', DTYPES[to].tf],
          ['Truncate', 'bool', false],
        ],
      });
      kernels.set(to, kernel);
    }
    return kernel.run1(tensor);
  };
}
