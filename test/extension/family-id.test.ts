/** The grammar of family ids, `<package>.<op>.v<major>`: tenferro-extension-ops.md 1.2, checked at every door. */
import { describe, expect, test } from '@jest/globals';
import { checkFamilyId } from '../../lib/extension/family-id';
import { thrownBy } from '../tensor/accounting';

describe('a family id', () => {
  test.each([
    'tfe-node.matmul.v1',
    'rie-demo.softplus_op.v1',
    'a.b.v1',
    'my_package.op2.v10',
    '0x.scale_by2.v99',
  ])('may be %s', (id) => {
    expect(() => {
      checkFamilyId(id);
    }).not.toThrow();
  });

  // The first four are those of which tenferro says that it takes or refuses them, late and without a reason.
  test.each([
    ['softplus', 'it has 1 parts instead of 3'],
    ['a.b.c.v1', 'it has 4 parts instead of 3'],
    ['A.B.v1', 'the package "A" is not lower-case letters, digits, - and _'],
    ['a.b.v0', 'the version "v0" is not v and a number from 1 on'],
    ['a.b.v01', 'the version "v01" is not v and a number from 1 on'],
    ['a.b.1', 'the version "1" is not v and a number from 1 on'],
    ['a.b.v1 ', 'the version "v1 " is not v and a number from 1 on'],
    ['.b.v1', 'the package "" is not lower-case letters, digits, - and _'],
    ['-a.b.v1', 'the package "-a" is not lower-case letters, digits, - and _'],
    ['@scope/a.b.v1', 'the package "@scope/a" is not lower-case letters, digits, - and _'],
    ['a..v1', 'the op "" is not snake_case'],
    ['a.softPlus.v1', 'the op "softPlus" is not snake_case'],
    ['a.soft-plus.v1', 'the op "soft-plus" is not snake_case'],
    ['a.ops\n.v1', 'the op "ops\\n" is not snake_case'],
    ['', 'it has 1 parts instead of 3'],
  ])('may not be %j: the error says which part failed', (id, problem) => {
    const error = thrownBy(() => {
      checkFamilyId(id);
    });
    expect(error.code).toBe('TFE_FAMILY_ID');
    expect(error.message).toBe(
      `${JSON.stringify(id)} is not a family id: ${problem}. Write <package>.<op>.v<major>, such as tfe-node.matmul.v1.`,
    );
  });

  test.each([undefined, null, 1, {}, ['a', 'b', 'v1']])('may not be %p', (id) => {
    const error = thrownBy(() => {
      checkFamilyId(id);
    });
    expect(error.message).toContain('it is not a string');
  });
});
