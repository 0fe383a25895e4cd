/**
 * Tensors from one thread to another, without a copy: a token crosses by postMessage, and names a share of the handle
 * that the addon keeps until it is taken.
 */
import { describeValue } from '../describe';
import { tfeError } from '../errors';
import { native } from '../native/loader';
import { isObject } from '../objects';
import type { DType } from './dtype';
import { checkOptions } from './options';
import { isTensor, liveId, refuseArgument, tensorOf, type Tensor } from './tensor';

/** What crosses: plain data. Good for one {@link importTensor} in this process, until it lapses. */
export interface TensorToken<D extends DType = DType> {
  readonly tfeTensor: string;
  readonly dtype: D;
  readonly shape: readonly number[];
}

export interface ExportOptions {
  /** After so many milliseconds the token is worth nothing and its share is freed. Default 60000. */
  readonly expiresIn?: number;
}

const DEFAULT_EXPIRY = 60_000;
/** `setTimeout` takes at most one millisecond more. */
const LONGEST_EXPIRY = 2 ** 31 - 2;

/**
 * Makes a token of `tensor` for another thread of this process. The tensor itself stays the caller's: dispose of it
 * whenever you like. The token is lost when no thread uses TensorFlow any more.
 *
 * @throws TfeError `TFE_OP_ARGUMENT`, `TFE_TENSOR_DISPOSED`, `TFE_OPTION_VALUE`, `TFE_OPTION_UNKNOWN`
 * @example
 * const token = exportTensor(tf.constant([1, 2])); // plain data, for worker.postMessage(token)
 */
export function exportTensor<D extends DType>(
  tensor: Tensor<D>,
  options: ExportOptions = {},
): TensorToken<D> {
  if (!isTensor(tensor)) refuseArgument('exportTensor()', 'a Tensor', tensor);
  checkOptions('exportTensor()', options, ['expiresIn']);
  const expiresIn: unknown = options.expiresIn ?? DEFAULT_EXPIRY;
  const milliseconds = expiresIn as number;
  if (!Number.isInteger(expiresIn) || milliseconds < 0 || milliseconds > LONGEST_EXPIRY) {
    throw tfeError('TFE_OPTION_VALUE', {
      function: 'exportTensor()',
      option: 'expiresIn',
      expected: `an integer from 0 to ${LONGEST_EXPIRY}`,
      received: describeValue(expiresIn),
    });
  }
  const binding = native();
  const key = binding.exportTensor(liveId(tensor, 'exportTensor()'), milliseconds);
  // Every use of the exchange, held() too, frees what has lapsed; this is for a process that does not use it again while
  // this thread lives.
  setTimeout(() => binding.held(), milliseconds + 1).unref();
  return { tfeTensor: key, dtype: tensor.dtype, shape: [...tensor.shape] };
}

/**
 * The tensor of a token: a new one of this thread, owned by the current scope, over the same memory.
 *
 * @throws TfeError `TFE_TOKEN_EXPIRED` when the token has been used, has lapsed, is of another process, or when every
 *   thread that used TensorFlow has ended since; `TFE_OP_ARGUMENT`
 * @example importTensor(exportTensor(tf.constant([1, 2]))).dataSync(); // Float32Array [1, 2]
 */
export function importTensor<D extends DType>(token: TensorToken<D>): Tensor<D> {
  const key: unknown = isObject(token) ? (token as Partial<TensorToken>).tfeTensor : undefined;
  // The addon takes no NUL, and no key has one.
  if (typeof key !== 'string' || key.includes('\0'))
    refuseArgument('importTensor()', 'a token of exportTensor()', token);
  const binding = native();
  return tensorOf(binding, binding.importTensor(key)) as Tensor<D>;
}
