/** Errors at the door of a lowered function: what was asked of it, and what its annotated parameters received. */
import { errorTable } from './define';

/** Which parameter of which lowered function. `index` counts from 0 among the parameters that are checked or passed. */
export interface Boundary {
  readonly function: string;
  readonly parameter: string;
  readonly index: number;
}

const parameterOf = ({ function: name, parameter }: Boundary) => `'${parameter}' of ${name}`;

export const CALL_ERRORS = errorTable({
  TFE_BOUNDARY_DISPOSED: {
    phase: 'call',
    message: (f: Boundary) => `The tensor given for parameter ${parameterOf(f)} has been disposed.`,
    hint: 'Pass a tensor that is still alive: dispose of it after the last call that uses it, or return it from the scope that frees it.',
  },
  TFE_BOUNDARY_DTYPE: {
    phase: 'call',
    message: (f: Boundary & { expected: string; received: string }) =>
      `Parameter ${parameterOf(f)} is annotated as ${f.expected}; it received a ${f.received} tensor.`,
    hint: 'Pass a tensor of the annotated dtype (nothing is cast on its own), or change the annotation.',
  },
  TFE_BOUNDARY_RANK: {
    phase: 'call',
    message: (f: Boundary & { expected: number; received: number; shape: readonly number[] }) =>
      `Parameter ${parameterOf(f)} is annotated with rank ${f.expected}; it received a tensor of rank ${f.received}, shape [${f.shape.join(', ')}].`,
    hint: 'Pass a tensor of the annotated rank, or change the annotation.',
  },
  TFE_BOUNDARY_TENSOR: {
    phase: 'call',
    message: (f: Boundary & { expected: string; received: string }) =>
      `Parameter ${parameterOf(f)} is annotated as a tensor (${f.expected}); it received ${f.received}.`,
    hint: 'Make a tensor first, for example with tf.constant(values, { dtype, shape }).',
  },
  TFE_LOWERED_CONTRACT: {
    phase: 'call',
    message: (f: { function: string; expected: number; received: string }) =>
      `The lowered function ${f.function} was built for contract ${f.received}; this tfe-node runs contract ${f.expected}.`,
    hint: 'Build it again with the tfe-node that runs it: npx tfe-node build.',
  },
  TFE_LOWERED_SITE: {
    phase: 'call',
    message: (f: { function: string; site: string; sites: number }) =>
      `The lowered function ${f.function} asks for site ${f.site}, and its table has ${f.sites} sites.`,
    hint: 'The built file was changed after the build. Build it again: npx tfe-node build.',
  },
  TFE_LOWERED_SPEC: {
    phase: 'call',
    message: (f: { function: string; field: string; expected: string; received: string }) =>
      `The table of the lowered function ${f.function} is damaged: '${f.field}' must be ${f.expected}; it is ${f.received}.`,
    hint: 'The built file was changed after the build. Build it again: npx tfe-node build.',
  },
  TFE_MODE_NOT_NATIVE: {
    phase: 'call',
    message: (f: { function: string; file: string; status: string; reason: string }) =>
      `TFE_NODE_MODE=native, and ${f.function} (${f.file}) is ${f.status}, not native: ${f.reason}`,
    hint: 'Run "npx tfe-node check" on the file for every reason, or unset TFE_NODE_MODE to run the function as it was built.',
  },
});
