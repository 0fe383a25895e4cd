/** The generated files of lib/raw are those that TensorFlow's op list makes. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { native } from '../../lib/native/loader';

test('lib/raw is current', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tfe-node-test-'));
  try {
    const list = join(folder, 'ops.pb');
    writeFileSync(list, native().opList());
    const script = join(__dirname, '../../scripts/generate-raw.mjs');
    const child = spawnSync(process.execPath, [script, '--check', '--from', list], {
      encoding: 'utf8',
    });
    expect([child.stderr, child.status]).toEqual(['', 0]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
