/**
 * Reads a wheel: is it the pinned one, and what of it is wanted. Owns the refusal of anything a hostile archive could
 * try; it never joins a name from the archive to a path.
 */
import { createHash } from 'node:crypto';
import { open, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { tfeError } from '../errors';
import { fromFdPromise, getFileNameLowLevel, type Entry, type ZipFile } from '../vendor/yauzl';
import { fileError, openFile } from './disk';
import { errnoOf, problemOf } from './files';
import { hashHandle } from './hash';
import type { Artefact, Pin, PinnedFile } from './pin';

const FILE_TYPE_MASK = 0o170000;
const REGULAR_FILE = 0o100000;
const SYMBOLIC_LINK = 0o120000;

/** Where bytes are reported while a long step runs. */
export type Advance = (done: number) => void;

/** An open wheel whose size and hash are the pinned ones. */
export interface Wheel {
  readonly file: string;
  readonly handle: FileHandle;
}

/**
 * Opens a wheel and compares it with the pin. The caller closes the handle; everything later is read through it,
 * so that the file that was hashed is the file that is unpacked.
 *
 * @throws TFE_WHEEL_UNREADABLE, TFE_WHEEL_SIZE, TFE_WHEEL_HASH
 */
export async function openWheel(
  file: string,
  artefact: Artefact,
  pin: Pin,
  advance: Advance,
  signal: AbortSignal,
): Promise<Wheel> {
  let opened: Awaited<ReturnType<typeof openFile>>;
  try {
    opened = await openFile(file);
  } catch (error) {
    throw unreadable(file, problemOf(error), error);
  }
  const { handle, stats } = opened;
  try {
    const size = Number(stats.size);
    const expected = artefact.wheel;
    if (size !== expected.size) {
      const is = wheelOfSize(size, pin);
      throw tfeError('TFE_WHEEL_SIZE', {
        file,
        size,
        expected: expected.size,
        wanted: expected.file,
        ...(is === undefined ? {} : { is }),
      });
    }
    const sha256 = await hashHandle(handle, advance, signal);
    if (sha256 !== expected.sha256) {
      throw tfeError('TFE_WHEEL_HASH', {
        file,
        sha256,
        expected: expected.sha256,
        wanted: expected.file,
      });
    }
    return { file, handle };
  } catch (error) {
    await handle.close();
    if (errnoOf(error) !== undefined && (error as Error).name !== 'TfeError') {
      throw unreadable(file, problemOf(error), error);
    }
    throw error;
  }
}

/** A published wheel of this size that is not the wanted one, and why it does not serve. */
function wheelOfSize(size: number, pin: Pin): string | undefined {
  for (const [variant, platforms] of Object.entries(pin.artefacts)) {
    for (const [platform, artefact] of Object.entries(platforms)) {
      if (artefact.wheel.size === size) {
        return `${artefact.wheel.file}, the wheel of variant '${variant}' for ${platform}`;
      }
    }
  }
  const refused = pin.refused.find(({ wheel }) => wheel.size === size);
  return refused && `${refused.wheel.file}, which does not serve: ${refused.reason}`;
}

/**
 * The wanted entries of a wheel, after every entry of it was looked at.
 *
 * @throws TFE_WHEEL_UNREADABLE when it is not a zip archive or is cut short
 * @throws TFE_WHEEL_ENTRY_ESCAPES, TFE_WHEEL_ENTRY_INVALID
 */
export async function findEntries(
  zip: ZipFile,
  file: string,
  wanted: readonly PinnedFile[],
): Promise<ReadonlyMap<PinnedFile, Entry>> {
  const byPath = new Map(wanted.map((pinned) => [pinned.path, pinned]));
  const found = new Map<PinnedFile, Entry>();
  const seen = new Set<string>();
  try {
    for await (const entry of zip.eachEntry()) {
      const name = entryName(entry);
      const refuse = (problem: string): Error =>
        tfeError('TFE_WHEEL_ENTRY_INVALID', { file, entry: name, problem });
      const escape = escapeProblem(name);
      if (escape !== undefined) {
        throw tfeError('TFE_WHEEL_ENTRY_ESCAPES', { file, entry: name, problem: escape });
      }
      if (seen.has(name)) throw refuse('is there twice');
      seen.add(name);
      const pinned = byPath.get(name);
      if (pinned === undefined) continue;
      const problem = entryProblem(entry, pinned);
      if (problem !== undefined) throw refuse(problem);
      found.set(pinned, entry);
    }
  } catch (error) {
    throw zipError(error, file);
  }
  for (const pinned of wanted) {
    if (!found.has(pinned)) {
      throw tfeError('TFE_WHEEL_ENTRY_INVALID', {
        file,
        entry: pinned.path,
        problem: 'is not in it',
      });
    }
  }
  return found;
}

/** Opens the archive behind a handle. The handle stays the caller's. */
export async function openArchive({ file, handle }: Wheel): Promise<ZipFile> {
  try {
    // Names stay raw bytes here: the reader would turn a backslash into a slash before we could refuse it.
    return await fromFdPromise(handle.fd, {
      autoClose: false,
      decodeStrings: false,
      validateEntrySizes: true,
    });
  } catch (error) {
    throw zipError(error, file);
  }
}

/**
 * Unpacks one entry to `directory`, under its pinned name and never more bytes than pinned; durable on return.
 *
 * @throws TFE_WHEEL_ENTRY_INVALID, TFE_WHEEL_ENTRY_HASH, TFE_WHEEL_UNREADABLE and the file system's refusals
 */
export async function extractEntry(
  zip: ZipFile,
  entry: Entry,
  file: string,
  pinned: PinnedFile,
  directory: string,
  advance: Advance,
  signal: AbortSignal,
): Promise<void> {
  const path = join(directory, pinned.name);
  const hash = createHash('sha256');
  let done = 0;
  const meter = new Transform({
    transform(chunk: Buffer, _encoding, pass) {
      done += chunk.length;
      if (done > pinned.size) {
        pass(
          tfeError('TFE_WHEEL_ENTRY_INVALID', {
            file,
            entry: pinned.path,
            problem: `unpacks to more than the pinned ${pinned.size} bytes`,
          }),
        );
        return;
      }
      hash.update(chunk);
      advance(done);
      pass(null, chunk);
    },
  });
  let target: FileHandle;
  try {
    target = await open(path, 'wx', 0o644);
  } catch (error) {
    throw fileError(error, path, pinned.size);
  }
  try {
    try {
      await pipeline(
        // Opened last: it reads at once, and an error of a stream that nothing listens to ends the process.
        await zip.openReadStreamPromise(entry),
        meter,
        async (chunks: AsyncIterable<Buffer>) => {
          for await (const chunk of chunks) await writeAll(target, chunk, path, pinned.size);
        },
        { signal },
      );
    } catch (error) {
      throw zipError(error, file);
    }
    if (done !== pinned.size) {
      throw tfeError('TFE_WHEEL_ENTRY_INVALID', {
        file,
        entry: pinned.path,
        problem: `unpacks to ${done} bytes, pinned are ${pinned.size}`,
      });
    }
    const sha256 = hash.digest('hex');
    if (sha256 !== pinned.sha256) {
      throw tfeError('TFE_WHEEL_ENTRY_HASH', {
        file,
        entry: pinned.path,
        sha256,
        expected: pinned.sha256,
      });
    }
    await target.sync().catch((error: unknown) => {
      throw fileError(error, path, pinned.size);
    });
  } finally {
    await target.close();
  }
}

/** Our own side of the copy: its refusals are typed here, so that the archive is not blamed for a full disk. */
async function writeAll(
  target: FileHandle,
  chunk: Buffer,
  path: string,
  needed: number,
): Promise<void> {
  try {
    for (let offset = 0; offset < chunk.length;) {
      const { bytesWritten } = await target.write(chunk, offset);
      offset += bytesWritten;
    }
  } catch (error) {
    throw fileError(error, path, needed);
  }
}

/** The entry's name, with backslashes as they are. */
function entryName(entry: Entry): string {
  return getFileNameLowLevel(
    entry.generalPurposeBitFlag,
    entry.fileNameRaw,
    entry.extraFields,
    true,
  );
}

/** Why a name would leave the folder it is unpacked into, on any operating system; to follow "which ...". */
function escapeProblem(name: string): string | undefined {
  if (name.includes('\0')) return 'holds a NUL character';
  if (name.includes('\\')) return 'holds a backslash';
  if (name.startsWith('/')) return 'is an absolute path';
  if (/^[A-Za-z]:/u.test(name)) return 'begins with a drive letter';
  if (name.split('/').includes('..')) return "holds '..'";
  return undefined;
}

function entryProblem(entry: Entry, pinned: PinnedFile): string | undefined {
  const type = (entry.externalFileAttributes >>> 16) & FILE_TYPE_MASK;
  if (type === SYMBOLIC_LINK) return 'is a symbolic link';
  // Archivers outside Unix leave the type 0.
  if (type !== REGULAR_FILE && type !== 0)
    return `is not a regular file (type ${type.toString(8)})`;
  if (entry.isEncrypted()) return 'is encrypted';
  if (entry.compressionMethod !== 0 && entry.compressionMethod !== 8) {
    return `is packed with the unknown method ${entry.compressionMethod}`;
  }
  if (entry.uncompressedSize !== pinned.size) {
    return `declares ${entry.uncompressedSize} bytes, pinned are ${pinned.size}`;
  }
  return undefined;
}

function unreadable(file: string, problem: string, cause?: unknown): Error {
  return tfeError('TFE_WHEEL_UNREADABLE', { file, problem }, { cause });
}

/** An error of the zip reader; typed errors and an abort pass through. */
function zipError(error: unknown, file: string): unknown {
  const { name } = error as Error;
  if (name === 'TfeError' || name === 'AbortError') return error;
  return unreadable(file, `it is not a whole zip archive (${problemOf(error)})`, error);
}
