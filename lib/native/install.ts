/**
 * Installs and removes the pinned library. Owns the order of the steps, which is what makes an installation safe to kill:
 * everything happens in a staging folder beside the target, and one rename makes it visible.
 */
import { readlinkSync, realpathSync } from 'node:fs';
import { mkdir, readdir, rename, rm, rmdir, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { isTfeError, tfeError, type TfeErrorCode } from '../errors';
import { at, existingAncestor, fileError, makeFolders, requireSpace, syncDirectory } from './disk';
import { errnoOf, isAbsent, stampOf } from './files';
import { locateRuntime, type LocateOptions, type RuntimeLocation } from './locate';
import { manifestIfReadable, UNFINISHED_MANIFEST, type Manifest } from './manifest';
import { writeManifest } from './write-manifest';
import { MANIFEST_NAME, runtimePlace, type RuntimePlace } from './paths';
import { fetchWheel } from './pip';
import { copyPackage, findPythonPackage } from './python';
import { artefactFor, defaultPin, filesOf, type Artefact, type Pin, type Variant } from './pin';
import { currentPlatform, type PlatformId } from './platforms';
import { makeStaging, sweepStaging } from './staging';
import { verifyError, verifyRuntime } from './verify';
import { extractEntry, findEntries, openArchive, openWheel } from './wheel';

/** What an installation is doing; each begins a step except `progress` and `output`. */
export type InstallEvent =
  | { readonly step: 'check'; readonly directory: string }
  | { readonly step: 'stage'; readonly staging: string; readonly swept: readonly string[] }
  | { readonly step: 'fetch'; readonly file: string; readonly size: number; readonly pip: string }
  | { readonly step: 'output'; readonly text: string }
  | { readonly step: 'python'; readonly directory: string; readonly project: string }
  | { readonly step: 'copy'; readonly file: string; readonly size: number }
  | { readonly step: 'omit'; readonly file: string; readonly problem: string }
  | { readonly step: 'hash'; readonly file: string; readonly size: number }
  | { readonly step: 'extract'; readonly file: string; readonly size: number }
  | { readonly step: 'progress'; readonly done: number; readonly total: number }
  | { readonly step: 'seal' }
  | { readonly step: 'aside'; readonly directory: string }
  | { readonly step: 'placed'; readonly directory: string };

export interface InstallOptions extends LocateOptions {
  /** A wheel that lies here already; without it pip fetches one. */
  readonly wheel?: string;
  /** The Python whose installed TensorFlow the files are copied from; nothing is fetched then. Not together with `wheel`. */
  readonly fromPython?: string;
  /**
   * Absolute path of the folder to install into, instead of the place where the library is looked for. The folder is made to be
   * copied: it stays good in a container image or on another machine, where `TFE_NODE_RUNTIME` names it.
   */
  readonly dest?: string;
  /** Replace a copy even if it is good. */
  readonly force?: boolean;
  /** Whether pip may use the terminal for its progress bar. Default: false. */
  readonly terminal?: boolean;
  readonly report?: (event: InstallEvent) => void;
  /** Aborting removes what was staged and ends with TFE_INSTALL_INTERRUPTED. */
  readonly signal?: AbortSignal;
}

export interface InstallResult {
  readonly location: RuntimeLocation;
  /**
   * `installed`: this call put it there; `present`: a good copy was there, or another installation was faster;
   * `recorded`: the pinned files were there and only their manifest had to be written.
   */
  readonly outcome: 'installed' | 'present' | 'recorded';
}

/** What `locateRuntime` may say of a folder whose libraries can still be the pinned ones. */
const WORTH_HASHING: ReadonlySet<TfeErrorCode> = new Set<TfeErrorCode>([
  'TFE_RUNTIME_MANIFEST_MISSING',
  'TFE_RUNTIME_MANIFEST_CORRUPT',
  'TFE_RUNTIME_CHANGED',
]);

/** What it may say of a folder that has to be filled or filled anew. */
const WORTH_REPLACING: ReadonlySet<TfeErrorCode> = new Set<TfeErrorCode>([
  ...WORTH_HASHING,
  'TFE_RUNTIME_NOT_INSTALLED',
  'TFE_RUNTIME_OTHER_VERSION',
  'TFE_RUNTIME_OTHER_PLATFORM',
  'TFE_RUNTIME_OTHER_VARIANT',
  'TFE_RUNTIME_LIBRARY_MISSING',
  'TFE_RUNTIME_NOT_AN_IMAGE',
  'TFE_RUNTIME_UNPINNED',
  'TFE_RUNTIME_HASH',
]);

/** How often placing is tried when other installations keep getting in between. */
const PLACING_ATTEMPTS = 5;

/** Far longer than the two renames between which there is no copy. */
const REPLACING_MS = 50;

/** What is wrong with a mount point as the target. */
const MOUNTED = 'a file system is mounted there; name a folder inside it';

/** Directory blocks and the manifest, beside the files themselves. */
const SLACK_BYTES = 1 << 20;

/**
 * Puts the pinned library where {@link locateRuntime} finds it. Does nothing when a good copy is there.
 *
 * Killed at any moment it leaves the good copy or none; two at once leave one good copy. On an error nothing is left behind.
 *
 * @throws TFE_PLATFORM_UNSUPPORTED, TFE_VARIANT_UNAVAILABLE, TFE_RUNTIME_ENVIRONMENT, TFE_RUNTIME_FOREIGN
 * @throws TFE_PIP_*, TFE_WHEEL_*, TFE_PYTHON_*: where the files come from
 * @throws TFE_DISK_FULL, TFE_CACHE_*: where they go to
 * @throws TFE_INSTALL_INTERRUPTED when `signal` was aborted
 */
export async function installRuntime(options: InstallOptions = {}): Promise<InstallResult> {
  const installation = prepare(options);
  const { place, report, signal } = installation;
  try {
    report({ step: 'check', directory: place.directory });
    const present = options.force === true ? null : await presentCopy(installation);
    if (present !== null) return present;
    await requireOurs(place, installation.artefact);

    const parent = dirname(place.directory);
    await makeFolders(parent);
    await requireSameDisk(place.directory, parent);
    const swept = await sweepStaging(parent);
    await requireSpace(parent, spaceNeeded(installation));
    const staging = await stagingIn(parent);
    try {
      report({ step: 'stage', staging, swept });
      const finished = join(staging, 'runtime');
      await fill(installation, staging, finished);
      const outcome = await putInPlace(installation, staging, finished);
      return { location: await locatePlaced(installation.locate), outcome };
    } finally {
      // What cannot be removed now is swept by the next installation; the outcome must not depend on it.
      await rm(staging, { recursive: true, force: true, maxRetries: 3 }).catch(() => undefined);
    }
  } catch (error) {
    if (signal.aborted) {
      throw tfeError('TFE_INSTALL_INTERRUPTED', { directory: place.directory }, { cause: error });
    }
    throw error;
  }
}

interface Installation {
  readonly options: InstallOptions;
  readonly locate: LocateOptions & { readonly variant: Variant };
  readonly platform: PlatformId;
  readonly variant: Variant;
  readonly pin: Pin;
  readonly artefact: Artefact;
  readonly place: RuntimePlace;
  /** Whether the folder is made to be copied. */
  readonly portable: boolean;
  readonly report: (event: InstallEvent) => void;
  readonly signal: AbortSignal;
}

function prepare(options: InstallOptions): Installation {
  const { dest } = options;
  const surroundings = options.env ?? process.env;
  const env = dest === undefined ? surroundings : { ...surroundings, TFE_NODE_RUNTIME: dest };
  const pin = options.pin ?? defaultPin();
  const platform = options.platform ?? currentPlatform();
  const variant = options.variant ?? 'cpu';
  return {
    options,
    platform,
    variant,
    pin,
    artefact: artefactFor(platform, variant, pin),
    place: behindLink(runtimePlace(platform, variant, env, options.home)),
    portable: dest !== undefined,
    locate: {
      env,
      pin,
      platform,
      variant,
      ...(options.home === undefined ? {} : { home: options.home }),
    },
    report: options.report ?? (() => undefined),
    signal: options.signal ?? new AbortController().signal,
  };
}

/** The folder that a link leads to, which a rename would replace instead: the folder would stay, and be nobody's. */
function behindLink(place: RuntimePlace): RuntimePlace {
  const { directory } = place;
  let leadsTo: string;
  try {
    leadsTo = readlinkSync(directory);
  } catch {
    return place; // no link
  }
  try {
    return { ...place, directory: realpathSync(directory) };
  } catch (error) {
    // A link to what an installation shall make.
    return isAbsent(error) ? { ...place, directory: resolve(dirname(directory), leadsTo) } : place;
  }
}

/** @throws TFE_CACHE_UNUSABLE where the target is a mount point, before anything is fetched: no rename puts a folder there */
async function requireSameDisk(directory: string, parent: string): Promise<void> {
  const [own, above] = await Promise.all([diskOf(directory), diskOf(parent)]);
  if (own === undefined || own === above) return;
  throw tfeError('TFE_CACHE_UNUSABLE', { path: directory, problem: MOUNTED });
}

/** Undefined where nothing lies at the path, or nothing that can be looked at. */
async function diskOf(path: string): Promise<number | undefined> {
  try {
    return (await stat(path)).dev;
  } catch {
    return undefined;
  }
}

/** A staging folder in `parent`, which a removal may have found empty and removed since it was made. */
async function stagingIn(parent: string): Promise<string> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await makeStaging(parent);
    } catch (error) {
      if (!isAbsent((error as Error).cause) || attempt === PLACING_ATTEMPTS) throw error;
    }
    await makeFolders(parent);
  }
}

/** The copy that is there if it is good, or becomes good by recording it; null when there is work to do. */
async function presentCopy(installation: Installation): Promise<InstallResult | null> {
  const { locate, place, signal, report, portable } = installation;
  const found = tryLocate(locate);
  if ('location' in found && found.location.evidence !== 'size') {
    const { manifest } = found.location;
    if (!portable || manifest === null || manifest.portable === true) {
      return { location: found.location, outcome: 'present' };
    }
    // Checked, but for this place only.
    return makePortable(installation, manifest);
  }
  if ('error' in found && !WORTH_HASHING.has(found.error.code)) {
    if (WORTH_REPLACING.has(found.error.code)) return null;
    throw found.error;
  }
  // Two seconds of hashing may save fetching 274 MB: a copied or restored folder is a good one with a stale manifest.
  let hashing: string | undefined;
  const verified = await verifyRuntime({
    ...locate,
    signal,
    progress: (file, done, total) => {
      if (file !== hashing) report({ step: 'hash', file, size: total });
      hashing = file;
      report({ step: 'progress', done, total });
    },
  });
  if (!verified.ok) {
    if ('location' in found) throw verifyError(verified);
    return null;
  }
  if (verified.manifest === 'unwritable') {
    throw tfeError('TFE_CACHE_FORBIDDEN', {
      path: join(place.directory, MANIFEST_NAME),
      problem: verified.manifestProblem ?? 'it cannot be written',
    });
  }
  const location = locateRuntime(locate);
  return portable && location.manifest !== null
    ? makePortable(installation, location.manifest)
    : { location, outcome: 'recorded' };
}

/** Forgets where the files of a good copy lie, so that copies of it are good as well. */
async function makePortable(
  { locate, place }: Installation,
  manifest: Manifest,
): Promise<InstallResult> {
  const files = manifest.files.map(({ name, sha256, size }) => ({ name, sha256, size }));
  await at(place.directory, () =>
    writeManifest(place.directory, { ...manifest, portable: true, files }),
  );
  return { location: locateRuntime(locate), outcome: 'recorded' };
}

function tryLocate(
  options: LocateOptions,
): { readonly location: RuntimeLocation } | { readonly error: Error & { code: TfeErrorCode } } {
  try {
    return { location: locateRuntime(options) };
  } catch (error) {
    if (isTfeError(error)) return { error };
    throw error;
  }
}

function spaceNeeded({ artefact, options }: Installation): number {
  const files = filesOf(artefact).reduce((sum, { size }) => sum + size, 0);
  const isFetched = options.wheel === undefined && options.fromPython === undefined;
  return files + (isFetched ? artefact.wheel.size : 0) + SLACK_BYTES;
}

/** The copy that was just placed, which another installation with --force may be replacing at this moment. */
async function locatePlaced(locate: LocateOptions): Promise<RuntimeLocation> {
  for (let attempt = 1; ; attempt += 1) {
    const found = tryLocate(locate);
    if ('location' in found) return found.location;
    if (found.error.code !== 'TFE_RUNTIME_NOT_INSTALLED' || attempt === PLACING_ATTEMPTS) {
      throw found.error;
    }
    await delay(REPLACING_MS);
  }
}

/** Gets the files, checks them, and records the result: `finished` then is a whole installation. */
async function fill(installation: Installation, staging: string, finished: string): Promise<void> {
  const { options, report, signal } = installation;
  const names =
    options.fromPython === undefined
      ? await unpack(installation, staging, finished)
      : await copyFromPython(installation, options.fromPython, finished);
  signal.throwIfAborted();
  await at(finished, () => record(installation, finished, names));
  report({ step: 'seal' });
}

/** Copies the files of an installed Python package. Answers the names of those that it had. */
async function copyFromPython(
  { artefact, platform, pin, locate, report, signal }: Installation,
  executable: string,
  finished: string,
): Promise<ReadonlySet<string>> {
  const source = await findPythonPackage(executable, pin, locate.env ?? process.env, signal);
  report({ step: 'python', directory: source.directory, project: source.project });
  await at(finished, () => mkdir(finished, { mode: 0o755 }));
  return copyPackage({ source, artefact, platform, pin, finished, report, signal });
}

/** Fetches, checks and unpacks the wheel. */
async function unpack(
  installation: Installation,
  staging: string,
  finished: string,
): Promise<ReadonlySet<string>> {
  const { artefact, options, pin, report, signal } = installation;
  const file = options.wheel ?? (await fetched(installation, join(staging, 'wheel')));
  const advance = (total: number) => (done: number) => report({ step: 'progress', done, total });

  report({ step: 'hash', file: artefact.wheel.file, size: artefact.wheel.size });
  const wheel = await openWheel(file, artefact, pin, advance(artefact.wheel.size), signal);
  const files = filesOf(artefact);
  try {
    const zip = await openArchive(wheel);
    const entries = await findEntries(zip, file, files);
    await at(finished, () => mkdir(finished, { mode: 0o755 }));
    for (const pinned of files) {
      report({ step: 'extract', file: pinned.name, size: pinned.size });
      const entry = entries.get(pinned)!;
      await extractEntry(zip, entry, file, pinned, finished, advance(pinned.size), signal);
    }
  } finally {
    // The zip reader shares this descriptor; closing both would close it twice.
    await wheel.handle.close();
  }
  return new Set(files.map(({ name }) => name));
}

async function fetched(installation: Installation, directory: string): Promise<string> {
  const { artefact, options, pin, locate, report, signal } = installation;
  await at(directory, () => mkdir(directory));
  return fetchWheel({
    env: locate.env ?? process.env,
    tensorflow: pin.tensorflow,
    source: artefact,
    directory,
    terminal: options.terminal ?? false,
    signal,
    started: (pip) =>
      report({
        step: 'fetch',
        file: artefact.wheel.file,
        size: artefact.wheel.size,
        pip: pip.version,
      }),
    line: (text) => report({ step: 'output', text }),
  });
}

/** Renaming a folder changes neither inode nor modification time of what is in it, so the stamps hold afterwards. */
async function record(
  { artefact, options, pin, platform, portable, variant }: Installation,
  finished: string,
  names: ReadonlySet<string>,
): Promise<void> {
  const files = await Promise.all(
    filesOf(artefact)
      .filter(({ name }) => names.has(name))
      .map(async ({ name, sha256, size }) => ({
        name,
        sha256,
        ...(portable ? { size } : stampOf(await stat(join(finished, name), { bigint: true }))),
      })),
  );
  await writeManifest(finished, {
    schema: 1,
    tensorflow: pin.tensorflow,
    platform,
    variant,
    origin: 'install',
    ...(portable ? { portable } : {}),
    ...(options.fromPython === undefined ? { wheelSha256: artefact.wheel.sha256 } : {}),
    files,
  });
}

/**
 * One rename. Where a folder is in the way it is either a good copy that another installation put there meanwhile, which
 * wins, or an old one, which is moved into the staging folder first and removed with it.
 */
async function putInPlace(
  { artefact, locate, options, place, report, signal }: Installation,
  staging: string,
  finished: string,
): Promise<'installed' | 'present'> {
  const target = place.directory;
  let replace = options.force === true;
  let aside: string | undefined;
  for (let attempt = 1; ; attempt += 1) {
    signal.throwIfAborted();
    try {
      await rename(finished, target);
      await at(dirname(target), () => syncDirectory(dirname(target)));
      report({ step: 'placed', directory: target });
      return 'installed';
    } catch (error) {
      const inTheWay = ['ENOTEMPTY', 'EEXIST', 'ENOTDIR'].includes(errnoOf(error) ?? '');
      if (!inTheWay || attempt === PLACING_ATTEMPTS) {
        // Better the old copy than none; it fails harmlessly where another installation's copy lies by now.
        if (aside !== undefined) await rename(aside, target).catch(() => undefined);
        if (errnoOf(error) === 'EBUSY') {
          const facts = { path: target, problem: MOUNTED };
          throw tfeError('TFE_CACHE_UNUSABLE', facts, { cause: error });
        }
        throw fileError(error, target);
      }
    }
    if (!replace && 'location' in tryLocate(locate)) return 'present';
    await requireOurs(place, artefact);
    try {
      const old = join(staging, `old-${attempt}`);
      await rename(target, old);
      aside = old;
      report({ step: 'aside', directory: target });
    } catch (error) {
      if (!isAbsent(error)) throw fileError(error, target);
    }
    // Once only: what lies there after this is newer than our own start.
    replace = false;
  }
}

/**
 * Refuses to touch a folder that an installation did not make.
 *
 * In the cache the path is ours, so a folder with nothing but our files is ours too, even when its manifest is gone. A folder
 * that `TFE_NODE_RUNTIME` names may be anything, such as a Python package: there only an installation's manifest counts.
 *
 * @throws TFE_RUNTIME_FOREIGN
 */
async function requireOurs(place: RuntimePlace, artefact: Artefact): Promise<void> {
  const { directory } = place;
  const foreign = (problem: string): Error =>
    tfeError('TFE_RUNTIME_FOREIGN', { directory, problem });
  let names: string[];
  try {
    names = await readdir(directory);
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return;
    if (errnoOf(error) === 'ENOTDIR') {
      // Either the path itself is a file, or one of its ancestors is; the second is no folder of anybody.
      const ancestor = await existingAncestor(directory);
      if (ancestor.path === directory) throw foreign('it is a file');
      throw tfeError('TFE_CACHE_UNUSABLE', {
        path: directory,
        problem: `${ancestor.path} is not a folder`,
      });
    }
    throw fileError(error, directory);
  }
  if (names.length === 0) return;
  const stranger = names.find((name) => !isOurName(name, artefact));
  if (stranger !== undefined) throw foreign(`it holds ${stranger}`);
  if (place.source === 'cache') return;
  if (!names.includes(MANIFEST_NAME)) throw foreign('it has no manifest of an installation');
  if (manifestIfReadable(directory)?.origin === 'verify') {
    throw foreign('its libraries were there before tfe-node verified them');
  }
}

function isOurName(name: string, artefact: Artefact): boolean {
  return (
    name === MANIFEST_NAME ||
    name.startsWith(UNFINISHED_MANIFEST) ||
    filesOf(artefact).some((file) => file.name === name)
  );
}

export interface RemoveResult {
  readonly directory: string;
  /** `removed`: the whole folder; `forgotten`: only our manifest in a folder that is not ours; `absent`: there was none. */
  readonly outcome: 'removed' | 'forgotten' | 'absent';
  /** Staging folders of dead installations that were removed as well. */
  readonly swept: readonly string[];
}

/**
 * Removes what an installation made, and nothing else.
 *
 * @throws TFE_PLATFORM_UNSUPPORTED, TFE_VARIANT_UNAVAILABLE, TFE_RUNTIME_ENVIRONMENT
 * @throws TFE_RUNTIME_FOREIGN when the folder has no manifest of ours, or holds anything that we did not put there
 * @throws TFE_CACHE_*: what the file system refuses
 */
export async function removeRuntime(
  options: Omit<
    InstallOptions,
    'wheel' | 'fromPython' | 'dest' | 'force' | 'terminal' | 'report' | 'signal'
  > = {},
): Promise<RemoveResult> {
  const { artefact, place } = prepare(options);
  const { directory } = place;
  const parent = dirname(directory);
  const swept = await sweepStaging(parent);
  let names: string[];
  try {
    names = await readdir(directory);
  } catch (error) {
    if (isAbsent(error)) return { directory, outcome: 'absent', swept };
    throw fileError(error, directory);
  }
  if (!names.includes(MANIFEST_NAME)) {
    throw tfeError('TFE_RUNTIME_FOREIGN', { directory, problem: 'it has no manifest.json' });
  }
  if (manifestIfReadable(directory)?.origin === 'verify') {
    const manifest = join(directory, MANIFEST_NAME);
    await at(manifest, () => rm(manifest, { force: true }));
    return { directory, outcome: 'forgotten', swept };
  }
  await requireOurs(place, artefact);
  // Out of the way first: a process that loads meanwhile finds the whole folder or none.
  const staging = await stagingIn(parent);
  let wasThere = true;
  try {
    await at(directory, () => rename(directory, join(staging, 'old')));
  } catch (error) {
    // Another removal was faster.
    if (!isAbsent((error as Error).cause)) throw error;
    wasThere = false;
  } finally {
    await at(staging, () => rm(staging, { recursive: true, force: true, maxRetries: 3 }));
  }
  await at(parent, () =>
    syncDirectory(parent).catch((error: unknown) => {
      // Another removal has taken the empty folder away already.
      if (!isAbsent(error)) throw error;
    }),
  );
  if (place.source === 'cache') await rmdir(parent).catch(() => undefined);
  return { directory, outcome: wasThere ? 'removed' : 'absent', swept };
}
