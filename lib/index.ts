/** The public surface of `tfe-node`. Importing it loads nothing native; the first tensor does. */
export { isTfeError, TfeError, type Phase, type TfeErrorCode, type TfStatus } from './errors';
export {
  configure,
  type Configuration,
  type ConfigurationInForce,
  type LogLevel,
} from './config/configure';
export type { GpuOptions } from './config/config-proto';
export type { AttrScalar, AttrShape, AttrString, AttrValue } from './ops/attributes';
export { clearKernelCache } from './ops/call';
export { execute, executeAsync, type ExecuteOptions } from './ops/execute';
export type { TypeName } from './ops/types';
export { raw, type Raw } from './raw';
export { memory, type Memory } from './native/memory';
export type { AsyncOptions } from './native/off-loop';
export { status, type Status } from './native/status';
export type { Complex, DType } from './tensor/dtype';
export type {
  ConstantOptions,
  ConstantValues,
  NumericValues,
  StringValues,
} from './tensor/constant';
export {
  exportTensor,
  importTensor,
  type ExportOptions,
  type TensorToken,
} from './tensor/exchange';
export type { ArrayOptions, DataOf, ElementOf, NestedArray, ReadOptions } from './tensor/readback';
export { isTensor, keep, scope, scopeAsync, Tensor, type DataOptions } from './tensor/tensor';
export {
  tf,
  type ArgmaxOptions,
  type AxisOptions,
  type BiasAddOptions,
  type MatmulOptions,
} from './tf';
export { PACKAGE_VERSION as version } from './version';
