/**
 * Which functions a file has: candidates for lowering (annotated, at module level), annotated ones elsewhere, and
 * functions without annotation that call a covered package. Reads signatures and directives, never bodies.
 */
import type { Node, Program, Statement } from '@oxc-project/types';

import {
  isFunctionNode,
  isTypeOnly,
  staticKeyName,
  unwrap,
  walk,
  type Expression,
  type FunctionNode,
  type ParamPattern,
} from './ast';
import type { TypeKey } from './api';
import type { Bindings, Scope, Variable } from './scope';
import type { Annotation, Annotations } from './types';

export interface Parameter {
  readonly node: ParamPattern;
  /** `null` unless the parameter is a plain identifier (with or without default). */
  readonly variable: Variable | null;
  readonly name: string;
  readonly annotation: Annotation;
  readonly type: TypeKey | null;
  /** What makes it more than a plain required name, for a message; `null` for a plain name. */
  readonly oddity: string | null;
}

export type Placement =
  | { readonly kind: 'candidate' }
  /** Annotated, but not where functions are lowered; `what` says where. */
  | { readonly kind: 'elsewhere'; readonly what: string }
  | { readonly kind: 'unannotated' };

export interface Directive {
  readonly kind: 'exempt' | 'function' | 'site' | 'unknown';
  readonly text: string;
  /** For `unknown`: what is wrong with it. */
  readonly problem: string;
  readonly node: Node;
}

export interface FunctionInfo {
  readonly node: FunctionNode;
  readonly name: string;
  readonly nameSpan: readonly [number, number];
  readonly exported: boolean;
  readonly form: 'declaration' | 'arrow' | 'expression';
  readonly statement: Node;
  /** The binding that callers use; `null` when it has none. */
  readonly variable: Variable | null;
  readonly scope: Scope;
  readonly parameters: readonly Parameter[];
  readonly result: Annotation;
  readonly resultType: TypeKey | null;
  readonly placement: Placement;
  /** A parameter or the result is annotated with a tensor type of the vocabulary. */
  readonly annotated: boolean;
  readonly directive: Directive | null;
  readonly directivesEnd: number;
}

const VALID_DIRECTIVES: ReadonlyMap<string, Directive['kind']> = new Map([
  ['use tfe exempt', 'exempt'],
  ['use tfe fallback=function', 'function'],
  ['use tfe fallback=site', 'site'],
]);

export function isTfeDirective(text: string): boolean {
  return /^\s*use\s+tfe(?![\w-])/.test(text);
}

interface Place {
  readonly name: string | null;
  readonly nameNode: Node | null;
  readonly statement: Node;
  readonly variable: Variable | null;
  readonly exported: boolean;
}

export class Functions {
  readonly all: readonly FunctionInfo[];
  readonly #bindings: Bindings;
  readonly #annotations: Annotations;
  readonly #byNode = new Map<Node, FunctionInfo>();

  constructor(program: Program, source: string, bindings: Bindings, annotations: Annotations) {
    this.#bindings = bindings;
    this.#annotations = annotations;
    const exportedNames = namesExportedByList(program);
    const places = new Map<FunctionNode, Place>();
    for (const statement of program.body) {
      this.#place(statement, exportedNames, places);
    }
    const found: FunctionInfo[] = [];
    const visit = (node: Node, parents: readonly Node[]): void => {
      if (isTypeOnly(node)) return;
      if (isFunctionNode(node) && node.body !== null) {
        const info = this.#read(node, places.get(node) ?? null, parents, source);
        if (info !== null) {
          found.push(info);
          this.#byNode.set(node, info);
        }
      }
      const path = [...parents.slice(-3), node];
      for (const child of directChildren(node)) visit(child, path);
    };
    visit(program, []);
    this.all = found;
  }

  of(node: Node): FunctionInfo | null {
    return this.#byNode.get(node) ?? null;
  }

  /** The function of this file that a callee names, by binding; `null` when it is not fixed. */
  called(callee: Expression): FunctionInfo | null {
    let node = unwrap(callee);
    for (let steps = 0; steps < 100; steps++) {
      if (node.type !== 'Identifier') return null;
      const variable = this.#bindings.variableOf(node);
      if (variable === null) return null;
      if (variable.references.some((use) => use.isWrite() && use.init !== true)) return null;
      // The signatures of an overloaded function are definitions too.
      const definitions = variable.defs.filter(
        (definition) => (definition.node as unknown as Node).type !== 'TSDeclareFunction',
      );
      const [definition] = definitions;
      if (definition === undefined || definitions.length !== 1) return null;
      const declared = definition.node as unknown as Node;
      // The definition of a parameter names the function that it belongs to.
      if (String(definition.type) === 'FunctionName') {
        return isFunctionNode(declared) ? this.of(declared) : null;
      }
      const parent = definition.parent as unknown as Node | null | undefined;
      if (
        declared.type !== 'VariableDeclarator' ||
        declared.id.type !== 'Identifier' ||
        declared.init === null ||
        parent?.type !== 'VariableDeclaration' ||
        parent.kind !== 'const'
      ) {
        return null;
      }
      const value = unwrap(declared.init);
      if (isFunctionNode(value)) return this.of(value);
      node = value;
    }
    return null;
  }

  #place(
    statement: Statement,
    exportedNames: ReadonlySet<string>,
    places: Map<FunctionNode, Place>,
  ): void {
    const exported =
      statement.type === 'ExportNamedDeclaration' || statement.type === 'ExportDefaultDeclaration';
    const declaration = exported ? statement.declaration : statement;
    if (declaration === null) return;
    if (declaration.type === 'FunctionDeclaration') {
      places.set(declaration, {
        name: declaration.id?.name ?? 'default',
        nameNode: declaration.id,
        statement,
        variable: declaration.id === null ? null : this.#bindings.variableOf(declaration.id),
        exported: exported || (declaration.id !== null && exportedNames.has(declaration.id.name)),
      });
    } else if (declaration.type === 'VariableDeclaration' && declaration.kind === 'const') {
      for (const { id, init } of declaration.declarations) {
        if (id.type !== 'Identifier' || init === null) continue;
        const value = unwrap(init);
        if (!isFunctionNode(value)) continue;
        places.set(value, {
          name: id.name,
          nameNode: id,
          statement,
          variable: this.#bindings.variableOf(id),
          exported: exported || exportedNames.has(id.name),
        });
      }
    } else if (statement.type === 'ExportDefaultDeclaration') {
      const value = unwrap(declaration as Expression);
      if (isFunctionNode(value)) {
        places.set(value, {
          name: value.id?.name ?? 'default',
          nameNode: value.id,
          statement,
          variable: null,
          exported: true,
        });
      }
    }
  }

  #read(
    node: FunctionNode,
    place: Place | null,
    parents: readonly Node[],
    source: string,
  ): FunctionInfo | null {
    const scope = this.#bindings.scopeOf(node);
    if (scope === null) return null;
    const parameters = node.params.map((parameter) => this.#parameter(parameter, source));
    const result = this.#annotations.resolveResult(node.returnType?.typeAnnotation, node.async);
    const annotated =
      result.kind === 'tensor' || parameters.some(({ annotation }) => annotation.kind === 'tensor');
    const outside =
      result.kind === 'outside' ||
      parameters.some(({ annotation }) => annotation.kind === 'outside');
    const { directive, end } = readDirectives(node);
    const asks = annotated || outside;
    let placement: Placement;
    if (!asks) placement = { kind: 'unannotated' };
    else if (place !== null) placement = { kind: 'candidate' };
    else placement = { kind: 'elsewhere', what: whereabouts(parents) };

    const named = place ?? { ...nameFromParents(node, parents), statement: node };
    const span =
      named.nameNode === null
        ? ([node.start, Math.max(node.body?.start ?? node.end, node.start + 1)] as const)
        : identifierSpan(named.nameNode);
    return {
      node,
      name: named.name ?? '(anonymous)',
      nameSpan: span,
      exported: place?.exported ?? false,
      form:
        node.type === 'ArrowFunctionExpression'
          ? 'arrow'
          : node.type === 'FunctionExpression'
            ? 'expression'
            : 'declaration',
      statement: named.statement,
      variable: place?.variable ?? null,
      scope,
      parameters,
      result,
      resultType: result.kind === 'tensor' || result.kind === 'core' ? result.type : null,
      placement,
      annotated,
      directive,
      directivesEnd: end,
    };
  }

  #parameter(node: ParamPattern, source: string): Parameter {
    const text = source.slice(node.start, node.end);
    const plain = (
      pattern: Node,
      oddity: string | null,
      annotationOf: Node = pattern,
    ): Parameter => {
      const annotated = annotationOf as { typeAnnotation?: { typeAnnotation: Node } | null };
      let annotation = this.#annotations.resolve(annotated.typeAnnotation?.typeAnnotation);
      const optional = pattern.type === 'Identifier' && (pattern.optional as unknown) === true;
      if (optional && annotation.kind === 'tensor') {
        annotation = { kind: 'outside', why: 'an optional parameter may be undefined' };
      }
      const isName = pattern.type === 'Identifier';
      return {
        node,
        variable: isName ? this.#bindings.variableOf(pattern) : null,
        name: isName ? pattern.name : text,
        annotation,
        type:
          !optional && (annotation.kind === 'tensor' || annotation.kind === 'core')
            ? annotation.type
            : null,
        oddity: oddity ?? (optional ? 'is optional' : null),
      };
    };
    switch (node.type) {
      case 'Identifier':
        return node.name === 'this' ? plain(node, "declares 'this'") : plain(node, null);
      case 'AssignmentPattern':
        return plain(node.left, 'has a default');
      case 'RestElement':
        return { ...plain(node.argument, 'is a rest parameter', node), type: null };
      case 'ObjectPattern':
      case 'ArrayPattern':
        return { ...plain(node, 'is destructured'), type: null };
      case 'TSParameterProperty':
        return { ...plain(node.parameter, 'is a parameter property'), type: null };
    }
  }
}

function directChildren(node: Node): Node[] {
  const children: Node[] = [];
  walk(node, (child) => {
    if (child === node) return true;
    children.push(child);
    return false;
  });
  return children;
}

/** `export { f, g as h }`: an identifier without its annotation is as long as its name. */
function namesExportedByList(program: Program): ReadonlySet<string> {
  const names = new Set<string>();
  for (const statement of program.body) {
    if (statement.type === 'ExportNamedDeclaration' && statement.source === null) {
      for (const { local } of statement.specifiers) {
        if (local.type === 'Identifier') names.add(local.name);
      }
    } else if (statement.type === 'TSExportAssignment') {
      if (statement.expression.type === 'Identifier') names.add(statement.expression.name);
    } else if (statement.type === 'ExportDefaultDeclaration') {
      if (statement.declaration.type === 'Identifier') names.add(statement.declaration.name);
    }
  }
  return names;
}

function identifierSpan(node: Node): readonly [number, number] {
  // The node of a binding spans its type annotation too.
  return node.type === 'Identifier'
    ? [node.start, node.start + node.name.length]
    : [node.start, node.end];
}

function readDirectives(node: FunctionNode): { directive: Directive | null; end: number } {
  const { body } = node;
  if (body?.type !== 'BlockStatement') {
    return { directive: null, end: body?.start ?? node.end };
  }
  let end = body.start + 1;
  let found: Directive | null = null;
  for (const statement of body.body) {
    if (statement.type !== 'ExpressionStatement' || typeof statement.directive !== 'string') break;
    end = statement.end;
    const text = statement.directive;
    if (!isTfeDirective(text)) continue;
    const kind = VALID_DIRECTIVES.get(text.trim().replaceAll(/\s+/g, ' '));
    const read: Directive =
      kind === undefined
        ? { kind: 'unknown', text, problem: 'is not known', node: statement }
        : { kind, text, problem: '', node: statement };
    if (found === null || found.kind === 'exempt') {
      found = found === null || read.kind === 'unknown' ? read : found;
    } else if (read.kind === 'unknown' && found.kind !== 'unknown') {
      found = read;
    } else if (read.kind === 'exempt' && found.kind !== 'unknown') {
      found = read;
    } else if (found.kind !== 'unknown' && read.kind !== found.kind) {
      found = {
        kind: 'unknown',
        text,
        problem: `contradicts '${found.text}'`,
        node: statement,
      };
    }
  }
  return { directive: found, end };
}

/** The index of the innermost parent that is more than parentheses and erased types; -1 when there is none. */
function holderOf(parents: readonly Node[]): number {
  return parents.findLastIndex(
    ({ type }) =>
      type !== 'ParenthesizedExpression' &&
      type !== 'TSAsExpression' &&
      type !== 'TSSatisfiesExpression' &&
      type !== 'TSNonNullExpression',
  );
}

function nameFromParents(
  node: FunctionNode,
  parents: readonly Node[],
): { name: string | null; nameNode: Node | null } {
  if (node.id !== null) return { name: node.id.name, nameNode: node.id };
  const holder = parents[holderOf(parents)];
  switch (holder?.type) {
    case 'VariableDeclarator':
      return holder.id.type === 'Identifier'
        ? { name: holder.id.name, nameNode: holder.id }
        : { name: null, nameNode: null };
    case 'Property':
    case 'MethodDefinition':
    case 'PropertyDefinition':
      return { name: staticKeyName(holder.key, holder.computed), nameNode: holder.key };
    default:
      return { name: null, nameNode: null };
  }
}

/** What holds an annotated function that is not lowered, for a message. */
const WHEREABOUTS: Readonly<Record<string, string>> = {
  AccessorProperty: 'a property of a class',
  CallExpression: 'an argument of a call',
  MethodDefinition: 'a method of a class',
  NewExpression: 'an argument of a call',
  Property: 'a member of an object',
  PropertyDefinition: 'a property of a class',
  TSAbstractMethodDefinition: 'a method of a class',
  TSModuleBlock: 'inside a namespace',
};

function whereabouts(parents: readonly Node[]): string {
  const index = holderOf(parents);
  const [outer, declaration, holder] = [parents[index - 2], parents[index - 1], parents[index]];
  if (
    holder?.type === 'VariableDeclarator' &&
    declaration?.type === 'VariableDeclaration' &&
    declaration.kind !== 'const' &&
    (outer?.type === 'Program' || outer?.type === 'ExportNamedDeclaration')
  ) {
    return `bound with ${declaration.kind}`;
  }
  return WHEREABOUTS[holder?.type ?? ''] ?? 'inside another function or block';
}
