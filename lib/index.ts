/** The public surface of `tfe-node`. Importing it loads nothing native; the first tensor does. */
export { isTfeError, TfeError, type Phase, type TfeErrorCode, type TfStatus } from './errors';
export {
  configure,
  type Configuration,
  type ConfigurationInForce,
  type LogLevel,
} from './config/configure';
export type { GpuOptions } from './config/config-proto';
export { memory, type Memory } from './native/memory';
export type { AsyncOptions } from './native/off-loop';
export { status, type Status } from './native/status';
export {
  exportTensor,
  importTensor,
  type ExportOptions,
  type TensorToken,
} from './tensor/exchange';
export type { DataOf, DType } from './tensor/dtype';
export type { ConstantOptions, ConstantValues } from './tensor/constant';
export {
  isTensor,
  keep,
  scope,
  scopeAsync,
  Tensor,
  type DataOptions,
  type ElementOf,
  type NestedArray,
  type ReadOptions,
} from './tensor/tensor';
export {
  tf,
  type ArgmaxOptions,
  type AxisOptions,
  type BiasAddOptions,
  type MatmulOptions,
} from './tf';
export { PACKAGE_VERSION as version } from './version';
