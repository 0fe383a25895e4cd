/** docs/extension.md: its examples run, and every code that it names exists. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { ERRORS } from '../../lib/errors';
import { expectNoTensorsLeft } from '../tensor/accounting';
import { blocksOf, DOCS, printed, promised } from '../tensor/page';

expectNoTensorsLeft();

/** A warning of Node's, not an error. */
const WARNING = 'TFE_HANDLE_PRESSURE';

describe('docs/extension.md', () => {
  test('has two examples, which print what the page says', async () => {
    const blocks = blocksOf('extension.md');
    // y = x for x > 0, else slope * x; |1 - 4| and |5 - 3|.
    expect(blocks.map(promised)).toEqual([['[ -1, 3 ]'], ['[ 3, 2 ]']]);
    for (const block of blocks) expect(await printed(block, require)).toEqual(promised(block));
  });

  test.each(['async.md', 'configuration.md', 'extension.md', 'ops.md', 'tensors.md'])(
    '%s names codes that there are',
    (page) => {
      const named = readFileSync(join(DOCS, page), 'utf8').match(/\bTFE_[A-Z0-9_]+/g)!;
      const codes = [...Object.keys(ERRORS), WARNING];
      for (const code of named) expect(codes).toContain(code);
    },
  );
});
