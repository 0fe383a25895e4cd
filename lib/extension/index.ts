/** The public subpath `tfe-node/extension`: families, modules and the eager runtime that runs them. */
export { checkFamilyId, type FamilyId } from './family-id';
export type { Payload, PayloadValue } from './payload';
export { ExtensionShapeContext, type SymDim, type TensorMeta } from './shape-context';
export {
  defineExtensionOp,
  type Alias,
  type AliasDeclaration,
  type Effect,
  type ExtensionFamily,
  type ExtensionOp,
  type ExtensionOpDefinition,
} from './op';
export {
  defineExtensionRuntime,
  type Engine,
  type EngineType,
  type ExtensionEngine,
  type ExtensionModule,
  type ExtensionModuleRegistrar,
  type ExtensionRuntime,
  type ExtensionRuntimeSpec,
  type PrepareCapability,
  type PreparedOperationExecutor,
  type PrepareRequest,
  type TensorRead,
} from './module';
export { EagerRuntime } from '../runtime/eager';
export { defaultEagerRuntime } from '../runtime/default';
export { TfeEngine } from '../engines/tfe';
export { Kernel, type KernelConstant, type KernelSpec } from '../tensor/kernel';
export { argmax, biasAdd, matmul, softmax } from '../families';
export { kernelSpecs } from '../families/kernels';
