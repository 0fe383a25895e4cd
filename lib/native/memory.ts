/** What this thread holds, and what the process has under way. Loads nothing. */
import { addonIfLoaded } from './loader';

export interface Memory {
  /** Tensors of this thread that TensorFlow holds now, their bytes, and the most of each at any one time. */
  readonly tensors: number;
  readonly bytes: number;
  readonly peakTensors: number;
  readonly peakBytes: number;
  /** Past this the thread warns once, `TFE_HANDLE_PRESSURE`. */
  readonly budget: { readonly tensors: number; readonly bytes: number };
  /** Tensors of all threads that were exported and not imported yet. */
  readonly exported: number;
  /** Tasks off the event loop that this thread waits for. */
  readonly pending: number;
  /** Tasks of all threads that wait or run. */
  readonly processPending: number;
}

const NOTHING: Memory = {
  tensors: 0,
  bytes: 0,
  peakTensors: 0,
  peakBytes: 0,
  budget: { tensors: 0, bytes: 0 },
  exported: 0,
  pending: 0,
  processPending: 0,
};

/**
 * Live tensors, bytes and peaks of this thread, and pending asynchronous work. All 0, also what is of
 * the process, in a thread that has not loaded the addon: its first tensor or `configure` does.
 *
 * @example
 * memory().tensors; // 0
 */
export function memory(): Memory {
  const held = addonIfLoaded()?.held();
  if (held === undefined) return NOTHING;
  return {
    tensors: held.liveHandles,
    bytes: held.liveBytes,
    peakTensors: held.peakHandles,
    peakBytes: held.peakBytes,
    budget: { tensors: held.budgetHandles, bytes: held.budgetBytes },
    exported: held.exported,
    pending: held.pending,
    processPending: held.processPending,
  };
}
