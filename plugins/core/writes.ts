/**
 * What is written to each variable of a file, and how it is annotated: the equations that `infer.ts` solves. Goes by the
 * tree and its bindings; asks for no type of an expression.
 */
import type { Node, Program } from '@oxc-project/types';

import { isFunctionNode, isTypeOnly, walk, type Expression } from './ast';
import type { TypeKey } from './api';
import type { Functions } from './functions';
import { assignmentTargets } from './names';
import type { Bindings, Variable } from './scope';
import type { Annotation, Annotations } from './types';

export type Write =
  | { readonly kind: 'value'; readonly expression: Expression }
  | {
      readonly kind: 'operation';
      readonly operator: string;
      readonly left: Expression;
      readonly right: Expression;
      readonly node: Node;
    }
  | { readonly kind: 'type'; readonly type: TypeKey | null };

export interface Writes {
  readonly writes: ReadonlyMap<Variable, readonly Write[]>;
  readonly annotated: ReadonlyMap<Variable, Annotation>;
}

export function collectWrites(
  program: Program,
  bindings: Bindings,
  annotations: Annotations,
  functions: Functions,
): Writes {
  const writes = new Map<Variable, Write[]>();
  const annotated = new Map<Variable, Annotation>();
  const annotate = (variable: Variable, annotation: Annotation): void => {
    // `var x: A; var x: B;`: neither is believed.
    annotated.set(variable, annotated.has(variable) ? { kind: 'other' } : annotation);
  };
  const add = (identifier: Node, write: Write): void => {
    const variable = bindings.variableOf(identifier);
    if (variable === null) return;
    const list = writes.get(variable);
    if (list === undefined) writes.set(variable, [write]);
    else list.push(write);
  };
  const addTargets = (pattern: Node, write: Write): void => {
    for (const target of assignmentTargets(pattern)) {
      if (target.type === 'Identifier') add(target, write);
    }
  };
  walk(program, (node) => {
    if (isTypeOnly(node)) return false;
    switch (node.type) {
      case 'VariableDeclarator': {
        const { id, init } = node;
        if (id.type === 'Identifier') {
          const annotation = id.typeAnnotation?.typeAnnotation;
          const variable = bindings.variableOf(id);
          if (annotation !== undefined && variable !== null) {
            annotate(variable, annotations.resolve(annotation));
          }
          if (init !== null) add(id, { kind: 'value', expression: init });
        } else if (init !== null) {
          const shape = id.type === 'ArrayPattern' && isPlainList(id);
          for (const target of assignmentTargets(id)) {
            add(
              target,
              shape
                ? { kind: 'operation', operator: 'element', left: init, right: init, node }
                : { kind: 'type', type: null },
            );
          }
        }
        break;
      }
      case 'AssignmentExpression': {
        const [target] = assignmentTargets(node.left);
        if (node.left.type === 'ArrayPattern' || node.left.type === 'ObjectPattern') {
          addTargets(node.left, { kind: 'type', type: null });
        } else if (target?.type === 'Identifier') {
          if (node.operator === '=') add(target, { kind: 'value', expression: node.right });
          else {
            add(target, {
              kind: 'operation',
              operator: node.operator.slice(0, -1),
              left: target as Expression,
              right: node.right,
              node,
            });
          }
        }
        break;
      }
      case 'UpdateExpression': {
        const [target] = assignmentTargets(node.argument);
        if (target?.type === 'Identifier') {
          add(target, {
            kind: 'operation',
            operator: 'update',
            left: target as Expression,
            right: target as Expression,
            node,
          });
        }
        break;
      }
      case 'ForInStatement':
      case 'ForOfStatement': {
        const left =
          node.left.type === 'VariableDeclaration' ? node.left.declarations[0]?.id : node.left;
        const type = node.type === 'ForInStatement' ? 'string' : null;
        if (left !== undefined) addTargets(left, { kind: 'type', type });
        break;
      }
      case 'CatchClause':
        if (node.param !== null) addTargets(node.param, { kind: 'type', type: null });
        break;
      case 'ClassDeclaration':
      case 'TSEnumDeclaration':
        if (node.id !== null) add(node.id, { kind: 'type', type: null });
        break;
      case 'FunctionDeclaration':
      case 'FunctionExpression':
      case 'ArrowFunctionExpression': {
        if (node.type !== 'ArrowFunctionExpression' && node.id !== null) {
          add(node.id, { kind: 'type', type: null });
        }
        const info = functions.of(node);
        for (const [i, parameter] of node.params.entries()) {
          const read = info?.parameters[i];
          if (
            read?.variable !== null &&
            read?.variable !== undefined &&
            (read.type !== null || read.annotation.kind === 'outside')
          ) {
            annotate(read.variable, read.annotation);
          } else {
            const pattern =
              parameter.type === 'TSParameterProperty' ? parameter.parameter : parameter;
            addTargets(pattern, { kind: 'type', type: null });
          }
        }
        break;
      }
    }
    return undefined;
  });
  return { writes, annotated };
}

/** For each variable, those whose writes read it. */
export function dependantsOf(
  writes: ReadonlyMap<Variable, readonly Write[]>,
  variables: ReadonlySet<Variable>,
  bindings: Bindings,
): ReadonlyMap<Variable, ReadonlySet<Variable>> {
  const dependants = new Map<Variable, Set<Variable>>();
  for (const variable of variables) {
    for (const write of writes.get(variable) ?? []) {
      if (write.kind === 'type') continue;
      const read = write.kind === 'value' ? [write.expression] : [write.left, write.right];
      for (const expression of read) {
        walk(expression, (node) => {
          // What a function inside does says nothing about the value of the expression.
          if (isTypeOnly(node) || isFunctionNode(node)) return false;
          if (node.type !== 'Identifier') return true;
          const used = bindings.variableOf(node);
          if (used === null || !variables.has(used)) return true;
          const list = dependants.get(used);
          if (list === undefined) dependants.set(used, new Set([variable]));
          else list.add(variable);
          return true;
        });
      }
    }
  }
  return dependants;
}

function isPlainList(pattern: Node & { type: 'ArrayPattern' }): boolean {
  return pattern.elements.every((element) => element === null || element.type === 'Identifier');
}
