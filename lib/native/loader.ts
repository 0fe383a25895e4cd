/**
 * Loads the addon and opens the library: once, at first use, step by step. Every step fails closed with an error that
 * names the fact that failed and the command that repairs it. Importing tfe-node loads nothing.
 */
import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { tfeError } from '../errors';
import { requireBinding, type NativeBinding } from './binding';
import { REQUIRED_CPU_FLAGS } from './cpu';
import { permissionRefusal } from './files';
import { locateRuntime, type RuntimeLocation } from './locate';
import { currentPlatform, hostFacts } from './platforms';

/** What the addon is built with (CMakeLists.txt, binding.gyp); loading it on less is a segmentation fault. */
export const REQUIRED_NODE_API = 9;

let loaded: NativeBinding | null = null;
let opened: NativeBinding | null = null;

/**
 * The addon with the library open behind it.
 * @throws TfeError of phase `load` or `install`
 */
export function native(): NativeBinding {
  return opened ?? (opened = permitted(open));
}

/** The addon if the library is open behind it; `status()` must not open one just to say that none is. */
export function nativeIfOpen(): NativeBinding | null {
  return opened;
}

/**
 * The addon without the library: for what must be said before the library is opened.
 * @throws TfeError of phase `load`
 */
export function addon(): NativeBinding {
  if (loaded === null) {
    loaded = permitted(() => loadAddon(findAddon()));
    loaded.setWarn(warnOfPressure);
  }
  return loaded;
}

/** The addon if it is loaded; `status()` must not load it. */
export function addonIfLoaded(): NativeBinding | null {
  return loaded;
}

/**
 * Takes a step of which every file may be one that Node's permission model forbids to read.
 * @throws TfeError `TFE_READ_FORBIDDEN`
 */
export function permitted<T>(step: () => T): T {
  try {
    return step();
  } catch (error) {
    const refusal = permissionRefusal(error);
    if (refusal === undefined) throw error;
    throw tfeError('TFE_READ_FORBIDDEN', { path: refusal.resource ?? '' }, { cause: refusal });
  }
}

function open(): NativeBinding {
  const binding = addon();
  const location = locateRuntime({ platform: currentPlatform(hostFacts(binding.glibc)) });
  if (location.notice !== null) {
    process.emitWarning(location.notice, { code: 'TFE_RUNTIME_UNVERIFIED' });
  }
  openLibrary(binding, location);
  return binding;
}

/** Opens the two images at `location`; the doctor takes this step by itself. */
export function openLibrary(
  binding: NativeBinding,
  { ccPath, frameworkPath, version }: RuntimeLocation,
): void {
  binding.open(ccPath, frameworkPath, version, REQUIRED_CPU_FLAGS[process.arch] ?? []);
}

/** Once per thread: past this, tensors are more likely forgotten than needed. */
function warnOfPressure(tensors: number, bytes: number): void {
  process.emitWarning(
    `This thread holds ${tensors} tensors with ${bytes} bytes, more than its budget. ` +
      'Free them with scope(), `using` or dispose(), or raise configure({ memoryBudget }).',
    { code: 'TFE_HANDLE_PRESSURE' },
  );
}

/** `TFE_NODE_ADDON`, by the working directory, else the CMake build, else the node-gyp build. */
export function findAddon(): string {
  const explicit = process.env['TFE_NODE_ADDON'];
  const named = explicit !== undefined && explicit !== '';
  const root = packageRoot();
  const tried = named
    ? [resolve(explicit)]
    : [
        join(root, 'build', 'cmake', 'Release', 'tfe_node.node'),
        join(root, 'build', 'Release', 'tfe_node.node'),
      ];
  const found = tried.find((candidate) => existsSync(candidate));
  if (found === undefined) throw tfeError('TFE_ADDON_NOT_BUILT', { tried, named });
  return found;
}

/** The folder of this package's package.json, from the sources and from dist alike. */
export function packageRoot(): string {
  let folder = __dirname;
  while (!existsSync(join(folder, 'package.json'))) {
    const parent = dirname(folder);
    if (parent === folder) return __dirname;
    folder = parent;
  }
  return folder;
}

/** Requires the addon, after a look at what this Node offers. */
export function loadAddon(path: string): NativeBinding {
  const offered = process.versions['napi'] ?? 'none';
  if (!(Number(offered) >= REQUIRED_NODE_API)) {
    throw tfeError('TFE_ADDON_ABI', { required: REQUIRED_NODE_API, found: offered });
  }
  try {
    return requireBinding(path);
  } catch (cause) {
    const { code, message } = cause as { code?: unknown; message?: unknown };
    if (code === 'ERR_DLOPEN_DISABLED') throw tfeError('TFE_ADDONS_DISABLED', { path }, { cause });
    throw tfeError('TFE_ADDON_LOAD_FAILED', { path, reason: String(message) }, { cause });
  }
}
