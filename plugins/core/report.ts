/** What `check` prints: text for people, JSON for programs. Made from reports alone; writes nothing itself. */
import { CODES } from './codes';
import type { Diagnostic, FileReport, FunctionReport, Reason, SourceRange } from './model';
import { Positions } from './positions';

/** Version of the JSON. The major changes when a field changes its meaning or goes away. */
export const CONTRACT_VERSION = '1.0';

export interface Summary {
  readonly files: number;
  /** Files that could not be analysed. */
  readonly unanalysed: number;
  readonly functions: {
    readonly native: number;
    readonly mixed: number;
    readonly fallback: number;
    readonly notAnnotated: number;
  };
  readonly sites: {
    readonly claimed: number;
    readonly rejected: number;
    readonly notCovered: number;
    /** Claimed sites that are lowered. */
    readonly lowered: number;
  };
}

export interface JsonReport {
  readonly contractVersion: string;
  readonly files: readonly FileReport[];
  readonly summary: Summary;
}

/** A file with its text, from which frames are cut. */
export interface ReportedFile {
  readonly report: FileReport;
  readonly source: string;
}

export function isUnanalysed(report: FileReport): boolean {
  return report.diagnostics.some(
    ({ code }) => code === CODES.doesNotParse.code || code === CODES.tooDeep.code,
  );
}

/** Functions that asked to be lowered: all but those without annotation and those that say they are exempt. */
export function askedFor(report: FileReport): FunctionReport[] {
  return report.functions.filter(
    ({ status, reason }) => status !== 'not annotated' && reason?.code !== CODES.exempt.code,
  );
}

export function summarize(reports: readonly FileReport[]): Summary {
  const functions = reports.flatMap((report) => report.functions);
  const sites = functions.flatMap((found) => found.sites);
  const ofStatus = (status: FunctionReport['status']): number =>
    functions.filter((found) => found.status === status).length;
  const ofVerdict = (verdict: string): number =>
    sites.filter((site) => site.verdict === verdict).length;
  return {
    files: reports.length,
    unanalysed: reports.filter(isUnanalysed).length,
    functions: {
      native: ofStatus('native'),
      mixed: ofStatus('mixed'),
      fallback: ofStatus('fallback'),
      notAnnotated: ofStatus('not annotated'),
    },
    sites: {
      claimed: ofVerdict('claimed'),
      rejected: ofVerdict('rejected'),
      notCovered: ofVerdict('not covered'),
      lowered: sites.filter((site) => site.route !== 'fallback').length,
    },
  };
}

export function jsonReport(reports: readonly FileReport[]): JsonReport {
  return { contractVersion: CONTRACT_VERSION, files: reports, summary: summarize(reports) };
}

const MAX_FRAME_LINES = 3;
const MAX_LINE = 160;

/** The lines of a range with a mark under what it covers. */
export function codeFrame(source: string, range: SourceRange, indent = ''): string {
  const positions = new Positions(source);
  return frame(positions, range, indent);
}

function frame(positions: Positions, range: SourceRange, indent: string): string {
  const last = Math.min(range.endLine, range.line + MAX_FRAME_LINES - 1, positions.lineCount);
  const width = String(last).length;
  const lines: string[] = [];
  for (let line = range.line; line <= last; line++) {
    const full = positions.lineText(line);
    // A long line (minified code) is shown from a little before the mark.
    const cut = line === range.line && range.column > MAX_LINE / 2 ? range.column - 20 : 0;
    const text = full.slice(cut, cut + MAX_LINE);
    lines.push(`${indent}${String(line).padStart(width)} | ${text}`.trimEnd());
    const from = line === range.line ? range.column - 1 - cut : text.search(/\S|$/);
    const to = line === range.endLine ? range.endColumn - 1 - cut : text.trimEnd().length;
    // Tabs stay tabs, so that the mark stands under what it marks.
    const lead = text.slice(0, from).replaceAll(/[^\t]/g, ' ').padEnd(from);
    const mark = '^'.repeat(Math.max(Math.min(to, MAX_LINE) - from, 1));
    lines.push(`${indent}${' '.repeat(width)} | ${lead}${mark}`);
  }
  if (last < range.endLine) lines.push(`${indent}${' '.repeat(width)} | ...`);
  return lines.join('\n');
}

function place(file: string, { line, column }: SourceRange): string {
  return `${file}:${line}:${column}`;
}

function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

function detail(file: string, positions: Positions, found: Diagnostic): string[] {
  const lines = [
    `    ${place(file, found.range)}  ${found.code}  ${found.message}`,
    frame(positions, found.range, '      '),
  ];
  if (found.suggestion !== '') lines.push(`      ${found.suggestion}`);
  return lines;
}

function consequence(file: string, found: Reason): string {
  return (
    `    ${place(file, found.range)}  ${found.code}  ${found.message} ` +
    `(because of ${found.becauseOf?.name ?? ''})`
  );
}

function functionText(file: string, positions: Positions, found: FunctionReport): string[] {
  const lines = [
    `  ${found.name}  ${found.status}  ${found.route}  (${place(file, found.nameRange)})`,
  ];
  for (const site of found.sites) {
    const what =
      site.verdict === 'claimed'
        ? `${site.ruleId ?? ''}${site.route === 'fallback' ? '  (runs as written)' : ''}`
        : (site.reason?.code ?? '');
    const at = `${site.range.line}:${site.range.column}`;
    lines.push(`    ${at.padEnd(8)}${site.target}  ${site.verdict}  ${what}`.trimEnd());
  }
  for (const reason of found.reasons) {
    if (reason.becauseOf === null || reason === found.reasons[0]) {
      lines.push(...detail(file, positions, reason));
    } else lines.push(consequence(file, reason));
  }
  if (found.scopeReason !== null) lines.push(...detail(file, positions, found.scopeReason));
  return lines;
}

/** The report as text: each file with something to say, each function with its primary reason first. */
export function textReport(files: readonly ReportedFile[]): string {
  const lines: string[] = [];
  for (const { report, source } of files) {
    if (report.diagnostics.length === 0 && report.functions.length === 0) continue;
    const positions = new Positions(source);
    lines.push(report.file);
    for (const found of report.diagnostics) lines.push(...detail(report.file, positions, found));
    for (const found of report.functions) {
      lines.push(...functionText(report.file, positions, found));
    }
    lines.push('');
  }
  const { functions, sites, unanalysed } = summarize(files.map(({ report }) => report));
  lines.push(
    `${plural(files.length, 'file')}: ` +
      `${functions.native} native, ${functions.mixed} mixed, ${functions.fallback} fallback, ` +
      `${functions.notAnnotated} not annotated; ` +
      `${plural(sites.claimed, 'site')} claimed (${sites.lowered} lowered), ` +
      `${sites.rejected} rejected, ${sites.notCovered} not covered` +
      (unanalysed === 0 ? '' : `; ${plural(unanalysed, 'file')} could not be analysed`),
  );
  return `${lines.join('\n')}\n`;
}
