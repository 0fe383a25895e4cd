/**
 * Calls that no rule lowers, whose result type is known all the same: unary elementwise ops keep the
 * type of their operand. Without this, one `tf.cos` would leave every site after it untyped.
 */
import { notCovered, type ClaimSite, type TypeKey, type Verdict } from '../core/api';
import { PACKAGE } from './family';
import { isTensor } from './types';

/**
 * TensorFlow's paths of ops that keep shape and dtype. It includes other spellings of covered ops:
 * rules name exact paths and take no inferred aliases.
 */
const ELEMENTWISE: ReadonlySet<string> = new Set([
  'tf.abs',
  'tf.cos',
  'tf.exp',
  'tf.math.abs',
  'tf.math.cos',
  'tf.math.exp',
  'tf.math.log',
  'tf.math.negative',
  'tf.math.sigmoid',
  'tf.math.sqrt',
  'tf.math.square',
  'tf.math.tanh',
  'tf.negative',
  'tf.sigmoid',
  'tf.sqrt',
  'tf.square',
  'tf.tanh',
]);

function returnType({ kind, module, target, receiver, operandTypes }: ClaimSite): TypeKey | null {
  const [type = null] = operandTypes;
  const known =
    kind === 'call' && module === PACKAGE && receiver === null && ELEMENTWISE.has(target);
  return known && isTensor(type) ? type : null;
}

export function uncovered(site: ClaimSite): Verdict {
  return notCovered(returnType(site));
}
