/** defineExtensionOp: what a family must declare, and when two ops are one. */
import { describe, expect, test } from '@jest/globals';
import { defineExtensionOp, type ExtensionOpDefinition, type Payload } from '../../lib/extension';
import { thrownBy } from '../tensor/accounting';

type Definition = ExtensionOpDefinition<Payload>;

const IDENTITY: Definition = {
  familyId: 'test.identity.v1',
  inputCount: 1,
  outputCount: 1,
  effects: [],
  aliases: 'allFresh',
  inferOutputMeta: (_, context) => [{ dtype: context.inputDtype(0), shape: context.inputShape(0) }],
};

const define = (changes: Partial<Record<keyof Definition, unknown>>) =>
  defineExtensionOp({ ...IDENTITY, ...changes } as unknown as Definition);

const refusal = (changes: Partial<Record<keyof Definition, unknown>>): string =>
  thrownBy(() => define(changes)).code;

describe('a definition', () => {
  test('needs a family id of the grammar', () => {
    expect(refusal({ familyId: 'softplus' })).toBe('TFE_FAMILY_ID');
  });

  test('needs its effects declared: an op must not become pure by omission', () => {
    expect(refusal({ effects: undefined })).toBe('TFE_EXTENSION_EFFECTS_UNDECLARED');
  });

  test('needs its aliases declared', () => {
    expect(refusal({ aliases: undefined })).toBe('TFE_EXTENSION_ALIASES_UNDECLARED');
    expect(refusal({ aliases: 'fresh' })).toBe('TFE_EXTENSION_ALIASES_UNDECLARED');
  });

  test('is told of its effects first when it declares neither', () => {
    const both = { effects: undefined, aliases: undefined };
    expect(refusal(both)).toBe('TFE_EXTENSION_EFFECTS_UNDECLARED');
  });

  test.each(['inputCount', 'outputCount'] as const)('needs a %s of 0 or more', (field) => {
    for (const count of [-1, 1.5, NaN, '1', undefined]) {
      expect(refusal({ [field]: count })).toBe('TFE_EXTENSION_PAYLOAD_VALUE');
    }
  });

  test.each([
    [
      'an output twice',
      [
        { kind: 'fresh', output: 0 },
        { kind: 'fresh', output: 0 },
      ],
    ],
    ['too few outputs', [{ kind: 'fresh', output: 0 }]],
    ['too many outputs', [0, 1, 2].map((output) => ({ kind: 'fresh', output }))],
    [
      'an output that there is not',
      [
        { kind: 'fresh', output: 0 },
        { kind: 'fresh', output: 2 },
      ],
    ],
    ['an input that there is not', [{ kind: 'fresh', output: 0 }, { kind: 'viewOf', output: 1, input: 1 }]], // prettier-ignore
    ['a fraction of an input', [{ kind: 'fresh', output: 0 }, { kind: 'viewOf', output: 1, input: 0.5 }]], // prettier-ignore
    [
      'no input at all',
      [
        { kind: 'fresh', output: 0 },
        { kind: 'mustAlias', output: 1 },
      ],
    ],
    ['a kind that there is not', [{ kind: 'fresh', output: 0 }, { kind: 'shared', output: 1, input: 0 }]], // prettier-ignore
    ['something else', [null, 1]],
  ])('whose aliases cover %s is refused', (_, aliases) => {
    expect(refusal({ outputCount: 2, aliases })).toBe('TFE_EXTENSION_ALIAS_COVERAGE');
  });

  test('may declare its aliases in any order', () => {
    const aliases = [
      { kind: 'viewOf', output: 1, input: 0 },
      { kind: 'fresh', output: 0 },
    ];
    expect(() => define({ outputCount: 2, aliases })).not.toThrow();
  });

  test('cannot be changed afterwards', () => {
    const aliases = [{ kind: 'fresh', output: 0 }];
    const effects: unknown[] = [];
    const op = define({ aliases, effects }).op({});
    effects.push('write');
    aliases[0]!.output = 5;
    expect(op.effects).toEqual([]);
    expect(op.aliases).toEqual([{ kind: 'fresh', output: 0 }]);
  });
});

describe('the ops of a family', () => {
  test('are one object for equal payloads', () => {
    const family = define({});
    expect(family.op({ a: 1, b: NaN })).toBe(family.op({ b: NaN, a: 1 }));
  });

  test('are two objects for unequal payloads', () => {
    const family = define({});
    expect(family.op({ a: 0 })).not.toBe(family.op({ a: -0 }));
  });

  test('of two families are never one', () => {
    const other = define({ familyId: 'test.other.v1' });
    expect(define({}).op({}).familyId).not.toBe(other.op({}).familyId);
  });

  test('are frozen, and so are their payloads', () => {
    const payload = { axes: [0] };
    const op = define({}).op(payload);
    payload.axes.push(1);
    expect(op.payload).toEqual({ axes: [0] });
    expect(Object.isFrozen(op)).toBe(true);
    expect(Object.isFrozen(op.payload['axes'])).toBe(true);
  });

  test('belong to the definition that made them, not to their id', () => {
    const [mine, theirs] = [define({}), define({})];
    expect(mine.owns(mine.op({}))).toBe(true);
    expect(mine.owns(theirs.op({}))).toBe(false);
  });

  test('are made anew when more payloads than a family keeps came by, and are owned still', () => {
    const family = define({});
    const first = family.op({ i: 0 });
    for (let i = 1; i <= 600; i++) family.op({ i });
    expect(family.op({ i: 0 }).payloadKey).toBe(first.payloadKey);
    expect(family.owns(first)).toBe(true);
  });

  test('are refused by the family that checks its payloads, and not remembered', () => {
    const family = define({
      checkPayload: (payload: Payload) => {
        if (payload['axis'] !== 0) throw new Error('no such axis');
      },
    });
    expect(() => family.op({ axis: 1 })).toThrow('no such axis');
    expect(() => family.op({ axis: 1 })).toThrow('no such axis');
    expect(family.op({ axis: 0 }).payload).toEqual({ axis: 0 });
  });

  test('need plain data for a payload', () => {
    const family = define({});
    expect(thrownBy(() => family.op({ f: () => 1 } as never)).code).toBe('TFE_EXTENSION_PAYLOAD');
  });
});

test.each([undefined, null, 1, {}])('%p defines no family', (definition) => {
  expect(() => defineExtensionOp(definition as never)).toThrow(
    expect.objectContaining({ code: 'TFE_FAMILY_ID' }),
  );
});
