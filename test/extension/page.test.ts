/** docs/extension.md: its example runs, and every code that it names exists. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { ERRORS } from '../../lib/errors';
import { expectNoTensorsLeft } from '../tensor/accounting';
import { blocksOf, DOCS, printed, promised } from '../tensor/page';

expectNoTensorsLeft();

describe('docs/extension.md', () => {
  test('has one example, which prints what the page says', () => {
    const blocks = blocksOf('extension.md');
    expect(blocks).toHaveLength(1);
    // y = x for x > 0, else slope * x.
    expect(promised(blocks[0]!)).toEqual(['[ -1, 3 ]']);
    expect(printed(blocks[0]!, require)).toEqual(promised(blocks[0]!));
  });

  test.each(['extension.md', 'tensors.md'])('%s names codes that there are', (page) => {
    const named = readFileSync(join(DOCS, page), 'utf8').match(/TFE_[A-Z0-9_]+/g)!;
    for (const code of named) expect(Object.keys(ERRORS)).toContain(code);
  });
});
