/** Every test of these folders gives back the tensors it made. */
import { afterEach, beforeEach, expect } from '@jest/globals';
import { status } from '../../lib';

export { codeOf, thrownBy } from '../helpers/thrown';

/**
 * Call once at the top of a test file: fails a test after which more tensors, or more bytes, are held than before. Fewer is
 * fine: test files of one process share the addon, and what an earlier file left may be collected at any moment.
 */
export function expectNoTensorsLeft(): void {
  let before: ReturnType<typeof held>;
  beforeEach(() => {
    before = held();
  });
  afterEach(() => {
    const after = held();
    expect(after.tensors).toBeLessThanOrEqual(before.tensors);
    expect(after.bytes).toBeLessThanOrEqual(before.bytes);
  });
}

/** What TensorFlow holds for this thread now. Opened first: a test file that ran before may have left something. */
export function held(): { readonly tensors: number; readonly bytes: number } {
  const { liveTensors, liveBytes } = status({ load: true });
  return { tensors: liveTensors, bytes: liveBytes };
}
