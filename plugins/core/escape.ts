/**
 * Whether a tensor that a function makes may outlive it otherwise than by return (decision 14). Then the function may
 * not free what it made. Errs on the side of "may": freeing a tensor that somebody holds breaks a program, keeping one
 * costs memory. Tensors of the caller (parameters that are not reassigned) and of the module are not the function's to
 * free; that a parameter is kept matters to callers, who learn it from the summary.
 *
 * A scope holds all that is made while it is open, also inside calls. So a call of code that is not known counts: a
 * cache that it fills on its first call would be freed with the function's own tensors.
 */
import type { BlockStatement, Node } from '@oxc-project/types';

import { childrenOf, isFunctionNode, isTypeOnly, unwrap, walk, type Expression } from './ast';
import { CODES, diagnostic } from './codes';
import type { FunctionInfo } from './functions';
import type { Diagnostic } from './model';
import { assignmentTargets } from './names';
import { Origins, type OriginInputs } from './origin';
import type { Positions } from './positions';
import { excerpt, rootOf } from './reading';
import { declaredBy, isWithin, type Variable } from './scope';

export interface EscapeSummary {
  /** Why what the function makes may not be freed; `null` when it may. */
  readonly reason: Diagnostic | null;
  /** Positions of parameters that the function may keep. */
  readonly keeps: ReadonlySet<number>;
}

export interface EscapeInputs extends OriginInputs {
  readonly source: string;
  readonly positions: Positions;
  /** The summary of a function of the file, annotated or not; `null` while it is being made (a cycle). */
  summaryOf(callee: FunctionInfo): EscapeSummary | null;
}

/** What happens to an array or object literal at this place. */
type Place = 'kept' | 'returned' | 'absorbed';

export function readEscapes(info: FunctionInfo, inputs: EscapeInputs): EscapeSummary {
  return new Reader(info, inputs).read();
}

class Reader {
  readonly #info: FunctionInfo;
  readonly #in: EscapeInputs;
  readonly #origins: Origins;
  readonly #keeps = new Set<number>();
  #reason: Diagnostic | null = null;
  /** How many functions deep inside the function the walk is. */
  #depth = 0;

  constructor(info: FunctionInfo, inputs: EscapeInputs) {
    this.#info = info;
    this.#in = inputs;
    this.#origins = new Origins(info, inputs);
  }

  read(): EscapeSummary {
    const { body } = this.#info.node;
    if (body !== null) this.#body(body);
    if (this.#usesArguments()) {
      for (const i of this.#info.parameters.keys()) this.#keeps.add(i);
    }
    return { reason: this.#reason, keeps: this.#keeps };
  }

  #body(body: BlockStatement | Expression): void {
    if (body.type === 'BlockStatement') this.#node(body);
    else this.#returned(body);
  }

  #usesArguments(): boolean {
    return this.#info.scope.references.some(
      ({ identifier, resolved }) =>
        identifier.name === 'arguments' && (resolved?.defs.length ?? 0) === 0,
    );
  }

  #leak(expression: Expression, how: string): void {
    const origin = this.#origins.of(expression);
    for (const i of origin.parameters) this.#keeps.add(i);
    if (origin.made) this.#because(`'${excerpt(this.#in.source, expression)}'`, how, expression);
  }

  #because(what: string, how: string, node: Node): void {
    if (this.#reason !== null && this.#reason.range.start <= node.start) return;
    this.#reason = diagnostic(
      CODES.mayEscape,
      [what, how],
      this.#in.positions.range(node.start, node.end),
    );
  }

  #node(node: Node): void {
    if (isTypeOnly(node)) return;
    switch (node.type) {
      case 'ReturnStatement':
        if (node.argument !== null) this.#returned(node.argument);
        return;
      case 'VariableDeclarator':
        this.#node(node.id);
        if (node.init !== null) this.#value(node.init, 'kept');
        return;
      case 'ThrowStatement':
        this.#leak(node.argument, 'it is thrown');
        this.#value(node.argument, 'absorbed');
        return;
      case 'ForOfStatement':
      case 'ForInStatement':
        if (node.left.type !== 'VariableDeclaration') this.#assign(node.left, node.right);
        this.#value(node.right, 'kept');
        this.#node(node.body);
        return;
      case 'FunctionDeclaration':
      case 'ClassDeclaration':
        this.#inner(node);
        return;
      default:
        if (isExpression(node)) this.#value(node as Expression, 'kept');
        else for (const child of childrenOf(node)) this.#node(child);
    }
  }

  /** What the function gives back. A function inside it gives back to somebody who is not known. */
  #returned(expression: Expression): void {
    if (this.#depth > 0) {
      this.#leak(expression, 'a function inside the function returns it');
      this.#value(expression, 'absorbed');
    } else this.#value(expression, 'returned');
  }

  #value(written: Expression, place: Place): void {
    const expression = unwrap(written);
    switch (expression.type) {
      case 'ConditionalExpression':
        this.#value(expression.test, 'kept');
        this.#value(expression.consequent, place);
        this.#value(expression.alternate, place);
        return;
      case 'LogicalExpression':
        this.#value(expression.left, place);
        this.#value(expression.right, place);
        return;
      case 'SequenceExpression':
        for (const [i, part] of expression.expressions.entries()) {
          this.#value(part, i === expression.expressions.length - 1 ? place : 'kept');
        }
        return;
      case 'AwaitExpression':
        this.#value(expression.argument, place);
        return;
      case 'ArrayExpression':
        for (const element of expression.elements) {
          if (element === null) continue;
          const value = element.type === 'SpreadElement' ? element.argument : element;
          if (place === 'kept') this.#leak(value, 'it is put into an array');
          this.#value(value, place === 'kept' ? 'absorbed' : place);
        }
        return;
      case 'ObjectExpression':
        for (const property of expression.properties) {
          if (property.type === 'SpreadElement') {
            if (place === 'kept') this.#leak(property.argument, 'it is put into an object');
            this.#value(property.argument, place === 'kept' ? 'absorbed' : place);
            continue;
          }
          if (property.computed) this.#node(property.key);
          if (place === 'kept') this.#leak(property.value, 'it is put into an object');
          this.#value(property.value, place === 'kept' ? 'absorbed' : place);
        }
        return;
      case 'AssignmentExpression':
        this.#assign(expression.left, expression.right);
        for (const child of childrenOf(expression.left)) this.#node(child);
        this.#value(expression.right, 'kept');
        return;
      case 'ArrowFunctionExpression':
      case 'FunctionExpression':
      case 'ClassExpression':
        this.#inner(expression);
        return;
      case 'CallExpression':
        this.#call(expression);
        return;
      case 'NewExpression':
        this.#handOver(
          expression.arguments,
          `it is passed to 'new ${this.#text(expression.callee)}'`,
        );
        this.#unknownCode(unwrap(expression.callee), expression);
        this.#node(expression.callee);
        return;
      case 'TaggedTemplateExpression':
        for (const part of expression.quasi.expressions) {
          this.#leak(part, `it is passed to '${this.#text(expression.tag)}'`);
          this.#value(part, 'absorbed');
        }
        this.#unknownCode(unwrap(expression.tag), expression);
        this.#node(expression.tag);
        return;
      case 'YieldExpression':
        if (expression.argument === null) return;
        this.#leak(expression.argument, 'it is yielded');
        this.#value(expression.argument, 'absorbed');
        return;
      case 'JSXElement':
      case 'JSXFragment':
        walk(expression, (child) => {
          if (child.type !== 'JSXExpressionContainer' && child.type !== 'JSXSpreadAttribute') {
            return true;
          }
          const inner = child.type === 'JSXSpreadAttribute' ? child.argument : child.expression;
          if (inner.type === 'JSXEmptyExpression') return false;
          this.#leak(inner, 'it is put into an element');
          this.#value(inner, 'absorbed');
          return false;
        });
        return;
      default:
        for (const child of childrenOf(expression)) this.#node(child);
    }
  }

  #text(node: Node): string {
    return excerpt(this.#in.source, node);
  }

  #assign(pattern: Node, value: Expression): void {
    for (const target of assignmentTargets(pattern)) {
      if (target.type === 'MemberExpression') {
        this.#leak(value, `it is assigned to '${this.#text(target)}'`);
      } else if (target.type === 'Identifier') {
        const variable = this.#in.bindings.variableOf(target);
        if (variable === null || !this.#isOwn(variable)) {
          this.#leak(value, `it is assigned to the outer variable '${target.name}'`);
        }
      }
    }
  }

  #isOwn(variable: Variable): boolean {
    return isWithin(variable.scope, this.#info.scope);
  }

  #handOver(args: readonly Node[], how: string): void {
    for (const argument of args) {
      const value =
        argument.type === 'SpreadElement' ? argument.argument : (argument as Expression);
      this.#leak(value, how);
      this.#value(value, 'absorbed');
    }
  }

  #call(call: Expression & { type: 'CallExpression' }): void {
    const { inference, registry, names } = this.#in;
    const target = inference.callTarget(call);
    const callee = unwrap(call.callee);
    switch (target.kind) {
      case 'math':
      case 'method':
        this.#node(call.callee);
        for (const argument of call.arguments) this.#argument(argument);
        return;
      case 'package':
        if (registry.covers(target.name.module) && names.patchOf(target.name) === null) {
          for (const argument of call.arguments) this.#argument(argument);
          return;
        }
        break;
      case 'function': {
        const { name } = target.info;
        // In its own recursion a function leaves what it leaves anyway.
        const summary = target.info === this.#info ? null : this.#in.summaryOf(target.info);
        if (summary === null ? target.info !== this.#info : summary.reason !== null) {
          this.#because(`What '${name}' makes`, `nothing is freed for '${name}' either`, call);
        }
        let spread = false;
        for (const [i, argument] of call.arguments.entries()) {
          spread ||= argument.type === 'SpreadElement';
          // Behind a spread, positions are not known; a rest parameter takes all that follow.
          const position = Math.min(i, target.info.parameters.length - 1);
          if (summary === null || spread || summary.keeps.has(position)) {
            this.#handOver([argument], `it is passed to '${name}', which may keep it`);
          } else this.#argument(argument);
        }
        return;
      }
      default:
        break;
    }
    if (callee.type === 'MemberExpression' && this.#isPackageValue(callee.object)) {
      // A method of what a covered package gave back is that package's.
      this.#node(call.callee);
      for (const argument of call.arguments) this.#argument(argument);
      return;
    }
    if (callee.type === 'MemberExpression') {
      this.#leak(callee.object, `its method '${this.#text(callee)}' is not known`);
    }
    this.#unknownCode(callee, call);
    this.#node(call.callee);
    this.#handOver(call.arguments, `it is passed to '${this.#text(call.callee)}'`);
  }

  /** Code outside the file may make tensors and keep them; what the language brings does not. */
  #unknownCode(callee: Expression, node: Node): void {
    if (callee.type === 'MemberExpression' && this.#isBuiltIn(callee.object)) return;
    if (isFunctionNode(callee)) return; // Read where it stands.
    const root = rootOf(callee);
    if (root.type === 'Identifier' && this.#in.bindings.isGlobal(root)) return;
    this.#because(
      `What '${this.#text(callee)}' makes`,
      'it is not known what the call keeps',
      node,
    );
  }

  /** A primitive, or an array, map or set that the file makes: their methods are the language's. */
  #isBuiltIn(expression: Expression): boolean {
    const node = unwrap(expression);
    const { inference, registry, bindings } = this.#in;
    const type = inference.typeOf(node);
    if (type !== null && !registry.isTensor(type)) return true;
    if (inference.isShape(node) || node.type === 'ArrayExpression') return true;
    if (node.type === 'NewExpression') {
      return node.callee.type === 'Identifier' && bindings.isGlobal(node.callee);
    }
    if (node.type !== 'Identifier') return false;
    const variable = bindings.variableOf(node);
    const written = variable === null ? null : inference.writtenTo(variable);
    return (
      written?.length === 1 && written[0]!.type !== 'Identifier' && this.#isBuiltIn(written[0]!)
    );
  }

  #isPackageValue(expression: Expression): boolean {
    const node = unwrap(expression);
    if (this.#in.inference.isTensor(node)) return true;
    if (node.type !== 'CallExpression') return false;
    const target = this.#in.inference.callTarget(node);
    return target.kind === 'package' && this.#in.registry.covers(target.name.module);
  }

  #argument(argument: Node): void {
    this.#value(
      argument.type === 'SpreadElement' ? argument.argument : (argument as Expression),
      'absorbed',
    );
  }

  /** A function or class inside the function: what it captures, and what it does when it is run. */
  #inner(node: Node): void {
    const captured = new Set<Variable>();
    walk(node, (child) => {
      if (isTypeOnly(child)) return false;
      if (child.type === 'Identifier') {
        const variable = this.#in.bindings.variableOf(child);
        if (variable === null || !this.#isOwn(variable) || captured.has(variable)) return true;
        const declared = declaredBy(variable);
        if (declared !== undefined && declared.start >= node.start && declared.end <= node.end) {
          return true;
        }
        captured.add(variable);
        const origin = this.#origins.ofVariable(variable);
        for (const i of origin.parameters) this.#keeps.add(i);
        if (origin.made) {
          const what = node.type.startsWith('Class') ? 'a class' : 'a function';
          this.#because(`'${variable.name}'`, `${what} inside the function captures it`, child);
        }
      }
      return true;
    });
    this.#depth++;
    if (isFunctionNode(node)) {
      for (const parameter of node.params) this.#node(parameter);
      if (node.body !== null) this.#body(node.body);
    } else {
      for (const child of childrenOf(node)) this.#member(child);
    }
    this.#depth--;
  }

  #member(node: Node): void {
    if (node.type === 'PropertyDefinition' && node.value !== null) {
      this.#leak(node.value, 'it is put into a property of a class');
    }
    if (node.type === 'ClassBody') for (const child of node.body) this.#member(child);
    else for (const child of childrenOf(node)) this.#node(child);
  }
}

function isExpression(node: Node): boolean {
  switch (node.type) {
    case 'Identifier':
    case 'Literal':
    case 'Super':
      return true;
    default:
      return (
        node.type.endsWith('Expression') ||
        node.type === 'TemplateLiteral' ||
        node.type === 'JSXElement' ||
        node.type === 'JSXFragment'
      );
  }
}
