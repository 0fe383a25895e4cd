/** What a load asks of a file, and how the operating system's refusals read. Knows nothing of TensorFlow. */
import {
  closeSync,
  constants,
  fstatSync,
  openSync,
  readFileSync,
  readSync,
  type BigIntStats,
} from 'node:fs';
import { messageOf } from '../describe';

export function errnoOf(error: unknown): string | undefined {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === 'string' ? code : undefined;
}

/** What Node's permission model throws. */
export interface PermissionRefusal {
  /** `'FileSystemRead'`, `'FileSystemWrite'`, `'ChildProcess'`; newer Nodes have more. */
  readonly permission: string;
  /** The file, where it is one. */
  readonly resource?: string;
}

/** The refusal of Node's permission model in `error` or behind it: a step may have typed it, as a folder that cannot be used. */
export function permissionRefusal(error: unknown): PermissionRefusal | undefined {
  return [error, (error as { cause?: unknown } | null)?.cause].find(
    (candidate): candidate is PermissionRefusal => errnoOf(candidate) === 'ERR_ACCESS_DENIED',
  );
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

/** A pipe without a writer would hold the thread that opens it for ever, and nothing could end the wait. */
export const READ_WITHOUT_WAITING = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);

/** Where there is something else than a file. Not every system has a number for that; this is the name in those that do. */
const NO_FILE = 'EFTYPE';

/** Whether the error says that a path leads to something else than a file, or in a circle. */
export function isNoFile(error: unknown): boolean {
  const code = errnoOf(error);
  return code === NO_FILE || code === 'EISDIR' || code === 'ELOOP' || code === 'ENXIO';
}

/** @throws where they are those of something else than a regular file; {@link isNoFile} knows the error */
export function requireFile(stats: BigIntStats): BigIntStats {
  if (stats.isFile()) return stats;
  throw Object.assign(new Error('it is not a regular file'), { code: NO_FILE });
}

/**
 * Opens a regular file for reading, and nothing else: a device or a pipe may never end. The caller closes it.
 *
 * @throws the system's refusals, and as {@link requireFile}
 */
export function openFileSync(path: string): { readonly fd: number; readonly stats: BigIntStats } {
  const fd = openSync(path, READ_WITHOUT_WAITING);
  try {
    return { fd, stats: requireFile(fstatSync(fd, { bigint: true })) };
  } catch (error) {
    closeSync(fd);
    throw error;
  }
}

/** The first `length` bytes of a file, fewer when it is shorter, with the file's own stamp. */
export function readHead(path: string, length: number): { head: Buffer; stamp: FileStamp } {
  const { fd, stats } = openFileSync(path);
  try {
    const head = Buffer.alloc(length);
    return { head: head.subarray(0, readSync(fd, head, 0, length, 0)), stamp: stampOf(stats) };
  } finally {
    closeSync(fd);
  }
}

/** A whole text file. @throws also when it has more than `most` bytes */
export function readText(path: string, most: number): string {
  const { fd, stats } = openFileSync(path);
  try {
    if (stats.size > BigInt(most)) {
      throw Object.assign(new Error(`it has ${stats.size} bytes, more than ${most}`), {
        code: 'EFBIG',
      });
    }
    return readFileSync(fd, 'utf8');
  } finally {
    closeSync(fd);
  }
}
