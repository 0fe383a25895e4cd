/** What a call throws, or a promise comes to. */
import { isTfeError, type TfeError } from '../../lib/errors';

/** The TfeError that `run` throws. */
export function thrownBy(run: () => unknown): TfeError {
  try {
    run();
  } catch (error) {
    if (isTfeError(error)) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
}

/** The code of the TfeError that `run` throws. */
export function codeOf(run: () => unknown): string {
  return thrownBy(run).code;
}

/** What `promise` comes to: its value, the code of the TfeError, or another reason. */
export async function outcomeOf(promise: Promise<unknown>): Promise<unknown> {
  try {
    return await promise;
  } catch (error) {
    return isTfeError(error) ? error.code : error;
  }
}
