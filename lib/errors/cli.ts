/** Errors of the command line itself: what the arguments say, before any command runs. */
import { errorTable } from './define';

export const CLI_ERRORS = errorTable({
  TFE_CLI_PERMISSION: {
    phase: 'cli',
    message: (f: { access: string }) => `Node was started without the permission to ${f.access}.`,
    hint: 'Run the command without --permission (Node 20: --experimental-permission), or with --allow-fs-read=*, --allow-fs-write=* and --allow-child-process as well.',
  },
  TFE_CLI_USAGE: {
    phase: 'cli',
    message: (f: { problem: string; command: string }) => `${f.problem}.`,
    hint: (f: { problem: string; command: string }) =>
      `Run \`npx ${f.command} --help\` for the usage.`,
  },
});
