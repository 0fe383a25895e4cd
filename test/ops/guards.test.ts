/**
 * Calls that end the process where nothing stands before TensorFlow's kernels: each is refused with an error. And the tables
 * that say so, against TensorFlow's own definitions: a row with a misspelt name would guard nothing.
 */
import { expect, test } from '@jest/globals';
import { definitionOf, isListArg, opNames } from '../../lib/ops/definition';
import * as guards from '../../lib/ops/guards';
import { asksForResources } from '../../lib/ops/resources';
import { expectEnding, testPrograms } from '../helpers/child';

const programs = testPrograms();

test('a call that TensorFlow would not survive is an error', () => {
  const ending = programs.run('op-guards');
  const answers = (ending.said as { call: string; answer?: string }[])
    .filter(({ answer }) => answer !== undefined)
    .map(({ call, answer }) => [call, answer]);
  expect(answers).toEqual([
    ['AvgPool of a window of five axes', 'TFE_OP_FAILED'],
    ['Conv2D of matrices', 'TFE_OP_FAILED'],
    ['Conv2D of matrices as a kernel', 'TFE_OP_FAILED'],
    ['Conv2DBackpropInput with one step', 'TFE_OP_ATTRIBUTE'],
    ['Conv3DBackpropInputV2 of no shape', 'TFE_OP_ARGUMENT'],
    ['DepthwiseConv2dNative of matrices', 'TFE_OP_FAILED'],
    ['TensorScatterAdd with too long indices', 'TFE_OP_FAILED'],
    ['ScatterNdNonAliasingAdd with indices of no axis', 'TFE_OP_FAILED'],
    ['ScatterNdNonAliasingAdd', 'float32'],
    ['RaggedGather of another ragged rank', 'TFE_OP_FAILED'],
    ['CropAndResizeGradBoxes of boxes of four axes', 'TFE_OP_RANK'],
    ['LRNGrad of an image of three axes', 'TFE_OP_RANK'],
    ['QueueEnqueueManyV2 of a scalar', 'TFE_OP_RANK'],
    ['ReaderReadUpToV2 of two numbers', 'TFE_OP_RANK'],
    ['ResourceAccumulatorTakeGradient of two numbers', 'TFE_OP_RANK'],
    ['TensorListGetItem of two places', 'TFE_OP_RANK'],
    ['WriteScalarSummary of two steps', 'TFE_OP_RANK'],
    ['Batch with more threads than there may be', 'TFE_OP_ATTRIBUTE'],
    ['CustomAggregator of -1 bins', 'TFE_OP_ATTRIBUTE'],
    ['FixedUnigramCandidateSampler of 2^32 shards', 'TFE_OP_ATTRIBUTE'],
    ['ParseExampleDataset with keys of nothing', 'TFE_OP_ATTRIBUTE'],
    ['IRFFT of length 0', 'TFE_OP_ARGUMENT'],
    ['RFFT of length 0', 'TFE_OP_ARGUMENT'],
    ['RFFT2D of length 0', 'TFE_OP_ARGUMENT'],
    ['GatherV2 along axis -2^63', 'TFE_OP_ARGUMENT'],
    ['GatherV2 along axis -1', 'float32'],
    ['StatefulRandomBinomial of a shape of int64', 'TFE_OP_ATTRIBUTE'],
    ['NearestNeighbors of -1 neighbours', 'TFE_OP_ARGUMENT'],
    ['ReaderReadUpToV2 of -1 records', 'TFE_OP_ARGUMENT'],
    ['RandomGamma of 2^63 - 1 elements', 'TFE_OP_ARGUMENT'],
    ['StatelessRandomGammaV2 of 2^63 - 1 elements', 'TFE_OP_ARGUMENT'],
    ['RandomUniform of 2^63 - 1 elements', 'TFE_OP_ARGUMENT'],
    ['StatelessRandomNormal of 2^63 - 1 elements', 'TFE_OP_ARGUMENT'],
    ['TensorListScatterIntoExistingList to place -1', 'TFE_OP_ARGUMENT'],
    ['Unbatch of rows that the tensor has not', 'TFE_OP_ARGUMENT'],
    ['Unbatch of its rows', 'float32'],
    ['an accumulator of another dtype', 'TFE_OP_ATTRIBUTE'],
    ['DestroyResourceOp of an accumulator', 'TFE_OP_ARGUMENT'],
    ['DestroyResourceOp of a reader', 'TFE_OP_ARGUMENT'],
    ['DeleteSeedGenerator of a reader', 'TFE_OP_ARGUMENT'],
    ['a reader that was to be destroyed', 'resource'],
    ['LookupTableExportV2 as another dtype', 'TFE_OP_ARGUMENT'],
    ['LookupTableExportV2', 'int64'],
    ['ReaderReadV2 from a table', 'TFE_OP_ARGUMENT'],
    ['ResourceGather of batches of all axes', 'TFE_OP_ARGUMENT'],
    ['ResourceGather of batches', 'float32'],
    ['ReadVariableOp of variables of every dtype', 'true'],
    ['ReadVariableOp as another dtype, after it was scattered to', 'TFE_OP_ARGUMENT'],
    ['ResourceApplyGradientDescent of another dtype', 'TFE_OP_ARGUMENT'],
    ['ResourceApplyGradientDescent', '0,0'],
    ['ResourceGatherNd of another dtype', 'TFE_OP_ARGUMENT'],
    ['a variable that became another one', 'float32 int32'],
    ['ReadVariableOp of no variable', 'TFE_OP_FAILED'],
    ['a variable that is destroyed', '0'],
  ]);
  expectEnding(ending, 0);
});

test('each row of the tables is about an op and about what its definition has', () => {
  const { RANKS, ATTRIBUTES, TYPES_OF, LENGTHS, COUNTS, SIZES, VALUES } = guards;
  const { LAST_VALUES, BATCHES, MADE_BY_SHAPE, SHAPES } = guards;
  const named = (table: Readonly<Record<string, object>>): (readonly [string, string[]])[] =>
    Object.entries(table).map(([op, row]) => [op, Object.keys(row)]);
  const attributes = [
    ...[ATTRIBUTES, TYPES_OF, COUNTS].flatMap(named),
    ...Object.entries(LENGTHS).map(([op, groups]) => [op, groups.flat()] as const),
  ];
  for (const [op, names] of attributes) {
    expect([op, ...definitionOf(op).attrs.map(({ name }) => name)]).toEqual(
      expect.arrayContaining([...names]),
    );
  }
  const places = [
    ...named(VALUES).map(([op, keys]) => [op, keys.map(Number)] as const),
    ...Object.entries({ ...SIZES, ...LAST_VALUES }).map(([op, [place]]) => [op, [place]] as const),
    ...Object.entries(BATCHES),
    ...Object.entries(MADE_BY_SHAPE).map(([op, place]) => [op, [place]] as const),
  ];
  for (const [op, each] of places) {
    const { inputs } = definitionOf(op);
    // Behind a list the places of the call are not those of the definition.
    const list = inputs.findIndex(isListArg);
    expect(Math.max(...each)).toBeLessThan(list < 0 ? inputs.length : list);
  }
  for (const [op, ranks] of Object.entries(RANKS)) {
    expect(ranks.length).toBeLessThanOrEqual(definitionOf(op).inputs.length);
  }
  for (const op of SHAPES) expect(definitionOf(op).name).toBe(op);
});

test('these ops ask what their resource is', () => {
  const ofVariables = opNames().filter((name) =>
    /^ReadVariable|^Resource(?:Apply|Gather|ScatterNd|SparseApply|Strided)/u.test(name),
  );
  const asking = opNames().filter(asksForResources);
  expect(asking.filter((name) => ofVariables.includes(name))).toHaveLength(39);
  expect(asking.filter((name) => !ofVariables.includes(name) || name === 'ResourceGather')).toEqual(
    [
      'DeleteIterator',
      'DeleteMemoryCache',
      'DeleteMultiDeviceIterator',
      'DeleteRandomSeedGenerator',
      'DeleteRpcFutureResource',
      'DeleteSeedGenerator',
      'DestroyResourceOp',
      'LookupTableExportV2',
      'ReaderReadUpToV2',
      'ReaderReadV2',
      'ResourceGather',
    ],
  );
});
