/**
 * Errors of the library manager: choosing the platform, fetching the wheel, unpacking it, and finding the installed
 * copy again at load.
 */
import { errorTable } from './define';

const INSTALL = 'npx tfe-node runtime install';

/** The install command for a variant, as a user would type it. */
export function installCommand(variant: string, force = false): string {
  return `${INSTALL}${variant === 'cpu' ? '' : ` --variant ${variant}`}${force ? ' --force' : ''}`;
}

function bytes(count: number): string {
  return `${count} bytes`;
}

/** The last lines of a tool's output, indented, or nothing when there was none. */
function quoted(output: string): string {
  const text = output.trim();
  return text === '' ? '' : `\n  ${text.split('\n').join('\n  ')}\n`;
}

/** What to do about a folder that cannot be written to. */
const OTHER_FOLDER =
  'Set XDG_CACHE_HOME to a folder on a disk that can be written to, or TFE_NODE_RUNTIME to the folder that shall hold the library.';

export const INSTALL_ERRORS = errorTable({
  TFE_PLATFORM_UNSUPPORTED: {
    phase: 'install',
    message: (f: { cell: string; reason: string; wayOut: string }) => `${f.cell}: ${f.reason}`,
    hint: (f: { cell: string; reason: string; wayOut: string }) => f.wayOut,
  },
  TFE_VARIANT_UNAVAILABLE: {
    phase: 'install',
    message: (f: { variant: string; platform: string; available: readonly string[] }) =>
      `There is no TensorFlow library of variant '${f.variant}' for ${f.platform}.`,
    hint: (f: { variant: string; platform: string; available: readonly string[] }) =>
      `Available for ${f.platform}: ${f.available.join(', ')}.`,
  },
  TFE_RUNTIME_ENVIRONMENT: {
    phase: 'install',
    message: (f: { variable: string; value: string; expected: string }) =>
      `${f.variable} is ${JSON.stringify(f.value)}, but must be ${f.expected}.`,
    hint: (f: { variable: string; value: string; expected: string }) =>
      f.variable === 'HOME'
        ? 'Set HOME, or XDG_CACHE_HOME to the absolute path of the cache.'
        : `Correct ${f.variable} or unset it.`,
  },
  TFE_PIN_INVALID: {
    phase: 'install',
    message: (f: { problem: string }) =>
      `The list of pinned TensorFlow files (lib/native/pin.json) is not as expected: ${f.problem}.`,
    hint: 'The file belongs to the tfe-node package: reinstall the package.',
  },

  TFE_PIP_NOT_FOUND: {
    phase: 'install',
    message: (f: { tried: readonly string[]; project: string; file: string }) =>
      `No working pip was found (tried: ${f.tried.join(', ')}), and pip is what fetches ${f.file}.`,
    hint: (f: { tried: readonly string[]; project: string; file: string }) =>
      `Install Python's pip (Debian, Ubuntu: \`apt-get install python3-pip\`; Fedora: \`dnf install python3-pip\`; macOS: \`brew install python\`), ` +
      `or set TFE_NODE_PIP to the command that runs it, or bring the wheel from another machine and pass \`--wheel ${f.file}\`.`,
  },
  TFE_PIP_NO_NETWORK: {
    phase: 'install',
    message: (f: { command: string; file: string; output: string }) =>
      `pip could not reach its package index, so ${f.file} was not fetched.${quoted(f.output)}`,
    hint: (f: { command: string; file: string; output: string }) =>
      `Check the network, the proxy and pip's own configuration (\`pip config list\`), or fetch the wheel on a machine with a network with \`${f.command}\` and pass \`--wheel ${f.file}\`.`,
  },
  TFE_PIP_FAILED: {
    phase: 'install',
    message: (f: { command: string; file: string; outcome: string; output: string }) =>
      `pip ${f.outcome} while fetching ${f.file}.${quoted(f.output)}`,
    hint: (f: { command: string; file: string; outcome: string; output: string }) =>
      `The command was \`${f.command}\`. When it works by hand, pass the wheel with \`--wheel ${f.file}\`.`,
  },
  TFE_PIP_NO_WHEEL: {
    phase: 'install',
    message: (f: { command: string; file: string; found: readonly string[] }) =>
      `pip reported success but did not leave ${f.file}; ${f.found.length === 0 ? 'it left nothing' : `it left ${f.found.join(', ')}`}.`,
    hint: (f: { command: string; file: string; found: readonly string[] }) =>
      `The command was \`${f.command}\`. Check what TFE_NODE_PIP and pip's configuration (\`pip config list\`) make of it, or pass the wheel with \`--wheel ${f.file}\`.`,
  },

  TFE_WHEEL_UNREADABLE: {
    phase: 'install',
    message: (f: { file: string; problem: string }) =>
      `The wheel ${f.file} cannot be read: ${f.problem}.`,
    hint: 'Check the path, or fetch the wheel again.',
  },
  TFE_WHEEL_SIZE: {
    phase: 'install',
    message: (f: { file: string; size: number; expected: number; wanted: string; is?: string }) =>
      `${f.file} has ${bytes(f.size)}, but ${f.wanted} has ${f.expected}` +
      (f.is !== undefined
        ? `: it looks like ${f.is}.`
        : f.size < f.expected
          ? ': it was cut short, or is another file.'
          : ': it is another file.'),
    hint: (f: { file: string; size: number; expected: number; wanted: string; is?: string }) =>
      `Nothing was installed. Fetch ${f.wanted} again.`,
  },
  TFE_WHEEL_HASH: {
    phase: 'install',
    message: (f: { file: string; sha256: string; expected: string; wanted: string }) =>
      `${f.file} has the right size, but its SHA-256 is ${f.sha256} where ${f.wanted} has ${f.expected}: its content was changed.`,
    hint: 'Nothing was installed. Fetch the wheel again from a source that you trust; a mirror or proxy may serve an altered file.',
  },
  TFE_WHEEL_ENTRY_ESCAPES: {
    phase: 'install',
    message: (f: { file: string; entry: string; problem: string }) =>
      `The archive ${f.file} holds the entry ${JSON.stringify(f.entry)}, which ${f.problem}: it would leave the folder that it is unpacked into.`,
    hint: 'Nothing was installed. The published wheels hold no such entry: do not use this file.',
  },
  TFE_WHEEL_ENTRY_INVALID: {
    phase: 'install',
    message: (f: { file: string; entry: string; problem: string }) =>
      `The archive ${f.file} cannot be used: the entry ${JSON.stringify(f.entry)} ${f.problem}.`,
    hint: 'Nothing was installed. The published wheels are not like this: fetch the wheel again from a source that you trust.',
  },
  TFE_WHEEL_ENTRY_HASH: {
    phase: 'install',
    message: (f: { file: string; entry: string; sha256: string; expected: string }) =>
      `The entry ${JSON.stringify(f.entry)} of ${f.file} has the SHA-256 ${f.sha256}, but ${f.expected} is pinned.`,
    hint: 'Nothing was installed. Fetch the wheel again from a source that you trust.',
  },

  TFE_PYTHON_FAILED: {
    phase: 'install',
    message: (f: { executable: string; outcome: string; output: string }) =>
      `${f.executable} ${f.outcome} when it was asked for its TensorFlow.${quoted(f.output)}`,
    hint: 'Name a Python 3.8 or later, as a path or as a command on PATH, for example `--from-python .venv/bin/python`.',
  },
  TFE_PYTHON_NO_TENSORFLOW: {
    phase: 'install',
    message: (f: { executable: string; version: string; found: readonly string[] }) =>
      `${f.executable} has no TensorFlow ${f.version}` +
      (f.found.length === 0 ? '.' : `: it has ${f.found.join(', ')}.`),
    hint: (f: { executable: string; version: string; found: readonly string[] }) =>
      `Install it there (\`${f.executable} -m pip install tensorflow-cpu==${f.version}\`), or leave out --from-python to fetch the library.`,
  },
  TFE_PYTHON_LIBRARY: {
    phase: 'install',
    message: (f: { path: string; problem: string; is?: string }) =>
      `${f.path} is not the wanted library: ${f.problem}` +
      (f.is === undefined ? '.' : `; it is the one of variant '${f.is}'.`),
    hint: (f: { path: string; problem: string; is?: string }) =>
      f.is === undefined
        ? 'Nothing was installed. Only the libraries of the published wheels serve; leave out --from-python to fetch them.'
        : `Nothing was installed. Add \`--variant ${f.is}\` to install that variant.`,
  },

  TFE_DISK_FULL: {
    phase: 'install',
    message: (f: { path: string; needed: number; available: number | null }) =>
      `The disk that holds ${f.path} has too little free space: ${bytes(f.needed)} are needed` +
      (f.available === null ? '.' : `, ${bytes(f.available)} are free.`),
    hint: `Make room. Or: ${OTHER_FOLDER}`,
  },
  TFE_CACHE_READ_ONLY: {
    phase: 'install',
    message: (f: { path: string; problem: string }) =>
      `${f.path} is on a read-only file system (${f.problem}).`,
    hint: OTHER_FOLDER,
  },
  TFE_CACHE_FORBIDDEN: {
    phase: 'install',
    message: (f: { path: string; problem: string }) =>
      `This user may not write to ${f.path} (${f.problem}).`,
    hint: `Give this user the right to write there. Or: ${OTHER_FOLDER}`,
  },
  TFE_CACHE_UNUSABLE: {
    phase: 'install',
    message: (f: { path: string; problem: string }) =>
      `${f.path} cannot be used as the folder for the library (${f.problem}).`,
    hint: OTHER_FOLDER,
  },
  TFE_INSTALL_INTERRUPTED: {
    phase: 'install',
    message: (f: { directory: string }) =>
      `The installation into ${f.directory} was interrupted; what it had written so far was removed.`,
    hint: `Run \`${INSTALL}\` again.`,
  },
  TFE_RUNTIME_FOREIGN: {
    phase: 'install',
    message: (f: { directory: string; problem: string }) =>
      `${f.directory} is not a folder that tfe-node made: ${f.problem}.`,
    hint: 'It was left as it is. Move it away yourself if it is no longer needed, or name another folder in TFE_NODE_RUNTIME.',
  },

  TFE_RUNTIME_NOT_INSTALLED: {
    phase: 'install',
    message: (f: { directory: string; variant: string; source: 'cache' | 'env' }) =>
      `The TensorFlow library is not installed: there is no folder ${f.directory}` +
      (f.source === 'env' ? ', which TFE_NODE_RUNTIME names.' : '.'),
    hint: (f: { directory: string; variant: string; source: 'cache' | 'env' }) =>
      f.source === 'env'
        ? `Run \`${installCommand(f.variant)}\` to fetch the library into it, or unset TFE_NODE_RUNTIME.`
        : `Run \`${installCommand(f.variant)}\`.`,
  },
  TFE_RUNTIME_OTHER_VERSION: {
    phase: 'install',
    message: (f: { directory: string; found: string; expected: string; variant: string }) =>
      `${f.directory} holds TensorFlow ${f.found}, but this version of tfe-node works with ${f.expected} only.`,
    hint: (f: { directory: string; found: string; expected: string; variant: string }) =>
      `Run \`${installCommand(f.variant)}\`.`,
  },
  TFE_RUNTIME_OTHER_PLATFORM: {
    phase: 'install',
    message: (f: { directory: string; found: string; expected: string; variant: string }) =>
      `${f.directory} holds TensorFlow for ${f.found}, but this machine is ${f.expected}.`,
    hint: (f: { directory: string; found: string; expected: string; variant: string }) =>
      `Run \`${installCommand(f.variant)}\` on this machine.`,
  },
  TFE_RUNTIME_OTHER_VARIANT: {
    phase: 'install',
    message: (f: { directory: string; found: string; expected: string }) =>
      `${f.directory} holds the variant '${f.found}', but '${f.expected}' was asked for.`,
    hint: (f: { directory: string; found: string; expected: string }) =>
      `Unset TFE_NODE_RUNTIME and run \`${installCommand(f.expected)}\`, or ask for '${f.found}'.`,
  },
  TFE_RUNTIME_MANIFEST_MISSING: {
    phase: 'install',
    message: (f: { directory: string; variant: string }) =>
      `${f.directory} has no manifest.json, so nothing says that its files are the pinned ones.`,
    hint: (f: { directory: string; variant: string }) =>
      `Run \`${installCommand(f.variant)}\`: it hashes the files, and fetches them again only when they are not the pinned ones.`,
  },
  TFE_RUNTIME_MANIFEST_CORRUPT: {
    phase: 'install',
    message: (f: { path: string; problem: string; variant: string }) =>
      `${f.path} cannot be read: ${f.problem}.`,
    hint: (f: { path: string; problem: string; variant: string }) =>
      `Run \`${installCommand(f.variant)}\`: it hashes the files, and fetches them again only when they are not the pinned ones.`,
  },
  TFE_RUNTIME_LIBRARY_MISSING: {
    phase: 'install',
    message: (f: { path: string; variant: string }) => `The library file ${f.path} is missing.`,
    hint: (f: { path: string; variant: string }) =>
      `Run \`${installCommand(f.variant)}\`, or correct TFE_NODE_RUNTIME if it names this folder.`,
  },
  TFE_RUNTIME_NOT_AN_IMAGE: {
    phase: 'install',
    message: (f: { path: string; expected: string; problem: string; variant: string }) =>
      `${f.path} is not ${f.expected}: ${f.problem}.`,
    hint: (f: { path: string; expected: string; problem: string; variant: string }) =>
      `Run \`${installCommand(f.variant)}\` to replace it.`,
  },
  TFE_RUNTIME_CHANGED: {
    phase: 'install',
    message: (f: { path: string; what: string; recorded: string; found: string }) =>
      `${f.path} was changed or replaced since it was checked: its ${f.what} was ${f.recorded} and is ${f.found}.`,
    hint:
      'Run `npx tfe-node runtime verify`: it hashes the file and, when the content is still the pinned one (a copied or restored folder), records it anew. ' +
      'Otherwise run `npx tfe-node runtime install`.',
  },
  TFE_RUNTIME_UNPINNED: {
    phase: 'install',
    message: (f: { path: string; size: number; expected: readonly number[]; version: string }) =>
      `${f.path} has ${bytes(f.size)}, but that file of TensorFlow ${f.version} has ${f.expected.join(' or ')}: it belongs to another version or build.`,
    hint: (f: { path: string; size: number; expected: readonly number[]; version: string }) =>
      `Let TFE_NODE_RUNTIME name a folder with the libraries of TensorFlow ${f.version}, or unset it and run \`${INSTALL}\`.`,
  },
  TFE_RUNTIME_HASH: {
    phase: 'install',
    message: (f: { path: string; sha256: string; expected: string; variant: string }) =>
      `${f.path} has the SHA-256 ${f.sha256}, but ${f.expected} is pinned: its content is not that of the published library.`,
    hint: (f: { path: string; sha256: string; expected: string; variant: string }) =>
      `Run \`${installCommand(f.variant, true)}\` to replace it.`,
  },
});
