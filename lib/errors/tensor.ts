/** Making, reading, scoping and freeing tensors. Raised in lib/tensor and native/handle_table.cc. */
import { FOREIGN_TENSOR } from '../describe';
import { errorTable } from './define';

/** The way out where a tensor is of another copy of the package. */
export const ONE_COPY =
  'Install one copy of tfe-node (`npm ls tfe-node` lists them), or hand over what dataSync() answers.';

export const TENSOR_ERRORS = errorTable({
  TFE_ARRAYS_TOO_LARGE: {
    phase: 'tensor',
    message: (f: { shape: string; limit: number }) =>
      `Arrays of shape ${f.shape} have more than ${f.limit} entries.`,
    hint: 'Use a typed array: dataSync() answers one (not of strings, which come in parts: raw.Slice), and tf.constant takes one with a shape.',
  },
  TFE_DATA_TOO_LARGE: {
    phase: 'tensor',
    message: (f: { what: string; bytes: string }) =>
      `JavaScript has no room for ${f.what} of ${f.bytes} bytes.`,
    hint: "Read the tensor in parts (raw.Slice, raw.Substr), or free memory. A text that is too long can be read as bytes: { string: 'bytes' }.",
  },
  TFE_DTYPE_NOT_CARRIED: {
    phase: 'tensor',
    message: (f: { tf: number }) => `A tensor of TF_DataType ${f.tf} has no JavaScript carrier.`,
    hint: 'The table in docs/tensors.md has the dtypes that tensors can have here.',
  },
  TFE_DTYPE_OPAQUE: {
    phase: 'tensor',
    message: (f: { use: string; dtype: string }) =>
      `${f.use} cannot do anything with dtype ${f.dtype}: its elements are TensorFlow's own objects.`,
    hint: 'Such tensors come from ops, are given to ops, and are disposed; that is all.',
  },
  TFE_DTYPE_UNKNOWN: {
    phase: 'tensor',
    message: (f: { received: string; allowed: readonly string[] }) =>
      `Expected a dtype for options.dtype but received ${f.received}.`,
    hint: (f: { allowed: readonly string[] }) => `Use one of ${f.allowed.join(', ')}.`,
  },
  TFE_HANDLE_TABLE_FULL: {
    phase: 'tensor',
    message: (f: { limit: string }) => `This thread already holds ${f.limit} tensors.`,
    hint: 'Free tensors with scope(), `using` or dispose().',
  },
  TFE_INT64_UNSAFE: {
    phase: 'tensor',
    message: (f: { value: string; index: number }) =>
      `Element ${f.index} is ${f.value}, which a Number cannot hold exactly.`,
    hint: "Read it without { int64: 'number' }: int64 data is a BigInt64Array.",
  },
  TFE_OPTION_UNKNOWN: {
    phase: 'tensor',
    message: (f: { function: string; option: string; allowed: readonly string[] }) =>
      `${f.function} has no option ${f.option}.`,
    hint: (f: { allowed: readonly string[] }) => `Its options are ${f.allowed.join(', ')}.`,
  },
  TFE_OPTION_VALUE: {
    phase: 'tensor',
    message: (f: { function: string; option: string; expected: string; received: string }) =>
      `Expected ${f.expected} for ${f.option} of ${f.function} but received ${f.received}.`,
    hint: 'Correct the value, or leave the option out for its default.',
  },
  TFE_SCOPE_PROMISE: {
    phase: 'tensor',
    message: () => 'The function given to scope() answered a promise.',
    hint: 'Use scopeAsync() for async functions: scope() frees its tensors when the function returns, before the promise settles.',
  },
  TFE_SHAPE_INVALID: {
    phase: 'tensor',
    message: (f: { received: string }) =>
      `Expected an array of at most 254 integers of 0 or more, with a product below 2^53 (zeros aside), for options.shape but received ${f.received}.`,
    hint: 'Write the shape as an array, such as [2, 3]; [] is a scalar.',
  },
  TFE_SHAPE_MISMATCH: {
    phase: 'tensor',
    message: (f: { shape: string; elements: number; values: number }) =>
      `The shape ${f.shape} has ${f.elements} elements, but ${f.values} values were given.`,
    hint: 'Give as many values as the shape has elements, or one value to fill it with.',
  },
  TFE_STRING_LONE_SURROGATE: {
    phase: 'tensor',
    message: (f: { index: number }) =>
      `The text at index ${f.index} has half of a surrogate pair, which UTF-8 cannot write.`,
    hint: 'Repair it (text.toWellFormed()), or give its bytes as a Uint8Array.',
  },
  TFE_STRING_NOT_UTF8: {
    phase: 'tensor',
    message: (f: { index: number }) => `The string at index ${f.index} is not UTF-8.`,
    hint: "Read bytes instead of texts: { string: 'bytes' }.",
  },
  TFE_TENSOR_ALLOCATION: {
    phase: 'tensor',
    message: (f: { bytes: string }) => `TensorFlow could not allocate ${f.bytes} bytes.`,
    hint: 'Free tensors, or work in smaller batches.',
  },
  TFE_TENSOR_AS_PRIMITIVE: {
    phase: 'tensor',
    message: () =>
      'A tensor cannot be used with an operator: JavaScript has no operator overloading.',
    hint: 'Write tf.add(a, b) for a + b (tf.subtract, tf.multiply, tf.divide), and `${tensor}` or tensor.toString() for text.',
  },
  TFE_TENSOR_BYTE_SIZE: {
    phase: 'tensor',
    message: (f: { expected: string; received: string }) =>
      `Expected ${f.expected} bytes but received ${f.received}.`,
    hint: 'The data may have been changed or detached while it was being read.',
  },
  TFE_TENSOR_DISPOSED: {
    phase: 'tensor',
    message: (f: { use?: string }) =>
      f.use === undefined ? 'The tensor is disposed.' : `A tensor used by ${f.use} is disposed.`,
    hint: 'Return it from the scope() that made it, call keep() on it, or dispose it later.',
  },
  TFE_TENSOR_FAILED: {
    phase: 'tensor',
    message: () => 'TensorFlow refused to make or read a tensor.',
    hint: "TensorFlow's own message is in the error's tfStatus.",
  },
  TFE_TENSOR_FOREIGN: {
    phase: 'tensor',
    message: () => 'The tensor belongs to another thread or to another copy of tfe-node.',
    hint: `To another thread send exportTensor(tensor), and call importTensor(token) there. ${ONE_COPY}`,
  },
  TFE_TENSOR_FORGED: {
    phase: 'tensor',
    message: (f: { id: string }) => `${f.id} is not the id of a tensor.`,
    hint: 'Ids are internal; use the Tensor objects that tfe-node makes.',
  },
  TFE_TOKEN_EXPIRED: {
    phase: 'tensor',
    message: () =>
      'The token names no tensor: it has been used, has lapsed, is of another process, or every thread that used TensorFlow has ended since.',
    hint: 'A token of exportTensor() is good for one importTensor() in the same process, while some thread uses TensorFlow; make another one.',
  },
  TFE_VALUE_DOES_NOT_FIT: {
    phase: 'tensor',
    message: (f: { value: string; index: number; dtype: string }) =>
      `Value ${f.value} at index ${f.index} does not fit dtype ${f.dtype}.`,
    hint: (f: { dtype: string }) =>
      f.dtype.includes('int')
        ? 'Integers only, within the range of the dtype; write int64 and uint64 values beyond 2^53 as bigint.'
        : 'Give numbers for float dtypes, booleans for bool, { re, im } for complex dtypes, and texts or Uint8Arrays of bytes for string.',
  },
  TFE_VALUES_PAIRS: {
    phase: 'tensor',
    message: (f: { dtype: string; received: string }) =>
      `Expected a Float32Array or Float64Array of (re, im) pairs for dtype ${f.dtype} but received ${f.received}.`,
    hint: 'An array of numbers or of { re, im } is taken, too.',
  },
  TFE_VALUES_RAGGED: {
    phase: 'tensor',
    message: (f: { path: string; expected: string; received: string }) =>
      `The nested arrays are ragged: expected ${f.expected} at ${f.path} but received ${f.received}.`,
    hint: 'All arrays of one level need the same length.',
  },
  TFE_VALUES_TYPE: {
    phase: 'tensor',
    message: (f: { received: string; path: string }) =>
      `Expected a number, bigint, boolean, text, { re, im }, nested arrays of them or a typed array for ${f.path} but received ${f.received}.`,
    hint: (f: { received: string; path: string }) =>
      f.received === FOREIGN_TENSOR
        ? ONE_COPY
        : f.received === 'undefined' && !f.path.includes('[')
          ? 'The call has fewer arguments than it needs.'
          : "Read a tensor back with arraySync() before making another of its values. The bytes of strings are Uint8Arrays with { dtype: 'string' }.",
  },
});
