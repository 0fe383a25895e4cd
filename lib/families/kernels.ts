/** Kernel specs by op: an op is one object per payload, so its kernels are described once. */
import type { ExtensionOp } from '../extension/op';
import type { Payload } from '../extension/payload';
import type { KernelSpec } from '../tensor/kernel';

/** Calls `describe` once per op and `variant`; the answer is kept as long as the op is. */
export function kernelSpecs<P extends Payload, V extends string | number>(
  describe: (payload: P, variant: V) => KernelSpec,
): (op: ExtensionOp<P>, variant: V) => KernelSpec {
  const known = new WeakMap<ExtensionOp<P>, Map<V, KernelSpec>>();
  return (op, variant) => {
    let variants = known.get(op);
    if (variants === undefined) {
      variants = new Map();
      known.set(op, variants);
    }
    let spec = variants.get(variant);
    if (spec === undefined) {
      spec = describe(op.payload, variant);
      variants.set(variant, spec);
    }
    return spec;
  };
}
