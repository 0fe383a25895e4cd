/** Finds the configuration file. Bundled into the published files; see scripts/build.mjs. */
export { lilconfig, lilconfigSync } from 'lilconfig';
export type { AsyncSearcher, LilconfigResult, SyncSearcher } from 'lilconfig';
