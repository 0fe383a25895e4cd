/**
 * `tfe-node build`: lowers a module or a folder and leaves JavaScript that runs, maps and declarations. Everything is
 * made in memory first; what cannot be built leaves the output folder as it was.
 */
import { readFileSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { analyzeSource } from '../../plugins/core/analyze';
import type { FileAnalysis } from '../../plugins/core/analysis-model';
import type { Plugin } from '../../plugins/core/api';
import {
  emitDeclarations,
  emitJavaScript,
  isCommonJs,
  rewriteDeclarations,
  specifiersOf,
} from '../../plugins/core/emit';
import {
  lowerSource,
  type LoweredFunctionResult,
  type LoweredSource,
  type Replacement,
} from '../../plugins/core/lower';
import { Positions } from '../../plugins/core/positions';
import { messageOf } from '../describe';
import { tfeError } from '../errors';
import { isAbsent } from '../native/files';
import { addAnalysisOptions, analysisSetup, BUILT_IN, type AnalysisOptions } from './analysis';
import { commitOutput, readManifest, type OutputFile } from './build-output';
import {
  declarationsOf,
  packageType,
  packageTypeAt,
  planBuild,
  specifierResolver,
  type BuildPlan,
  type ResolveSpecifier,
  type SourceFile,
} from './build-plan';
import type { CliContext, RegisterCommand } from './context';

interface BuildOptions extends AnalysisOptions {
  readonly out: string;
}

export const register: RegisterCommand = (program, context) => {
  const command = program
    .command('build')
    .description('lower annotated TypeScript and write JavaScript, source maps and declarations')
    .argument('<source>', 'a TypeScript module, or a folder of them')
    .requiredOption('--out <folder>', 'where the built files go');
  addAnalysisOptions(command).action((source: string, options: BuildOptions) =>
    build(source, options, context),
  );
};

/** Runs the command. `builtIn` are the plugins that are active without configuration. */
export function build(
  source: string,
  options: BuildOptions,
  context: CliContext,
  builtIn: readonly Plugin[] = BUILT_IN,
): void {
  const out = resolve(context.cwd, options.out);
  const plan = planBuild(resolve(context.cwd, source), out);
  const setup = analysisSetup(options, context, builtIn);

  const analyses = plan.files
    .filter(({ kind }) => kind === 'compile')
    .map((file) => {
      const analysis = analyzeSource({ file: file.path, source: readText(file), ...setup });
      return { file, analysis };
    });
  refuseUnparsed(analyses.map(({ analysis }) => analysis));

  const resolveSpecifier = specifierResolver(plan.files);
  const lines: string[] = [];
  const notes: string[] = [];
  const outputs: OutputFile[] = [];
  const counts = { native: 0, mixed: 0, fallback: 0 };
  for (const { file, analysis } of analyses) {
    const lowered = lowerSource(analysis, {
      sourceFile: file.path,
      replace: rewrites(file, analysis, resolveSpecifier, notes),
    });
    outputs.push(...emit(file, analysis, lowered, out, resolveSpecifier));
    for (const result of lowered.functions) {
      const { status } = result.function;
      if (status === 'not annotated') continue;
      counts[status] += 1;
      lines.push(functionLine(analysis.file, result));
    }
    for (const { message, range } of analysis.diagnostics) {
      notes.push(`${file.path}:${range.line}:${range.column}: ${message}`);
    }
  }
  outputs.push(...copies(plan));
  outputs.push(...packageFile(plan, outputs));
  const { removed } = commitOutput(out, outputs);

  for (const line of lines) context.out(`${line}\n`);
  for (const path of removed) context.out(`removed ${path}, which an earlier build had made\n`);
  context.out(
    `${analyses.length} ${analyses.length === 1 ? 'module' : 'modules'} built into ${options.out}: ` +
      `${counts.native} native, ${counts.mixed} mixed, ${counts.fallback} fallback\n`,
  );
  for (const note of notes) context.err(`note: ${note}\n`);
}

function readBytes({ absolute, path }: SourceFile): Buffer {
  try {
    return readFileSync(absolute);
  } catch (error) {
    throw tfeError('TFE_BUILD_SOURCE', { path, problem: messageOf(error) }, { cause: error });
  }
}

function readText(file: SourceFile): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(readBytes(file));
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw tfeError('TFE_BUILD_SOURCE', { path: file.path, problem: 'it is not UTF-8 text' });
  }
}

function refuseUnparsed(analyses: readonly FileAnalysis[]): void {
  const problems = analyses
    .filter(({ program }) => program === null)
    .flatMap(({ file, diagnostics }) =>
      diagnostics.map(({ message, range }) => ({
        file,
        line: range.line,
        column: range.column,
        message,
      })),
    );
  if (problems.length > 0) throw tfeError('TFE_BUILD_PARSE', { problems });
}

/** Specifiers whose file gets another name. Those that lead out of the build are noted. */
function rewrites(
  file: SourceFile,
  analysis: FileAnalysis,
  resolveSpecifier: ResolveSpecifier,
  notes: string[],
): Replacement[] {
  const replacements: Replacement[] = [];
  for (const { value, start, end } of specifiersOf(analysis.program)) {
    const target = resolveSpecifier(file, value);
    if (target === undefined) {
      const { line, column } = new Positions(analysis.source).at(start);
      notes.push(
        `${file.path}:${line}:${column}: '${value}' is not part of this build and stays as written`,
      );
    } else if (target !== null) {
      replacements.push({ span: [start, end], text: JSON.stringify(target) });
    }
  }
  return replacements;
}

function emit(
  file: SourceFile,
  analysis: FileAnalysis,
  lowered: LoweredSource,
  out: string,
  resolveSpecifier: ResolveSpecifier,
): OutputFile[] {
  const mapSource = relative(dirname(join(out, file.output)), file.absolute)
    .split(sep)
    .join('/');
  const { code, map } = emitJavaScript(analysis, lowered, { sourceFile: file.path, mapSource });
  const name = file.output.slice(file.output.lastIndexOf('/') + 1);
  const declarations = rewriteDeclarations(
    emitDeclarations(analysis, file.path),
    (specifier) => resolveSpecifier(file, specifier) ?? null,
  );
  return [
    {
      path: file.output,
      contents: `${code}//# sourceMappingURL=${encodeURIComponent(name)}.map\n`,
    },
    { path: `${file.output}.map`, contents: JSON.stringify({ ...map, file: name }) },
    { path: declarationsOf(file), contents: declarations },
  ];
}

/** JavaScript, JSON and declarations go along as they are. */
function copies({ files }: BuildPlan): OutputFile[] {
  return files
    .filter(({ kind }) => kind === 'copy')
    .map((file) => {
      const contents = readBytes(file);
      // Node reads a .js file of the output as an ES module.
      const isModule =
        !file.path.endsWith('.js') || packageTypeAt(dirname(file.absolute)) === 'module';
      if (!isModule && isCommonJs(file.path, contents.toString())) {
        throw tfeError('TFE_BUILD_COMMONJS', { file: file.path });
      }
      return { path: file.output, contents };
    });
}

/** The `package.json` that makes Node read the built files as ES modules, where none does. */
function packageFile({ out }: BuildPlan, outputs: readonly OutputFile[]): OutputFile[] {
  if (!outputs.some(({ path }) => path.endsWith('.js'))) return [];
  for (const { path, contents } of outputs) {
    if (path !== 'package.json' && !path.endsWith('/package.json')) continue;
    const folder = path.slice(0, -'package.json'.length);
    const governs = outputs.some(
      (other) => other.path.startsWith(folder) && other.path.endsWith('.js'),
    );
    if (governs && packageType(contents.toString()) !== 'module') {
      throw tfeError('TFE_BUILD_PACKAGE', { path });
    }
  }
  if (outputs.some(({ path }) => path === 'package.json')) return [];
  const own = join(out, 'package.json');
  const isOurs = readManifest(out).has('package.json');
  const inOut = isOurs ? null : typeIn(out);
  if (inOut === 'module') return [];
  if (inOut !== null) throw tfeError('TFE_BUILD_PACKAGE', { path: own });
  if (packageTypeAt(dirname(out)) === 'module') return [];
  return [{ path: 'package.json', contents: '{\n  "type": "module"\n}\n' }];
}

/** What the folder's own `package.json` says; `null` when there is none. */
function typeIn(folder: string): string | null {
  let text: string;
  try {
    text = readFileSync(join(folder, 'package.json'), 'utf8');
  } catch (error) {
    if (isAbsent(error)) return null;
    throw tfeError('TFE_BUILD_WRITE', { out: folder, problem: messageOf(error) }, { cause: error });
  }
  return packageType(text) ?? 'commonjs';
}

/** Where an annotated function is, what it became, and the first reason why it is no more. */
function functionLine(
  file: string,
  { function: fn, action, loweredSites }: LoweredFunctionResult,
): string {
  const { name, nameRange, reason, sites, status } = fn;
  const what =
    action === 'lowered'
      ? `${loweredSites} of ${sites.length} ${sites.length === 1 ? 'site' : 'sites'} lowered`
      : action === 'scoped'
        ? 'runs as written, in a scope'
        : 'runs as written';
  const why = reason === null ? '' : `: ${reason.message}`;
  return `${file}:${nameRange.line}:${nameRange.column}  ${name}  ${status}, ${what}${why}`;
}
