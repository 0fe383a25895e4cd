/** What reads a file reads files only, and waits for nothing. */
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { readText } from '../../lib/native/files';
import { testPrograms } from '../helpers/child';
import { NO_FILE, NO_FILES } from '../helpers/no-file';
import { cleanScratchAfterEach, scratch } from '../helpers/scratch';

cleanScratchAfterEach();

const { folder } = testPrograms();

/** In a process of its own: a thread that waits for a pipe cannot be told to stop. */
test.each(NO_FILES)('%s is refused at once', (_what, make) => {
  const path = join(scratch(), 'library.so');
  make(path);
  const script = `
    const { readHead, readText } = require(${JSON.stringify(join(folder, 'lib/native/files'))});
    const { hashFileSync } = require(${JSON.stringify(join(folder, 'lib/native/hash'))});
    const { readSoname } = require(${JSON.stringify(join(folder, 'lib/native/soname'))});
    const path = ${JSON.stringify(path)};
    for (const read of [() => readHead(path, 64), () => readText(path, 64), () => hashFileSync(path), () => readSoname(path)]) {
      try { read(); console.log('read'); } catch (error) { console.log(error.message); }
    }`;
  const { stdout, signal } = spawnSync(process.execPath, ['-e', script], {
    encoding: 'utf8',
    timeout: 20_000,
  });
  expect(signal).toBeNull();
  const said = stdout.trim().split('\n');
  expect(said).toHaveLength(4);
  for (const line of said) expect(line).toMatch(NO_FILE);
});

test('a text is read up to a size', () => {
  const path = join(scratch(), 'text');
  writeFileSync(path, 'four');
  expect(readText(path, 4)).toBe('four');
  expect(() => readText(path, 3)).toThrow('it has 4 bytes, more than 3');
});
