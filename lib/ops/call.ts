/**
 * Runs a bound call: finds or makes its prepared op, and makes tensors of the answer. Prepared ops are kept, at most
 * PREPARED_LIMIT of them: attributes that vary from call to call must not fill the memory.
 */
import { native } from '../native/loader';
import type { NativeBinding } from '../native/binding';
import { liveId, tensorOf, tensorsOf, type Tensor } from '../tensor/tensor';
import type { BoundCall } from './bind';
import type { OpDefinition } from './definition';

export const PREPARED_LIMIT = 1024;

/** Index of each prepared op; the least recently used comes first. */
const prepared = new Map<string, number>();

/** How many prepared ops `execute` and `raw` hold now. */
export function preparedOps(): number {
  return prepared.size;
}

/** Of more inputs than this the addon's `run` takes none. */
const MAX_RUN_INPUTS = 8;

export function runCall(op: OpDefinition, call: BoundCall, device: string): Tensor[] {
  const binding = native();
  const { key } = call;
  if (key === null) {
    const index = prepare(binding, op, call, device);
    try {
      return runPrepared(binding, index, op, call);
    } finally {
      binding.forget(index);
    }
  }
  const full = `${op.name};${device};${key}`;
  let index = prepared.get(full);
  if (index === undefined) {
    index = prepare(binding, op, call, device);
    if (prepared.size >= PREPARED_LIMIT) {
      const [oldest] = prepared;
      prepared.delete(oldest![0]);
      binding.forget(oldest![1]);
    }
  } else {
    prepared.delete(full); // it goes to the end
  }
  prepared.set(full, index);
  return runPrepared(binding, index, op, call);
}

function prepare(
  binding: NativeBinding,
  op: OpDefinition,
  { inputs, outputs, attrs }: BoundCall,
  device: string,
): number {
  return binding.prepare(
    op.name,
    op.name,
    inputs.length,
    attrs,
    [],
    outputs,
    device === '' ? undefined : device,
  );
}

/** A prepared op that is never dropped, for a call that needs no attributes from its caller. */
export function prepareForGood(op: OpDefinition, call: BoundCall): number {
  return prepare(native(), op, call, '');
}

function runPrepared(
  binding: NativeBinding,
  index: number,
  op: OpDefinition,
  { inputs, outputs }: BoundCall,
): Tensor[] {
  const ids = inputs.map((tensor) => liveId(tensor, op.name));
  if (outputs === 1 && !op.hasListOutput && ids.length <= MAX_RUN_INPUTS) {
    return [tensorOf(binding, binding.run(index, ...ids))];
  }
  return tensorsOf(binding, binding.runMany(index, Float64Array.from(ids)));
}

/**
 * Frees the kernels that TensorFlow has cached: one for each op, set of attribute values and device that has run, kept
 * without limit (about 3 KB each). The next call of each op makes its kernel anew; random ops with a seed start over.
 */
export function clearKernelCache(): void {
  native().clearKernels();
}
