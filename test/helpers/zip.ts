/**
 * Writes small zip archives, honest ones and hostile ones: every field that a hostile archive may forge can be given.
 * Layout after PKWARE's APPNOTE: local headers with data, central directory, end record.
 */
import { crc32, deflateRawSync } from 'node:zlib';

export interface ZipEntry {
  readonly name: string;
  readonly data: Buffer;
  /** Unix mode with the file type; default a regular file, 0644. */
  readonly mode?: number;
  /** Packed with deflate by default. */
  readonly stored?: boolean;
  /** Lies. */
  readonly declaredSize?: number;
  readonly declaredMethod?: number;
  readonly encrypted?: boolean;
}

const UTF8_NAMES = 0x0800;
const ENCRYPTED = 0x0001;
const MADE_BY_UNIX = 3 << 8;

export function zip(entries: readonly ZipEntry[]): Buffer {
  const local: Buffer[] = [];
  const central: Buffer[] = [];
  let offset = 0;
  for (const entry of entries) {
    const name = Buffer.from(entry.name, 'utf8');
    const packed = entry.stored === true ? entry.data : deflateRawSync(entry.data);
    const shared = Buffer.alloc(26);
    shared.writeUInt16LE(20, 0); // version needed
    shared.writeUInt16LE(UTF8_NAMES | (entry.encrypted === true ? ENCRYPTED : 0), 2);
    shared.writeUInt16LE(entry.declaredMethod ?? (entry.stored === true ? 0 : 8), 4);
    shared.writeUInt32LE(crc32(entry.data), 10);
    shared.writeUInt32LE(packed.length, 14);
    shared.writeUInt32LE(entry.declaredSize ?? entry.data.length, 18);
    shared.writeUInt16LE(name.length, 22);
    const header = Buffer.concat([signature(0x04034b50), shared, name]);

    const tail = Buffer.alloc(14);
    tail.writeUInt32LE(((entry.mode ?? 0o100644) << 16) >>> 0, 6);
    tail.writeUInt32LE(offset, 10);
    const madeBy = Buffer.alloc(2);
    madeBy.writeUInt16LE(MADE_BY_UNIX | 20);
    central.push(Buffer.concat([signature(0x02014b50), madeBy, shared, tail, name]));

    local.push(header, packed);
    offset += header.length + packed.length;
  }
  const directory = Buffer.concat(central);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(entries.length, 4);
  end.writeUInt16LE(entries.length, 6);
  end.writeUInt32LE(directory.length, 8);
  end.writeUInt32LE(offset, 12);
  return Buffer.concat([...local, directory, signature(0x06054b50), end]);
}

function signature(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}
