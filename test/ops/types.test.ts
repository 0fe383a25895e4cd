/** The two tables of dtypes: what attributes can name (read by the generator as text) and what tensors can have. */
import { expect, test } from '@jest/globals';
import { TYPES } from '../../lib/ops/types';
import { DTYPES } from '../../lib/tensor/dtype';

test('agree on the dtypes that both have', () => {
  for (const [name, { tf }] of Object.entries(DTYPES)) {
    expect([name, TYPES[name as keyof typeof DTYPES]]).toEqual([name, tf]);
  }
});
