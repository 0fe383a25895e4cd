/** lib/native/symbols.json is made from the table of native/abi.h. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { REQUIRED_SYMBOLS, SYMBOL_COUNT } from '../../lib/native/symbols';
import { SYMBOLS } from '../helpers/stub-library';

const FILE = join(__dirname, '../../lib/native/symbols.json');

test('symbols.json has the symbols of native/abi.h (UPDATE_DOCS=1 rewrites it)', () => {
  const of = (image: string) =>
    [...SYMBOLS].filter(([, owner]) => owner === image).map(([name]) => name);
  const text = `${JSON.stringify({ cc: of('Cc'), framework: of('Framework') }, null, 2)}\n`;
  if (process.env['UPDATE_DOCS'] === '1') writeFileSync(FILE, text);
  expect(readFileSync(FILE, 'utf8')).toBe(text);
});

test('every symbol has one image', () => {
  const { cc, framework } = REQUIRED_SYMBOLS;
  expect(new Set([...cc, ...framework]).size).toBe(SYMBOL_COUNT);
  expect(SYMBOL_COUNT).toBeGreaterThan(40);
});
