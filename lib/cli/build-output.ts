/**
 * Putting built files into their folder. Everything is written beside the folder first and moved in file by file, so
 * whoever reads the folder never sees half a file, whatever happens to the build. Only files that an earlier build
 * made are replaced or removed; the manifest remembers which these are.
 */
import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  rmdirSync,
  statSync,
  unlinkSync,
  writeFileSync,
  type Stats,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { messageOf } from '../describe';
import { isTfeError, tfeError } from '../errors';
import { errnoOf, isAbsent } from '../native/files';
import { PACKAGE_VERSION } from '../version';

const MANIFEST = '.tfe-build.json';
const MANIFEST_VERSION = 1;

export interface OutputFile {
  /** Inside the folder, with forward slashes. */
  readonly path: string;
  readonly contents: string | Uint8Array;
}

export interface CommitResult {
  /** Files of an earlier build that this one did not make again, and so were removed. */
  readonly removed: readonly string[];
}

/** What an earlier build left in the folder; empty when there was none. */
export function readManifest(out: string): ReadonlySet<string> {
  const path = join(out, MANIFEST);
  const damaged = (problem: string) => tfeError('TFE_BUILD_MANIFEST', { path, problem });
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if (isAbsent(error)) return new Set();
    throw damaged(messageOf(error));
  }
  let data: unknown;
  try {
    data = JSON.parse(text);
  } catch (error) {
    throw damaged(messageOf(error));
  }
  const { version, files } = (typeof data === 'object' && data !== null ? data : {}) as {
    version?: unknown;
    files?: unknown;
  };
  if (version !== MANIFEST_VERSION) {
    throw damaged(`its version is not ${MANIFEST_VERSION}`);
  }
  if (!Array.isArray(files)) throw damaged('it lists no files');
  for (const file of files as unknown[]) {
    // What it lists is replaced and removed without asking, so nothing outside the folder may be in it.
    if (typeof file !== 'string' || !isInside(file)) {
      throw damaged('it lists something that is no file of the folder');
    }
  }
  return new Set(files as string[]);
}

function isInside(path: string): boolean {
  return (
    path !== MANIFEST &&
    !/[\\\0]/.test(path) &&
    path.split('/').every((part) => part !== '' && part !== '.' && part !== '..')
  );
}

/**
 * Makes the folder hold exactly `files`, beside what is not a build's.
 *
 * @throws `TFE_BUILD_FOREIGN_FILE`, `TFE_BUILD_MANIFEST`, `TFE_BUILD_WRITE`; the first two before anything is written
 */
export function commitOutput(out: string, files: readonly OutputFile[]): CommitResult {
  const earlier = readManifest(out);
  checkForeign(out, files, earlier);
  let staging: string | null = null;
  try {
    makeFolders(out);
    const folder = realpathSync(out);
    sweepStaging(folder);
    staging = mkdtempSync(`${stagingPrefix(folder)}${process.pid}-`);
    for (const { path, contents } of files) {
      const target = join(staging, path);
      makeFolders(dirname(target));
      writeFileSync(target, contents);
    }
    const made = files.map(({ path }) => path);
    // Before the first move: a build that is killed between two moves must leave no file that nobody owns.
    writeManifest(folder, staging, [...new Set([...earlier, ...made])]);
    for (const { path } of files) {
      const target = join(folder, path);
      makeFolders(dirname(target));
      renameSync(join(staging, path), target);
    }
    const stale = [...earlier].filter((path) => !made.includes(path));
    const removed = stale.filter((path) => removeOwn(folder, path));
    writeManifest(folder, staging, made);
    return { removed };
  } catch (error) {
    if (isTfeError(error)) throw error;
    throw tfeError('TFE_BUILD_WRITE', { out, problem: messageOf(error) }, { cause: error });
  } finally {
    if (staging !== null) rmSync(staging, { recursive: true, force: true });
  }
}

/** One by one: Node's recursive `mkdir` does not return where a folder cannot be made at all, as in /proc. */
function makeFolders(path: string): void {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() === true) return;
  const parent = dirname(path);
  if (parent !== path) makeFolders(parent);
  try {
    mkdirSync(path);
  } catch (error) {
    // Another build may be making the same folders.
    if (errnoOf(error) !== 'EEXIST' || !statSync(path).isDirectory()) throw error;
  }
}

function writeManifest(folder: string, staging: string, files: readonly string[]): void {
  const manifest = {
    version: MANIFEST_VERSION,
    generator: `tfe-node ${PACKAGE_VERSION}`,
    files: [...files].sort(),
  };
  const staged = join(staging, MANIFEST);
  writeFileSync(staged, `${JSON.stringify(manifest, null, 2)}\n`);
  renameSync(staged, join(folder, MANIFEST));
}

function checkForeign(
  out: string,
  files: readonly OutputFile[],
  earlier: ReadonlySet<string>,
): void {
  const foreign = new Set<string>();
  for (const { path } of files) {
    const parts = path.split('/');
    for (let i = 1; i < parts.length; i++) {
      const folder = parts.slice(0, i).join('/');
      const found = statOf(join(out, folder));
      // A link to a folder leads to files that may not be in this one.
      if (found !== null && !found.isDirectory()) foreign.add(folder);
    }
    const found = statOf(join(out, path));
    if (found !== null && (found.isDirectory() || !earlier.has(path))) foreign.add(path);
  }
  if (foreign.size > 0) throw tfeError('TFE_BUILD_FOREIGN_FILE', { out, files: [...foreign] });
}

/** Removes one file of an earlier build and the folders that this empties. */
function removeOwn(folder: string, path: string): boolean {
  const parts = path.split('/');
  for (let i = 1; i < parts.length; i++) {
    if (statOf(join(folder, ...parts.slice(0, i)))?.isDirectory() !== true) return false;
  }
  const found = statOf(join(folder, path));
  if (found === null || found.isDirectory()) return false;
  unlinkSync(join(folder, path));
  for (let i = parts.length - 1; i > 0; i--) {
    const parent = join(folder, ...parts.slice(0, i));
    if (readdirSync(parent).length > 0) break;
    rmdirSync(parent);
  }
  return true;
}

function stagingPrefix(folder: string): string {
  return join(dirname(folder), `.${basename(folder)}.tfe-build-`);
}

/** Removes what killed builds of the same folder left beside it. */
function sweepStaging(folder: string): void {
  const parent = dirname(folder);
  const prefix = basename(stagingPrefix(folder));
  for (const name of readdirSync(parent)) {
    const owner = /^(\d+)-[A-Za-z0-9]+$/.exec(
      name.startsWith(prefix) ? name.slice(prefix.length) : '',
    );
    if (owner === null || isAlive(Number(owner[1]))) continue;
    rmSync(join(parent, name), { recursive: true, force: true });
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return errnoOf(error) !== 'ESRCH';
  }
}

function statOf(path: string): Stats | null {
  try {
    return lstatSync(path);
  } catch (error) {
    if (isAbsent(error)) return null;
    throw tfeError('TFE_BUILD_WRITE', { out: path, problem: messageOf(error) }, { cause: error });
  }
}
