/** defineExtensionRuntime: exactly one route, in the texts of tenferro's macro (tenferro-extension-ops.md 7.8, 15). */
import { describe, expect, test } from '@jest/globals';
import {
  defineExtensionOp,
  defineExtensionRuntime,
  TfeEngine,
  type Engine,
  type ExtensionRuntimeSpec,
  type Payload,
} from '../../lib/extension';
import { thrownBy } from '../tensor/accounting';

const identity = defineExtensionOp({
  familyId: 'test.identity.v1',
  inputCount: 1,
  outputCount: 1,
  effects: [],
  aliases: 'allFresh',
  inferOutputMeta: (_, context) => [{ dtype: context.inputDtype(0), shape: context.inputShape(0) }],
});

const BASE = { runtime: 'IdentityRuntime', familyId: 'test.identity.v1', op: identity } as const;
const SESSION = { executeInSession: () => [], sessionSupported: () => true } as const;
const READS = { executeReads: () => [] } as const;

type Spec = ExtensionRuntimeSpec<Payload, Engine>;

const problemOf = (spec: object): string => {
  const error = thrownBy(() => defineExtensionRuntime(spec as Spec));
  expect(error.code).toBe('TFE_EXTENSION_RUNTIME');
  return String(error.facts['problem']);
};

describe('a runtime', () => {
  test('may have the session route', () => {
    expect(() => defineExtensionRuntime({ ...BASE, ...SESSION })).not.toThrow();
  });

  test('may have the reads route', () => {
    expect(() => defineExtensionRuntime({ ...BASE, ...READS })).not.toThrow();
  });

  test('may not have both', () => {
    const both = { ...BASE, ...SESSION, ...READS };
    expect(problemOf(both)).toBe('supply either executeReads or executeInSession, not both');
    // @ts-expect-error -- the types say so, too
    expect(() => defineExtensionRuntime(both)).toThrow();
  });

  test('may not have neither', () => {
    expect(problemOf(BASE)).toBe('either executeReads or executeInSession must be supplied');
    // @ts-expect-error -- the types say so, too
    expect(() => defineExtensionRuntime(BASE)).toThrow();
  });

  test.each([
    ['executeInSession', { executeInSession: SESSION.executeInSession }],
    ['sessionSupported', { sessionSupported: SESSION.sessionSupported }],
    ['sessionSupported beside executeReads', { ...READS, sessionSupported: () => true }],
  ])('may not have half a session route: %s', (_, half) => {
    expect(problemOf({ ...BASE, ...half })).toBe(
      'executeInSession and sessionSupported must be supplied together',
    );
  });

  test('half a session route is a type error', () => {
    const { executeInSession, sessionSupported } = SESSION;
    // @ts-expect-error -- sessionSupported is missing
    expect(() => defineExtensionRuntime({ ...BASE, executeInSession })).toThrow();
    // @ts-expect-error -- executeInSession is missing
    expect(() => defineExtensionRuntime({ ...BASE, sessionSupported })).toThrow();
    // @ts-expect-error -- sessionSupported belongs to the other route
    expect(() => defineExtensionRuntime({ ...BASE, ...READS, sessionSupported })).toThrow();
  });

  test('may not have the argument of old, execute', () => {
    const old = { ...BASE, execute: () => [] };
    expect(problemOf(old)).toBe('unsupported defineExtensionRuntime argument "execute"');
    // @ts-expect-error -- the types say so, too
    expect(() => defineExtensionRuntime({ ...BASE, execute: () => [] })).toThrow();
  });

  test('may not have an argument that there is not', () => {
    expect(problemOf({ ...BASE, ...READS, name: 'x' })).toBe(
      'unsupported defineExtensionRuntime argument "name"',
    );
  });

  test.each(['runtime', 'familyId', 'op'] as const)('may not lack %s', (field) => {
    expect(problemOf({ ...BASE, ...READS, [field]: undefined })).toBe(`missing ${field}`);
  });

  test('needs a family id of the grammar', () => {
    const spec = { ...BASE, ...READS, familyId: 'identity' } as unknown as Spec;
    expect(thrownBy(() => defineExtensionRuntime(spec)).code).toBe('TFE_FAMILY_ID');
  });

  test('runs the ops of the family that it names, not of another', () => {
    const spec = { ...BASE, ...READS, familyId: 'test.other.v1' } as const;
    expect(problemOf(spec)).toBe('familyId is test.other.v1, but op makes ops of test.identity.v1');
  });

  test('says what is wrong as a whole sentence with the way out', () => {
    expect(thrownBy(() => defineExtensionRuntime(BASE as never)).message).toBe(
      'defineExtensionRuntime: either executeReads or executeInSession must be supplied. Give runtime, familyId, op, and either executeInSession with sessionSupported, or executeReads.',
    );
  });
});

describe('the module of a runtime', () => {
  const runtime = defineExtensionRuntime({ ...BASE, ...READS });

  test('is the same object each time: installing it again changes nothing', () => {
    expect(runtime.extensionModule(TfeEngine.type)).toBe(runtime.extensionModule(TfeEngine.type));
  });

  test('is another one for another engine', () => {
    const other = { engineId: 'test.other-engine.v1', contextIdentity: 'Other' };
    expect(runtime.extensionModule(other)).not.toBe(runtime.extensionModule(TfeEngine.type));
  });

  test('is named after its family', () => {
    expect(runtime.extensionModule(TfeEngine.type).moduleId).toBe('test.identity.v1.module');
  });
});
