/** String tensors: texts and bytes, what they hold, and that each string has one owner. */
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { scope, status, tf, type Tensor } from '../../lib';
import { Kernel } from '../../lib/tensor/kernel';
import { ORACLE_DTYPES } from '../helpers/oracle';
import { codeOf, expectNoTensorsLeft, thrownBy } from './accounting';

expectNoTensorsLeft();

const IDENTITY = new Kernel({ label: 'test', name: 'Identity', inputs: 1 });
const RESHAPE = new Kernel({
  label: 'test',
  name: 'Reshape',
  inputs: 1,
  constants: [{ position: 1, values: [-1, 1], dtype: 'int32' }],
});
const JOIN = new Kernel({ label: 'test', name: 'StringJoin', inputs: 2, attrs: [['N', 'int', 2]] });

const bytesOf = (tensor: Tensor): number[][] =>
  (tensor as Tensor<'string'>).dataSync({ string: 'bytes' }).map((bytes) => [...bytes]);

/** Bytes that TensorFlow holds for what `make` makes. */
const heldBy = (make: () => Tensor): number => {
  const before = status({ load: true }).liveBytes;
  using _ = make();
  return status().liveBytes - before;
};

describe('texts', () => {
  test.each(ORACLE_DTYPES.texts)('$text has the bytes that Python gives it', ({ text, bytes }) => {
    scope(() => {
      const tensor = tf.constant(text);
      expect([tensor.dtype, tensor.rank, tensor.arraySync()]).toEqual(['string', 0, text]);
      expect(bytesOf(tensor)).toEqual([[...Buffer.from(bytes, 'base64')]]);
    });
  });

  test('of any kind come back, also through an op', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'binary', maxLength: 40 })), (texts) => {
        scope(() => {
          const tensor = tf.constant(texts, { dtype: 'string' });
          expect(tensor.dataSync()).toEqual(texts);
          expect(IDENTITY.run1(tensor).dataSync()).toEqual(texts);
        });
      }),
    );
  });

  test('nest as other values do', () => {
    scope(() => {
      const rows = [['a', 'b', ''], ['c', '\0', 'ef']]; // prettier-ignore
      expect(tf.constant(rows).arraySync()).toEqual(rows);
      expect(tf.constant(rows, { shape: [6] }).shape).toEqual([6]);
      expect(tf.constant([], { dtype: 'string' }).dataSync()).toEqual([]);
      expect(tf.constant([], { dtype: 'string', shape: [2, 0] }).arraySync()).toEqual([[], []]);
      expect(codeOf(() => tf.constant([['a'], ['b', 'c']] as never))).toBe('TFE_VALUES_RAGGED');
      expect(codeOf(() => tf.constant(['a', 'b'], { shape: [3] }))).toBe('TFE_SHAPE_MISMATCH');
    });
  });

  test('of a megabyte come back', () => {
    scope(() => {
      const text = 'aé€𝄞'.repeat(100_000);
      expect(tf.constant(['', text, 'x']).dataSync()[1] === text).toBe(true);
    });
  });

  test('with half of a surrogate pair are refused, not repaired', () => {
    const error = thrownBy(() => tf.constant(['a', '\ud834', 'b']));
    expect(error.code).toBe('TFE_STRING_LONE_SURROGATE');
    expect(error.facts).toEqual({ index: 1 });
  });

  test('are shown', () => {
    scope(() => {
      expect(String(tf.constant(['a']))).toBe("Tensor([ 'a' ], shape=[1], dtype=string)");
    });
  });
});

describe('bytes', () => {
  test('of any kind come back, each with memory of its own', () => {
    const strings = fc.array(fc.uint8Array({ maxLength: 40 }), { minLength: 1 });
    fc.assert(
      fc.property(strings, (all) => {
        scope(() => {
          const tensor = tf.constant(all, { dtype: 'string' });
          expect(tensor.shape).toEqual([all.length]);
          const read = tensor.dataSync({ string: 'bytes' });
          expect(read).toEqual(all.map((bytes) => new Uint8Array(bytes)));
          expect(read.every((bytes) => bytes.byteLength === bytes.buffer.byteLength)).toBe(true);
        });
      }),
    );
  });

  test('stand beside texts, and alone for one string', () => {
    scope(() => {
      const both = tf.constant([Buffer.from('é'), 'é'], { dtype: 'string' });
      expect(both.dataSync()).toEqual(['é', 'é']);
      expect(tf.constant(Buffer.from('ab'), { dtype: 'string' }).arraySync()).toBe('ab');
    });
  });

  test('are a vector of uint8 or nothing without { dtype: string }', () => {
    scope(() => {
      expect(tf.constant(Buffer.from('ab')).dtype).toBe('uint8');
      const error = thrownBy(() => tf.constant([Buffer.from('ab')] as never));
      expect(error.code).toBe('TFE_VALUES_TYPE');
      expect(error.hint).toContain("{ dtype: 'string' }");
      expect(codeOf(() => tf.constant(new Int8Array(1), { dtype: 'string' }))).toBe(
        'TFE_VALUE_DOES_NOT_FIT',
      );
    });
  });

  test('are copied, never aliased', () => {
    scope(() => {
      const bytes = Buffer.from('a'.repeat(100));
      const tensor = tf.constant([bytes], { dtype: 'string' });
      bytes.fill('b');
      expect(tensor.dataSync()).toEqual(['a'.repeat(100)]);
      tensor.dataSync({ string: 'bytes' })[0]!.fill(0);
      expect(tensor.dataSync()).toEqual(['a'.repeat(100)]);
    });
  });

  test('that pretend to be longer than they are give only what they have', () => {
    class Longer extends Uint8Array {
      override get length(): number {
        return 100;
      }
    }
    scope(() => {
      expect(bytesOf(tf.constant([new Longer(2)], { dtype: 'string' }))).toEqual([[0, 0]]);
    });
  });

  // One byte too few, a byte too many, overlong, a surrogate, and a character cut between two strings.
  test.each([
    ['a start without its rest', [[0x61], [0xc3]], 1],
    ['a rest without its start', [[0x61], [0xa9]], 1],
    ['an overlong form', [[0xc0, 0x80]], 0],
    ['a surrogate', [[0xed, 0xa0, 0x80]], 0],
    ['a character over two strings', [[0x61], [], [0xc3], [0xa9]], 2],
  ])('that are %s are no text, and the error says so', (_, all, index) => {
    scope(() => {
      const tensor = tf.constant(all.map((bytes) => Uint8Array.from(bytes)), { dtype: 'string' }); // prettier-ignore
      const error = thrownBy(() => tensor.dataSync());
      expect([error.code, error.facts]).toEqual(['TFE_STRING_NOT_UTF8', { index }]);
      expect(error.hint).toContain("{ string: 'bytes' }");
      expect(bytesOf(tensor)).toEqual(all);
      expect(String(tensor)).toContain('Uint8Array');
    });
  });
});

describe('the owner of a string', () => {
  const texts = ['small', 'l'.repeat(1000), '', 'x'.repeat(24)];

  test.each([
    ['Identity', IDENTITY],
    ['Reshape', RESHAPE],
  ])('is the buffer: a tensor that shares it by %s outlives the other', (_, kernel) => {
    scope(() => {
      for (const first of [0, 1]) {
        const original = tf.constant(texts);
        const both = [original, kernel.run1(original)];
        both[first]!.dispose();
        expect(both[1 - first]!.dataSync()).toEqual(texts);
        both[1 - first]!.dispose();
      }
    });
  });

  test('is the result where an op makes new ones', () => {
    scope(() => {
      const a = tf.constant(texts);
      const joined = JOIN.run2(a, a);
      a.dispose();
      for (let i = 0; i < 100; i++) tf.constant(texts.map((text) => text.replaceAll(/./g, 'z')));
      expect(joined.dataSync()).toEqual(texts.map((text) => text + text));
    });
  });
});

describe('the bytes that are counted', () => {
  // sizeof(TF_TString) is 24; up to 22 bytes lie inside of it (tensorflow/core/platform/ctstring.h).
  test('are 24 for each small string', () => {
    expect(heldBy(() => tf.constant(['', 'a', 'x'.repeat(22)]))).toBe(72);
  });

  test('are those outside, too, for larger ones', () => {
    const counted = heldBy(() => tf.constant('x'.repeat(1000)));
    expect(counted).toBeGreaterThanOrEqual(24 + 1000);
    expect(counted).toBeLessThanOrEqual(24 + 1000 + 16);
  });

  test('are those of results, too', () => {
    scope(() => {
      const a = tf.constant('x'.repeat(1000));
      expect(heldBy(() => JOIN.run2(a, a))).toBeGreaterThanOrEqual(24 + 2000);
    });
  });
});
