/**
 * `raw.*`: every op under TensorFlow's own name, inputs in order and attributes as one object. Typed by the generated
 * types.ts. An op's definition is read when it is first called, so importing this
 * costs a few milliseconds at most.
 */
import { native } from '../native/loader';
import type { DType } from '../tensor/dtype';
import { isTensor, liveId, tensorOf, type Tensor } from '../tensor/tensor';
import { bindCall } from '../ops/bind';
import { prepareForGood, runCall } from '../ops/call';
import { definitionOf, isListArg, opNames, type OpDefinition } from '../ops/definition';
import { isGuarded } from '../ops/guards';
import { asksForResources } from '../ops/resources';
import { mayWait } from '../ops/waiting';
import type { Raw } from './types';

export type { Raw } from './types';

type RawFunction = (...args: unknown[]) => unknown;

/** How many inputs the fast path is written out for. */
const FAST_INPUTS = 2;

/**
 * The function of one op. Its definition is read at the first call. A call that looks like the last one, which has passed
 * every check (no attributes, the same dtypes), goes straight to the prepared op.
 */
function rawFunction(name: string): RawFunction {
  let op: OpDefinition | null = null;
  let index = -1; // of the prepared op for calls without attributes
  let takes = -1; // as many inputs; -1: no such call has been made
  let first: DType | undefined;
  let second: DType | undefined;

  const general = (args: readonly unknown[]): unknown => {
    op ??= definitionOf(name);
    const inputs = op.inputs.length;
    const hasAttrs = args.length === inputs + 1;
    const attrs = hasAttrs ? args[inputs] : undefined;
    const call = bindCall(op, hasAttrs ? args.slice(0, inputs) : args, attrs);
    if (attrs === undefined && canBeFast(op)) {
      if (index < 0) index = prepareForGood(op, call);
      takes = inputs;
      first = call.inputs[0]!.dtype;
      second = call.inputs[1]?.dtype;
    }
    return shaped(op, runCall(op, call, ''), call.outputLengths);
  };

  return function (a?: unknown, b?: unknown): unknown {
    // eslint-disable-next-line prefer-rest-params -- an array for each call costs as much as the checks
    const args = arguments;
    if (args.length === takes && isTensor(a) && a.dtype === first) {
      if (takes === 1) {
        const binding = native();
        return tensorOf(binding, binding.run(index, liveId(a, name)));
      }
      if (isTensor(b) && b.dtype === second) {
        const binding = native();
        return tensorOf(binding, binding.run(index, liveId(a, name), liveId(b, name)));
      }
    }
    return general(Array.from(args));
  };
}

function canBeFast(op: OpDefinition): boolean {
  const { length } = op.inputs;
  const single = !op.hasListInput && !op.hasListOutput && op.outputs.length === 1;
  const isChecked = isGuarded(op.name) || asksForResources(op.name);
  return single && !isChecked && !mayWait(op.name) && length > 0 && length <= FAST_INPUTS;
}

/** A tensor for one output, an array for a list, an array of these for several outputs, null for none. */
function shaped(op: OpDefinition, tensors: readonly Tensor[], lengths: readonly number[]): unknown {
  let at = 0;
  const values = op.outputs.map((arg, i) =>
    isListArg(arg) ? tensors.slice(at, (at += lengths[i]!)) : tensors[at++],
  );
  return values.length === 0 ? null : values.length === 1 ? values[0] : values;
}

/** Behind the functions: an op that is not there is refused where it is looked up, as `execute` refuses it. */
const ELSE = new Proxy(Object.freeze(Object.create(null) as object), {
  get(_target, name): undefined {
    // What else is looked up is not meant to be an op: `then`, `toJSON`, symbols.
    if (typeof name === 'string' && /^_?[A-Z]/u.test(name)) definitionOf(name);
  },
});

function makeRaw(): Raw {
  // Without a prototype V8 makes a hash table at once, in 0.2 ms; with one it tries 1,500 shapes first, in 5.
  const table = Object.create(null) as Record<string, RawFunction>;
  for (const name of opNames()) table[name] = rawFunction(name);
  Object.setPrototypeOf(table, ELSE);
  return Object.freeze(table) as unknown as Raw;
}

/**
 * TensorFlow's ops by their own names, as in Python's `tf.raw_ops`.
 *
 * @throws TfeError what `execute` throws; for a name that is no op, or none that can be called, already when it is read
 * @example
 * raw.AddV2(x, y);
 * raw.Conv2D(input, filter, { strides: [1, 1, 1, 1], padding: 'SAME' });
 * const [values, indices] = raw.TopKV2(scores, tf.constant(3, { dtype: 'int32' }));
 */
export const raw: Raw = makeRaw();
