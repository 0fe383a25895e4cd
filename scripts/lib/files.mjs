/**
 * The files of the checkout: where it is, what belongs to it, what their content hashes to.
 * Needs nothing but Node: set-up runs it before any dependency exists.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs';
import { join, relative, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The checkout that this script belongs to, whatever the working directory is. */
export const ROOT = resolve(fileURLToPath(new URL('../..', import.meta.url)));

export function readJson(path) {
  return JSON.parse(readFileSync(path, 'utf8'));
}

/** Paths (relative to `root`, with forward slashes, sorted) of all files under `paths`. A missing path counts as empty. */
export function walk(root, paths, ignored = () => false) {
  const found = [];
  const visit = (path) => {
    const name = relative(root, path).split(sep).join('/');
    if (ignored(name)) return;
    const stat = statSync(path, { throwIfNoEntry: false });
    if (stat === undefined) return;
    if (!stat.isDirectory()) {
      found.push(name);
      return;
    }
    for (const entry of readdirSync(path)) visit(join(path, entry));
  };
  for (const path of paths) visit(resolve(root, path));
  return found.sort();
}

/** One hash over the names and contents of `paths` (files or folders) and over `facts`. */
export function hashInputs(root, paths, facts = {}) {
  const hash = createHash('sha256').update(JSON.stringify(facts));
  for (const name of walk(root, paths)) {
    const content = readFileSync(join(root, name));
    hash.update(`\0${name}\0${String(content.length)}\0`).update(content);
  }
  return hash.digest('hex');
}

/**
 * The files of the checkout: tracked ones, and new ones that git does not ignore. Where git is absent or refuses
 * (a tarball, a checkout of another user), the same set by `.gitignore`'s own lines.
 */
export function sourceFiles(root = ROOT) {
  const git = spawnSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  if (git.status === 0 && existsSync(join(root, '.git'))) {
    return [...new Set(git.stdout.split('\0'))]
      .filter((name) => name !== '' && existsSync(join(root, name)))
      .sort();
  }
  return walk(root, ['.'], ignoreRules(root));
}

/** `.gitignore` as far as this repository uses it: names of folders, and suffixes (`*.tgz`). */
function ignoreRules(root) {
  const lines = readFileSync(join(root, '.gitignore'), 'utf8')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'));
  const folders = new Set(
    ['.git/', ...lines].filter((line) => line.endsWith('/')).map((line) => line.slice(0, -1)),
  );
  const suffixes = lines.filter((line) => line.startsWith('*.')).map((line) => line.slice(1));
  return (name) =>
    name.split('/').some((part) => folders.has(part)) ||
    suffixes.some((suffix) => name.endsWith(suffix));
}
