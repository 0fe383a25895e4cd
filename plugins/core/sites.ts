/**
 * From a call or operator in the tree to the `ClaimSite` that a plugin is asked about, and its answer. Owns what a plugin
 * gets to see; which calls are offered, and the types of operands, are `infer.ts`'s.
 */
import type { Argument, BinaryExpression, CallExpression } from '@oxc-project/types';

import { unwrap, type Expression } from './ast';
import type { ClaimOptions, ClaimSite, OptionEntry, Plugin, TypeKey, Verdict } from './api';
import type { Type } from './core-types';
import type { FunctionInfo } from './functions';
import { DYNAMIC, type Literals } from './literals';
import type { Names, Patch, ResolvedName } from './names';
import type { Registry } from './registry';

/** What a call calls. */
export type CallTarget =
  | { readonly kind: 'package'; readonly name: ResolvedName; readonly target: string }
  | { readonly kind: 'method'; readonly receiver: Expression; readonly method: string }
  | { readonly kind: 'function'; readonly info: FunctionInfo }
  | { readonly kind: 'math'; readonly method: string }
  | { readonly kind: 'unknown' };

/** A call or operator as a plugin sees it, and what came of it. */
export interface SiteReading {
  readonly kind: 'call' | 'binop';
  readonly module: string;
  readonly target: string;
  readonly operands: readonly Expression[];
  readonly operandTypes: readonly (TypeKey | null)[];
  readonly options: Expression | null;
  readonly receiver: Expression | null;
  /** `null` when it may not be offered; `refusal` says why. */
  readonly site: ClaimSite | null;
  readonly refusal:
    { readonly kind: 'spread' } | { readonly kind: 'patched'; readonly patch: Patch } | null;
  readonly verdict: Verdict;
  readonly plugin: Plugin | null;
}

const NOT_COVERED: Verdict = Object.freeze({ verdict: 'not covered', resultType: null });

/** The types of operands, as far as they are known. */
export interface OperandTypes {
  of(expression: Expression): Type;
  /** Whether an unknown type stays unknown. */
  isSettled(): boolean;
}

export interface SiteReaderInputs {
  readonly names: Names;
  readonly literals: Literals;
  readonly registry: Registry;
}

export class SiteReader {
  readonly #in: SiteReaderInputs;
  readonly #types: OperandTypes;

  constructor(inputs: SiteReaderInputs, types: OperandTypes) {
    this.#in = inputs;
    this.#types = types;
  }

  /** `null` while some operand is not known yet. */
  call(call: CallExpression, target: CallTarget): SiteReading | null {
    const args: readonly Argument[] = call.arguments;
    const last = args[args.length - 1];
    const lastValue =
      last === undefined || last.type === 'SpreadElement' ? undefined : unwrap(last);
    const hasOptions = lastValue?.type === 'ObjectExpression';
    const positional = hasOptions ? args.slice(0, -1) : args;
    const receiver = target.kind === 'method' ? target.receiver : null;
    const name =
      target.kind === 'method' ? target.method : target.kind === 'package' ? target.target : '';
    const module = target.kind === 'package' ? target.name.module : '';

    const refusal = ((): SiteReading['refusal'] => {
      if (args.some((argument) => argument.type === 'SpreadElement')) return { kind: 'spread' };
      if (target.kind !== 'package') return null;
      const patch = this.#in.names.patchOf(target.name);
      return patch === null ? null : { kind: 'patched', patch };
    })();
    const operands = positional.flatMap((argument) =>
      argument.type === 'SpreadElement' ? [] : [argument],
    );
    if (refusal !== null) {
      return {
        kind: 'call',
        module,
        target: name,
        operands: refusal.kind === 'spread' ? [] : operands,
        operandTypes:
          refusal.kind === 'spread'
            ? []
            : operands.map((operand) => this.#types.of(operand) ?? null),
        options: hasOptions ? (last as Expression) : null,
        receiver,
        site: null,
        refusal,
        verdict: NOT_COVERED,
        plugin: null,
      };
    }
    const operandTypes = operands.map((operand) => this.#types.of(operand));
    const receiverType = receiver === null ? null : this.#types.of(receiver);
    const optionsValue = hasOptions
      ? this.#readOptions(lastValue)
      : ({ kind: 'absent' } as const satisfies ClaimOptions);
    if (operandTypes.includes(undefined) || receiverType === undefined || optionsValue === null) {
      if (!this.#types.isSettled()) return null;
    }
    return this.#ask({
      kind: 'call',
      module,
      target: name,
      operands,
      operandTypes: operandTypes.map((type) => type ?? null),
      options: hasOptions ? (last as Expression) : null,
      optionsValue: optionsValue ?? { kind: 'dynamic', reason: 'an option could not be typed' },
      receiver,
      receiverType: receiverType ?? null,
    });
  }

  operator(node: BinaryExpression, operandTypes: readonly (TypeKey | null)[]): SiteReading {
    return this.#ask({
      kind: 'binop',
      module: '',
      target: node.operator,
      operands: [node.left, node.right],
      operandTypes,
      options: null,
      optionsValue: { kind: 'absent' },
      receiver: null,
      receiverType: null,
    });
  }

  #readOptions(node: Expression & { type: 'ObjectExpression' }): ClaimOptions | null {
    const dynamic = (reason: string): ClaimOptions => ({ kind: 'dynamic', reason });
    const entries = new Map<string, OptionEntry>();
    for (const property of node.properties) {
      if (property.type === 'SpreadElement') return dynamic('the options object has a spread');
      if (property.kind !== 'init') return dynamic('the options object has a getter or setter');
      if (property.method) return dynamic('the options object has a method');
      if (property.computed) return dynamic('the options object has a computed key');
      const { key } = property;
      const name =
        key.type === 'Identifier'
          ? key.name
          : key.type === 'Literal' && !('regex' in key)
            ? String(key.value)
            : null;
      if (name === null) return dynamic('the options object has a computed key');
      if (name === '__proto__' && !property.shorthand) {
        return dynamic('the options object sets its prototype');
      }
      if (entries.has(name)) return dynamic(`the options object has '${name}' twice`);
      const type = this.#types.of(property.value);
      if (type === undefined && !this.#types.isSettled()) return null;
      entries.set(
        name,
        Object.freeze({
          name,
          type: type ?? null,
          literal: this.#in.literals.fold(property.value),
        }),
      );
    }
    return { kind: 'static', entries: Object.freeze([...entries.values()]) };
  }

  #ask(
    facts: Pick<
      SiteReading,
      'kind' | 'module' | 'target' | 'operands' | 'operandTypes' | 'options' | 'receiver'
    > & { readonly optionsValue: ClaimOptions; readonly receiverType: TypeKey | null },
  ): SiteReading {
    const site: ClaimSite = Object.freeze({
      kind: facts.kind,
      module: facts.module,
      target: facts.target,
      operandTypes: Object.freeze([...facts.operandTypes]),
      operandLiterals: Object.freeze(
        facts.operands.map((operand, i) =>
          // A tensor is never a literal, whatever a constant of that name once was.
          this.#in.registry.isTensor(facts.operandTypes[i] ?? null)
            ? DYNAMIC
            : this.#in.literals.fold(operand),
        ),
      ),
      options: Object.freeze(facts.optionsValue),
      receiver: facts.receiver === null ? null : Object.freeze({ type: facts.receiverType }),
      ruleId: null,
      resultType: null,
    });
    const { verdict, plugin } = this.#in.registry.ask(site);
    const { kind, module, target, operands, operandTypes, options, receiver } = facts;
    return {
      kind,
      module,
      target,
      operands,
      operandTypes,
      options,
      receiver,
      site,
      refusal: null,
      verdict,
      plugin,
    };
  }
}
