/** The two tables of dtypes: what attributes can name (read by the generator as text) and what tensors can have. */
import { expect, test } from '@jest/globals';
import { TYPES } from '../../lib/ops/types';
import { DTYPES } from '../../lib/tensor/dtype';

test('agree on the dtypes that both have', () => {
  const numbers = Object.entries(DTYPES).map(([name, { tf }]) => [name, tf]);
  expect(TYPES).toMatchObject(Object.fromEntries(numbers));
});
