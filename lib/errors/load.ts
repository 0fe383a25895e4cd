/** Finding and opening the addon and the library. Raised in lib/native/loader.ts and native/library.cc. */
import { errorTable } from './define';

const BUILD_THE_ADDON =
  'In a clone of tfe-node run `npm run build:native`. In a project that installed the package run `npm install --save-dev cmake-js node-addon-api`, then `npx cmake-js build -d node_modules/tfe-node -O node_modules/tfe-node/build/cmake`. Both need cmake and a C++17 compiler.';

export const LOAD_ERRORS = errorTable({
  TFE_ADDON_ABI: {
    phase: 'load',
    message: (f: { required: number; found: string }) =>
      `tfe-node's addon needs Node-API ${f.required}, but this Node offers ${f.found}.`,
    hint: 'Use Node 20.19 or later.',
  },
  TFE_ADDON_LOAD_FAILED: {
    phase: 'load',
    message: (f: { path: string; reason: string }) =>
      `The addon ${f.path} could not be loaded: ${f.reason}.`,
    hint: `It was probably built for another Node or platform; build it again. ${BUILD_THE_ADDON}`,
  },
  TFE_ADDON_NOT_BUILT: {
    phase: 'load',
    message: (f: { tried: readonly string[]; named: boolean }) =>
      f.named
        ? `TFE_NODE_ADDON names ${f.tried.join('')}, which is not there.`
        : `The addon is not built; looked for ${f.tried.join(' and ')}.`,
    hint: (f: { named: boolean }) =>
      f.named
        ? 'Correct the variable, or remove it to use the addon that is built within the package.'
        : `${BUILD_THE_ADDON} A bundler must leave tfe-node out of its bundle.`,
  },
  TFE_ADDONS_DISABLED: {
    phase: 'load',
    message: (f: { path: string }) =>
      `Node was started without the permission to load addons, so ${f.path} cannot be loaded.`,
    hint: 'Start Node with --allow-addons beside --permission (Node 20: --experimental-permission), and without --no-addons.',
  },
  TFE_BINDING_ARGUMENT: {
    phase: 'load',
    message: (f: { function: string; expected: string }) =>
      `The addon's function ${f.function} expected ${f.expected}.`,
    hint: 'Use the public functions of tfe-node; the addon itself has no stable interface.',
  },
  TFE_CONFIGURE_CONFLICT: {
    phase: 'load',
    message: (f: { inForce: string; received: string }) =>
      `This process is configured already, with ${f.inForce}; configure() received ${f.received}.`,
    hint: 'Threads share one TensorFlow: call configure() once, or with the same options in each thread.',
  },
  TFE_CONFIGURE_LATE: {
    phase: 'load',
    message: (f: { inForce: string; received: string }) =>
      `configure() came after the library was opened, or an attempt at it (its context has ${f.inForce}); it received ${f.received}.`,
    hint: 'TensorFlow reads its configuration once: call configure() before the first tensor and before status({ load: true }), in every thread.',
  },
  TFE_CONTEXT_FAILED: {
    phase: 'load',
    message: (f: { reason: string; configured: string }) =>
      `TensorFlow could not make its eager context${f.configured === '' ? '' : `, for which configure() asked ${f.configured}`}: ${f.reason}.`,
    hint: (f: { configured: string }) =>
      f.configured === ''
        ? "TensorFlow's status is in the error's tfStatus."
        : "One of these options is the likely cause: correct it and start the process again. TensorFlow's status is in the error's tfStatus.",
  },
  TFE_CPU_UNSUPPORTED: {
    phase: 'load',
    message: (f: { flag: string }) =>
      `This CPU lacks the instruction set ${f.flag.toUpperCase()}, without which TensorFlow's library kills the process.`,
    hint: 'Run on a newer CPU (for a virtual machine: pass the host CPU flags through).',
  },
  TFE_LIBRARY_CONFLICT: {
    phase: 'load',
    message: (f: { mapped: string; wanted: string }) =>
      `Another TensorFlow is already loaded in this process: ${f.mapped}. tfe-node would load ${f.wanted}.`,
    hint: 'Two TensorFlows in one process corrupt each other; remove the other package (tfjs-node, for example) or use it in another process.',
  },
  TFE_LIBRARY_NOT_OPEN: {
    phase: 'load',
    message: () => 'The TensorFlow library has not been opened.',
    hint: 'Use the public functions of tfe-node, which open it.',
  },
  TFE_LIBRARY_OPEN_FAILED: {
    phase: 'load',
    message: (f: { path: string; reason: string }) =>
      `The TensorFlow library ${f.path} could not be opened: ${f.reason}.`,
    hint: 'Check it with `npx tfe-node runtime verify`.',
  },
  TFE_LIBRARY_VERSION: {
    phase: 'load',
    message: (f: { path: string; expected: string; found: string }) =>
      `${f.path} says that it is TensorFlow ${f.found}, but this package is pinned to ${f.expected}.`,
    hint: 'Install the pinned library with `npx tfe-node runtime install`.',
  },
  TFE_READ_FORBIDDEN: {
    phase: 'load',
    message: (f: { path: string }) =>
      `Node was started without the permission to read ${f.path || 'the files that tfe-node needs'}.`,
    hint: 'Start Node with --allow-fs-read for the folders of this package, of the addon and of the TensorFlow library, or with --allow-fs-read=*, and with --allow-addons, beside --permission (Node 20: --experimental-permission).',
  },
  TFE_SYMBOL_MISSING: {
    phase: 'load',
    message: (f: { symbol: string; path: string }) =>
      `${f.path} does not export ${f.symbol}, so it is not the pinned TensorFlow.`,
    hint: 'Check it with `npx tfe-node runtime verify`.',
  },
  TFE_SYMBOL_WRONG_IMAGE: {
    phase: 'load',
    message: (f: { symbol: string; expected: string; found: string }) =>
      `The symbol ${f.symbol} was found in ${f.found} instead of ${f.expected}.`,
    hint: 'Check both libraries with `npx tfe-node runtime verify`, and that LD_PRELOAD and LD_LIBRARY_PATH name no TensorFlow.',
  },
});
