/**
 * `tfe-node/lowered`: what generated code imports. Public because built files of users' projects name it; nothing here
 * is meant to be written by hand, except {@link describeLowered}, which tells which leg ran.
 */
export { define, describeLowered } from './function';
export type { LoweredDescription, LoweredFunction } from './function';
export type { Frame } from './frame';
export type { Mode } from './mode';
export { LOWERED_CONTRACT } from './spec';
export type { LoweredParameter, LoweredSite, LoweredSpec, LoweredTensorType } from './spec';
export { usingCtx } from './using';
export type { UsingContext } from './using';
