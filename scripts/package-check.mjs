/**
 * Checks the package as users get it: packs it, reads the list of files, lints it (publint, attw), installs it into an
 * empty project with scripts off and no network, and uses it there from CommonJS, from ESM, from TypeScript and from the command line.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { isBuilt } from './lib/build-stamp.mjs';
import { ScriptError, runScript } from './lib/child.mjs';
import { ROOT } from './lib/files.mjs';
import { dualEntries, packageManifest } from './lib/package.mjs';
import { npmCommand } from './lib/tools.mjs';

const MODULES = join(ROOT, 'node_modules');

/** What must be in the tarball, and what must not; the second with the reason. */
const REQUIRED = [
  'package.json',
  'LICENSE',
  'README.md',
  'CHANGELOG.md',
  'docs/tensors.md',
  'CMakeLists.txt',
  'bin/tfe-node.js',
  'dist/THIRD_PARTY_LICENSES.md',
  'dist/lib/index.js',
  'dist/lib/index.d.ts',
  'dist/esm/index.mjs',
  'dist/esm/index.d.mts',
  'dist/lib/native/pin.json',
  'dist/lib/native/platforms.json',
  'dist/lib/native/symbols.json',
  'dist/lib/native/doctor-walk.js',
  'dist/lib/native/pin-probe.js',
  'native/addon.cc',
];
const FORBIDDEN = [
  [/^(test|scripts|examples|bench|build|node_modules|\.ci|\.cache)\//, 'is for the checkout only'],
  [/\.tsbuildinfo$/, "is the compiler's cache"],
  [/^dist\/\.build\.json$/, "is the build's stamp"],
  [/^(lib|plugins)\/.*\.ts$/, 'is source that dist holds compiled'],
  [/\.(node|so|dylib|dll)(\.\d+)*$/, 'is a binary of this machine'],
  [/(^|\/)\.(env|npmrc|git)/, 'is local configuration'],
  // npm forgets `gypfile: false` when it installs from a lock file, and then builds whatever has a binding.gyp.
  [/^binding\.gyp$/, 'makes npm ci start a build'],
];

function run(command, args, options = {}) {
  const result = spawnSync(command, args, {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
    ...options,
  });
  if (result.error !== undefined) throw new ScriptError(`${command}: ${result.error.message}`);
  return result;
}

function must(what, result) {
  if (result.status !== 0) {
    throw new ScriptError(`${what} failed.\n${result.stdout}${result.stderr}`.trimEnd());
  }
  return result.stdout;
}

function npm(args, options) {
  const { command, args: first } = npmCommand() ?? { command: 'npm', args: [] };
  return run(command, [...first, ...args], options);
}

function bin(name, file, args, options) {
  return run(process.execPath, [join(MODULES, name, file), ...args], { cwd: ROOT, ...options });
}

function pack(folder) {
  const out = must(
    'npm pack',
    npm(['pack', '--json', '--ignore-scripts', '--pack-destination', folder], { cwd: ROOT }),
  );
  const parsed = JSON.parse(out);
  const [report] = Array.isArray(parsed) ? parsed : Object.values(parsed);
  return { tarball: join(folder, report.filename), files: report.files, size: report.size };
}

function checkFiles({ files }) {
  const names = new Set(files.map(({ path }) => path));
  const faults = REQUIRED.filter((name) => !names.has(name)).map((name) => `${name} is missing`);
  for (const name of names) {
    for (const [pattern, reason] of FORBIDDEN) {
      if (pattern.test(name)) faults.push(`${name} ${reason}`);
    }
  }
  const cli = files.find(({ path }) => path === 'bin/tfe-node.js');
  if (cli !== undefined && (cli.mode & 0o777) !== 0o755) {
    faults.push(`bin/tfe-node.js has mode ${cli.mode.toString(8)}, not 755`);
  }
  if (faults.length > 0) throw new ScriptError(`the tarball is wrong:\n  ${faults.join('\n  ')}`);
}

function publint(tarball) {
  must('publint --strict', bin('publint', 'src/cli.js', ['run', tarball, '--strict']));
}

/** Profile node16: `engines` rules out the resolvers that know no exports map. */
function attw(tarball) {
  must(
    'attw',
    bin('@arethetypeswrong/cli', 'dist/index.js', [
      tarball,
      '--profile',
      'node16',
      '--no-definitely-typed',
      '--no-emoji',
      '--no-color',
    ]),
  );
}

function install(folder, tarball) {
  mkdirSync(folder);
  writeFileSync(
    join(folder, 'package.json'),
    JSON.stringify({ name: 'consumer', version: '1.0.0', private: true }),
  );
  must(
    'npm install of the tarball',
    npm(['install', '--ignore-scripts', '--offline', '--no-audit', '--no-fund', tarball], {
      cwd: folder,
    }),
  );
  // From the lock file and with scripts on: nothing of this package may run.
  must('npm ci', npm(['ci', '--offline', '--no-audit', '--no-fund'], { cwd: folder }));
  if (existsSync(join(folder, 'node_modules', 'tfe-node', 'build'))) {
    throw new ScriptError('npm ci built the addon, though no install script may run');
  }
}

/** Every value of every subpath is the same object from require and from import. */
function checkIdentity(folder, entries) {
  const script = `
    import { createRequire } from 'node:module';
    const require = createRequire(import.meta.url);
    for (const name of ${JSON.stringify(entries)}) {
      const cjs = require(name);
      const esm = await import(name);
      const wrong = [...new Set([...Object.keys(cjs), ...Object.keys(esm)])].filter((key) => cjs[key] !== esm[key]);
      if (wrong.length > 0) throw new Error(name + ': require and import differ in ' + wrong.join(', '));
    }
    const { Tensor } = await import('tfe-node');
    if (typeof Tensor !== 'function' || Tensor !== require('tfe-node').Tensor) throw new Error('two Tensor classes');`;
  writeFileSync(join(folder, 'identity.mjs'), script);
  must(
    'require and import from an empty project',
    run(process.execPath, ['identity.mjs'], { cwd: folder }),
  );
}

function checkCli(folder, version) {
  const out = must(
    'npx tfe-node --version',
    npm(['exec', '--offline', '--no', '--', 'tfe-node', '--version'], { cwd: folder }),
  );
  if (out.trim() !== version) {
    throw new ScriptError(
      `npx tfe-node --version says ${out.trim()}; package.json says ${version}`,
    );
  }
}

/** The declarations compile without a single development dependency of ours, in both module systems. */
function checkTypes(folder, entries) {
  const lines = entries.map(
    (name, i) => `import * as m${String(i)} from '${name}';\nvoid m${String(i)};\n`,
  );
  writeFileSync(join(folder, 'esm.mts'), lines.join(''));
  writeFileSync(join(folder, 'cjs.cts'), lines.join(''));
  writeFileSync(
    join(folder, 'tsconfig.json'),
    JSON.stringify({
      compilerOptions: {
        target: 'es2022',
        lib: ['es2023', 'esnext.disposable'],
        module: 'nodenext',
        strict: true,
        noEmit: true,
        skipLibCheck: false,
        exactOptionalPropertyTypes: true,
        types: ['node'],
        typeRoots: [join(MODULES, '@types')],
      },
      files: ['esm.mts', 'cjs.cts'],
    }),
  );
  must('type check of a consumer', bin('typescript', 'bin/tsc', ['-p', folder]));
}

await runScript('package-check', () => {
  if (!isBuilt(ROOT)) throw new ScriptError('dist is out of date. Run: npm run build');
  const manifest = packageManifest();
  const entries = dualEntries(manifest).map(({ subpath }) => `tfe-node${subpath.slice(1)}`);
  const folder = mkdtempSync(join(tmpdir(), 'tfe-node-pack-'));
  const consumer = join(folder, 'consumer');
  const packed = pack(folder);
  const checks = [
    ['the files in the tarball', () => checkFiles(packed)],
    ['publint', () => publint(packed.tarball)],
    ['attw', () => attw(packed.tarball)],
    ['installs with scripts off and no network', () => install(consumer, packed.tarball)],
    ['require and import give the same objects', () => checkIdentity(consumer, entries)],
    ['the command runs', () => checkCli(consumer, manifest.version)],
    ['the declarations stand alone', () => checkTypes(consumer, entries)],
  ];
  let failed = 0;
  try {
    for (const [what, check] of checks) {
      try {
        check();
        process.stdout.write(`package-check: ok: ${what}\n`);
      } catch (error) {
        if (!(error instanceof ScriptError)) throw error;
        failed += 1;
        process.stderr.write(`package-check: FAILED: ${what}: ${error.message}\n`);
      }
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  const size = `${String(packed.files.length)} files, ${(packed.size / 1024).toFixed(0)} kB packed`;
  if (failed > 0)
    throw new ScriptError(`${String(failed)} of ${String(checks.length)} checks failed (${size}).`);
  process.stdout.write(`package-check: ${size}\n`);
});
