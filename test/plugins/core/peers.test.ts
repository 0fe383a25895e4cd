/** Optional peers: found, refused when they do not fit, and named with the command that installs them. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, test } from '@jest/globals';

import manifest from '../../../package.json';
import {
  installCommand,
  loadPeer,
  oxcParser,
  oxcTransform,
  PEERS,
  scopeManager,
  type PeerName,
  type PeerRequire,
} from '../../../plugins/core/peers';
import { cleanScratchAfterEach, scratch } from '../../helpers/scratch';

cleanScratchAfterEach();

function requireFrom(
  find: (id: string) => string,
  load: (id: string) => unknown = () => ({}),
): PeerRequire {
  return Object.assign((id: string) => load(id), { resolve: find });
}

const missing = requireFrom((id) => {
  throw new Error(`Cannot find module '${id}'`);
});

test('the ranges are those of package.json', () => {
  const ranges = Object.fromEntries(
    Object.entries(PEERS).map(([name, { range }]) => [name, range]),
  );
  // koffi is the peer of `tfe-node pin check`, whose test holds its range.
  expect({ ...ranges, koffi: expect.any(String) }).toEqual(manifest.peerDependencies);
  for (const name of Object.keys(PEERS)) {
    expect(manifest.peerDependenciesMeta).toHaveProperty([name, 'optional'], true);
  }
});

test('the installed ones are loaded', () => {
  expect(typeof oxcParser().parseSync).toBe('function');
  expect(typeof scopeManager().analyze).toBe('function');
  expect(typeof oxcTransform().transformSync).toBe('function');
});

test('a missing one is named, with one command for all that are missing', () => {
  expect(() => loadPeer('oxc-parser', missing)).toThrow(
    expect.objectContaining({
      code: 'TFE_PEER_MISSING',
      message: expect.stringContaining("needs the package 'oxc-parser'"),
      hint:
        "Run: npm install --save-dev '@typescript-eslint/scope-manager@^8.74.0' " +
        "'oxc-parser@>=0.158.0 <1' 'oxc-transform@>=0.145.0 <1'",
    }),
  );
});

test('the command names only what is missing', () => {
  const only = requireFrom((id) => {
    if (id === 'oxc-parser') throw new Error('no');
    return '/nowhere/index.js';
  });
  expect(() => loadPeer('oxc-parser', only)).toThrow(
    expect.objectContaining({ hint: "Run: npm install --save-dev 'oxc-parser@>=0.158.0 <1'" }),
  );
  expect(installCommand(['oxc-parser'])).toBe("npm install --save-dev 'oxc-parser@>=0.158.0 <1'");
});

describe('versions', () => {
  function installed(name: PeerName, version: string | undefined): PeerRequire {
    const home = join(scratch(), name, version ?? 'none');
    mkdirSync(join(home, 'dist'), { recursive: true });
    writeFileSync(join(home, 'package.json'), JSON.stringify({ name, version }));
    writeFileSync(join(home, 'dist', 'package.json'), '{"type": "commonjs"}');
    return requireFrom(
      () => join(home, 'dist', 'index.js'),
      () => name,
    );
  }

  test.each<[PeerName, string]>([
    ['oxc-parser', '0.158.0'],
    ['oxc-parser', '0.200.1'],
    ['oxc-transform', '0.145.3'],
    ['oxc-transform', '0.200.0-beta.1'],
    ['@typescript-eslint/scope-manager', '8.99.0'],
  ])('%s %s is accepted', (name, version) => {
    expect(loadPeer(name, installed(name, version))).toBe(name);
  });

  test.each<[PeerName, string | undefined]>([
    ['oxc-parser', '0.157.9'],
    ['oxc-parser', '1.0.0'],
    ['oxc-transform', '0.144.9'],
    ['@typescript-eslint/scope-manager', '8.73.9'],
    ['@typescript-eslint/scope-manager', '7.18.0'],
    ['@typescript-eslint/scope-manager', '9.0.0'],
    ['oxc-transform', 'latest'],
    ['oxc-transform', undefined],
  ])('%s %s is refused with the range', (name, version) => {
    expect(() => loadPeer(name, installed(name, version))).toThrow(
      expect.objectContaining({
        code: 'TFE_PEER_VERSION',
        facts: expect.objectContaining({ name, range: PEERS[name].range }),
      }),
    );
  });
});

test('one that is installed but does not load is said to be broken', () => {
  const entry = require.resolve('@typescript-eslint/scope-manager');
  const broken = requireFrom(
    () => entry,
    () => {
      throw new Error('wrong ELF class');
    },
  );
  expect(() => loadPeer('@typescript-eslint/scope-manager', broken)).toThrow(
    expect.objectContaining({
      code: 'TFE_PEER_BROKEN',
      message: expect.stringContaining('wrong ELF class'),
    }),
  );
});
