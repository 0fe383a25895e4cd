/** docs/ops.md: the example prints what the page says. */
import { expect, test } from '@jest/globals';
import { expectNoTensorsLeft } from '../tensor/accounting';
import { blocksOf, printed, promised } from '../tensor/page';

expectNoTensorsLeft();

test('the example of docs/ops.md prints what the page says', async () => {
  const [block, ...others] = blocksOf('ops.md');
  expect(others).toEqual([]);
  expect(await printed(block!, require)).toEqual(promised(block!));
});
