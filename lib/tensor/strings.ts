/**
 * Strings of a tensor to and from one run of bytes, so that any number of them crosses to the addon at once. Texts are
 * UTF-8 in TensorFlow; a string may also be any bytes.
 */
import { Buffer, isUtf8 } from 'node:buffer';
import { tfeError } from '../errors';
import type { NativeBinding } from '../native/binding';
import { lengthOf } from './typed-array';

/** A text, or the bytes of a string. */
export type Text = string | Uint8Array;

export interface PackedStrings {
  /** All strings, one behind the other. */
  readonly bytes: Uint8Array;
  /** Bytes of each. */
  readonly lengths: Float64Array;
}

/** Whether UTF-8 can write the text: no half of a surrogate pair is alone. ES2024, in Node since 20. */
export const isWellFormed = (text: string): boolean =>
  (text as unknown as { isWellFormed(): boolean }).isWellFormed();

/** @throws TfeError `TFE_STRING_LONE_SURROGATE`, `TFE_TENSOR_ALLOCATION` */
export function packStrings(strings: readonly Text[]): PackedStrings {
  const lengths = new Float64Array(strings.length);
  let total = 0;
  for (let i = 0; i < strings.length; i++) {
    const text = strings[i]!;
    if (typeof text !== 'string') lengths[i] = lengthOf(text);
    else if (isWellFormed(text)) lengths[i] = Buffer.byteLength(text);
    else throw tfeError('TFE_STRING_LONE_SURROGATE', { index: i });
    total += lengths[i]!;
  }
  const bytes = allocate(total);
  let offset = 0;
  for (let i = 0; i < strings.length; i++) {
    const text = strings[i]!;
    if (typeof text === 'string') bytes.write(text, offset);
    else bytes.set(text, offset);
    offset += lengths[i]!;
  }
  return { bytes, lengths };
}

/**
 * The strings of the tensor `id`, which has `size` elements.
 * @throws TfeError `TFE_STRING_NOT_UTF8` where texts are asked for, `TFE_DATA_TOO_LARGE`
 */
export function readStrings(binding: NativeBinding, id: number, size: number): string[];
export function readStrings(
  binding: NativeBinding,
  id: number,
  size: number,
  as: 'utf8' | 'bytes',
): string[] | Uint8Array[];
export function readStrings(
  binding: NativeBinding,
  id: number,
  size: number,
  as: 'utf8' | 'bytes' = 'utf8',
): string[] | Uint8Array[] {
  const room = roomForStrings(binding, id, size);
  binding.readStrings(id, room.bytes);
  return unpackStrings(room, as);
}

/**
 * Room for the strings of the tensor `id`, which has `size` elements: their lengths are in it already.
 * @throws TfeError `TFE_DATA_TOO_LARGE`
 */
export function roomForStrings(binding: NativeBinding, id: number, size: number): PackedStrings {
  const lengths = roomFor('lengths', size * 8, () => new Float64Array(size));
  binding.stringLengths(id, lengths);
  const total = lengths.reduce((sum, length) => sum + length, 0);
  return { bytes: roomFor('strings', total, () => Buffer.allocUnsafe(total)), lengths };
}

/** What `make` makes, of so many bytes, to hold what a tensor has. @throws TfeError `TFE_DATA_TOO_LARGE` */
export function roomFor<T>(what: string, bytes: number, make: () => T): T {
  try {
    return make();
  } catch (cause) {
    throw tfeError('TFE_DATA_TOO_LARGE', { what, bytes: String(bytes) }, { cause });
  }
}

/** @throws TfeError `TFE_STRING_NOT_UTF8` where texts are asked for, `TFE_DATA_TOO_LARGE` */
export function unpackStrings(
  { bytes, lengths }: PackedStrings,
  as: 'utf8' | 'bytes',
): string[] | Uint8Array[] {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return as === 'bytes' ? split(buffer, lengths) : decode(buffer, lengths);
}

function split(bytes: Buffer, lengths: Float64Array): Uint8Array[] {
  let offset = 0;
  return Array.from(lengths, (length) => {
    // Memory of its own: one string kept does not keep all of them.
    const part = roomFor('a string', length, () => new Uint8Array(length));
    part.set(bytes.subarray(offset, (offset += length)));
    return part;
  });
}

function decode(bytes: Buffer, lengths: Float64Array): string[] {
  requireUtf8(bytes, lengths);
  let offset = 0;
  return Array.from(lengths, (length, index) =>
    // V8's longest string has 2^29 - 24 units.
    roomFor(`the text at index ${index}`, length, () =>
      bytes.toString('utf8', offset, (offset += length)),
    ),
  );
}

/** All at once, which is fast: valid as a whole, and cut nowhere inside of a character. */
function requireUtf8(bytes: Buffer, lengths: Float64Array): void {
  let valid = isUtf8(bytes);
  let offset = 0;
  for (let i = 0; valid && i < lengths.length; offset += lengths[i++]!) {
    valid = !(lengths[i]! > 0 && (bytes[offset]! & 0xc0) === 0x80);
  }
  if (valid) return;
  offset = 0;
  for (let i = 0; i < lengths.length; i++) {
    if (!isUtf8(bytes.subarray(offset, (offset += lengths[i]!)))) {
      throw tfeError('TFE_STRING_NOT_UTF8', { index: i });
    }
  }
}

function allocate(size: number): Buffer {
  try {
    return Buffer.allocUnsafe(size);
  } catch (cause) {
    throw tfeError('TFE_TENSOR_ALLOCATION', { bytes: String(size) }, { cause });
  }
}
