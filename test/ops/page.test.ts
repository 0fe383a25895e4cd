/** docs/ops.md: the example prints what the page says. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { raw, scope, tf, type Tensor } from 'tfe-node';
import { expectNoTensorsLeft } from '../tensor/accounting';
import { blocksOf, printed, promised } from '../tensor/page';

expectNoTensorsLeft();

const ROOT = join(__dirname, '../..');

test('what the table says for Python runs', () => {
  const x = tf.constant([
    [1, 2, 3],
    [4, 5, 6],
  ]);
  const int32 = (values: number | readonly number[]): Tensor =>
    tf.constant(values, { dtype: 'int32' });
  const given: Readonly<Record<string, Readonly<Record<string, Tensor>>>> = {
    Reshape: { shape: int32([3, 2]) },
    Transpose: { perm: int32([1, 0]) },
    ExpandDims: { axis: int32(0) },
    ConcatV2: { axis: int32(0) },
    Slice: { begin: int32([0, 1]), size: int32([2, 2]) },
    GatherV2: { indices: int32([1]), axis: int32(0) },
    TopKV2: { k: int32(1) },
    SelectV2: { condition: tf.constant(true) },
  };
  const page = readFileSync(join(ROOT, 'docs/ops.md'), 'utf8');
  const calls = [...page.matchAll(/^\| `tf\..*\| (`raw\..*)\|$/gmu)].map(([, cell]) => cell!);
  expect(calls).toHaveLength(13);
  scope(() => {
    for (const [, name, inputs] of calls.join().matchAll(/`raw\.(\w+)(?:\((.*?)\))?`/gu)) {
      const axes = int32([1]);
      const names: Readonly<Record<string, unknown>> = { x, y: x, axes, ...given[name!] };
      // As the row's first: `raw.Mean` is like `raw.Sum(x, axes)`.
      const call = inputs ?? (['Mean', 'Max', 'Min', 'Prod'].includes(name!) ? 'x, axes' : 'x');
      const values = [...call.matchAll(/\[(.*?)\]|\w+/gu)].map(([argument, list]) =>
        list === undefined ? names[argument] : list.split(', ').map((one) => names[one]),
      );
      const run = (raw as unknown as Record<string, (...inputs: unknown[]) => unknown>)[name!]!;
      expect(run(...values)).toBeDefined();
    }
  });
  for (const tensor of [x, ...Object.values(given).flatMap((names) => Object.values(names))]) {
    tensor.dispose();
  }
});

test('the example of docs/ops.md prints what the page says', async () => {
  const [block, ...others] = blocksOf('ops.md');
  expect(others).toEqual([]);
  expect(await printed(block!, require)).toEqual(promised(block!));
});
