/**
 * The eager lane: an extension op runs at once on a lent engine. Lookup and call, no program is built; what an op
 * declares is still checked around the call. Owns which modules are installed and the plans made from them.
 */
import { describeShape, describeValue } from '../describe';
import { tfeError } from '../errors';
import { isArray } from '../objects';
import type {
  Engine,
  EngineType,
  ExtensionEngine,
  ExtensionModule,
  PreparedOperationExecutor,
} from '../extension/module';
import { checkFamilyId } from '../extension/family-id';
import type { AliasDeclaration, ExtensionOp } from '../extension/op';
import { ExtensionShapeContext, type TensorMeta } from '../extension/shape-context';
import { argumentError, requireCountable, requireTensor } from '../core-ops/operand';
import { composite, signalOption, type AsyncOptions } from '../native/off-loop';
import { checkOptions } from '../tensor/options';
import { currentScope, NOBODY, runIn, runInAsync, Scope, type Survivors } from '../tensor/scope';
import { liveId, releaseAll, shareOf, type Tensor } from '../tensor/tensor';

interface Installed {
  readonly module: ExtensionModule;
  readonly engines: readonly ExtensionEngine[];
}

/** The configuration at one epoch. Never changed; installing makes another. */
interface Snapshot {
  readonly epoch: number;
  readonly installed: readonly Installed[];
  /** By `<family id> on <engine id>`. */
  readonly claims: ReadonlyMap<string, Claim>;
  /** What each engine id that a module named stands for. */
  readonly engineTypes: ReadonlyMap<string, EngineType>;
}

interface Claim {
  readonly engine: ExtensionEngine;
  readonly moduleId: string;
}

interface Plan {
  readonly epoch: number;
  readonly engine: EngineType;
  readonly executor: PreparedOperationExecutor;
}

const EMPTY: Snapshot = {
  epoch: 0,
  installed: [],
  claims: new Map(),
  engineTypes: new Map(),
};

/**
 * Runs extension ops eagerly. Owns no engine: the caller lends one per call.
 *
 * @example
 * const runtime = new EagerRuntime();
 * runtime.installExtensionModule(myRuntime.extensionModule(TfeEngine.type));
 * const [y] = runtime.apply(new TfeEngine(), myFamily.op({}), [x]);
 */
export class EagerRuntime {
  #snapshot = EMPTY;
  /** Engine ids that were lent before any module named them. */
  readonly #lentTypes = new Map<string, EngineType>();
  /** Keyed by the op object, which a family makes once per payload. */
  #plans = new WeakMap<ExtensionOp, Plan>();

  /** Grows by one with every change of what is installed. */
  get epoch(): number {
    return this.#snapshot.epoch;
  }

  /** `<family id> on <engine id>` of everything installed, sorted. */
  get installed(): readonly string[] {
    return [...this.#snapshot.claims.keys()].sort();
  }

  /**
   * Installs a module. The same module again changes nothing. A module that fails to configure leaves everything as
   * it was. One family has one module id but may be installed for several engines, one module each.
   * @throws TfeError `TFE_EXTENSION_MODULE_CONFLICT` for another module that claims the same family on the same
   *   engine; `TFE_ENGINE_CONFLICT`, `TFE_FAMILY_ID`
   */
  installExtensionModule(module: ExtensionModule): void {
    if (this.#has(module)) return;
    const added = configure(module);
    if (this.#snapshot.installed.some((other) => standsInFor(added, other))) {
      throw tfeError('TFE_EXTENSION_MODULE_CONFLICT', {
        subject: `Module ${module.moduleId}`,
        installedBy: module.moduleId,
      });
    }
    this.#publish([...this.#snapshot.installed, added]);
  }

  /**
   * Installs a module in place of the one with its id that claims the same engines, if there is one.
   * @throws TfeError as {@link installExtensionModule}, except that the module it replaces is no conflict
   */
  replaceExtensionModule(module: ExtensionModule): void {
    if (this.#has(module)) return;
    const added = configure(module);
    const others = this.#snapshot.installed.filter((other) => !standsInFor(added, other));
    this.#publish([...others, added]);
  }

  #has(module: ExtensionModule): boolean {
    return this.#snapshot.installed.some((installed) => installed.module === module);
  }

  /**
   * Runs `op` on `inputs` and answers its outputs, which belong to the current scope. The inputs stay the caller's.
   *
   * @throws TfeError `TFE_EXTENSION_ARITY`, `TFE_OP_ARGUMENT`, `TFE_TENSOR_DISPOSED`, what metadata inference throws,
   *   `TFE_EXTENSION_MISSING_MODULE`, `TFE_EXTENSION_UNSUPPORTED`, `TFE_ENGINE_CONFLICT`, `TFE_EXTENSION_OUTPUTS`,
   *   `TFE_EXTENSION_ALIAS`, and what the executor throws
   * @example
   * const [y] = defaultEagerRuntime().apply(new TfeEngine(), softmax.op({ axis: 0 }), [tf.constant([1, 1])]);
   * y.arraySync(); // [0.5, 0.5]
   */
  apply(engine: Engine, op: ExtensionOp, inputs: readonly Tensor[]): readonly Tensor[] {
    const metas = checkInputs('apply', op, inputs);
    const executor = this.#plan('apply', engine, op);

    // Whatever the executor makes besides its outputs is freed, also when it throws.
    const outer = currentScope();
    const inner = new Scope();
    let survivors: Survivors = NOBODY;
    try {
      const answer: unknown = runIn(inner, () => executor.execute(engine, inputs));
      const outputs = outputsOf(op, answer, inputs, metas, inner);
      survivors = { has: (tensor) => outputs.includes(tensor as Tensor) };
      return outputs;
    } finally {
      inner.close(survivors, outer, releaseAll);
    }
  }

  /**
   * {@link apply} off the event loop, by the family's `executeAsync`. The inputs may be disposed while it runs: the executor
   * gets shares of its own, which are freed with all that it makes besides its outputs. The outputs belong to the scope of the
   * call, and are freed when `signal` aborts the call.
   *
   * @throws TfeError as a rejection, like every error: those of `apply`, `TFE_EXTENSION_NO_ASYNC` for a family without
   *   `executeAsync`, `TFE_QUEUE_FULL`, `TFE_THREAD_UNAVAILABLE`, and for `options` `TFE_OPTION_UNKNOWN` and
   *   `TFE_OPTION_VALUE`; the reason of `signal`
   * @example
   * const softmaxOf = softmax.op({ axis: 0 });
   * const [y] = await defaultEagerRuntime().applyAsync(new TfeEngine(), softmaxOf, [tf.constant([1, 1])]);
   * y.arraySync(); // [0.5, 0.5]
   */
  async applyAsync(
    engine: Engine,
    op: ExtensionOp,
    inputs: readonly Tensor[],
    options: AsyncOptions = {},
  ): Promise<readonly Tensor[]> {
    checkOptions('EagerRuntime.applyAsync()', options, ['signal']);
    const signal = signalOption('EagerRuntime.applyAsync()', options);
    return composite(
      () => this.#applyAsync(engine, op, inputs, signal),
      signal,
      (outputs) => {
        for (const output of outputs) output.dispose();
      },
      // eslint-disable-next-line @typescript-eslint/unbound-method -- named, not called
      this.applyAsync,
    );
  }

  async #applyAsync(
    engine: Engine,
    op: ExtensionOp,
    inputs: readonly Tensor[],
    options: AsyncOptions,
  ): Promise<readonly Tensor[]> {
    const { familyId } = op;
    const metas = checkInputs('applyAsync', op, inputs);
    const { executeAsync } = this.#plan('applyAsync', engine, op);
    if (executeAsync === undefined) {
      throw tfeError('TFE_EXTENSION_NO_ASYNC', { familyId }, { familyId });
    }
    const outer = currentScope();
    const inner = new Scope();
    let survivors: Survivors = NOBODY;
    try {
      const shares = runIn(inner, () => inputs.map((input) => shareOf(input, familyId)));
      const answer: unknown = await runInAsync(inner, () => executeAsync(engine, shares, options));
      const outputs = outputsOf(op, answer, shares, metas, inner);
      survivors = { has: (tensor) => outputs.includes(tensor as Tensor) };
      return outputs;
    } finally {
      inner.close(survivors, outer, releaseAll);
    }
  }

  #plan(method: string, engine: Engine, op: ExtensionOp): PreparedOperationExecutor {
    const type = (engine as Engine | null | undefined)?.type;
    if (typeof type?.engineId !== 'string') {
      throw argumentError(`EagerRuntime.${method}()`, 'engine', 'an engine with a type', engine);
    }
    const { epoch, claims, engineTypes } = this.#snapshot;
    const plan = this.#plans.get(op);
    if (plan?.epoch === epoch && plan.engine === type) return plan.executor;

    checkEngine(engineTypes, type);
    checkEngine(this.#lentTypes, type);
    this.#lentTypes.set(type.engineId, type);
    const { engineId } = type;
    if (plan?.epoch === epoch && plan.engine.engineId === engineId) return plan.executor;

    const claim = claims.get(`${op.familyId} on ${engineId}`);
    if (claim === undefined) {
      throw tfeError(
        'TFE_EXTENSION_MISSING_MODULE',
        { familyId: op.familyId, engineId, installed: this.installed },
        { familyId: op.familyId },
      );
    }
    const prepared = claim.engine.prepare({ op, engine: type });
    if (prepared.kind === 'unsupported') {
      throw tfeError(
        'TFE_EXTENSION_UNSUPPORTED',
        { familyId: op.familyId, engineId, reason: prepared.reason },
        { familyId: op.familyId },
      );
    }
    this.#plans.set(op, { epoch, engine: type, executor: prepared.executor });
    return prepared.executor;
  }

  /** Checks everything before anything is changed. */
  #publish(installed: readonly Installed[]): void {
    const claims = new Map<string, Claim>();
    const engineTypes = new Map<string, EngineType>();
    for (const { module, engines } of installed) {
      for (const engine of engines) {
        checkEngine(engineTypes, engine.engine);
        checkEngine(this.#lentTypes, engine.engine);
        engineTypes.set(engine.engine.engineId, engine.engine);
        const key = keyOf(engine);
        const other = claims.get(key);
        if (other !== undefined) {
          const facts = { subject: key, installedBy: other.moduleId };
          throw tfeError('TFE_EXTENSION_MODULE_CONFLICT', facts);
        }
        claims.set(key, { engine, moduleId: module.moduleId });
      }
    }
    this.#snapshot = { epoch: this.#snapshot.epoch + 1, installed, claims, engineTypes };
    this.#plans = new WeakMap();
  }
}

/** One engine id stands for one type of engine, whoever names it first. */
function checkEngine(known: ReadonlyMap<string, EngineType>, type: EngineType): void {
  const first = known.get(type.engineId);
  if (first === undefined || first.contextIdentity === type.contextIdentity) return;
  throw tfeError('TFE_ENGINE_CONFLICT', {
    engineId: type.engineId,
    known: first.contextIdentity,
    received: type.contextIdentity,
  });
}

function keyOf(engine: ExtensionEngine): string {
  return `${engine.familyId} on ${engine.engine.engineId}`;
}

/** Whether two modules have one id and a claim in common. */
function standsInFor(added: Installed, other: Installed): boolean {
  return (
    added.module.moduleId === other.module.moduleId &&
    added.engines.some((engine) => other.engines.some((taken) => keyOf(taken) === keyOf(engine)))
  );
}

function configure(module: ExtensionModule): Installed {
  if (typeof (module as Partial<ExtensionModule> | null | undefined)?.configure !== 'function') {
    throw argumentError('installExtensionModule()', 'module', 'a module with configure()', module);
  }
  const engines: ExtensionEngine[] = [];
  module.configure({
    registerEngine(engine) {
      checkFamilyId(engine.familyId);
      if (!engines.includes(engine)) engines.push(engine);
    },
  });
  // A copy: what a module registers later is not installed.
  return { module, engines: [...engines] };
}

/** Answers the metadata that the op infers for its outputs. */
function checkInputs(
  method: string,
  op: ExtensionOp,
  inputs: readonly Tensor[],
): readonly TensorMeta[] {
  if (typeof (op as unknown as Partial<ExtensionOp> | null)?.inferOutputMeta !== 'function') {
    throw argumentError(`EagerRuntime.${method}()`, 'op', "what a family's op() makes", op);
  }
  if (!isArray(inputs)) {
    throw argumentError(`EagerRuntime.${method}()`, 'inputs', 'an array of tensors', inputs);
  }
  const { familyId } = op;
  if (inputs.length !== op.inputCount) {
    const facts = { familyId, expected: op.inputCount, received: inputs.length };
    throw tfeError('TFE_EXTENSION_ARITY', facts, { familyId });
  }
  for (let i = 0; i < inputs.length; i++) {
    liveId(requireTensor(inputs[i], familyId, `input ${i}`), familyId);
  }
  const metas = op.inferOutputMeta(new ExtensionShapeContext(familyId, inputs));
  checkMetas(op, inputs, metas);
  return metas;
}

function checkMetas(op: ExtensionOp, inputs: readonly Tensor[], metas: unknown): void {
  if (!isArray(metas) || metas.length !== op.outputCount) {
    const received = isArray(metas) ? `${metas.length}` : describeValue(metas);
    throw outputsError(op, `metadata of ${op.outputCount} outputs`, received);
  }
  for (const meta of metas as readonly (Partial<TensorMeta> | null | undefined)[]) {
    const shape = meta?.shape;
    if (!isArray(shape)) {
      throw outputsError(op, 'metadata as { dtype, shape }', describeValue(meta));
    }
    requireCountable(shape, inputs, op.familyId);
  }
}

/** What an executor answered, checked. */
function outputsOf(
  op: ExtensionOp,
  answer: unknown,
  inputs: readonly Tensor[],
  metas: readonly TensorMeta[],
  made: Scope,
): readonly Tensor[] {
  if (!isArray(answer)) {
    throw outputsError(op, `an array of ${metas.length} outputs`, describeValue(answer));
  }
  // A copy: the executor's own array may change, or do something of its own when it is searched.
  const outputs = Array.prototype.slice.call(answer) as Tensor[];
  checkOutputs(op, inputs, metas, outputs, made);
  return outputs;
}

function checkOutputs(
  op: ExtensionOp,
  inputs: readonly Tensor[],
  metas: readonly TensorMeta[],
  outputs: readonly Tensor[],
  made: Scope,
): void {
  if (outputs.length !== metas.length) {
    throw outputsError(op, `${metas.length} outputs`, `${outputs.length}`);
  }
  for (let i = 0; i < outputs.length; i++) {
    const output = requireTensor(outputs[i], op.familyId, `output ${i}`);
    liveId(output, op.familyId);
    const meta = metas[i]!;
    if (output.dtype !== meta.dtype || !sameShape(output.shape, meta.shape)) {
      throw outputsError(op, describeMeta(meta), describeMeta(output));
    }
    if (isFresh(op.aliases, i)) checkFresh(op, inputs, outputs, i, made);
  }
}

/** A fresh output is one that the executor made in this call, and only one output. */
function checkFresh(
  op: ExtensionOp,
  inputs: readonly Tensor[],
  outputs: readonly Tensor[],
  index: number,
  made: Scope,
): void {
  const output = outputs[index]!;
  const input = inputs.indexOf(output);
  const twin = outputs.indexOf(output);
  let found: string | null = null;
  if (input >= 0) found = `its input ${input}`;
  else if (twin < index) found = `its output ${twin} as well`;
  else if (output.owner !== made) found = 'a tensor that the executor did not make in this call';
  if (found === null) return;
  const { familyId } = op;
  throw tfeError('TFE_EXTENSION_ALIAS', { familyId, output: index, found }, { familyId });
}

function isFresh(aliases: AliasDeclaration, output: number): boolean {
  return (
    aliases === 'allFresh' ||
    aliases.some((alias) => alias.kind === 'fresh' && alias.output === output)
  );
}

function sameShape(a: readonly number[], b: readonly number[]): boolean {
  return a.length === b.length && a.every((dim, i) => dim === b[i]);
}

function describeMeta({ dtype, shape }: TensorMeta): string {
  return `${dtype}${describeShape(shape)}`;
}

function outputsError(op: ExtensionOp, expected: string, received: string): Error {
  const { familyId } = op;
  return tfeError('TFE_EXTENSION_OUTPUTS', { familyId, expected, received }, { familyId });
}
