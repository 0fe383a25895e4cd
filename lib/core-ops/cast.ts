/** Conversion of dtypes: TensorFlow's Cast, for `tf.cast` and for the ops of Python that convert before they compute. */
import { DTYPES, PLAIN_DTYPES, type DType, type PlainDType } from '../tensor/dtype';
import { Kernel } from '../tensor/kernel';

/** Numbers and bool: TensorFlow has a kernel from each to each. */
export const CASTABLE: readonly PlainDType[] = PLAIN_DTYPES;

/** Answers the kernel that converts to a dtype, whose errors say `label`. One per dtype. */
export function castKernels(label: string): (to: DType) => Kernel {
  const kernels = new Map<DType, Kernel>();
  return (to) => {
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
    return kernel;
  };
}
