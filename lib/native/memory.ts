/** What this thread holds, and what the process has under way. Loads nothing. */
import { addonIfLoaded } from './loader';

/** What {@link memory} answers: counts, and bytes where the name says so. Before the addon is loaded all are 0. */
export interface Memory {
  /** Tensors of this thread that are not disposed: made, imported, and results of ops. */
  readonly tensors: number;
  /** Bytes of their data, what strings hold included. Tensors over the same memory count each. */
  readonly bytes: number;
  /** The most that `tensors` has been in this thread. */
  readonly peakTensors: number;
  /** The most that `bytes` has been in this thread. */
  readonly peakBytes: number;
  /** What this thread may hold; past either of them it warns once, `TFE_HANDLE_PRESSURE`. See `Configuration.memoryBudget`. */
  readonly budget: {
    /** Live tensors. Default 100000. */
    readonly tensors: number;
    /** Bytes of their data. Default 4 GiB. */
    readonly bytes: number;
  };
  /** Tensors of all threads that were exported and neither imported nor lapsed. */
  readonly exported: number;
  /** Tasks off the event loop that this thread waits for. Those whose signal was aborted do not count. */
  readonly pending: number;
  /** Tasks of all threads that wait or run, also after an abort. */
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
 * Live tensors, bytes and peaks of this thread, and pending asynchronous work. Loads nothing, and throws nothing. All 0, also
 * what is of the process, in a thread that has not loaded the addon: its first tensor or `configure` does.
 *
 * @example
 * const before = memory().tensors;
 * using x = tf.constant([1, 2]);
 * memory().tensors - before; // 1
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
