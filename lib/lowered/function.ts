/**
 * A lowered function at run time: chooses the leg, checks the arguments, opens the scope and counts. The two legs are
 * closures of the generated code; nothing else is built per call.
 */
import { tfeError } from '../errors';
import { scopeAsync } from '../tensor/tensor';
import { checkArguments, guardsOf, type Guards } from './boundary';
import { Frame } from './frame';
import { readMode, type Mode } from './mode';
import { scopeCall } from './scope';
import { checkSpec, type LoweredSpec } from './spec';

type LoweredLeg<R> = ((frame: Frame) => R) | null;

/** What {@link describeLowered} tells about one function. */
export interface LoweredDescription extends LoweredSpec {
  /** The mode that held when the function was first called. */
  readonly mode: Mode;
  /** How many calls each leg has begun. */
  readonly calls: { readonly lowered: number; readonly source: number };
}

/** Weak, so that modules that were loaded again (a watcher, a test runner) do not pile up. */
const defined = new Set<WeakRef<LoweredFunction>>();

export class LoweredFunction {
  readonly spec: LoweredSpec;
  readonly mode: Mode;
  readonly #frame: Frame;
  readonly #guards: Guards;
  readonly #calls = { lowered: 0, source: 0 };

  constructor(spec: LoweredSpec, mode: Mode) {
    this.spec = spec;
    this.mode = mode;
    this.#frame = new Frame(spec);
    this.#guards = guardsOf(spec.parameters);
  }

  /** `lowered` is `null` where nothing was lowered; the source leg is scoped all the same. */
  run<R>(values: readonly unknown[], lowered: LoweredLeg<R>, source: () => R): R {
    const leg = this.#enter(values, lowered);
    if (leg === null) return this.spec.scoped ? scopeCall(source) : source();
    const frame = this.#frame;
    return this.spec.scoped ? scopeCall(() => leg(frame)) : leg(frame);
  }

  /** {@link run} for an async function: the scope lasts until the promise settles. */
  runAsync<R>(
    values: readonly unknown[],
    lowered: LoweredLeg<Promise<R>>,
    source: () => Promise<R>,
  ): Promise<R> {
    const leg = this.#enter(values, lowered);
    if (leg === null) return this.spec.scoped ? scopeAsync(source) : source();
    const frame = this.#frame;
    return this.spec.scoped ? scopeAsync(() => leg(frame)) : leg(frame);
  }

  describe(): LoweredDescription {
    return { ...this.spec, mode: this.mode, calls: { ...this.#calls } };
  }

  #enter<L>(values: readonly unknown[], lowered: L | null): L | null {
    const { spec } = this;
    if (values.length !== spec.parameters.length) {
      throw tfeError('TFE_LOWERED_SPEC', {
        function: spec.name,
        field: 'parameters',
        expected: `a list of the ${values.length} values that run receives`,
        received: `a list of ${spec.parameters.length}`,
      });
    }
    if (this.mode === 'native' && spec.status !== 'native') {
      throw tfeError('TFE_MODE_NOT_NATIVE', {
        function: spec.name,
        file: spec.file,
        status: spec.status,
        reason: spec.reason ?? 'the build gave no reason.',
      });
    }
    if (lowered === null || this.mode === 'fallback') {
      this.#calls.source += 1;
      return null;
    }
    checkArguments(spec, this.#guards, values);
    this.#calls.lowered += 1;
    return lowered;
  }
}

/**
 * Makes a lowered function of its table. Generated code calls it on the function's first call.
 *
 * @throws `TFE_LOWERED_CONTRACT` for a table of another version, `TFE_LOWERED_SPEC` for a damaged one.
 */
export function define(spec: LoweredSpec): LoweredFunction {
  checkSpec(spec);
  const made = new LoweredFunction(spec, readMode());
  defined.add(new WeakRef(made));
  return made;
}

/** The lowered functions that have been called in this process, in the order of their first calls. */
export function describeLowered(): LoweredDescription[] {
  const descriptions: LoweredDescription[] = [];
  for (const reference of defined) {
    const made = reference.deref();
    if (made === undefined) defined.delete(reference);
    else descriptions.push(made.describe());
  }
  return descriptions;
}
