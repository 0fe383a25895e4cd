/**
 * What metadata inference sees of an op's inputs, and the relations it may require of them. The eager lane knows
 * every extent, so a relation that does not hold is an error at once.
 */
import { tfeError } from '../errors';
import type { DType } from '../tensor/dtype';

/** Extent of one axis. A number where it is known, as always in the eager lane. */
export type SymDim = number;

/** Dtype and shape of one input or output. */
export interface TensorMeta {
  readonly dtype: DType;
  readonly shape: readonly SymDim[];
}

/**
 * The inputs of one op as its family's `inferOutputMeta` sees them. Inputs and axes count from 0; nothing counts from
 * the end.
 *
 * @example
 * // For the family of a matrix product without batch axes:
 * inferOutputMeta(_payload, context) {
 *   context.requireAxesEqual([0, 1], [1, 0]);
 *   return [{ dtype: context.inputDtype(0), shape: [context.inputAxis(0, 0), context.inputAxis(1, 1)] }];
 * }
 */
export class ExtensionShapeContext {
  readonly #familyId: string;
  readonly #inputs: readonly TensorMeta[];

  constructor(familyId: string, inputs: readonly TensorMeta[]) {
    this.#familyId = familyId;
    this.#inputs = inputs;
  }

  /** @throws TfeError `TFE_EXTENSION_INPUT_OUT_OF_BOUNDS` */
  inputDtype(input: number): DType {
    return this.#input(input).dtype;
  }

  /** @throws TfeError `TFE_EXTENSION_INPUT_OUT_OF_BOUNDS` */
  inputShape(input: number): readonly SymDim[] {
    return this.#input(input).shape;
  }

  /** @throws TfeError `TFE_EXTENSION_INPUT_OUT_OF_BOUNDS`, `TFE_EXTENSION_AXIS_OUT_OF_BOUNDS` */
  inputAxis(input: number, axis: number): SymDim {
    const shape = this.inputShape(input);
    const dim = shape[axis];
    if (dim === undefined) {
      throw tfeError(
        'TFE_EXTENSION_AXIS_OUT_OF_BOUNDS',
        { familyId: this.#familyId, input, axis, rank: shape.length },
        { familyId: this.#familyId },
      );
    }
    return dim;
  }

  /** Requires two extents to be equal. @throws TfeError `TFE_EXTENSION_SHAPE` */
  requireEqual(left: SymDim, right: SymDim): void {
    if (left !== right) this.#unequal('one extent', left, 'the other', right);
  }

  /** Requires axis `[input, axis]` of two inputs to be equal. @throws TfeError also for bounds */
  requireAxesEqual(
    [leftInput, leftAxis]: readonly [input: number, axis: number],
    [rightInput, rightAxis]: readonly [input: number, axis: number],
  ): void {
    const left = this.inputAxis(leftInput, leftAxis);
    const right = this.inputAxis(rightInput, rightAxis);
    if (left === right) return;
    this.#unequal(
      `axis ${leftAxis} of input ${leftInput}`,
      left,
      `axis ${rightAxis} of input ${rightInput}`,
      right,
    );
  }

  /** Requires the same rank and extents. @throws TfeError `TFE_EXTENSION_RANK_MISMATCH` before any extent is compared */
  requireSameShape(first: number, second: number): void {
    const firstRank = this.inputShape(first).length;
    const secondRank = this.inputShape(second).length;
    if (firstRank !== secondRank) {
      throw tfeError(
        'TFE_EXTENSION_RANK_MISMATCH',
        { familyId: this.#familyId, first, firstRank, second, secondRank },
        { familyId: this.#familyId },
      );
    }
    for (let axis = 0; axis < firstRank; axis++) {
      this.requireAxesEqual([first, axis], [second, axis]);
    }
  }

  #input(input: number): TensorMeta {
    const meta = this.#inputs[input];
    if (meta === undefined) {
      throw tfeError(
        'TFE_EXTENSION_INPUT_OUT_OF_BOUNDS',
        { familyId: this.#familyId, input, count: this.#inputs.length },
        { familyId: this.#familyId },
      );
    }
    return meta;
  }

  #unequal(left: string, leftValue: number, right: string, rightValue: number): never {
    const familyId = this.#familyId;
    throw tfeError(
      'TFE_EXTENSION_SHAPE',
      { familyId, left, leftValue, right, rightValue },
      { familyId },
    );
  }
}
