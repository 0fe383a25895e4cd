/** Tensors of the dtypes that only ops make: a hash table nobody else knows, and an empty list of tensors. */
import { tf, type DType, type Tensor } from '../../lib';
import { native } from '../../lib/native/loader';
import { DTYPES } from '../../lib/tensor/dtype';
import { Kernel } from '../../lib/tensor/kernel';
import { tensorOf } from '../../lib/tensor/tensor';

const LIST = new Kernel({
  label: 'test',
  name: 'EmptyTensorList',
  inputs: 1,
  attrs: [
    ['element_dtype', 'type', DTYPES.float32.tf],
    ['shape_type', 'type', DTYPES.int32.tf],
  ],
  constants: [{ position: 1, values: 8, dtype: 'int32' }],
});

/** A new tensor of dtype resource or variant. */
export function opaqueTensor(dtype: DType): Tensor {
  return dtype === 'variant' ? variant() : resource();
}

function variant(): Tensor {
  const anyShape = tf.constant(-1, { dtype: 'int32' });
  try {
    return LIST.run1(anyShape);
  } finally {
    anyShape.dispose();
  }
}

function resource(): Tensor {
  const binding = native();
  const table = binding.prepare(
    'test',
    'AnonymousMutableHashTable',
    0,
    [
      ['key_dtype', 'type', DTYPES.int64.tf],
      ['value_dtype', 'type', DTYPES.float32.tf],
    ],
    [],
  );
  return tensorOf(binding, (binding.run as (index: number, id?: number) => number)(table));
}
