/** Reading the tree: the node types that the analysis names, a generic walk, and what to look through. */
import type {
  ArrowFunctionExpression,
  Expression,
  Function as OxcFunction,
  Node,
  ParamPattern,
  Program,
} from '@oxc-project/types';

import { oxcParser } from './peers';

export type { Expression, Node, ParamPattern, Program };

/** A function with a body. */
export type FunctionNode = OxcFunction | ArrowFunctionExpression;

export function isFunctionNode(node: Node): node is FunctionNode {
  return (
    node.type === 'FunctionDeclaration' ||
    node.type === 'FunctionExpression' ||
    node.type === 'ArrowFunctionExpression'
  );
}

export function childrenOf(node: Node): Node[] {
  const children: Node[] = [];
  const keys = oxcParser().visitorKeys[node.type] ?? [];
  for (const key of keys) {
    const value = (node as unknown as Record<string, unknown>)[key];
    if (Array.isArray(value)) {
      for (const item of value) if (isNode(item)) children.push(item);
    } else if (isNode(value)) {
      children.push(value);
    }
  }
  return children;
}

function isNode(value: unknown): value is Node {
  return (
    typeof value === 'object' &&
    value !== null &&
    typeof (value as { type?: unknown }).type === 'string'
  );
}

/** Visits `node` and what is below it, in source order; a visitor that answers `false` skips the children. */
export function walk(
  node: Node,
  visit: (node: Node, parent: Node | null) => boolean | void,
  parent: Node | null = null,
): void {
  if (visit(node, parent) === false) return;
  for (const child of childrenOf(node)) walk(child, visit, node);
}

/** True for nodes that exist for the type checker only and leave nothing at run time. */
export function isTypeOnly(node: Node): boolean {
  switch (node.type) {
    case 'TSTypeAnnotation':
    case 'TSTypeParameterDeclaration':
    case 'TSTypeParameterInstantiation':
    case 'TSTypeAliasDeclaration':
    case 'TSInterfaceDeclaration':
    case 'TSDeclareFunction':
    case 'TSClassImplements':
      return true;
    case 'VariableDeclaration':
    case 'TSModuleDeclaration':
    case 'TSEnumDeclaration':
    case 'ClassDeclaration':
      return node.declare === true;
    default:
      return false;
  }
}

/** Looks through parentheses and what TypeScript erases: `(x)`, `x!`, `x as T`, `<T>x`, `x satisfies T`. */
export function unwrap(node: Expression): Expression {
  let inner = node;
  for (;;) {
    switch (inner.type) {
      case 'ParenthesizedExpression':
      case 'TSNonNullExpression':
      case 'TSAsExpression':
      case 'TSTypeAssertion':
      case 'TSSatisfiesExpression':
      case 'TSInstantiationExpression':
        inner = inner.expression;
        break;
      default:
        return inner;
    }
  }
}

/** The name of a member read that is known without running anything: `a.b`, `a['b']`; `null` otherwise. */
export function staticMemberName(node: Expression): string | null {
  if (node.type !== 'MemberExpression' || node.optional) return null;
  if (!node.computed) return node.property.type === 'Identifier' ? node.property.name : null;
  const key = unwrap(node.property);
  if (key.type === 'Literal' && typeof key.value === 'string') return key.value;
  if (key.type === 'TemplateLiteral' && key.expressions.length === 0) {
    return key.quasis[0]?.value.cooked ?? null;
  }
  return null;
}

/** The name of a property that is known without running anything. */
export function staticKeyName(key: Node, computed: boolean): string | null {
  if (!computed && key.type === 'Identifier') return key.name;
  if (key.type === 'Literal') {
    if (typeof key.value === 'string') return key.value;
    if (typeof key.value === 'number') return String(key.value);
  }
  return null;
}
