/** docs/tensors.md: its table is made from the dtype table (UPDATE_DOCS=1 rewrites it), and its examples run. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { scope, tf } from '../../lib';
import { DTYPE_NAMES, DTYPES, isPlain, newCarrier } from '../../lib/tensor/dtype';
import { expectNoTensorsLeft } from './accounting';
import { blocksOf, DOCS, printed, promised } from './page';

expectNoTensorsLeft();

const PAGE = join(DOCS, 'tensors.md');
const TABLE = /(<!-- dtypes: .* -->\n)[\s\S]*(<!-- \/dtypes -->)/;

/** What becomes a tensor of the dtype by itself, where that is more or less than the typed array that it is read into. */
const VALUES: Partial<Record<string, string>> = {
  float32: 'numbers, `Float32Array`',
  float16: '`Float16Array` (Node 24)',
  bfloat16: '',
  int64: 'bigints, `BigInt64Array`',
  uint8: '`Uint8Array`, `Uint8ClampedArray`, `Buffer`',
  bool: 'booleans',
  complex64: '',
  complex128: '`{ re, im }`',
  string: 'texts',
  resource: '',
  variant: '',
};

/** What `dataSync` answers, where that is not the typed array that has the bytes. */
const READ: Partial<Record<string, string>> = {
  float16: '`Float32Array`',
  bfloat16: '`Float32Array`',
  complex64: '`Float32Array` of pairs',
  complex128: '`Float64Array` of pairs',
  string: '`string[]`',
  resource: 'opaque',
  variant: 'opaque',
};

const HEAD = ['dtype', 'bytes', '`dataSync()`', 'from', '`x / y`'];

function cellsOf(name: (typeof DTYPE_NAMES)[number]): string[] {
  const { bytes, quotient } = DTYPES[name];
  const carrier =
    READ[name] ?? (isPlain(name) ? `\`${newCarrier(name, 0).constructor.name}\`` : '');
  const division = quotient === null ? '' : `\`${quotient}\``;
  return [
    `\`${name}\``,
    bytes === 0 ? '' : String(bytes),
    carrier,
    VALUES[name] ?? carrier,
    division,
  ];
}

/** Columns as wide as their widest cell: what the formatter makes of a table. */
function table(): string {
  const rows = [HEAD, ...DTYPE_NAMES.map(cellsOf)];
  const widths = HEAD.map((_, i) => Math.max(...rows.map((cells) => cells[i]!.length)));
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell, i) => cell.padEnd(widths[i]!)).join(' | ')} |`;
  const rule = widths.map((width) => '-'.repeat(width));
  return [line(HEAD), line(rule), ...rows.slice(1).map(line)].join('\n');
}

const withTable = (page: string): string =>
  page.replace(TABLE, (_, start: string, end: string) => `${start}\n${table()}\n\n${end}`);

describe('docs/tensors.md', () => {
  test('has the dtype table as it is (UPDATE_DOCS=1 rewrites it)', () => {
    const page = readFileSync(PAGE, 'utf8');
    const rendered = withTable(page);
    if (process.env['UPDATE_DOCS'] === '1') writeFileSync(PAGE, rendered);
    expect(readFileSync(PAGE, 'utf8')).toBe(rendered);
  });

  test('has examples', () => {
    expect(blocksOf('tensors.md')).toHaveLength(3);
  });

  test.each(blocksOf('tensors.md').map((block, i) => [i + 1, block] as const))(
    'has an example %i that prints what the page says',
    async (_, block) => {
      expect(await printed(block, require)).toEqual(promised(block));
    },
  );
});

describe('denormals, as the page says', () => {
  const DENORMAL = 1e-40;

  test('are kept by a constant', () => {
    scope(() => {
      expect(tf.constant(DENORMAL).arraySync()).toBe(Math.fround(DENORMAL));
    });
  });

  test('are flushed by tf.add', () => {
    scope(() => {
      expect(tf.add(tf.constant(DENORMAL), 0).arraySync()).toBe(0);
    });
  });

  test('are not flushed in JavaScript after an op', () => {
    scope(() => {
      tf.add(1, 1);
      expect(Number.MIN_VALUE * 1).toBeGreaterThan(0);
    });
  });
});
