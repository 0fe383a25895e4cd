/**
 * Folding: what an expression is known to be without running anything. Values, not texts: `0x1`, `1.0` and `1` are one
 * literal. `-0` is the int 0: JavaScript's `===` does not tell them apart either, so a plugin that
 * cares must lower the operand's text, not its literal.
 */
import type { Expression, Node } from '@oxc-project/types';

import { unwrap } from './ast';
import type { ClaimLiteral } from './api';
import { laterWrites, soleDefinition, type Bindings, type Variable } from './scope';

export const DYNAMIC: ClaimLiteral = Object.freeze({ kind: 'dynamic' });

type Primitive = null | undefined | boolean | number | bigint | string;
/** `{ value }` keeps a folded `undefined` apart from "not folded". */
type Folded = { readonly value: Primitive } | null;

export class Literals {
  readonly #bindings: Bindings;
  readonly #constants = new Map<Variable, Folded>();

  constructor(bindings: Bindings) {
    this.#bindings = bindings;
  }

  /** The literal of an operand or option. Arrays of integers are literals where they are written out. */
  fold(expression: Expression): ClaimLiteral {
    const folded = this.value(expression);
    if (folded !== null) return literalOf(folded.value);
    const node = unwrap(expression);
    if (node.type !== 'ArrayExpression') return DYNAMIC;
    const items: number[] = [];
    for (const element of node.elements) {
      if (element === null || element.type === 'SpreadElement') return DYNAMIC;
      const item = this.value(element);
      if (item === null || typeof item.value !== 'number' || !Number.isSafeInteger(item.value)) {
        return DYNAMIC;
      }
      items.push(item.value + 0);
    }
    return Object.freeze({ kind: 'intTuple', value: Object.freeze(items) });
  }

  value(expression: Expression): Folded {
    const node = unwrap(expression);
    switch (node.type) {
      case 'Literal':
        if ('regex' in node) return null;
        if ('bigint' in node) return { value: BigInt(node.bigint) };
        return { value: node.value };
      case 'TemplateLiteral': {
        let text = '';
        for (const [i, quasi] of node.quasis.entries()) {
          if (quasi.value.cooked === null) return null;
          text += quasi.value.cooked;
          const inner = node.expressions[i];
          if (inner === undefined) continue;
          const folded = this.value(inner);
          if (folded === null) return null;
          text += String(folded.value);
        }
        return { value: text };
      }
      case 'UnaryExpression':
        return foldUnary(node.operator, this.value(node.argument));
      case 'BinaryExpression':
        if (node.left.type === 'PrivateIdentifier') return null;
        return foldBinary(node.operator, this.value(node.left), this.value(node.right));
      case 'Identifier':
        return this.#identifier(node);
      default:
        return null;
    }
  }

  #identifier(node: Node & { type: 'Identifier' }): Folded {
    const variable = this.#bindings.variableOf(node);
    if (variable === null || !('defs' in variable)) {
      if (!this.#bindings.isGlobal(node)) return null;
      if (node.name === 'undefined') return { value: undefined };
      if (node.name === 'NaN') return { value: NaN };
      return node.name === 'Infinity' ? { value: Infinity } : null;
    }
    const known = this.#constants.get(variable);
    if (known !== undefined) return known;
    this.#constants.set(variable, null); // A constant that is defined by itself is none.
    const folded = this.#constant(variable);
    this.#constants.set(variable, folded);
    return folded;
  }

  #constant(variable: Variable): Folded {
    const definition = soleDefinition(variable);
    if (definition === null || laterWrites(variable).length > 0) return null;
    const { node, parent } = definition;
    if (node.type !== 'VariableDeclarator' || parent?.type !== 'VariableDeclaration') return null;
    if (parent.kind !== 'const' || parent.declare === true) return null;
    if (node.id.type !== 'Identifier' || node.init === null) return null;
    return this.value(node.init);
  }
}

function foldUnary(operator: string, operand: Folded): Folded {
  if (operand === null) return null;
  const { value } = operand;
  switch (operator) {
    case '-':
      return typeof value === 'number' || typeof value === 'bigint' ? { value: -value } : null;
    case '+':
      return typeof value === 'number' ? { value } : null;
    case '~':
      return typeof value === 'number' || typeof value === 'bigint' ? { value: ~value } : null;
    case '!':
      return { value: !value };
    case 'void':
      return { value: undefined };
    default:
      return null;
  }
}

function foldBinary(operator: string, left: Folded, right: Folded): Folded {
  if (left === null || right === null) return null;
  const a = left.value;
  const b = right.value;
  if (operator === '+' && typeof a === 'string' && typeof b === 'string') return { value: a + b };
  if (typeof a !== 'number' || typeof b !== 'number') return null;
  switch (operator) {
    case '+':
      return { value: a + b };
    case '-':
      return { value: a - b };
    case '*':
      return { value: a * b };
    case '/':
      return { value: a / b };
    case '%':
      return { value: a % b };
    case '**':
      return { value: a ** b };
    default:
      return null;
  }
}

function literalOf(value: Primitive): ClaimLiteral {
  switch (typeof value) {
    case 'undefined':
      return Object.freeze({ kind: 'undefined' });
    case 'boolean':
      return Object.freeze({ kind: 'bool', value });
    case 'bigint':
      return Object.freeze({ kind: 'bigint', value });
    case 'string':
      return Object.freeze({ kind: 'str', value });
    case 'number':
      // `+ 0` makes 0 of -0.
      return Object.freeze(
        Number.isSafeInteger(value)
          ? { kind: 'int' as const, value: value + 0 }
          : { kind: 'float' as const, value },
      );
    default:
      return Object.freeze({ kind: 'null' });
  }
}
