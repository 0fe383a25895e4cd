/**
 * The active plugins, validated once when they are loaded. Everything that a plugin states about itself is checked
 * here, so that the analysis can rely on it; what it answers for a site is checked in `ask`.
 */
import { messageOf } from '../../lib/describe';
import { tfeError } from '../../lib/errors';
import {
  CORE_TYPES,
  PLUGIN_API_VERSION,
  type ClaimSite,
  type Plugin,
  type PluginType,
  type RuleRecord,
  type TypeKey,
  type Verdict,
} from './api';

/** What came of asking every plugin that a site was offered to. */
export interface Answer {
  readonly verdict: Verdict;
  /** Who claimed or rejected; `null` when nobody did. */
  readonly plugin: Plugin | null;
}

/** The active plugins as one: their types, what they cover, and the verdict of a site. */
export interface Registry {
  readonly plugins: readonly Plugin[];
  /** Tensor types by key. */
  readonly types: ReadonlyMap<TypeKey, PluginType>;
  /** The tensor type that a name of a module stands for. */
  typeOf(module: string, name: string): PluginType | null;
  /** The tensor type of `Tensor<dtype, rank>`. */
  typeBy(dtype: string, rank: number): PluginType | null;
  /** Modules that tensor types are imported from. */
  isTypeModule(module: string): boolean;
  /** Packages whose calls are offered to some plugin. */
  readonly packages: readonly string[];
  covers(module: string): boolean;
  /** Paths of `module` that plugins know; `complete` when every path that exists is among them. */
  symbolsOf(module: string): { readonly paths: readonly string[]; readonly complete: boolean };
  /** Names to annotate with, in the order of the vocabularies, for messages. */
  readonly vocabulary: string;
  isTensor(type: TypeKey | null): boolean;
  /** A type as a user would write it. */
  spell(type: TypeKey | null): string;
  /**
   * Offers a site: a call to the plugins that cover its package, a method or operator to the owners of its receiver
   * or operands. Throws when a plugin throws, answers what it may not, or two claim.
   */
  ask(site: ClaimSite): Answer;
}

const CORE: ReadonlySet<string> = new Set(CORE_TYPES);
const SCOPE_KINDS = new Set(['call', 'binop', 'type']);
const OUTCOMES = new Set(['native', 'reject', 'fallback']);
const STABILITIES = new Set(['stable', 'experimental']);

function invalid(pluginId: string, problem: string): never {
  throw tfeError('TFE_PLUGIN_INVALID', { pluginId, problem });
}

/** The segment of a plugin's diagnostic codes: `TENSORFLOW` of `tfe-tensorflow`. */
export function codeSegment(pluginId: string): string {
  return pluginId
    .replace(/^tfe-/, '')
    .replaceAll(/[^a-z0-9]/g, '')
    .toUpperCase();
}

function describe(value: unknown): string {
  if (value === null) return 'null';
  if (typeof value === 'string') return `'${value}'`;
  return Array.isArray(value) ? 'an array' : typeof value;
}

interface Loaded {
  readonly plugin: Plugin;
  readonly packages: ReadonlySet<string>;
  readonly symbols: readonly string[];
  readonly exports: readonly string[] | null;
  readonly rules: ReadonlyMap<string, RuleRecord>;
  readonly codes: ReadonlySet<string>;
  readonly types: readonly PluginType[];
  readonly verdicts: Map<string, Verdict>;
}

function strings(pluginId: string, value: unknown, what: string): readonly string[] {
  if (
    !Array.isArray(value) ||
    !value.every((item) => typeof item === 'string' && item.length > 0)
  ) {
    return invalid(pluginId, `${what} must be a list of names, and is ${describe(value)}`);
  }
  return value as string[];
}

function load(plugin: Plugin): Loaded {
  if (typeof plugin !== 'object' || plugin === null) {
    return invalid('?', `a plugin is an object, and this is ${describe(plugin)}`);
  }
  const id: unknown = plugin.id;
  if (typeof id !== 'string' || !/^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(id)) {
    return invalid(
      typeof id === 'string' ? id : '?',
      `its id must be lower-case words joined by '-', and is ${describe(id)}`,
    );
  }
  const version: unknown = plugin.apiVersion;
  if (typeof version !== 'string' || !/^(?:0|[1-9]\d*)\.(?:0|[1-9]\d*)$/.test(version)) {
    return invalid(id, `apiVersion must be '<major>.<minor>', and is ${describe(version)}`);
  }
  const [major] = PLUGIN_API_VERSION.split('.');
  if (version.split('.')[0] !== major) {
    return invalid(
      id,
      `it is written for plugin API ${version}; this host has ${PLUGIN_API_VERSION} (the major must match)`,
    );
  }
  for (const member of ['covers', 'describe', 'typeVocabulary', 'claim', 'lower'] as const) {
    if (typeof plugin[member] !== 'function') {
      return invalid(id, `${member}() is missing; the members arrive together`);
    }
  }
  const call = <T>(member: 'covers' | 'describe' | 'typeVocabulary', run: () => T): T => {
    try {
      return run();
    } catch (cause) {
      throw tfeError(
        'TFE_PLUGIN_THREW',
        { pluginId: id, member, target: 'loading', problem: messageOf(cause) },
        { cause },
      );
    }
  };

  const coverage = call('covers', () => plugin.covers());
  if (typeof coverage !== 'object' || coverage === null) {
    return invalid(id, `covers() must return an object, and returned ${describe(coverage)}`);
  }
  const packages = strings(id, coverage.packages, 'covers().packages');
  if (packages.length === 0) return invalid(id, 'covers().packages is empty');
  const symbols = strings(id, coverage.symbols, 'covers().symbols');
  const exports =
    coverage.exports === undefined ? null : strings(id, coverage.exports, 'covers().exports');

  const rules = new Map<string, RuleRecord>();
  const codes = new Set<string>();
  const segment = codeSegment(id);
  const records: unknown = call('describe', () => plugin.describe());
  if (!Array.isArray(records)) {
    return invalid(id, `describe() must return a list, and returned ${describe(records)}`);
  }
  for (const record of records as RuleRecord[]) {
    const ruleId: unknown = record?.id;
    if (typeof ruleId !== 'string' || !isNamespaced(ruleId, id)) {
      return invalid(id, `rule id ${describe(ruleId)} must be '${id}/<slug>'`);
    }
    if (rules.has(ruleId)) return invalid(id, `duplicate rule id '${ruleId}'`);
    if (!SCOPE_KINDS.has(record.scope?.kind) || typeof record.scope.pattern !== 'string') {
      return invalid(id, `the scope of rule '${ruleId}' is not {kind: call|binop|type, pattern}`);
    }
    if (!OUTCOMES.has(record.outcome) || !STABILITIES.has(record.stability)) {
      return invalid(id, `rule '${ruleId}' has an unknown outcome or stability`);
    }
    if (typeof record.constraint !== 'string' || typeof record.guidance !== 'string') {
      return invalid(id, `rule '${ruleId}' has no constraint or guidance`);
    }
    const code: unknown = record.diagnosticCode;
    const parts = /^TFEP-([A-Z0-9]+)-\d{3}$/.exec(typeof code === 'string' ? code : '');
    if (parts === null) {
      return invalid(id, `diagnostic code ${describe(code)} must be 'TFEP-<SEGMENT>-NNN'`);
    }
    if (parts[1] !== segment) {
      return invalid(id, `diagnostic code '${parts[0]}' must use the segment '${segment}'`);
    }
    if (codes.has(parts[0])) return invalid(id, `duplicate diagnostic code '${parts[0]}'`);
    codes.add(parts[0]);
    rules.set(ruleId, record);
  }

  const types: unknown = call('typeVocabulary', () => plugin.typeVocabulary());
  if (!Array.isArray(types)) {
    return invalid(id, `typeVocabulary() must return a list, and returned ${describe(types)}`);
  }
  const keys = new Set<string>();
  for (const type of types as PluginType[]) {
    const key: unknown = type?.key;
    if (typeof key !== 'string' || !isNamespaced(key, id)) {
      return invalid(id, `type key ${describe(key)} must be '${id}/<name>'`);
    }
    if (keys.has(key)) return invalid(id, `it declares type key '${key}' twice`);
    keys.add(key);
    if (!Array.isArray(type.annotations) || type.annotations.length === 0) {
      return invalid(id, `type '${key}' declares no annotation`);
    }
    for (const annotation of type.annotations as Partial<PluginType['annotations'][number]>[]) {
      if (typeof annotation?.module !== 'string' || typeof annotation.name !== 'string') {
        return invalid(id, `an annotation of type '${key}' is not {module, name}`);
      }
    }
    const rank: unknown = type.tensor?.rank;
    if (
      typeof type.tensor?.dtype !== 'string' ||
      typeof rank !== 'number' ||
      !Number.isInteger(rank) ||
      rank < 0
    ) {
      return invalid(id, `type '${key}' does not say dtype and rank`);
    }
  }
  return {
    plugin,
    packages: new Set(packages),
    symbols,
    exports,
    rules,
    codes,
    types: types as PluginType[],
    verdicts: new Map(),
  };
}

function isNamespaced(name: string, id: string): boolean {
  return name.startsWith(`${id}/`) && /^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(name.slice(id.length + 1));
}

/**
 * One text per site that differs in anything a plugin can see. Bigints are not JSON; `-0`, NaN and infinities are
 * told apart from what JSON writes for them.
 */
export function siteKey(site: ClaimSite): string {
  return JSON.stringify(site, (_key, value: unknown) => {
    if (typeof value === 'bigint') return { bigint: String(value) };
    if (typeof value === 'number' && !Number.isFinite(value)) return { number: String(value) };
    return value;
  });
}

/**
 * Validates plugins and joins them. The order in which they are given changes no answer.
 *
 * @throws TfeError `TFE_PLUGIN_INVALID` for what a plugin states wrongly about itself or takes from another,
 *   `TFE_PLUGIN_THREW` when it throws while it is asked
 */
export function createRegistry(plugins: readonly Plugin[]): Registry {
  const loaded: Loaded[] = [];
  const segments = new Map<string, string>();
  const types = new Map<TypeKey, PluginType>();
  const owners = new Map<TypeKey, Loaded>();
  const byName = new Map<string, PluginType>();
  const nameOwners = new Map<string, string>();
  for (const plugin of plugins) {
    const entry = load(plugin);
    const { id } = plugin;
    if (loaded.some((other) => other.plugin.id === id)) invalid(id, 'duplicate plugin id');
    const segment = codeSegment(id);
    const rival = segments.get(segment);
    if (rival !== undefined) {
      invalid(id, `it shares the diagnostic-code segment '${segment}' with '${rival}'`);
    }
    segments.set(segment, id);
    for (const type of entry.types) {
      types.set(type.key, type);
      owners.set(type.key, entry);
      for (const { module, name } of type.annotations) {
        const spelling = `${module}#${name}`;
        const other = nameOwners.get(spelling);
        if (other !== undefined) {
          invalid(
            id,
            `annotation '${name}' of '${module}' is claimed by both '${other}' and '${type.key}'`,
          );
        }
        nameOwners.set(spelling, type.key);
        byName.set(spelling, type);
      }
    }
    loaded.push(entry);
  }
  // Answers must not depend on the order in which plugins were named.
  loaded.sort((a, b) => (a.plugin.id < b.plugin.id ? -1 : 1));

  const typeModules = new Set(
    [...types.values()].flatMap((type) => type.annotations.map(({ module }) => module)),
  );
  const covered = new Set(loaded.flatMap((entry) => [...entry.packages]));
  const names = [...types.values()].map((type) => type.annotations[0]!.name);

  const isTensor = (type: TypeKey | null): boolean => type !== null && types.has(type);
  const spell = (type: TypeKey | null): string => {
    if (type === null) return 'of unknown type';
    return types.get(type)?.annotations[0]?.name ?? type;
  };

  const claim = (entry: Loaded, site: ClaimSite, key: string): Verdict => {
    const known = entry.verdicts.get(key);
    if (known !== undefined) return known;
    let verdict: Verdict;
    try {
      verdict = entry.plugin.claim(site);
    } catch (cause) {
      throw tfeError(
        'TFE_PLUGIN_THREW',
        {
          pluginId: entry.plugin.id,
          member: 'claim',
          target: site.target,
          problem: messageOf(cause),
        },
        { cause },
      );
    }
    check(entry, site, verdict);
    entry.verdicts.set(key, verdict);
    return verdict;
  };

  const check = (entry: Loaded, site: ClaimSite, verdict: Verdict): void => {
    const illegal = (problem: string): never => {
      throw tfeError('TFE_PLUGIN_VERDICT', {
        pluginId: entry.plugin.id,
        target: site.target,
        problem,
      });
    };
    const kind: unknown = verdict?.verdict;
    if (kind !== 'claimed' && kind !== 'rejected' && kind !== 'not covered') {
      illegal('claim() must return claimed, rejected or not covered');
    }
    const { resultType } = verdict;
    if (verdict.verdict === 'claimed') {
      const rule = entry.rules.get(verdict.ruleId);
      if (rule === undefined) {
        return illegal(`rule id '${String(verdict.ruleId)}' is not among its rules`);
      }
      if (rule.scope.kind !== site.kind) {
        illegal(`rule '${rule.id}' is for a ${rule.scope.kind}, the site is a ${site.kind}`);
      }
      if (typeof resultType !== 'string') illegal('it claims without a result type');
    }
    if (
      resultType !== null &&
      !(typeof resultType === 'string' && (CORE.has(resultType) || types.has(resultType)))
    ) {
      illegal(`result type ${describe(resultType)} is neither a core type nor a registered key`);
    }
    if (verdict.verdict === 'rejected') {
      const { code, message, suggestion } = verdict.diagnostic ?? {};
      if (!entry.codes.has(code)) {
        illegal(`it rejects with ${describe(code)}, which none of its rules declares`);
      }
      if (typeof message !== 'string' || typeof suggestion !== 'string') {
        illegal(`its rejection '${code}' has no message or suggestion`);
      }
    }
  };

  return {
    plugins: loaded.map(({ plugin }) => plugin),
    types,
    typeOf: (module, name) => byName.get(`${module}#${name}`) ?? null,
    typeBy: (dtype, rank) =>
      [...types.values()].find(({ tensor }) => tensor.dtype === dtype && tensor.rank === rank) ??
      null,
    isTypeModule: (module) => typeModules.has(module),
    packages: [...covered].sort(),
    covers: (module) => covered.has(module),
    symbolsOf(module) {
      const entries = loaded.filter(({ packages }) => packages.has(module));
      const paths = new Set<string>();
      for (const { symbols, exports } of entries) {
        for (const path of [...symbols, ...(exports ?? [])]) paths.add(path);
      }
      return {
        paths: [...paths].sort(),
        complete: entries.some(({ exports }) => exports !== null),
      };
    },
    vocabulary: names.join(', '),
    isTensor,
    spell,
    ask(site) {
      const operands = [...site.operandTypes, site.receiver?.type ?? null];
      const asked = loaded.filter((entry) =>
        site.kind === 'call' && site.receiver === null
          ? entry.packages.has(site.module)
          : operands.some((type) => type !== null && owners.get(type) === entry),
      );
      const key = siteKey(site);
      const answers = asked.map((entry) => ({
        plugin: entry.plugin,
        verdict: claim(entry, site, key),
      }));
      const claims = answers.filter(({ verdict }) => verdict.verdict === 'claimed');
      if (claims.length > 1) {
        throw tfeError('TFE_PLUGIN_CONFLICT', {
          target: site.target,
          plugins: claims.map(({ plugin }) => plugin.id),
        });
      }
      const decided = claims[0] ?? answers.find(({ verdict }) => verdict.verdict === 'rejected');
      if (decided !== undefined) return decided;
      const typed = answers.find(({ verdict }) => verdict.resultType !== null);
      return {
        plugin: null,
        verdict: {
          verdict: 'not covered',
          resultType: typed?.verdict.resultType ?? null,
        },
      };
    },
  };
}
