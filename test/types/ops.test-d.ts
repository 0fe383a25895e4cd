/** Dtype and rank through the tf.* functions. Checked by `tsc -p tsconfig.test.json`; nothing here runs. */
import { expectTypeOf } from 'expect-type';
import { executeAsync, tf, type Tensor } from 'tfe-node';
import type { TensorF32Cpu2D, TensorI64Cpu1D } from 'tfe-node/types';

declare const scalar: Tensor<'float32', 0>;
declare const vector: Tensor<'float32', 1>;
declare const matrix: Tensor<'float32', 2>;
declare const batch: Tensor<'float32', 3>;
declare const ints: Tensor<'int64', 2>;
declare const bytes: Tensor<'uint8', 2>;
declare const f32: Tensor<'float32'>;
declare const any: Tensor;

// matmul
expectTypeOf(tf.matmul(matrix, matrix)).toEqualTypeOf<Tensor<'float32', 2>>();
expectTypeOf(tf.matmul(batch, matrix)).toEqualTypeOf<Tensor<'float32', 3>>();
expectTypeOf(tf.matmul(matrix, batch)).toEqualTypeOf<Tensor<'float32', 3>>();
expectTypeOf(tf.matmul(ints, ints)).toEqualTypeOf<Tensor<'int64', 2>>();
expectTypeOf(tf.matmul(f32, matrix)).toEqualTypeOf<Tensor<'float32', number>>();
expectTypeOf(tf.matmul(matrix, matrix, { transpose_b: true })).toEqualTypeOf<
  Tensor<'float32', 2>
>();
// @ts-expect-error -- a vector is no matrix
tf.matmul(vector, matrix);
// @ts-expect-error -- a vector is no matrix
tf.matmul(matrix, vector);
// @ts-expect-error -- a scalar is no matrix
tf.matmul(scalar, matrix);
// @ts-expect-error -- dtypes do not mix
tf.matmul(matrix, ints);
// @ts-expect-error -- no such option
tf.matmul(matrix, matrix, { transposeA: true });

// bias_add
expectTypeOf(tf.nn.bias_add(matrix, vector)).toEqualTypeOf<Tensor<'float32', 2>>();
expectTypeOf(tf.nn.bias_add(batch, vector, { data_format: 'NCHW' })).toEqualTypeOf<
  Tensor<'float32', 3>
>();
// @ts-expect-error -- the bias is a vector
tf.nn.bias_add(matrix, matrix);
// @ts-expect-error -- dtypes do not mix
tf.nn.bias_add(ints, vector);

// elementwise, one operand
expectTypeOf(tf.nn.relu(matrix)).toEqualTypeOf<Tensor<'float32', 2>>();
expectTypeOf(tf.nn.relu(ints)).toEqualTypeOf<Tensor<'int64', 2>>();
expectTypeOf(tf.nn.tanh(vector)).toEqualTypeOf<Tensor<'float32', 1>>();
expectTypeOf(tf.math.sigmoid(scalar)).toEqualTypeOf<Tensor<'float32', 0>>();
expectTypeOf(tf.cos(batch)).toEqualTypeOf<Tensor<'float32', 3>>();

// softmax keeps the shape, argmax takes an axis away
expectTypeOf(tf.nn.softmax(matrix)).toEqualTypeOf<Tensor<'float32', 2>>();
expectTypeOf(tf.nn.softmax(matrix, 1)).toEqualTypeOf<Tensor<'float32', 2>>();
expectTypeOf(tf.nn.softmax(matrix, { axis: -1 })).toEqualTypeOf<Tensor<'float32', 2>>();
expectTypeOf(tf.argmax(matrix)).toEqualTypeOf<Tensor<'int64', 1>>();
expectTypeOf(tf.argmax(matrix, 1)).toEqualTypeOf<Tensor<'int64', 1>>();
expectTypeOf(tf.argmax(batch, { axis: 1 })).toEqualTypeOf<Tensor<'int64', 2>>();
expectTypeOf(tf.argmax(vector, { output_type: 'int32' })).toEqualTypeOf<Tensor<'int32', 0>>();
expectTypeOf(tf.argmax(any)).toEqualTypeOf<Tensor<'int64', number>>();
// @ts-expect-error -- classes are integers
tf.argmax(matrix, { output_type: 'float32' });
// @ts-expect-error -- no such option
tf.nn.softmax(matrix, { dim: 1 });

// elementwise, two operands: the larger rank
expectTypeOf(tf.add(matrix, matrix)).toEqualTypeOf<Tensor<'float32', 2>>();
expectTypeOf(tf.add(matrix, vector)).toEqualTypeOf<Tensor<'float32', 2>>();
expectTypeOf(tf.add(vector, batch)).toEqualTypeOf<Tensor<'float32', 3>>();
expectTypeOf(tf.subtract(scalar, matrix)).toEqualTypeOf<Tensor<'float32', 2>>();
expectTypeOf(tf.multiply(f32, matrix)).toEqualTypeOf<Tensor<'float32', number>>();
expectTypeOf(tf.add(matrix, 1)).toEqualTypeOf<Tensor<'float32', 2>>();
expectTypeOf(tf.add(1, matrix)).toEqualTypeOf<Tensor<'float32', 2>>();
expectTypeOf(tf.add(ints, 1n)).toEqualTypeOf<Tensor<'int64', 2>>();
expectTypeOf(tf.add(matrix, [[1, 2]])).toEqualTypeOf<Tensor<'float32', 2>>();
expectTypeOf(tf.divide([[[1n]]], ints)).toEqualTypeOf<Tensor<'float64', 3>>();
// @ts-expect-error -- dtypes do not mix
tf.add(matrix, ints);
// @ts-expect-error -- dtypes do not mix
tf.divide(ints, matrix);
// @ts-expect-error -- text is no operand
tf.add(matrix, 'x');

// cast takes the dtype that it is told
expectTypeOf(tf.cast(matrix, 'int64')).toEqualTypeOf<Tensor<'int64', 2>>();
expectTypeOf(tf.cast([[1, 2]], 'bfloat16')).toEqualTypeOf<Tensor<'bfloat16', 2>>();
expectTypeOf(tf.dtypes.cast(any, 'bool')).toEqualTypeOf<Tensor<'bool', number>>();
// @ts-expect-error -- text is no number
tf.cast(matrix, 'string');
// @ts-expect-error -- nor is this
tf.cast('1', 'float32');

// divide is Python's true division
expectTypeOf(tf.divide(matrix, vector)).toEqualTypeOf<Tensor<'float32', 2>>();
expectTypeOf(tf.divide(ints, ints)).toEqualTypeOf<Tensor<'float64', 2>>();
expectTypeOf(tf.divide(ints, 2)).toEqualTypeOf<Tensor<'float64', 2>>();
expectTypeOf(tf.divide(1n, ints)).toEqualTypeOf<Tensor<'float64', 2>>();
expectTypeOf(tf.divide(bytes, bytes)).toEqualTypeOf<Tensor<'float32', 2>>();

// The annotations fit what the ops answer, and a scoring function type-checks as it is written.
expectTypeOf(tf.nn.relu(matrix)).toExtend<TensorF32Cpu2D>();
expectTypeOf(tf.argmax(matrix, 1)).toExtend<TensorI64Cpu1D>();
function score(x: TensorF32Cpu2D, w: TensorF32Cpu2D, b: Tensor<'float32', 1>): TensorI64Cpu1D {
  let h = tf.nn.bias_add(tf.matmul(x, w), b);
  for (let i = 0; i < 4; i++) h = i % 2 === 0 ? tf.nn.relu(h) : tf.nn.tanh(h);
  return tf.argmax(tf.nn.softmax(h, 1), 1);
}
expectTypeOf(score).returns.toEqualTypeOf<Tensor<'int64', 1>>();

// Off the event loop: the same types, in a promise.
declare const signal: AbortSignal;
expectTypeOf(tf.matmulAsync(batch, matrix, { transpose_b: true, signal })).toEqualTypeOf<
  Promise<Tensor<'float32', 3>>
>();
expectTypeOf(tf.nn.bias_addAsync(matrix, vector, { signal })).toEqualTypeOf<
  Promise<Tensor<'float32', 2>>
>();
expectTypeOf(tf.addAsync(matrix, vector, { signal })).toEqualTypeOf<
  Promise<Tensor<'float32', 2>>
>();
expectTypeOf(tf.addAsync(matrix, 1)).toEqualTypeOf<Promise<Tensor<'float32', 2>>>();
expectTypeOf(tf.divideAsync(ints, ints)).toEqualTypeOf<Promise<Tensor<'float64', 2>>>();
expectTypeOf(tf.castAsync(matrix, 'int32', { signal })).toEqualTypeOf<
  Promise<Tensor<'int32', 2>>
>();
expectTypeOf(tf.nn.softmaxAsync(matrix, 1, { signal })).toEqualTypeOf<
  Promise<Tensor<'float32', 2>>
>();
expectTypeOf(tf.argmaxAsync(batch, { axis: 1, output_type: 'int32', signal })).toEqualTypeOf<
  Promise<Tensor<'int32', 2>>
>();
expectTypeOf(executeAsync('Neg', { inputs: [matrix], signal })).toEqualTypeOf<Promise<Tensor[]>>();
expectTypeOf(matrix.data({ signal })).toEqualTypeOf<Promise<Float32Array>>();
expectTypeOf(ints.data({ int64: 'number', signal })).toEqualTypeOf<Promise<number[]>>();
// @ts-expect-error -- a vector is no matrix
void tf.matmulAsync(vector, matrix);
// @ts-expect-error -- dtypes do not mix
void tf.addAsync(matrix, ints);
// @ts-expect-error -- no such option
void tf.addAsync(matrix, matrix, { name: 'x' });
// @ts-expect-error -- a signal is no boolean
void matrix.data({ signal: true });
