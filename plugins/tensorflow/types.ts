/**
 * The tensor types that annotations may name. The keys are the vocabulary of every rule: what is not
 * listed here (float64, rank 0 or 3, another device) has no key and cannot be claimed.
 */
import type { PluginType, TypeKey } from '../core/api';

export const PLUGIN_ID = 'tfe-tensorflow';

export const F32_2D: TypeKey = `${PLUGIN_ID}/tensor-f32-cpu-2d`;
export const F32_1D: TypeKey = `${PLUGIN_ID}/tensor-f32-cpu-1d`;
export const I64_1D: TypeKey = `${PLUGIN_ID}/tensor-i64-cpu-1d`;

function tensorType(key: TypeKey, name: string, dtype: string, rank: number): PluginType {
  return { key, annotations: [{ module: 'tfe-node/types', name }], tensor: { dtype, rank } };
}

export const VOCABULARY: readonly PluginType[] = [
  tensorType(F32_2D, 'TensorF32Cpu2D', 'float32', 2),
  tensorType(F32_1D, 'TensorF32Cpu1D', 'float32', 1),
  tensorType(I64_1D, 'TensorI64Cpu1D', 'int64', 1),
];

const ANNOTATIONS: ReadonlyMap<TypeKey, string> = new Map(
  VOCABULARY.flatMap(({ key, annotations }) => annotations.map(({ name }) => [key, name] as const)),
);

export function isTensor(type: TypeKey | null): type is TypeKey {
  return type !== null && ANNOTATIONS.has(type);
}

/** A type as the user wrote it: `TensorF32Cpu2D` for a key of ours, any other type as it is. */
export function spelled(type: TypeKey | null): string {
  return type === null ? 'an unresolved type' : (ANNOTATIONS.get(type) ?? type);
}
