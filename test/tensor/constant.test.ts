/** tf.constant: which values make which tensor, and which are refused. Expected values are what was put in. */
import { createContext, runInContext } from 'node:vm';
import { describe, expect, test } from '@jest/globals';
import { scope, tf, type ConstantValues, type DType } from '../../lib';
import { DTYPES, newCarrier, PLAIN_DTYPES } from '../../lib/tensor/dtype';
import { codeOf, expectNoTensorsLeft, thrownBy } from './accounting';

expectNoTensorsLeft();

/** What a constant is, read back at once. */
function made(values: unknown, options?: { dtype?: DType; shape?: readonly number[] }) {
  return scope(() => {
    const tensor = tf.constant(values as ConstantValues, options);
    const { dtype, shape, rank, size } = tensor;
    return { dtype, shape: [...shape], rank, size, data: tensor.dataSync() };
  });
}

function refusal(values: unknown, options?: unknown): string {
  return codeOf(() => tf.constant(values as ConstantValues, options as undefined));
}

describe('numbers', () => {
  test('become float32', () => {
    expect(made([1, 2.5, -3])).toMatchObject({
      dtype: 'float32',
      data: new Float32Array([1, 2.5, -3]),
    });
  });

  test('keep NaN, the infinities and -0', () => {
    const { data } = made([NaN, Infinity, -Infinity, -0]);
    expect([...data]).toEqual([NaN, Infinity, -Infinity, -0]);
  });

  test('are rounded to the nearest float32', () => {
    expect([...made([0.1]).data]).toEqual([Math.fround(0.1)]);
  });

  test('stay float64 with dtype float64', () => {
    expect([...made([0.1], { dtype: 'float64' }).data]).toEqual([0.1]);
  });
});

describe('other scalars', () => {
  test('bigints become int64', () => {
    expect(made([1n, -(2n ** 63n), 2n ** 63n - 1n])).toMatchObject({
      dtype: 'int64',
      data: new BigInt64Array([1n, -(2n ** 63n), 2n ** 63n - 1n]),
    });
  });

  test('booleans become bool', () => {
    expect(made([true, false])).toMatchObject({ dtype: 'bool', data: new Uint8Array([1, 0]) });
  });
});

describe('shape', () => {
  test('a bare value has rank 0', () => {
    expect(made(7)).toMatchObject({ shape: [], rank: 0, size: 1 });
  });

  test('nested arrays give one dimension per level', () => {
    expect(made([[[1, 2, 3], [4, 5, 6]]])).toMatchObject({ shape: [1, 2, 3], rank: 3, size: 6 }); // prettier-ignore
  });

  test('values fill the given shape in row-major order', () => {
    const rows = scope(() => tf.constant([1, 2, 3, 4, 5, 6], { shape: [3, 2] }).arraySync());
    expect(rows).toEqual([[1, 2], [3, 4], [5, 6]]); // prettier-ignore
  });

  test('nested values may be given another shape of as many elements', () => {
    expect(made([[1, 2], [3, 4]], { shape: [4] })).toMatchObject({ shape: [4] }); // prettier-ignore
  });

  test.each(PLAIN_DTYPES.filter((dtype) => DTYPES[dtype].kind !== 'complex'))(
    'one value of dtype %s fills the whole shape',
    (dtype) => {
      const value = dtype === 'bool' ? true : DTYPES[dtype].kind === 'bigint' ? 3n : 3;
      const { data } = made(value, { dtype, shape: [2, 2] });
      const carrier = DTYPES[dtype].kind === 'half' ? new Float32Array(4) : newCarrier(dtype, 4);
      expect(data).toEqual(carrier.fill((dtype === 'bool' ? 1 : value) as never));
    },
  );

  test.each(['complex64', 'complex128'] as const)('one value of %s fills it, too', (dtype) => {
    const { data } = made({ re: 1, im: -2 }, { dtype, shape: [2] });
    expect([...data]).toEqual([1, -2, 1, -2]);
  });

  test('one text fills it, too', () => {
    expect(made('ab', { shape: [3] }).data).toEqual(['ab', 'ab', 'ab']);
    expect(made('ab', { shape: [0] }).data).toEqual([]);
  });

  test('nothing at all is an empty float32 vector, as in Python', () => {
    expect(made([])).toMatchObject({ dtype: 'float32', shape: [0], size: 0 });
  });

  test('empty arrays count as dimensions', () => {
    expect(made([[], []])).toMatchObject({ shape: [2, 0], size: 0 });
  });

  test('nothing fits a shape with a dimension of 0', () => {
    expect(made([], { shape: [3, 0, 2] })).toMatchObject({ shape: [3, 0, 2], size: 0 });
  });

  test('one value fills an empty shape with nothing', () => {
    expect(made(1, { shape: [0, 2] })).toMatchObject({ shape: [0, 2], size: 0 });
  });

  test('has up to 254 dimensions, the most that TensorFlow has', () => {
    expect(made(1, { shape: new Array<number>(254).fill(1) })).toMatchObject({ rank: 254 });
  });

  test('is not the array that was given', () => {
    const shape = [2];
    scope(() => {
      const tensor = tf.constant([1, 2], { shape });
      shape[0] = 5;
      expect(tensor.shape).toEqual([2]);
    });
  });

  test('is frozen', () => {
    scope(() => {
      expect(Object.isFrozen(tf.constant([1, 2]).shape)).toBe(true);
    });
  });
});

describe('typed arrays', () => {
  const CARRIED: readonly (readonly [DType, ConstantValues])[] = [
    ['float32', new Float32Array([1.5, -2])],
    ['float64', new Float64Array([0.1, -2])],
    ['int8', new Int8Array([-128, 127])],
    ['int16', new Int16Array([-32768, 32767])],
    ['int32', new Int32Array([-(2 ** 31), 2 ** 31 - 1])],
    ['int64', new BigInt64Array([-(2n ** 63n), 1n])],
    ['uint8', new Uint8Array([0, 255])],
    ['uint16', new Uint16Array([0, 65535])],
    ['uint32', new Uint32Array([0, 2 ** 32 - 1])],
    ['uint64', new BigUint64Array([0n, 2n ** 64n - 1n])],
  ];

  test.each(CARRIED)('of %s keep their dtype and values', (dtype, values) => {
    expect(made(values)).toMatchObject({ dtype, shape: [2], data: values });
  });

  test('of bytes carry bool when asked to', () => {
    expect(made(new Uint8Array([1, 0]), { dtype: 'bool' })).toMatchObject({ dtype: 'bool' });
  });

  test('a Buffer has the bytes of uint8', () => {
    const { dtype, data } = made(Buffer.from([7, 8, 255]));
    expect(dtype).toBe('uint8');
    expect([...data]).toEqual([7, 8, 255]);
  });

  test('a Uint8ClampedArray has the bytes of uint8', () => {
    const { dtype, data } = made(new Uint8ClampedArray([300, 8]));
    expect(dtype).toBe('uint8');
    expect([...data]).toEqual([255, 8]);
  });

  test('a view gives its own part of the buffer', () => {
    const whole = new Float32Array([0, 1, 2, 3, 4]);
    expect([...made(whole.subarray(1, 4)).data]).toEqual([1, 2, 3]);
  });

  test('a view at an odd byte offset gives its own bytes', () => {
    const bytes = new Uint8Array([9, 1, 2, 3]);
    expect([...made(new Uint8Array(bytes.buffer, 1, 2)).data]).toEqual([1, 2]);
  });

  test('over shared memory are copied like others', () => {
    const shared = new Int32Array(new SharedArrayBuffer(8));
    shared.set([5, 6]);
    expect([...made(shared).data]).toEqual([5, 6]);
  });

  test('are converted to another dtype that holds every value', () => {
    expect(made(new Float32Array([1, -2]), { dtype: 'int8' })).toMatchObject({
      data: new Int8Array([1, -2]),
    });
    expect(made(new Int32Array([1, -2]), { dtype: 'int64' })).toMatchObject({
      data: new BigInt64Array([1n, -2n]),
    });
    expect(made(new BigInt64Array([1n]), { dtype: 'uint8' })).toMatchObject({
      data: new Uint8Array([1]),
    });
  });

  test('fill a shape of as many elements', () => {
    expect(made(new Float32Array(6), { shape: [2, 3] })).toMatchObject({ shape: [2, 3] });
  });
});

describe('values of another realm', () => {
  const realm = createContext({});

  test('are recognised as typed arrays', () => {
    const foreign: unknown = runInContext('new Float64Array([1, 2])', realm);
    expect(foreign instanceof Float64Array).toBe(false);
    const { dtype, data } = made(foreign);
    expect(dtype).toBe('float64');
    expect([...data]).toEqual([1, 2]);
  });

  test('are recognised as nested arrays', () => {
    expect(made(runInContext('[[1, 2], [3, 4]]', realm))).toMatchObject({ shape: [2, 2] });
  });
});

describe('the data', () => {
  test('is a copy: a typed array that changes later changes no tensor', () => {
    scope(() => {
      const values = new Float32Array([1, 2]);
      const tensor = tf.constant(values);
      values[0] = 99;
      expect([...tensor.dataSync()]).toEqual([1, 2]);
    });
  });

  test('is a copy: an array that changes later changes no tensor', () => {
    scope(() => {
      const values = [1, 2];
      const tensor = tf.constant(values);
      values[0] = 99;
      expect([...tensor.dataSync()]).toEqual([1, 2]);
    });
  });
});

describe('what is refused', () => {
  const cyclic: unknown[] = [];
  cyclic.push(cyclic);

  test.each([
    ['null', null],
    ['undefined', undefined],
    ['an object', {}],
    ['a function', () => 1],
    ['a symbol', Symbol('s')],
    ['a Date', new Date(0)],
    ['a DataView', new DataView(new ArrayBuffer(4))],
    ['an ArrayBuffer', new ArrayBuffer(4)],
    ['a Map', new Map()],
    ['a hole in an array', [1, , 2]], // eslint-disable-line no-sparse-arrays
    ['typed arrays in an array', [new Float32Array(2)]],
    ['an array that contains itself', cyclic],
    ['a look-alike of a typed array', { length: 1, 0: 1, BYTES_PER_ELEMENT: 4 }],
  ])('%s is not values', (_, values) => {
    expect(refusal(values)).toBe('TFE_VALUES_TYPE');
  });

  test('a tensor is not values, and the message says so', () => {
    using tensor = tf.constant(1);
    const error = thrownBy(() => tf.constant([tensor] as never));
    expect(error.code).toBe('TFE_VALUES_TYPE');
    expect(error.message).toContain('values[0] but received a Tensor');
  });

  test('a missing operand is told of as one, undefined among values is not', () => {
    const add = tf.add as (...values: unknown[]) => unknown;
    const missing = 'The call has fewer arguments than it needs.';
    expect(thrownBy(() => add([1])).message).toContain(missing);
    expect(thrownBy(() => add([1], [undefined])).message).not.toContain(missing);
  });

  test.each([
    ['tf.add', tf.add, 'x', 'y'],
    ['tf.divide', tf.divide, 'x', 'y'],
    ['tf.cos', tf.cos, 'x', null],
    ['tf.cast', tf.cast, 'x', null],
    ['tf.matmul', tf.matmul, 'a', 'b'],
    ['tf.argmax', tf.argmax, 'input', null],
    ['tf.nn.relu', tf.nn.relu, 'features', null],
    ['tf.nn.softmax', tf.nn.softmax, 'logits', null],
    ['tf.nn.bias_add', tf.nn.bias_add, 'value', 'bias'],
    ['tf.addAsync', tf.addAsync, 'x', 'y'],
    ['tf.cosAsync', tf.cosAsync, 'x', null],
    ['tf.castAsync', tf.castAsync, 'x', null],
    ['tf.matmulAsync', tf.matmulAsync, 'a', 'b'],
    ['tf.argmaxAsync', tf.argmaxAsync, 'input', null],
    ['tf.nn.softmaxAsync', tf.nn.softmaxAsync, 'logits', null],
    ['tf.nn.bias_addAsync', tf.nn.bias_addAsync, 'value', 'bias'],
  ])('%s names the operand that is wrong', async (label, call, first, second) => {
    const use = call as (...values: unknown[]) => unknown;
    const refused = async (...values: unknown[]): Promise<string> => {
      // Those that cast know no default dtype.
      const given = label.startsWith('tf.cast') ? [values[0], 'int32'] : values;
      try {
        await use(...given);
      } catch (error) {
        return (error as Error).message;
      }
      return 'nothing was thrown';
    };
    expect(await refused()).toContain(`for ${first} but received undefined`);
    expect(await refused([[1], [null]])).toContain(`for ${first}[1][0] but received null`);
    expect(await refused([[1], [2, 3]])).toContain(`at ${first}[1] but received an array of 2`);
    if (second === null) return;
    expect(await refused([[1]])).toContain(`for ${second} but received undefined`);
    expect(await refused([[1]], [null])).toContain(`for ${second}[0] but received null`);
  });

  test.each([
    ['rows of unequal length', [[1, 2], [3]]],
    ['a value beside a row', [[1], 2]],
    ['a row beside a value', [1, [2]]],
    ['a deeper row', [[1], [[2]]]],
    ['a row beside an empty one', [[], [1]]],
  ])('%s are ragged', (_, values) => {
    expect(refusal(values)).toBe('TFE_VALUES_RAGGED');
  });

  test('the message says where the arrays are ragged', () => {
    const error = thrownBy(() => tf.constant([[1, 2], [3]] as never));
    expect(error.message).toContain(
      'expected an array of 2 at values[1] but received an array of 1',
    );
  });

  const MISFITS: readonly (readonly [DType, unknown])[] = [
    ['int8', 128],
    ['int8', -129],
    ['uint8', 256],
    ['uint8', -1],
    ['int16', 32768],
    ['uint16', 65536],
    ['int32', 2 ** 31],
    ['uint32', 2 ** 32],
    ['int64', 2n ** 63n],
    ['int64', -(2n ** 63n) - 1n],
    ['uint64', -1n],
    ['uint64', 2n ** 64n],
    ['int64', 2 ** 53],
    ['int32', 1.5],
    ['int64', 1.5],
    ['int32', NaN],
    ['int64', NaN],
    ['int32', Infinity],
    ['int64', -Infinity],
    ['int32', true],
    ['int64', true],
    ['float32', 1n],
    ['float64', true],
    ['bool', 1],
    ['bool', 0n],
    ['float32', '1'],
    ['float16', 1n],
    ['complex64', 1n],
    ['complex64', '1'],
    ['string', 1],
    ['string', true],
  ];
  test.each(MISFITS)('%s does not hold %p', (dtype, value) => {
    expect(refusal([value], { dtype })).toBe('TFE_VALUE_DOES_NOT_FIT');
  });

  test('a byte other than 0 and 1 is no bool', () => {
    expect(refusal(new Uint8Array([1, 2]), { dtype: 'bool' })).toBe('TFE_VALUE_DOES_NOT_FIT');
  });

  test('a typed array is held against the asked dtype value by value', () => {
    const error = thrownBy(() => tf.constant(new Float32Array([1, 2.5]), { dtype: 'int32' }));
    expect(error.facts).toEqual({ value: '2.5', index: 1, dtype: 'int32' });
  });

  test.each([
    ['numbers and bigints', [1, 1n]],
    ['numbers and booleans', [1, true]],
    ['bigints and booleans', [1n, false]],
    ['numbers and texts', [1, 'x']],
    ['texts and numbers', ['x', 1]],
    ['complex numbers and bigints', [{ re: 1, im: 1 }, 1n]],
  ])('%s do not mix', (_, values) => {
    expect(refusal(values)).toBe('TFE_VALUE_DOES_NOT_FIT');
  });

  test.each([
    ['a number', 3],
    ['text', '23'],
    ['null', null],
    ['a negative dimension', [-1]],
    ['a fraction', [1.5]],
    ['NaN', [NaN]],
    ['an infinite dimension', [Infinity]],
    ['a hole', [, 2]], // eslint-disable-line no-sparse-arrays
    ['a bigint', [2n]],
    ['a dimension beyond 2^53', [2 ** 53]],
    ['dimensions whose product is beyond 2^53, with a 0 among them', [2 ** 40, 0, 2 ** 52]],
    ['more elements than there are numbers', [2 ** 30, 2 ** 30, 2 ** 30]],
    ['255 dimensions', new Array<number>(255).fill(1)],
  ])('%s is no shape', (_, shape) => {
    expect(refusal([1], { shape })).toBe('TFE_SHAPE_INVALID');
  });

  test.each([
    ['too few values', [1, 2], [3]],
    ['too many values', [1, 2, 3], [2]],
    ['several values for rank 0', [1, 2], []],
    ['no values for a shape with elements', [], [2]],
    ['values for a shape without elements', [1, 2], [0]],
  ])('%s do not fit the shape', (_, values, shape) => {
    expect(refusal(values, { shape })).toBe('TFE_SHAPE_MISMATCH');
  });

  test('a shape that no memory holds is refused by its bytes', () => {
    const error = thrownBy(() => tf.constant(1, { shape: [2 ** 40] }));
    expect(error.code).toBe('TFE_TENSOR_ALLOCATION');
    expect(error.facts).toEqual({ bytes: String(2 ** 42) });
  });

  test.each(['half', 'Float32', '', 1, null])('%p is no dtype', (dtype) => {
    expect(refusal([1], { dtype })).toBe('TFE_DTYPE_UNKNOWN');
  });

  test('an option that does not exist is named', () => {
    const error = thrownBy(() => tf.constant([1], { dtyp: 'int32' } as never));
    expect(error.code).toBe('TFE_OPTION_UNKNOWN');
    expect(error.message).toBe('tf.constant has no option dtyp. Its options are dtype, shape.');
  });

  // Python takes the dtype as its second argument; here it is an option.
  test.each([
    ['a dtype', 'int32'],
    ['an array', [2]],
    ['null', null],
  ])('%s is not options', (_, options) => {
    // prettier-ignore
    expect(refusal([1], options)).toBe('TFE_OPTION_VALUE');
  });
});

describe('values that are not what they seem', () => {
  test('nest to more entries than arrays can hold', () => {
    let shared: unknown = [1];
    for (let level = 0; level < 40; level++) shared = [shared, shared];
    expect(refusal(shared)).toBe('TFE_ARRAYS_TOO_LARGE');
    expect(refusal(new Proxy([], { get: (_, key) => (key === 'length' ? 2 ** 40 : 1) }))).toBe(
      'TFE_ARRAYS_TOO_LARGE',
    );
  });

  test.each([-1, NaN, 1.5, 'x', 2n, Symbol('length')])('have the length %p', (length) => {
    const odd = new Proxy([], { get: (_, key) => (key === 'length' ? length : 1) });
    expect(refusal(odd)).toBe('TFE_VALUES_TYPE');
  });

  test('are a typed array that has lost its memory', () => {
    const detached = new Float32Array(4);
    structuredClone(detached.buffer, { transfer: [detached.buffer] });
    expect(refusal(detached)).toBe('TFE_VALUES_TYPE');
    expect(made(new Float32Array(0)).shape).toEqual([0]);
    const bytes = new Uint8Array(4);
    structuredClone(bytes.buffer, { transfer: [bytes.buffer] });
    expect(refusal(bytes, { dtype: 'string' })).toBe('TFE_VALUES_TYPE');
    expect(refusal([[bytes]], { dtype: 'string' })).toBe('TFE_VALUES_TYPE');
  });

  test.each([-1, 10])('are a typed array that pretends to have the length %d', (length) => {
    class Odd extends Float32Array {
      override get length(): number {
        return length;
      }
    }
    expect(made(new Odd(2)).shape).toEqual([2]);
    expect(made(new Odd(2), { dtype: 'float64' }).shape).toEqual([2]);
    expect(made(new Odd(2), { dtype: 'float16' }).shape).toEqual([2]);
    expect(made(new Odd(2), { dtype: 'complex64' }).shape).toEqual([1]);
    expect(made(new Odd(2), { dtype: 'complex128' }).shape).toEqual([1]);
  });

  test('cannot be shown', () => {
    const shy = {
      get [Symbol.toStringTag](): string {
        throw new Error('shy');
      },
    };
    expect(refusal(shy)).toBe('TFE_VALUES_TYPE');
  });
});

describe('a complex number that changes while it is read', () => {
  test('counts as it was first', () => {
    let asked = 0;
    const odd = {
      get re(): number {
        asked += 1;
        tf.constant(0, { shape: [7, 7, 7] }).dispose();
        return asked === 1 ? 3 : ('nothing' as unknown as number);
      },
      im: 4,
    };
    expect([...made([odd]).data]).toEqual([3, 4]);
  });
});

describe('options that change while they are read', () => {
  test('count as they were first', () => {
    let reads = 0;
    const shape = [2, 3];
    Object.defineProperty(shape, 1, {
      get() {
        reads += 1;
        tf.constant(0, { shape: [7, 7, 7] }).dispose();
        return reads === 1 ? 3 : -5;
      },
    });
    expect(made(new Float32Array(6), { shape }).shape).toEqual([2, 3]);
    let asked = 0;
    const options = {
      get dtype(): DType {
        asked += 1;
        return asked === 1 ? 'int32' : ('nothing' as DType);
      },
    };
    expect(made([1], options).dtype).toBe('int32');
  });
});
