/** Reading tensors back: copies, nesting, int64, text, and operators that throw. */
/* eslint @typescript-eslint/restrict-template-expressions: 'off', @typescript-eslint/restrict-plus-operands: 'off' --
   text and operators are what is tested */
import { constants } from 'node:buffer';
import { inspect } from 'node:util';
import { describe, expect, test } from '@jest/globals';
import { isTensor, scope, Tensor, tf } from '../../lib';
import { DTYPES, newCarrier, PLAIN_DTYPES, type DType } from '../../lib/tensor/dtype';
import { unpackStrings } from '../../lib/tensor/strings';
import { forgedTensor } from '../helpers/forged-tensor';
import { codeOf, expectNoTensorsLeft, thrownBy } from './accounting';

expectNoTensorsLeft();

const UNSAFE = 2n ** 53n;

describe('dataSync', () => {
  test.each(PLAIN_DTYPES)('answers the carrier of %s, with { float16: bits }', (dtype) => {
    scope(() => {
      const carrier = newCarrier(dtype, 2);
      const tensor = tf.constant(carrier, { dtype, shape: [2] });
      expect(tensor.dataSync({ float16: 'bits' })).toEqual(carrier);
    });
  });

  test('answers a copy each time', () => {
    scope(() => {
      const tensor = tf.constant([1, 2]);
      tensor.dataSync()[0] = 99;
      expect([...tensor.dataSync()]).toEqual([1, 2]);
    });
  });

  test('answers an empty array for an empty tensor', () => {
    scope(() => {
      expect(tf.constant([]).dataSync()).toEqual(new Float32Array(0));
    });
  });

  test('answers int64 as numbers on request', () => {
    scope(() => {
      const numbers = tf.constant([1n, 1n - UNSAFE, UNSAFE - 1n]).dataSync({ int64: 'number' });
      expect(JSON.stringify(numbers)).toBe('[1,-9007199254740991,9007199254740991]');
    });
  });

  test('refuses int64 that no Number holds', () => {
    scope(() => {
      const tensor = tf.constant([1n, UNSAFE]);
      expect(codeOf(() => tensor.dataSync({ int64: 'number' }))).toBe('TFE_INT64_UNSAFE');
    });
  });

  test('takes the request for other dtypes too, and changes nothing', () => {
    scope(() => {
      const tensor = tf.constant([0.5]);
      expect(tensor.dataSync({ int64: 'number' })).toEqual(new Float32Array([0.5]));
    });
  });

  test('refuses another request', () => {
    scope(() => {
      const tensor = tf.constant([1n]);
      const options = { int64: 'string' } as unknown as { int64: 'number' };
      expect(codeOf(() => tensor.dataSync(options))).toBe('TFE_OPTION_VALUE');
    });
  });

  test.each([
    ['float16', true, "'number' or 'bits'"],
    ['string', 'utf-8', "'utf8' or 'bytes'"],
    ['copy', 0, 'true or false'],
  ])('says what %s may be', (option, value, expected) => {
    scope(() => {
      const tensor = tf.constant([1]);
      const error = thrownBy(() => tensor.dataSync({ [option]: value }));
      expect(error.code).toBe('TFE_OPTION_VALUE');
      expect(error.facts).toMatchObject({ function: 'dataSync', option, expected });
    });
  });

  test('refuses an option that does not exist, and arraySync one that means nothing to it', () => {
    scope(() => {
      const tensor = tf.constant([1]);
      expect(codeOf(() => tensor.dataSync({ int32: 1 } as never))).toBe('TFE_OPTION_UNKNOWN');
      expect(codeOf(() => tensor.arraySync({ copy: false } as never))).toBe('TFE_OPTION_UNKNOWN');
      for (const wrong of [null, 'bits', [], 1]) {
        expect(codeOf(() => tensor.dataSync(wrong as never))).toBe('TFE_OPTION_VALUE');
      }
    });
  });
});

describe('data', () => {
  test('promises what dataSync answers', async () => {
    using tensor = tf.constant([1, 2]);
    await expect(tensor.data()).resolves.toEqual(new Float32Array([1, 2]));
  });

  test('promises int64 as numbers on request', async () => {
    using tensor = tf.constant([5n]);
    await expect(tensor.data({ int64: 'number' })).resolves.toEqual([5]);
  });

  test('has copied at once: the tensor may go before the promise settles', async () => {
    const tensor = tf.constant([1, 2]);
    const promise = tensor.data();
    tensor.dispose();
    await expect(promise).resolves.toEqual(new Float32Array([1, 2]));
  });

  test('rejects for a disposed tensor', async () => {
    const tensor = tf.constant(1);
    tensor.dispose();
    await expect(tensor.data()).rejects.toMatchObject({ code: 'TFE_TENSOR_DISPOSED' });
  });
});

describe('arraySync', () => {
  test('answers the bare value for rank 0', () => {
    scope(() => {
      expect(tf.constant(0.5).arraySync()).toBe(0.5);
      expect(tf.constant(5n).arraySync()).toBe(5n);
      expect(tf.constant(true).arraySync()).toBe(true);
    });
  });

  test('nests as the shape says', () => {
    scope(() => {
      const tensor = tf.constant(new Int32Array([1, 2, 3, 4, 5, 6]), { shape: [1, 3, 2] });
      expect(tensor.arraySync()).toEqual([[[1, 2], [3, 4], [5, 6]]]); // prettier-ignore
    });
  });

  test('answers booleans for bool', () => {
    scope(() => {
      expect(tf.constant([[true], [false]]).arraySync()).toEqual([[true], [false]]);
    });
  });

  test('answers bigints for int64, and numbers on request', () => {
    scope(() => {
      const tensor = tf.constant([[1n], [2n]]);
      expect(tensor.arraySync()).toEqual([[1n], [2n]]);
      expect(tensor.arraySync({ int64: 'number' })).toEqual([[1], [2]]);
    });
  });

  test('keeps the dimensions of an empty tensor that can be nested', () => {
    scope(() => {
      expect(tf.constant([], { shape: [2, 0] }).arraySync()).toEqual([[], []]);
      expect(tf.constant([], { shape: [0, 2] }).arraySync()).toEqual([]);
    });
  });
});

describe('facts of a tensor', () => {
  test('the device is the one CPU', () => {
    scope(() => {
      expect(tf.constant(1).device).toBe('/job:localhost/replica:0/task:0/device:CPU:0');
    });
  });

  test('isTensor knows tensors, and nothing that looks like one', () => {
    using tensor = tf.constant(1);
    expect(isTensor(tensor)).toBe(true);
    for (const other of [null, 1, {}, Object.create(Tensor.prototype), [tensor]]) {
      expect(isTensor(other)).toBe(false);
    }
  });

  // An id is slot, generation and tag of the environment: native/handle_table.cc.
  test('a made-up id is refused by the addon', () => {
    const forged = forgedTensor(12345, 'float32', [1]);
    expect(codeOf(() => forged.dataSync())).toBe('TFE_TENSOR_FORGED');
    const fraction = forgedTensor(0.5, 'float32', [1]);
    expect(codeOf(() => fraction.dataSync())).toBe('TFE_TENSOR_FORGED');
  });

  test('an id of another environment is refused by the addon', () => {
    const foreign = forgedTensor(1023 * 2 ** 43 + 2 ** 24, 'float32', [1]);
    expect(codeOf(() => foreign.dataSync())).toBe('TFE_TENSOR_FOREIGN');
  });
});

describe('as text', () => {
  test('a tensor shows its values, shape and dtype', () => {
    scope(() => {
      expect(tf.constant([[1, 2.5]]).toString()).toBe(
        'Tensor([ [ 1, 2.5 ] ], shape=[1, 2], dtype=float32)',
      );
    });
  });

  test('a scalar shows its bare value', () => {
    scope(() => {
      expect(String(tf.constant(5n))).toBe('Tensor(5n, shape=[], dtype=int64)');
    });
  });

  test('a large tensor shows how many values it has', () => {
    scope(() => {
      expect(`${tf.constant(0, { shape: [1001] })}`).toBe(
        'Tensor(1001 values, shape=[1001], dtype=float32)',
      );
    });
  });

  test('a disposed tensor still shows what it was', () => {
    const tensor = tf.constant([1]);
    tensor.dispose();
    expect(tensor.toString()).toBe('Tensor(disposed, shape=[1], dtype=float32)');
  });

  test('a template literal and console.log show the same', () => {
    scope(() => {
      const tensor = tf.constant([true]);
      expect(`${tensor}`).toBe('Tensor([ true ], shape=[1], dtype=bool)');
      expect(inspect(tensor)).toBe(`${tensor}`);
      expect(inspect({ tensor })).toBe(`{ tensor: ${tensor} }`);
    });
  });
});

describe('operators', () => {
  const operators: readonly (readonly [string, (x: never, y: never) => unknown])[] = [
    ['+', (x, y) => x + y],
    ['-', (x, y) => x - y],
    ['*', (x, y) => x * y],
    ['/', (x, y) => x / y],
    ['<', (x, y) => x < y],
    ['== with a number', (x) => x == 1],
    ['unary +', (x) => +x],
    ["+ ''", (x) => x + ''],
  ];

  test.each(operators)('%s throws instead of making text or NaN of a tensor', (_, operate) => {
    scope(() => {
      const x = tf.constant(1) as never;
      expect(codeOf(() => operate(x, x))).toBe('TFE_TENSOR_AS_PRIMITIVE');
    });
  });
});

test('JSON shows what a tensor is, not its values', () => {
  scope(() => {
    const x = tf.constant([[1, 2]]);
    expect(JSON.stringify({ x })).toBe('{"x":{"dtype":"float32","shape":[1,2]}}');
  });
});

describe('an empty tensor with a long axis', () => {
  // As nested arrays it would be that many empty rows, and V8 ends the process when they do not fit.
  test.each([2 ** 31, 2 ** 33])('of %d rows is not written out', (rows) => {
    scope(() => {
      const tensor = tf.constant([], { shape: [rows, 0] });
      expect(String(tensor)).toBe(`Tensor(0 values, shape=[${rows}, 0], dtype=float32)`);
      expect(tensor.dataSync()).toHaveLength(0);
      expect(codeOf(() => tensor.arraySync())).toBe('TFE_ARRAYS_TOO_LARGE');
    });
  });

  test('has its rows where they are few', () => {
    scope(() => {
      expect(tf.constant([], { shape: [2, 0] }).arraySync()).toEqual([[], []]);
    });
  });
});

describe('what a tensor is', () => {
  test('cannot be overwritten', () => {
    scope(() => {
      const tensor = tf.constant([1]);
      expect(Reflect.set(tensor, 'dtype', 'int32')).toBe(false);
      expect(tensor.dtype).toBe('float32');
    });
  });
});

describe('options of a readback', () => {
  test('are those it has', () => {
    scope(() => {
      const tensor = tf.constant([1n]);
      const misspelt = { int46: 'number' } as object;
      expect(codeOf(() => tensor.dataSync(misspelt))).toBe('TFE_OPTION_UNKNOWN');
      expect(codeOf(() => tensor.arraySync(misspelt))).toBe('TFE_OPTION_UNKNOWN');
    });
  });

  test('count as they were first', () => {
    scope(() => {
      let asked = 0;
      const options = {
        get int64(): 'number' {
          asked += 1;
          return asked === 1 ? 'number' : ('bigint' as 'number');
        },
      };
      expect(tf.constant([1n]).dataSync(options)).toEqual([1]);
    });
  });

  test('need not be fit to be shown', () => {
    scope(() => {
      const shy = {
        get [Symbol.toStringTag](): string {
          throw new Error('shy');
        },
      };
      const options = { int64: shy } as unknown as { int64: 'number' };
      expect(codeOf(() => tf.constant([1n]).dataSync(options))).toBe('TFE_OPTION_VALUE');
    });
  });
});

describe('data that JavaScript has no room for', () => {
  // The sizes are made up: V8 refuses the room before TensorFlow is asked for anything.
  const vast = (dtype: DType): Tensor => forgedTensor(1, dtype, [2 ** 53]);

  test.each(PLAIN_DTYPES)('of %s is refused before it is read', async (dtype) => {
    const tensor = vast(dtype);
    const facts = { what: 'a typed array', bytes: String(2 ** 53 * DTYPES[dtype].bytes) };
    const refused = { code: 'TFE_DATA_TOO_LARGE', facts };
    expect(thrownBy(() => tensor.dataSync())).toMatchObject(refused);
    expect(thrownBy(() => tensor.dataSync({ copy: false }))).toMatchObject(refused);
    await expect(tensor.data()).rejects.toMatchObject(refused);
  });

  test('as a list of numbers or strings is refused, too', async () => {
    const int64 = forgedTensor(1, 'int64', [2 ** 27]);
    expect(codeOf(() => int64.dataSync({ int64: 'number' }))).toBe('TFE_ARRAYS_TOO_LARGE');
    const refused = { code: 'TFE_ARRAYS_TOO_LARGE' };
    await expect(int64.data({ int64: 'number' })).rejects.toMatchObject(refused);
    await expect(vast('string').data()).rejects.toMatchObject(refused);
    expect(codeOf(() => vast('string').dataSync())).toBe('TFE_ARRAYS_TOO_LARGE');
  });

  test('as a text is named by its index', () => {
    // Zeroed memory that nobody writes to is not there.
    const bytes = new Uint8Array(constants.MAX_STRING_LENGTH + 1);
    const strings = { bytes, lengths: Float64Array.of(0, bytes.length) };
    expect(thrownBy(() => unpackStrings(strings, 'utf8'))).toMatchObject({
      code: 'TFE_DATA_TOO_LARGE',
      facts: { what: 'the text at index 1', bytes: String(bytes.length) },
    });
  });
});
