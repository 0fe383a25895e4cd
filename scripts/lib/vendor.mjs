/**
 * Bundles the packages that the published files contain (docs/design.md, decision 11): each `lib/vendor/<name>.ts` becomes one
 * CommonJS file that needs nothing installed, and the licence of every package in it goes into one page.
 */
import { readFileSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';

import { ScriptError } from './child.mjs';
import { readJson, walk } from './files.mjs';

const LICENCE_FILE = /^(licen[cs]e|copying|notice)([.-].*)?$/i;

/** `node_modules/@a/b/lib/x.js` -> `node_modules/@a/b`; the innermost package where they nest. */
function packageFolder(input) {
  const match = /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(input);
  return match?.[1];
}

function licenceSection(root, folder) {
  const manifest = readJson(join(root, folder, 'package.json'));
  const files = readdirSync(join(root, folder))
    .filter((name) => LICENCE_FILE.test(name))
    .sort();
  if (files.length === 0) {
    throw new ScriptError(
      `${manifest.name}@${manifest.version} would be bundled, but ${folder} holds no licence file. ` +
        'Its licence must be shipped with it: choose another package, or do not bundle this one.',
    );
  }
  const texts = files.map((name) => readFileSync(join(root, folder, name), 'utf8').trim());
  const fenced = texts.map((text) => `\`\`\`text\n${text}\n\`\`\``).join('\n\n');
  return `## ${manifest.name} ${manifest.version} (${String(manifest.license)})\n\n${fenced}\n`;
}

/**
 * @param {string} root checkout
 * @param {string} outDir folder of the bundles, relative to `root`
 * @returns {Promise<{written: string[], licences: string}>} the bundles' paths and the licence page's text
 */
export async function bundleVendor(root, outDir) {
  const { build } = await import('esbuild');
  const sources = walk(root, ['lib/vendor']).filter((name) => name.endsWith('.ts'));
  const result = await build({
    absWorkingDir: root,
    entryPoints: sources,
    outdir: outDir,
    outbase: 'lib/vendor',
    bundle: true,
    platform: 'node',
    format: 'cjs',
    target: 'node20',
    metafile: true,
    logLevel: 'silent',
  }).catch((error) => {
    throw new ScriptError(`bundling lib/vendor failed.\n${error.message}`);
  });
  const folders = new Set();
  for (const input of Object.keys(result.metafile.inputs)) {
    const folder = packageFolder(input);
    if (folder !== undefined) folders.add(folder);
  }
  const sections = [...folders].map((folder) => licenceSection(root, folder)).sort();
  const licences = [
    '# Licences of bundled packages\n',
    'The published files of tfe-node contain these packages, under their own licences.\n',
    ...sections,
  ].join('\n');
  return {
    written: sources.map((name) => `${outDir}/${basename(name, '.ts')}.js`),
    licences,
  };
}
