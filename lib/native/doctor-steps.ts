/** The steps of loading, in order, and which of them each one needs. Shared by the doctor and the process that walks them. */
import type { TfeErrorCode } from '../errors';

export interface DoctorStep {
  readonly id: string;
  readonly title: string;
  /** Steps that must have gone well before this one is taken. */
  readonly needs: readonly StepId[];
}

export type StepId =
  | 'platform'
  | 'node'
  | 'cpu'
  | 'permission'
  | 'addon'
  | 'addon-load'
  | 'folder'
  | 'manifest'
  | 'files'
  | 'hashes'
  | 'image'
  | 'mapped'
  | 'open'
  | 'version'
  | 'symbols'
  | 'context'
  | 'op';

export const DOCTOR_STEPS: readonly (DoctorStep & { readonly id: StepId })[] = [
  { id: 'platform', title: 'platform', needs: [] },
  { id: 'node', title: 'Node and Node-API', needs: [] },
  { id: 'cpu', title: 'CPU', needs: [] },
  { id: 'permission', title: 'permission model', needs: [] },
  { id: 'addon', title: 'addon is built', needs: [] },
  { id: 'addon-load', title: 'addon loads', needs: ['addon', 'node', 'permission'] },
  { id: 'folder', title: 'library folder', needs: ['platform'] },
  { id: 'manifest', title: 'manifest', needs: ['folder'] },
  { id: 'files', title: 'sizes, inodes and times', needs: ['manifest'] },
  { id: 'hashes', title: 'SHA-256 of both libraries', needs: ['folder'] },
  { id: 'image', title: 'image headers and SONAMEs', needs: ['folder'] },
  { id: 'mapped', title: 'no other TensorFlow', needs: [] },
  {
    id: 'open',
    title: 'libraries open',
    needs: ['addon-load', 'cpu', 'files', 'hashes', 'image', 'mapped'],
  },
  { id: 'version', title: 'TF_Version()', needs: ['open'] },
  { id: 'symbols', title: 'symbols and their images', needs: ['version'] },
  { id: 'context', title: 'eager context', needs: ['symbols'] },
  { id: 'op', title: 'one op', needs: ['context'] },
];

/** For calls that take several steps: the step that each code belongs to. Others belong to the first. */
export const STEP_OF_CODE: Readonly<Partial<Record<TfeErrorCode, StepId>>> = {
  TFE_RUNTIME_MANIFEST_MISSING: 'manifest',
  TFE_RUNTIME_MANIFEST_CORRUPT: 'manifest',
  TFE_RUNTIME_OTHER_VERSION: 'manifest',
  TFE_RUNTIME_OTHER_PLATFORM: 'manifest',
  TFE_RUNTIME_OTHER_VARIANT: 'manifest',
  TFE_RUNTIME_CHANGED: 'files',
  TFE_RUNTIME_UNPINNED: 'files',
  TFE_RUNTIME_NOT_AN_IMAGE: 'files',
  TFE_RUNTIME_LIBRARY_MISSING: 'files',
  TFE_RUNTIME_HASH: 'files',
  TFE_CPU_UNSUPPORTED: 'open',
  TFE_LIBRARY_CONFLICT: 'open',
  TFE_LIBRARY_OPEN_FAILED: 'open',
  TFE_LIBRARY_VERSION: 'version',
  TFE_SYMBOL_MISSING: 'symbols',
  TFE_SYMBOL_WRONG_IMAGE: 'symbols',
};
