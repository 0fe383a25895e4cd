/**
 * Runs a bound call: finds or makes its prepared op, and makes tensors of the answer. Prepared ops are kept, at most
 * PREPARED_LIMIT of them: attributes that vary from call to call must not fill the memory.
 */
import { native } from '../native/loader';
import type { NativeBinding } from '../native/binding';
import { offLoop, type AsyncOptions } from '../native/off-loop';
import { currentScope } from '../tensor/scope';
import { liveId, tensorOf, tensorsOf, type Tensor } from '../tensor/tensor';
import type { BoundCall } from './bind';
import type { OpDefinition } from './definition';
import { checksShapes } from './guards';
import { runApart, runsApart } from './waiting';

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
  return withPrepared(binding, op, call, device, (index) => runPrepared(binding, index, op, call));
}

function withPrepared<T>(
  binding: NativeBinding,
  op: OpDefinition,
  call: BoundCall,
  device: string,
  run: (index: number) => T,
): T {
  const { key } = call;
  if (key === null) {
    const index = prepare(binding, op, call, device);
    try {
      return run(index);
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
  return run(index);
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
    checksShapes(op.name),
  );
}

/** A prepared op that is never dropped, for a call that needs no attributes from its caller. */
export function prepareForGood(op: OpDefinition, call: BoundCall): number {
  return prepare(native(), op, call, '');
}

/**
 * {@link runCall} on a thread of the worker pool. It has taken its share of the inputs when it returns; the outputs belong to
 * the scope that is current now. Always a promise; the prepared op lives until the task is over.
 */
export function runCallAsync(
  op: OpDefinition,
  call: BoundCall,
  device: string,
  options: AsyncOptions,
  caller: (...values: never[]) => unknown,
): Promise<Tensor[]> {
  const scope = currentScope();
  return offLoop(
    (binding) => {
      const ids = Float64Array.from(call.inputs, (tensor) => liveId(tensor, op.name));
      return withPrepared(binding, op, call, device, (index) => binding.runAsync(index, ids));
    },
    (binding, facts) => tensorsOf(binding, facts as Float64Array, scope),
    options,
    caller,
  );
}

function runPrepared(
  binding: NativeBinding,
  index: number,
  op: OpDefinition,
  { inputs, outputs }: BoundCall,
): Tensor[] {
  const ids = inputs.map((tensor) => liveId(tensor, op.name));
  if (runsApart(op.name)) {
    return tensorsOf(binding, runApart(binding, index, Float64Array.from(ids)));
  }
  if (outputs === 1 && !op.hasListOutput && ids.length <= MAX_RUN_INPUTS) {
    return [tensorOf(binding, binding.run(index, ...ids))];
  }
  return tensorsOf(binding, binding.runMany(index, Float64Array.from(ids)));
}

/**
 * Frees the kernels that TensorFlow has cached: one for each op, set of attribute values and device that has run, kept
 * without limit (about 3 KB each). The next call of each op makes its kernel anew; random ops with a seed start over, and
 * queues, readers and tables without a `shared_name` end, in all threads.
 * Does not wait: while ops run off the event loop, it is done when the last of them has ended.
 *
 * @throws TfeError what loading TensorFlow throws
 * @example clearKernelCache();
 */
export function clearKernelCache(): void {
  native().clearKernels();
}
