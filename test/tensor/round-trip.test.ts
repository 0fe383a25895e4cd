/** Every dtype there and back: by a walk over the dtype table, and by any bytes at all. */
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { scope, tf, type Tensor } from '../../lib';
import {
  DTYPE_NAMES,
  DTYPES,
  newCarrier,
  PLAIN_DTYPES,
  type PlainDType,
  type TypedArray,
} from '../../lib/tensor/dtype';
import { Kernel } from '../../lib/tensor/kernel';
import { decode, ORACLE_DTYPES } from '../helpers/oracle';
import { opaqueTensor } from '../helpers/opaque';
import { codeOf, expectNoTensorsLeft } from './accounting';

expectNoTensorsLeft();

const IDENTITY = new Kernel({ label: 'test', name: 'Identity', inputs: 1 });

const bytesOf = (data: TypedArray): number[] => [
  ...new Uint8Array(data.buffer, data.byteOffset, data.byteLength),
];

/** The bytes of a tensor, whatever its dtype makes of them. */
const held = (tensor: Tensor): number[] =>
  bytesOf(tensor.dataSync({ float16: 'bits' }) as TypedArray);

/** A carrier over any bytes; a bool is 0 or 1. */
function carrierOf(dtype: PlainDType, bytes: Uint8Array): TypedArray {
  const carrier = newCarrier(dtype, Math.floor(bytes.length / DTYPES[dtype].bytes));
  const target = new Uint8Array(carrier.buffer);
  target.set(dtype === 'bool' ? bytes.map((byte) => byte & 1) : bytes.subarray(0, target.length));
  return carrier;
}

describe.each(PLAIN_DTYPES)('%s', (dtype) => {
  test('keeps any bytes: signs of zero, kinds of NaN, extremes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 80 }), (bytes) => {
        scope(() => {
          const carrier = carrierOf(dtype, bytes);
          const size = carrier.byteLength / DTYPES[dtype].bytes;
          const tensor = tf.constant(carrier, { dtype });
          expect(tensor.shape).toEqual([size]);
          expect(held(tensor)).toEqual(bytesOf(carrier));
          expect(held(IDENTITY.run1(tensor))).toEqual(bytesOf(carrier));
        });
      }),
    );
  });

  test('may have rank 0, be empty, and have empty dimensions', () => {
    scope(() => {
      const one = carrierOf(dtype, new Uint8Array(DTYPES[dtype].bytes).fill(1));
      const scalar = tf.constant(one, { dtype, shape: [] });
      expect(scalar.rank).toBe(0);
      expect(held(scalar)).toEqual(bytesOf(one));
      const empty = tf.constant([], { dtype });
      expect([empty.shape, held(empty)]).toEqual([[0], []]);
      const nothing = tf.constant(newCarrier(dtype, 0), { dtype, shape: [2, 0] });
      expect(nothing.arraySync()).toEqual([[], []]);
    });
  });

  test('is copied, never aliased', () => {
    scope(() => {
      const carrier = newCarrier(dtype, 1 << 14);
      const before = tf.constant(carrier, { dtype });
      (carrier as Uint8Array).fill((DTYPES[dtype].kind === 'bigint' ? 1n : 1) as number);
      expect(held(before).every((byte) => byte === 0)).toBe(true);
    });
  });

  test('can be written down again from what arraySync answers', () => {
    scope(() => {
      const tensor = tf.cast(tf.constant([[0, 1], [1, 0]]), dtype); // prettier-ignore
      const again = tf.constant(tensor.arraySync() as never, { dtype });
      expect(held(again)).toEqual(held(tensor));
    });
  });
});

test('every dtype of the table is tried here or is opaque or string', () => {
  const others = DTYPE_NAMES.filter(
    (dtype) => !(PLAIN_DTYPES as readonly string[]).includes(dtype),
  );
  expect(others).toEqual(['string', 'resource', 'variant']);
});

describe('16-bit floats', () => {
  test.each(['float16', 'bfloat16'] as const)(
    'all %s bits are widened exactly, and narrowed to themselves',
    (dtype) => {
      scope(() => {
        const bits = Uint16Array.from({ length: 1 << 16 }, (_, i) => i);
        const tensor = tf.constant(bits, { dtype });
        const values = tensor.dataSync();
        const again = tf.constant(values, { dtype }).dataSync({ float16: 'bits' });
        for (let i = 0; i < bits.length; i++) {
          // A NaN stays one, with its sign; which one is not said.
          if (Number.isNaN(values[i])) expect(again[i]! & 0x8000).toBe(i & 0x8000);
          else if (again[i] !== i) throw new Error(`${i} became ${again[i]}`);
        }
        expect(
          tf
            .constant(again, { dtype })
            .dataSync()
            .map(Number.isNaN as never),
        ).toEqual(values.map(Number.isNaN as never));
      });
    },
  );

  test.each(ORACLE_DTYPES.widened)(
    "all $dtype values are TensorFlow's",
    async ({ dtype, sha256 }) => {
      const { createHash } = await import('node:crypto');
      const values = scope(() =>
        tf
          .constant(
            Uint16Array.from({ length: 1 << 16 }, (_, i) => i),
            { dtype },
          )
          .dataSync(),
      );
      const numbers = values.filter((value) => !Number.isNaN(value));
      expect(createHash('sha256').update(numbers).digest('hex')).toBe(sha256);
    },
  );

  test('are not known by a Uint16Array alone', () => {
    scope(() => expect(tf.constant(new Uint16Array(1)).dtype).toBe('uint16'));
  });

  // By hand: 2^-133 is the smallest bfloat16. Python answers 0: TensorFlow flushes denormals on the way.
  test('of a constant keep denormals', () => {
    scope(() => {
      const small = tf.constant([2 ** -133, 1e-40, -(2 ** -134)], { dtype: 'bfloat16' });
      expect([...small.dataSync({ float16: 'bits' })]).toEqual([1, 1, 0x8000]);
    });
  });

  // Node 24 has it.
  const { Float16Array } = globalThis as unknown as {
    Float16Array?: new (values: readonly number[]) => Uint16Array;
  };
  (Float16Array === undefined ? test.skip : test)('are known by a Float16Array', () => {
    scope(() => {
      const halves = tf.constant(new Float16Array!([1, -2, 0.5]));
      expect([halves.dtype, [...halves.dataSync()]]).toEqual(['float16', [1, -2, 0.5]]);
    });
  });

  test('arraySync answers bits on request', () => {
    scope(() => {
      const one = tf.constant(1, { dtype: 'float16' });
      expect([one.arraySync(), one.arraySync({ float16: 'bits' })]).toEqual([1, 0x3c00]);
      expect(tf.constant(1, { dtype: 'bfloat16' }).arraySync({ float16: 'bits' })).toBe(0x3f80);
    });
  });
});

describe('constants of the oracle', () => {
  const cases = ORACLE_DTYPES.constants.map(
    ({ numbers, output }) => [output.dtype, numbers, output] as const,
  );
  test.each(cases)('of %s have the bits that Python gives them', (dtype, numbers, output) => {
    scope(() => {
      const given = decode(numbers) as Float64Array;
      const complex = DTYPES[dtype].kind === 'complex';
      // Once as a typed array, once as written down.
      const nested = complex
        ? Array.from({ length: given.length / 2 }, (_, i) => ({ re: given[2 * i]!, im: given[2 * i + 1]! })) // prettier-ignore
        : [...given];
      const want = bytesOf(decode(output));
      expect(held(tf.constant(given, { dtype }))).toEqual(want);
      expect(held(tf.constant(nested, { dtype }))).toEqual(want);
    });
  });
});

describe('complex numbers', () => {
  test('are complex128 as in Python, and { re, im } again', () => {
    scope(() => {
      const numbers = [[{ re: 1, im: -2 }, { re: 0.5, im: 0 }]]; // prettier-ignore
      const tensor = tf.constant(numbers);
      expect([tensor.dtype, tensor.shape]).toEqual(['complex128', [1, 2]]);
      expect(tensor.arraySync()).toEqual(numbers);
      expect(tensor.dataSync()).toEqual(new Float64Array([1, -2, 0.5, 0]));
      expect(String(tf.constant({ re: 1, im: 2 }))).toContain('{ re: 1, im: 2 }');
    });
  });

  test('are pairs in a typed array, and real where a number stands for one', () => {
    scope(() => {
      const pairs = tf.constant(new Float32Array([1, 2, 3, 4]), { dtype: 'complex64' });
      expect(pairs.arraySync()).toEqual([{ re: 1, im: 2 }, { re: 3, im: 4 }]); // prettier-ignore
      expect([...tf.constant([1, 2], { dtype: 'complex64' }).dataSync()]).toEqual([1, 0, 2, 0]);
    });
  });

  test.each([
    ['half a pair', new Float32Array(3)],
    ['integers', new Int32Array(4)],
  ])('are not made of %s', (_, values) => {
    expect(codeOf(() => tf.constant(values, { dtype: 'complex64' }))).toBe('TFE_VALUES_PAIRS');
  });

  test('are added and multiplied', () => {
    scope(() => {
      const i = tf.constant({ re: 0, im: 1 });
      expect(tf.multiply(i, i).arraySync()).toEqual({ re: -1, im: 0 });
      expect(tf.add(i, { re: 1, im: 1 }).arraySync()).toEqual({ re: 1, im: 2 });
    });
  });
});

describe.each(['resource', 'variant'] as const)('%s', (dtype) => {
  const SIZE = new Kernel({
    label: 'test',
    name: dtype === 'resource' ? 'LookupTableSizeV2' : 'TensorListLength',
    inputs: 1,
  });

  test('is held, given to ops and disposed', () => {
    scope(() => {
      const tensor = opaqueTensor(dtype);
      expect([tensor.dtype, tensor.shape]).toEqual([dtype, []]);
      expect(Number(SIZE.run1(tensor).arraySync())).toBe(0);
      expect(String(tensor)).toBe(`Tensor(opaque, shape=[], dtype=${dtype})`);
      const copy = IDENTITY.run1(tensor);
      tensor.dispose();
      expect(Number(SIZE.run1(copy).arraySync())).toBe(0);
    });
  });

  test('has no values to write or to read', async () => {
    using tensor = opaqueTensor(dtype);
    expect(codeOf(() => tf.constant(1, { dtype }))).toBe('TFE_DTYPE_OPAQUE');
    expect(codeOf(() => tensor.dataSync())).toBe('TFE_DTYPE_OPAQUE');
    expect(codeOf(() => tensor.dataSync({ copy: false }))).toBe('TFE_DTYPE_OPAQUE');
    expect(codeOf(() => tensor.arraySync())).toBe('TFE_DTYPE_OPAQUE');
    await expect(tensor.data()).rejects.toMatchObject({ code: 'TFE_DTYPE_OPAQUE' });
  });
});
