/**
 * How families run: a module registers extension engines, an extension engine claims the ops of one family on one
 * engine and plans them, a plan's executor runs them. Interfaces, and `defineExtensionRuntime`, which makes the
 * module of a family from one function.
 */
import { describeValue } from '../describe';
import { tfeError } from '../errors';
import type { AsyncOptions } from '../native/off-loop';
import type { Tensor } from '../tensor/tensor';
import { checkFamilyId, type FamilyId } from './family-id';
import type { ExtensionFamily, ExtensionOp } from './op';
import type { Payload } from './payload';

/** What identifies a kind of engine: its id and the type of context that executors are lent. */
export interface EngineType<E extends Engine = Engine> {
  readonly engineId: string;
  /** Name of the type; a module for another type is refused when it is installed or first lent an engine. */
  readonly contextIdentity: string;
  /** Carries the type only. */
  readonly engine?: E;
}

/** Something that can run ops. The caller owns it and lends it to each call. */
export interface Engine {
  readonly type: EngineType;
}

/** An input as executors see it: borrowed, so it must not be disposed. */
export type TensorRead = Tensor;

export interface PrepareRequest {
  readonly op: ExtensionOp;
  readonly engine: EngineType;
}

export type PrepareCapability =
  | { readonly kind: 'prepared'; readonly executor: PreparedOperationExecutor }
  /** Lets a runtime say so, or try something else; never used for an error. */
  | { readonly kind: 'unsupported'; readonly reason: string };

export interface PreparedOperationExecutor {
  /** Answers exactly the op's outputs, which the caller then owns. */
  execute(engine: Engine, inputs: readonly TensorRead[]): readonly Tensor[];
  /**
   * The same with kernels off the event loop. The inputs are borrowed, and live until it settles; the caller owns what it
   * answers, also after an abort.
   */
  readonly executeAsync?: (
    engine: Engine,
    inputs: readonly TensorRead[],
    options: AsyncOptions,
  ) => Promise<readonly Tensor[]>;
}

/** Claims the ops of one family on one kind of engine. */
export interface ExtensionEngine {
  readonly familyId: FamilyId;
  readonly engine: EngineType;
  prepare(request: PrepareRequest): PrepareCapability;
}

export interface ExtensionModule {
  /** Unique within a runtime: `<family id>.module`. */
  readonly moduleId: string;
  configure(registrar: ExtensionModuleRegistrar): void;
}

export interface ExtensionModuleRegistrar {
  registerEngine(engine: ExtensionEngine): void;
}

interface RuntimeSpec<P extends Payload> {
  /** Name in errors and reports. */
  readonly runtime: string;
  readonly familyId: FamilyId;
  readonly op: ExtensionFamily<P>;
}

interface AsyncExecutor<P extends Payload, E extends Engine> {
  /**
   * For `applyAsync`: the same op as a chain of `kernel.runAsync`, to which it passes `options` on. Without it
   * `applyAsync` refuses the family.
   */
  readonly executeAsync?: (
    op: ExtensionOp<P>,
    engine: E,
    inputs: readonly TensorRead[],
    options: AsyncOptions,
  ) => Promise<readonly Tensor[]>;
}

interface SessionRoute<P extends Payload, E extends Engine> {
  readonly executeInSession: (
    op: ExtensionOp<P>,
    engine: E,
    inputs: readonly TensorRead[],
  ) => readonly Tensor[];
  readonly sessionSupported: (op: ExtensionOp<P>) => boolean;
  readonly executeReads?: never;
}

interface ReadsRoute<P extends Payload, E extends Engine> {
  readonly executeReads: (
    op: ExtensionOp<P>,
    inputs: readonly TensorRead[],
    context: { readonly engine: E },
  ) => readonly Tensor[];
  readonly executeInSession?: never;
  readonly sessionSupported?: never;
}

/** Exactly one route: `executeInSession` with `sessionSupported`, or `executeReads`. `executeAsync` beside either. */
export type ExtensionRuntimeSpec<P extends Payload, E extends Engine> = RuntimeSpec<P> &
  AsyncExecutor<P, E> &
  (SessionRoute<P, E> | ReadsRoute<P, E>);

export interface ExtensionRuntime<E extends Engine> {
  /** The module for one kind of engine. The same object each time, so that installing it again changes nothing. */
  extensionModule(engine: EngineType<E>): ExtensionModule;
}

const KNOWN_ARGUMENTS = [
  'runtime',
  'familyId',
  'op',
  'executeInSession',
  'sessionSupported',
  'executeReads',
  'executeAsync',
];

/**
 * Makes the execution module of a family.
 *
 * @throws TfeError `TFE_EXTENSION_RUNTIME` for none or both routes, half of one, or an unknown argument
 * @example
 * const KERNEL: KernelSpec = { label: 'example.identity', name: 'Identity', inputs: 1 };
 * const runtime = defineExtensionRuntime({
 *   runtime: 'IdentityRuntime',
 *   familyId: 'example.identity.v1',
 *   op: identity,
 *   executeInSession: (op, engine: TfeEngine, [x]) => [engine.kernel(KERNEL).run1(x!)],
 *   sessionSupported: () => true,
 * });
 * defaultEagerRuntime().installExtensionModule(runtime.extensionModule(TfeEngine.type));
 */
export function defineExtensionRuntime<P extends Payload, E extends Engine>(
  spec: ExtensionRuntimeSpec<P, E>,
): ExtensionRuntime<E> {
  if (typeof spec !== 'object' || (spec as unknown) === null) refuse('it takes one object');
  for (const key of Object.keys(spec)) {
    if (!KNOWN_ARGUMENTS.includes(key))
      refuse(`unsupported defineExtensionRuntime argument "${key}"`);
  }
  for (const key of ['runtime', 'familyId', 'op'] as const) {
    if ((spec as Partial<RuntimeSpec<P>>)[key] === undefined) refuse(`missing ${key}`);
  }
  checkFamilyId(spec.familyId);
  const made: unknown = (spec.op as Partial<ExtensionFamily<P>> | null)?.familyId;
  if (made !== spec.familyId) {
    refuse(
      `familyId is ${spec.familyId}, but op makes ops of ${typeof made === 'string' ? made : describeValue(made)}`,
    );
  }
  if (spec.executeReads !== undefined && spec.executeInSession !== undefined) {
    refuse('supply either executeReads or executeInSession, not both');
  }
  const execute = executorOf(spec);
  const modules = new Map<string, ExtensionModule>();
  return {
    extensionModule(engine) {
      if (typeof (engine as Partial<EngineType> | null | undefined)?.engineId !== 'string') {
        refuse('extensionModule() takes the type of an engine');
      }
      const key = `${engine.engineId}\n${engine.contextIdentity}`;
      let module = modules.get(key);
      if (module === undefined) {
        module = moduleOf(spec, engine, execute);
        modules.set(key, module);
      }
      return module;
    },
  };
}

type Execute<P extends Payload> = (
  op: ExtensionOp<P>,
  engine: Engine,
  inputs: readonly TensorRead[],
) => readonly Tensor[];

function executorOf<P extends Payload, E extends Engine>(
  spec: ExtensionRuntimeSpec<P, E>,
): Execute<P> {
  const { executeInSession, sessionSupported, executeReads } = spec as Partial<
    Omit<SessionRoute<P, E>, 'executeReads'> & Pick<ReadsRoute<P, E>, 'executeReads'>
  >;
  for (const [name, route] of Object.entries({
    executeInSession,
    sessionSupported,
    executeReads,
  })) {
    if (route !== undefined && typeof route !== 'function') refuse(`${name} is not a function`);
  }
  if (executeInSession === undefined && sessionSupported === undefined) {
    if (executeReads === undefined) {
      refuse('either executeReads or executeInSession must be supplied');
    }
    return (op, engine, inputs) => executeReads(op, inputs, { engine: engine as E });
  }
  if (executeInSession === undefined || sessionSupported === undefined) {
    refuse('executeInSession and sessionSupported must be supplied together');
  }
  return (op, engine, inputs) => executeInSession(op, engine as E, inputs);
}

function moduleOf<P extends Payload, E extends Engine>(
  spec: ExtensionRuntimeSpec<P, E>,
  engine: EngineType,
  execute: Execute<P>,
): ExtensionModule {
  const extensionEngine: ExtensionEngine = {
    familyId: spec.familyId,
    engine,
    prepare({ op }) {
      if (!spec.op.owns(op)) {
        throw tfeError(
          'TFE_EXTENSION_WRONG_FAMILY',
          { familyId: op.familyId, expected: spec.familyId },
          { familyId: spec.familyId },
        );
      }
      const { executeAsync } = spec;
      if (spec.sessionSupported?.(op) === false) {
        return { kind: 'unsupported', reason: `${spec.runtime} does not support this payload` };
      }
      return {
        kind: 'prepared',
        executor: {
          execute: (lent, inputs) => execute(op, lent, inputs),
          ...(executeAsync !== undefined && {
            executeAsync: (lent, inputs, options) => executeAsync(op, lent as E, inputs, options),
          }),
        },
      };
    },
  };
  return {
    moduleId: `${spec.familyId}.module`,
    configure(registrar) {
      registrar.registerEngine(extensionEngine);
    },
  };
}

function refuse(problem: string): never {
  throw tfeError('TFE_EXTENSION_RUNTIME', { problem });
}
