/**
 * The eager lane: an extension op runs at once on a lent engine. Lookup and call, no program is built; what an op
 * declares is still checked around the call. Owns which modules are installed and the plans made from them.
 */
import { describeShape } from '../describe';
import { tfeError } from '../errors';
import type {
  Engine,
  EngineType,
  ExtensionEngine,
  ExtensionModule,
  PreparedOperationExecutor,
} from '../extension/module';
import type { ExtensionOp } from '../extension/op';
import { ExtensionShapeContext, type TensorMeta } from '../extension/shape-context';
import { requireTensor } from '../core-ops/operand';
import { adopt, currentScope, runIn, Scope } from '../tensor/scope';
import { liveId, releaseAll, type Tensor } from '../tensor/tensor';

interface Installed {
  readonly module: ExtensionModule;
  readonly engines: readonly ExtensionEngine[];
}

/** The configuration at one epoch. Never changed; installing makes another. */
interface Snapshot {
  readonly epoch: number;
  readonly modules: ReadonlyMap<string, Installed>;
  /** By `<family id> on <engine id>`. */
  readonly engines: ReadonlyMap<
    string,
    { readonly engine: ExtensionEngine; readonly moduleId: string }
  >;
}

interface Plan {
  readonly epoch: number;
  readonly engineId: string;
  readonly executor: PreparedOperationExecutor;
}

const EMPTY: Snapshot = { epoch: 0, modules: new Map(), engines: new Map() };

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
  readonly #engineTypes = new Map<string, EngineType>();
  /** Keyed by the op object, which a family makes once per payload. */
  #plans = new WeakMap<ExtensionOp, Plan>();

  /** Grows by one with every change of what is installed. */
  get epoch(): number {
    return this.#snapshot.epoch;
  }

  /** `<family id> on <engine id>` of everything installed, sorted. */
  get installed(): readonly string[] {
    return [...this.#snapshot.engines.keys()].sort();
  }

  /**
   * Installs a module. The same module again changes nothing. A module that fails to configure leaves everything as
   * it was.
   * @throws TfeError `TFE_EXTENSION_MODULE_CONFLICT` for another module of the same id, or another one that claims
   *   the same family on the same engine; `TFE_ENGINE_CONFLICT`
   */
  installExtensionModule(module: ExtensionModule): void {
    const known = this.#snapshot.modules.get(module.moduleId);
    if (known?.module === module) return;
    const installed = configure(module);
    const sameEngines =
      known !== undefined &&
      installed.engines.some((engine) =>
        known.engines.some((other) => keyOf(other) === keyOf(engine)),
      );
    // One family has one module id but may be installed for several engines, one module each.
    if (known !== undefined && sameEngines) {
      throw tfeError('TFE_EXTENSION_MODULE_CONFLICT', {
        subject: `Module ${module.moduleId}`,
        installedBy: known.module.moduleId,
      });
    }
    this.#publish(module.moduleId, installed, known);
  }

  /** Installs a module in place of the one with its id, if there is one. */
  replaceExtensionModule(module: ExtensionModule): void {
    if (this.#snapshot.modules.get(module.moduleId)?.module === module) return;
    this.#publish(module.moduleId, configure(module), undefined);
  }

  /**
   * Runs `op` on `inputs` and answers its outputs, which belong to the current scope.
   *
   * @throws TfeError `TFE_EXTENSION_ARITY`, `TFE_OP_ARGUMENT`, `TFE_TENSOR_DISPOSED`, what metadata inference throws,
   *   `TFE_EXTENSION_MISSING_MODULE`, `TFE_EXTENSION_OUTPUTS`, `TFE_EXTENSION_ALIAS`, and what the executor throws
   */
  apply(engine: Engine, op: ExtensionOp, inputs: readonly Tensor[]): readonly Tensor[] {
    const { familyId } = op;
    if (inputs.length !== op.inputCount) {
      const facts = { familyId, expected: op.inputCount, received: inputs.length };
      throw tfeError('TFE_EXTENSION_ARITY', facts, { familyId });
    }
    for (let i = 0; i < inputs.length; i++) {
      liveId(requireTensor(inputs[i], familyId, `input ${i}`), familyId);
    }
    const metas = op.inferOutputMeta(new ExtensionShapeContext(familyId, inputs));
    if (metas.length !== op.outputCount) {
      throw outputsError(op, `metadata of ${op.outputCount} outputs`, `${metas.length}`);
    }
    const executor = this.#plan(engine, op);

    // Whatever the executor makes besides its outputs is freed, also when it throws.
    const outer = currentScope();
    const inner = new Scope();
    let outputs: readonly Tensor[] = [];
    let survivors = NOTHING;
    try {
      outputs = runIn(inner, () => executor.execute(engine, inputs));
      checkOutputs(op, inputs, metas, outputs);
      const kept = outputs;
      survivors = { has: (tensor) => kept.includes(tensor as Tensor) };
    } finally {
      inner.close(survivors, outer, releaseAll);
    }
    return outputs;
  }

  #plan(engine: Engine, op: ExtensionOp): PreparedOperationExecutor {
    const { engineId } = engine.type;
    const plan = this.#plans.get(op);
    if (plan?.epoch === this.#snapshot.epoch && plan.engineId === engineId) return plan.executor;

    this.#checkEngine(engine.type);
    const claimed = this.#snapshot.engines.get(`${op.familyId} on ${engineId}`);
    if (claimed === undefined) {
      throw tfeError(
        'TFE_EXTENSION_MISSING_MODULE',
        { familyId: op.familyId, engineId, installed: this.installed },
        { familyId: op.familyId },
      );
    }
    const prepared = claimed.engine.prepare({ op, engine: engine.type });
    if (prepared.kind === 'unsupported') {
      throw tfeError(
        'TFE_EXTENSION_UNSUPPORTED',
        { familyId: op.familyId, engineId, reason: prepared.reason },
        { familyId: op.familyId },
      );
    }
    this.#plans.set(op, { epoch: this.#snapshot.epoch, engineId, executor: prepared.executor });
    return prepared.executor;
  }

  /** One engine id stands for one type of engine, whoever names it first. */
  #checkEngine(type: EngineType): void {
    const known = this.#engineTypes.get(type.engineId);
    if (known === undefined) {
      this.#engineTypes.set(type.engineId, type);
    } else if (known.contextIdentity !== type.contextIdentity) {
      throw tfeError('TFE_ENGINE_CONFLICT', {
        engineId: type.engineId,
        known: known.contextIdentity,
        received: type.contextIdentity,
      });
    }
  }

  #publish(moduleId: string, installed: Installed, besides: Installed | undefined): void {
    const engines = new Map(this.#snapshot.engines);
    if (besides === undefined) {
      for (const [key, entry] of engines) if (entry.moduleId === moduleId) engines.delete(key);
    }
    for (const engine of installed.engines) {
      this.#checkEngine(engine.engine);
      const key = keyOf(engine);
      const other = engines.get(key);
      if (other !== undefined) {
        throw tfeError('TFE_EXTENSION_MODULE_CONFLICT', {
          subject: key,
          installedBy: other.moduleId,
        });
      }
      engines.set(key, { engine, moduleId });
    }
    const modules = new Map(this.#snapshot.modules).set(moduleId, {
      module: installed.module,
      engines: [...(besides?.engines ?? []), ...installed.engines],
    });
    this.#snapshot = { epoch: this.#snapshot.epoch + 1, modules, engines };
    this.#plans = new WeakMap();
  }
}

const NOTHING = { has: (_tensor: unknown): boolean => false };

function keyOf(engine: ExtensionEngine): string {
  return `${engine.familyId} on ${engine.engine.engineId}`;
}

function configure(module: ExtensionModule): Installed {
  const engines: ExtensionEngine[] = [];
  module.configure({
    registerEngine(engine) {
      if (!engines.includes(engine)) engines.push(engine);
    },
  });
  return { module, engines };
}

function checkOutputs(
  op: ExtensionOp,
  inputs: readonly Tensor[],
  metas: readonly TensorMeta[],
  outputs: readonly Tensor[],
): void {
  if (outputs.length !== metas.length) {
    throw outputsError(op, `${metas.length} outputs`, `${outputs.length}`);
  }
  for (let i = 0; i < outputs.length; i++) {
    const output = requireTensor(outputs[i], op.familyId, `output ${i}`);
    const meta = metas[i]!;
    if (output.dtype !== meta.dtype || !sameShape(output.shape, meta.shape)) {
      throw outputsError(op, describeMeta(meta), describeMeta(output));
    }
    if (op.aliases === 'allFresh') {
      const input = inputs.indexOf(output);
      if (input >= 0) {
        const { familyId } = op;
        throw tfeError('TFE_EXTENSION_ALIAS', { familyId, output: i, input }, { familyId });
      }
    }
  }
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
