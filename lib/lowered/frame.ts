/**
 * What the lowered leg of a function runs its sites through. One frame per lowered function, made once: it resolves a
 * site's op on the first use, then each use is one indexed call of the executor that the `tf.*` functions use too.
 */
import { isTfeError, tfeError } from '../errors';
import { resolveOp } from '../runtime/resolve';
import { describeValue } from '../describe';
import type { LoweredSite, LoweredSpec } from './spec';

type AnyExecutor = (...inputs: unknown[]) => unknown;

export class Frame {
  readonly #spec: LoweredSpec;
  readonly #executors: (AnyExecutor | undefined)[];

  constructor(spec: LoweredSpec) {
    this.#spec = spec;
    this.#executors = spec.sites.map(() => undefined);
  }

  /**
   * Runs the op of one site. An error keeps its object, class and code; it gains the rule and the source position of
   * the site. It is never answered by running the source instead.
   *
   * `T` is the type that the analysis has settled; the compiler checks the call as written in the source leg.
   */
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- where the analysis has no type, nothing is checked
  apply<T = any>(site: number, ...inputs: unknown[]): T;
  // Fixed parameters and `arguments.length` instead of the rest array: no allocation for up to three operands.
  apply(site: number, a?: unknown, b?: unknown, c?: unknown): unknown {
    const execute = this.#executors[site] ?? this.#resolve(site);
    try {
      switch (arguments.length) {
        case 2:
          return execute(a);
        case 3:
          return execute(a, b);
        case 4:
          return execute(a, b, c);
        default:
          // eslint-disable-next-line prefer-rest-params -- see above
          return execute(...Array.from<unknown>(arguments).slice(1));
      }
    } catch (error) {
      throw located(error, this.#spec.sites[site]);
    }
  }

  /** The identity: gives an expression that a plugin wrote the precedence and the first token of a call. */
  value<T>(value: T): T {
    return value;
  }

  #resolve(site: number): AnyExecutor {
    const entry = Object.hasOwn(this.#spec.sites, site) ? this.#spec.sites[site] : undefined;
    if (entry === undefined) {
      throw tfeError('TFE_LOWERED_SITE', {
        function: this.#spec.name,
        site: describeValue(site),
        sites: this.#spec.sites.length,
      });
    }
    try {
      const executor = resolveOp(entry.op) as AnyExecutor;
      this.#executors[site] = executor;
      return executor;
    } catch (error) {
      throw located(error, entry);
    }
  }
}

/** Adds rule and position to one of our errors, unless an inner site has done so. Other values pass as they are. */
function located(error: unknown, site: LoweredSite | undefined): unknown {
  if (site === undefined || !isTfeError(error)) return error;
  const target = error as { ruleId?: string; site?: string };
  if (target.site !== undefined || !Object.isExtensible(error)) return error;
  target.site = site.position;
  target.ruleId ??= site.ruleId;
  return error;
}
