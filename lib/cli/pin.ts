/** `tfe-node pin check`: what is printed of the check for CI, and its exit codes. The check is lib/native/pin-check.ts's. */
import { VARIANTS, type Variant } from '../native/pin';
import { checkPin, type PinCheckOptions, type PinReport } from '../native/pin-check';
import type { Finding } from '../native/finding';
import { Option, type Command } from '../vendor/commander';
import type { CliContext } from './context';
import { findingLines } from './findings';

/** What tests put in place of this machine's own. */
export type PinDependencies = Omit<PinCheckOptions, 'env' | 'variant' | 'signal'>;

const EXIT_CODES = { ok: 0, failed: 1, unchecked: 2 } as const;

interface Choice {
  readonly json?: boolean;
  readonly github?: boolean;
  readonly variant?: Variant;
}

export function register(
  program: Command,
  context: CliContext,
  dependencies: PinDependencies = {},
): void {
  const pin = program
    .command('pin')
    .description('compare this machine with what the package is pinned to');
  pin
    .command('check')
    .description('look at every fact of the pin, without the addon: the check for CI')
    .addOption(new Option('--json', 'print the findings as JSON').conflicts('github'))
    .option('--github', 'print the findings as workflow commands of GitHub Actions')
    .addOption(new Option('--variant <variant>', 'which build of the library').choices(VARIANTS))
    .addHelpText(
      'after',
      '\nExit codes: 0 when everything is as pinned, 1 when something is not, 2 when not everything could be checked.',
    )
    .action(async ({ json, github, variant }: Choice) => {
      const report = await checkPin({
        ...dependencies,
        env: context.env,
        ...(variant === undefined ? {} : { variant }),
      });
      if (json === true) context.out(`${JSON.stringify(report, null, 2)}\n`);
      else if (github === true)
        for (const finding of report.findings) context.out(command(finding));
      else {
        for (const finding of report.findings) {
          context.out(findingLines(finding, 'not checked'));
        }
        context.out(summary(report));
      }
      context.exitCode = EXIT_CODES[report.outcome];
    });
}

function summary({ outcome, tensorflow }: PinReport): string {
  switch (outcome) {
    case 'ok':
      return `everything is as pinned: TensorFlow ${tensorflow}\n`;
    case 'failed':
      return 'something is not as pinned\n';
    case 'unchecked':
      return 'nothing is wrong, but not everything could be checked\n';
  }
}

/** The file of a repository that says which tfe-node, and so which pin, is in use. */
const FILE = 'package.json';

/** One workflow command a finding: https://docs.github.com/actions/reference/workflow-commands-for-github-actions */
function command({ state, title, fact, todo, code }: Finding): string {
  const text = `${title}: ${fact}${todo === null || todo === '' ? '' : ` ${todo}`}`;
  if (state === 'ok') return `::debug::${escapeData(text)}\n`;
  const name = code === null ? 'tfe-node pin check' : `tfe-node pin check: ${code}`;
  return `::error file=${FILE},title=${escapeProperty(name)}::${escapeData(text)}\n`;
}

function escapeData(text: string): string {
  return text.replace(/%/gu, '%25').replace(/\r/gu, '%0D').replace(/\n/gu, '%0A');
}

function escapeProperty(text: string): string {
  return escapeData(text).replace(/:/gu, '%3A').replace(/,/gu, '%2C');
}
