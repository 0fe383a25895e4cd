/** Claiming, walked over the acceptance matrix in cases.ts, which says where its values come from. */
import { describe, expect, test } from '@jest/globals';
import { plugin } from '../../../plugins/tensorflow';
import { ACCEPTED, REFUSED, UNCOVERED } from './cases';
import { show, showType } from './sites';

describe('claims', () => {
  test.each(ACCEPTED.map((row) => [show(row.site), row] as const))(
    '%s',
    (_, { site, slug, resultType }) => {
      expect(plugin.claim(site)).toEqual({
        verdict: 'claimed',
        ruleId: `tfe-tensorflow/${slug}`,
        resultType,
      });
    },
  );
});

describe('rejects', () => {
  test.each(REFUSED.map((row) => [row.code, show(row.site), row] as const))(
    'with %s %s',
    (_, __, { site, code, resultType, reason, suggestion }) => {
      expect(plugin.claim(site)).toEqual({
        verdict: 'rejected',
        diagnostic: {
          code: `TFEP-TENSORFLOW-${code}`,
          message: expect.stringMatching(reason),
          suggestion: expect.stringMatching(suggestion),
        },
        resultType,
      });
    },
  );

  test.each(REFUSED.map((row) => [show(row.site), row] as const))(
    'in one voice: %s',
    (_, { site }) => {
      const verdict = plugin.claim(site);
      if (verdict.verdict !== 'rejected') throw new Error('expected a rejection');
      const opening = `tfe-tensorflow cannot lower '${site.target}': `;
      expect(verdict.diagnostic.message.startsWith(opening)).toBe(true);
      expect(verdict.diagnostic.suggestion).toMatch(/^[A-Z].*\.$/);
    },
  );
});

describe('does not cover', () => {
  test.each(
    UNCOVERED.map((row) => [show(row.site), row.why, showType(row.resultType), row] as const),
  )('%s: %s; it returns %s', (_, __, ___, { site, resultType }) => {
    expect(plugin.claim(site)).toEqual({ verdict: 'not covered', resultType });
  });
});

test('every declared code is emitted by a case', () => {
  const emitted = new Set(REFUSED.map(({ code }) => `TFEP-TENSORFLOW-${code}`));
  const declared = plugin.describe().map(({ diagnosticCode }) => diagnosticCode);
  expect([...emitted].sort()).toEqual([...declared].sort());
});

test('every rule that lowers is claimed by a case', () => {
  const claimedIds = new Set(ACCEPTED.map(({ slug }) => `tfe-tensorflow/${slug}`));
  const native = plugin.describe().filter(({ outcome }) => outcome === 'native');
  expect([...claimedIds].sort()).toEqual(native.map(({ id }) => id).sort());
});

test('a suggested axis is one that is lowered at that site', () => {
  // 8.3: texts that send the user from one rejection to the next.
  for (const { site } of REFUSED.filter((row) => row.site.target === 'tf.nn.softmax')) {
    const verdict = plugin.claim(site);
    const [type] = site.operandTypes;
    if (verdict.verdict !== 'rejected' || verdict.diagnostic.code.endsWith('010')) continue;
    const { suggestion } = verdict.diagnostic;
    if (type?.endsWith('f32-cpu-2d')) expect(suggestion).not.toMatch(/write 0|axis: 0/i);
    if (type?.endsWith('f32-cpu-1d')) expect(suggestion).not.toMatch(/write 1|axis: 1/i);
  }
});
