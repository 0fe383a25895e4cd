/**
 * Where things lie. Owns the rules that lead from environment variables to a folder; reads no file and makes none.
 */
import { homedir } from 'node:os';
import { isAbsolute, join, normalize } from 'node:path';
import { tfeError } from '../errors';
import { TENSORFLOW_VERSION } from '../version';
import type { Variant } from './pin';
import type { PlatformId } from './platforms';

export type Environment = Readonly<Record<string, string | undefined>>;

/** Names in the installed folder that are not pinned files. */
export const MANIFEST_NAME = 'manifest.json';

export interface RuntimePlace {
  /** The folder that holds the two libraries directly. */
  readonly directory: string;
  /** `env`: `TFE_NODE_RUNTIME` names the folder; `cache`: it is this package's own. */
  readonly source: 'cache' | 'env';
}

/**
 * The user's home folder. In a container with a user that no file lists there may be none.
 *
 * @throws TFE_RUNTIME_ENVIRONMENT
 */
function homeFolder(): string {
  let home = '';
  try {
    home = homedir();
  } catch {
    // Neither HOME nor the system's list of users names one.
  }
  if (isAbsolute(home)) return home;
  throw tfeError('TFE_RUNTIME_ENVIRONMENT', {
    variable: 'HOME',
    value: home,
    expected: 'an absolute path: the library lies in the cache under it',
  });
}

/**
 * The folder under which every version and platform has its own: `$XDG_CACHE_HOME/tfe-node`, on every operating system.
 * The XDG specification says to ignore a relative value, so an absent, empty or relative one means `~/.cache`.
 *
 * @throws TFE_RUNTIME_ENVIRONMENT when it means that, and there is no home folder
 */
export function cacheRoot(env: Environment = process.env, home?: string): string {
  const xdg = env['XDG_CACHE_HOME'];
  const base =
    xdg !== undefined && isAbsolute(xdg) ? normalize(xdg) : join(home ?? homeFolder(), '.cache');
  return join(base, 'tfe-node');
}

/** The folder of one platform and variant in the cache: the default variant has the bare platform's name. */
export function cacheDirectory(
  platform: PlatformId,
  variant: Variant,
  env: Environment = process.env,
  home?: string,
): string {
  const name = variant === 'cpu' ? platform : `${platform}-${variant}`;
  return join(cacheRoot(env, home), TENSORFLOW_VERSION, name);
}

/**
 * Where the library is looked for and installed.
 *
 * @throws TFE_RUNTIME_ENVIRONMENT when `TFE_NODE_RUNTIME` is not an absolute path: a relative one would
 *   name another folder in every working directory.
 */
export function runtimePlace(
  platform: PlatformId,
  variant: Variant,
  env: Environment = process.env,
  home?: string,
): RuntimePlace {
  const named = env['TFE_NODE_RUNTIME'];
  if (named === undefined || named === '') {
    return { directory: cacheDirectory(platform, variant, env, home), source: 'cache' };
  }
  if (!isAbsolute(named)) {
    throw tfeError('TFE_RUNTIME_ENVIRONMENT', {
      variable: 'TFE_NODE_RUNTIME',
      value: named,
      expected: 'the absolute path of the folder that holds the two libraries',
    });
  }
  // Without a trailing slash, so that its parent is the folder's and not the folder itself.
  const directory = normalize(named);
  return {
    directory: directory.length > 1 ? directory.replace(/\/+$/u, '') : directory,
    source: 'env',
  };
}

/**
 * Whether every load hashes the libraries.
 *
 * @throws TFE_RUNTIME_ENVIRONMENT when `TFE_NODE_VERIFY` is neither empty nor `full`.
 */
export function verifiesFully(env: Environment = process.env): boolean {
  const value = env['TFE_NODE_VERIFY'];
  if (value === undefined || value === '') return false;
  if (value === 'full') return true;
  throw tfeError('TFE_RUNTIME_ENVIRONMENT', {
    variable: 'TFE_NODE_VERIFY',
    value,
    expected: "'full' (hash both libraries at every load)",
  });
}
