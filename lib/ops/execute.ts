/** Any registered op, by name. */
import { describeValue } from '../describe';
import { tfeError } from '../errors';
import type { Tensor } from '../tensor/tensor';
import { checkOptions } from '../tensor/options';
import { signalOption, type AsyncOptions } from '../native/off-loop';
import { bindCall, type BoundCall } from './bind';
import type { AttrValue } from './attributes';
import { runCall, runCallAsync } from './call';
import { definitionOf, type OpDefinition } from './definition';

/** Options of {@link execute}. */
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
 * @throws TfeError `TFE_OP_NOT_REGISTERED`, `TFE_OP_NOT_EAGER`, `TFE_OP_INPUT_COUNT`, `TFE_OP_ARGUMENT`, `TFE_OP_RANK`,
 *   `TFE_OP_DTYPE`, `TFE_OP_DTYPE_MISMATCH`, `TFE_OP_LIST_LENGTH`, `TFE_OP_ATTRIBUTE`, `TFE_OP_ATTRIBUTE_MISSING`,
 *   `TFE_OP_ATTRIBUTE_UNKNOWN`, `TFE_OP_FUNCTION`, `TFE_DTYPE_NOT_CARRIED`, `TFE_TENSOR_DISPOSED`, `TFE_OPTION_UNKNOWN`,
 *   `TFE_OPTION_VALUE`; `TFE_OP_FAILED` when TensorFlow refuses; `TFE_THREAD_UNAVAILABLE` in a worker, of an op that may wait
 * @example
 * const [parts] = [execute('Split', { inputs: [tf.constant(0), x], attrs: { num_split: 2 } })];
 */
export function execute(opName: string, options: ExecuteOptions = {}): Tensor[] {
  const { op, call, device } = bound('execute', opName, options, OPTIONS);
  return runCall(op, call, device);
}

/**
 * {@link execute} off the event loop: the same inputs, attributes and outputs. For ops that take longer than the way to
 * another thread and back, tens of microseconds. The inputs may be disposed while it runs. The outputs belong to the scope of
 * the call, and are freed when `signal` aborts the call.
 *
 * @throws TfeError as a rejection, like every error: those of `execute`, `TFE_QUEUE_FULL`,
 *   `TFE_THREAD_UNAVAILABLE`; the reason of `signal`
 * @example (await executeAsync('Neg', { inputs: [tf.constant([1, -2])] }))[0].arraySync(); // [-1, 2]
 */
export async function executeAsync(
  opName: string,
  options: ExecuteOptions & AsyncOptions = {},
): Promise<Tensor[]> {
  const { op, call, device } = bound('executeAsync', opName, options, [...OPTIONS, 'signal']);
  const signal = signalOption('executeAsync', options);
  return runCallAsync(op, call, device, signal, executeAsync);
}

function bound(
  method: string,
  opName: unknown,
  options: ExecuteOptions,
  allowed: readonly string[],
): { readonly op: OpDefinition; readonly call: BoundCall; readonly device: string } {
  if (typeof opName !== 'string') {
    throw wrongArgument(method, 'opName', 'the name of an op', opName);
  }
  checkOptions(method, options, allowed);
  const { inputs = [], attrs, device = '' } = options;
  if (typeof device !== 'string' || device.includes('\0')) {
    throw wrongArgument(method, 'device', 'the name of a device', device);
  }
  const op = definitionOf(opName);
  return { op, call: bindCall(op, inputs, attrs), device };
}

function wrongArgument(method: string, argument: string, expected: string, value: unknown): Error {
  return tfeError('TFE_OP_ARGUMENT', {
    op: method,
    argument,
    expected,
    received: describeValue(value),
  });
}
