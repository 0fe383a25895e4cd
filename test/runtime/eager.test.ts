/** The eager lane: installing modules, planning, running, and what is checked around a call. */
import { beforeEach, describe, expect, test } from '@jest/globals';
import { scope, scopeAsync, tf, type Tensor } from '../../lib';
import {
  argmax,
  defaultEagerRuntime,
  defineExtensionOp,
  defineExtensionRuntime,
  EagerRuntime,
  Kernel,
  softmax,
  TfeEngine,
  type AliasDeclaration,
  type Engine,
  type EngineType,
  type ExtensionModule,
  type ExtensionOp,
  type Payload,
  type TensorMeta,
} from '../../lib/extension';
import type { NativeAttr } from '../../lib/native/binding';
import { codeOf, expectNoTensorsLeft, held, thrownBy } from '../tensor/accounting';
import { forgedTensor } from '../helpers/forged-tensor';

expectNoTensorsLeft();

const FAMILY = 'test.identity.v1';

/** An engine of ours: the runtime owns none, whoever calls lends one. */
class TestEngine implements Engine {
  static readonly type: EngineType<TestEngine> = {
    engineId: 'test.engine.v1',
    contextIdentity: 'TestEngine',
  };
  readonly type: EngineType = TestEngine.type;
}

const identityOp = (
  changes: {
    familyId?: `${string}.${string}.v${number}`;
    inputCount?: number;
    outputCount?: number;
    aliases?: AliasDeclaration;
    infer?: (inputs: readonly TensorMeta[]) => readonly TensorMeta[];
  } = {},
) =>
  defineExtensionOp<Payload>({
    familyId: changes.familyId ?? FAMILY,
    inputCount: changes.inputCount ?? 1,
    outputCount: changes.outputCount ?? 1,
    effects: [],
    aliases: changes.aliases ?? 'allFresh',
    inferOutputMeta: (_, context) => {
      const inputs = Array.from({ length: changes.inputCount ?? 1 }, (__, i) => ({
        dtype: context.inputDtype(i),
        shape: context.inputShape(i),
      }));
      return changes.infer?.(inputs) ?? inputs;
    },
  });

type Execute = (inputs: readonly Tensor[], engine: Engine, op: ExtensionOp) => readonly Tensor[];

const copy = (x: Tensor): Tensor => tf.add(x, 0);

/** A module that counts how often it plans; `execute` runs the op. */
function countingModule(
  execute: Execute = ([x]) => [copy(x!)],
  familyId: `${string}.${string}.v${number}` = FAMILY,
  engine: EngineType = TestEngine.type,
): ExtensionModule & { planned: number } {
  return {
    moduleId: `${familyId}.module`,
    planned: 0,
    configure(registrar) {
      registrar.registerEngine({
        familyId,
        engine,
        prepare: ({ op }) => {
          this.planned++;
          return {
            kind: 'prepared',
            executor: { execute: (lent, inputs) => execute(inputs, lent, op) },
          };
        },
      });
    },
  };
}

let runtime: EagerRuntime;
const engine = new TestEngine();

beforeEach(() => {
  runtime = new EagerRuntime();
});

/** What `run` answers or throws; tensors that it made are freed. */
const apply = (op: ExtensionOp, inputs: readonly Tensor[], lent: Engine = engine) =>
  runtime.apply(lent, op, inputs);

describe('installing a module', () => {
  test('makes a new epoch', () => {
    expect(runtime.epoch).toBe(0);
    runtime.installExtensionModule(countingModule());
    expect(runtime.epoch).toBe(1);
  });

  test('twice changes nothing', () => {
    const module = countingModule();
    runtime.installExtensionModule(module);
    runtime.installExtensionModule(module);
    expect(runtime.epoch).toBe(1);
  });

  test('lists the family and the engine', () => {
    runtime.installExtensionModule(countingModule(undefined, 'test.second.v1'));
    runtime.installExtensionModule(countingModule());
    expect(runtime.installed).toEqual([
      'test.identity.v1 on test.engine.v1',
      'test.second.v1 on test.engine.v1',
    ]);
  });

  test('refuses another module of the same id', () => {
    runtime.installExtensionModule(countingModule());
    const error = thrownBy(() => {
      runtime.installExtensionModule(countingModule());
    });
    expect(error.code).toBe('TFE_EXTENSION_MODULE_CONFLICT');
    expect(error.message).toContain('Module test.identity.v1.module is already installed');
    expect(runtime.epoch).toBe(1);
  });

  test('refuses another module that claims the same family on the same engine', () => {
    runtime.installExtensionModule(countingModule());
    const other = { ...countingModule(), moduleId: 'test.other.module' };
    const error = thrownBy(() => {
      runtime.installExtensionModule(other);
    });
    expect(error.code).toBe('TFE_EXTENSION_MODULE_CONFLICT');
    expect(error.message).toContain(
      'test.identity.v1 on test.engine.v1 is already installed by module test.identity.v1.module.',
    );
  });

  test('refuses a module that claims one family twice', () => {
    const [one, two] = [countingModule(), countingModule()];
    const module: ExtensionModule = {
      moduleId: 'test.twice.module',
      configure(registrar) {
        one.configure(registrar);
        two.configure(registrar);
      },
    };
    expect(
      codeOf(() => {
        runtime.installExtensionModule(module);
      }),
    ).toBe('TFE_EXTENSION_MODULE_CONFLICT');
    expect(runtime.installed).toEqual([]);
  });

  test('leaves everything as it was when the module fails to configure', () => {
    const good = countingModule();
    const module: ExtensionModule = {
      moduleId: 'test.broken.module',
      configure(registrar) {
        good.configure(registrar);
        throw new Error('half way');
      },
    };
    expect(() => {
      runtime.installExtensionModule(module);
    }).toThrow('half way');
    expect([runtime.epoch, runtime.installed]).toEqual([0, []]);
  });

  test('leaves everything as it was when one of several families conflicts', () => {
    runtime.installExtensionModule(countingModule());
    const module: ExtensionModule = {
      moduleId: 'test.both.module',
      configure(registrar) {
        countingModule(undefined, 'test.second.v1').configure(registrar);
        countingModule().configure(registrar);
      },
    };
    expect(
      codeOf(() => {
        runtime.installExtensionModule(module);
      }),
    ).toBe('TFE_EXTENSION_MODULE_CONFLICT');
    expect(runtime.installed).toEqual(['test.identity.v1 on test.engine.v1']);
  });

  test('does not remember the engine of a module that was refused', () => {
    runtime.installExtensionModule(countingModule());
    const first = { engineId: 'test.new.v1', contextIdentity: 'First' };
    const refused: ExtensionModule = {
      moduleId: 'test.refused.module',
      configure(registrar) {
        countingModule(undefined, 'test.second.v1', first).configure(registrar);
        countingModule().configure(registrar);
      },
    };
    expect(
      codeOf(() => {
        runtime.installExtensionModule(refused);
      }),
    ).toBe('TFE_EXTENSION_MODULE_CONFLICT');
    const second = { engineId: 'test.new.v1', contextIdentity: 'Second' };
    expect(() => {
      runtime.installExtensionModule(countingModule(undefined, 'test.third.v1', second));
    }).not.toThrow();
  });

  test('refuses a family id outside the grammar', () => {
    const module = countingModule(undefined, 'Identity' as never);
    expect(
      codeOf(() => {
        runtime.installExtensionModule(module);
      }),
    ).toBe('TFE_FAMILY_ID');
  });

  test('for several engines takes one module each, and each of them again', () => {
    const family = defineExtensionRuntime({
      runtime: 'IdentityRuntime',
      familyId: FAMILY,
      op: identityOp(),
      executeReads: (_, [x]) => [copy(x!)],
    });
    const modules = [
      family.extensionModule(TestEngine.type),
      family.extensionModule(TfeEngine.type),
    ];
    for (const module of [...modules, ...modules]) runtime.installExtensionModule(module);
    expect(runtime.epoch).toBe(2);
    expect(runtime.installed).toEqual([
      'test.identity.v1 on test.engine.v1',
      'test.identity.v1 on tfe-node.tfe-cpu.v1',
    ]);
  });
});

describe('replacing a module', () => {
  test('puts another in its place, and ops are planned anew', () => {
    const [first, second] = [countingModule(), countingModule(([x]) => [tf.multiply(x!, 2)])];
    const op = identityOp().op({});
    scope(() => {
      runtime.installExtensionModule(first);
      expect(apply(op, [tf.constant([3])])[0]!.arraySync()).toEqual([3]);
      runtime.replaceExtensionModule(second);
      expect(apply(op, [tf.constant([3])])[0]!.arraySync()).toEqual([6]);
    });
    expect([first.planned, second.planned, runtime.epoch]).toEqual([1, 1, 2]);
  });

  test('by itself changes nothing', () => {
    const module = countingModule();
    runtime.installExtensionModule(module);
    runtime.replaceExtensionModule(module);
    expect(runtime.epoch).toBe(1);
  });

  test('installs it when there is none', () => {
    runtime.replaceExtensionModule(countingModule());
    expect(runtime.installed).toEqual(['test.identity.v1 on test.engine.v1']);
  });

  test('leaves the module of the same family on another engine alone', () => {
    runtime.installExtensionModule(countingModule());
    runtime.installExtensionModule(countingModule(undefined, FAMILY, TfeEngine.type));
    runtime.replaceExtensionModule(countingModule());
    expect(runtime.installed).toEqual([
      'test.identity.v1 on test.engine.v1',
      'test.identity.v1 on tfe-node.tfe-cpu.v1',
    ]);
  });

  test('does not take what another module claims', () => {
    runtime.installExtensionModule(countingModule());
    const other = { ...countingModule(), moduleId: 'test.other.module' };
    expect(
      codeOf(() => {
        runtime.replaceExtensionModule(other);
      }),
    ).toBe('TFE_EXTENSION_MODULE_CONFLICT');
  });
});

describe('an op without a module', () => {
  test('is refused with what there is to do', () => {
    scope(() => {
      const error = thrownBy(() => apply(identityOp().op({}), [tf.constant(1)]));
      expect(error.code).toBe('TFE_EXTENSION_MISSING_MODULE');
      expect(error.phase).toBe('prepare');
      expect(error.familyId).toBe(FAMILY);
      expect(error.message).toBe(
        'This eager runtime has no module for family test.identity.v1 on engine test.engine.v1; it has none at all. Call EagerRuntime.installExtensionModule() with the module that your defineExtensionRuntime() made for this engine.',
      );
    });
  });

  test('is told what is installed instead', () => {
    runtime.installExtensionModule(countingModule(undefined, 'test.identity.v2'));
    scope(() => {
      const error = thrownBy(() => apply(identityOp().op({}), [tf.constant(1)]));
      expect(error.message).toContain('it has test.identity.v2 on test.engine.v1.');
    });
  });

  test('is refused on the engine that has none, although another has one', () => {
    runtime.installExtensionModule(countingModule());
    scope(() => {
      const run = () => apply(identityOp().op({}), [tf.constant(1)], new TfeEngine());
      expect(codeOf(run)).toBe('TFE_EXTENSION_MISSING_MODULE');
    });
  });
});

describe('a plan', () => {
  test('is made once per op', () => {
    const module = countingModule();
    const family = identityOp();
    runtime.installExtensionModule(module);
    scope(() => {
      for (let i = 0; i < 5; i++) apply(family.op({ axis: 0 }), [tf.constant(i)]);
      expect(module.planned).toBe(1);
      apply(family.op({ axis: 1 }), [tf.constant(1)]);
      expect(module.planned).toBe(2);
    });
  });

  test('serves every engine of one type', () => {
    const module = countingModule();
    runtime.installExtensionModule(module);
    const op = identityOp().op({});
    scope(() => {
      apply(op, [tf.constant(1)], new TestEngine());
      apply(op, [tf.constant(1)], new TestEngine());
      apply(op, [tf.constant(1)], { type: { ...TestEngine.type } });
    });
    expect(module.planned).toBe(1);
  });

  test('is not used on another engine', () => {
    runtime.installExtensionModule(countingModule(([x]) => [tf.add(x!, 1)]));
    runtime.installExtensionModule(
      countingModule(([x]) => [tf.add(x!, 2)], FAMILY, TfeEngine.type),
    );
    const op = identityOp().op({});
    const tfe = new TfeEngine();
    scope(() => {
      const results = [engine, tfe, engine].map((lent) =>
        apply(op, [tf.constant(0)], lent)[0]!.arraySync(),
      );
      expect(results).toEqual([1, 2, 1]);
    });
  });

  test('is made again after something was installed', () => {
    const module = countingModule();
    runtime.installExtensionModule(module);
    const op = identityOp().op({});
    scope(() => {
      apply(op, [tf.constant(1)]);
      runtime.installExtensionModule(countingModule(undefined, 'test.second.v1'));
      apply(op, [tf.constant(1)]);
    });
    expect(module.planned).toBe(2);
  });

  test('is not made for a payload that the runtime does not support', () => {
    const op = identityOp();
    const family = defineExtensionRuntime({
      runtime: 'IdentityRuntime',
      familyId: FAMILY,
      op,
      sessionSupported: ({ payload }) => payload['axis'] === 0,
      executeInSession: (_, __, [x]) => [copy(x!)],
    });
    runtime.installExtensionModule(family.extensionModule(TestEngine.type));
    scope(() => {
      expect(apply(op.op({ axis: 0 }), [tf.constant(1)])).toHaveLength(1);
      const error = thrownBy(() => apply(op.op({ axis: 1 }), [tf.constant(1)]));
      expect(error.code).toBe('TFE_EXTENSION_UNSUPPORTED');
      expect(error.message).toContain('IdentityRuntime does not support this payload');
    });
  });

  test('is not made for an op that another definition of the same id made', () => {
    const mine = identityOp();
    const family = defineExtensionRuntime({
      runtime: 'IdentityRuntime',
      familyId: FAMILY,
      op: mine,
      executeReads: (_, [x]) => [copy(x!)],
    });
    runtime.installExtensionModule(family.extensionModule(TestEngine.type));
    scope(() => {
      const theirs = identityOp().op({});
      expect(codeOf(() => apply(theirs, [tf.constant(1)]))).toBe('TFE_EXTENSION_WRONG_FAMILY');
    });
  });
});

describe('an engine', () => {
  const impostor: Engine = { type: { engineId: 'test.engine.v1', contextIdentity: 'Impostor' } };

  test('of another type under a known id is refused when it is lent', () => {
    runtime.installExtensionModule(countingModule());
    scope(() => {
      const error = thrownBy(() => apply(identityOp().op({}), [tf.constant(1)], impostor));
      expect(error.code).toBe('TFE_ENGINE_CONFLICT');
      expect(error.facts).toEqual({
        engineId: 'test.engine.v1',
        known: 'TestEngine',
        received: 'Impostor',
      });
    });
  });

  test('of another type is refused also for an op that is planned already', () => {
    runtime.installExtensionModule(countingModule());
    const op = identityOp().op({});
    scope(() => {
      apply(op, [tf.constant(1)]);
      expect(codeOf(() => apply(op, [tf.constant(1)], impostor))).toBe('TFE_ENGINE_CONFLICT');
    });
  });

  test('of another type is refused when a module for it is installed', () => {
    runtime.installExtensionModule(countingModule());
    const module = countingModule(undefined, 'test.second.v1', impostor.type);
    expect(
      codeOf(() => {
        runtime.installExtensionModule(module);
      }),
    ).toBe('TFE_ENGINE_CONFLICT');
    expect(runtime.epoch).toBe(1);
  });

  test('is lent to the executor as it is', () => {
    const lent: Engine[] = [];
    runtime.installExtensionModule(
      countingModule(([x], received) => {
        lent.push(received);
        return [copy(x!)];
      }),
    );
    scope(() => {
      apply(identityOp().op({}), [tf.constant(1)]);
    });
    expect(lent).toEqual([engine]);
    expect(lent[0]).toBe(engine);
  });
});

describe('inputs', () => {
  beforeEach(() => {
    runtime.installExtensionModule(countingModule());
  });

  test.each([0, 2])('of another number are refused: %i', (count) => {
    scope(() => {
      const inputs = Array.from({ length: count }, () => tf.constant(1));
      const error = thrownBy(() => apply(identityOp().op({}), inputs));
      expect(error.code).toBe('TFE_EXTENSION_ARITY');
      expect(error.facts).toEqual({ familyId: FAMILY, expected: 1, received: count });
    });
  });

  test.each([null, 1, [1], {}])('that are no tensors are refused: %p', (value) => {
    const error = thrownBy(() => apply(identityOp().op({}), [value as unknown as Tensor]));
    expect(error.code).toBe('TFE_OP_ARGUMENT');
    expect(error.facts).toMatchObject({ argument: 'input 0', expected: 'a Tensor' });
  });

  test('that are disposed are refused', () => {
    const tensor = tf.constant(1);
    tensor.dispose();
    expect(codeOf(() => apply(identityOp().op({}), [tensor]))).toBe('TFE_TENSOR_DISPOSED');
  });
});

describe('inputs of another environment', () => {
  // An id is slot, generation and tag of the environment: native/handle_table.cc.
  test('are refused by the addon, whatever the family says of them', () => {
    const foreign = forgedTensor(1023 * 2 ** 43 + 2 ** 24, 'float32', [2]);
    const op = softmax.op({ axis: 0 });
    const run = () => defaultEagerRuntime().apply(new TfeEngine(), op, [foreign]);
    expect(codeOf(run)).toBe('TFE_TENSOR_FOREIGN');
  });
});

describe('outputs', () => {
  const answering = (execute: Execute, op: ExtensionOp = identityOp().op({})): string => {
    runtime.installExtensionModule(countingModule(execute));
    return scope(() => codeOf(() => apply(op, [tf.constant([1, 2])])));
  };

  test('belong to the scope of the call', () => {
    runtime.installExtensionModule(countingModule());
    const before = held().tensors;
    scope(() => {
      const [output] = apply(identityOp().op({}), [tf.constant(1)]);
      expect(output!.isDisposed).toBe(false);
    });
    expect(held().tensors).toBe(before);
  });

  test('belong to the caller where there is no scope; what else was made is gone', () => {
    runtime.installExtensionModule(countingModule(([x]) => [copy(copy(x!))]));
    using x = tf.constant(1);
    const before = held().tensors;
    const [output] = apply(identityOp().op({}), [x]);
    expect(held().tensors).toBe(before + 1);
    output!.dispose();
  });

  test.each([
    ['too few', () => []],
    ['too many', ([x]: readonly Tensor[]) => [copy(x!), copy(x!)]],
    ['another dtype', () => [tf.constant([1n, 2n])]],
    ['another shape', () => [tf.constant([1, 2, 3])]],
    ['another rank', () => [tf.constant([[1, 2]])]],
  ])('that are not the declared ones are refused and freed: %s', (_, execute) => {
    expect(answering(execute)).toBe('TFE_EXTENSION_OUTPUTS');
  });

  test('that are no tensors are refused', () => {
    expect(answering(() => [1 as unknown as Tensor])).toBe('TFE_OP_ARGUMENT');
  });

  test('that are disposed are refused', () => {
    const execute: Execute = ([x]) => {
      const output = copy(x!);
      output.dispose();
      return [output];
    };
    expect(answering(execute)).toBe('TFE_TENSOR_DISPOSED');
  });

  test('that are an input are refused when they were declared fresh', () => {
    expect(answering(([x]) => [x!])).toBe('TFE_EXTENSION_ALIAS');
  });

  test('that are an input are refused when just that one was declared fresh', () => {
    const op = identityOp({ aliases: [{ kind: 'fresh', output: 0 }] }).op({});
    expect(answering(([x]) => [x!], op)).toBe('TFE_EXTENSION_ALIAS');
  });

  test('that were made before the call are refused when they were declared fresh', () => {
    scope(() => {
      const kept = tf.constant([3, 4]);
      expect(answering(() => [kept])).toBe('TFE_EXTENSION_ALIAS');
      expect(kept.isDisposed).toBe(false);
    });
  });

  test('that are an input may be when that was declared', () => {
    const op = identityOp({ aliases: [{ kind: 'viewOf', output: 0, input: 0 }] }).op({});
    runtime.installExtensionModule(countingModule(([x]) => [x!]));
    scope(() => {
      const x = tf.constant(1);
      expect(apply(op, [x])[0]).toBe(x);
      expect(x.isDisposed).toBe(false);
    });
  });

  test('need as much metadata as the op declares outputs', () => {
    runtime.installExtensionModule(countingModule());
    const op = identityOp({ infer: () => [] }).op({});
    scope(() => {
      const error = thrownBy(() => apply(op, [tf.constant(1)]));
      expect(error.code).toBe('TFE_EXTENSION_OUTPUTS');
      expect(error.message).toContain('metadata of 1 outputs');
    });
  });

  test('may be none or several', () => {
    const execute: Execute = (inputs) => inputs.map(copy);
    runtime.installExtensionModule(countingModule(execute, 'test.none.v1'));
    runtime.installExtensionModule(countingModule(execute, 'test.two.v1'));
    const none = identityOp({ familyId: 'test.none.v1', inputCount: 0, outputCount: 0 });
    const two = identityOp({ familyId: 'test.two.v1', inputCount: 2, outputCount: 2 });
    scope(() => {
      expect(apply(none.op({}), [])).toEqual([]);
      const values = apply(two.op({}), [tf.constant(1), tf.constant([2])]);
      expect(values.map((tensor) => tensor.arraySync())).toEqual([1, [2]]);
    });
  });
});

describe('an executor that throws', () => {
  const throwing = (): Execute => {
    return ([x]) => {
      copy(x!);
      copy(x!);
      throw new Error('out of luck');
    };
  };

  test('frees what it made, and its error is passed on', () => {
    runtime.installExtensionModule(countingModule(throwing()));
    using x = tf.constant(1);
    const before = held();
    expect(() => apply(identityOp().op({}), [x])).toThrow('out of luck');
    expect(held()).toEqual(before);
    expect(x.isDisposed).toBe(false);
  });

  test('does not spoil the next call', () => {
    let lucky = false;
    const fail = throwing();
    runtime.installExtensionModule(
      countingModule((inputs, ...rest) => (lucky ? inputs.map(copy) : fail(inputs, ...rest))),
    );
    scope(() => {
      const x = tf.constant(7);
      expect(() => apply(identityOp().op({}), [x])).toThrow('out of luck');
      lucky = true;
      expect(apply(identityOp().op({}), [x])[0]!.arraySync()).toBe(7);
    });
  });
});

describe('an executor that applies ops itself', () => {
  test('hands their outputs on, and the rest is freed', () => {
    const inner = identityOp({ familyId: 'test.inner.v1' });
    runtime.installExtensionModule(countingModule(([x]) => [copy(copy(x!))], 'test.inner.v1'));
    runtime.installExtensionModule(
      countingModule((inputs, lent) => {
        const [once] = runtime.apply(lent, inner.op({}), inputs);
        const [twice] = runtime.apply(lent, inner.op({}), [once!]);
        return [twice!];
      }),
    );
    using x = tf.constant(5);
    const before = held().tensors;
    const [output] = apply(identityOp().op({}), [x]);
    expect(output!.arraySync()).toBe(5);
    expect(held().tensors).toBe(before + 1);
    output!.dispose();
  });

  test('may lend another engine', () => {
    runtime.installExtensionModule(countingModule(undefined, 'test.inner.v1', TfeEngine.type));
    const inner = identityOp({ familyId: 'test.inner.v1' }).op({});
    const tfe = new TfeEngine();
    runtime.installExtensionModule(countingModule((inputs) => runtime.apply(tfe, inner, inputs)));
    scope(() => {
      expect(apply(identityOp().op({}), [tf.constant(5)])[0]!.arraySync()).toBe(5);
    });
  });
});

describe('the routes of defineExtensionRuntime', () => {
  const op = identityOp();

  test('executeInSession receives the op, the engine and the inputs', () => {
    const seen: unknown[] = [];
    const family = defineExtensionRuntime({
      runtime: 'IdentityRuntime',
      familyId: FAMILY,
      op,
      sessionSupported: () => true,
      executeInSession: (received, lent: TestEngine, inputs) => {
        seen.push(received, lent, ...inputs);
        return inputs.map(copy);
      },
    });
    runtime.installExtensionModule(family.extensionModule(TestEngine.type));
    scope(() => {
      const x = tf.constant(1);
      apply(op.op({}), [x]);
      expect(seen).toEqual([op.op({}), engine, x]);
    });
  });

  test('executeReads receives the op, the inputs and a context with the engine', () => {
    const seen: unknown[] = [];
    const family = defineExtensionRuntime({
      runtime: 'IdentityRuntime',
      familyId: FAMILY,
      op,
      executeReads: (received, inputs, context: { readonly engine: TestEngine }) => {
        seen.push(received, ...inputs, context);
        return inputs.map(copy);
      },
    });
    runtime.installExtensionModule(family.extensionModule(TestEngine.type));
    scope(() => {
      const x = tf.constant(1);
      apply(op.op({}), [x]);
      expect(seen).toEqual([op.op({}), x, { engine }]);
    });
  });
});

describe('kernels', () => {
  test('that answer a dtype without a carrier are refused, and the tensor is freed', () => {
    const toFloat8 = new Kernel({
      label: 'test.float8',
      name: 'Cast',
      inputs: 1,
      attrs: [
        ['DstT', 'type', 24], // float8_e5m2
        ['Truncate', 'bool', false],
      ],
    });
    scope(() => {
      const error = thrownBy(() => toFloat8.run1(tf.constant(1)));
      expect(error.code).toBe('TFE_DTYPE_NOT_CARRIED');
      expect(error.facts).toEqual({ tf: 24 });
    });
  });

  test.each([
    ['NoSuchOp', 'TFE_OP_NOT_REGISTERED'],
    ['DumpTensor', 'TFE_OP_NOT_EAGER'],
    ['XlaDot', 'TFE_OP_NOT_EAGER'],
  ])('of %s are refused: %s', (name, code) => {
    scope(() => {
      const refused = new Kernel({ label: 'test.op', name, inputs: 1 });
      expect(thrownBy(() => refused.run1(tf.constant(1)))).toMatchObject({ code });
    });
  });

  test('with inputs that would end the process are refused, constants counted', async () => {
    const strides: NativeAttr = ['strides', 'list(int)', [1, 1, 1, 1, 1]];
    const convolve = new Kernel({
      label: 'test.conv3d',
      name: 'Conv3D',
      inputs: 2,
      attrs: [['T', 'type', 1], strides, ['padding', 'string', 'SAME']],
    });
    const gradient = new Kernel({
      label: 'test.gradient',
      name: 'AvgPoolGrad',
      inputs: 1,
      attrs: [
        ['T', 'type', 1],
        ['ksize', 'list(int)', [1, 1, 1, 1]],
        ['strides', 'list(int)', [1, 1, 1, 1]],
        ['padding', 'string', 'SAME'],
      ],
      constants: [{ position: 0, values: [1, 2, 2, 1], dtype: 'int32' }],
    });
    await scopeAsync(async () => {
      const flat = tf.constant([1, 2, 3, 4]);
      const code = 'TFE_OP_RANK';
      expect(thrownBy(() => convolve.run2(flat, flat))).toMatchObject({ code });
      await expect(convolve.runAsync([flat, flat])).rejects.toMatchObject({ code });
      expect(thrownBy(() => gradient.run1(flat))).toMatchObject({ code });
      const grid = tf.constant(new Float32Array(4), { shape: [1, 2, 2, 1] });
      expect(gradient.run1(grid).shape).toEqual([1, 2, 2, 1]);
    });
  });

  test('of three inputs run', () => {
    const clip = new Kernel({ label: 'test.clip', name: 'ClipByValue', inputs: 3 });
    scope(() => {
      const clipped = clip.run3(tf.constant([-5, 0.5, 5]), tf.constant(0), tf.constant(1));
      expect(clipped.arraySync()).toEqual([0, 0.5, 1]);
    });
  });

  test('are prepared once per engine and spec', () => {
    const lent = new TfeEngine();
    const spec = { label: 'test.relu', name: 'Relu', inputs: 1 } as const;
    expect(lent.kernel(spec)).toBe(lent.kernel(spec));
    expect(lent.kernel(spec)).not.toBe(lent.kernel({ ...spec }));
  });
});

describe('the default eager runtime', () => {
  test('is one, and has the families of this package', () => {
    expect(defaultEagerRuntime()).toBe(defaultEagerRuntime());
    expect(defaultEagerRuntime().installed).toEqual([
      'tfe-node.argmax.v1 on tfe-node.tfe-cpu.v1',
      'tfe-node.bias_add.v1 on tfe-node.tfe-cpu.v1',
      'tfe-node.matmul.v1 on tfe-node.tfe-cpu.v1',
      'tfe-node.softmax.v1 on tfe-node.tfe-cpu.v1',
    ]);
  });

  test('runs them on any engine of their type', () => {
    scope(() => {
      const op = argmax.op({ axis: 0, outputType: 'int32' });
      const [index] = defaultEagerRuntime().apply(new TfeEngine(), op, [tf.constant([1, 3, 2])]);
      expect(index!.arraySync()).toBe(1);
    });
  });
});

describe('arguments that are none', () => {
  const odd: readonly unknown[] = [undefined, null, 1, 'x', {}];
  const engine = new TfeEngine();
  const kernel = { label: FAMILY, name: 'Identity', inputs: 1 as const };
  const runtimeWith = (
    op: ReturnType<typeof identityOp>,
    execute: (x: Tensor) => readonly Tensor[],
  ): EagerRuntime => {
    const runtime = new EagerRuntime();
    const family = defineExtensionRuntime({
      runtime: 'OddRuntime',
      familyId: FAMILY,
      op,
      sessionSupported: () => true,
      executeInSession: (_, __: TfeEngine, [x]) => execute(x!),
    });
    runtime.installExtensionModule(family.extensionModule(TfeEngine.type));
    return runtime;
  };

  test.each(odd)('%p is no engine, op, list of inputs or module', (value) => {
    const family = identityOp();
    const runtime = runtimeWith(family, (x) => [engine.kernel(kernel).run1(x)]);
    scope(() => {
      const x = tf.constant([1]);
      const codes = [
        () => runtime.apply(value as Engine, family.op({}), [x]),
        () => runtime.apply(engine, value as ExtensionOp, [x]),
        () => runtime.apply(engine, family.op({}), value as Tensor[]),
        () => runtime.apply(engine, family.op({}), [value as Tensor]),
        () => engine.kernel(kernel).run1(value as Tensor),
        () => runtime.installExtensionModule(value as ExtensionModule),
        () => runtime.replaceExtensionModule(value as ExtensionModule),
      ].map(codeOf);
      expect(new Set(codes)).toEqual(new Set(['TFE_OP_ARGUMENT']));
    });
  });

  test.each(odd)('%p is no metadata and no outputs', (value) => {
    scope(() => {
      const x = tf.constant([1]);
      for (const metas of [value, [value]]) {
        const family = identityOp({ infer: () => metas as TensorMeta[] });
        const runtime = runtimeWith(family, (input) => [engine.kernel(kernel).run1(input)]);
        // identityOp takes undefined for "as the inputs are".
        if (metas === undefined || metas === null) continue;
        expect(codeOf(() => runtime.apply(engine, family.op({}), [x]))).toBe(
          'TFE_EXTENSION_OUTPUTS',
        );
      }
      const family = identityOp();
      const runtime = runtimeWith(family, () => value as Tensor[]);
      expect(codeOf(() => runtime.apply(engine, family.op({}), [x]))).toBe('TFE_EXTENSION_OUTPUTS');
    });
  });

  test('outputs that do something of their own when searched are still freed', () => {
    const family = identityOp();
    const runtime = runtimeWith(family, (x) => {
      const outputs = [engine.kernel(kernel).run1(x)];
      outputs.includes = () => {
        throw new Error('trap');
      };
      return outputs;
    });
    scope(() => {
      expect(runtime.apply(engine, family.op({}), [tf.constant([1])])).toHaveLength(1);
    });
  });
});
