/**
 * The steps of set-up, in order. Each says what it needs, whether its result is there and belongs to the present sources,
 * and how to make it. A result that was interrupted never counts as current: each step takes its proof away first
 * and gives it back last.
 */
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { availableParallelism } from 'node:os';
import { dirname, join } from 'node:path';

import { isBuilt } from './build-stamp.mjs';
import { stream } from './child.mjs';
import { hashInputs, readJson, walk } from './files.mjs';
import { chosenCxx, npmCommand } from './tools.mjs';

const LOCATE_MODULE = 'dist/lib/native/locate.js';

/** `.cache/setup.json`: what each native build was made of. */
class Stamps {
  constructor(root) {
    this.path = join(root, '.cache/setup.json');
  }

  read(name) {
    try {
      return JSON.parse(readFileSync(this.path, 'utf8'))[name] ?? {};
    } catch {
      return {};
    }
  }

  /** By rename: a reader never sees half a file. */
  write(name, value) {
    let all = {};
    try {
      all = JSON.parse(readFileSync(this.path, 'utf8'));
    } catch {
      // First write, or unreadable: the other stamps are lost and their steps repeated.
    }
    mkdirSync(dirname(this.path), { recursive: true });
    const staged = `${this.path}.${String(process.pid)}`;
    writeFileSync(staged, `${JSON.stringify({ ...all, [name]: value }, undefined, 2)}\n`);
    renameSync(staged, this.path);
  }
}

function runsHere(entry, libc) {
  const admits = (list, value) =>
    list === undefined ||
    (list.some((name) => name.startsWith('!'))
      ? !list.includes(`!${value}`)
      : list.includes(value) || list.includes('any'));
  return (
    admits(entry.os, process.platform) &&
    admits(entry.cpu, process.arch) &&
    (process.platform !== 'linux' || admits(entry.libc, libc()))
  );
}

function detectLibc() {
  const report = process.report;
  report.excludeNetwork = true;
  return report.getReport().header.glibcVersionRuntime === undefined ? 'musl' : 'glibc';
}

/**
 * npm itself records what it installed, last of all, in node_modules/.package-lock.json. Comparing that with the lock file
 * needs no stamp of ours, and a plain `npm install` by hand counts too.
 */
const dependencies = {
  name: 'dependencies',
  title: 'npm dependencies',
  tools: ['npm'],
  isCurrent({ root }) {
    const installed = join(root, 'node_modules/.package-lock.json');
    if (!existsSync(installed)) return false;
    let cached;
    const libc = () => (cached ??= detectLibc());
    try {
      const manifest = readJson(join(root, 'package.json'));
      const wanted = readJson(join(root, 'package-lock.json')).packages;
      const present = readJson(installed).packages;
      const declared = wanted[''] ?? {};
      for (const kind of ['dependencies', 'devDependencies', 'peerDependencies']) {
        if (JSON.stringify(manifest[kind] ?? {}) !== JSON.stringify(declared[kind] ?? {})) {
          return false;
        }
      }
      for (const [path, entry] of Object.entries(wanted)) {
        if (path === '') continue;
        const found = present[path];
        if (found === undefined) {
          if (!(entry.optional || entry.peer) || (entry.optional && runsHere(entry, libc))) {
            return false;
          }
        } else if (found.version !== entry.version || found.integrity !== entry.integrity) {
          return false;
        }
      }
      return Object.keys(present).every((path) => path in wanted);
    } catch {
      return false;
    }
  },
  async make({ root }) {
    rmSync(join(root, 'node_modules/.package-lock.json'), { force: true });
    const npm = npmCommand();
    // No dependency's install script is needed (package.json: allowScripts); this says so to older npm as well.
    // The log level is said because `npm --silent test` hands its own down, and would hide why this failed.
    const args = ['ci', '--include=dev', '--ignore-scripts', '--loglevel=error'];
    await stream(npm.command, [...npm.args, ...args], { cwd: root, what: 'npm ci' });
  },
};

const typescript = {
  name: 'typescript',
  title: 'TypeScript build',
  tools: [],
  isCurrent: ({ root }) => isBuilt(root),
  make: ({ root }) =>
    stream(process.execPath, [join(root, 'scripts/build.mjs')], {
      cwd: root,
      what: 'the TypeScript build (npm run build)',
    }),
};

/** A native target: where cmake-js builds it, from what, and with which of CMakeLists.txt's options. */
function nativeStep({ name, title, target, out, sources, options, isWanted }) {
  const binary = `${out}/Release/${target}.node`;
  const cmakeOptions = () => ({
    ...options,
    ...(process.env.TFE_WERROR === '1' ? { TFE_WERROR: 'ON' } : {}),
  });
  /** What makes an existing build folder unusable; anything else is left to ninja or make. */
  const configuration = (root) =>
    hashInputs(root, [], {
      root,
      node: process.versions.modules,
      arch: process.arch,
      cxx: process.env.CXX ?? '',
      options: cmakeOptions(),
      cmakeJs: readJson(join(root, 'node_modules/cmake-js/package.json')).version,
    });
  const inputs = (root) =>
    hashInputs(root, [...sources, 'CMakeLists.txt'], {
      configuration: configuration(root),
      binary: readJson(join(root, 'package.json')).binary,
      addonApi: readJson(join(root, 'node_modules/node-addon-api/package.json')).version,
    });
  return {
    name,
    title,
    tools: ['cmake', 'make', 'cxx'],
    isWanted: ({ root }) => isWanted(root),
    isCurrent({ root, stamps }) {
      if (!existsSync(join(root, binary))) return false;
      if (!existsSync(join(root, 'node_modules/cmake-js/package.json'))) return false;
      return stamps.read(name).inputs === inputs(root);
    },
    async make({ root, stamps, force }) {
      const before = stamps.read(name);
      const now = { configuration: configuration(root) };
      const buildFiles = ['build.ninja', 'Makefile'].some((file) =>
        existsSync(join(root, out, file)),
      );
      const reusable =
        !force &&
        buildFiles &&
        before.running !== true && // a killed compiler may have left half an object file
        before.configuration === now.configuration;
      stamps.write(name, { ...now, running: true });
      const cxx = chosenCxx();
      const hash = inputs(root);
      try {
        await stream(
          process.execPath,
          [
            join(root, 'node_modules/cmake-js/bin/cmake-js'),
            reusable ? 'build' : 'rebuild',
            '--out',
            out,
            '--target',
            target,
            '--parallel',
            String(availableParallelism()),
            '--log-level',
            'warn',
            ...Object.entries(cmakeOptions()).map(([key, value]) => `--CD${key}=${value}`),
            ...(cxx === undefined ? [] : ['--cxx', cxx, '--cc', cxx]),
          ],
          { cwd: root, what: `the ${title}` },
        );
      } catch (error) {
        // An interrupted build stays marked as running; a compile error does not cost the good object files.
        if (error.exitCode === 1) stamps.write(name, now);
        throw error;
      }
      stamps.write(name, { ...now, inputs: hash });
    },
  };
}

const addon = nativeStep({
  name: 'addon',
  title: 'addon build',
  target: 'tfe_node',
  out: 'build/cmake',
  sources: ['native'],
  options: {},
  isWanted: () => true,
});

const bench = nativeStep({
  name: 'bench',
  title: 'C benchmark build',
  target: 'tfe_bench',
  out: 'build/bench',
  sources: ['native', 'bench/native'],
  options: { TFE_BENCH: 'ON' },
  isWanted: (root) => walk(root, ['bench/native']).some((file) => file.endsWith('.cc')),
});

const library = {
  name: 'library',
  title: 'TensorFlow library',
  tools: ['pip'],
  isCurrent({ root }) {
    // Asked of the present dist only: a module of an older one would stay loaded after the build.
    if (!isBuilt(root)) return false;
    try {
      createRequire(import.meta.url)(join(root, LOCATE_MODULE)).locateRuntime();
      return true;
    } catch {
      return false;
    }
  },
  make: ({ root }) =>
    stream(process.execPath, [join(root, 'bin/tfe-node.js'), 'runtime', 'install'], {
      cwd: root,
      what: 'tfe-node runtime install',
    }),
};

/** In order. `bench` is for `npm run bench` alone. */
export const STEPS = [dependencies, typescript, addon, library, bench];
export const DEFAULT_STEPS = ['dependencies', 'typescript', 'addon', 'library'];

export function stepContext(root, force) {
  return { root, force, stamps: new Stamps(root) };
}
