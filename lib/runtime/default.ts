/** The eager runtime and engine behind `tf.*` and lowered code, with this package's families installed. */
import { TfeEngine } from '../engines/tfe';
import { FAMILIES } from '../families';
import type { ExtensionOp } from '../extension/op';
import type { AsyncOptions } from '../native/off-loop';
import { liveId, type Tensor } from '../tensor/tensor';
import { EagerRuntime } from './eager';

const engine = new TfeEngine();

const runtime = new EagerRuntime();
for (const { runtime: family } of FAMILIES) {
  runtime.installExtensionModule(family.extensionModule(TfeEngine.type));
}

/**
 * The eager runtime that `tf.*` and lowered code use. Modules installed on it can be applied beside the package's own
 * families.
 */
export function defaultEagerRuntime(): EagerRuntime {
  return runtime;
}

/** Runs an op of one output. A disposed input is refused in the name of `label`. */
export function applyOne(
  op: ExtensionOp,
  inputs: readonly Tensor[],
  label: string = op.familyId,
): Tensor {
  for (const input of inputs) liveId(input, label);
  return runtime.apply(engine, op, inputs)[0]!;
}

/** {@link applyOne} off the event loop. It has taken its share of the inputs when it returns. */
export async function applyOneAsync(
  op: ExtensionOp,
  inputs: readonly Tensor[],
  options: AsyncOptions,
  label: string,
): Promise<Tensor> {
  for (const input of inputs) liveId(input, label);
  return (await runtime.applyAsync(engine, op, inputs, options))[0]!;
}
