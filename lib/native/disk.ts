/**
 * The file-system steps that an installation is made of, with the operating system's refusals turned into errors
 * that name the path and the way out. Knows nothing of TensorFlow.
 */
import { constants, type BigIntStats, type Stats } from 'node:fs';
import { mkdir, open, stat, statfs, type FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import { isTfeError, tfeError } from '../errors';
import { errnoOf, isAbsent, problemOf, READ_WITHOUT_WAITING, requireFile } from './files';

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

/** Opens a regular file for reading, and nothing else, off the event loop. The caller closes it. */
export async function openFile(
  path: string,
): Promise<{ readonly handle: FileHandle; readonly stats: BigIntStats }> {
  const handle = await open(path, READ_WITHOUT_WAITING);
  try {
    return { handle, stats: requireFile(await handle.stat({ bigint: true })) };
  } catch (error) {
    await handle.close();
    throw error;
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
