/** `tfe-node doctor`: what is printed of a walk through the steps of loading. The walk is lib/native/doctor.ts's. */
import { examine, type DoctorOptions } from '../native/doctor';
import type { Command } from '../vendor/commander';
import type { CliContext } from './context';
import { findingLines } from './findings';

/** What tests put in place of this process's own. */
export type DoctorDependencies = Pick<DoctorOptions, 'pin' | 'execArgv'>;

export function register(
  program: Command,
  context: CliContext,
  dependencies: DoctorDependencies = {},
): void {
  program
    .command('doctor')
    .description('walk every step of loading, and say which one fails and what to do')
    .option('--json', 'print the steps as JSON')
    .addHelpText('after', '\nExit codes: 0 when every step went well, 1 when one did not.')
    .action(async ({ json }: { readonly json?: boolean }) => {
      const report = await examine({
        ...dependencies,
        env: context.env,
        report: (finding) => {
          if (json !== true) context.out(findingLines(finding));
        },
      });
      if (json === true) context.out(`${JSON.stringify(report, null, 2)}\n`);
      else context.out(summary(report));
      if (!report.ok) context.exitCode = 1;
    });
}

function summary({ ok, findings }: Awaited<ReturnType<typeof examine>>): string {
  if (ok) return 'tfe-node works here\n';
  const failed = findings.filter(({ state }) => state === 'failed').length;
  return `tfe-node does not work here: ${failed} of ${findings.length} steps failed\n`;
}
