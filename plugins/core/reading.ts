/**
 * What reading one function collects: reasons, sites, calls of other functions, captures. Owns the wording and the
 * places; `boundary.ts` and `calls.ts` decide what is one.
 */
import type { CallExpression, Node } from '@oxc-project/types';

import { unwrap, type Expression } from './ast';
import type { CaptureAnalysis } from './analysis-model';
import { CODES, reason, type CodeRow } from './codes';
import type { FunctionInfo, Functions } from './functions';
import type { Inference } from './infer';
import type { Literals } from './literals';
import type { Reason } from './model';
import type { Names } from './names';
import type { Positions } from './positions';
import type { Registry } from './registry';
import type { Bindings, Variable } from './scope';
import type { SiteReading } from './sites';

/** A site with its place; `reason` is null where it is claimed. */
export interface PlacedSite {
  readonly node: Node;
  readonly reading: SiteReading;
  readonly reason: Reason | null;
  /** In a place where nothing is lowered (a closure, a default): it was offered to nobody. */
  readonly offered: boolean;
}

/** A call of an annotated function of the same file. */
export interface Edge {
  readonly node: CallExpression;
  readonly callee: FunctionInfo;
}

export interface Boundary {
  /** Without those that follow from callees, which are not settled yet. */
  readonly reasons: readonly Reason[];
  readonly sites: readonly PlacedSite[];
  readonly edges: readonly Edge[];
  readonly captures: readonly CaptureAnalysis[];
  /** Names are not fixed in it (`eval`, `with`): nothing in it may be lowered. */
  readonly dynamicScope: boolean;
}

export interface BoundaryInputs {
  readonly source: string;
  readonly positions: Positions;
  readonly bindings: Bindings;
  readonly names: Names;
  readonly literals: Literals;
  readonly functions: Functions;
  readonly inference: Inference;
  readonly registry: Registry;
}

/** Text of a node on one line, cut where it gets long. */
export function excerpt(source: string, node: { start: number; end: number }): string {
  const text = source
    .slice(node.start, Math.min(node.end, node.start + 200))
    .replaceAll(/\s+/g, ' ');
  return text.length <= 60 && node.end - node.start <= 200 ? text : `${text.slice(0, 57)}...`;
}

/** `a` of `a.b.c` and `a.b?.c`. */
export function rootOf(expression: Expression): Expression {
  let node = unwrap(expression);
  for (;;) {
    if (node.type === 'MemberExpression') node = unwrap(node.object);
    else if (node.type === 'ChainExpression') node = unwrap(node.expression);
    else return node;
  }
}

/** Where an array or object literal may stand: it is returned at once, or a covered call takes it in. */
export type Use = 'value' | 'result' | 'operand';

/** How far back `isRefused` looks: an expression rarely has more reasons than that. */
const RECENT = 64;

export class Reading {
  readonly reasons: Reason[] = [];
  readonly sites: PlacedSite[] = [];
  readonly edges: Edge[] = [];
  readonly captures = new Map<Variable, CaptureAnalysis>();
  /** Names are not fixed in the function: nothing in it may be lowered. */
  dynamicScope = false;

  constructor(
    readonly info: FunctionInfo,
    readonly inputs: BoundaryInputs,
  ) {}

  add<A extends readonly string[]>(
    row: CodeRow<A>,
    facts: A,
    node: { start: number; end: number },
    becauseOf: Reason['becauseOf'] = null,
  ): Reason {
    return this.addAt(row, facts, node.start, node.end, becauseOf);
  }

  addAt<A extends readonly string[]>(
    row: CodeRow<A>,
    facts: A,
    start: number,
    end: number,
    becauseOf: Reason['becauseOf'] = null,
  ): Reason {
    const made = reason(row, facts, this.inputs.positions.range(start, end), becauseOf);
    this.reasons.push(made);
    return made;
  }

  outside(why: string, node: { start: number; end: number }): void {
    this.add(
      CODES.outsideVocabulary,
      [excerpt(this.inputs.source, node), why, this.inputs.registry.vocabulary],
      node,
    );
  }

  /** The call that an unknown type comes from, as the cause of a reason. */
  because(...expressions: readonly Expression[]): Reason['becauseOf'] {
    for (const expression of expressions) {
      const cause = this.inputs.inference.causeOf(expression);
      if (cause?.site !== null && cause?.site !== undefined) {
        const { line } = this.inputs.positions.at(cause.node.start);
        return { kind: 'site', name: `${cause.site.target} (line ${line})` };
      }
    }
    return null;
  }

  typeText(expression: Expression): string {
    return this.inputs.registry.spell(this.inputs.inference.typeOf(expression));
  }

  text(node: { start: number; end: number }): string {
    return excerpt(this.inputs.source, node);
  }

  /** Whether a cause was found in this expression, which has just been read. */
  isRefused(node: { start: number; end: number }): boolean {
    for (let i = this.reasons.length - 1; i >= Math.max(0, this.reasons.length - RECENT); i--) {
      const { becauseOf, range } = this.reasons[i]!;
      if (becauseOf === null && range.start >= node.start && range.end <= node.end) return true;
    }
    return false;
  }
}
