/** Any registered op, by name. */
import { describeValue } from '../describe';
import { tfeError } from '../errors';
import type { Tensor } from '../tensor/tensor';
import { checkOptions } from '../tensor/options';
import { bindCall } from './bind';
import type { AttrValue } from './attributes';
import { runCall } from './call';
import { definitionOf } from './definition';

export interface ExecuteOptions {
  /** One for each input of the op, in its order; a list as an array. */
  readonly inputs?: readonly (Tensor | readonly Tensor[])[];
  /** By name. What the inputs say and what has a default may be left out. */
  readonly attrs?: Readonly<Record<string, AttrValue | undefined>>;
  /** As TensorFlow names it: `'/device:CPU:0'`. */
  readonly device?: string;
}

const OPTIONS = ['inputs', 'attrs', 'device'];

/**
 * Runs an op of TensorFlow by its registered name and answers its outputs, lists spread out. The call is checked against the
 * op's definition before TensorFlow sees it. docs/ops.md has the kinds of attributes.
 *
 * @throws TfeError `TFE_OP_NOT_REGISTERED`, `TFE_OP_NOT_EAGER`, `TFE_OP_INPUT_COUNT`, `TFE_OP_ARGUMENT`, `TFE_OP_DTYPE`,
 *   `TFE_OP_DTYPE_MISMATCH`, `TFE_OP_LIST_LENGTH`, `TFE_OP_ATTRIBUTE`, `TFE_OP_ATTRIBUTE_MISSING`,
 *   `TFE_OP_ATTRIBUTE_UNKNOWN`, `TFE_OP_FUNCTION`, `TFE_DTYPE_NOT_CARRIED`, `TFE_TENSOR_DISPOSED`; `TFE_OP_FAILED` when
 *   TensorFlow refuses
 * @example
 * const [parts] = [execute('Split', { inputs: [tf.constant(0), x], attrs: { num_split: 2 } })];
 */
export function execute(opName: string, options: ExecuteOptions = {}): Tensor[] {
  if (typeof opName !== 'string') throw wrongArgument('opName', 'the name of an op', opName);
  checkOptions('execute', options, OPTIONS);
  const { inputs = [], attrs, device = '' } = options;
  if (typeof device !== 'string' || device.includes('\0')) {
    throw wrongArgument('device', 'the name of a device', device);
  }
  const op = definitionOf(opName);
  return runCall(op, bindCall(op, inputs, attrs), device);
}

function wrongArgument(argument: string, expected: string, value: unknown): Error {
  return tfeError('TFE_OP_ARGUMENT', {
    op: 'execute',
    argument,
    expected,
    received: describeValue(value),
  });
}
