/**
 * Random values at every public door: the right answer, a TfeError with a way out, or what the caller's own values throw.
 * No tensor is left behind, and nothing is left pending.
 */
import { setImmediate as turn } from 'node:timers/promises';
import fc from 'fast-check';
import * as tfe from '../../../lib';
import { DTYPE_NAMES, DTYPES } from '../../../lib/tensor/dtype';
import { say, task } from './program';
import { functionsOf, type AnyFunction as Loose } from './tf-functions';

export interface ApiFuzzTask {
  readonly runs: number;
  readonly seed: number;
}

type Options = Readonly<Record<string, unknown>>;

const { runs, seed } = task<ApiFuzzTask>();
const { tf, execute, executeAsync, isTensor, isTfeError, scope, scopeAsync } = tfe;

/** What the caller's own getters and proxies throw; it comes out as it is, or as the cause of a TfeError. */
class Own extends Error {}

const KEPT: readonly tfe.Tensor[] = [
  tf.constant(1),
  tf.constant([1, -2]),
  tf.constant([[1, 2], [3, NaN]]), // prettier-ignore
  tf.constant([0, 1], { dtype: 'int32' }),
  tf.constant([[[1n], [-(2n ** 63n)]]]),
  tf.constant(new Float32Array(0), { shape: [0, 3] }),
  tf.constant(['a', '', 'ü']),
  tf.constant(Uint8Array.of(0xff, 0), { dtype: 'string' }),
  ...DTYPE_NAMES.filter((dtype) => dtype !== 'string' && DTYPES[dtype].kind !== 'opaque').map(
    (dtype) => scope(() => tf.cast(tf.constant([[1, 0, 2]]), dtype as 'int8')),
  ),
  tf.constant(new Float32Array(20_000)), // read off the loop
  execute('FIFOQueueV2', { attrs: { component_types: ['float32'] } })[0]!,
];
const GONE = tf.constant([1]);
GONE.dispose();

const throwing = (): object =>
  new Proxy(
    {},
    {
      get: () => {
        throw new Own('get');
      },
      ownKeys: () => {
        throw new Own('ownKeys');
      },
    },
  );
const getter = (): object => ({
  get dtype(): never {
    throw new Own('dtype');
  },
  get signal(): never {
    throw new Own('signal');
  },
});
const detached = (): Float32Array => {
  const array = new Float32Array(4);
  structuredClone(array.buffer, { transfer: [array.buffer] });
  return array;
};
const resized = (): Uint8Array => {
  // ES2024, in Node since 20.
  type Resizable = ArrayBuffer & { resize(length: number): void };
  const Resizable = ArrayBuffer as unknown as new (length: number, options: object) => Resizable;
  const buffer = new Resizable(16, { maxByteLength: 32 });
  const array = new Uint8Array(buffer, 8, 8);
  buffer.resize(12);
  return array;
};

const number = fc.oneof(
  fc.integer({ min: -3, max: 4 }),
  fc.double(),
  fc.constantFrom(-0, NaN, Infinity, 2 ** 31, 2 ** 40, 2 ** 53, 1e308, 0.1, 255, 65_504, 70_000),
);
const bigint = fc.oneof(fc.bigInt({ min: -4n, max: 4n }), fc.constantFrom(2n ** 63n, -(2n ** 63n), 2n ** 64n - 1n, 2n ** 80n)); // prettier-ignore
const text = fc.oneof(fc.string({ maxLength: 6 }), fc.constantFrom('\ud800', '\0', 'ü', 'float32', 'int64', 'string')); // prettier-ignore
const typed: fc.Arbitrary<unknown> = fc.oneof(
  ...[fc.float32Array, fc.float64Array, fc.int8Array, fc.int16Array, fc.int32Array].map((make) =>
    make({ maxLength: 6 }),
  ),
  ...[fc.uint8Array, fc.uint16Array, fc.uint32Array, fc.uint8ClampedArray].map((make) =>
    make({ maxLength: 6 }),
  ),
  fc.bigInt64Array({ maxLength: 4 }),
  fc.bigUint64Array({ maxLength: 4 }),
  fc.uint8Array({ maxLength: 6 }).map((bytes) => Buffer.from(bytes)),
  fc.constantFrom<() => unknown>(
    detached,
    resized,
    () => new DataView(new ArrayBuffer(8)),
    () => new ArrayBuffer(8),
    () => new Float32Array(new SharedArrayBuffer(8)),
  ).map((make) => make()), // prettier-ignore
);
const strange: fc.Arbitrary<unknown> = fc.constantFrom<() => unknown>(
  () => undefined,
  () => null,
  () => Symbol('s'),
  () => () => 1,
  () => new Date(0),
  () => new Map([[1, KEPT[0]]]),
  () => new Array<number>(3),
  () => Object.create(null) as unknown,
  () => Promise.resolve(1),
  () => Object.create(Object.getPrototypeOf(KEPT[0]) as object) as unknown,
  () => new Proxy(KEPT[1]!, {}),
  () => AbortSignal.abort(new Own('aborted')),
  () => AbortSignal.timeout(0),
  () => ({ aborted: false, addEventListener: 1, throwIfAborted: 2 }),
  throwing,
  getter,
).map((make) => make()); // prettier-ignore
const scalar: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 5, arbitrary: number },
  { weight: 2, arbitrary: bigint },
  { weight: 1, arbitrary: fc.boolean() },
  { weight: 2, arbitrary: text },
  { weight: 1, arbitrary: fc.record({ re: number, im: number }) },
);
const nested = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    scalar,
    fc.array(tie('value'), { maxLength: 3 }),
  ),
})).value;
const matrix = fc
  .tuple(fc.integer({ min: 0, max: 3 }), fc.integer({ min: 0, max: 3 }), scalar)
  .map(([rows, columns, value]) => Array.from({ length: rows }, () => Array.from({ length: columns }, () => value))); // prettier-ignore
const tensor = fc.constantFrom(...KEPT, GONE);
const anything: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 3, arbitrary: tensor },
  { weight: 3, arbitrary: scalar },
  { weight: 2, arbitrary: nested },
  { weight: 2, arbitrary: matrix },
  { weight: 2, arbitrary: typed },
  { weight: 2, arbitrary: strange },
);

const dtype = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom<unknown>(...DTYPE_NAMES) },
  { weight: 1, arbitrary: anything },
);
const dim = fc.oneof(
  { weight: 8, arbitrary: fc.integer({ min: 0, max: 4 }) },
  { weight: 1, arbitrary: fc.constantFrom<unknown>(-1, 0.5, 2 ** 40, 2 ** 52, NaN, 1n, '2', null) },
);
const shape = fc.oneof(
  { weight: 8, arbitrary: fc.array(dim, { maxLength: 4 }) },
  { weight: 1, arbitrary: anything },
);
const signal = fc.oneof(
  fc.constantFrom<() => unknown>(
    () => new AbortController().signal,
    () => AbortSignal.abort(new Own('aborted')),
    () => {
      const control = new AbortController();
      queueMicrotask(() => control.abort(new Own('aborted')));
      return control.signal;
    },
  ).map((make) => make()),
  anything,
); // prettier-ignore

/** Some of the options that a function knows, with right and wrong values; now and then others. */
function options(known: Readonly<Record<string, fc.Arbitrary<unknown>>>): fc.Arbitrary<unknown> {
  return fc.oneof(
    { weight: 3, arbitrary: fc.constant(undefined) },
    { weight: 8, arbitrary: fc.record(known, { requiredKeys: [] }) },
    { weight: 1, arbitrary: fc.dictionary(fc.string({ maxLength: 8 }), anything, { maxKeys: 2 }) },
    { weight: 1, arbitrary: anything },
  );
}
const oneOf = (...values: readonly unknown[]): fc.Arbitrary<unknown> =>
  fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...values) }, { weight: 1, arbitrary: anything }); // prettier-ignore

const forms = {
  int64: oneOf('bigint', 'number'),
  float16: oneOf('number', 'bits'),
  string: oneOf('utf8', 'bytes'),
};
const readOptions = options({ ...forms, copy: oneOf(true, false) });

/** What came of a call, comparable with what came of its twin. */
type Outcome = { readonly value: unknown } | { readonly code: string };

const codes: Record<string, number> = {};

function failure(error: unknown): Outcome {
  if (error instanceof Own) return { code: 'Own' };
  // A forged tensor, or a proxy of one, as options: reading it throws before we can say more.
  if (((error as Error | undefined)?.message ?? '').includes('private member'))
    return { code: 'Own' };
  if ((error as Error | undefined)?.name === 'TimeoutError') return { code: 'TimeoutError' };
  if (!isTfeError(error)) throw error;
  if (!/^TFE_[A-Z0-9_]+$/.test(error.code) || error.message.length < 10 || error.hint === '') {
    throw new Error(`not a helpful error: ${error.code}: ${error.message}`);
  }
  return { code: error.code };
}

function attempt(run: () => unknown): Outcome {
  try {
    return { value: run() };
  } catch (error) {
    return failure(error);
  }
}

async function attemptAsync(run: () => Promise<unknown>): Promise<Outcome> {
  try {
    return { value: await run() };
  } catch (error) {
    return failure(error);
  }
}

function count(door: string, outcome: Outcome): void {
  const key = 'code' in outcome ? outcome.code : `${door} answered`;
  codes[key] = (codes[key] ?? 0) + 1;
}

/** Bit for bit: dtype, shape and bytes of every tensor. */
function bits(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(bits);
  if (!isTensor(value)) return value;
  if (DTYPES[value.dtype].kind === 'opaque') return [value.dtype, value.shape];
  const data = value.dataSync({ float16: 'bits', string: 'bytes' });
  const bytes = Array.isArray(data)
    ? data.map((part) => Buffer.from(part).toString('hex'))
    : Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString('hex');
  return [value.dtype, value.shape, bytes];
}

function same(door: string, a: Outcome, b: Outcome): void {
  const shown = (outcome: Outcome): string =>
    JSON.stringify('code' in outcome ? outcome : bits(outcome.value), (_, value: unknown) =>
      typeof value === 'bigint' ? `${value}n` : Object.is(value, -0) ? '-0' : value,
    );
  if (shown(a) !== shown(b)) throw new Error(`${door}: ${shown(a)} is not ${shown(b)}`);
}

function check(condition: boolean, what: string): asserts condition {
  if (!condition) throw new Error(what);
}

/** The functions of `tf` by name, without `constant`. */
const FUNCTIONS = functionsOf(tf);
FUNCTIONS.delete('constant');
const SYNC = [...FUNCTIONS.keys()].filter((name) => !name.endsWith('Async'));

/** Ops whose answer is determined by their inputs. */
const PURE = ['Neg', 'AddV2', 'MatMul', 'Softmax', 'Cast', 'Reshape', 'ConcatV2', 'Split', 'TopKV2', 'Const', 'NoOp', 'Concat', 'StringJoin', 'Bitcast']; // prettier-ignore

function checkTensor(made: unknown, given: Options | undefined): void {
  check(isTensor(made), 'a tensor');
  check(made.size === made.shape.reduce((product, size) => product * size, 1), 'size of shape');
  check(made.rank === made.shape.length, 'rank of shape');
  if (typeof given?.['dtype'] === 'string') check(made.dtype === given['dtype'], 'dtype as asked');
  if (made.size > 1000) return;
  const text = made.dtype === 'string';
  const data: unknown = made.dataSync({ float16: 'bits', string: 'bytes' });
  const again = text
    ? tf.constant(data as never, { dtype: 'string', shape: made.shape } as never)
    : tf.constant(data as never, { dtype: made.dtype, shape: made.shape } as never);
  same('round trip', { value: made }, { value: again });
}

interface Call {
  readonly args: unknown;
  readonly run: () => Outcome | Promise<Outcome>;
}

function door<T>(
  args: fc.Arbitrary<T>,
  run: (args: T) => Outcome | Promise<Outcome>,
): fc.Arbitrary<Call> {
  return args.map((drawn) => ({ args: drawn, run: () => run(drawn) }));
}

const DOORS: Readonly<Record<string, fc.Arbitrary<Call>>> = {
  constant: door(fc.tuple(anything, options({ dtype, shape })), ([value, given]) => {
    const outcome = attempt(() => (tf.constant as Loose)(value, given));
    if ('value' in outcome) checkTensor(outcome.value, given as Options | undefined);
    return outcome;
  }),
  op: door(
    fc.tuple(
      fc.constantFrom(...SYNC),
      fc.oneof(
        fc.tuple(tensor),
        fc.tuple(tensor, oneOf(0, 1, -1, 'float32', 'int32')),
        fc.tuple(tensor, tensor),
        fc.tuple(anything, anything),
        fc.array(anything, { maxLength: 4 }),
        fc.tuple(tensor, tensor, options({ transpose_a: oneOf(true, false), adjoint_b: oneOf(true, false), data_format: oneOf('NHWC', 'NCHW') })), // prettier-ignore
        fc.tuple(tensor, options({ axis: oneOf(0, -1), output_type: oneOf('int32') })),
      ),
    ),
    async ([name, values]) => {
      const outcome = attempt(() => FUNCTIONS.get(name)!(...values));
      const twin = await attemptAsync(
        () => FUNCTIONS.get(`${name}Async`)!(...values) as Promise<unknown>,
      );
      // The twin has one option more, and so other complaints about options.
      const aboutOptions = [outcome, twin].some(
        (each) => 'code' in each && /OPTION|Own|Timeout/.test(each.code),
      );
      if (!aboutOptions) same(name, outcome, twin);
      return outcome;
    },
  ),
  execute: door(
    fc.tuple(
      fc.oneof({ weight: 9, arbitrary: fc.constantFrom<unknown>(...PURE) }, anything),
      options({
        inputs: fc.oneof(fc.array(fc.oneof(tensor, fc.array(tensor, { maxLength: 3 })), { maxLength: 3 }), anything), // prettier-ignore
        attrs: options({ DstT: dtype, dtype, T: dtype, N: number, num_split: oneOf(1, 2), k: number, value: anything, separator: text, transpose_a: oneOf(true), Truncate: oneOf(true), type: dtype }), // prettier-ignore
        device: oneOf('', '/device:CPU:0', 'CPU:0', '/device:GPU:0'),
      }),
    ),
    async ([name, given]) => {
      const outcome = attempt(() => (execute as Loose)(name, given));
      const twin = await attemptAsync(() => (executeAsync as Loose)(name, given) as Promise<unknown>); // prettier-ignore
      same('executeAsync', outcome, twin);
      return outcome;
    },
  ),
  raw: door(
    fc.tuple(fc.constantFrom(...PURE), fc.array(anything, { maxLength: 4 })),
    ([name, values]) =>
      attempt(() => (tfe.raw as unknown as Record<string, Loose>)[name]!(...values)),
  ),
  read: door(fc.tuple(tensor, readOptions, signal), async ([each, given, abort]) => {
    const read = each as unknown as Record<'dataSync' | 'data' | 'arraySync', Loose>;
    const outcome = attempt(() => read.dataSync(given));
    same('data', outcome, await attemptAsync(() => read.data(given) as Promise<unknown>));
    await attemptAsync(() => read.data({ signal: abort }) as Promise<unknown>);
    return outcome;
  }),
  arrays: door(fc.tuple(tensor, options(forms)), ([each, given]) =>
    attempt(() => (each as unknown as { arraySync: Loose }).arraySync(given)),
  ),
  shown: door(fc.tuple(tensor, anything), ([each, value]) => {
    check(typeof each.toString() === 'string' && String(each).startsWith('Tensor('), 'as text');
    check(JSON.stringify(each).includes('dtype'), 'as JSON');
    check(isTensor(value) === (KEPT.includes(value as never) || value === GONE), 'isTensor');
    let refused = false;
    try {
      structuredClone([each]);
    } catch {
      refused = true;
    }
    check(refused, 'a clone is refused');
    return attempt(() => (each as unknown as number) + 1);
  }),
  scopes: door(fc.tuple(anything, fc.boolean()), async ([value, fails]) => {
    const body = (): unknown => {
      tf.constant([1, 2]);
      if (fails) throw new Own('body');
      return value;
    };
    await attemptAsync(() => scopeAsync(() => Promise.resolve().then(body)));
    await attemptAsync(() => (scopeAsync as Loose)(value) as Promise<unknown>);
    attempt(() => (scope as Loose)(value));
    return attempt(() => scope(body));
  }),
  keep: door(anything, (value) => {
    const outcome = attempt(() => (tfe.keep as Loose)(value));
    const made = tfe.keep(tf.constant([1]));
    check(scope(() => made) === made && !made.isDisposed, 'kept');
    made.dispose();
    return outcome;
  }),
  tokens: door(
    fc.tuple(anything, options({ expiresIn: oneOf(0, 1, 1000) }), anything),
    ([value, given, token]) => {
      const outcome = attempt(() => (tfe.exportTensor as Loose)(value, given));
      attempt(() => (tfe.importTensor as Loose)(token));
      if ('code' in outcome) return outcome;
      const back = attempt(() => (tfe.importTensor as Loose)(structuredClone(outcome.value)));
      if ('value' in back) same('token', { value }, back);
      check('code' in attempt(() => (tfe.importTensor as Loose)(outcome.value)), 'good once');
      return back;
    },
  ),
  configure: door(
    options({
      intraOpThreads: number,
      softPlacement: oneOf(true),
      deviceFilters: fc.array(anything, { maxLength: 2 }),
      deviceCount: fc.dictionary(text, anything, { maxKeys: 2 }),
      gpu: options({ memoryFraction: number, visibleDevices: text, allowGrowth: oneOf(true) }),
      logLevel: oneOf('info', 'fatal'),
      asyncThreads: number,
      memoryBudget: options({ tensors: number, bytes: number }),
    }),
    (given) => {
      const inForce = (): string => JSON.stringify(tfe.status().configuration);
      const before = inForce();
      const outcome = attempt(() => (tfe.configure as Loose)(given));
      // It is too late to change anything; what asks for no change is answered.
      same('configure', { value: before }, { value: inForce() });
      return outcome;
    },
  ),
  status: door(options({ load: oneOf(true, false) }), (given) => {
    tfe.clearKernelCache();
    check(tfe.memory().tensors === tfe.status().liveTensors, 'memory as status');
    return attempt(() => (tfe.status as Loose)(given));
  }),
};

async function main(): Promise<void> {
  const names = Object.keys(DOORS);
  const weight: Readonly<Record<string, number>> = { constant: 6, op: 6, execute: 3, read: 2 };
  const call = fc.oneof(
    ...names.map((name) => ({
      weight: weight[name] ?? 1,
      arbitrary: DOORS[name]!.map((drawn) => ({ name, ...drawn })),
    })),
  );
  const before = tfe.status().liveTensors;
  let cases = 0;
  await fc.assert(
    fc.asyncProperty(call, async ({ name, run }) => {
      await scopeAsync(async () => {
        count(name, await run());
      });
      cases += 1;
      if (cases % 500 !== 0) return;
      await turn();
      const { tensors, pending } = tfe.memory();
      check(tensors === before, `${tensors - before} tensors are left`);
      check(pending === 0, `${pending} tasks are pending`);
    }),
    { numRuns: runs, seed, endOnFailure: true },
  );
  // Tasks whose promise was aborted may still run.
  while (tfe.memory().processPending > 0) await turn();
  const left = tfe.status().liveTensors - before;
  say({ done: true, left, codes });
  check(left === 0, `${left} tensors are left`);
}

main().catch((error: unknown) => {
  const { message, cause } = error as Error;
  const why = (cause as Error | undefined)?.stack ?? '';
  say({ failed: `${message.slice(0, 3000)}\n${why.slice(0, 2000)}` });
  process.exitCode = 1;
});
