/**
 * Puts the modules that `require('tfe-node')` loads into one file (docs/design.md, decision 16): to find, read and compile
 * seventy files takes longer than to run them. Each module's own file stays and hands out its part of the one file, so
 * that a module is the same objects whichever file asks for it.
 */
import { writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

import { ScriptError } from './child.mjs';

const BUNDLE = 'dist/lib/bundle.js';

/** What is required inside a function is loaded when that runs, from its own file. */
const lazyModules = (root) => ({
  name: 'lazy-modules',
  setup({ onResolve }) {
    onResolve({ filter: /^\./ }, ({ kind, path, resolveDir }) => {
      if (kind !== 'require-call') return undefined;
      return {
        path: `./${relative(join(root, 'lib'), join(resolveDir, path))}.js`,
        external: true,
      };
    });
  },
});

const settings = (root) => ({
  absWorkingDir: root,
  bundle: true,
  platform: 'node',
  format: 'cjs',
  target: 'node20',
  metafile: true,
  outfile: BUNDLE,
  sourcemap: true,
  sourcesContent: false,
  logLevel: 'silent',
  plugins: [lazyModules(root)],
});

/** `lib/tensor/dtype.ts` -> `tensor/dtype` */
const keyOf = (source) => source.slice('lib/'.length, -'.ts'.length);

/** The end of the bundle: marks modules as the compiler does, and undoes esbuild's renaming of classes that name themselves. */
const FINISH = `
for (const module of Object.values(modules)) {
  Object.defineProperty(module, '__esModule', { value: true });
  for (const [name, value] of Object.entries(module)) {
    if (typeof value === 'function' && value.name === '_' + name) {
      Object.defineProperty(value, 'name', { value: name, configurable: true });
    }
  }
}`;

/** A module of the bundle's sources, all of them exported as one object keyed by their paths. */
function entryOf(sources) {
  const imports = sources.map((source, i) => `import * as m${i} from './${keyOf(source)}';`);
  const rows = sources.map((source, i) => `'${keyOf(source)}': m${i}`);
  return `${imports.join('\n')}\nexport const modules = {${rows.join(', ')}};${FINISH}`;
}

/**
 * @param {string} root checkout, in which the TypeScript is compiled to `dist`
 * @param {string} entry source file
 * @returns {Promise<{written: string[], modules: string[]}>} the bundle's files, and the compiled modules that are in it
 */
export async function bundleModules(root, entry) {
  const { build } = await import('esbuild');
  const run = (options) =>
    build({ ...settings(root), ...options }).catch((error) => {
      throw new ScriptError(`bundling ${entry} failed.\n${error.message}`);
    });
  const { metafile } = await run({ entryPoints: [entry], write: false });
  const sources = Object.keys(metafile.inputs)
    .filter((name) => name.endsWith('.ts'))
    .sort();
  await run({
    stdin: {
      contents: entryOf(sources),
      resolveDir: join(root, 'lib'),
      sourcefile: 'bundle.ts',
    },
  });
  const modules = sources.map((source) => `dist/lib/${keyOf(source)}.js`);
  modules.forEach((file, i) => {
    const path = relative(dirname(file), BUNDLE);
    const target = path.startsWith('.') ? path : `./${path}`;
    writeFileSync(
      join(root, file),
      `'use strict';\nmodule.exports = require('${target}').modules['${keyOf(sources[i])}'];\n`,
    );
  });
  return { written: [BUNDLE, `${BUNDLE}.map`], modules };
}
