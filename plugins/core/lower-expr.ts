/**
 * One claimed site: asks the plugin for its expression and checks it. A plugin gets tokens, never source text, and its
 * answer is accepted only where each operand is evaluated exactly once and in the order of the source.
 */
import { messageOf } from '../../lib/describe';
import { tfeError, type TfeError } from '../../lib/errors';
import type { SiteAnalysis } from './analysis-model';
import type { LoweredExpr, LoweringContext, OpRef } from './api';
import { childrenOf, type Node } from './ast';
import { NotPlainData, printLiteral } from './lower-literal';
import { isIdentifier, type ModuleAdditions } from './lower-module';
import { oxcParser } from './peers';

/** A lowered site as a sequence of texts and operands. `wrap`: the operand needs parentheses where it stands. */
export type ExprPart =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'operand'; readonly index: number; readonly wrap: boolean };

/** The sites of one function, as they are numbered. */
export interface SiteTable {
  /** Name of the frame in the lowered leg. */
  readonly frame: string;
  readonly additions: ModuleAdditions;
  /** Beginning of the tokens' names; no name of the file has it. */
  readonly tokenStem: string;
  /** `score.ts:12:11` */
  position(site: SiteAnalysis): string;
  /** Takes an entry's text and answers its number. */
  add(entry: string): number;
}

export function lowerSite(site: SiteAnalysis, serial: number, table: SiteTable): ExprPart[] {
  return new SiteLowering(site, serial, table).parts();
}

interface Token {
  readonly start: number;
  readonly end: number;
  readonly name: string;
  /** Whether the place is evaluated exactly once whenever the expression is. */
  readonly evaluated: boolean;
  readonly wrap: boolean;
}

/** Places inside a node that are evaluated exactly once, from left to right, whenever the node is. */
const EVALUATED: Readonly<Record<string, readonly string[]>> = {
  ArrayExpression: ['elements'],
  BinaryExpression: ['left', 'right'],
  CallExpression: ['callee', 'arguments'],
  MemberExpression: ['object', 'property'],
  NewExpression: ['callee', 'arguments'],
  ObjectExpression: ['properties'],
  ParenthesizedExpression: ['expression'],
  Property: ['value'],
  SequenceExpression: ['expressions'],
  SpreadElement: ['argument'],
  TemplateLiteral: ['expressions'],
  TSAsExpression: ['expression'],
  TSNonNullExpression: ['expression'],
  TSSatisfiesExpression: ['expression'],
  UnaryExpression: ['argument'],
};

/** Places that take any operand without parentheses. */
const SEPARATED: Readonly<Record<string, readonly string[]>> = {
  ArrayExpression: ['elements'],
  CallExpression: ['arguments'],
  NewExpression: ['arguments'],
  ParenthesizedExpression: ['expression'],
};

class SiteLowering {
  readonly #site: SiteAnalysis;
  readonly #table: SiteTable;
  readonly #operands: readonly string[];
  readonly #markerStem: string;
  readonly #entries: string[] = [];

  constructor(site: SiteAnalysis, serial: number, table: SiteTable) {
    this.#site = site;
    this.#table = table;
    this.#operands = site.operandSpans.map((_, index) => `${table.tokenStem}${serial}_${index}`);
    this.#markerStem = `${table.tokenStem}${serial}_site`;
  }

  parts(): ExprPart[] {
    this.#checkOptions();
    const lowered = this.#ask();
    const { text, root, offset } = this.#parse(lowered.expr);
    const tokens = this.#tokens(text, root, offset);
    this.#checkOperands(tokens);
    this.#addRequests(lowered);
    return this.#assemble(text, root, offset, tokens);
  }

  /** What the plugin cannot be given must not be lost silently. */
  #checkOptions(): void {
    const { claimSite } = this.#site;
    if (claimSite === null || this.#site.plugin === null) {
      throw this.#error('TFE_PLUGIN_LOWER_OPERANDS', 'the site was never offered to a plugin');
    }
    if (claimSite.receiver !== null) {
      throw this.#error(
        'TFE_PLUGIN_LOWER_OPERANDS',
        'a method call was claimed, and plugin API 1.0 has no token for the receiver',
      );
    }
    const { options } = claimSite;
    if (options.kind === 'dynamic') {
      throw this.#error('TFE_PLUGIN_LOWER_OPERANDS', `its options are dynamic (${options.reason})`);
    }
    if (options.kind === 'absent') return;
    const dynamic = options.entries.find(({ literal }) => literal.kind === 'dynamic');
    if (dynamic !== undefined) {
      throw this.#error(
        'TFE_PLUGIN_LOWER_OPERANDS',
        `its option '${dynamic.name}' is not a literal and would no longer be evaluated`,
      );
    }
  }

  #ask(): LoweredExpr {
    const { claimSite, plugin, ruleId, resultType } = this.#site;
    const site = Object.freeze({ ...claimSite!, ruleId, resultType });
    const context: LoweringContext = Object.freeze({
      operands: Object.freeze([...this.#operands]),
      apply: (op: OpRef, operands: readonly string[]) => this.#apply(op, operands),
      freshName: (prefix: string) => {
        if (typeof prefix === 'string' && isIdentifier(prefix)) {
          return this.#table.additions.names.take(prefix);
        }
        throw this.#error('TFE_PLUGIN_LOWER_EXPR', 'freshName takes an identifier');
      },
    });
    let answer: unknown;
    try {
      answer = plugin!.lower(site, context);
    } catch (cause) {
      if (this.#own.has(cause as TfeError)) throw cause;
      throw this.#error('TFE_PLUGIN_LOWER_FAILED', messageOf(cause), cause);
    }
    if (
      typeof answer !== 'object' ||
      answer === null ||
      typeof (answer as { expr?: unknown }).expr !== 'string'
    ) {
      throw this.#error('TFE_PLUGIN_LOWER_EXPR', 'lower() must answer { expr: string }');
    }
    return answer as LoweredExpr;
  }

  #apply(op: OpRef, operands: readonly string[]): string {
    const texts: unknown = operands;
    if (!Array.isArray(texts) || texts.some((text) => typeof text !== 'string')) {
      throw this.#error('TFE_PLUGIN_LOWER_OPERANDS', 'apply() takes an array of texts');
    }
    const entry = [
      `op: ${this.#printOp(op)}`,
      `ruleId: ${printLiteral(this.#site.ruleId ?? '')}`,
      `position: ${printLiteral(this.#table.position(this.#site))}`,
    ];
    const marker = `${this.#markerStem}${this.#entries.length}`;
    this.#entries.push(`{ ${entry.join(', ')} }`);
    return `${this.#table.frame}.apply(${[marker, ...operands].join(', ')})`;
  }

  #printOp(op: OpRef): string {
    const isNamed = (value: unknown) => typeof value === 'string' && value !== '';
    const known =
      typeof op === 'object' &&
      op !== null &&
      (op.kind === 'core'
        ? isNamed(op.name)
        : op.kind === 'family' &&
          isNamed(op.familyId) &&
          typeof op.payload === 'object' &&
          op.payload !== null &&
          !Array.isArray(op.payload));
    if (!known) {
      throw this.#error(
        'TFE_PLUGIN_LOWER_OP',
        "an op is { kind: 'core', name } or { kind: 'family', familyId, payload }",
      );
    }
    try {
      return op.kind === 'core'
        ? printLiteral({ kind: 'core', name: op.name })
        : printLiteral({ kind: 'family', familyId: op.familyId, payload: op.payload });
    } catch (cause) {
      if (!(cause instanceof NotPlainData)) throw cause;
      throw this.#error('TFE_PLUGIN_LOWER_OP', `its payload is not plain data: ${cause.message}`);
    }
  }

  /** The parentheses and the line end keep `a, b`, `a // b` and `a) + (b` from passing for one expression. */
  #parse(expr: string): { text: string; root: Node; offset: number } {
    const result = oxcParser().parseSync('lowered.ts', `(${expr}\n)`, {
      lang: 'ts',
      sourceType: 'module',
    });
    const statement = result.program.body[0];
    if (
      result.errors.length > 0 ||
      result.program.body.length !== 1 ||
      statement?.type !== 'ExpressionStatement' ||
      statement.expression.type !== 'ParenthesizedExpression' ||
      statement.expression.end !== expr.length + 3
    ) {
      throw this.#error('TFE_PLUGIN_LOWER_EXPR', `its answer is not one expression: ${expr}`);
    }
    return { text: expr, root: statement.expression.expression, offset: 1 };
  }

  /** Every mention of a token, in order of the text. */
  #tokens(text: string, root: Node, offset: number): Token[] {
    const tokens: Token[] = [];
    const { tokenStem } = this.#table;
    const visit = (node: Node, evaluated: boolean, wrap: boolean): void => {
      if (node.type === 'Identifier' && node.name.startsWith(tokenStem)) {
        const start = node.start - offset;
        tokens.push({ start, end: node.end - offset, name: node.name, evaluated, wrap });
        return;
      }
      const places = EVALUATED[node.type] ?? [];
      const separated = SEPARATED[node.type] ?? [];
      const isHeld = (child: Node, keys: readonly string[]) =>
        keys.some((key) => {
          const value = (node as unknown as Record<string, unknown>)[key];
          return value === child || (Array.isArray(value) && value.includes(child));
        });
      for (const child of childrenOf(node)) {
        const inPlace =
          evaluated &&
          isHeld(child, places) &&
          !(node.type === 'UnaryExpression' && node.operator === 'delete') &&
          !(node.type === 'CallExpression' && node.optional) &&
          !(node.type === 'MemberExpression' && node.optional) &&
          !(node.type === 'MemberExpression' && !node.computed && child === node.property);
        visit(child, inPlace, !isHeld(child, separated));
      }
    };
    visit(root, true, false);
    tokens.sort((a, b) => a.start - b.start);

    const mentions = text.split(tokenStem).length - 1;
    if (tokens.some(({ start, end, name }) => text.slice(start, end) !== name)) {
      throw this.#error('TFE_PLUGIN_LOWER_OPERANDS', 'it spells an operand with escapes');
    }
    if (mentions !== tokens.length) {
      throw this.#error(
        'TFE_PLUGIN_LOWER_OPERANDS',
        'it mentions an operand inside a string, a comment, a type or another name',
      );
    }
    return tokens;
  }

  #checkOperands(tokens: readonly Token[]): void {
    let last = -1;
    const used = new Set<number>();
    for (const { name, evaluated } of tokens) {
      if (this.#entryOf(name) !== null) continue;
      const index = this.#operands.indexOf(name);
      if (index < 0) {
        throw this.#error('TFE_PLUGIN_LOWER_OPERANDS', 'it names an operand that the site has not');
      }
      const operand = `operand ${index + 1}`;
      if (used.has(index)) {
        throw this.#error('TFE_PLUGIN_LOWER_OPERANDS', `it uses ${operand} twice`);
      }
      if (index < last) {
        throw this.#error(
          'TFE_PLUGIN_LOWER_OPERANDS',
          `it evaluates ${operand} after operand ${last + 1}`,
        );
      }
      if (!evaluated) {
        throw this.#error(
          'TFE_PLUGIN_LOWER_OPERANDS',
          `it puts ${operand} where it may not be evaluated exactly once`,
        );
      }
      used.add(index);
      last = index;
    }
    const literals = this.#site.claimSite!.operandLiterals;
    this.#operands.forEach((_, index) => {
      const literal = literals[index];
      if (!used.has(index) && (literal === undefined || literal.kind === 'dynamic')) {
        throw this.#error(
          'TFE_PLUGIN_LOWER_OPERANDS',
          `it drops operand ${index + 1}, which is not a literal and would no longer be evaluated`,
        );
      }
    });
  }

  #addRequests({ imports = [], helpers = [] }: LoweredExpr): void {
    for (const request of imports) {
      const { from, name, as } = request;
      const problem =
        [from, name, as].some((text) => typeof text !== 'string' || text === '') ||
        !isIdentifier(as)
          ? 'an import is { from, name, as } with an identifier as `as`'
          : this.#table.additions.addImport(request);
      if (problem !== null) throw this.#error('TFE_PLUGIN_LOWER_IMPORT', problem);
    }
    for (const helper of helpers) {
      const name = helperName(helper);
      const problem =
        name === null
          ? 'a helper is the text of one function declaration: only those can be used before the end of the file has run'
          : this.#table.additions.addHelper(name, helper);
      if (problem !== null) throw this.#error('TFE_PLUGIN_LOWER_HELPER', problem);
    }
  }

  #assemble(text: string, root: Node, offset: number, tokens: readonly Token[]): ExprPart[] {
    const parts: ExprPart[] = [];
    const numbers = new Map<number, number>();
    const push = (piece: string) => {
      const last = parts[parts.length - 1];
      if (last?.kind === 'text')
        parts[parts.length - 1] = { kind: 'text', text: last.text + piece };
      else parts.push({ kind: 'text', text: piece });
    };
    const callee = `${this.#table.frame}.apply`;
    const isApply =
      root.type === 'CallExpression' &&
      root.callee.end - offset === callee.length &&
      text.startsWith(`${callee}(${this.#markerStem}`);
    const type = this.#resultType();
    // An apply stands where the call stood; any other expression becomes a call as well, so that neither
    // precedence nor a missing semicolon before it can change what it means.
    let from = 0;
    if (isApply) {
      from = callee.length;
      push(callee + type);
    } else {
      push(`${this.#table.frame}.value${type}(`);
    }
    for (const token of tokens) {
      push(text.slice(from, token.start));
      from = token.end;
      const entry = this.#entryOf(token.name);
      if (entry === null) {
        const index = this.#operands.indexOf(token.name);
        parts.push({ kind: 'operand', index, wrap: token.wrap });
        continue;
      }
      const number = numbers.get(entry) ?? this.#table.add(this.#entries[entry]!);
      numbers.set(entry, number);
      push(String(number));
    }
    push(text.slice(from) + (isApply ? '' : '\n)'));
    return parts;
  }

  /** `<T>` with the type of the result, so that the rest of the lowered leg is checked as in the source. */
  #resultType(): string {
    const { additions } = this.#table;
    const { resultType, plugin } = this.#site;
    if (!additions.typed || resultType === null) return '';
    const type = plugin!.typeVocabulary().find(({ key }) => key === resultType);
    if (type === undefined) return resultType.includes('/') ? '' : `<${resultType}>`;
    const annotation = type.annotations[0];
    if (annotation === undefined || !isIdentifier(annotation.name)) return '';
    return `<${additions.typeAlias(annotation.module, annotation.name)}>`;
  }

  /** The index of the entry that a token stands for, or `null` when it is no entry of this site. */
  #entryOf(name: string): number | null {
    if (!name.startsWith(this.#markerStem)) return null;
    const index = Number(name.slice(this.#markerStem.length));
    return Number.isInteger(index) && index < this.#entries.length ? index : null;
  }

  readonly #own = new WeakSet<TfeError>();

  #error(
    code:
      | 'TFE_PLUGIN_LOWER_EXPR'
      | 'TFE_PLUGIN_LOWER_FAILED'
      | 'TFE_PLUGIN_LOWER_HELPER'
      | 'TFE_PLUGIN_LOWER_IMPORT'
      | 'TFE_PLUGIN_LOWER_OP'
      | 'TFE_PLUGIN_LOWER_OPERANDS',
    problem: string,
    cause?: unknown,
  ): TfeError {
    const { plugin, target, ruleId } = this.#site;
    const position = this.#table.position(this.#site);
    const error = tfeError(
      code,
      { plugin: plugin?.id ?? '(none)', target, position, problem },
      {
        site: position,
        ...(ruleId === null ? {} : { ruleId }),
        ...(cause === undefined ? {} : { cause }),
      },
    );
    this.#own.add(error);
    return error;
  }
}

/** The name of the one function declaration that `text` is, or `null` when it is something else. */
function helperName(text: unknown): string | null {
  if (typeof text !== 'string') return null;
  const { program, errors } = oxcParser().parseSync('helper.ts', text, {
    lang: 'ts',
    sourceType: 'module',
  });
  const [statement, ...others] = program.body;
  if (errors.length > 0 || others.length > 0 || statement?.type !== 'FunctionDeclaration') {
    return null;
  }
  return statement.id?.name ?? null;
}
