/**
 * Finds the installed library at every load, without reading its 850 MB. Owns the rules that decide whether a
 * folder may be loaded from; repairs nothing and writes nothing.
 */
import { realpathSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { tfeError } from '../errors';
import { errnoOf, isAbsent, isNoFile, problemOf, readHead, type FileStamp } from './files';
import { IMAGE_HEAD_BYTES, imageName, imageProblem } from './image';
import { readManifest, type Manifest } from './manifest';
import {
  MANIFEST_NAME,
  runtimePlace,
  verifiesFully,
  type Environment,
  type RuntimePlace,
} from './paths';
import {
  artefactFor,
  defaultPin,
  librariesOf,
  variantsFor,
  type Artefact,
  type Pin,
  type PinnedLibrary,
  type Variant,
} from './pin';
import { currentPlatform, type PlatformId } from './platforms';

export interface LocateOptions {
  /** Default: `cpu` in the cache; whatever `TFE_NODE_RUNTIME` holds. */
  readonly variant?: Variant;
  readonly platform?: PlatformId;
  readonly env?: Environment;
  readonly home?: string;
  readonly pin?: Pin;
}

export interface RuntimeLocation {
  /** Canonical path of the folder that holds both libraries. */
  readonly directory: string;
  readonly ccPath: string;
  readonly frameworkPath: string;
  /** TensorFlow's version, as `TF_Version()` must answer. */
  readonly version: string;
  readonly variant: Variant;
  readonly platform: PlatformId;
  /** Null only for a folder that `TFE_NODE_RUNTIME` names and that was never verified. */
  readonly manifest: Manifest | null;
  readonly source: 'cache' | 'env';
  /** What says that the files are the pinned ones. */
  readonly evidence: 'manifest' | 'hash' | 'size';
  /** A sentence for the user where the evidence is weaker than it could be. */
  readonly notice: string | null;
}

/**
 * The installed library, ready to be opened.
 *
 * Per file it compares what tells a changed file from the checked one: header, size, inode and modification time; in a
 * folder that was made to be copied (`install --dest`), header and size.
 * `TFE_NODE_VERIFY=full` hashes both libraries as well (about 2 s).
 *
 * @throws TFE_PLATFORM_UNSUPPORTED, TFE_VARIANT_UNAVAILABLE, TFE_RUNTIME_ENVIRONMENT
 * @throws TFE_RUNTIME_NOT_INSTALLED and the other TFE_RUNTIME_* codes, one per fact that can fail
 */
export function locateRuntime(options: LocateOptions = {}): RuntimeLocation {
  const env = options.env ?? process.env;
  const pin = options.pin ?? defaultPin();
  const platform = options.platform ?? currentPlatform();
  const full = verifiesFully(env);
  const asked = options.variant ?? 'cpu';
  // Before the disk is asked: a variant that does not exist cannot be missing.
  if (options.variant !== undefined) artefactFor(platform, options.variant, pin);
  const place = runtimePlace(platform, asked, env, options.home);
  // An installation may replace the folder while it is looked at; then the manifest read is the old folder's and the files
  // compared with it are the new one's.
  for (let attempt = 1; ; attempt += 1) {
    const before = folderInode(place.directory);
    try {
      return lookInto(place, platform, options.variant, pin, full);
    } catch (error) {
      if (attempt === ATTEMPTS || folderInode(place.directory) === before) throw error;
    }
  }
}

/** More replacements than that within a millisecond are no coincidence. */
const ATTEMPTS = 5;

/** Which folder lies at a path at this moment; undefined for none. */
export function folderInode(directory: string): bigint | undefined {
  try {
    return statSync(directory, { bigint: true }).ino;
  } catch {
    return undefined;
  }
}

function lookInto(
  place: RuntimePlace,
  platform: PlatformId,
  variant: Variant | undefined,
  pin: Pin,
  full: boolean,
): RuntimeLocation {
  const asked = variant ?? 'cpu';
  requireFolder(place, asked);
  const manifest = readManifest(place.directory, asked);
  if (manifest === null) {
    if (place.source === 'cache') {
      throw tfeError('TFE_RUNTIME_MANIFEST_MISSING', {
        directory: place.directory,
        variant: asked,
      });
    }
    return locateUnrecorded(place, platform, variant, pin, full);
  }

  const { directory } = place;
  if (manifest.tensorflow !== pin.tensorflow) {
    throw tfeError('TFE_RUNTIME_OTHER_VERSION', {
      directory,
      found: manifest.tensorflow,
      expected: pin.tensorflow,
      variant: asked,
    });
  }
  if (manifest.platform !== platform) {
    throw tfeError('TFE_RUNTIME_OTHER_PLATFORM', {
      directory,
      found: manifest.platform,
      expected: platform,
      variant: asked,
    });
  }
  const expectedVariant = place.source === 'cache' ? asked : variant;
  if (expectedVariant !== undefined && manifest.variant !== expectedVariant) {
    throw tfeError('TFE_RUNTIME_OTHER_VARIANT', {
      directory,
      found: manifest.variant,
      expected: expectedVariant,
    });
  }

  const artefact = artefactFor(platform, manifest.variant, pin);
  for (const library of librariesOf(artefact)) {
    const path = join(directory, library.name);
    const stamp = openImage(path, platform, manifest.variant);
    requireRecorded(path, stamp, library, manifest, full);
    if (full) requireHash(path, library, manifest.variant);
  }
  return {
    ...located(place, platform, manifest.variant, artefact, pin),
    manifest,
    evidence: full ? 'hash' : 'manifest',
    notice: null,
  };
}

/**
 * The variant whose library sizes a folder has, or undefined when it has those of none.
 *
 * @throws TFE_RUNTIME_LIBRARY_MISSING, TFE_RUNTIME_NOT_AN_IMAGE
 */
function variantBySize(
  directory: string,
  platform: PlatformId,
  candidates: readonly Variant[],
  pin: Pin,
): Variant | undefined {
  return candidates.find((variant) =>
    librariesOf(artefactFor(platform, variant, pin)).every(
      ({ name, size }) => openImage(join(directory, name), platform, variant).size === size,
    ),
  );
}

/** A folder that another program made, such as an installed Python package: sizes are all there is to go by. */
function locateUnrecorded(
  place: RuntimePlace,
  platform: PlatformId,
  asked: Variant | undefined,
  pin: Pin,
  full: boolean,
): RuntimeLocation {
  const candidates = asked === undefined ? variantsFor(platform, pin) : [asked];
  const variant = variantBySize(place.directory, platform, candidates, pin);
  if (variant === undefined) throw unpinned(place.directory, platform, candidates, pin);
  const artefact = artefactFor(platform, variant, pin);
  if (full) {
    for (const library of librariesOf(artefact)) {
      requireHash(join(place.directory, library.name), library, variant);
    }
  }
  return {
    ...located(place, platform, variant, artefact, pin),
    manifest: null,
    evidence: full ? 'hash' : 'size',
    notice: full
      ? null
      : `The TensorFlow library in ${place.directory} (TFE_NODE_RUNTIME) was recognised by its files' sizes only. ` +
        'Run `npx tfe-node runtime verify` once: it hashes the files and leaves a manifest by which later loads recognise them.',
  };
}

function located(
  place: RuntimePlace,
  platform: PlatformId,
  variant: Variant,
  artefact: Artefact,
  pin: Pin,
): Omit<RuntimeLocation, 'manifest' | 'evidence' | 'notice'> {
  // Canonical, so that the path can be compared with what the dynamic loader reports as mapped.
  const directory = realpathSync(place.directory);
  return {
    directory,
    ccPath: join(directory, artefact.libraries.cc.name),
    frameworkPath: join(directory, artefact.libraries.framework.name),
    version: pin.tensorflow,
    variant,
    platform,
    source: place.source,
  };
}

/** @throws TFE_RUNTIME_NOT_INSTALLED when there is no such folder */
export function requireFolder({ directory, source }: RuntimePlace, variant: Variant): void {
  let isFolder: boolean;
  try {
    isFolder = statSync(directory).isDirectory();
  } catch (error) {
    if (isAbsent(error)) {
      throw tfeError('TFE_RUNTIME_NOT_INSTALLED', { directory, variant, source });
    }
    throw tfeError(
      'TFE_CACHE_UNUSABLE',
      { path: directory, problem: problemOf(error) },
      { cause: error },
    );
  }
  if (!isFolder) {
    throw tfeError('TFE_CACHE_UNUSABLE', { path: directory, problem: 'it is not a folder' });
  }
}

/** The stamp of a library file whose header is right for the platform. */
function openImage(path: string, platform: PlatformId, variant: Variant): FileStamp {
  let file: ReturnType<typeof readHead>;
  try {
    file = readHead(path, IMAGE_HEAD_BYTES);
  } catch (error) {
    if (isAbsent(error)) {
      throw tfeError('TFE_RUNTIME_LIBRARY_MISSING', { path, variant }, { cause: error });
    }
    const problem = errnoOf(error) === undefined ? String(error) : problemOf(error);
    if (isNoFile(error)) {
      const facts = { path, expected: imageName(platform), problem, variant };
      throw tfeError('TFE_RUNTIME_NOT_AN_IMAGE', facts, { cause: error });
    }
    throw tfeError('TFE_CACHE_UNUSABLE', { path, problem }, { cause: error });
  }
  const deviation = imageProblem(platform, file.head);
  if (deviation !== undefined) {
    throw tfeError('TFE_RUNTIME_NOT_AN_IMAGE', { path, ...deviation, variant });
  }
  return file.stamp;
}

/** Compares a file with what the manifest recorded of it, and what was recorded with the pin. */
function requireRecorded(
  path: string,
  stamp: FileStamp,
  library: PinnedLibrary,
  manifest: Manifest,
  full: boolean,
): void {
  const record = manifest.files.find(({ name }) => name === library.name);
  const corrupt = (problem: string): Error =>
    tfeError('TFE_RUNTIME_MANIFEST_CORRUPT', {
      path: join(path, '..', MANIFEST_NAME),
      problem,
      variant: manifest.variant,
    });
  if (record === undefined) throw corrupt(`it does not list ${library.name}`);
  if (record.sha256 !== library.sha256 || record.size !== library.size) {
    throw corrupt(`what it records of ${library.name} is not what is pinned`);
  }
  const changed = (what: string, recorded: number | string, found: number | string): Error =>
    tfeError('TFE_RUNTIME_CHANGED', {
      path,
      what,
      recorded: String(recorded),
      found: String(found),
    });
  if (stamp.size !== record.size) throw changed('size', record.size, stamp.size);
  // With the content hashed, where it lies and when it was written add nothing; a portable folder may lie anywhere.
  if (full || manifest.portable === true) return;
  if (record.inode === undefined || record.mtimeMs === undefined) {
    throw corrupt(`it records no inode and time of ${library.name}`);
  }
  if (stamp.inode !== record.inode) throw changed('inode', record.inode, stamp.inode);
  if (stamp.mtimeMs !== record.mtimeMs) {
    throw changed('modification time', isoTime(record.mtimeMs), isoTime(stamp.mtimeMs));
  }
}

function requireHash(path: string, library: PinnedLibrary, variant: Variant): void {
  // Loaded on use: only a full verification pays for `node:crypto`.
  const { hashFileSync } = require('./hash') as typeof import('./hash');
  const sha256 = hashFileSync(path);
  if (sha256 !== library.sha256) {
    throw tfeError('TFE_RUNTIME_HASH', { path, sha256, expected: library.sha256, variant });
  }
}

function unpinned(
  directory: string,
  platform: PlatformId,
  candidates: readonly Variant[],
  pin: Pin,
): Error {
  const artefacts = candidates.map((variant) => artefactFor(platform, variant, pin));
  const stem = (['framework', 'cc'] as const).find((which) => {
    const { name } = artefacts[0]!.libraries[which];
    const { size } = openImage(join(directory, name), platform, candidates[0]!);
    return artefacts.every(({ libraries }) => libraries[which].size !== size);
  });
  // Each file has a pinned size but not of the same build when no single file deviates.
  const which = stem ?? 'framework';
  const path = join(directory, artefacts[0]!.libraries[which].name);
  return tfeError('TFE_RUNTIME_UNPINNED', {
    path,
    size: openImage(path, platform, candidates[0]!).size,
    expected: artefacts.map(({ libraries }) => libraries[which].size),
    version: pin.tensorflow,
  });
}

/** A time as text, with the fraction of a millisecond that tells two writes apart. */
function isoTime(ms: number): string {
  return `${new Date(ms).toISOString()} (${ms} ms)`;
}
