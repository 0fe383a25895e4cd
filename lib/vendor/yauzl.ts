/** Reads the wheel, which is a zip archive. Bundled into the published files; see scripts/build.mjs. */
export { fromFdPromise, getFileNameLowLevel } from 'yauzl';
export type { Entry, ZipFile } from 'yauzl';
