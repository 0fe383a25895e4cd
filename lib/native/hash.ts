/** SHA-256 of files. A load needs none, so it does not pay for `node:crypto`. */
import { createHash, type Hash } from 'node:crypto';
import { closeSync, readSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { openFileSync } from './files';

/** Large enough that hashing is bound by the hash, small enough to stay in the CPU's cache hierarchy. */
const CHUNK_BYTES = 4 << 20;

/** SHA-256 of a file, read in one go on this thread: for the loader, which has nothing else to do. */
export function hashFileSync(path: string): string {
  const hash = createHash('sha256');
  const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
  const { fd } = openFileSync(path);
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
