/**
 * The name that a library gives itself, read from the file: SONAME in an ELF image's dynamic section, the install name of a
 * Mach-O dylib. Needs no tool and maps nothing.
 */
import { closeSync, readSync } from 'node:fs';
import { openFileSync } from './files';

const ELF_MAGIC = 0x464c457f;
const MACH_MAGIC_64 = 0xfeedfacf;
const PT_LOAD = 1;
const PT_DYNAMIC = 2;
const DT_NULL = 0n;
const DT_STRTAB = 5n;
const DT_SONAME = 14n;
const LC_ID_DYLIB = 0xd;

/** Longer ones, and larger tables, are no library's that we know. */
const LONGEST_NAME = 4096;
const LARGEST_TABLE = 1 << 20;

type Read = (offset: number, length: number) => Buffer;

/** The name, or null when the file is neither format, is cut short, or names itself not at all. */
export function readSoname(path: string): string | null {
  const { fd } = openFileSync(path);
  try {
    const read: Read = (offset, length) => {
      const buffer = Buffer.alloc(Math.min(length, LARGEST_TABLE));
      return buffer.subarray(0, readSync(fd, buffer, 0, buffer.length, offset));
    };
    const magic = read(0, 4);
    if (magic.length < 4) return null;
    if (magic.readUInt32LE(0) === ELF_MAGIC) return elfSoname(read);
    if (magic.readUInt32LE(0) === MACH_MAGIC_64) return machName(read);
    return null;
  } catch (error) {
    // A table that ends before its entry does.
    if (error instanceof RangeError) return null;
    throw error;
  } finally {
    closeSync(fd);
  }
}

/** 64-bit, little endian: the only ELF images that the platforms have. */
function elfSoname(read: Read): string | null {
  const header = read(0, 64);
  const table = Number(header.readBigUInt64LE(32));
  const [size, count] = [header.readUInt16LE(54), header.readUInt16LE(56)];
  const segments = Array.from({ length: count }, (_, i) => {
    const entry = read(table + i * size, 56);
    return {
      type: entry.readUInt32LE(0),
      offset: Number(entry.readBigUInt64LE(8)),
      address: Number(entry.readBigUInt64LE(16)),
      bytes: Number(entry.readBigUInt64LE(32)),
    };
  });
  const dynamic = segments.find(({ type }) => type === PT_DYNAMIC);
  if (dynamic === undefined) return null;
  const entries = read(dynamic.offset, dynamic.bytes);
  let [strings, name] = [null as number | null, null as number | null];
  for (let at = 0; at + 16 <= entries.length; at += 16) {
    const tag = entries.readBigInt64LE(at);
    if (tag === DT_NULL) break;
    if (tag === DT_STRTAB) strings = Number(entries.readBigUInt64LE(at + 8));
    if (tag === DT_SONAME) name = Number(entries.readBigUInt64LE(at + 8));
  }
  if (strings === null || name === null) return null;
  const address = strings;
  // The dynamic section speaks of addresses; the segment that holds one says where that is in the file.
  const home = segments.find(
    (segment) =>
      segment.type === PT_LOAD &&
      address >= segment.address &&
      address < segment.address + segment.bytes,
  );
  if (home === undefined) return null;
  return text(read(home.offset + address - home.address + name, LONGEST_NAME));
}

function machName(read: Read): string | null {
  const header = read(0, 32);
  const commands = read(32, header.readUInt32LE(20));
  let at = 0;
  for (let left = header.readUInt32LE(16); left > 0; left -= 1) {
    const size = commands.readUInt32LE(at + 4);
    if (commands.readUInt32LE(at) === LC_ID_DYLIB) {
      return text(commands.subarray(at + commands.readUInt32LE(at + 8), at + size));
    }
    if (size < 8) return null;
    at += size;
  }
  return null;
}

function text(bytes: Buffer): string | null {
  const end = bytes.indexOf(0);
  return end < 0 ? null : bytes.toString('utf8', 0, end);
}
