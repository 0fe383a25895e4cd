/** What package.json and the lock file promise to whoever installs this package. */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { describe, expect, test } from '@jest/globals';

const ROOT = join(__dirname, '../..');

interface Target {
  readonly types: string;
  readonly default: string;
}

interface Manifest {
  readonly version: string;
  readonly gypfile: boolean;
  readonly license: string;
  readonly bin: Readonly<Record<string, string>>;
  readonly engines: { readonly node: string };
  readonly binary: { readonly napi_versions: readonly number[] };
  readonly scripts: Readonly<Record<string, string>>;
  readonly exports: Readonly<Record<string, string | { import: Target; require: Target }>>;
  readonly dependencies?: object;
  readonly optionalDependencies?: object;
  readonly devDependencies: Readonly<Record<string, string>>;
  readonly peerDependencies: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta: Readonly<Record<string, { readonly optional?: boolean }>>;
  readonly allowScripts: Readonly<Record<string, boolean>>;
}

interface LockEntry {
  readonly resolved?: string;
  readonly integrity?: string;
  readonly hasInstallScript?: boolean;
}

function json(name: string): unknown {
  return JSON.parse(readFileSync(join(ROOT, name), 'utf8'));
}

const manifest = json('package.json') as Manifest;
const lock = json('package-lock.json') as {
  readonly packages: Readonly<Record<string, LockEntry>>;
};
const dualEntries = Object.entries(manifest.exports).filter(
  (entry): entry is [string, { import: Target; require: Target }] => typeof entry[1] === 'object',
);

describe('package.json', () => {
  test('has no dependency that a user would install', () => {
    expect(manifest.dependencies ?? {}).toEqual({});
    expect(manifest.optionalDependencies ?? {}).toEqual({});
  });

  test('makes every peer optional, and develops against each', () => {
    for (const name of Object.keys(manifest.peerDependencies)) {
      expect(manifest.peerDependenciesMeta).toHaveProperty([name], { optional: true });
      expect(Object.keys(manifest.devDependencies)).toContain(name);
    }
  });

  test('keeps npm from building the addon by itself', () => {
    expect(manifest.gypfile).toBe(false);
    for (const hook of ['preinstall', 'install', 'postinstall', 'prepare']) {
      expect(manifest.scripts).not.toHaveProperty(hook);
    }
  });

  test('builds for Node-API 9, the highest that Node 20 loads', () => {
    expect(manifest.binary.napi_versions).toEqual([9]);
    expect(manifest.engines.node).toBe('>=20.19.0');
  });

  test('says the version that the library says', () => {
    const source = readFileSync(join(ROOT, 'lib/version.ts'), 'utf8');
    expect(source).toContain(`PACKAGE_VERSION = '${manifest.version}'`);
  });

  test('has types for every subpath in both module systems', () => {
    expect(dualEntries.length).toBeGreaterThan(0);
    for (const [, target] of dualEntries) {
      expect(target.import.types).toMatch(/\.d\.mts$/);
      expect(target.import.default).toMatch(/\.mjs$/);
      expect(target.require.types).toMatch(/\.d\.ts$/);
      expect(target.require.default).toMatch(/\.js$/);
    }
  });
});

describe('package-lock.json', () => {
  const installed = Object.entries(lock.packages).filter(([path]) => path !== '');

  test('names no registry, so that any mirror serves it', () => {
    const withHost = installed.filter(([, entry]) => entry.resolved !== undefined);
    expect(withHost.map(([path]) => path)).toEqual([]);
  });

  test('pins every package by content', () => {
    const unpinned = installed.filter(([, entry]) => entry.integrity === undefined);
    expect(unpinned.map(([path]) => path)).toEqual([]);
  });

  test('lets no dependency run an install script', () => {
    const names = installed
      .filter(([, entry]) => entry.hasInstallScript === true)
      .map(([path]) => path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length));
    for (const name of names) expect(manifest.allowScripts).toHaveProperty([name], false);
    expect(Object.values(manifest.allowScripts)).not.toContain(true);
  });
});

describe('the command', () => {
  const cli = manifest.bin['tfe-node']!;

  test('is executable, so that npx works in a clone', () => {
    const { mode } = statSync(join(ROOT, cli));
    expect(mode & 0o111).toBe(0o111);
    expect(readFileSync(join(ROOT, cli), 'utf8')).toMatch(/^#!\/usr\/bin\/env node\n/);
    const staged = spawnSync('git', ['ls-files', '--stage', '--', cli], {
      cwd: ROOT,
      encoding: 'utf8',
    });
    // Untracked before its first commit, and unknown where there is no git.
    if (staged.status === 0 && staged.stdout !== '') expect(staged.stdout).toMatch(/^100755 /);
  });
});

describe('the ESM wrappers', () => {
  // In a process of its own: jest would need experimental flags to import a module.
  const script = `
    import { createRequire } from 'node:module';
    const require = createRequire(process.argv[1] + '/');
    const rows = [];
    for (const [subpath, cjsPath, esmPath] of JSON.parse(process.argv[2])) {
      const cjs = require(process.argv[1] + '/' + cjsPath);
      const esm = await import('file://' + process.argv[1] + '/' + esmPath);
      const names = Object.keys(cjs).sort();
      rows.push({ subpath, cjs: names, esm: Object.keys(esm).sort(), differing: names.filter((name) => cjs[name] !== esm[name]) });
    }
    process.stdout.write(JSON.stringify(rows));`;

  test('export what the CommonJS modules export, and the same objects', () => {
    const paths = dualEntries.map(([subpath, target]) => [
      subpath,
      target.require.default,
      target.import.default,
    ]);
    for (const path of paths.flatMap(([, ...both]) => both)) {
      expect({ path, built: existsSync(join(ROOT, path)) }).toEqual({ path, built: true });
    }
    const output = execFileSync(
      process.execPath,
      ['--input-type=module', '-e', script, ROOT, JSON.stringify(paths)],
      { encoding: 'utf8' },
    );
    const rows = JSON.parse(output) as {
      subpath: string;
      cjs: string[];
      esm: string[];
      differing: string[];
    }[];
    expect(rows).toHaveLength(paths.length);
    for (const { subpath, cjs, esm, differing } of rows) {
      expect({ subpath, exports: esm, differing }).toEqual({
        subpath,
        exports: cjs,
        differing: [],
      });
    }
  });

  test('declare what the CommonJS declarations declare', () => {
    for (const [subpath, target] of dualEntries) {
      const text = readFileSync(join(ROOT, target.import.types), 'utf8');
      const from = /^export \* from '(.+)\.js';$/m.exec(text);
      expect({ subpath, from: from?.[1] }).toEqual({
        subpath,
        from: posix
          .relative(dirname(target.import.types), target.require.types)
          .replace(/\.d\.ts$/, ''),
      });
    }
  });
});

describe('the published declarations', () => {
  const read = (path: string) => readFileSync(join(ROOT, 'dist', path), 'utf8');

  test('leave out what is internal, and the constructor of tensors with it', () => {
    const all = readdirSync(join(ROOT, 'dist'), { recursive: true, encoding: 'utf8' });
    const files = all.filter((path) => /\.d\.m?ts$/.test(path));
    expect(files).toContain(join('lib', 'tensor', 'tensor.d.ts'));
    expect(files.filter((path) => read(path).includes('@internal'))).toEqual([]);
    expect(read('lib/tensor/tensor.d.ts')).toContain('private constructor();');
  });

  test('say what each function of tf does', () => {
    const text = read('lib/tf.d.ts');
    const lines = text.slice(text.indexOf('export declare const tf:')).split('\n');
    // The text of a function that is named by `typeof` stands at its declaration.
    const members = lines.flatMap((line, i) => {
      const [, name, type] = /^ +(\w+): (?!typeof|Readonly)(.+);$/.exec(line) ?? [];
      return name === undefined ? [] : [{ member: `${name}: ${type}`, before: lines[i - 1] }];
    });
    expect(members.length).toBeGreaterThan(10);
    expect(members.filter(({ before }) => before?.endsWith('*/') !== true)).toEqual([]);
  });
});
