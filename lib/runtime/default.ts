/** The eager runtime and engine behind `tf.*` and lowered code, with this package's families installed. */
import { TfeEngine } from '../engines/tfe';
import { FAMILIES } from '../families';
import type { ExtensionOp } from '../extension/op';
import type { AsyncOptions } from '../native/off-loop';
import type { Tensor } from '../tensor/tensor';
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

/** Runs an op of one output. */
export function applyOne(op: ExtensionOp, inputs: readonly Tensor[]): Tensor {
  return runtime.apply(engine, op, inputs)[0]!;
}

/** {@link applyOne} off the event loop. */
export async function applyOneAsync(
  op: ExtensionOp,
  inputs: readonly Tensor[],
  options: AsyncOptions,
): Promise<Tensor> {
  return (await runtime.applyAsync(engine, op, inputs, options))[0]!;
}
