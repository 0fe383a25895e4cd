/** The families of this package, each with the runtime that runs it. One line per family. */
import { argmax, argmaxRuntime } from './argmax';
import { biasAdd, biasAddRuntime } from './bias-add';
import { matmul, matmulRuntime } from './matmul';
import { softmax, softmaxRuntime } from './softmax';

export const FAMILIES = [
  { family: matmul, runtime: matmulRuntime },
  { family: biasAdd, runtime: biasAddRuntime },
  { family: softmax, runtime: softmaxRuntime },
  { family: argmax, runtime: argmaxRuntime },
] as const;

export { argmax, biasAdd, matmul, softmax };
