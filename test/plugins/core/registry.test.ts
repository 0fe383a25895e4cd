/** What a plugin states about itself is checked when it is loaded. */
import { describe, expect, test } from '@jest/globals';

import { createRegistry } from '../../../plugins/core';
import type { ClaimSite, Plugin, RuleRecord } from '../../../plugins/core/api';
import { codeSegment, siteKey } from '../../../plugins/core/registry';
import { plugin as tensorflow } from '../../../plugins/tensorflow';
import { F32_2D, fakePlugin, RULES } from './fake-plugin';

function fake(changes: Readonly<Record<string, unknown>>): Plugin {
  return { ...fakePlugin, ...changes };
}

function rules(changes: Readonly<Record<string, unknown>>): Plugin {
  return fake({ describe: () => [{ ...RULES[0], ...changes } as unknown as RuleRecord] });
}

const TYPE = fakePlugin.typeVocabulary()[0]!;

function types(...list: Readonly<Record<string, unknown>>[]): Plugin {
  return fake({
    typeVocabulary: () => list.map((changes) => ({ ...TYPE, ...changes })),
  });
}

test('the fake plugin and the real one are accepted', () => {
  expect(createRegistry([fakePlugin]).plugins).toEqual([fakePlugin]);
  expect(createRegistry([tensorflow]).plugins).toEqual([tensorflow]);
});

test('no plugin is a registry that covers nothing', () => {
  const registry = createRegistry([]);
  expect(registry.covers('tfe-node')).toBe(false);
  expect(registry.vocabulary).toBe('');
});

describe('one plugin', () => {
  test.each<[string, Plugin, string]>([
    ['is no object', null as unknown as Plugin, 'a plugin is an object'],
    ['has no id', fake({ id: undefined }), 'its id must be'],
    ['has an id in capitals', fake({ id: 'Tfe' }), 'its id must be'],
    ['has an id with a slash', fake({ id: 'a/b' }), 'its id must be'],
    ['has no version', fake({ apiVersion: undefined }), 'apiVersion must be'],
    ['has a version of three parts', fake({ apiVersion: '1.0.0' }), 'apiVersion must be'],
    ['has a version with a leading zero', fake({ apiVersion: '1.06' }), 'apiVersion must be'],
    ['is for another major', fake({ apiVersion: '2.0' }), 'the major must match'],
    ['has no claim()', fake({ claim: undefined }), 'claim() is missing'],
    ['has no lower()', fake({ lower: 1 }), 'lower() is missing'],
    ['covers nothing', fake({ covers: () => null }), 'covers() must return an object'],
    [
      'covers no package',
      fake({ covers: () => ({ packages: [], symbols: [] }) }),
      'covers().packages is empty',
    ],
    [
      'covers a package without name',
      fake({ covers: () => ({ packages: [''], symbols: [] }) }),
      'covers().packages must be a list of names',
    ],
    [
      'has symbols that are none',
      fake({ covers: () => ({ packages: ['a'], symbols: 'tf' }) }),
      'covers().symbols must be a list of names',
    ],
    ['describes no list', fake({ describe: () => ({}) }), 'describe() must return a list'],
    ['has a rule of another plugin', rules({ id: 'tfe-other/unary' }), "must be 'tfe-fake/<slug>'"],
    ['has a rule without slug', rules({ id: 'tfe-fake/' }), "must be 'tfe-fake/<slug>'"],
    ['has a rule without scope', rules({ scope: undefined }), 'the scope of rule'],
    ['has a rule of an unknown kind', rules({ scope: { kind: 'x', pattern: '' } }), 'the scope of'],
    ['has a rule of unknown outcome', rules({ outcome: 'x' }), 'unknown outcome'],
    ['has a rule of unknown stability', rules({ stability: 'x' }), 'unknown outcome or stability'],
    ['has a rule without guidance', rules({ guidance: undefined }), 'no constraint or guidance'],
    ['has a code of another form', rules({ diagnosticCode: 'TFEP-FAKE-1' }), 'TFEP-<SEGMENT>-NNN'],
    ['has a core code', rules({ diagnosticCode: 'TFEC-001' }), 'TFEP-<SEGMENT>-NNN'],
    [
      'has a code of another segment',
      rules({ diagnosticCode: 'TFEP-OTHER-001' }),
      "segment 'FAKE'",
    ],
    [
      'has a rule twice',
      fake({ describe: () => [RULES[0], { ...RULES[1], id: RULES[0]!.id }] }),
      "duplicate rule id 'tfe-fake/unary'",
    ],
    [
      'has a code twice',
      fake({
        describe: () => [RULES[0], { ...RULES[1], diagnosticCode: RULES[0]!.diagnosticCode }],
      }),
      "duplicate diagnostic code 'TFEP-FAKE-001'",
    ],
    ['has types that are no list', fake({ typeVocabulary: () => 1 }), 'must return a list'],
    ['has a type of another plugin', types({ key: 'other/x' }), "must be 'tfe-fake/<name>'"],
    ['has a type that is a core type', types({ key: 'number' }), "must be 'tfe-fake/<name>'"],
    ['has a type twice', types({}, {}), 'twice'],
    ['has a type without annotation', types({ annotations: [] }), 'declares no annotation'],
    [
      'has an annotation without module',
      types({ annotations: [{ name: 'A' }] }),
      'not {module, name}',
    ],
    ['has a type of negative rank', types({ tensor: { dtype: 'x', rank: -1 } }), 'dtype and rank'],
    ['has a type without tensor', types({ tensor: undefined }), 'dtype and rank'],
    [
      'has two types of one annotation',
      types({ key: 'tfe-fake/a' }, { key: 'tfe-fake/b' }),
      "claimed by both 'tfe-fake/a' and 'tfe-fake/b'",
    ],
  ])('that %s is refused', (_, plugin, problem) => {
    expect(() => createRegistry([plugin])).toThrow(
      expect.objectContaining({
        code: 'TFE_PLUGIN_INVALID',
        message: expect.stringContaining(problem),
      }),
    );
  });

  test.each(['covers', 'describe', 'typeVocabulary'])('that throws in %s() is named', (member) => {
    const plugin = fake({
      [member]: () => {
        throw new Error('broken');
      },
    });
    expect(() => createRegistry([plugin])).toThrow(
      expect.objectContaining({
        code: 'TFE_PLUGIN_THREW',
        facts: expect.objectContaining({ member, problem: 'broken' }),
      }),
    );
  });

  test('of a higher minor is accepted', () => {
    expect(() => createRegistry([fake({ apiVersion: '1.7' })])).not.toThrow();
  });
});

describe('two plugins', () => {
  test('of one id are refused', () => {
    expect(() => createRegistry([fakePlugin, fakePlugin])).toThrow('duplicate plugin id');
  });

  test('whose codes fall together are refused', () => {
    const other = fake({
      id: 'fake',
      describe: () => [],
      typeVocabulary: () => [],
    });
    expect(() => createRegistry([fakePlugin, other])).toThrow("the diagnostic-code segment 'FAKE'");
  });

  test('that claim one annotation are refused', () => {
    expect(() => createRegistry([fakePlugin, tensorflow])).toThrow('is claimed by both');
  });

  test('are asked in the order of their names', () => {
    const other = fake({ id: 'tfe-a', describe: () => [], typeVocabulary: () => [] });
    const ids = createRegistry([fakePlugin, other]).plugins.map(({ id }) => id);
    expect(ids).toEqual(['tfe-a', 'tfe-fake']);
  });
});

test('the segment of the codes is the name of the plugin', () => {
  expect(codeSegment('tfe-tensorflow')).toBe('TENSORFLOW');
  expect(codeSegment('my-plugin-2')).toBe('MYPLUGIN2');
});

test('types are found by annotation, by dtype and rank, and by key', () => {
  const registry = createRegistry([fakePlugin]);
  expect(registry.typeOf('tfe-node/types', 'TensorF32Cpu2D')?.key).toBe(F32_2D);
  expect(registry.typeOf('tfe-node', 'TensorF32Cpu2D')).toBeNull();
  expect(registry.typeBy('float32', 2)?.key).toBe(F32_2D);
  expect(registry.typeBy('float64', 2)).toBeNull();
  expect(registry.isTensor(F32_2D)).toBe(true);
  expect(registry.isTensor('number')).toBe(false);
  expect(registry.spell(F32_2D)).toBe('TensorF32Cpu2D');
  expect(registry.spell(null)).toBe('of unknown type');
});

test('sites that a plugin can tell apart have different keys', () => {
  const site = (changes: Partial<ClaimSite>): ClaimSite => ({
    kind: 'call',
    module: 'm',
    target: 't',
    operandTypes: ['number'],
    operandLiterals: [{ kind: 'int', value: 1 }],
    options: { kind: 'absent' },
    receiver: null,
    ruleId: null,
    resultType: null,
    ...changes,
  });
  const keys = [
    site({}),
    site({ kind: 'binop' }),
    site({ operandTypes: [null] }),
    site({ operandLiterals: [{ kind: 'bool', value: true }] }),
    site({ operandLiterals: [{ kind: 'bigint', value: 1n }] }),
    site({ operandLiterals: [{ kind: 'str', value: '1' }] }),
    site({ operandLiterals: [{ kind: 'float', value: NaN }] }),
    site({ operandLiterals: [{ kind: 'float', value: Infinity }] }),
    site({ operandLiterals: [{ kind: 'null' }] }),
    site({ operandLiterals: [{ kind: 'undefined' }] }),
    site({ options: { kind: 'static', entries: [] } }),
    site({ options: { kind: 'dynamic', reason: '' } }),
    site({ receiver: { type: null } }),
    site({ receiver: { type: 'number' } }),
  ].map(siteKey);
  expect(new Set(keys).size).toBe(keys.length);
  expect(siteKey(site({}))).toBe(keys[0]);
});
