/**
 * The optional peers of the analyser: loaded on first use, checked for their major, and named with the install command
 * when one is missing. Nothing else in `plugins/` may load them: a service that only runs lowered code installs none.
 */
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

import type * as OxcParser from 'oxc-parser';
import type * as OxcTransform from 'oxc-transform';
import type * as ScopeManagerModule from '@typescript-eslint/scope-manager';

import { messageOf } from '../../lib/describe';
import { tfeError } from '../../lib/errors';

interface Peer {
  /** The range of `peerDependencies` in package.json; a test compares the two. */
  readonly range: string;
  /** Whether a version is inside the range. */
  accepts(version: readonly [major: number, minor: number, patch: number]): boolean;
}

function atLeast(minimum: readonly number[], below: number): Peer['accepts'] {
  return (version) => {
    if (version[0] >= below) return false;
    for (let i = 0; i < 3; i++) {
      const difference = version[i]! - (minimum[i] ?? 0);
      if (difference !== 0) return difference > 0;
    }
    return true;
  };
}

export const PEERS = {
  '@typescript-eslint/scope-manager': { range: '^8.74.0', accepts: atLeast([8, 74, 0], 9) },
  'oxc-parser': { range: '>=0.158.0 <1', accepts: atLeast([0, 158, 0], 1) },
  'oxc-transform': { range: '>=0.145.0 <1', accepts: atLeast([0, 145, 0], 1) },
} as const satisfies Readonly<Record<string, Peer>>;

export type PeerName = keyof typeof PEERS;

/** The command that installs `names` with versions that this package accepts. */
export function installCommand(names: readonly PeerName[]): string {
  const specs = names.map((name) => `'${name}@${PEERS[name].range}'`);
  return `npm install --save-dev ${specs.join(' ')}`;
}

/** Finds and loads packages by name; a test gives one of its own. */
export type PeerRequire = ((id: string) => unknown) & { resolve(id: string): string };

/**
 * Node's own `require`, which can load ES modules on every supported Node. A test runner's sandbox cannot: jest hands
 * out a subclass of `Module` with a `createRequire` of its own, so the class that it extends is asked.
 */
export function nodeRequire(filename: string): PeerRequire {
  let module = process.getBuiltinModule('node:module');
  for (;;) {
    const parent = Object.getPrototypeOf(module) as typeof module | null;
    if (typeof parent?.createRequire !== 'function') return module.createRequire(filename);
    module = parent;
  }
}

const realRequire: PeerRequire = nodeRequire(__filename);

function versionOf(name: string, entry: string): string | null {
  for (let folder = dirname(entry); ; folder = dirname(folder)) {
    try {
      const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
        name?: unknown;
        version?: unknown;
      };
      if (manifest.name === name && typeof manifest.version === 'string') return manifest.version;
    } catch {
      // Not a package folder; its parent may be.
    }
    if (dirname(folder) === folder) return null;
  }
}

/** Loads a peer, or throws `TFE_PEER_MISSING` / `TFE_PEER_VERSION` / `TFE_PEER_BROKEN`. */
export function loadPeer(name: PeerName, requirePeer: PeerRequire = realRequire): unknown {
  let entry: string;
  try {
    entry = requirePeer.resolve(name);
  } catch (cause) {
    const missing = (Object.keys(PEERS) as PeerName[]).filter((peer) => {
      try {
        requirePeer.resolve(peer);
        return false;
      } catch {
        return true;
      }
    });
    throw tfeError(
      'TFE_PEER_MISSING',
      { name, missing, command: installCommand(missing) },
      { cause },
    );
  }
  const version = versionOf(name, entry);
  const parts = /^(\d+)\.(\d+)\.(\d+)/.exec(version ?? '');
  if (
    parts === null ||
    !PEERS[name].accepts([Number(parts[1]), Number(parts[2]), Number(parts[3])])
  ) {
    throw tfeError('TFE_PEER_VERSION', {
      name,
      found: version ?? 'unknown',
      range: PEERS[name].range,
      command: installCommand([name]),
    });
  }
  try {
    return requirePeer(name);
  } catch (cause) {
    throw tfeError('TFE_PEER_BROKEN', { name, reason: messageOf(cause) }, { cause });
  }
}

const loaded = new Map<PeerName, unknown>();

function once(name: PeerName): unknown {
  if (!loaded.has(name)) loaded.set(name, loadPeer(name));
  return loaded.get(name);
}

export function oxcParser(): typeof OxcParser {
  return once('oxc-parser') as typeof OxcParser;
}

export function oxcTransform(): typeof OxcTransform {
  return once('oxc-transform') as typeof OxcTransform;
}

export function scopeManager(): typeof ScopeManagerModule {
  return once('@typescript-eslint/scope-manager') as typeof ScopeManagerModule;
}
