/** Renders rule records as the page docs/rules.md. The records are its only source. */
import type { RuleRecord } from '../core/api';

function overview(records: readonly RuleRecord[]): string[] {
  const rows = [
    ['code', 'rule', 'outcome'],
    ...records.map(({ diagnosticCode, id, outcome }) => [
      `\`${diagnosticCode}\``,
      `\`${id}\``,
      outcome,
    ]),
  ];
  // Padded as the formatter pads, so that the page needs no formatting of its own.
  const widths = [0, 1, 2].map((column) =>
    Math.max(...rows.map((row) => row[column]?.length ?? 0)),
  );
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  const [head = '', ...body] = rows.map((row) =>
    line(row.map((cell, column) => cell.padEnd(widths[column] ?? 0))),
  );
  return [head, line(widths.map((width) => '-'.repeat(width))), ...body];
}

function section(record: RuleRecord): string[] {
  const { id, diagnosticCode, scope, outcome, stability, constraint, guidance } = record;
  return [
    `## ${id.slice(id.indexOf('/') + 1)}`,
    '',
    `\`${diagnosticCode}\`, ${outcome}, ${stability}. A rule for a ${scope.kind}: \`${scope.pattern}\``,
    '',
    `- Constraint: ${constraint}`,
    `- What to write: ${guidance}`,
    '',
  ];
}

export function renderRules(records: readonly RuleRecord[]): string {
  return [
    '# Rules of tfe-tensorflow',
    '',
    'Made from the rule records in `plugins/tensorflow` by `test/plugins/tensorflow/rules-page.test.ts`',
    '(`UPDATE_DOCS=1`); edit the records, not this page. Numbers and slugs are those of rextio-tensorflow 0.1.3.',
    '',
    ...overview(records),
    '',
    ...records.flatMap(section),
  ]
    .join('\n')
    .trimEnd()
    .concat('\n');
}
