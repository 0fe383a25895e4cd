/** The name that a library gives itself, held against what the linker was told and what readelf says. */
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { locateRuntime } from '../../lib/native/locate';
import { readSoname } from '../../lib/native/soname';
import { CC, elfImage } from '../helpers/fake-wheel';
import { cleanScratchAfterEach, scratch } from '../helpers/scratch';
import { bystander } from '../helpers/stub-library';

cleanScratchAfterEach();

const readelf = spawnSync('readelf', ['--version']).status === 0;

/** A Mach-O dylib as far as its load commands go; layout of <mach-o/loader.h>. */
function dylib(name: string): Buffer {
  const text = Buffer.from(`${name}\0`);
  const size = 24 + Math.ceil(text.length / 8) * 8;
  const other = Buffer.alloc(16);
  other.writeUInt32LE(0x1b, 0); // LC_UUID, which comes first
  other.writeUInt32LE(16, 4);
  const id = Buffer.alloc(size);
  id.writeUInt32LE(0xd, 0); // LC_ID_DYLIB
  id.writeUInt32LE(size, 4);
  id.writeUInt32LE(24, 8);
  text.copy(id, 24);
  const header = Buffer.alloc(32);
  header.writeUInt32LE(0xfeedfacf, 0);
  header.writeUInt32LE(0x0100000c, 4);
  header.writeUInt32LE(6, 12);
  header.writeUInt32LE(2, 16);
  header.writeUInt32LE(16 + size, 20);
  return Buffer.concat([header, other, id]);
}

function file(content: Buffer): string {
  const path = join(scratch(), 'image');
  writeFileSync(path, content);
  return path;
}

describe('readSoname', () => {
  test('reads what the linker was told', () => {
    expect(readSoname(bystander(scratch(), 'libsome.so.7'))).toBe('libsome.so.7');
  });

  (readelf ? test : test.skip)('agrees with readelf about the real libraries', () => {
    const { ccPath, frameworkPath } = locateRuntime();
    for (const path of [ccPath, frameworkPath]) {
      const { stdout } = spawnSync('readelf', ['-d', path], { encoding: 'utf8' });
      expect(readSoname(path)).toBe(/SONAME.*\[(.*)\]/u.exec(stdout)![1]);
    }
  });

  test('reads the install name of a dylib', () => {
    expect(readSoname(file(dylib('@rpath/libtensorflow_cc.2.dylib')))).toBe(
      '@rpath/libtensorflow_cc.2.dylib',
    );
  });

  test.each([
    ['an empty file', Buffer.alloc(0)],
    ['a text', Buffer.from('no image at all\n')],
    ['an ELF header with noise behind it', elfImage(4096, 'noise')],
    ['a dylib without commands', dylib('x').subarray(0, 32)],
  ])('answers nothing for %s', (_what, content) => {
    expect(readSoname(file(content))).toBeNull();
  });

  test('answers the name or nothing wherever a library is cut short', () => {
    const whole = readFileSync(bystander(scratch(), CC));
    for (let length = 0; length < whole.length; length += 97) {
      expect([CC, null]).toContain(readSoname(file(whole.subarray(0, length))));
    }
  });
});
