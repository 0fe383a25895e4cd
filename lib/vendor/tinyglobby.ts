/** Finds source files in folders. Bundled into the published files; see scripts/build.mjs. */
// By require: the bundler would otherwise take the ESM build, which asks for `import.meta.url` and has none in CommonJS.
// eslint-disable-next-line @typescript-eslint/no-require-imports
import tinyglobby = require('tinyglobby');

export const globSync = tinyglobby.globSync;
