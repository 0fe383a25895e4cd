/**
 * Annotations that ask for a function to be lowered. They are plain names for tensor types: nothing of them is left at
 * run time, and a function that carries them runs as written, too.
 */
import type { Tensor } from './tensor/tensor';

export type { DType } from './tensor/dtype';
export type { Tensor } from './tensor/tensor';

/** A vector of float32 on the CPU. */
export type TensorF32Cpu1D = Tensor<'float32', 1>;
/** A matrix of float32 on the CPU. */
export type TensorF32Cpu2D = Tensor<'float32', 2>;
/** A vector of int64 on the CPU: what `tf.argmax` answers for a matrix. */
export type TensorI64Cpu1D = Tensor<'int64', 1>;
