/** docs/rules.md is made from the records; `UPDATE_DOCS=1` writes it anew. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { plugin } from '../../../plugins/tensorflow';
import { renderRules } from '../../../plugins/tensorflow/rules-page';

const PAGE = join(__dirname, '../../../docs/rules.md');

test('docs/rules.md is what the rule records say (UPDATE_DOCS=1 rewrites it)', () => {
  const rendered = renderRules(plugin.describe());
  if (process.env['UPDATE_DOCS'] === '1') writeFileSync(PAGE, rendered);
  expect(readFileSync(PAGE, 'utf8')).toBe(rendered);
});
