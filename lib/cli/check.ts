/** `tfe-node check`: what would be lowered, and why the rest would not. Reads files, writes none. */
import { readFileSync, statSync, type Stats } from 'node:fs';
import { relative, resolve, sep } from 'node:path';

import { analyzeSource, toFileReport } from '../../plugins/core/analyze';
import type { Plugin } from '../../plugins/core/api';
import {
  askedFor,
  isUnanalysed,
  jsonReport,
  textReport,
  type ReportedFile,
} from '../../plugins/core/report';
import { tfeError } from '../errors';
import { isAbsent } from '../native/files';
import { Option } from '../vendor/commander';
import { globSync } from '../vendor/tinyglobby';
import { addAnalysisOptions, analysisSetup, BUILT_IN, type AnalysisOptions } from './analysis';
import type { CliContext, RegisterCommand } from './context';

const SOURCE = /\.(?:[cm]?[jt]s|[jt]sx)$/i;

interface CheckOptions extends AnalysisOptions {
  readonly json?: true;
  readonly require?: 'native';
}

export const register: RegisterCommand = (program, context) => {
  const command = program
    .command('check')
    .description('report which annotated functions are native, mixed or fallback, and why')
    .argument('<path...>', 'source files, or folders that are searched for TypeScript')
    .option('--json', 'print the report as JSON')
    .addOption(
      new Option('--require <status>', 'exit 1 unless every annotated function has it').choices([
        'native',
      ]),
    );
  addAnalysisOptions(command).action((paths: string[], options: CheckOptions) =>
    check(paths, options, context),
  );
};

/** Runs the command. `builtIn` are the plugins that are active without configuration. */
export function check(
  paths: readonly string[],
  options: CheckOptions,
  context: CliContext,
  builtIn: readonly Plugin[] = BUILT_IN,
): void {
  const setup = analysisSetup(options, context, builtIn);
  const files: ReportedFile[] = sourceFiles(paths, context.cwd).map((path) => {
    const source = read(path);
    const file = relative(context.cwd, path).split(sep).join('/');
    const analysis = analyzeSource({ file, source, ...setup });
    return { report: toFileReport(analysis), source };
  });
  const reports = files.map(({ report }) => report);
  context.out(
    options.json === true ? `${JSON.stringify(jsonReport(reports), null, 2)}\n` : textReport(files),
  );

  if (reports.some(isUnanalysed)) context.exitCode = 1;
  if (options.require !== 'native') return;
  const asked = reports.flatMap(askedFor);
  const missed = asked.filter(({ status }) => status !== 'native');
  if (asked.length > 0 && missed.length === 0) return;
  context.exitCode = 1;
  context.err(
    asked.length === 0
      ? '--require native: there is no annotated function.\n'
      : `--require native: ${missed.length} of ${asked.length} annotated functions ` +
          `${missed.length === 1 ? 'is' : 'are'} not native: ` +
          `${missed.map(({ name, status }) => `${name} (${status})`).join(', ')}.\n`,
  );
}

/** The files that `paths` name, absolute, each once, in the order of their names. */
function sourceFiles(paths: readonly string[], cwd: string): string[] {
  const found = new Set<string>();
  for (const path of paths) {
    const absolute = resolve(cwd, path);
    const stats = statOf(path, absolute);
    if (stats.isFile()) {
      if (!SOURCE.test(absolute)) {
        throw tfeError('TFE_CHECK_PATH', { path, problem: 'is not a source file' });
      }
      found.add(absolute);
    } else if (stats.isDirectory()) {
      for (const file of globSync('**/*.{ts,tsx,mts,cts}', {
        cwd: absolute,
        absolute: true,
        ignore: ['**/node_modules/**', '**/*.d.{ts,mts,cts}'],
        followSymbolicLinks: false,
        expandDirectories: false,
      })) {
        found.add(resolve(file));
      }
    } else {
      throw tfeError('TFE_CHECK_PATH', { path, problem: 'is neither a file nor a folder' });
    }
  }
  return [...found].sort();
}

function statOf(path: string, absolute: string): Stats {
  try {
    return statSync(absolute);
  } catch (cause) {
    const { code } = cause as { code?: unknown };
    const problem = isAbsent(cause) ? 'does not exist' : `cannot be read (${String(code)})`;
    throw tfeError('TFE_CHECK_PATH', { path, problem }, { cause });
  }
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    const problem = `cannot be read (${String((cause as { code?: unknown }).code)})`;
    throw tfeError('TFE_CHECK_PATH', { path, problem }, { cause });
  }
}
