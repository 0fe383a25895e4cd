/**
 * A TensorFlow op with its attributes and constant inputs fixed: prepared in the addon at first use, then one
 * Node-API crossing per call. Checks that its inputs are live tensors, and what would crash TensorFlow; the rest of dtypes and
 * ranks is its caller's job.
 */
import type { NativeAttr, NativeBinding } from '../native/binding';
import { native } from '../native/loader';
import { offLoop, signalOption, type AsyncOptions } from '../native/off-loop';
import { definitionOf, type OpDefinition } from '../ops/definition';
import { checkGuards, checksShapes, guarded, isGuarded, type Guarded } from '../ops/guards';
import { asksForResources, checkResources } from '../ops/resources';
import { runApart, runsApart } from '../ops/waiting';
import { liveId, tensorOf, tensorsOf, type Tensor } from './tensor';
import { makeConstant } from './constant';
import { currentScope, NOBODY, runIn, Scope } from './scope';

/** An input that is the same at every call, such as an axis. */
export interface KernelConstant {
  readonly position: number;
  readonly values: unknown;
  readonly dtype: 'int32' | 'int64';
}

/** Which op, with what fixed. */
export interface KernelSpec {
  /** What errors call it: `tf.matmul`. */
  readonly label: string;
  /** TensorFlow's op: `MatMul`. */
  readonly name: string;
  /** Tensors that each call brings, 1 to 3. */
  readonly inputs: 1 | 2 | 3;
  readonly attrs?: readonly NativeAttr[];
  readonly constants?: readonly KernelConstant[];
}

/**
 * One TensorFlow op, ready to run. An executor gets its kernels from its engine, which prepares each once:
 * `engine.kernel(spec)`.
 *
 * @example
 * const kernel = new Kernel({ label: 'example.negate', name: 'Neg', inputs: 1 });
 * kernel.run1(tf.constant([1, -2])).dataSync(); // Float32Array [-1, 2]
 */
export class Kernel {
  readonly #spec: KernelSpec;
  #index = -1;
  // Known with the index: whether a synchronous call has a thread of its own, and what is to be checked at each call.
  #apart = false;
  #check: ((inputs: readonly Tensor[]) => void) | null = null;

  constructor(spec: KernelSpec) {
    this.#spec = spec;
  }

  /**
   * Runs an op of one input. The output belongs to the current scope.
   * @throws TfeError `TFE_TENSOR_DISPOSED`, `TFE_OP_RANK`, `TFE_OP_ATTRIBUTE`, `TFE_OP_ARGUMENT`; `TFE_OP_FAILED` with
   *   TensorFlow's status when TensorFlow refuses; at the first run, `TFE_OP_NOT_REGISTERED`, `TFE_OP_NOT_EAGER`, and
   *   `TFE_BINDING_ARGUMENT` for a spec that TensorFlow's op does not agree with
   */
  run1(a: Tensor): Tensor {
    const binding = native();
    const index = this.#index >= 0 ? this.#index : this.#prepare();
    this.#check?.([a]);
    if (this.#apart) return this.#runApart(binding, index, [a]);
    return tensorOf(binding, binding.run(index, this.#id(a)));
  }

  /** {@link run1} for two inputs. */
  run2(a: Tensor, b: Tensor): Tensor {
    const binding = native();
    const index = this.#index >= 0 ? this.#index : this.#prepare();
    this.#check?.([a, b]);
    if (this.#apart) return this.#runApart(binding, index, [a, b]);
    return tensorOf(binding, binding.run(index, this.#id(a), this.#id(b)));
  }

  /** {@link run1} for three inputs. */
  run3(a: Tensor, b: Tensor, c: Tensor): Tensor {
    const binding = native();
    const index = this.#index >= 0 ? this.#index : this.#prepare();
    this.#check?.([a, b, c]);
    if (this.#apart) return this.#runApart(binding, index, [a, b, c]);
    return tensorOf(binding, binding.run(index, this.#id(a), this.#id(b), this.#id(c)));
  }

  /**
   * Runs the op off the event loop. The inputs may be disposed while it runs. The output belongs to the scope of the call,
   * and is freed when `signal` aborts the call.
   * @param use what errors call it, where that is not the spec's label
   * @throws TfeError as a rejection, like every error: those of `run1`, `TFE_QUEUE_FULL`,
   *   `TFE_THREAD_UNAVAILABLE`, `TFE_OPTION_VALUE` for `signal`; its reason
   * @example
   * const kernel = new Kernel({ label: 'example.negate', name: 'Neg', inputs: 1 });
   * (await kernel.runAsync([tf.constant([1, -2])])).arraySync(); // [-1, 2]
   */
  async runAsync(
    inputs: readonly Tensor[],
    options: AsyncOptions = {},
    use = this.#spec.label,
  ): Promise<Tensor> {
    const scope = currentScope();
    const signal = signalOption(use, options);
    return offLoop(
      (binding) => {
        const index = this.#index >= 0 ? this.#index : this.#prepare();
        this.#check?.(inputs);
        return binding.runAsync(
          index,
          Float64Array.from(inputs, (input) => liveId(input, use)),
        );
      },
      (binding, facts) => tensorsOf(binding, facts as Float64Array, scope)[0]!,
      signal,
      // eslint-disable-next-line @typescript-eslint/unbound-method -- named, not called
      this.runAsync,
    );
  }

  #runApart(binding: NativeBinding, index: number, inputs: readonly Tensor[]): Tensor {
    const ids = Float64Array.from(inputs, (input) => this.#id(input));
    return tensorsOf(binding, runApart(binding, index, ids))[0]!;
  }

  #id(tensor: Tensor): number {
    return liveId(tensor, this.#spec.label);
  }

  #prepare(): number {
    const { label, name, inputs, attrs = [], constants = [] } = this.#spec;
    const op = definitionOf(name);
    const binding = native();
    // The prepared op takes a share of each constant, so the tensors made here can go at once.
    const temporary = new Scope();
    try {
      const fixed = constants.map(({ position, values, dtype }) => ({
        position,
        tensor: runIn(temporary, () => makeConstant(values, dtype, undefined)),
      }));
      const shared = fixed.map(({ position, tensor }): [number, number] => [
        position,
        liveId(tensor, label),
      ]);
      const index = binding.prepare(
        label,
        name,
        inputs,
        attrs,
        shared,
        undefined,
        undefined,
        checksShapes(name),
      );
      this.#apart = runsApart(name);
      if (isGuarded(name) || asksForResources(name)) this.#check = guard(op, attrs, fixed);
      this.#index = index;
    } finally {
      temporary.close(NOBODY, null, (ids, count) => {
        binding.releaseAll(ids, count);
      });
    }
    return this.#index;
  }
}

/** Checks a call of an op that TensorFlow does not check. */
function guard(
  op: OpDefinition,
  attrs: readonly NativeAttr[],
  fixed: readonly { readonly position: number; readonly tensor: Tensor }[],
): (inputs: readonly Tensor[]) => void {
  const values = new Map(attrs.map(([attr, , value]) => [attr, value]));
  const attribute = (attr: string): unknown => values.get(attr);
  // Their tensors are gone by the time of a call.
  const constants = fixed.map(({ position, tensor }) => {
    const integers = [...guarded(tensor).integers()];
    return { position, input: { shape: tensor.shape, integers: () => integers } };
  });
  return (tensors) => {
    const inputs: Guarded[] = tensors.map(guarded);
    for (const { position, input } of constants) inputs.splice(position, 0, input);
    checkGuards(op, { inputs, attribute });
    if (asksForResources(op.name)) checkResources(op.name, tensors, attribute);
  };
}
