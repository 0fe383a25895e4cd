/**
 * The contract of an extension op: a payload with an identity, a fixed arity, metadata inference, and declared
 * effects and aliases. How it runs is a module's business, its derivative a rule set's; only the family id
 * connects the three.
 */
import { describeValue } from '../describe';
import { tfeError } from '../errors';
import { isArray, isObject } from '../objects';
import { checkFamilyId, type FamilyId } from './family-id';
import { encodePayload, freezePayload, type Payload } from './payload';
import type { ExtensionShapeContext, TensorMeta } from './shape-context';

/** What an op reads or writes besides its tensors. `family` is a resource family and ends in `.v<major>`. */
export interface Effect {
  readonly family: string;
  readonly key: bigint;
  readonly access: 'read' | 'write';
}

/** Which memory an output may share. */
export type Alias =
  | { readonly kind: 'fresh'; readonly output: number }
  | { readonly kind: 'viewOf' | 'mustAlias'; readonly output: number; readonly input: number };

export type AliasDeclaration = 'allFresh' | readonly Alias[];

/** One op of a family. Frozen; equal payloads of one definition are the same object. */
export interface ExtensionOp<P extends Payload = Payload> {
  readonly familyId: FamilyId;
  readonly payload: P;
  /** Canonical encoding of the payload: equal keys, equal payloads. */
  readonly payloadKey: string;
  readonly inputCount: number;
  readonly outputCount: number;
  /** `[]`: pure. */
  readonly effects: readonly Effect[];
  readonly aliases: AliasDeclaration;
  /**
   * Dtype and shape of every output. Total: bad input gives a typed error.
   * @throws TfeError
   */
  inferOutputMeta(context: ExtensionShapeContext): readonly TensorMeta[];
}

export interface ExtensionOpDefinition<P extends Payload> {
  /** `<package>.<op>.v<major>`; bump the major when payload, shape rule, derivative or numerics change. */
  readonly familyId: FamilyId;
  readonly inputCount: number;
  readonly outputCount: number;
  /** There is no default: an op must not become pure by omission. */
  readonly effects: readonly Effect[];
  readonly aliases: AliasDeclaration;
  /** Throws when a payload of the right type makes no sense (an axis below 0). */
  checkPayload?(payload: P): void;
  inferOutputMeta(payload: P, context: ExtensionShapeContext): readonly TensorMeta[];
}

/** Makes the ops of one family. Knows its own: an op of another definition with the same id is refused. */
export interface ExtensionFamily<P extends Payload> {
  readonly familyId: FamilyId;
  /** @throws TfeError `TFE_EXTENSION_PAYLOAD`, and what `checkPayload` throws */
  op(payload: P): ExtensionOp<P>;
  owns(op: ExtensionOp): op is ExtensionOp<P>;
}

/** Ops kept for reuse per family; families have few payloads, and a forgotten op is only planned again. */
const MAX_INTERNED = 512;

/**
 * Declares a family of extension ops.
 *
 * @throws TfeError `TFE_FAMILY_ID`, `TFE_EXTENSION_EFFECTS_UNDECLARED`, `TFE_EXTENSION_ALIASES_UNDECLARED`,
 *   `TFE_EXTENSION_ALIAS_COVERAGE`
 * @example
 * const identity = defineExtensionOp({
 *   familyId: 'example.identity.v1',
 *   inputCount: 1,
 *   outputCount: 1,
 *   effects: [],
 *   aliases: 'allFresh',
 *   inferOutputMeta: (payload, context) => [
 *     { dtype: context.inputDtype(0), shape: context.inputShape(0) },
 *   ],
 * });
 * const op = identity.op({});
 */
export function defineExtensionOp<P extends Payload>(
  definition: ExtensionOpDefinition<P>,
): ExtensionFamily<P> {
  const { familyId, inputCount, outputCount } = isObject(definition)
    ? definition
    : ({} as ExtensionOpDefinition<P>);
  checkFamilyId(familyId);
  checkFunction(definition, 'inferOutputMeta');
  if ((definition as { checkPayload?: unknown }).checkPayload !== undefined)
    checkFunction(definition, 'checkPayload');
  checkCount(familyId, 'inputCount', inputCount);
  checkCount(familyId, 'outputCount', outputCount);
  const declared: unknown = definition.effects;
  if (!isArray(declared)) {
    throw tfeError('TFE_EXTENSION_EFFECTS_UNDECLARED', { familyId }, { familyId });
  }
  checkAliases(familyId, definition.aliases, outputCount, inputCount);
  const effects = frozenCopy(definition.effects);
  const aliases =
    definition.aliases === 'allFresh' ? definition.aliases : frozenCopy(definition.aliases);

  const interned = new Map<string, ExtensionOp<P>>();
  const owned = new WeakSet<ExtensionOp>();
  return Object.freeze({
    familyId,
    op(payload: P): ExtensionOp<P> {
      const payloadKey = encodePayload(familyId, payload);
      const known = interned.get(payloadKey);
      if (known !== undefined) return known;
      definition.checkPayload?.(payload);
      const frozen = freezePayload(payload);
      const op: ExtensionOp<P> = Object.freeze({
        familyId,
        payload: frozen,
        payloadKey,
        inputCount,
        outputCount,
        effects,
        aliases,
        inferOutputMeta: (context: ExtensionShapeContext) =>
          definition.inferOutputMeta(frozen, context),
      });
      if (interned.size >= MAX_INTERNED) interned.delete(interned.keys().next().value!);
      interned.set(payloadKey, op);
      owned.add(op);
      return op;
    },
    owns: (op: ExtensionOp): op is ExtensionOp<P> => owned.has(op),
  });
}

function checkFunction(definition: object, field: string): void {
  const value = (definition as Readonly<Record<string, unknown>>)[field];
  if (typeof value === 'function') return;
  throw tfeError('TFE_OP_ARGUMENT', {
    op: 'defineExtensionOp()',
    argument: field,
    expected: 'a function',
    received: describeValue(value),
  });
}

function checkCount(familyId: string, field: string, value: unknown): void {
  if (Number.isSafeInteger(value) && (value as number) >= 0) return;
  throw tfeError(
    'TFE_EXTENSION_PAYLOAD_VALUE',
    { familyId, field, expected: 'an integer of 0 or more', received: describeValue(value) },
    { familyId },
  );
}

function checkAliases(
  familyId: string,
  aliases: unknown,
  outputCount: number,
  inputCount: number,
): void {
  if (aliases === 'allFresh') return;
  if (!isArray(aliases)) {
    throw tfeError('TFE_EXTENSION_ALIASES_UNDECLARED', { familyId }, { familyId });
  }
  const declared: readonly Partial<Record<string, unknown>>[] = Array.from(aliases, (alias) =>
    isObject(alias) ? alias : {},
  );
  const covered = new Set(declared.map((alias) => alias['output']));
  const good =
    declared.length === outputCount &&
    Array.from({ length: outputCount }, (_, output) => covered.has(output)).every(Boolean) &&
    declared.every(
      (alias) =>
        alias['kind'] === 'fresh' ||
        ((alias['kind'] === 'viewOf' || alias['kind'] === 'mustAlias') &&
          isIndex(alias['input'], inputCount)),
    );
  if (!good) {
    throw tfeError(
      'TFE_EXTENSION_ALIAS_COVERAGE',
      { familyId, expected: outputCount, received: describeValue(declared) },
      { familyId },
    );
  }
}

function isIndex(value: unknown, count: number): boolean {
  return Number.isSafeInteger(value) && (value as number) >= 0 && (value as number) < count;
}

/** The caller's list may change, the family's must not. */
function frozenCopy<T extends object>(list: readonly T[]): readonly T[] {
  return Object.freeze(list.map((entry) => Object.freeze({ ...entry })));
}
