/**
 * Family ids: `<package>.<op>.v<major>`. The id is all that connects a payload, its modules and its derivative
 * rules, so one grammar is checked at every door, and the error says which part failed.
 */
import { describeValue } from '../describe';
import { tfeError } from '../errors';

export type FamilyId = `${string}.${string}.v${number}`;

const PACKAGE = /^[a-z0-9](?:[a-z0-9_-]*[a-z0-9])?$/;
const OP = /^[a-z][a-z0-9_]*$/;
const VERSION = /^v[1-9][0-9]*$/;

/** @throws TfeError `TFE_FAMILY_ID` */
export function checkFamilyId(value: unknown): asserts value is FamilyId {
  const problem = problemOf(value);
  if (problem !== null) {
    throw tfeError('TFE_FAMILY_ID', {
      familyId: typeof value === 'string' ? JSON.stringify(value) : describeValue(value),
      problem,
    });
  }
}

function problemOf(value: unknown): string | null {
  if (typeof value !== 'string') return 'it is not a string';
  const parts = value.split('.');
  if (parts.length !== 3) return `it has ${parts.length} parts instead of 3`;
  const [packageName, op, version] = parts as [string, string, string];
  if (!PACKAGE.test(packageName)) {
    return `the package ${JSON.stringify(packageName)} is not lower-case letters, digits, - and _`;
  }
  if (!OP.test(op)) return `the op ${JSON.stringify(op)} is not snake_case`;
  if (!VERSION.test(version)) {
    return `the version ${JSON.stringify(version)} is not v and a number from 1 on`;
  }
  return null;
}
