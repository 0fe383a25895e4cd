/** Writes the manifest of an installed library; manifest.ts reads it, at every load. */
import { randomBytes } from 'node:crypto';
import { open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { syncDirectory } from './disk';
import { UNFINISHED_MANIFEST, type Manifest } from './manifest';
import { MANIFEST_NAME } from './paths';

/** Writes the manifest so that a reader finds the old one or the new one, never a part. */
export async function writeManifest(directory: string, manifest: Manifest): Promise<void> {
  const unfinished = join(
    directory,
    `${UNFINISHED_MANIFEST}${process.pid}-${randomBytes(4).toString('hex')}`,
  );
  try {
    const handle = await open(unfinished, 'wx', 0o644);
    try {
      await handle.writeFile(`${JSON.stringify(manifest, null, 2)}\n`);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(unfinished, join(directory, MANIFEST_NAME));
  } catch (error) {
    await rm(unfinished, { force: true }).catch(() => undefined);
    throw error;
  }
  await syncDirectory(directory);
}
