/**
 * Whether `dist` is the build of the present sources. The stamp is written last and removed first, so a build that was
 * interrupted or failed has none. Shared by the build and by set-up, which must not build for nothing.
 */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { hashInputs } from './files.mjs';

/** The stamp's place, for those who list or prune `dist`. */
export const BUILD_STAMP = 'dist/.build.json';

/** Everything that what the build writes depends on. */
const INPUTS = [
  'lib',
  'plugins',
  'tsconfig.json',
  'package.json',
  'package-lock.json',
  'scripts/build.mjs',
  'scripts/lib',
];

export function buildHash(root) {
  return hashInputs(root, INPUTS);
}

export function isBuilt(root, hash = buildHash(root)) {
  if (!existsSync(join(root, BUILD_STAMP))) return false;
  try {
    return JSON.parse(readFileSync(join(root, BUILD_STAMP), 'utf8')).hash === hash;
  } catch {
    return false;
  }
}

export function clearStamp(root) {
  rmSync(join(root, BUILD_STAMP), { force: true });
}

export function writeStamp(root, hash) {
  mkdirSync(dirname(join(root, BUILD_STAMP)), { recursive: true });
  writeFileSync(join(root, BUILD_STAMP), `${JSON.stringify({ hash })}\n`);
}
