import { errorTable } from './define';

/** Checking and running one op. Raised in lib/core-ops, lib/families, lib/tf.ts and native/op.cc. */
export const OP_ERRORS = errorTable({
  TFE_OP_ARGUMENT: {
    phase: 'op',
    message: (f: { op: string; argument: string; expected: string; received: string }) =>
      `Expected ${f.expected} for ${f.argument} of ${f.op} but received ${f.received}.`,
    hint: '',
  },
  TFE_OP_AXIS: {
    phase: 'op',
    message: (f: { op: string; axis: number; rank: number }) =>
      `${f.op}: axis ${f.axis} is out of range for a tensor of rank ${f.rank}.`,
    hint: (f: { rank: number }) =>
      f.rank === 0 ? 'A scalar has no axis.' : `Use an axis from ${-f.rank} to ${f.rank - 1}.`,
  },
  TFE_OP_DTYPE: {
    phase: 'op',
    message: (f: { op: string; argument: string; allowed: readonly string[]; received: string }) =>
      `${f.op} does not take dtype ${f.received} for ${f.argument}.`,
    hint: (f: { allowed: readonly string[] }) => `It takes ${f.allowed.join(', ')}.`,
  },
  TFE_OP_DTYPE_MISMATCH: {
    phase: 'op',
    message: (f: { op: string; first: string; second: string; argument: string }) =>
      `${f.op}: ${f.argument} is ${f.second}, but the argument before it is ${f.first}.`,
    hint: 'TensorFlow does not mix dtypes; make both tensors with the same one.',
  },
  TFE_OP_FAILED: {
    phase: 'op',
    message: (f: { op: string; kernel: string; reason: string }) =>
      `${f.op} failed in TensorFlow's ${f.kernel}: ${f.reason}`,
    hint: '',
  },
  TFE_OP_RANK: {
    phase: 'op',
    message: (f: { op: string; argument: string; expected: string; received: number }) =>
      `${f.op} expects ${f.expected} for ${f.argument} but received rank ${f.received}.`,
    hint: '',
  },
  TFE_OP_SHAPE: {
    phase: 'op',
    message: (f: { op: string; reason: string; shapes: readonly string[] }) =>
      `${f.op}: ${f.reason}; the shapes are ${f.shapes.join(' and ')}.`,
    hint: '',
  },
  TFE_OP_UNKNOWN: {
    phase: 'op',
    message: (f: { op: string }) => `There is no op ${f.op} in this version of tfe-node.`,
    hint: 'Lower the file again with the tfe-node that runs it.',
  },
  TFE_QUEUE_FULL: {
    phase: 'op',
    message: (f: { limit: string }) =>
      `${f.limit} tasks already wait or run off the event loop, as many as may.`,
    hint: 'Await some before you begin more, answer the caller that you are busy, or raise configure({ asyncQueue }).',
  },
});
