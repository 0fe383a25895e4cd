/** Finds the configuration file. Bundled into the published files; see scripts/build.mjs. */
export { lilconfigSync } from 'lilconfig';
export type { LilconfigResult } from 'lilconfig';
