/**
 * `tfe.config.json|cjs|mjs|js`, or the key `tfe` of package.json: which plugins are active and what the fallback policy
 * is. Finds, reads and checks; every mistake is a typed error that names the file and the key.
 */
import { isAbsolute, resolve } from 'node:path';

import { isTfeError, tfeError } from '../../lib/errors';
import { lilconfigSync, type LilconfigResult } from '../../lib/vendor/lilconfig';
import {
  array,
  optional,
  picklist,
  safeParse,
  strictObject,
  string,
} from '../../lib/vendor/valibot';
import type { Plugin } from './api';
import { nodeRequire } from './peers';

export type FallbackPolicy = 'site' | 'function';

export interface LoadedConfig {
  /** The file that was read; `null` when there is none. */
  readonly file: string | null;
  /** Plugins that it names, loaded. */
  readonly plugins: readonly Plugin[];
  readonly fallback: FallbackPolicy | null;
}

const SCHEMA = strictObject({
  plugins: optional(array(string())),
  fallback: optional(picklist(['site', 'function'])),
});

export const CONFIG_FILES = [
  'tfe.config.json',
  'tfe.config.cjs',
  'tfe.config.mjs',
  'tfe.config.js',
  'package.json',
] as const;

function messageOf(cause: unknown): string {
  const text =
    cause instanceof Error ? cause.message : String((cause as Error | null)?.message ?? cause);
  return text.replace(/\s*\n[\s\S]*$/, '').replace(/\.$/, '');
}

function unreadable(file: string, cause: unknown): never {
  throw tfeError('TFE_CONFIG_UNREADABLE', { file, problem: messageOf(cause) }, { cause });
}

function loadJson(file: string, content: string): unknown {
  try {
    return JSON.parse(content.replace(/^\uFEFF/, ''));
  } catch (cause) {
    return unreadable(file, cause);
  }
}

function loadModule(file: string): unknown {
  try {
    const module = nodeRequire(file)(file) as { __esModule?: boolean; default?: unknown };
    return typeof module === 'object' && module !== null && 'default' in module
      ? module.default
      : module;
  } catch (cause) {
    return unreadable(file, cause);
  }
}

function searcher() {
  return lilconfigSync('tfe', {
    searchPlaces: [...CONFIG_FILES],
    packageProp: 'tfe',
    cache: false,
    loaders: {
      '.json': loadJson,
      '.js': loadModule,
      '.cjs': loadModule,
      '.mjs': loadModule,
    },
  });
}

/**
 * Reads the configuration: the file named `explicit`, or the nearest one from `cwd` upwards.
 *
 * Throws `TFE_CONFIG_UNREADABLE`, `TFE_CONFIG_INVALID` or `TFE_CONFIG_PLUGIN`.
 */
export function loadConfig(cwd: string, explicit?: string): LoadedConfig {
  let result: LilconfigResult;
  const named =
    explicit === undefined ? null : isAbsolute(explicit) ? explicit : resolve(cwd, explicit);
  try {
    result = named === null ? searcher().search(cwd) : searcher().load(named);
  } catch (cause) {
    if (isTfeError(cause)) throw cause;
    return unreadable(named ?? cwd, cause);
  }
  if (result === null) return { file: null, plugins: [], fallback: null };
  const file = result.filepath;
  if (named !== null && (result.config === null || result.config === undefined)) {
    return unreadable(file, 'it has no configuration in it');
  }
  if (Array.isArray(result.config)) {
    // A list is an object to the schema.
    const problem = 'expected Object, found Array';
    throw tfeError('TFE_CONFIG_INVALID', { file, key: '(the whole)', problem });
  }
  const checked = safeParse(SCHEMA, result.isEmpty === true ? {} : result.config);
  if (!checked.success) {
    const [issue] = checked.issues;
    const key = issue.path?.map((item) => String(item.key)).join('.') ?? '(the whole)';
    const problem =
      issue.type === 'strict_object' && issue.path !== undefined
        ? 'the key is not known'
        : `expected ${issue.expected ?? 'another value'}, found ${issue.received}`;
    throw tfeError('TFE_CONFIG_INVALID', { file, key, problem });
  }
  const { plugins = [], fallback = null } = checked.output;
  return { file, plugins: plugins.map((specifier) => loadPlugin(file, specifier)), fallback };
}

function loadPlugin(file: string, specifier: string): Plugin {
  const fail = (problem: string, cause?: unknown): never => {
    throw tfeError('TFE_CONFIG_PLUGIN', { file, specifier, problem }, { cause });
  };
  let module: unknown;
  try {
    module = nodeRequire(file)(specifier);
  } catch (cause) {
    return fail(messageOf(cause), cause);
  }
  const plugin = (module as { plugin?: unknown } | null | undefined)?.plugin;
  return typeof plugin === 'object' && plugin !== null
    ? (plugin as Plugin)
    : fail("it does not export 'plugin'");
}

/** The policy that applies: command line, then `TFE_NODE_FALLBACK`, then configuration, then `site`. */
export function fallbackPolicy(sources: {
  readonly commandLine: string | undefined;
  readonly environment: string | undefined;
  readonly config: FallbackPolicy | null;
}): FallbackPolicy {
  const { commandLine, environment, config } = sources;
  if (commandLine !== undefined) return checkPolicy('--fallback', commandLine);
  // Set to nothing is not set, as elsewhere in the shell.
  if (environment !== undefined && environment !== '') {
    return checkPolicy('TFE_NODE_FALLBACK', environment);
  }
  return config ?? 'site';
}

function checkPolicy(source: string, value: string): FallbackPolicy {
  if (value === 'site' || value === 'function') return value;
  throw tfeError('TFE_FALLBACK_POLICY', { source, value });
}
