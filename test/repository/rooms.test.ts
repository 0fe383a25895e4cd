/** The walls of eslint.config.mjs stand around every room. */
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';

const ROOT = join(__dirname, '../..');

test('each folder of lib has a row of its own in ROOMS', () => {
  const config = readFileSync(join(ROOT, 'eslint.config.mjs'), 'utf8');
  const table = /^const ROOMS = \[$[\s\S]*?^\];$/m.exec(config)![0];
  const rows = [...table.matchAll(/files: (\[[^\]]*\])/g)].join('\n');
  const rooms = readdirSync(join(ROOT, 'lib'), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name);
  expect(rooms.length).toBeGreaterThan(0);
  const named = (room: string): boolean =>
    rows.includes(`'${room}'`) || rows.includes(`'lib/${room}/`);
  expect(rooms.filter((room) => !named(room))).toEqual([]);
});
