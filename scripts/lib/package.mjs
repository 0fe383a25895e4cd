/** package.json's exports map as data: which CommonJS module each subpath is, and which wrapper belongs to it. */
import { join } from 'node:path';

import { ROOT, readJson } from './files.mjs';

export function packageManifest(root = ROOT) {
  return readJson(join(root, 'package.json'));
}

/**
 * The subpaths made of a CommonJS module and a thin ESM wrapper. Paths are relative to the package.
 * @returns {{subpath: string, cjs: string, cjsTypes: string, esm: string, esmTypes: string}[]}
 */
export function dualEntries(manifest) {
  const entries = [];
  for (const [subpath, target] of Object.entries(manifest.exports)) {
    if (typeof target !== 'object' || target.require === undefined || target.import === undefined) {
      continue;
    }
    entries.push({
      subpath,
      cjs: target.require.default,
      cjsTypes: target.require.types,
      esm: target.import.default,
      esmTypes: target.import.types,
    });
  }
  return entries;
}

/** The packages that a user has or is told to install: what published declarations may name. */
export function shippedPackages(manifest) {
  return new Set(Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies }));
}

/** `@scope/name/deep/file` -> `@scope/name`. */
export function packageOf(specifier) {
  return specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/');
}
