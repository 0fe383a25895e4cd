/**
 * The native build has two descriptions, because gyp knows no globs and cmake-js needs no gyp. They may differ in nothing
 * but syntax.
 */
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';

const ROOT = join(__dirname, '../..');
const cmake = readFileSync(join(ROOT, 'CMakeLists.txt'), 'utf8');

interface GypTarget {
  readonly target_name: string;
  readonly sources: readonly string[];
  readonly defines: readonly string[];
  readonly dependencies: readonly string[];
  readonly conditions: readonly (readonly [string, { readonly ldflags?: readonly string[] }])[];
}

/** binding.gyp is a Python literal; ours is JSON but for comments, trailing commas and the quotes of one condition. */
function gypTarget(): GypTarget {
  const json = readFileSync(join(ROOT, 'binding.gyp'), 'utf8')
    .replace(/^\s*#.*$/gm, '')
    .replace(/,(\s*[\]}])/g, '$1');
  const { targets } = JSON.parse(json) as { targets: GypTarget[] };
  expect(targets).toHaveLength(1);
  return targets[0]!;
}

function cmakeSources(): string[] {
  const list = /set\(TFE_NODE_SOURCES([^)]*)\)/.exec(cmake);
  return list![1]!.trim().split(/\s+/);
}

describe('the two native builds', () => {
  test('list every file of native/, sorted, and no other', () => {
    const onDisk = readdirSync(join(ROOT, 'native'))
      .filter((name) => name.endsWith('.cc'))
      .map((name) => `native/${name}`)
      .sort();
    expect(onDisk.length).toBeGreaterThan(0);
    expect(cmakeSources()).toEqual(onDisk);
    expect(gypTarget().sources).toEqual(onDisk);
  });

  test('make the same module', () => {
    expect(cmake).toContain('add_library(tfe_node MODULE');
    expect(gypTarget().target_name).toBe('tfe_node');
  });

  test('set the same defines', () => {
    const body = /target_compile_definitions\(\$\{target\} PRIVATE([^)]*)\)/.exec(cmake);
    const fromCmake = body![1]!.trim().split(/\s+/).sort();
    const { defines, dependencies } = gypTarget();
    // node-addon-api's own gyp target brings the two that switch C++ exceptions on.
    expect(dependencies.join()).toMatch(/:node_addon_api_except_all$/);
    const fromGyp = [
      ...defines,
      'NODE_ADDON_API_CPP_EXCEPTIONS',
      'NODE_ADDON_API_CPP_EXCEPTIONS_ALL',
    ].sort();
    expect(fromCmake).toEqual(fromGyp);
  });

  test('never let the addon be unloaded on Linux', () => {
    expect(cmake).toContain('-Wl,-z,nodelete');
    expect(gypTarget().conditions).toContainEqual([
      "OS=='linux'",
      expect.objectContaining({ ldflags: ['-Wl,-z,nodelete'] }),
    ]);
  });
});
