/** Which declaration files a user of the package can reach, and what these name outside the package. */
import { existsSync, readFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { dirname, join, normalize } from 'node:path';

import { packageOf } from './package.mjs';

const SPECIFIER = /(?:\bfrom\s*|\bimport\s*\(\s*|\bimport\s*)(['"])([^'"]+)\1/g;
const REFERENCE_TYPES = /^\/\/\/\s*<reference\s+types=(['"])([^'"]+)\1/gm;
const COMMENT = /\/\*[\s\S]*?\*\//g;

/** The declaration file that a relative specifier in `file` names. */
function declarationOf(root, file, specifier) {
  const path = normalize(join(dirname(file), specifier));
  const candidates = [
    path.replace(/\.js$/, '.d.ts').replace(/\.mjs$/, '.d.mts'),
    `${path}.d.ts`,
    `${path}/index.d.ts`,
    path.replace(/\.json$/, '.d.json.ts'),
    path,
  ];
  return candidates.find((name) => /\.(ts|mts|json)$/.test(name) && existsSync(join(root, name)));
}

/**
 * Walks from the entries (paths relative to `root`).
 * @returns {{reached: Set<string>, foreign: {file: string, name: string}[], broken: {file: string, name: string}[]}}
 */
export function reachDeclarations(root, entries) {
  const reached = new Set();
  const foreign = [];
  const broken = [];
  const queue = entries.map((entry) => normalize(entry));
  for (let file = queue.pop(); file !== undefined; file = queue.pop()) {
    if (reached.has(file)) continue;
    reached.add(file);
    const text = readFileSync(join(root, file), 'utf8');
    const code = text.replace(COMMENT, '');
    const names = [
      ...[...code.matchAll(SPECIFIER)].map((match) => match[2]),
      ...[...text.matchAll(REFERENCE_TYPES)].map((match) => match[2]),
    ];
    for (const name of names) {
      if (name.startsWith('.')) {
        const target = declarationOf(root, file, name);
        if (target === undefined) broken.push({ file, name });
        else queue.push(target);
      } else if (!name.startsWith('node:') && !builtinModules.includes(name) && name !== 'node') {
        foreign.push({ file, name: packageOf(name) });
      }
    }
  }
  return { reached, foreign, broken };
}
