/**
 * Where TensorFlow 2.21.0 ends the process instead of answering an error: kernels that check the rank of an input, or the
 * size of an attribute, with an assertion. Each row was found by test/ops/walk.test.ts; what it asks is what the op's own
 * shape function or documentation asks.
 */
import { tfeError } from '../errors';
import { wrongAttribute } from './attributes';
import type { OpDefinition } from './definition';

/** Rank of each input; null: any; -1: any but 0. */
const RANKS: Readonly<Record<string, readonly (number | null)[]>> = {
  AvgPool3DGrad: [1, 5],
  AvgPoolGrad: [1, 4],
  CombinedNonMaxSuppression: [4, 3, 0, 0, 0, 0],
  Conv2DBackpropFilter: [4, 1, 4],
  Conv2DBackpropInput: [1, 4, 4],
  Conv3D: [5, 5],
  Conv3DBackpropFilterV2: [5, 1, 5],
  Conv3DBackpropInputV2: [1, 5, 5],
  DepthwiseConv2dNativeBackpropFilter: [4, 1, 4],
  DepthwiseConv2dNativeBackpropInput: [1, 4, 4],
  FakeQuantWithMinMaxVarsPerChannel: [-1, 1, 1],
  FakeQuantWithMinMaxVarsPerChannelGradient: [-1, -1, 1, 1],
  LSTMBlockCell: [2, 2, 2, 2, 1, 1, 1, 1],
  LSTMBlockCellGrad: [2, 2, 2, 2, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2],
  Unbatch: [null, 2, 0],
};

const ANY_BUT_0 = -1;

/** Attributes that a kernel keeps in 32 bits. */
const INT32: Readonly<Record<string, readonly string[]>> = {
  LearnedUnigramCandidateSampler: ['range_max'],
  ThreadUnsafeUnigramCandidateSampler: ['range_max'],
};
const MAX_INT32 = 2 ** 31 - 1;

/** What is asked of an input. */
export interface Ranked {
  readonly rank: number;
}

export function isGuarded(op: string): boolean {
  return Object.hasOwn(RANKS, op) || Object.hasOwn(INT32, op);
}

/** @throws TfeError `TFE_OP_RANK`, `TFE_OP_ATTRIBUTE` */
export function checkGuards(
  { name: op, inputs: args }: OpDefinition,
  inputs: readonly Ranked[],
  attribute: (name: string) => unknown,
): void {
  if (Object.hasOwn(RANKS, op)) {
    RANKS[op]!.forEach((rank, i) => {
      const received = inputs[i]!.rank;
      if (rank === null || received === rank || (rank === ANY_BUT_0 && received > 0)) return;
      const expected = rank === ANY_BUT_0 ? 'rank 1 or more' : `rank ${rank}`;
      throw tfeError('TFE_OP_RANK', { op, argument: args[i]!.name, expected, received }, { op });
    });
  }
  if (!Object.hasOwn(INT32, op)) return;
  for (const name of INT32[op]!) {
    const value = attribute(name);
    if (Number(value) > MAX_INT32) throw wrongAttribute(op, name, `at most ${MAX_INT32}`, value);
  }
}
