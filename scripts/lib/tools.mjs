/**
 * The programs that set-up needs but cannot install: how to find each, and the command that installs it. A table with
 * one reader. Each is looked for only when a step that needs it is due.
 */
import { spawnSync } from 'node:child_process';
import { accessSync, constants, existsSync, readFileSync } from 'node:fs';
import { basename, delimiter, join } from 'node:path';

/** The first of `names` on the PATH, or undefined. */
function onPath(...names) {
  const suffixes = process.platform === 'win32' ? ['.exe', '.cmd', '.bat', ''] : [''];
  for (const name of names) {
    for (const folder of (process.env.PATH ?? '').split(delimiter)) {
      for (const suffix of suffixes) {
        const path = join(folder, name + suffix);
        try {
          accessSync(path, constants.X_OK);
          return path;
        } catch {
          // Not here.
        }
      }
    }
  }
  return undefined;
}

function answers(command, args, options = {}) {
  return spawnSync(command, args, {
    stdio: ['pipe', 'pipe', 'pipe'],
    encoding: 'utf8',
    ...options,
  });
}

const CXX17_PROBE =
  '#include <optional>\n#include <string_view>\nint main() { if constexpr (true) return std::optional<int>{0}.value(); }\n';

/** Undefined, or why `command` (which may carry arguments, as CXX may) does not compile C++17. */
function cxxFault(command) {
  const [program, ...args] = command.split(/\s+/);
  const probe = answers(program, [...args, '-std=c++17', '-fsyntax-only', '-x', 'c++', '-'], {
    input: CXX17_PROBE,
  });
  if (probe.error !== undefined) return probe.error.message;
  return probe.status === 0 ? undefined : (probe.stderr.trim().split('\n')[0] ?? 'no reason given');
}

function findCxx() {
  const chosen = process.env.CXX;
  const candidates = chosen ? [chosen] : ['c++', 'g++', 'clang++'].filter((name) => onPath(name));
  const faults = [];
  for (const command of candidates) {
    const fault = cxxFault(command);
    if (fault === undefined) return { command };
    faults.push(`${chosen ? 'CXX=' : ''}${command}: ${fault}`);
  }
  return { fault: faults.join('; ') };
}

/** The candidates of lib/native/pip.ts. Each is run: a shim without a Python behind it is no pip. */
function findPip() {
  const own = process.env.TFE_NODE_PIP?.trim();
  const candidates = own
    ? [existsSync(own) ? [own] : own.split(/\s+/)]
    : [['pip'], ['pip3'], ['python3', '-m', 'pip'], ['python', '-m', 'pip']];
  for (const [program, ...args] of candidates) {
    if (answers(program, [...args, '--version']).status === 0) return { command: program };
  }
  return own ? { fault: `TFE_NODE_PIP=${own} does not run` } : {};
}

/** npm as a command with its first arguments: the one that runs this script, else the one on the PATH. */
export function npmCommand() {
  const running = process.env.npm_execpath;
  if (running !== undefined && basename(running) === 'npm-cli.js' && existsSync(running)) {
    return { command: process.execPath, args: [running] };
  }
  const command = onPath('npm');
  return command === undefined ? undefined : { command, args: [] };
}

const INSTALL = {
  'Debian/Ubuntu': (packages) => `sudo apt-get install -y ${packages}`,
  Fedora: (packages) => `sudo dnf install -y ${packages}`,
  macOS: (command) => command,
};

/** `find` returns `{command}`, or `{fault}` where something is there that does not do. */
const TOOLS = {
  npm: {
    what: 'npm',
    find: () => npmCommand() ?? {},
    install: { 'Debian/Ubuntu': 'npm', Fedora: 'nodejs-npm', macOS: 'brew install node' },
  },
  cmake: {
    what: 'cmake (3.15 or later)',
    find: () => {
      const command = onPath('cmake');
      if (command === undefined) return {};
      const version = /(\d+)\.(\d+)/.exec(answers(command, ['--version']).stdout ?? '');
      const [major, minor] = (version ?? [0, 0, 0]).slice(1).map(Number);
      return major > 3 || (major === 3 && minor >= 15)
        ? { command }
        : { fault: `${command} is version ${version?.[0] ?? 'unknown'}` };
    },
    install: { 'Debian/Ubuntu': 'cmake', Fedora: 'cmake', macOS: 'brew install cmake' },
  },
  make: {
    what: 'ninja or make',
    find: () => {
      const command = onPath('ninja', 'make');
      return command === undefined ? {} : { command };
    },
    install: { 'Debian/Ubuntu': 'make', Fedora: 'make', macOS: 'xcode-select --install' },
  },
  cxx: {
    what: 'a C++17 compiler (CXX, or c++, g++ or clang++ on the PATH)',
    find: findCxx,
    install: { 'Debian/Ubuntu': 'g++', Fedora: 'gcc-c++', macOS: 'xcode-select --install' },
  },
  pip: {
    what: "Python's pip (it fetches the TensorFlow library)",
    find: findPip,
    install: {
      'Debian/Ubuntu': 'python3-pip',
      Fedora: 'python3-pip',
      macOS: 'brew install python',
    },
  },
};

/** The system's row of the install commands; undefined where it is none of ours, and then all are shown. */
function system() {
  if (process.platform === 'darwin') return 'macOS';
  try {
    const release = readFileSync('/etc/os-release', 'utf8');
    if (/^ID(_LIKE)?=.*\b(debian|ubuntu)\b/m.test(release)) return 'Debian/Ubuntu';
    if (/^ID(_LIKE)?=.*\b(fedora|rhel)\b/m.test(release)) return 'Fedora';
  } catch {
    // No such file.
  }
  return undefined;
}

function howTo(install) {
  const here = system();
  return Object.entries(install)
    .filter(([name]) => here === undefined || name === here)
    .map(([name, packages]) => `    ${name}: ${INSTALL[name](packages)}`)
    .join('\n');
}

/** What is missing of `names` (keys of the table above): one paragraph each, with the command that installs it. */
export function missingTools(names) {
  const missing = [];
  for (const name of names) {
    const { what, find, install } = TOOLS[name];
    const { command, fault } = find();
    if (command === undefined) {
      missing.push(
        `  ${what} is missing${fault ? ` (${fault})` : ''}. Install it:\n${howTo(install)}`,
      );
    }
  }
  return missing;
}

/** The compiler that cmake is told to use; undefined leaves the choice to CXX, which cmake reads itself. */
export function chosenCxx() {
  return process.env.CXX ? undefined : findCxx().command;
}
