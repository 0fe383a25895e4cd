/** Attributes of every kind of list, and tensors, at `execute`; the answers are Python TensorFlow's (scripts/oracle). */
import { describe, expect, test } from '@jest/globals';
import { execute, tf, type AttrValue, type Tensor } from 'tfe-node';
import { definitionOf, opNames } from '../../lib/ops/definition';
import { decode, ORACLE_ATTRIBUTES, type AnyOracleTensor } from '../helpers/oracle';
import { codeOf, expectNoTensorsLeft, thrownBy } from '../tensor/accounting';

expectNoTensorsLeft();

function tensorOf(oracle: AnyOracleTensor): Tensor {
  const { dtype, shape } = oracle;
  if (dtype !== 'string') return tf.constant(decode(oracle), { dtype, shape });
  const bytes = oracle.data.map((text) => Buffer.from(text, 'base64'));
  // No strings at all have no bytes, either.
  return tf.constant(bytes.length === 0 ? '' : bytes, { dtype, shape });
}

/** Dtype, shape and bytes, as the oracle writes them. */
function oracleOf(tensor: Tensor): unknown {
  const { dtype, shape } = tensor;
  const data = tensor.dataSync({ float16: 'bits', string: 'bytes' }) as
    Float32Array | readonly Uint8Array[];
  const base64 = (view: Uint8Array | Float32Array): string =>
    Buffer.from(view.buffer, view.byteOffset, view.byteLength).toString('base64');
  return {
    dtype,
    shape: [...shape],
    data: ArrayBuffer.isView(data) ? base64(data) : data.map(base64),
  };
}

/** The same attributes with each text as bytes, where texts are what the kind says. */
function inBytes(op: string, attrs: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(attrs).map(([name, value]) => {
      const { kind } = definitionOf(op).attrs.find((attr) => attr.name === name)!;
      const isText = kind === 'list(string)';
      return [name, isText ? (value as string[]).map((text) => Buffer.from(text)) : value];
    }),
  );
}

describe.each(ORACLE_ATTRIBUTES)('$op: $name', ({ op, kinds, inputs, attrs, outputs }) => {
  test.each(['as it is written', 'with bytes for texts'])('is Python’s answer, %s', (how) => {
    const made = inputs.map(([, one]) => [one].flat().map(tensorOf));
    const { value, ...rest } = attrs as { value?: { tensor: AnyOracleTensor } };
    const held = value === undefined ? [] : [tensorOf(value.tensor)];
    const given = {
      ...(how === 'as it is written' ? rest : inBytes(op, rest)),
      ...(held.length === 0 ? {} : { value: held[0] }),
    };
    const answers = execute(op, {
      inputs: made.map((list, i) => (Array.isArray(inputs[i]![1]) ? list : list[0]!)),
      attrs: given,
    });
    expect(answers.map(oracleOf)).toEqual(outputs);
    for (const one of [...made.flat(), ...held, ...answers]) one.dispose();
  });

  test('has attributes of these kinds', () => {
    const given = definitionOf(op).attrs.filter(({ name }) => name in attrs);
    expect(given.map(({ kind }) => kind)).toEqual(expect.arrayContaining([...kinds]));
  });
});

test('all kinds of lists that an op has are among the cases', () => {
  const kinds = new Set(
    opNames().flatMap((name) => definitionOf(name).attrs.map(({ kind }) => String(kind))),
  );
  const lists = [...kinds].filter((kind) => kind.startsWith('list(') && kind !== 'list(func)');
  const covered = new Set(ORACLE_ATTRIBUTES.flatMap((one) => one.kinds));
  // No op of TensorFlow 2.21.0 that can be called has a list(bool).
  expect(lists.sort()).toEqual([
    'list(float)',
    'list(int)',
    'list(shape)',
    'list(string)',
    'list(type)',
  ]);
  expect([...covered].sort()).toEqual([...lists, 'tensor'].sort());
});

test('list(shape): shapes of queue elements', () => {
  const attrs = { component_types: ['float32', 'int64'], shapes: [[2], []] };
  const [queue] = execute('FIFOQueueV2', { attrs });
  using pairs = tf.constant([[1, 2], [3, 4]]); // prettier-ignore
  using ids = tf.constant([5n, 6n]);
  using two = tf.constant(2, { dtype: 'int32' });
  execute('QueueEnqueueManyV2', { inputs: [queue!, [pairs, ids]] });
  const { component_types } = attrs;
  const parts = execute('QueueDequeueManyV2', {
    inputs: [queue!, two],
    attrs: { component_types },
  });
  expect(parts.map((part) => part.arraySync())).toEqual([[[1, 2], [3, 4]], [5n, 6n]]); // prettier-ignore
  // Another shape is refused by the queue: the attribute has reached it.
  using wide = tf.constant([[1, 2, 3], [4, 5, 6]]); // prettier-ignore
  const enqueue = (): unknown => execute('QueueEnqueueManyV2', { inputs: [queue!, [wide, ids]] });
  expect(enqueue).toThrow('Shape mismatch');
  for (const one of [...parts, queue!]) one.dispose();
});

describe('elements of a list', () => {
  const WRONG: readonly (readonly [
    kind: string,
    op: string,
    attr: string,
    list: unknown[],
    at: number,
  ])[] = [
    ['list(int)', 'MaxPool', 'ksize', [1, 1, '1', 1], 2],
    ['list(float)', 'Bucketize', 'boundaries', [1, 1e39], 1],
    ['list(string)', 'RaggedTensorToTensor', 'row_partition_types', ['ROW_SPLITS', 1], 1],
    ['list(shape)', 'FIFOQueueV2', 'shapes', [[1], [-2]], 1],
    ['list(type)', 'FIFOQueueV2', 'component_types', ['float32', 'float33'], 1],
  ];

  test.each(WRONG)('%s: one that is none is named by its place', (kind, op, name, list, at) => {
    expect(definitionOf(op).attrs.find((attr) => attr.name === name)!.kind).toBe(kind);
    const inputs = definitionOf(op).inputs.map(() => []);
    const error = thrownBy(() => execute(op, { inputs, attrs: { [name]: list as AttrValue } }));
    expect(error.code).toBe('TFE_OP_ATTRIBUTE');
    expect(error.message).toContain(`${name}[${at}]`);
  });
});

describe('func', () => {
  test.each(['no_such_function', '__wrapped__', 'a b', '𝄞'])(
    'a name that the context does not have is refused: %s',
    (name) => {
      using x = tf.constant([1]);
      using yes = tf.constant(true);
      using at = tf.constant(0, { dtype: 'int32' });
      const types = { Tin: ['float32'], Tout: ['float32'] };
      const CALLS: readonly (readonly [string, string, () => unknown])[] = [
        [
          'PartitionedCall',
          'f',
          () => execute('PartitionedCall', { inputs: [[x]], attrs: { ...types, f: name } }),
        ],
        [
          'StatefulPartitionedCall',
          'f',
          () => execute('StatefulPartitionedCall', { inputs: [[x]], attrs: { ...types, f: name } }),
        ],
        [
          'If',
          'then_branch',
          () =>
            execute('If', {
              inputs: [yes, [x]],
              attrs: { ...types, then_branch: name, else_branch: name },
            }),
        ],
        [
          'Case',
          'branches',
          () => execute('Case', { inputs: [at, [x]], attrs: { ...types, branches: [name, name] } }),
        ],
      ];
      for (const [op, attribute, call] of CALLS) {
        const error = thrownBy(call);
        expect(error).toMatchObject({ code: 'TFE_OP_FUNCTION', facts: { attribute, name } });
        expect([op, error.message]).toEqual([op, expect.stringContaining(name)]);
      }
    },
  );

  test.each([1, true, null, '', 'a\0b', ['f'], {}])(
    'what is no name is no attribute: %j',
    (value) => {
      using x = tf.constant([1]);
      const attrs = { Tin: ['float32'], Tout: ['float32'], f: value as string };
      expect(codeOf(() => execute('PartitionedCall', { inputs: [[x]], attrs }))).toBe(
        'TFE_OP_ATTRIBUTE',
      );
    },
  );
});

describe('a string as an attribute', () => {
  const separator = (value: unknown) => (): string => {
    using x = tf.constant(['a']);
    const [joined] = execute('StringJoin', { inputs: [[x, x]], attrs: { separator: value as string } }); // prettier-ignore
    const [text] = joined!.dataSync() as string[];
    joined!.dispose();
    return text!;
  };
  const detached = Uint8Array.of(65);
  structuredClone(detached.buffer, { transfer: [detached.buffer] });
  const named = { value: 'Uint8Array' };

  test.each<readonly [string, unknown]>([
    ['a DataView', new DataView(new ArrayBuffer(2))],
    [
      'a DataView that calls itself a Uint8Array',
      Object.defineProperty(new DataView(new ArrayBuffer(2)), Symbol.toStringTag, named),
    ],
    ['an ArrayBuffer', new ArrayBuffer(2)],
    ['bytes whose memory is detached', detached],
    ['half of a surrogate pair, as in tf.constant', 'a\ud800'],
  ])('is not %s', (_, value) => {
    expect(codeOf(separator(value))).toBe('TFE_OP_ATTRIBUTE');
  });

  test.each(['length', 'byteLength', 'buffer', Symbol.iterator, Symbol.toStringTag])(
    'is the bytes of an array, and its own %p is not asked',
    (name) => {
      const get = (): never => {
        throw new Error('asked');
      };
      const bytes = Object.defineProperty(Uint8Array.of(45), name, { get });
      expect(separator(bytes)()).toBe('a-a');
    },
  );
});
