/**
 * The manifest beside an installed library: what was checked, and the stamps by which a later load recognises the
 * very files that were checked. Owns reading it; write-manifest.ts writes it, and what it must say
 * is decided by its readers.
 */
import { join } from 'node:path';
import { isTfeError, tfeError } from '../errors';
import { isAbsent, problemOf, readText, type FileStamp } from './files';
import { MANIFEST_NAME } from './paths';
import type { Variant } from './pin';
import type { PlatformId } from './platforms';

export interface ManifestFile extends Partial<Omit<FileStamp, 'size'>> {
  readonly size: number;
  readonly name: string;
  readonly sha256: string;
}

export interface Manifest {
  readonly schema: 1;
  readonly tensorflow: string;
  readonly platform: PlatformId;
  readonly variant: Variant;
  /** `install`: the whole folder is ours. `verify`: only this manifest is, the libraries were there before. */
  readonly origin: 'install' | 'verify';
  /**
   * The folder is made to be copied, into a container image for example: inodes and times are not recorded, and a load goes by
   * names, headers and sizes.
   */
  readonly portable?: true;
  /** The wheel that the files came from; unknown where they were there before. */
  readonly wheelSha256?: string;
  readonly files: readonly ManifestFile[];
}

/** Prefix of a manifest that is still being written. */
export const UNFINISHED_MANIFEST = `.${MANIFEST_NAME}.`;

/** A thousand times what one takes. */
const LARGEST_BYTES = 1 << 20;

/**
 * The manifest of a folder, or null when it has none.
 *
 * @throws TFE_RUNTIME_MANIFEST_CORRUPT when it is no JSON, or not a manifest's shape.
 */
export function readManifest(directory: string, variant: Variant): Manifest | null {
  const path = join(directory, MANIFEST_NAME);
  const corrupt = (problem: string, cause?: unknown): Error =>
    tfeError('TFE_RUNTIME_MANIFEST_CORRUPT', { path, problem, variant }, { cause });
  let text: string;
  try {
    text = readText(path, LARGEST_BYTES);
  } catch (error) {
    if (isAbsent(error)) return null;
    throw corrupt(problemOf(error), error);
  }
  let data: unknown;
  try {
    data = JSON.parse(text);
  } catch (error) {
    throw corrupt(`it is not JSON (${(error as Error).message})`, error);
  }
  // Loaded on use, as in pin.ts.
  const { check, manifestSchema } = require('./schema') as typeof import('./schema');
  const result = check(manifestSchema, data);
  if ('problem' in result)
    throw corrupt(`it is not a manifest of this version (${result.problem})`);
  return result.value as Manifest;
}

/** The manifest, or null where there is none that can be read. */
export function manifestIfReadable(directory: string): Manifest | null {
  try {
    // The variant goes into the error only.
    return readManifest(directory, 'cpu');
  } catch (error) {
    if (isTfeError(error)) return null;
    throw error;
  }
}
