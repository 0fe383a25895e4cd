/**
 * Wrong arguments to every function of the addon: a typed error each, and nothing is lost or left behind. The TypeScript
 * above the binding never passes these; a caller that got hold of the addon may.
 */
import { afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { requireBinding, type NativeBinding } from '../../lib/native/binding';
import { locateRuntime } from '../../lib/native/locate';
import { ADDON } from '../helpers/child';

const FLOAT = 1;
const INT32 = 3;
const { ccPath, frameworkPath, version } = locateRuntime();

type Anything = (...values: unknown[]) => unknown;
type Loose = Record<keyof NativeBinding, Anything>;

let binding: NativeBinding;
let loose: Loose;
let x: number;
let before: { liveHandles: number; liveBytes: number };

function counts(): { liveHandles: number; liveBytes: number } {
  const { liveHandles, liveBytes } = binding.held();
  return { liveHandles, liveBytes };
}

function create(dtype: number, dims: readonly number[], data: ArrayBufferView): number {
  binding.scratch.set(dims);
  return binding.create(dtype, dims.length, data);
}

beforeAll(() => {
  binding = requireBinding(ADDON);
  loose = binding as unknown as Loose;
  binding.open(ccPath, frameworkPath, version, ['avx']);
  x = create(FLOAT, [2, 2], new Float32Array([1, 2, 3, 4]));
  before = counts();
});

// Nothing may be lost by a refusal, and the tensor that was there still is.
afterEach(() => {
  expect(counts()).toEqual(before);
  const data = new Float32Array(4);
  binding.read(x, data);
  expect([...data]).toEqual([1, 2, 3, 4]);
});

/** The error's code, and what the message says the function expected. */
function refusal(call: () => unknown): unknown {
  try {
    return { answered: call() };
  } catch (error) {
    const { code, facts } = error as { code?: unknown; facts?: Record<string, unknown> };
    if (code === undefined) throw error;
    return code === 'TFE_BINDING_ARGUMENT' ? `${code}: ${String(facts?.['function'])}` : code;
  }
}

const WRONG: readonly unknown[] = [
  undefined,
  null,
  true,
  'text',
  Symbol('symbol'),
  1n,
  {},
  [],
  () => 1,
  { valueOf: () => 1 },
  new Proxy([], {}),
  new Date(0),
];

/** Without those that are lists, and without `undefined`, for which a default stands in the helpers below. */
const WRONG_LISTS = WRONG.filter((value) => value !== undefined && !Array.isArray(value));

const FUNCTIONS = [
  'open',
  'create',
  'createStrings',
  'stringLengths',
  'readStrings',
  'lend',
  'read',
  'device',
  'exists',
  'release',
  'releaseAll',
  'prepare',
  'run',
  'runMany',
  'forget',
  'setSettle',
  'runApart',
  'runAsync',
  'readAsync',
  'share',
  'cancel',
  'configure',
  'setWarn',
  'exportTensor',
  'importTensor',
] as const;

/** Those that begin with a string. */
const TAKES_TEXT: readonly string[] = ['open', 'prepare', 'configure', 'importTensor'];
/** Those that begin with a function. */
const TAKES_FUNCTION: readonly string[] = ['setSettle', 'setWarn'];

describe('every function', () => {
  test('is in one of the lists here', () => {
    expect(Object.keys(binding).sort()).toEqual(
      [
        ...FUNCTIONS,
        ...['clearKernels', 'configuration', 'glibc', 'held', 'library', 'opList', 'scratch'],
        ...['setErrorFactory'],
      ].sort(),
    );
  });

  test.each(FUNCTIONS)('%s refuses no arguments', (name) => {
    expect(refusal(() => loose[name]())).toBe(`TFE_BINDING_ARGUMENT: ${name}`);
  });

  test.each(FUNCTIONS)('%s refuses a wrong first argument', (name) => {
    const wrong = WRONG.filter(
      (value) =>
        !(typeof value === 'string' && TAKES_TEXT.includes(name)) &&
        !(typeof value === 'function' && TAKES_FUNCTION.includes(name)),
    );
    for (const value of wrong) {
      expect(refusal(() => loose[name](value))).toBe(`TFE_BINDING_ARGUMENT: ${name}`);
    }
  });

  test('takes more arguments than it needs, but run', () => {
    const relu = binding.prepare('relu', 'Relu', 1, [['T', 'type', FLOAT]], []);
    expect(loose.exists(x, x, x)).toBe(true);
    expect(loose.held(1, 2, 3)).toMatchObject(before);
    expect(refusal(() => loose.run(relu, x, x))).toBe('TFE_BINDING_ARGUMENT: run');
    expect(refusal(() => loose.run(relu))).toBe('TFE_BINDING_ARGUMENT: run');
  });

  test('does not look at its receiver', () => {
    for (const receiver of [undefined, null, {}, 1, binding.scratch]) {
      expect(loose.exists.call(receiver, x)).toBe(true);
    }
  });

  test('works when the exports have been overwritten', () => {
    const saved = { ...loose };
    for (const name of Object.keys(loose) as (keyof Loose)[]) loose[name] = () => 'overwritten';
    try {
      expect(saved.exists(x)).toBe(true);
      expect(saved.device(x)).toMatch(/CPU:0$/);
      expect(refusal(() => saved.run(-1))).toBe('TFE_BINDING_ARGUMENT: run');
    } finally {
      Object.assign(loose, saved);
    }
  });
});

describe('open', () => {
  const good = [ccPath, frameworkPath, version, ['avx']] as const;

  test.each([0, 1, 2, 3])('refuses a wrong argument %i', (index) => {
    for (const value of index === 3 ? WRONG_LISTS : WRONG.filter((text) => text !== 'text')) {
      const args: unknown[] = [...good];
      args[index] = value;
      expect(refusal(() => loose.open(...args))).toBe('TFE_BINDING_ARGUMENT: open');
    }
  });

  test('refuses flags that are no strings', () => {
    const args = [...good.slice(0, 3), ['avx', 1]];
    expect(refusal(() => loose.open(...args))).toBe('TFE_BINDING_ARGUMENT: open');
  });
});

describe('work off the loop', () => {
  test.each(['runAsync', 'runApart'] as const)('%s refuses what run refuses', (name) => {
    const run = (...args: unknown[]): unknown => refusal(() => loose[name](...args));
    const wrong = `TFE_BINDING_ARGUMENT: ${name}`;
    const relu = binding.prepare('relu', 'Relu', 1, [['T', 'type', FLOAT]], []);
    expect(run(relu)).toBe(wrong);
    for (const ids of [[], [x, x]]) expect(run(relu, Float64Array.from(ids))).toBe(wrong);
    expect(run(-1, Float64Array.of(x))).toBe(wrong);
    for (const value of WRONG) expect(run(relu, value)).toBe(wrong);
    expect(run(relu, Float64Array.of(2 ** 52))).toBe('TFE_TENSOR_FOREIGN');
  });

  test('runApart needs a function to call meanwhile, answers as runMany, and throws what it throws', () => {
    const relu = binding.prepare('relu', 'Relu', 1, [['T', 'type', FLOAT]], [], 1);
    expect(refusal(() => loose.runApart(relu, Float64Array.of(x)))).toBe(
      'TFE_BINDING_ARGUMENT: runApart',
    );
    const [id, ...facts] = binding.runApart(relu, Float64Array.of(x), () => undefined);
    const [other, ...expected] = binding.runMany(relu, Float64Array.of(x));
    expect(facts).toEqual(expected);
    for (const made of [id!, other!]) binding.release(made);
    const tick = (): never => {
      throw new RangeError('from tick');
    };
    expect(() => binding.runApart(relu, Float64Array.of(x), tick)).toThrow('from tick');
  });

  test('needs somebody to tell', () => {
    const fresh = { exports: {} as Loose };
    process.dlopen(fresh, ADDON);
    (fresh.exports as unknown as NativeBinding).scratch[0] = 1;
    const id = fresh.exports.create(FLOAT, 1, new Float32Array(1));
    expect(refusal(() => fresh.exports.readAsync(id, new Float32Array(1)))).toBe(
      'TFE_BINDING_ARGUMENT: undefined',
    );
    fresh.exports.release(id);
  });

  test('a ticket that is not, or no more, is cancelled without a word', () => {
    for (const ticket of [0, -1, 0.5, NaN, 1e308]) loose.cancel(ticket);
  });

  test('settles each ticket once, with the outputs, nothing or an error', async () => {
    const into = new Float32Array(4);
    const settled = new Map<number, unknown[]>();
    const tickets: number[] = [];
    let left = 0;
    await new Promise<void>((resolve) => {
      binding.setSettle((ticket, error, value) => {
        settled.set(ticket, [...(settled.get(ticket) ?? []), error ?? value]);
        left -= 1;
        if (left === 0) resolve();
      });
      const add = binding.prepare('add', 'AddV2', 2, [['T', 'type', FLOAT]], []);
      const three = create(FLOAT, [3], new Float32Array(3));
      tickets.push(
        binding.runAsync(add, Float64Array.of(x, x)),
        binding.runAsync(add, Float64Array.of(x, three)),
        binding.readAsync(x, into),
      );
      binding.cancel(binding.readAsync(x, new Float32Array(4)));
      binding.release(three);
      left = 3;
    });
    const [sum, error, read] = tickets.map((ticket) => settled.get(ticket)![0]);
    expect([...settled.values()].every((values) => values.length === 1)).toBe(true);
    expect(error).toMatchObject({ code: 'TFE_OP_FAILED' });
    expect(read).toBeUndefined();
    expect([...into]).toEqual([1, 2, 3, 4]);
    const [id, ...facts] = sum as Float64Array;
    expect(facts).toEqual([FLOAT, 2, 2, 2]);
    expect(binding.release(id!)).toBe(true);
  });
});

describe('configure', () => {
  const good = ['{}', new Uint8Array(0), [], 1, 1, 0, 0] as const;

  test.each([0, 1, 2, 3, 4, 5, 6])('refuses a wrong argument %i', (index) => {
    const right = (value: unknown) =>
      (index === 0 && typeof value === 'string') || (index === 2 && Array.isArray(value));
    for (const value of WRONG.filter((value) => !right(value))) {
      const args: unknown[] = [...good];
      args[index] = value;
      expect(refusal(() => loose.configure(...args))).toBe('TFE_BINDING_ARGUMENT: configure');
    }
  });

  test('refuses variables that are no pairs of strings, and numbers out of bounds', () => {
    for (const variables of [[1], [['a']], [[1, 'b']], [['a\0', 'b']]]) {
      const args = [good[0], good[1], variables, ...good.slice(3)];
      expect(refusal(() => loose.configure(...args))).toBe('TFE_BINDING_ARGUMENT: configure');
    }
    for (const number of [0, -1, 0.5, 257, NaN]) {
      const args = [...good.slice(0, 3), number, ...good.slice(4)];
      expect(refusal(() => loose.configure(...args))).toBe('TFE_BINDING_ARGUMENT: configure');
    }
  });
});

describe('setErrorFactory', () => {
  test('refuses what is no function', () => {
    for (const value of WRONG.filter((value) => typeof value !== 'function')) {
      expect(() => loose.setErrorFactory(value)).toThrow(TypeError);
    }
    expect(refusal(() => loose.exists())).toBe('TFE_BINDING_ARGUMENT: exists');
  });

  test('whatever the factory does, the call throws', () => {
    const boom = new Error('the factory itself');
    const factories: readonly (readonly [Anything, unknown])[] = [
      [() => undefined, undefined],
      [() => null, null],
      [() => 5, 5],
      [() => 'text', 'text'],
      [
        () => {
          throw boom;
        },
        boom,
      ],
    ];
    try {
      for (const [factory, thrown] of factories) {
        loose.setErrorFactory(factory);
        let caught: unknown = 'nothing was thrown';
        try {
          loose.exists();
        } catch (error) {
          caught = error;
        }
        expect(caught).toBe(thrown);
      }
      // One that fails natively again, for ever.
      loose.setErrorFactory(() => loose.exists());
      expect(() => loose.exists()).toThrow(/call stack/);
    } finally {
      binding = requireBinding(ADDON);
    }
  });
});

test('without a factory an error still has its code', () => {
  const fresh = { exports: {} as Loose };
  process.dlopen(fresh, ADDON);
  expect(refusal(() => fresh.exports.exists())).toBe('TFE_BINDING_ARGUMENT: undefined');
  expect(refusal(() => fresh.exports.create())).toBe('TFE_BINDING_ARGUMENT: undefined');
});

describe('create', () => {
  const data = new Float32Array(4);

  test.each([NaN, Infinity, -1, 1.5, 0, 7, 11, 20, 21, 999, 2 ** 31, 2 ** 53, 1e308])(
    'refuses dtype %d',
    (dtype) => {
      expect(refusal(() => create(dtype, [4], data))).toBe('TFE_BINDING_ARGUMENT: create');
    },
  );

  test.each([NaN, Infinity, -1, -0.5, 0.5, 255, 2 ** 31, 2 ** 53])('refuses rank %d', (rank) => {
    binding.scratch.fill(1);
    expect(refusal(() => binding.create(FLOAT, rank, data))).toBe('TFE_BINDING_ARGUMENT: create');
  });

  test.each([NaN, Infinity, -Infinity, -1, 0.5, 2 ** 53 + 2, 1e308])('refuses dim %d', (dim) => {
    expect(refusal(() => create(FLOAT, [dim], data))).toBe('TFE_BINDING_ARGUMENT: create');
    expect(refusal(() => create(FLOAT, [0, dim], new Float32Array(0)))).toBe(
      'TFE_BINDING_ARGUMENT: create',
    );
  });

  // TensorFlow ends the process on some of these; where the zero stands must not matter.
  test.each([
    [[2 ** 40, 2 ** 40]],
    [[2 ** 32, 2 ** 32]],
    [[2 ** 62, 2]],
    [[2 ** 53 - 1, 2 ** 53 - 1, 0]],
    [[0, 2 ** 52, 2 ** 52]],
    [[2 ** 52, 0, 2 ** 52]],
    [new Array<number>(254).fill(2)],
  ])('refuses dims whose product overflows: %j', (dims) => {
    const size = dims.includes(0) ? 0 : 4;
    const code = refusal(() => create(FLOAT, dims, new Float32Array(size)));
    expect(['TFE_TENSOR_BYTE_SIZE', 'TFE_BINDING_ARGUMENT: create']).toContain(code);
  });

  test('an overflow is not said to be 0 bytes', () => {
    expect(() => create(FLOAT, [2 ** 40, 2 ** 40], data)).toThrow(
      'Expected more than 2^63 bytes but received 16.',
    );
  });

  test('takes the largest rank there is', () => {
    const dims = new Array<number>(254).fill(1);
    const id = create(FLOAT, dims, new Float32Array(1));
    expect([...binding.scratch.subarray(0, 256)]).toEqual([FLOAT, 254, ...dims]);
    binding.release(id);
  });

  test.each([
    ['too few bytes', () => new Float32Array(3)],
    ['too many bytes', () => new Float32Array(5)],
    ['no bytes', () => new Float32Array(0)],
    ['a detached buffer', detached],
    ['a view that its resized buffer has left behind', outOfBounds],
  ])('refuses %s', (_name, make) => {
    expect(refusal(() => create(FLOAT, [4], make()))).toBe('TFE_TENSOR_BYTE_SIZE');
  });

  test.each(WRONG.filter((value) => value !== undefined))('refuses %p as data', (value) => {
    binding.scratch[0] = 4;
    expect(refusal(() => loose.create(FLOAT, 1, value))).toBe('TFE_BINDING_ARGUMENT: create');
    expect(refusal(() => loose.create(FLOAT, 1, new ArrayBuffer(16)))).toBe(
      'TFE_BINDING_ARGUMENT: create',
    );
  });

  test('copies from whatever view has the bytes: shared, resizable, unaligned', () => {
    const values = [1, -2, 3, 4];
    const bytes = new Uint8Array(new Float32Array(values).buffer);
    const shared = new Uint8Array(new SharedArrayBuffer(16));
    const unaligned = new Uint8Array(33).subarray(3, 19);
    const resizable = new Uint8Array(resizableBuffer(16, 64));
    const views: ArrayBufferView[] = [
      shared,
      unaligned,
      resizable,
      new DataView(new ArrayBuffer(16)),
    ];
    for (const view of views) {
      new Uint8Array(view.buffer, view.byteOffset, view.byteLength).set(bytes);
      const id = create(FLOAT, [4], view);
      const back = new Float32Array(4);
      binding.read(id, back);
      expect([...back]).toEqual(values);
      binding.release(id);
    }
  });
});

/** `ArrayBuffer` of a length that may change; in Node 20, and not yet in TypeScript's ES2023. */
function resizableBuffer(length: number, max: number): ArrayBuffer & { resize(to: number): void } {
  const Resizable = ArrayBuffer as unknown as new (
    length: number,
    options: { maxByteLength: number },
  ) => ArrayBuffer & { resize(to: number): void };
  return new Resizable(length, { maxByteLength: max });
}

function detached(): Float32Array {
  const view = new Float32Array(4);
  structuredClone(view.buffer, { transfer: [view.buffer] });
  expect(view.length).toBe(0);
  return view;
}

function outOfBounds(): Float32Array {
  const buffer = resizableBuffer(32, 64);
  const view = new Float32Array(buffer, 8, 4);
  buffer.resize(12);
  return view;
}

describe('read', () => {
  test.each([
    ['a smaller view', () => new Float32Array(3)],
    ['a larger view', () => new Float32Array(5)],
    ['an empty view', () => new Float32Array(0)],
    ['a detached buffer', detached],
    ['a view that its resized buffer has left behind', outOfBounds],
  ])('refuses %s', (_name, make) => {
    expect(refusal(() => binding.read(x, make()))).toBe('TFE_TENSOR_BYTE_SIZE');
  });

  test.each(WRONG)('refuses %p as the view', (value) => {
    expect(refusal(() => loose.read(x, value))).toBe('TFE_BINDING_ARGUMENT: read');
  });

  test('writes into shared, resizable and unaligned views', () => {
    const views = [
      new Uint8Array(new SharedArrayBuffer(16)),
      new Uint8Array(resizableBuffer(16, 64)),
      new Uint8Array(33).subarray(3, 19),
    ];
    for (const view of views) {
      binding.read(x, view);
      expect([...new Float32Array(Uint8Array.from(view).buffer)]).toEqual([1, 2, 3, 4]);
    }
  });

  test('does not give out the pointers of a string tensor', () => {
    const asString = binding.prepare('text', 'AsString', 1, [['T', 'type', FLOAT]], []);
    const text = binding.run(asString, x);
    expect([...binding.scratch.subarray(0, 4)]).toEqual([7, 2, 2, 2]);
    expect(refusal(() => binding.read(text, new Uint8Array(4 * 24)))).toBe('TFE_DTYPE_NOT_CARRIED');
    binding.release(text);
  });
});

describe('createStrings', () => {
  const make = (dims: readonly number[], bytes: ArrayBufferView, lengths: unknown): unknown => {
    binding.scratch.set(dims);
    return refusal(() => loose.createStrings(dims.length, bytes, lengths));
  };
  const four = new Uint8Array(4);

  test.each([
    ['fewer lengths than elements', [3], [2, 2]],
    ['more lengths than elements', [1], [2, 2]],
    ['no lengths', [1], []],
    ['a length beyond the bytes', [2], [2, 3]],
    ['a negative length', [2], [5, -1]],
    ['NaN for a length', [2], [NaN, 4]],
    ['an infinite length', [2], [Infinity, 4]],
    ['dims whose product overflows', [2 ** 40, 2 ** 40], [4]],
  ])('refuses %s, and frees what it had made', (_name, dims, lengths) => {
    expect(make(dims, four, new Float64Array(lengths))).toBe('TFE_TENSOR_BYTE_SIZE');
  });

  test('refuses every array of lengths but a Float64Array', () => {
    for (const lengths of [new Float32Array([4]), new BigInt64Array([4n]), [4], ...WRONG]) {
      expect(make([1], four, lengths)).toBe('TFE_BINDING_ARGUMENT: createStrings');
    }
  });

  test.each(WRONG.filter((value) => value !== undefined))('refuses %p as bytes', (value) => {
    expect(make([1], value as never, new Float64Array([0]))).toBe(
      'TFE_BINDING_ARGUMENT: createStrings',
    );
  });
});

describe('strings', () => {
  test('are read into exactly their room', () => {
    binding.scratch.set([2]);
    const id = binding.createStrings(1, Buffer.from('abc'), new Float64Array([1, 2]));
    expect([...binding.scratch.subarray(0, 3)]).toEqual([7, 1, 2]);
    for (const room of [1, 3]) {
      expect(refusal(() => binding.stringLengths(id, new Float64Array(room)))).toBe(
        'TFE_TENSOR_BYTE_SIZE',
      );
    }
    for (const room of [2, 4]) {
      expect(refusal(() => binding.readStrings(id, new Uint8Array(room)))).toBe(
        'TFE_TENSOR_BYTE_SIZE',
      );
    }
    for (const wrong of [new Float32Array(2), [0, 0], ...WRONG]) {
      expect(refusal(() => loose.stringLengths(id, wrong))).toBe(
        'TFE_BINDING_ARGUMENT: stringLengths',
      );
    }
    binding.release(id);
  });

  test('are not read out of another dtype', () => {
    expect(refusal(() => binding.stringLengths(x, new Float64Array(4)))).toBe(
      'TFE_DTYPE_NOT_CARRIED',
    );
    expect(refusal(() => binding.readStrings(x, new Uint8Array(96)))).toBe('TFE_DTYPE_NOT_CARRIED');
  });
});

describe('lend', () => {
  test('does not lend the pointers of a string tensor', () => {
    binding.scratch.set([1]);
    const id = binding.createStrings(1, Buffer.from('a'), new Float64Array([1]));
    expect(refusal(() => binding.lend(id))).toBe('TFE_DTYPE_NOT_CARRIED');
    binding.release(id);
  });

  test('has nothing to lend of an empty tensor', () => {
    const id = create(FLOAT, [0], new Float32Array(0));
    expect(binding.lend(id)).toBeUndefined();
    binding.release(id);
  });
});

describe('releaseAll', () => {
  test.each([NaN, Infinity, -1, 0.5, 3, 2 ** 32, 2 ** 53, 1e308])(
    'refuses the count %d',
    (count) => {
      expect(refusal(() => binding.releaseAll(new Float64Array([x, x]), count))).toBe(
        'TFE_BINDING_ARGUMENT: releaseAll',
      );
    },
  );

  test('refuses every array but a Float64Array', () => {
    const unaligned = new DataView(new ArrayBuffer(33), 1, 16);
    for (const array of [
      new Float32Array(4),
      new BigInt64Array(2),
      new Uint8Array(16),
      unaligned,
    ]) {
      expect(refusal(() => loose.releaseAll(array, 1))).toBe('TFE_BINDING_ARGUMENT: releaseAll');
    }
  });

  test('refuses a count beyond a detached array', () => {
    const ids = new Float64Array([x, x]);
    structuredClone(ids.buffer, { transfer: [ids.buffer] });
    expect(refusal(() => binding.releaseAll(ids, 1))).toBe('TFE_BINDING_ARGUMENT: releaseAll');
    binding.releaseAll(ids, 0);
  });
});

describe('prepare', () => {
  const T: readonly unknown[] = ['T', 'type', FLOAT];
  const prepare = (
    name: string,
    inputs: unknown,
    attrs: unknown,
    constants: unknown = [],
  ): unknown => refusal(() => loose.prepare('label', name, inputs, attrs, constants));

  test.each(['NoSuchOp', '', 'relu', ' Relu', 'R'.repeat(10_000), 'Relu\n', '💥'])(
    'refuses the unknown op %p',
    (name) => {
      expect(prepare(name, 1, [T])).toBe('TFE_OP_FAILED');
    },
  );

  test('names the op and the reason, with TensorFlow’s status', () => {
    expect(() => binding.prepare('tf.nothing', 'NoSuchOp', 1, [], [])).toThrow(
      expect.objectContaining({
        facts: {
          op: 'tf.nothing',
          kernel: 'NoSuchOp',
          reason: expect.stringContaining('NoSuchOp'),
        },
        tfStatus: { code: 5, name: 'NOT_FOUND', message: expect.any(String) },
      }),
    );
  });

  test('does not take what stands before a NUL for the name', () => {
    expect(prepare('Relu\0x', 1, [T])).toBe('TFE_BINDING_ARGUMENT: prepare');
    expect(prepare('Relu', 1, [['T\0x', 'type', FLOAT]])).toBe('TFE_BINDING_ARGUMENT: prepare');
  });

  test('refuses an attribute that the op does not have', () => {
    expect(prepare('Relu', 1, [T, ['alpha', 'float', 0.5]])).toBe('TFE_OP_FAILED');
    expect(prepare('Relu', 1, [['', 'type', FLOAT]])).toBe('TFE_OP_FAILED');
  });

  // Kinds as TensorFlow's registry declares them: MatMul.transpose_a is a bool, MaxPool.ksize a list of int, ...
  test.each([
    ['MatMul', 2, ['transpose_a', 'int', 1]],
    ['MatMul', 2, ['transpose_a', 'type', FLOAT]],
    ['Relu', 1, ['T', 'int', FLOAT]],
    ['Relu', 1, ['T', 'string', 'float']],
    ['LeakyRelu', 1, ['alpha', 'int', 1]],
    ['BiasAdd', 2, ['data_format', 'bool', true]],
    ['MaxPool', 1, ['ksize', 'int', 1]],
    ['Placeholder', 0, ['shape', 'int', 1]],
    ['PartitionedCall', 1, ['f', 'string', 'f']],
  ])('refuses an attribute of another kind: %s %i %j', (name, inputs, attr) => {
    expect(prepare(name, inputs, [attr])).toBe('TFE_BINDING_ARGUMENT: prepare');
  });

  test.each([
    ['type', NaN],
    ['type', 1.5],
    ['type', -1],
    ['type', 2 ** 31],
    ['type', '1'],
    ['int', NaN],
    ['int', Infinity],
    ['int', 0.5],
    ['int', 2 ** 53],
    ['int', 1n],
    ['int', true],
    ['bool', 1],
    ['bool', undefined],
    ['float', '1'],
    ['string', 1],
    ['shape', [1]],
    ['', 1],
    [undefined, 1],
  ])('refuses the value of kind %p: %p', (kind, value) => {
    expect(prepare('Relu', 1, [['T', kind, value]])).toBe('TFE_BINDING_ARGUMENT: prepare');
  });

  test('refuses attributes and constants that are no lists of lists', () => {
    for (const value of WRONG_LISTS) {
      expect(prepare('Relu', 1, value)).toBe('TFE_BINDING_ARGUMENT: prepare');
      expect(prepare('Relu', 1, [], value)).toBe('TFE_BINDING_ARGUMENT: prepare');
    }
    for (const value of WRONG) {
      expect(prepare('Relu', 1, [value])).toBe('TFE_BINDING_ARGUMENT: prepare');
      expect(prepare('Relu', 1, [], [value])).toBe('TFE_BINDING_ARGUMENT: prepare');
    }
    expect(prepare('Relu', 1, new Array(2 ** 32 - 1))).toBe('TFE_BINDING_ARGUMENT: prepare');
  });

  test.each([NaN, Infinity, -1, 0.5, 9, 2 ** 31, 1e308, '1', null])(
    'refuses %p inputs',
    (inputs) => {
      expect(prepare('Relu', inputs, [T])).toBe('TFE_BINDING_ARGUMENT: prepare');
    },
  );

  // TensorFlow reads past its own tables for an input too many.
  test.each([
    ['Relu', 0, 1],
    ['Relu', 2, 1],
    ['Relu', 8, 1],
    ['AddV2', 1, 2],
    ['AddV2', 3, 2],
    ['Placeholder', 1, 0],
    ['Cast', 2, 1],
  ])('refuses %s with %i inputs, and says that it takes %i', (name, inputs, takes) => {
    expect(prepare(name, inputs, [])).toBe('TFE_BINDING_ARGUMENT: prepare');
    expect(() => binding.prepare('label', name, inputs, [], [])).toThrow(
      `as many inputs as ${name} takes, ${takes}.`,
    );
  });

  test('counts constants among the inputs', () => {
    expect(prepare('Relu', 1, [T], [[1, x]])).toBe('TFE_BINDING_ARGUMENT: prepare');
    expect(prepare('Relu', 0, [T], [[0, x]])).toEqual({ answered: expect.any(Number) });
  });

  test.each([
    ['NoOp', 0],
    ['TopKV2', 2],
    ['_Retval', 1],
  ])('refuses %s, which has not one output', (name, inputs) => {
    expect(prepare(name, inputs, [])).toBe('TFE_BINDING_ARGUMENT: prepare');
  });

  test.each([
    [
      'a repeated position',
      (id: number) => [
        [1, id],
        [1, id],
      ],
    ],
    [
      'a descending position',
      (id: number) => [
        [1, id],
        [0, id],
      ],
    ],
    ['a position beyond the inputs', (id: number) => [[2, id]]],
    ['position NaN', (id: number) => [[NaN, id]]],
    ['position 0.5', (id: number) => [[0.5, id]]],
    ['position -1', (id: number) => [[-1, id]]],
    ['position 2^31', (id: number) => [[2 ** 31, id]]],
    ['position 1e308', (id: number) => [[1e308, id]]],
    ['an id that is text', (id: number) => [[1, String(id)]]],
    ['no id', () => [[1]]],
  ])('refuses %s among the constants', (_name, constants) => {
    expect(prepare('AddV2', 1, [T], constants(x))).toBe('TFE_BINDING_ARGUMENT: prepare');
  });

  test('refuses an op on references', () => {
    expect(prepare('Assign', 2, [T])).toBe('TFE_BINDING_ARGUMENT: prepare');
    expect(prepare('Variable', 0, [])).toBe('TFE_BINDING_ARGUMENT: prepare');
  });

  // The attribute is of that kind, so only the value is wrong.
  test.each<[string, number, string, string, unknown]>([
    ['Pack', 2, 'axis', 'int', 2n ** 63n],
    ['Placeholder', 0, 'shape', 'shape', undefined],
    ['Placeholder', 0, 'shape', 'shape', [-2]],
    ['Placeholder', 0, 'shape', 'shape', [0.5]],
    ['Const', 0, 'value', 'tensor', 'x'],
    ['MaxPool', 1, 'ksize', 'list(int)', 1],
    ['MaxPool', 1, 'ksize', 'list(int)', ['1']],
    ['PartitionedCall', 1, 'f', 'func', 'f\0g'],
    ['BiasAdd', 2, 'data_format', 'string', [1]],
  ])('refuses for %s(%i).%s the %s %p', (name, inputs, attr, kind, value) => {
    expect(prepare(name, inputs, [[attr, kind, value]])).toBe('TFE_BINDING_ARGUMENT: prepare');
  });

  test('refuses lists and shapes that are too long', () => {
    for (const length of [70_000, 2 ** 32 - 1]) {
      const list = new Array<number>(length);
      const attrs = [
        ['ksize', 'list(int)', list],
        ['ksize', 'shape', list],
      ];
      for (const attr of attrs) {
        expect(prepare('MaxPool', 1, [attr])).toBe('TFE_BINDING_ARGUMENT: prepare');
      }
    }
  });

  test('refuses a tensor attribute that is no live tensor, and a function that is not there', () => {
    const id = create(FLOAT, [1], new Float32Array(1));
    binding.release(id);
    expect(prepare('Const', 0, [['value', 'tensor', id]])).toMatch(/^TFE_TENSOR|^TFE_HANDLE/);
    expect(prepare('PartitionedCall', 1, [['f', 'func', 'f']])).toBe('TFE_OP_FUNCTION');
    expect(prepare('Case', 2, [['branches', 'list(func)', ['f', 'g']]])).toBe('TFE_OP_FUNCTION');
  });

  test.each([NaN, -1, 0.5, 2 ** 17, '1', null])('refuses %p outputs', (outputs) => {
    expect(refusal(() => loose.prepare('x', 'TopKV2', 2, [], [], outputs))).toBe(
      'TFE_BINDING_ARGUMENT: prepare',
    );
  });

  test('refuses a number of outputs that the op does not have', () => {
    expect(refusal(() => loose.prepare('x', 'TopKV2', 2, [], [], 1))).toBe(
      'TFE_BINDING_ARGUMENT: prepare',
    );
  });

  test('a getter that throws is the caller’s error, and one that calls the addon harms nothing', () => {
    const relu = binding.prepare('relu', 'Relu', 1, [['T', 'type', FLOAT]], []);
    const boom = new Error('from the getter');
    const throws = Object.defineProperty([], 0, {
      get() {
        throw boom;
      },
    });
    expect(() => loose.prepare('a', 'Relu', 1, throws, [])).toThrow(boom);
    const calls = Object.defineProperty([], 0, {
      get() {
        binding.release(binding.run(relu, x));
        refusal(() => binding.prepare('b', 'NoSuchOp', 1, [], []));
        return T;
      },
    });
    expect(prepare('Relu', 1, calls)).toEqual({ answered: expect.any(Number) });
  });
});

describe('run', () => {
  test.each([NaN, Infinity, -1, 0.5, 1e6, 2 ** 31, 2 ** 53])('refuses the index %d', (index) => {
    expect(refusal(() => binding.run(index, x))).toBe('TFE_BINDING_ARGUMENT: run');
  });

  test.each(WRONG)('refuses %p as an input', (value) => {
    const relu = binding.prepare('relu', 'Relu', 1, [['T', 'type', FLOAT]], []);
    expect(refusal(() => loose.run(relu, value))).toBe('TFE_BINDING_ARGUMENT: run');
  });

  test('what TensorFlow refuses is an error with its status, and the next run is clean', () => {
    const add = binding.prepare('tf.add', 'AddV2', 2, [['T', 'type', FLOAT]], []);
    const three = create(FLOAT, [3], new Float32Array(3));
    const integers = create(INT32, [2, 2], new Int32Array(4));
    for (const other of [three, integers]) {
      expect(() => binding.run(add, x, other)).toThrow(
        expect.objectContaining({
          code: 'TFE_OP_FAILED',
          tfStatus: expect.objectContaining({ name: 'INVALID_ARGUMENT' }),
        }),
      );
      const sum = binding.run(add, x, x);
      const data = new Float32Array(4);
      binding.read(sum, data);
      expect([...data]).toEqual([2, 4, 6, 8]);
      binding.release(sum);
    }
    binding.release(three);
    binding.release(integers);
  });

  test('a list of inputs takes what its attribute says, and no other number', () => {
    const concat = (n: number, inputs: number): unknown =>
      refusal(() => {
        const axis = create(INT32, [], new Int32Array([0]));
        try {
          const index = binding.prepare(
            'concat',
            'ConcatV2',
            inputs,
            [
              ['N', 'int', n],
              ['T', 'type', FLOAT],
              ['Tidx', 'type', INT32],
            ],
            [],
          );
          binding.release(
            loose.run(index, ...new Array<number>(inputs - 1).fill(x), axis) as number,
          );
          return [...binding.scratch.subarray(0, 4)];
        } finally {
          binding.release(axis);
        }
      });
    expect(concat(2, 3)).toEqual({ answered: [FLOAT, 2, 4, 2] });
    expect(concat(5, 3)).toBe('TFE_OP_FAILED');
    expect(concat(2, 8)).toBe('TFE_OP_FAILED');
    expect(concat(-1, 3)).toBe('TFE_OP_FAILED');
    expect(concat(2 ** 40, 3)).toBe('TFE_OP_FAILED');
  });
});

describe('the scratch array', () => {
  test('cannot be taken away from the addon', () => {
    const buffer = binding.scratch.buffer as ArrayBuffer;
    try {
      structuredClone(buffer, { transfer: [buffer] });
    } catch {
      // Newer Nodes refuse; older ones make a copy.
    }
    (globalThis as { gc?: () => void }).gc?.();
    const id = create(FLOAT, [1, 3], new Float32Array(3));
    expect([...binding.scratch.subarray(0, 4)]).toEqual([FLOAT, 2, 1, 3]);
    binding.release(id);
  });

  test('may hold anything when it is not asked for', () => {
    binding.scratch.fill(NaN);
    const id = binding.create(FLOAT, 0, new Float32Array([7]));
    expect([...binding.scratch.subarray(0, 2)]).toEqual([FLOAT, 0]);
    binding.release(id);
  });
});

describe('runMany', () => {
  const topK = (): number => binding.prepare('top', 'TopKV2', 2, [], [], 2);

  test('answers id, dtype, rank and dims of each output', () => {
    const unpack = binding.prepare('unpack', 'Unpack', 1, [['num', 'int', 2]], [], 2);
    const facts = binding.runMany(unpack, Float64Array.of(x));
    expect([...facts]).toEqual([expect.any(Number), FLOAT, 1, 2, expect.any(Number), FLOAT, 1, 2]);
    expect(binding.release(facts[0]!) && binding.release(facts[4]!)).toBe(true);
  });

  test.each<[string, unknown]>([
    ['too few', () => Float64Array.of(x)],
    ['too many', () => Float64Array.of(x, x, x)],
    ['a list', () => [x, x]],
    ['floats', () => Float32Array.of(x, x)],
    ['nothing', () => undefined],
  ])('refuses %s for the ids', (_, ids) => {
    const index = topK();
    const given = (ids as () => unknown)();
    expect(refusal(() => loose.runMany(index, given))).toBe('TFE_BINDING_ARGUMENT: runMany');
  });

  test('is an error of TensorFlow where the room for outputs is too small', () => {
    const unpack = binding.prepare('unpack', 'Unpack', 1, [['num', 'int', 2]], [], 1);
    expect(refusal(() => binding.runMany(unpack, Float64Array.of(x)))).toBe('TFE_OP_FAILED');
  });
});

describe('forget', () => {
  test('drops an op once, and its index never finds another', () => {
    const one = binding.prepare('relu', 'Relu', 1, [], []);
    expect([binding.forget(one), binding.forget(one)]).toEqual([true, false]);
    expect(refusal(() => binding.run(one, x))).toBe('TFE_BINDING_ARGUMENT: run');
    const other = binding.prepare('tanh', 'Tanh', 1, [], []);
    expect(other).not.toBe(one);
    expect(refusal(() => binding.run(one, x))).toBe('TFE_BINDING_ARGUMENT: run');
    binding.release(binding.run(other, x));
  });

  test('knows no index that was never given out', () => {
    for (const index of [2 ** 24 - 1, 2 ** 40, Number.MAX_SAFE_INTEGER]) {
      expect(binding.forget(index)).toBe(false);
    }
  });
});
