/** Lowering: what claimed sites become, and that metadata which its claim never saw is refused. */
import { describe, expect, test } from '@jest/globals';
import type { ClaimSite } from '../../../plugins/core/api';
import { plugin } from '../../../plugins/tensorflow';
import { ACCEPTED, REFUSED, UNCOVERED } from './cases';
import {
  call,
  contextFor,
  DYNAMIC,
  F1,
  F2,
  I1,
  options,
  recordingContext,
  show,
  written,
} from './sites';

/** The site as the host hands it to `lower`. */
function asClaimed(site: ClaimSite): ClaimSite {
  const verdict = plugin.claim(site);
  if (verdict.verdict !== 'claimed') throw new Error(`${show(site)} is ${verdict.verdict}`);
  return { ...site, ruleId: verdict.ruleId, resultType: verdict.resultType };
}

describe('lowers', () => {
  test.each(ACCEPTED.map((row) => [show(row.site), row] as const))(
    '%s to one op on its tensors',
    (_, { site, op, tensors }) => {
      const context = contextFor(site);
      const lowered = plugin.lower(asClaimed(site), context);
      const operands = context.operands.slice(0, tensors);
      expect(context.applied).toEqual([{ op, operands }]);
      expect(lowered).toEqual({ expr: `$.apply(0, ${operands.join(', ')})` });
    },
  );

  test('axis -0 as 0, because payloads are compared by their bits', () => {
    const site = call('tf.nn.softmax', [F1], options(['axis', -0]));
    const context = contextFor(site);
    plugin.lower(asClaimed(site), context);
    const [{ op } = { op: null }] = context.applied;
    expect(op?.kind === 'family' && Object.is(op.payload['axis'], 0)).toBe(true);
  });
});

describe('refuses to lower', () => {
  test.each([...REFUSED, ...UNCOVERED].map(({ site }) => [show(site), site] as const))(
    '%s, which is not claimed',
    (_, site) => {
      const context = contextFor(site);
      expect(() => plugin.lower(site, context)).toThrow(
        /^tfe-tensorflow will not lower '.*': judged again, the site is (rejected|not covered)/,
      );
      expect(context.applied).toEqual([]);
    },
  );

  const softmax = asClaimed(call('tf.nn.softmax', [F2, written(1)]));
  const argmax = asClaimed(call('tf.argmax', [F2], options(['axis', 1])));
  const biasAdd = asClaimed(call('tf.nn.bias_add', [F2, F1]));
  const forgeries: readonly (readonly [string, ClaimSite, RegExp])[] = [
    ['no rule id', { ...softmax, ruleId: null }, /was claimed by null/],
    [
      "another rule's id",
      { ...softmax, ruleId: 'tfe-tensorflow/softmax-axis0-f32-cpu-1d' },
      /was claimed by tfe-tensorflow\/softmax-axis0/,
    ],
    [
      'the id of the other axis',
      { ...argmax, ruleId: 'tfe-tensorflow/argmax-axis0-i64-cpu-2d' },
      /judged again it is claimed by tfe-tensorflow\/argmax-axis1/,
    ],
    ['another result type', { ...argmax, resultType: F2 }, /as tfe-tensorflow\/tensor-f32-cpu-2d/],
    ['no result type', { ...biasAdd, resultType: null }, /as null/],
    ['a receiver', { ...softmax, receiver: { type: F2 } }, /not covered/],
    ['another target', { ...softmax, target: 'tf.cos' }, /not covered/],
    ['another package', { ...softmax, module: 'tensorflow' }, /not covered/],
    ['another kind', { ...softmax, kind: 'binop' }, /not covered/],
    ['another axis', { ...argmax, options: options(['axis', 0]) }, /argmax-axis0/],
    [
      'a literal that is no longer one',
      { ...softmax, operandLiterals: [DYNAMIC, DYNAMIC] },
      /'axis' is not a literal/,
    ],
    ['fewer literals', { ...softmax, operandLiterals: [DYNAMIC] }, /one to one/],
    ['an option more', { ...biasAdd, options: options(['data_format', 'NCHW']) }, /'NCHW'/],
    ['operands in another order', { ...biasAdd, operandTypes: [F1, F2] }, /rejected/],
    ['another dtype', { ...argmax, operandTypes: [I1] }, /rejected/],
    ['an unresolved operand', { ...biasAdd, operandTypes: [F2, null] }, /not covered/],
  ];
  test.each(forgeries)('a claimed site with %s', (_, site, message) => {
    const context = contextFor(site);
    expect(() => plugin.lower(site, context)).toThrow(message);
    expect(context.applied).toEqual([]);
  });

  test.each([0, 1, 3])('a two-operand site for which %i operands were rendered', (rendered) => {
    const context = recordingContext(Array.from({ length: rendered }, (_, index) => `$${index}`));
    expect(() => plugin.lower(biasAdd, context)).toThrow(
      `it has 2 operands, but ${rendered} were rendered`,
    );
    expect(context.applied).toEqual([]);
  });
});
