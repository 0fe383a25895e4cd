/** The dtype table, held against TensorFlow's own numbers and against the addon's copy of it. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import {
  DTYPE_NAMES,
  DTYPES,
  dtypeOfTf,
  isDType,
  newCarrier,
  PLAIN_DTYPES,
} from '../../lib/tensor/dtype';

/** TF_DataType of tensorflow/core/framework/types.proto, TensorFlow 2.21.0. */
const TF_DATA_TYPE = {
  float32: 1,
  float64: 2,
  int32: 3,
  uint8: 4,
  int16: 5,
  int8: 6,
  string: 7,
  complex64: 8,
  int64: 9,
  bool: 10,
  bfloat16: 14,
  uint16: 17,
  complex128: 18,
  float16: 19,
  resource: 20,
  variant: 21,
  uint32: 22,
  uint64: 23,
};

describe('the dtype table', () => {
  test("has TensorFlow's numbers", () => {
    const numbers = Object.fromEntries(DTYPE_NAMES.map((name) => [name, DTYPES[name].tf]));
    expect(numbers).toEqual(TF_DATA_TYPE);
  });

  test('is the one of native/dtype.cc', () => {
    const source = readFileSync(join(__dirname, '../../native/dtype.cc'), 'utf8');
    const rows = [...source.matchAll(/\{(\d+), "(\w+)", (\d+)\}/g)].map(
      ([, tf, name, bytes]) => [name, { tf: Number(tf), bytes: Number(bytes) }] as const,
    );
    const ours = Object.entries(DTYPES).map(([name, { tf, bytes }]) => [name, { tf, bytes }]);
    expect(Object.fromEntries(rows)).toEqual(Object.fromEntries(ours));
  });

  test.each(PLAIN_DTYPES)('says how many bytes one element of %s has in its carrier', (name) => {
    expect(newCarrier(name, 1).byteLength).toBe(DTYPES[name].bytes);
  });

  test.each(DTYPE_NAMES)('finds %s by its number', (name) => {
    expect(dtypeOfTf(DTYPES[name].tf)).toBe(name);
  });

  // 0 is DT_INVALID, 11 qint8, 24 float8_e5m2, 130 a reference type.
  test.each([0, 11, 24, 130, -1])('has no carrier for TF_DataType %i', (tf) => {
    expect(dtypeOfTf(tf)).toBeUndefined();
  });

  test.each(['half', 'toString', '__proto__', 1, null, undefined])(
    'does not take %p for a dtype',
    (value) => {
      expect(isDType(value)).toBe(false);
    },
  );

  // The ranges are those of two's complement: written out, not computed as the table might.
  test('has the range of every integer dtype', () => {
    const ranges = Object.entries(DTYPES).flatMap(([name, row]) =>
      'range' in row ? [[name, row.range.join(' ')]] : [],
    );
    expect(Object.fromEntries(ranges)).toEqual({
      int8: '-128 127',
      int16: '-32768 32767',
      int32: '-2147483648 2147483647',
      int64: '-9223372036854775808 9223372036854775807',
      uint8: '0 255',
      uint16: '0 65535',
      uint32: '0 4294967295',
      uint64: '0 18446744073709551615',
    });
  });
});
