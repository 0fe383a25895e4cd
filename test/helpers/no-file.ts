/** Things that lie where a file should, each by the way it is made. Reading the pipe or the device would never end. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, symlinkSync } from 'node:fs';
import { basename } from 'node:path';

export const NO_FILES: readonly (readonly [name: string, make: (path: string) => void])[] = [
  ['a folder', (path) => mkdirSync(path)],
  ['a pipe', (path) => void spawnSync('mkfifo', [path])],
  ['a device', (path) => symlinkSync('/dev/zero', path)],
  ['a link to itself', (path) => symlinkSync(basename(path), path)],
];

/** What is said of each of them. */
export const NO_FILE = /not a regular file|too many symbolic links/u;
