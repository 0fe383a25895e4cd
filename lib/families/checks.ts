/** Checks that several families make of payloads and inputs. */
import { describeShape, describeValue } from '../describe';
import { tfeError } from '../errors';
import type { Payload } from '../extension/payload';
import type { ExtensionShapeContext } from '../extension/shape-context';
import type { DType } from '../tensor/dtype';

export function checkBoolean(familyId: string, payload: Payload, field: string): void {
  if (typeof payload[field] !== 'boolean') refusePayload(familyId, payload, field, 'a boolean');
}

/** Axes are counted from the front: -1 and rank - 1 would be two payloads for one meaning. */
export function checkAxis(familyId: string, payload: Payload, field: string): void {
  const axis = payload[field];
  if (!Number.isSafeInteger(axis) || (axis as number) < 0) {
    refusePayload(familyId, payload, field, 'an integer of 0 or more');
  }
}

export function checkOneOf(
  familyId: string,
  payload: Payload,
  field: string,
  allowed: readonly string[],
): void {
  if (!allowed.includes(payload[field] as string)) {
    refusePayload(familyId, payload, field, allowed.map((value) => `'${value}'`).join(' or '));
  }
}

function refusePayload(familyId: string, payload: Payload, field: string, expected: string): never {
  const received = describeValue(payload[field]);
  throw tfeError(
    'TFE_EXTENSION_PAYLOAD_VALUE',
    { familyId, field, expected, received },
    { familyId },
  );
}

/** The dtype that all inputs share. `names` are the arguments, for errors. */
export function sameDType(
  context: ExtensionShapeContext,
  allowed: readonly DType[],
  op: string,
  names: readonly string[],
): DType {
  const dtype = context.inputDtype(0);
  if (!allowed.includes(dtype)) {
    throw tfeError('TFE_OP_DTYPE', { op, argument: names[0]!, allowed, received: dtype }, { op });
  }
  for (let i = 1; i < names.length; i++) {
    const second = context.inputDtype(i);
    if (second === dtype) continue;
    throw tfeError(
      'TFE_OP_DTYPE_MISMATCH',
      { op, argument: names[i]!, first: dtype, second },
      { op },
    );
  }
  return dtype;
}

/** @throws TfeError `TFE_OP_AXIS` when `axis` is not below the rank of input 0 */
export function checkAxisInRange(context: ExtensionShapeContext, axis: number, op: string): void {
  const rank = context.inputShape(0).length;
  if (axis >= rank) throw tfeError('TFE_OP_AXIS', { op, axis, rank }, { op });
}

/** A family as errors name it. */
type Family = readonly [label: string, familyId: string];

/** @throws TfeError `TFE_OP_RANK` unless `good` */
export function requireRank(
  [op, familyId]: Family,
  argument: string,
  expected: string,
  received: number,
  good: boolean,
): void {
  if (good) return;
  throw tfeError('TFE_OP_RANK', { op, argument, expected, received }, { op, familyId });
}

/** `TFE_OP_SHAPE` of two inputs. */
export function shapeError(
  [op, familyId]: Family,
  context: ExtensionShapeContext,
  reason: string,
): Error {
  const shapes = [describeShape(context.inputShape(0)), describeShape(context.inputShape(1))];
  return tfeError('TFE_OP_SHAPE', { op, reason, shapes }, { op, familyId });
}

/**
 * Requires an axis of the first input and one of the second to have the same extent.
 * @throws TfeError `TFE_OP_SHAPE`
 */
export function requireSameExtent(
  family: Family,
  context: ExtensionShapeContext,
  [left, right]: readonly [name: string, name: string],
  [leftAxis, rightAxis]: readonly [axis: number, axis: number],
): void {
  const first = context.inputAxis(0, leftAxis);
  const second = context.inputAxis(1, rightAxis);
  if (first === second) return;
  const reason = `axis ${leftAxis} of ${left} is ${first}, but axis ${rightAxis} of ${right} is ${second}`;
  throw shapeError(family, context, reason);
}
