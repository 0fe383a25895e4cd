/** What holds for every site, whatever a host or a forger puts into it. */
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import type {
  ClaimLiteral,
  ClaimOptions,
  ClaimSite,
  OptionEntry,
  TypeKey,
  Verdict,
} from '../../../plugins/core/api';
import { plugin } from '../../../plugins/tensorflow';
import { ACCEPTED, REFUSED } from './cases';
import { contextFor, F1, F2, FOREIGN, I1 } from './sites';

const typeKey: fc.Arbitrary<TypeKey | null> = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(F2, F1) },
  { weight: 1, arbitrary: fc.constant(I1) },
  {
    weight: 1,
    arbitrary: fc.constantFrom('number', 'boolean', 'string', FOREIGN, '', '__proto__'),
  },
  { weight: 1, arbitrary: fc.constant(null) },
);

const literal: fc.Arbitrary<ClaimLiteral> = fc.oneof(
  fc.constantFrom<ClaimLiteral>({ kind: 'dynamic' }, { kind: 'null' }, { kind: 'undefined' }),
  fc.boolean().map((value): ClaimLiteral => ({ kind: 'bool', value })),
  fc.integer({ min: -3, max: 3 }).map((value): ClaimLiteral => ({ kind: 'int', value })),
  fc.double().map((value): ClaimLiteral => ({ kind: 'float', value })),
  fc.bigInt().map((value): ClaimLiteral => ({ kind: 'bigint', value })),
  fc
    .oneof(fc.constantFrom('NHWC', 'NCHW'), fc.string())
    .map((value): ClaimLiteral => ({ kind: 'str', value })),
  fc.array(fc.integer()).map((value): ClaimLiteral => ({ kind: 'intTuple', value })),
);

const SETTING_NAMES = ['axis', 'data_format', 'transpose_a', 'transpose_b', 'name', 'output_type'];
const optionEntry: fc.Arbitrary<OptionEntry> = fc.record({
  name: fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom(...SETTING_NAMES) },
    { weight: 1, arbitrary: fc.oneof(fc.string(), fc.constantFrom('__proto__', 'constructor')) },
  ),
  type: fc.oneof(fc.constantFrom('number', 'boolean', 'string'), typeKey),
  literal,
});

const claimOptions: fc.Arbitrary<ClaimOptions> = fc.oneof(
  { weight: 3, arbitrary: fc.constant<ClaimOptions>({ kind: 'absent' }) },
  {
    weight: 3,
    arbitrary: fc
      .array(optionEntry, { maxLength: 3 })
      .map((entries): ClaimOptions => ({ kind: 'static', entries })),
  },
  {
    weight: 1,
    arbitrary: fc.string().map((reason): ClaimOptions => ({ kind: 'dynamic', reason })),
  },
);

const target = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...plugin.covers().symbols) },
  { weight: 2, arbitrary: fc.constantFrom('tf.cos', '+', '-', '*', '/', '%', '<', '===') },
  { weight: 1, arbitrary: fc.string() },
);

/** Any well-typed site: nothing says that it makes sense. */
const anySite: fc.Arbitrary<ClaimSite> = fc.record({
  kind: fc.constantFrom('call', 'call', 'call', 'binop'),
  module: fc.constantFrom('tfe-node', 'tfe-node', 'tfe-node', '', 'other'),
  target,
  operandTypes: fc.array(typeKey, { maxLength: 4 }),
  operandLiterals: fc.array(literal, { maxLength: 4 }),
  options: claimOptions,
  receiver: fc.option(fc.record({ type: typeKey }), { freq: 10 }),
  ruleId: fc.option(fc.string(), { freq: 3 }),
  resultType: typeKey,
});

/** A site that is close to the matrix: one of its rows, with one field taken from elsewhere. */
const nearSite: fc.Arbitrary<ClaimSite> = fc
  .tuple(
    fc.constantFrom(...ACCEPTED, ...REFUSED),
    anySite,
    fc.constantFrom<keyof ClaimSite>(
      'kind',
      'module',
      'target',
      'operandTypes',
      'operandLiterals',
      'options',
      'receiver',
      'ruleId',
    ),
  )
  .map(([row, other, field]) => ({ ...row.site, [field]: other[field] }));

const site = fc.oneof(anySite, nearSite);

function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const part of Object.values(value)) deepFreeze(part);
  }
  return value;
}

const rules = new Map(plugin.describe().map((record) => [record.id, record]));
const codes = new Set(plugin.describe().map(({ diagnosticCode }) => diagnosticCode));
const types = new Set<TypeKey>([F2, F1, I1]);

function expectWellFormed(verdict: Verdict, { kind }: ClaimSite): void {
  if (verdict.verdict === 'claimed') {
    const record = rules.get(verdict.ruleId);
    expect(record?.outcome).toBe('native');
    expect(record?.scope.kind).toBe(kind);
    expect(types.has(verdict.resultType)).toBe(true);
    return;
  }
  if (verdict.verdict === 'rejected') {
    const { code, message, suggestion } = verdict.diagnostic;
    expect(codes.has(code)).toBe(true);
    expect(message).not.toBe('');
    expect(suggestion).not.toBe('');
  }
  const { resultType } = verdict;
  expect(resultType === null || resultType === 'boolean' || types.has(resultType)).toBe(true);
}

test('a claim never throws, is well formed, and is the same the second time', () => {
  fc.assert(
    fc.property(site, (given) => {
      const frozen = deepFreeze(given);
      const verdict = plugin.claim(frozen);
      expectWellFormed(verdict, frozen);
      expect(plugin.claim(frozen)).toEqual(verdict);
      expect(plugin.claim(structuredClone(given))).toEqual(verdict);
    }),
    { numRuns: 3000 },
  );
});

test('a claim does not read what an earlier claim answered', () => {
  fc.assert(
    fc.property(site, (given) => {
      const verdict = plugin.claim(given);
      expect(plugin.claim({ ...given, ruleId: null, resultType: null })).toEqual(verdict);
    }),
  );
});

test('every claimed site lowers, to one application of its leading operands in order', () => {
  fc.assert(
    fc.property(site, (given) => {
      const verdict = plugin.claim(given);
      fc.pre(verdict.verdict === 'claimed');
      if (verdict.verdict !== 'claimed') return;
      const { ruleId, resultType } = verdict;
      const context = contextFor(given);
      const lowered = plugin.lower({ ...given, ruleId, resultType }, context);
      expect(context.applied).toHaveLength(1);
      const operands = context.applied[0]?.operands ?? [];
      expect(operands.length).toBeGreaterThan(0);
      expect(operands).toEqual(context.operands.slice(0, operands.length));
      expect(lowered.expr).toBe(`$.apply(0, ${operands.join(', ')})`);
    }),
    { numRuns: 500, maxSkipsPerRun: 1000 },
  );
});

test('no site lowers that is not claimed, or under what was not claimed', () => {
  fc.assert(
    fc.property(site, (given) => {
      const verdict = plugin.claim(given);
      const agrees =
        verdict.verdict === 'claimed' &&
        given.ruleId === verdict.ruleId &&
        given.resultType === verdict.resultType;
      fc.pre(!agrees);
      expect(() => plugin.lower(given, contextFor(given))).toThrow(
        /^tfe-tensorflow will not lower/,
      );
    }),
  );
});
