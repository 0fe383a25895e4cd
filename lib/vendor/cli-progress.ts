/** The progress bar of `tfe-node runtime install`. Bundled into the published files; see scripts/build.mjs. */
export { SingleBar } from 'cli-progress';
