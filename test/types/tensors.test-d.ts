/** Dtype and rank through tf.constant and Tensor. Checked by `tsc -p tsconfig.test.json`; nothing here runs. */
import { expectTypeOf } from 'expect-type';
import {
  isTensor,
  keep,
  scope,
  scopeAsync,
  tf,
  type Complex,
  type ReadOptions,
  type Tensor,
} from 'tfe-node';
import type { TensorF32Cpu1D, TensorF32Cpu2D, TensorI64Cpu1D } from 'tfe-node/types';

// Values say dtype and rank.
expectTypeOf(tf.constant(1)).toEqualTypeOf<Tensor<'float32', 0>>();
expectTypeOf(tf.constant(1n)).toEqualTypeOf<Tensor<'int64', 0>>();
expectTypeOf(tf.constant(true)).toEqualTypeOf<Tensor<'bool', 0>>();
expectTypeOf(tf.constant([1, 2])).toEqualTypeOf<Tensor<'float32', 1>>();
expectTypeOf(tf.constant([[1, 2]])).toEqualTypeOf<Tensor<'float32', 2>>();
expectTypeOf(tf.constant([[[1]]])).toEqualTypeOf<Tensor<'float32', 3>>();
expectTypeOf(tf.constant([[1n], [2n]])).toEqualTypeOf<Tensor<'int64', 2>>();
expectTypeOf(tf.constant([true])).toEqualTypeOf<Tensor<'bool', 1>>();
expectTypeOf(tf.constant([])).toEqualTypeOf<Tensor<'float32', 1>>();

expectTypeOf(tf.constant('a')).toEqualTypeOf<Tensor<'string', 0>>();
expectTypeOf(tf.constant([['a'], ['b']])).toEqualTypeOf<Tensor<'string', 2>>();
expectTypeOf(tf.constant({ re: 1, im: 2 })).toEqualTypeOf<Tensor<'complex128', 0>>();
expectTypeOf(tf.constant([{ re: 1, im: 2 }])).toEqualTypeOf<Tensor<'complex128', 1>>();
// The bytes of one string, and of several.
expectTypeOf(tf.constant(Buffer.from('a'), { dtype: 'string' })).toEqualTypeOf<
  Tensor<'string', 0>
>();
expectTypeOf(tf.constant([new Uint8Array(1), 'b'], { dtype: 'string' })).toEqualTypeOf<
  Tensor<'string', 1>
>();
expectTypeOf(tf.constant('a', { dtype: 'string', shape: [2, 3] })).toEqualTypeOf<
  Tensor<'string', 2>
>();

// Values whose type was written down elsewhere.
declare const rows: number[][];
declare const big: readonly bigint[];
declare const flag: boolean;
expectTypeOf(tf.constant(rows)).toEqualTypeOf<Tensor<'float32', 2>>();
expectTypeOf(tf.constant(big)).toEqualTypeOf<Tensor<'int64', 1>>();
expectTypeOf(tf.constant(flag)).toEqualTypeOf<Tensor<'bool', 0>>();

// Typed arrays say their dtype.
expectTypeOf(tf.constant(new Float32Array(2))).toEqualTypeOf<Tensor<'float32', 1>>();
expectTypeOf(tf.constant(new Float64Array(2))).toEqualTypeOf<Tensor<'float64', 1>>();
expectTypeOf(tf.constant(new BigInt64Array(2))).toEqualTypeOf<Tensor<'int64', 1>>();
expectTypeOf(tf.constant(new BigUint64Array(2))).toEqualTypeOf<Tensor<'uint64', 1>>();
expectTypeOf(tf.constant(new Int32Array(2))).toEqualTypeOf<Tensor<'int32', 1>>();
expectTypeOf(tf.constant(new Uint32Array(2))).toEqualTypeOf<Tensor<'uint32', 1>>();
expectTypeOf(tf.constant(new Int16Array(2))).toEqualTypeOf<Tensor<'int16', 1>>();
expectTypeOf(tf.constant(new Uint16Array(2))).toEqualTypeOf<Tensor<'uint16', 1>>();
expectTypeOf(tf.constant(new Int8Array(2))).toEqualTypeOf<Tensor<'int8', 1>>();
expectTypeOf(tf.constant(new Uint8Array(2))).toEqualTypeOf<Tensor<'uint8', 1>>();
expectTypeOf(tf.constant(new Uint8ClampedArray(2))).toEqualTypeOf<Tensor<'uint8', 1>>();
expectTypeOf(tf.constant(Buffer.from('a'))).toEqualTypeOf<Tensor<'uint8', 1>>();

// Options win over values.
expectTypeOf(tf.constant([1, 2], { dtype: 'int32' })).toEqualTypeOf<Tensor<'int32', 1>>();
expectTypeOf(tf.constant(new Float32Array(6), { shape: [2, 3] })).toEqualTypeOf<
  Tensor<'float32', 2>
>();
expectTypeOf(tf.constant(0, { dtype: 'int64', shape: [2, 3, 4] })).toEqualTypeOf<
  Tensor<'int64', 3>
>();
expectTypeOf(tf.constant(0, { shape: [] })).toEqualTypeOf<Tensor<'float32', 0>>();
declare const shape: number[];
expectTypeOf(tf.constant(0, { shape })).toEqualTypeOf<Tensor<'float32', number>>();

// @ts-expect-error -- no such dtype
tf.constant([1], { dtype: 'half' });
// @ts-expect-error -- no such option
tf.constant([1], { name: 'x' });
// @ts-expect-error -- a tensor is no value
tf.constant(tf.constant(1));

// A tensor of some dtype and rank is a tensor; the other way round is not said.
expectTypeOf<Tensor<'float32', 2>>().toExtend<Tensor>();
expectTypeOf<Tensor<'float32', 2>>().toExtend<Tensor<'float32'>>();
expectTypeOf<Tensor>().not.toExtend<Tensor<'float32', 2>>();
expectTypeOf<Tensor<'float32', 1>>().not.toExtend<Tensor<'float32', 2>>();
expectTypeOf<Tensor<'int64', 2>>().not.toExtend<Tensor<'float32', 2>>();

// The annotations are names of tensor types.
expectTypeOf<TensorF32Cpu1D>().toEqualTypeOf<Tensor<'float32', 1>>();
expectTypeOf<TensorF32Cpu2D>().toEqualTypeOf<Tensor<'float32', 2>>();
expectTypeOf<TensorI64Cpu1D>().toEqualTypeOf<Tensor<'int64', 1>>();

// Reading back.
declare const f32: Tensor<'float32', 2>;
declare const i64: Tensor<'int64', 1>;
declare const bool: Tensor<'bool', 0>;
declare const any: Tensor;
expectTypeOf(f32.dataSync()).toEqualTypeOf<Float32Array>();
expectTypeOf(i64.dataSync()).toEqualTypeOf<BigInt64Array>();
expectTypeOf(i64.dataSync({ int64: 'number' })).toEqualTypeOf<number[]>();
expectTypeOf(f32.dataSync({ int64: 'number' })).toEqualTypeOf<Float32Array>();
expectTypeOf(bool.dataSync()).toEqualTypeOf<Uint8Array>();
expectTypeOf(f32.data()).toEqualTypeOf<Promise<Float32Array>>();
expectTypeOf(i64.data({ int64: 'number' })).toEqualTypeOf<Promise<number[]>>();
expectTypeOf(f32.arraySync()).toEqualTypeOf<number[][]>();
expectTypeOf(i64.arraySync()).toEqualTypeOf<bigint[]>();
expectTypeOf(i64.arraySync({ int64: 'number' })).toEqualTypeOf<number[]>();
expectTypeOf(bool.arraySync()).toEqualTypeOf<boolean>();
declare const half: Tensor<'float16', 1>;
declare const complex: Tensor<'complex64', 1>;
declare const text: Tensor<'string', 1>;
declare const resource: Tensor<'resource', 0>;
declare const options: ReadOptions;
expectTypeOf(half.dataSync()).toEqualTypeOf<Float32Array>();
expectTypeOf(half.dataSync({ float16: 'bits' })).toEqualTypeOf<Uint16Array>();
expectTypeOf(half.arraySync()).toEqualTypeOf<number[]>();
expectTypeOf(complex.dataSync({ copy: false })).toEqualTypeOf<Float32Array>();
expectTypeOf(complex.arraySync()).toEqualTypeOf<Complex[]>();
expectTypeOf(text.dataSync()).toEqualTypeOf<string[]>();
expectTypeOf(text.dataSync({ string: 'bytes' })).toEqualTypeOf<Uint8Array[]>();
expectTypeOf(text.arraySync({ string: 'bytes' })).toEqualTypeOf<Uint8Array[]>();
expectTypeOf(resource.dataSync()).toEqualTypeOf<never>();
expectTypeOf(f32.readInto(new Float32Array(2))).toExtend<Float32Array>();
expectTypeOf(half.readInto(new Uint16Array(2))).toExtend<Uint16Array>();
// @ts-expect-error -- another class
f32.readInto(new Float64Array(2));
// @ts-expect-error -- strings have no bytes to copy
text.readInto(new Uint8Array(2));
expectTypeOf(i64.dataSync(options)).toEqualTypeOf<BigInt64Array | number[]>();
expectTypeOf(text.data({ int64: 'number' })).toEqualTypeOf<Promise<string[]>>();
// @ts-expect-error -- no such form
half.dataSync({ float16: 'half' });
// @ts-expect-error -- no such option
half.dataSync({ bits: true });
expectTypeOf(f32.rank).toEqualTypeOf<2>();
expectTypeOf(f32.dtype).toEqualTypeOf<'float32'>();
expectTypeOf(any.shape).toEqualTypeOf<readonly number[]>();
// @ts-expect-error -- shapes are read only
any.shape[0] = 1;
// @ts-expect-error -- dtypes are read only
any.dtype = 'int64';

// Scopes answer what their function answers.
expectTypeOf(scope(() => f32)).toEqualTypeOf<Tensor<'float32', 2>>();
expectTypeOf(scope(() => ({ f32, n: 1 }))).toEqualTypeOf<{ f32: typeof f32; n: number }>();
expectTypeOf(scopeAsync(() => Promise.resolve(f32))).toEqualTypeOf<Promise<Tensor<'float32', 2>>>();
expectTypeOf(keep(f32)).toEqualTypeOf<Tensor<'float32', 2>>();

// isTensor narrows.
declare const unknown: unknown;
if (isTensor(unknown)) expectTypeOf(unknown).toEqualTypeOf<Tensor>();

// The dtype comes from the values, never from where the tensor goes.
// @ts-expect-error -- bigints are int64
const mistyped: Tensor<'float32', 1> = tf.constant([1n]);
void mistyped;
// @ts-expect-error -- dtypes do not mix
tf.add(tf.constant([1]), tf.constant([1n]));
