/**
 * Writes lib/raw/table.ts and lib/raw/types.ts from TensorFlow's own list of ops; the types are of those that can be called
 * (not in lib/ops/refused.json).
 *
 *   node scripts/generate-raw.mjs [--from FILE] [--check]
 *
 * Reads the list through the addon and the installed library (run `npm run setup` first), or from FILE: the bytes of
 * TF_GetAllOpList. `--check` writes nothing and exits with 1 when the files are not what would be written.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

import { ScriptError, runScript } from './lib/child.mjs';
import { ROOT, readJson } from './lib/files.mjs';
import { readOpList } from './lib/op-list.mjs';
import { tableSource, typesSource } from './lib/raw-files.mjs';

const TYPES = join(ROOT, 'lib/ops/types.ts');
const REFUSED = join(ROOT, 'lib/ops/refused.json');

/** lib/ops/types.ts by number; read as text, because this script needs no compiler. */
function typeNames() {
  const names = [];
  for (const [, name, tf] of readFileSync(TYPES, 'utf8').matchAll(/^ {2}(\w+): (\d+),$/gm)) {
    names[Number(tf)] = name;
  }
  return names;
}

function listOfLibrary() {
  const require = createRequire(import.meta.url);
  return require('../dist/lib/native/loader.js').native().opList();
}

await runScript('generate-raw', () => {
  const { values: flags } = parseArgs({
    options: { from: { type: 'string' }, check: { type: 'boolean', default: false } },
  });
  const ops = readOpList(flags.from === undefined ? listOfLibrary() : readFileSync(flags.from));
  const refused = readJson(REFUSED).flatMap((group) => group.ops);
  const callable = ops.filter(({ name }) => !refused.includes(name));
  const files = {
    'lib/raw/table.ts': tableSource(ops),
    'lib/raw/types.ts': typesSource(callable, typeNames()),
  };
  for (const [name, source] of Object.entries(files)) {
    const path = join(ROOT, name);
    if (!flags.check) writeFileSync(path, source);
    else if (readFileSync(path, 'utf8') !== source) {
      throw new ScriptError(`${name} is out of date. Run: node scripts/generate-raw.mjs`);
    }
  }
});
