/** What metadata inference may ask and require: tenferro-extension-ops.md 2.2. */
import { describe, expect, test } from '@jest/globals';
import { ExtensionShapeContext } from '../../lib/extension';
import { thrownBy } from '../tensor/accounting';

const FAMILY = 'test.shapes.v1';
const context = new ExtensionShapeContext(FAMILY, [
  { dtype: 'float32', shape: [2, 3] },
  { dtype: 'int64', shape: [3, 4] },
  { dtype: 'float32', shape: [2] },
]);

describe('a shape context', () => {
  test('answers dtypes, shapes and extents', () => {
    expect(context.inputDtype(1)).toBe('int64');
    expect(context.inputShape(0)).toEqual([2, 3]);
    expect(context.inputAxis(1, 0)).toBe(3);
  });

  test.each([3, -1, 0.5])('has no input %p', (input) => {
    for (const ask of [
      () => context.inputDtype(input),
      () => context.inputShape(input),
      () => context.inputAxis(input, 0),
    ]) {
      const error = thrownBy(ask);
      expect(error.code).toBe('TFE_EXTENSION_INPUT_OUT_OF_BOUNDS');
      expect(error.facts).toEqual({ familyId: FAMILY, input, count: 3 });
      expect(error.familyId).toBe(FAMILY);
    }
  });

  test.each([2, -1])('has no axis %p of a matrix', (axis) => {
    const error = thrownBy(() => context.inputAxis(0, axis));
    expect(error.code).toBe('TFE_EXTENSION_AXIS_OUT_OF_BOUNDS');
    expect(error.facts).toEqual({ familyId: FAMILY, input: 0, axis, rank: 2 });
  });

  test('is content when two extents are equal', () => {
    expect(() => {
      context.requireEqual(3, 3);
      context.requireAxesEqual([0, 1], [1, 0]);
      context.requireSameShape(0, 0);
    }).not.toThrow();
  });

  test('names both extents when they differ', () => {
    const error = thrownBy(() => {
      context.requireAxesEqual([0, 0], [1, 1]);
    });
    expect(error.code).toBe('TFE_EXTENSION_SHAPE');
    expect(error.message).toBe(
      'test.shapes.v1: axis 0 of input 0 is 2, but axis 1 of input 1 is 4; they must be equal. ' +
        'Check the shapes of the inputs, and whether one has to be transposed.',
    );
  });

  test('takes extents that are computed', () => {
    const error = thrownBy(() => {
      context.requireEqual(context.inputAxis(0, 0) * 2, 5);
    });
    expect(error.facts).toMatchObject({ leftValue: 4, rightValue: 5 });
  });

  test('checks bounds before extents', () => {
    const inputs = thrownBy(() => {
      context.requireAxesEqual([0, 0], [9, 0]);
    });
    const axes = thrownBy(() => {
      context.requireAxesEqual([0, 9], [1, 0]);
    });
    expect([inputs.code, axes.code]).toEqual([
      'TFE_EXTENSION_INPUT_OUT_OF_BOUNDS',
      'TFE_EXTENSION_AXIS_OUT_OF_BOUNDS',
    ]);
  });

  test('compares ranks before any extent', () => {
    const error = thrownBy(() => {
      context.requireSameShape(1, 2);
    });
    expect(error.code).toBe('TFE_EXTENSION_RANK_MISMATCH');
    expect(error.facts).toEqual({
      familyId: FAMILY,
      first: 1,
      firstRank: 2,
      second: 2,
      secondRank: 1,
    });
  });

  test('names the first axis that differs', () => {
    const error = thrownBy(() => {
      context.requireSameShape(0, 1);
    });
    expect(error.message).toContain('axis 0 of input 0 is 2, but axis 0 of input 1 is 3');
  });
});
