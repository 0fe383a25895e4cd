/** Random op names, inputs and attributes: an answer or a TfeError, and no tensor left behind. */
import fc from 'fast-check';
import {
  execute,
  isTfeError,
  scope,
  status,
  tf,
  type ExecuteOptions,
  type Tensor,
} from '../../../lib';
import { definitionOf, opNames } from '../../../lib/ops/definition';
import { say, task } from './program';

export interface FuzzTask {
  readonly runs: number;
  readonly seed: number;
  readonly folder: string;
}

const { runs, seed, folder } = task<FuzzTask>();
process.chdir(folder);

const kept: readonly Tensor[] = [
  tf.constant(1),
  tf.constant([1, 2]),
  tf.constant([[1, 2], [3, 4]]), // prettier-ignore
  tf.constant(1, { dtype: 'int32' }),
  tf.constant([0, 1], { dtype: 'int32' }),
  tf.constant([1n], { dtype: 'int64' }),
  tf.constant([true, false]),
  tf.constant([[[[1]]]], { dtype: 'float64' }),
];
const gone = tf.constant([1]);
gone.dispose();

const callable = opNames();

const tensor = fc.constantFrom(...kept, gone);
const small = fc.oneof(fc.integer({ min: -3, max: 40 }), fc.bigInt({ min: -3n, max: 40n }));
const scalar: fc.Arbitrary<unknown> = fc.oneof(
  small,
  fc.boolean(),
  fc.float(),
  fc.string({ unit: 'binary', maxLength: 8 }),
  fc.constantFrom('float32', 'int32', 'int64', 'bool', 'string', 'qint8', 'SAME', 'VALID', 'NHWC'),
  fc.uint8Array({ maxLength: 8 }),
  tensor,
  fc.constantFrom(null, undefined, NaN, 2 ** 53, 2n ** 64n, Symbol.iterator, {}, Object),
);
const value = fc.oneof(
  { weight: 3, arbitrary: scalar },
  { weight: 2, arbitrary: fc.array(scalar, { maxLength: 5 }) },
  { weight: 1, arbitrary: fc.array(fc.array(small, { maxLength: 4 }), { maxLength: 3 }) },
);
const input = fc.oneof(
  { weight: 6, arbitrary: tensor },
  { weight: 2, arbitrary: fc.array(tensor, { maxLength: 4 }) },
  { weight: 1, arbitrary: value },
);

/** A call of one op: names of its own attributes, and as many inputs as it takes, mostly. */
const call = fc.constantFrom(...callable).chain((name) => {
  const op = definitionOf(name);
  const attrs = op.attrs.map((attr) => attr.name);
  return fc.record({
    name: fc.oneof(
      { weight: 20, arbitrary: fc.constant(name) },
      { weight: 1, arbitrary: fc.string().map((text) => name + text) },
      { weight: 1, arbitrary: fc.string({ unit: 'binary' }) },
    ),
    inputs: fc.oneof(
      { weight: 8, arbitrary: fc.tuple(...op.inputs.map(() => input)) },
      { weight: 1, arbitrary: fc.array(input, { maxLength: 12 }) },
      { weight: 1, arbitrary: value },
    ),
    attrs: fc.oneof(
      {
        weight: 8,
        arbitrary: fc.dictionary(
          attrs.length === 0 ? fc.string() : fc.constantFrom(...attrs),
          value,
          {
            maxKeys: attrs.length,
          },
        ),
      },
      { weight: 1, arbitrary: fc.dictionary(fc.string(), value, { maxKeys: 3 }) },
      { weight: 1, arbitrary: value },
    ),
    device: fc.option(fc.oneof(fc.constantFrom('/device:CPU:0', 'CPU:0', ''), fc.string()), {
      nil: undefined,
    }),
  });
});

const codes: Record<string, number> = {};
const count = (code: string): void => {
  codes[code] = (codes[code] ?? 0) + 1;
};
const before = status().liveTensors;

fc.assert(
  fc.property(call, ({ name, inputs, attrs, device }) => {
    say({ name }); // the last line of a crash
    scope(() => {
      try {
        execute(name, {
          inputs,
          attrs,
          ...(device === undefined ? {} : { device }),
        } as ExecuteOptions);
        count('ran');
      } catch (error) {
        if (!isTfeError(error)) throw error;
        count(error.code);
      }
    });
  }),
  { numRuns: runs, seed, endOnFailure: true },
);
const left = status().liveTensors - before;
say({ done: true, left, codes });
process.exitCode = left === 0 ? 0 : 1;
