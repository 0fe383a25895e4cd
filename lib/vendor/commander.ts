/** Argument parsing for the CLI. Bundled into the published files; see scripts/build.mjs. */
export { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
