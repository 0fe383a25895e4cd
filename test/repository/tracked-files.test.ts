/** What no file of the repository may hold: places of one machine, and hosts that a user's own configuration decides. */
import { spawnSync } from 'node:child_process';
import { readFileSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';

const ROOT = join(__dirname, '../..');
const IGNORED = new Set([
  '.git',
  'node_modules',
  'dist',
  'build',
  'coverage',
  '.cache',
  '__pycache__',
]);

/** Written in pieces, so that this file passes its own test. */
const FORBIDDEN: readonly (readonly [text: string, why: string])[] = [
  [['', 'work', ''].join('/'), 'a path of the development machine'],
  [['', 'root', ''].join('/'), 'a path of the development machine'],
  [['registry', 'npmjs', 'org'].join('.'), 'npm knows its registry'],
  [['files', 'pythonhosted', 'org'].join('.'), 'pip knows its index'],
  [['https://pypi', 'org/simple'].join('.'), 'pip knows its index'],
];

function walk(folder: string): string[] {
  return readdirSync(join(ROOT, folder)).flatMap((entry) => {
    if (IGNORED.has(entry)) return [];
    const name = folder === '' ? entry : `${folder}/${entry}`;
    return statSync(join(ROOT, name)).isDirectory() ? walk(name) : [name];
  });
}

function trackedFiles(): string[] {
  const git = spawnSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: ROOT,
    encoding: 'utf8',
  });
  return git.status === 0 ? git.stdout.split('\0').filter((name) => name !== '') : walk('');
}

test('no tracked file names a machine or a registry', () => {
  const files = trackedFiles();
  expect(files).toContain('package.json'); // an empty list would pass everything
  const faults: string[] = [];
  for (const file of files) {
    let text: string;
    try {
      text = readFileSync(join(ROOT, file), 'utf8');
    } catch {
      continue; // deleted, not yet committed
    }
    if (text.includes('\0')) continue;
    text.split('\n').forEach((line, index) => {
      for (const [fragment, why] of FORBIDDEN) {
        if (line.includes(fragment)) {
          faults.push(`${file}:${index + 1} holds ${fragment} (${why})`);
        }
      }
    });
  }
  expect(faults).toEqual([]);
});
