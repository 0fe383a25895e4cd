/** Every fixture says at its head what it gives; its name says what it shows. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, test } from '@jest/globals';

import { CODES } from '../../../plugins/core/codes';
import { toFileReport } from '../../../plugins/core';
import { analyzeFixture, expected, found } from './expectations';

const FOLDER = join(__dirname, '..', 'fixtures');
const NAMES = readdirSync(FOLDER)
  .filter((name) => name.endsWith('.ts'))
  .sort();

/** Reasons that no well-formed fixture can have; each has a test of its own in analyze.test.ts. */
const ELSEWHERE = new Set<string>([
  CODES.doesNotParse.code,
  CODES.tooDeep.code,
  CODES.unknownOp.code,
]);

describe.each(NAMES)('%s', (name) => {
  const source = readFileSync(join(FOLDER, name), 'utf8');
  const analysis = analyzeFixture(name, source);
  const [status] = name.split('.');

  test('gives what it says', () => {
    expect(expected(source).length).toBeGreaterThan(0);
    expect(found(analysis)).toEqual(expected(source));
  });

  test('shows what its name says', () => {
    const statuses = analysis.functions.map((f) => f.status);
    if (status === 'native') expect(new Set(statuses)).toEqual(new Set(['native']));
    else if (status === 'mixed') expect(statuses).toContain('mixed');
    else if (status === 'fallback') {
      expect(statuses.some((s) => s === 'fallback' || s === 'not annotated')).toBe(true);
    } else {
      expect(status).toBe('rejected');
      const verdicts = analysis.functions.flatMap((f) => f.sites.map((site) => site.verdict));
      expect(verdicts).toContain('rejected');
    }
  });

  test('keeps the rules of every report', () => {
    for (const f of analysis.functions) {
      expect(f.reason).toBe(f.reasons[0] ?? null);
      expect(f.status === 'native').toBe(f.reasons.length === 0);
      const firstConsequence = f.reasons.findIndex((reason) => reason.becauseOf !== null);
      const causes = f.reasons.filter((reason) => reason.becauseOf === null).length;
      if (firstConsequence >= 0) expect(firstConsequence).toBe(causes);
      for (const reason of f.reasons) {
        if (reason.code.startsWith('TFEC-')) {
          expect(reason.message).toMatch(/[.]$/);
          expect(reason.suggestion).toMatch(/[.?]$/);
        }
        expect(reason.range.start).toBeGreaterThanOrEqual(0);
        expect(reason.range.end).toBeGreaterThanOrEqual(reason.range.start);
      }
      for (const site of f.sites) {
        const callText = source.slice(...site.span);
        if (site.kind === 'call') expect(callText).toMatch(/[)]$/);
        expect(site.lowered).toBe(
          site.verdict === 'claimed' && (f.status === 'native' || f.status === 'mixed'),
        );
        expect(site.route).toBe(site.lowered ? 'native-plugin:tfe-fake' : 'fallback');
        expect(site.reason === null).toBe(site.verdict === 'claimed');
      }
    }
    const report = toFileReport(analysis);
    expect(JSON.parse(JSON.stringify(report))).toEqual(report);
  });
});

test('every reason of the analysis has a fixture', () => {
  const seen = new Set(
    NAMES.flatMap((name) => {
      const analysis = analyzeFixture(name, readFileSync(join(FOLDER, name), 'utf8'));
      return [
        ...analysis.diagnostics.map(({ code }) => code),
        ...analysis.functions.flatMap((f) => [
          ...f.reasons.map(({ code }) => code),
          ...(f.scopeReason === null ? [] : [f.scopeReason.code]),
          ...f.sites.flatMap((site) => (site.reason === null ? [] : [site.reason.code])),
        ]),
      ];
    }),
  );
  for (const { code } of Object.values(CODES)) {
    if (!ELSEWHERE.has(code)) expect(seen).toContain(code);
  }
});

test('each code is used once', () => {
  const codes = Object.values(CODES).map(({ code }) => code);
  expect(new Set(codes).size).toBe(codes.length);
  for (const code of codes) expect(code).toMatch(/^TFEC-\d{3}$/);
});

test('each code is documented under its title', () => {
  const page = readFileSync(join(__dirname, '../../../docs/analysis.md'), 'utf8');
  const rows = new Map(
    [...page.matchAll(/^\| `(TFEC-\d{3})` *\| (.*?) *\|$/gm)].map(([, code, title]) => [
      code,
      title,
    ]),
  );
  expect(rows).toEqual(new Map(Object.values(CODES).map(({ code, title }) => [code, title])));
});
