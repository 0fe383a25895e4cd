/** The engine of TensorFlow's CPU kernels: executors ask it for prepared kernels and run them on tensor handles. */
import type { Engine, EngineType } from '../extension/module';
import { Kernel, type KernelSpec } from '../tensor/kernel';

/**
 * The engine that this package's families run on. Holds the kernels that were prepared through it and nothing else, so
 * as many as one likes may exist.
 *
 * @example
 * const [y] = defaultEagerRuntime().apply(new TfeEngine(), softmax.op({ axis: 0 }), [tf.constant([1, 1])]);
 */
export class TfeEngine implements Engine {
  /** What a module names to be installed for this engine: `myRuntime.extensionModule(TfeEngine.type)`. */
  static readonly type: EngineType<TfeEngine> = Object.freeze({
    engineId: 'tfe-node.tfe-cpu.v1',
    contextIdentity: 'TfeEngine',
  });

  readonly type: EngineType = TfeEngine.type;

  readonly #kernels = new WeakMap<KernelSpec, Kernel>();

  /** The kernel of `spec`, prepared once per engine and spec object: keep the object, not copies of it. */
  kernel(spec: KernelSpec): Kernel {
    let kernel = this.#kernels.get(spec);
    if (kernel === undefined) {
      kernel = new Kernel(spec);
      this.#kernels.set(spec, kernel);
    }
    return kernel;
  }
}
