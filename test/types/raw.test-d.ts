/** What the types of `raw` and `execute` promise; compiled by `npm run types`, never run. */
import { expectTypeOf } from 'expect-type';
import { execute, raw, type Tensor } from 'tfe-node';

declare const f: Tensor<'float32', 2>;
declare const i: Tensor<'int32', 1>;

expectTypeOf(raw.AddV2(f, f)).toEqualTypeOf<Tensor<'float32'>>();
expectTypeOf(raw.Cast(f, { DstT: 'int64' })).toEqualTypeOf<Tensor<'int64'>>();
expectTypeOf(raw.ArgMax(f, i)).toEqualTypeOf<Tensor<'int64'>>(); // the default of output_type
expectTypeOf(raw.ArgMax(f, i, { output_type: 'int32' })).toEqualTypeOf<Tensor<'int32'>>();
expectTypeOf(raw.Unpack(f, { num: 2 })).toEqualTypeOf<Tensor<'float32'>[]>();
expectTypeOf(raw.TopKV2(f, i)).toEqualTypeOf<[Tensor<'float32'>, Tensor<'int32'>]>();
expectTypeOf(raw.NoOp()).toEqualTypeOf<null>();
expectTypeOf(raw.Pack([f, f], { axis: 1 })).toEqualTypeOf<Tensor<'float32'>>();
expectTypeOf(execute('AddV2', { inputs: [f, f] })).toEqualTypeOf<Tensor[]>();

// @ts-expect-error two dtypes
raw.AddV2(f, i);
// @ts-expect-error an input too few
raw.AddV2(f);
// @ts-expect-error a dtype that TensorFlow does not allow
raw.Tanh(i);
// @ts-expect-error an attribute without a default
raw.Cast(f);
// @ts-expect-error a value that is not allowed
raw.Conv2D(f, f, { strides: [1, 1, 1, 1], padding: 'same' });
// @ts-expect-error an attribute that the op does not have
raw.Relu(f, { alpha: 1 });
