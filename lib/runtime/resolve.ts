/** From the name of an op in lowered code to the executor that the `tf.*` functions use. */
import { coreOp, type OpExecutor } from '../core-ops/table';
import { tfeError } from '../errors';
import type { ExtensionFamily } from '../extension/op';
import type { Payload } from '../extension/payload';
import { FAMILIES } from '../families';
import { applyOne } from './default';

/** Which op a lowered site runs: a core op by name, or an extension family with its payload. */
export type OpRef =
  | { readonly kind: 'core'; readonly name: string }
  | { readonly kind: 'family'; readonly familyId: string; readonly payload: Payload };

/**
 * @throws TfeError `TFE_OP_UNKNOWN` for a name that this version does not have, and what the family says of a payload
 */
export function resolveOp(ref: OpRef): OpExecutor {
  if (ref.kind === 'core') {
    const executor = coreOp(ref.name);
    if (executor === undefined) throw tfeError('TFE_OP_UNKNOWN', { op: ref.name });
    return executor;
  }
  // Each family checks its own payload, so the union of payload types can be set aside here.
  const family = FAMILIES.map((entry) => entry.family as unknown as ExtensionFamily<Payload>).find(
    ({ familyId }) => familyId === ref.familyId,
  );
  if (family === undefined) throw tfeError('TFE_OP_UNKNOWN', { op: ref.familyId });
  const op = family.op(ref.payload);
  return (...inputs) => applyOne(op, inputs);
}
