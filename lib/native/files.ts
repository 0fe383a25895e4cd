/** What a load asks of a file, and how the operating system's refusals read. Knows nothing of TensorFlow. */
import { closeSync, constants, fstatSync, openSync, readSync, type BigIntStats } from 'node:fs';
import { messageOf } from '../describe';

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
