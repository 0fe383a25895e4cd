/**
 * What a fixture is expected to give, written at its head:
 *
 *     // expect score: mixed, freed
 *     //   TFEC-030 `tf.cos(h)`
 *     //   TFEC-124 `g(h)` because of g
 *     //   kept because of `h`
 *     //   captures weights
 *     //   sites tf.nn.relu=claimed tf.cos=not covered
 *     // expect file TFEC-003 `'use tfe exempt'`
 *
 * Places are given by the text that they cover, so that a fixture can be edited without counting lines.
 */
import { analyzeSource, createRegistry } from '../../../plugins/core';
import type { FileAnalysis, FunctionAnalysis } from '../../../plugins/core';
import type { Plugin } from '../../../plugins/core/api';
import type { Diagnostic } from '../../../plugins/core/model';
import { fakePlugin } from './fake-plugin';

export function analyzeFixture(
  file: string,
  source: string,
  plugins: readonly Plugin[] = [fakePlugin],
): FileAnalysis {
  return analyzeSource({ file, source, registry: createRegistry(plugins) });
}

/** The expectations at the head of a fixture, one per line. */
export function expected(source: string): string[] {
  return source.split(/\r?\n/).filter((line) => /^\/\/ (?:expect | {2})/.test(line));
}

/** What the analysis gives, in the same form. */
export function found(analysis: FileAnalysis): string[] {
  const text = ({ range }: Diagnostic): string => {
    const whole = analysis.source.slice(range.start, range.end).replaceAll(/\s+/g, ' ');
    return `\`${whole.length > 50 ? `${whole.slice(0, 47)}...` : whole}\``;
  };
  const ofFunction = (f: FunctionAnalysis): string[] => [
    `// expect ${f.name}: ${f.status}, ${f.active ? (f.scoped ? 'freed' : 'kept') : 'as written'}`,
    ...f.reasons.map(
      (reason) =>
        `//   ${reason.code} ${text(reason)}` +
        (reason.becauseOf === null
          ? ''
          : ` because of ${reason.becauseOf.name.replace(/ \(line.*/, '')}`),
    ),
    ...(f.scopeReason === null ? [] : [`//   kept because of ${text(f.scopeReason)}`]),
    ...(f.captures.length === 0
      ? []
      : [`//   captures ${f.captures.map((c) => c.name).join(' ')}`]),
    ...(f.sites.length === 0
      ? []
      : [`//   sites ${f.sites.map((site) => `${site.target}=${site.verdict}`).join(' ')}`]),
  ];
  return [
    ...analysis.diagnostics.map((found) => `// expect file ${found.code} ${text(found)}`),
    ...analysis.functions.flatMap(ofFunction),
  ];
}
