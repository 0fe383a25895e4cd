/**
 * Hashes an installed library against the pin and, when it is right, records it: the manifest follows the files,
 * never the other way round.
 */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { tfeError } from '../errors';
import { openFile } from './disk';
import { isAbsent, problemOf, sameStamp, stampOf, type FileStamp } from './files';
import { hashHandle } from './hash';
import { IMAGE_HEAD_BYTES, imageProblem } from './image';
import { folderInode, requireFolder, type LocateOptions } from './locate';
import { manifestIfReadable, type Manifest, type ManifestFile } from './manifest';
import { writeManifest } from './write-manifest';
import { runtimePlace, type RuntimePlace } from './paths';
import {
  artefactFor,
  defaultPin,
  librariesOf,
  variantsFor,
  type Pin,
  type PinnedLibrary,
  type Variant,
} from './pin';
import { currentPlatform, type PlatformId } from './platforms';

export interface VerifyOptions extends LocateOptions {
  readonly signal?: AbortSignal;
  /** Hears which file is being hashed and how far it is. */
  readonly progress?: (name: string, done: number, total: number) => void;
}

export interface VerifiedFile {
  readonly name: string;
  readonly path: string;
  readonly ok: boolean;
  /** What is wrong with it; null when nothing is. */
  readonly problem: string | null;
  readonly size: number | null;
  readonly sha256: string | null;
  readonly expected: { readonly size: number; readonly sha256: string };
}

export interface VerifyReport {
  readonly directory: string;
  readonly source: 'cache' | 'env';
  readonly version: string;
  readonly variant: Variant;
  readonly platform: PlatformId;
  readonly ok: boolean;
  readonly files: readonly VerifiedFile[];
  /**
   * `kept`: it records these files already; `written`: it was missing, corrupt or out of date and is right now;
   * `unwritable`: the files are right but the folder takes no manifest; `none`: a file is wrong.
   */
  readonly manifest: 'kept' | 'written' | 'unwritable' | 'none';
  /** Why the manifest is `unwritable`. */
  readonly manifestProblem: string | null;
}

/** More replacements than that within the time of hashing are no coincidence. */
const ATTEMPTS = 5;

/**
 * Hashes both libraries against the pin. Where an installation replaces them meanwhile, the new ones are hashed.
 *
 * @throws TFE_RUNTIME_NOT_INSTALLED, TFE_PLATFORM_UNSUPPORTED, TFE_RUNTIME_ENVIRONMENT. A wrong file is no error
 *   here: it is the answer, `ok: false`.
 */
export async function verifyRuntime(options: VerifyOptions = {}): Promise<VerifyReport> {
  for (let attempt = 1; ; attempt += 1) {
    const { report, isCurrent } = await verifyOnce(options);
    if (isCurrent || attempt === ATTEMPTS) return report;
  }
}

/** `isCurrent`: the files that were hashed are those that lie there now, and no manifest speaks of others. */
async function verifyOnce(
  options: VerifyOptions,
): Promise<{ readonly report: VerifyReport; readonly isCurrent: boolean }> {
  const env = options.env ?? process.env;
  const pin = options.pin ?? defaultPin();
  const platform = options.platform ?? currentPlatform();
  const asked = options.variant ?? 'cpu';
  const place = runtimePlace(platform, asked, env, options.home);
  const { directory, source } = place;
  requireFolder(place, asked);

  const before = folderInode(directory);
  const variant = nearestVariant(place, platform, options.variant, pin);
  const artefact = artefactFor(platform, variant, pin);

  const checked: Awaited<ReturnType<typeof verifyLibrary>>[] = [];
  for (const library of librariesOf(artefact)) {
    checked.push(await verifyLibrary(directory, library, platform, options));
  }
  const isUnchanged = (): boolean =>
    folderInode(directory) === before && checked.every(({ file, stamp }) => isAt(file.path, stamp));
  // Here already: the manifest of files that are gone must not come to lie beside those that took their place.
  const wereReplaced = !isUnchanged();
  const files = checked.map(({ file }) =>
    wereReplaced && file.ok
      ? { ...file, ok: false, problem: 'it was replaced while it was hashed' }
      : file,
  );
  const ok = files.every((file) => file.ok);
  const base = { directory, source, version: pin.tensorflow, variant, platform, ok, files };
  if (!ok) {
    const report: VerifyReport = { ...base, manifest: 'none', manifestProblem: null };
    return { report, isCurrent: !wereReplaced };
  }

  const previous = manifestIfReadable(directory);
  const portable = previous?.portable === true;
  const records: ManifestFile[] = checked.map(({ file, stamp }) => ({
    name: file.name,
    sha256: file.expected.sha256,
    ...(portable ? { size: stamp!.size } : stamp!),
  }));
  if (previous !== null && records.every((record) => isRecorded(record, previous, base))) {
    return { report: { ...base, manifest: 'kept', manifestProblem: null }, isCurrent: true };
  }
  const report = { ...base, ...(await record(base, previous, records)) };
  return { report, isCurrent: isUnchanged() };
}

/** Whether the file that was hashed still lies at its path. True for one that was not hashed: it is wrong anyhow. */
function isAt(path: string, stamp: FileStamp | null): boolean {
  if (stamp === null) return true;
  try {
    return sameStamp(stampOf(statSync(path, { bigint: true })), stamp);
  } catch {
    return false;
  }
}

/**
 * The variant that a folder is held against: the one that was asked for; in the cache the default one, whose folder it is; else
 * the one that the sizes of its files point to, or the first when they point to none.
 */
export function nearestVariant(
  { directory, source }: RuntimePlace,
  platform: PlatformId,
  asked: Variant | undefined,
  pin: Pin,
): Variant {
  if (asked !== undefined) return asked;
  if (source === 'cache') return 'cpu';
  const variants = variantsFor(platform, pin);
  const match = variants.find((variant) =>
    librariesOf(artefactFor(platform, variant, pin)).some(
      ({ name, size }) => sizeOf(join(directory, name)) === size,
    ),
  );
  return match ?? variants[0]!;
}

/** Undefined where nothing can be known of it; what reads the file says why. */
function sizeOf(path: string): number | undefined {
  try {
    return statSync(path).size;
  } catch {
    return undefined;
  }
}

async function verifyLibrary(
  directory: string,
  library: PinnedLibrary,
  platform: PlatformId,
  { progress, signal }: VerifyOptions,
): Promise<{ readonly file: VerifiedFile; readonly stamp: FileStamp | null }> {
  const path = join(directory, library.name);
  const expected = { size: library.size, sha256: library.sha256 };
  const bad = (problem: string, facts: Partial<VerifiedFile> = {}) => ({
    file: {
      name: library.name,
      path,
      ok: false,
      problem,
      size: null,
      sha256: null,
      expected,
      ...facts,
    },
    stamp: null,
  });
  let file: Awaited<ReturnType<typeof openFile>>;
  try {
    file = await openFile(path);
  } catch (error) {
    return bad(isAbsent(error) ? 'it is missing' : problemOf(error));
  }
  const { handle, stats: before } = file;
  try {
    const size = Number(before.size);
    const head = Buffer.alloc(IMAGE_HEAD_BYTES);
    const { bytesRead } = await handle.read(head, 0, head.length, 0);
    const deviation = imageProblem(platform, head.subarray(0, bytesRead));
    if (deviation !== undefined) {
      return bad(`it is not ${deviation.expected}: ${deviation.problem}`, { size });
    }
    if (size !== library.size) {
      return bad(`it has ${size} bytes, pinned are ${library.size}`, { size });
    }
    const sha256 = await hashHandle(handle, (done) => progress?.(library.name, done, size), signal);
    const facts = { size, sha256 };
    if (sha256 !== library.sha256) {
      return bad(`its SHA-256 is ${sha256}, pinned is ${library.sha256}`, facts);
    }
    const stamp = stampOf(before);
    if (!sameStamp(stamp, stampOf(await handle.stat({ bigint: true })))) {
      return bad('it was changed while it was hashed', facts);
    }
    return {
      file: { name: library.name, path, ok: true, problem: null, ...facts, expected },
      stamp,
    };
  } finally {
    await handle.close();
  }
}

type Subject = Pick<VerifyReport, 'directory' | 'source' | 'version' | 'variant' | 'platform'>;

function isRecorded(record: ManifestFile, manifest: Manifest, subject: Subject): boolean {
  const before = manifest.files.find(({ name }) => name === record.name);
  return (
    manifest.tensorflow === subject.version &&
    manifest.variant === subject.variant &&
    manifest.platform === subject.platform &&
    before?.sha256 === record.sha256 &&
    before.size === record.size &&
    before.inode === record.inode &&
    before.mtimeMs === record.mtimeMs
  );
}

async function record(
  subject: Subject,
  previous: Manifest | null,
  files: readonly ManifestFile[],
): Promise<Pick<VerifyReport, 'manifest' | 'manifestProblem'>> {
  const { directory } = subject;
  const libraries = new Set(files.map(({ name }) => name));
  // What is in the cache came from an installation, even when its manifest got lost.
  const origin = previous?.origin ?? (subject.source === 'cache' ? 'install' : 'verify');
  const wheelSha256 = previous?.wheelSha256;
  try {
    await writeManifest(directory, {
      schema: 1,
      tensorflow: subject.version,
      platform: subject.platform,
      variant: subject.variant,
      origin,
      ...(previous?.portable === true ? { portable: true } : {}),
      ...(wheelSha256 === undefined ? {} : { wheelSha256 }),
      files: [...files, ...(previous?.files ?? []).filter(({ name }) => !libraries.has(name))],
    });
    return { manifest: 'written', manifestProblem: null };
  } catch (error) {
    // No failure: the answer that was asked for is known, and the caller says what the missing manifest means.
    return { manifest: 'unwritable', manifestProblem: problemOf(error) };
  }
}

/** The error for a report that is not ok, for callers to whom a wrong file is a failure. */
export function verifyError(report: VerifyReport): Error {
  const file = report.files.find(({ ok }) => !ok)!;
  return file.sha256 === null
    ? tfeError('TFE_RUNTIME_NOT_AN_IMAGE', {
        path: file.path,
        expected: `the library of TensorFlow ${report.version}`,
        problem: file.problem ?? 'it is wrong',
        variant: report.variant,
      })
    : tfeError('TFE_RUNTIME_HASH', {
        path: file.path,
        sha256: file.sha256,
        expected: file.expected.sha256,
        variant: report.variant,
      });
}
