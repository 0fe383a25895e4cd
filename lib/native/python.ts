/**
 * Takes the libraries from a TensorFlow that a Python has installed. Owns asking the interpreter, once and without importing
 * TensorFlow, and copying; whether a file serves is decided by its own hash, whatever the package says.
 */
import { constants } from 'node:fs';
import { copyFile, open, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { isTfeError, tfeError } from '../errors';
import { at, fileError } from './disk';
import { errnoOf, isAbsent, problemOf } from './files';
import { hashHandle } from './hash';
import type { InstallEvent } from './install';
import type { Environment } from './paths';
import {
  artefactFor,
  variantsFor,
  type Artefact,
  type Pin,
  type PinnedFile,
  type Variant,
} from './pin';
import type { PlatformId } from './platforms';
import { LastLines, runProgram } from './program';

/** Names under which the wheels are published. */
const PROJECTS = ['tensorflow-cpu', 'tensorflow'] as const;

/** How long an interpreter may take to start and to answer. */
const ANSWER_MS = 60_000;
const QUOTED_LINES = 12;

/**
 * Finding the specification of a top-level package runs none of its code. The working directory leaves the search path first:
 * a folder named tensorflow that happens to lie there is no installation.
 */
const QUESTION = `
import sys
sys.path = [p for p in sys.path if p not in ("", ".")]
import json
import importlib.metadata as metadata
import importlib.util as util
found = {}
for name in json.loads(sys.argv[1]):
    try:
        found[name] = metadata.version(name)
    except metadata.PackageNotFoundError:
        pass
spec = util.find_spec("tensorflow")
folders = list(spec.submodule_search_locations or []) if spec else []
print(json.dumps({"python": sys.version.split()[0], "found": found, "folders": folders}))
`;

export interface PythonPackage {
  /** The folder of the package, which holds the two libraries. */
  readonly directory: string;
  /** `tensorflow-cpu 2.21.0 of Python 3.12.4`. */
  readonly project: string;
}

interface Answer {
  readonly python: string;
  readonly found: Readonly<Record<string, string>>;
  readonly folders: readonly string[];
}

/**
 * Asks an interpreter where its TensorFlow lies.
 *
 * @throws TFE_PYTHON_FAILED, TFE_PYTHON_NO_TENSORFLOW
 */
export async function findPythonPackage(
  executable: string,
  pin: Pin,
  env: Environment,
  signal: AbortSignal,
): Promise<PythonPackage> {
  const { python, found, folders } = await ask(executable, env, signal);
  const project = PROJECTS.find((name) => found[name] === pin.tensorflow);
  const [directory] = folders;
  if (project === undefined || directory === undefined) {
    throw tfeError('TFE_PYTHON_NO_TENSORFLOW', {
      executable,
      version: pin.tensorflow,
      found: Object.entries(found).map(([name, version]) => `${name} ${version}`),
    });
  }
  return { directory, project: `${project} ${pin.tensorflow} of Python ${python}` };
}

async function ask(executable: string, env: Environment, signal: AbortSignal): Promise<Answer> {
  const said = new LastLines(QUOTED_LINES);
  // The last line: a sitecustomize may print before it.
  let answer = '';
  const { problem, refusal, wasSlow } = await runProgram(
    executable,
    ['-c', QUESTION, JSON.stringify(PROJECTS)],
    {
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
      hear: {
        1: (line) => (answer = line),
        2: (line) => said.add(line),
      },
      signal,
      patienceMs: ANSWER_MS,
    },
  );
  signal.throwIfAborted();
  const failed = (outcome: string, cause?: unknown): Error =>
    tfeError('TFE_PYTHON_FAILED', { executable, outcome, output: said.toString() }, { cause });
  if (wasSlow) throw failed(`did not answer within ${ANSWER_MS / 1000} s`);
  if (problem !== null) throw failed(problem, refusal ?? undefined);
  try {
    return checked(JSON.parse(answer));
  } catch (error) {
    throw failed(`answered ${JSON.stringify(answer.slice(0, 200))}`, error);
  }
}

function checked(answer: unknown): Answer {
  const { python, found, folders } = answer as Partial<Answer>;
  if (
    typeof python !== 'string' ||
    typeof found !== 'object' ||
    (found as unknown) === null ||
    !Array.isArray(folders) ||
    !folders.every((folder) => typeof folder === 'string')
  ) {
    throw new TypeError('not an answer to the question');
  }
  return answer as Answer;
}

export interface CopyOptions {
  readonly source: PythonPackage;
  readonly artefact: Artefact;
  readonly platform: PlatformId;
  readonly pin: Pin;
  /** The folder that the files are copied into. */
  readonly finished: string;
  readonly report: (event: InstallEvent) => void;
  readonly signal: AbortSignal;
}

/**
 * Copies the libraries, and hashes the copies: what was hashed is what is installed. Where the file system can, a copy shares
 * the original's blocks. Licence texts come along where the package has them unchanged. Answers the names of what was copied.
 *
 * @throws TFE_PYTHON_LIBRARY when a library is not the pinned one
 */
export async function copyPackage(options: CopyOptions): Promise<ReadonlySet<string>> {
  const { source, artefact, finished, report } = options;
  const { cc, framework } = artefact.libraries;
  const copied = new Set<string>();
  // The name in the wheel begins with the package's folder.
  const pathOf = (inWheel: string): string =>
    join(source.directory, ...inWheel.split('/').slice(1));

  // Sizes first: that a library is another build is known before 800 MB are copied.
  for (const library of [framework, cc]) {
    const path = pathOf(library.path);
    const size = await sizeOf(path);
    if (size === library.size) continue;
    const is = variantOfSize(size, path, options);
    throw tfeError('TFE_PYTHON_LIBRARY', {
      path,
      problem: size === null ? 'it is missing' : `it has ${size} bytes, pinned are ${library.size}`,
      ...(is === undefined ? {} : { is }),
    });
  }
  for (const library of [framework, cc]) {
    const path = pathOf(library.path);
    report({ step: 'copy', file: library.name, size: library.size });
    const sha256 = await copyOne(path, join(finished, library.name), library.size, options);
    if (sha256 !== library.sha256) {
      throw tfeError('TFE_PYTHON_LIBRARY', {
        path,
        problem: `its SHA-256 is ${sha256}, pinned is ${library.sha256}`,
      });
    }
    copied.add(library.name);
  }
  for (const notice of artefact.notices) {
    const target = join(finished, notice.name);
    const problem = await copyNotice(pathOf(notice.path), target, notice, options);
    if (problem === null) {
      copied.add(notice.name);
      continue;
    }
    await rm(target, { force: true });
    report({ step: 'omit', file: notice.name, problem });
  }
  return copied;
}

/** Why a licence text stays out; null when its copy is the pinned one. */
async function copyNotice(
  path: string,
  target: string,
  pinned: PinnedFile,
  options: CopyOptions,
): Promise<string | null> {
  const missing = 'the package does not have it';
  try {
    const size = await sizeOf(path);
    if (size === null) return missing;
    // What has another size may be no file at all, and copying it may never end.
    const isPinned =
      size === pinned.size && (await copyOne(path, target, size, options)) === pinned.sha256;
    return isPinned ? null : 'the package has another text';
  } catch (error) {
    if (!isTfeError(error) || error.code !== 'TFE_PYTHON_LIBRARY') throw error;
    return missing;
  }
}

async function sizeOf(path: string): Promise<number | null> {
  try {
    return (await stat(path)).size;
  } catch (error) {
    if (isAbsent(error)) return null;
    throw tfeError('TFE_PYTHON_LIBRARY', { path, problem: problemOf(error) }, { cause: error });
  }
}

/** The variant whose library of that name has this size. */
function variantOfSize(
  size: number | null,
  path: string,
  { platform, pin }: CopyOptions,
): Variant | undefined {
  return variantsFor(platform, pin).find((variant) =>
    Object.values(artefactFor(platform, variant, pin).libraries).some(
      (library) => library.size === size && path.endsWith(library.name),
    ),
  );
}

/** Copies one file, durably, and answers the hash of the copy. */
async function copyOne(
  path: string,
  target: string,
  size: number,
  { report, signal }: CopyOptions,
): Promise<string> {
  signal.throwIfAborted();
  try {
    await copyFile(path, target, constants.COPYFILE_FICLONE | constants.COPYFILE_EXCL);
  } catch (error) {
    if (isAbsent(error)) {
      throw tfeError('TFE_PYTHON_LIBRARY', { path, problem: 'it is missing' }, { cause: error });
    }
    // Which of the two paths a refusal is about, only reading tells.
    const readable = await open(path, 'r').then(
      (handle) => handle.close().then(() => true),
      () => false,
    );
    if (!readable && errnoOf(error) !== undefined) {
      throw tfeError('TFE_PYTHON_LIBRARY', { path, problem: problemOf(error) }, { cause: error });
    }
    throw fileError(error, target, size);
  }
  return at(target, async () => {
    const handle = await open(target, 'r+');
    try {
      await handle.chmod(0o644);
      await handle.sync();
      return await hashHandle(
        handle,
        (done) => report({ step: 'progress', done, total: size }),
        signal,
      );
    } finally {
      await handle.close();
    }
  });
}
