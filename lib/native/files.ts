/**
 * The file-system steps that an installation is made of, with the operating system's refusals turned into errors
 * that name the path and the way out. Knows nothing of TensorFlow.
 */
import { createHash, type Hash } from 'node:crypto';
import {
  closeSync,
  constants,
  fstatSync,
  openSync,
  readSync,
  type BigIntStats,
  type Stats,
} from 'node:fs';
import { mkdir, open, stat, statfs, type FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import { messageOf } from '../describe';
import { isTfeError, tfeError } from '../errors';

/** Large enough that hashing is bound by the hash, small enough to stay in the CPU's cache hierarchy. */
const CHUNK_BYTES = 4 << 20;

export function errnoOf(error: unknown): string | undefined {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === 'string' ? code : undefined;
}

/** True when the error says that the path does not exist. */
export function isAbsent(error: unknown): boolean {
  const code = errnoOf(error);
  return code === 'ENOENT' || code === 'ENOTDIR';
}

/** The operating system's sentence without its code, call and path, which our message states itself. */
export function problemOf(error: unknown): string {
  const message = messageOf(error);
  return /^[A-Z0-9]+: (.+?), [a-z]+\b/u.exec(message)?.[1] ?? message;
}

/** A refusal of the file system at `path` as a typed error; an error that is typed already stays as it is. */
export function fileError(error: unknown, path: string, needed = 0): Error {
  if (isTfeError(error)) return error;
  const facts = { path, problem: problemOf(error) };
  const context = { cause: error };
  switch (errnoOf(error)) {
    case 'ENOSPC':
    case 'EDQUOT':
      return tfeError('TFE_DISK_FULL', { path, needed, available: null }, context);
    case 'EROFS':
      return tfeError('TFE_CACHE_READ_ONLY', facts, context);
    case 'EACCES':
    case 'EPERM':
      return tfeError('TFE_CACHE_FORBIDDEN', facts, context);
    case undefined:
      return error instanceof Error ? error : new Error(String(error));
    default:
      return tfeError('TFE_CACHE_UNUSABLE', facts, context);
  }
}

/** Runs one step at `path` and types its refusal. */
export async function at<T>(path: string, step: () => T | Promise<T>, needed?: number): Promise<T> {
  try {
    return await step();
  } catch (error) {
    throw fileError(error, path, needed);
  }
}

/** What tells a file from a changed or replaced one without reading it. */
export interface FileStamp {
  readonly size: number;
  /** As text: inode numbers of some file systems do not fit a Number. */
  readonly inode: string;
  readonly mtimeMs: number;
}

export function stampOf(stats: BigIntStats): FileStamp {
  return {
    size: Number(stats.size),
    inode: String(stats.ino),
    mtimeMs: Number(stats.mtimeNs) / 1e6,
  };
}

export function sameStamp(a: FileStamp, b: FileStamp): boolean {
  return a.size === b.size && a.inode === b.inode && a.mtimeMs === b.mtimeMs;
}

/** SHA-256 of a file, read in one go on this thread: for the loader, which has nothing else to do. */
export function hashFileSync(path: string): string {
  const hash = createHash('sha256');
  const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
  const fd = openSync(path, constants.O_RDONLY);
  try {
    for (;;) {
      const count = readSync(fd, chunk, 0, chunk.length, null);
      if (count === 0) return hash.digest('hex');
      hash.update(chunk.subarray(0, count));
    }
  } finally {
    closeSync(fd);
  }
}

/** SHA-256 of an open file from its start; `advance` hears the bytes read so far. */
export async function hashHandle(
  handle: FileHandle,
  advance: (done: number) => void = () => undefined,
  signal?: AbortSignal,
): Promise<string> {
  const hash: Hash = createHash('sha256');
  const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
  let done = 0;
  for (;;) {
    signal?.throwIfAborted();
    const { bytesRead } = await handle.read(chunk, 0, chunk.length, done);
    if (bytesRead === 0) return hash.digest('hex');
    hash.update(chunk.subarray(0, bytesRead));
    done += bytesRead;
    advance(done);
  }
}

/** The first `length` bytes of a file, fewer when it is shorter, with the file's own stamp. */
export function readHead(path: string, length: number): { head: Buffer; stamp: FileStamp } {
  const fd = openSync(path, constants.O_RDONLY);
  try {
    const stats = fstatSync(fd, { bigint: true });
    const head = Buffer.alloc(length);
    const count = stats.isFile() ? readSync(fd, head, 0, length, 0) : 0;
    return { head: head.subarray(0, count), stamp: stampOf(stats) };
  } finally {
    closeSync(fd);
  }
}

/** Makes a folder's own entries durable: a rename is only safe from a power cut once its folder is written. */
export async function syncDirectory(path: string): Promise<void> {
  const handle = await open(path, constants.O_RDONLY);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** The nearest ancestor of `path`, itself included, that exists. */
export async function existingAncestor(
  path: string,
): Promise<{ readonly path: string; readonly stats: Stats }> {
  for (let candidate = path; ; candidate = dirname(candidate)) {
    try {
      return { path: candidate, stats: await stat(candidate) };
    } catch (error) {
      if (!isAbsent(error) || candidate === dirname(candidate)) throw fileError(error, candidate);
    }
  }
}

/**
 * Makes a folder and those above it, one by one: Node's recursive `mkdir` says "no such file" on a read-only file system.
 */
export async function makeFolders(path: string): Promise<void> {
  const missing: string[] = [];
  const { path: existing, stats } = await existingAncestor(path);
  if (!stats.isDirectory()) {
    throw tfeError('TFE_CACHE_UNUSABLE', { path, problem: `${existing} is not a folder` });
  }
  for (let folder = path; folder !== existing; folder = dirname(folder)) missing.unshift(folder);
  for (const folder of missing) {
    try {
      await mkdir(folder);
    } catch (error) {
      // Another installation may be making the same folders.
      if (errnoOf(error) !== 'EEXIST') throw fileError(error, folder);
    }
  }
}

/** Fails before the work starts when it cannot end: the disk under `path` must have `needed` bytes. */
export async function requireSpace(path: string, needed: number): Promise<void> {
  let available: number;
  try {
    const disk = await statfs(path);
    available = disk.bavail * disk.bsize;
  } catch {
    // A file system that cannot say how full it is may still be writable; ENOSPC is handled where it arises.
    return;
  }
  if (available < needed) throw tfeError('TFE_DISK_FULL', { path, needed, available });
}
