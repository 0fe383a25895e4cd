/** Checking and running one op. Raised in lib/core-ops, lib/families, lib/ops, lib/tf.ts and native/op.cc. */
import { FOREIGN_TENSOR } from '../describe';
import { errorTable } from './define';
import { ONE_COPY } from './tensor';

export const OP_ERRORS = errorTable({
  TFE_OP_ARGUMENT: {
    phase: 'op',
    message: (f: { op: string; argument: string; expected: string; received: string }) =>
      `Expected ${f.expected} for ${f.argument} of ${f.op} but received ${f.received}.`,
    hint: (f: { expected: string; received: string }) => {
      if (f.received === FOREIGN_TENSOR) return ONE_COPY;
      if (f.expected === 'a Tensor') return 'Make tensors with tf.constant().';
      if (f.expected.startsWith('a Tensor of'))
        return 'Make tensors with tf.constant() and its option dtype.';
      return f.received === 'a Tensor'
        ? 'Where an op takes a list of tensors, that is one argument, an array.'
        : 'Correct the argument.';
    },
  },
  TFE_OP_ATTRIBUTE: {
    phase: 'op',
    message: (f: { op: string; attribute: string; expected: string; received: string }) =>
      `Expected ${f.expected} for attribute ${f.attribute} of ${f.op} but received ${f.received}.`,
    hint: 'See docs/ops.md for how each kind of attribute is written.',
  },
  TFE_OP_ATTRIBUTE_MISSING: {
    phase: 'op',
    message: (f: { op: string; attribute: string; kind: string }) =>
      `${f.op} needs its attribute ${f.attribute} (${f.kind}), which has no default.`,
    hint: (f: { op: string; attribute: string }) =>
      `Give it to raw.${f.op} in its last argument, { ${f.attribute}: ... }, or to execute as { attrs: { ${f.attribute}: ... } }.`,
  },
  TFE_OP_ATTRIBUTE_UNKNOWN: {
    phase: 'op',
    message: (f: { op: string; attribute: string; known: readonly string[] }) =>
      `${f.op} has no attribute ${f.attribute}.`,
    hint: (f: { attribute: string; known: readonly string[] }) => {
      const known = f.known.length === 0 ? 'It has none.' : `It has ${f.known.join(', ')}.`;
      return f.attribute === 'attrs'
        ? `${known} With raw they are the properties of the last argument itself.`
        : known;
    },
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
    hint: 'TensorFlow does not mix dtypes; make both tensors with the same one, or convert one with tf.cast().',
  },
  TFE_OP_FAILED: {
    phase: 'op',
    message: (f: { op: string; kernel: string; reason: string }) =>
      `${f.op} failed in TensorFlow's ${f.kernel}: ${f.reason}${/[.!?]\s*$/u.test(f.reason) ? '' : '.'}`,
    hint: "TensorFlow's status is in the error's tfStatus.",
  },
  TFE_OP_FUNCTION: {
    phase: 'op',
    message: (f: { attribute: string; name: string }) =>
      `Attribute ${f.attribute} names the function ${f.name}, which TensorFlow does not have.`,
    hint: 'Name a function that the context has.',
  },
  TFE_OP_INPUT_COUNT: {
    phase: 'op',
    message: (f: { op: string; expected: readonly string[]; received: number }) =>
      `${f.op} takes ${f.expected.length} input${f.expected.length === 1 ? '' : 's'} but received ${f.received}.`,
    hint: (f: { expected: readonly string[] }) =>
      f.expected.length === 0 ? 'It has none.' : `They are ${f.expected.join(', ')}.`,
  },
  TFE_OP_LIST_LENGTH: {
    phase: 'op',
    message: (f: { op: string; argument: string; expected: string; received: number }) =>
      `${f.op} takes ${f.expected} for ${f.argument} but received ${f.received}.`,
    hint: 'Give a list of that length.',
  },
  TFE_OP_NOT_EAGER: {
    phase: 'op',
    message: (f: { op: string; reason: string }) => `${f.op} cannot be called: ${f.reason}.`,
    hint: 'Use another op; docs/ops.md says which ops can be called.',
  },
  TFE_OP_NOT_REGISTERED: {
    phase: 'op',
    message: (f: { op: string; suggestions: readonly string[] }) =>
      `TensorFlow 2.21.0 has no op ${JSON.stringify(f.op)}.`,
    hint: (f: { suggestions: readonly string[] }) =>
      f.suggestions.length === 0
        ? 'Names are those of the op registry: MatMul, not matmul.'
        : `Did you mean ${f.suggestions.join(' or ')}?`,
  },
  TFE_OP_RANK: {
    phase: 'op',
    message: (f: { op: string; argument: string; expected: string; received: number }) =>
      `${f.op} expects ${f.expected} for ${f.argument} but received rank ${f.received}.`,
    hint: 'Give a tensor of that rank.',
  },
  TFE_OP_SHAPE: {
    phase: 'op',
    message: (f: { op: string; reason: string; shapes: readonly string[] }) =>
      `${f.op}: ${f.reason}; the shapes are ${f.shapes.join(' and ')}.`,
    hint: 'Check the shapes of the operands.',
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
  TFE_THREAD_UNAVAILABLE: {
    phase: 'op',
    message: (f: { reason: string }) =>
      `The system gives this process no thread for an op that waits or runs off the event loop: ${f.reason}.`,
    hint: 'Raise its limit of threads (ulimit -u, or the pids limit of its container), or end some of its workers.',
  },
});
