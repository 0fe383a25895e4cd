/** From the names in lowered code to the executors of the tf.* functions. */
import { describe, expect, test } from '@jest/globals';
import { scope, tf } from '../../lib';
import { coreOp } from '../../lib/core-ops/table';
import { resolveOp } from '../../lib/runtime/resolve';
import { codeOf, expectNoTensorsLeft, thrownBy } from '../tensor/accounting';

expectNoTensorsLeft();

describe('resolving an op', () => {
  test('finds the very executor of a core op', () => {
    expect(resolveOp({ kind: 'core', name: 'tanh' })).toBe(coreOp('tanh'));
  });

  test('finds a family by its id and runs it with the payload', () => {
    const softmax = resolveOp({ kind: 'family', familyId: 'tfe-node.softmax.v1', payload: { axis: 1 } }); // prettier-ignore
    scope(() => {
      const x = tf.constant([[1, 2, 3]]);
      expect(softmax(x).dataSync()).toEqual(tf.nn.softmax(x, 1).dataSync());
    });
  });

  test.each([
    { kind: 'core', name: 'selu' },
    { kind: 'core', name: 'constructor' },
    { kind: 'family', familyId: 'tfe-node.matmul.v2', payload: {} },
  ] as const)('refuses what this version does not have: %j', (ref) => {
    const error = thrownBy(() => resolveOp(ref));
    expect(error.code).toBe('TFE_OP_UNKNOWN');
    expect(error.message).toContain('Lower the file again');
  });

  test('refuses a payload that the family refuses', () => {
    const ref = { kind: 'family', familyId: 'tfe-node.softmax.v1', payload: { axis: -1 } } as const;
    expect(codeOf(() => resolveOp(ref))).toBe('TFE_EXTENSION_PAYLOAD_VALUE');
  });
});
