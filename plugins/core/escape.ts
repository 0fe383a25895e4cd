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
import { excerpt, rootOf } from './reading';
import { CODES, diagnostic } from './codes';
import type { FunctionInfo } from './functions';
import type { Inference } from './infer';
import type { Diagnostic } from './model';
import { assignmentTargets, type Names } from './names';
import type { Positions } from './positions';
import type { Registry } from './registry';
import { isWithin, laterWrites, type Bindings, type Variable } from './scope';

export interface EscapeSummary {
  /** Why what the function makes may not be freed; `null` when it may. */
  readonly reason: Diagnostic | null;
  /** Positions of parameters that the function may keep. */
  readonly keeps: ReadonlySet<number>;
}

export interface EscapeInputs {
  readonly source: string;
  readonly positions: Positions;
  readonly bindings: Bindings;
  readonly names: Names;
  readonly inference: Inference;
  readonly registry: Registry;
  /** The summary of a function of the file, annotated or not; `null` while it is being made (a cycle). */
  summaryOf(callee: FunctionInfo): EscapeSummary | null;
}

/** Where the tensors that a value may hold come from. */
interface Origin {
  /** Some may be made by this function. */
  readonly made: boolean;
  readonly parameters: ReadonlySet<number>;
}

const NOWHERE: Origin = { made: false, parameters: new Set() };
const MADE: Origin = { made: true, parameters: new Set() };

function union(origins: readonly Origin[]): Origin {
  return {
    made: origins.some(({ made }) => made),
    parameters: new Set(origins.flatMap(({ parameters }) => [...parameters])),
  };
}

/** What happens to an array or object literal at this place. */
type Place = 'kept' | 'returned' | 'absorbed';

export function readEscapes(info: FunctionInfo, inputs: EscapeInputs): EscapeSummary {
  return new Reader(info, inputs).read();
}

class Reader {
  readonly #info: FunctionInfo;
  readonly #in: EscapeInputs;
  readonly #keeps = new Set<number>();
  #reason: Diagnostic | null = null;
  /** How many functions deep inside the function the walk is. */
  #depth = 0;

  constructor(info: FunctionInfo, inputs: EscapeInputs) {
    this.#info = info;
    this.#in = inputs;
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
    const origin = this.#originOf(expression, new Set());
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

  #value(expression: Expression, place: Place): void {
    switch (expression.type) {
      case 'ParenthesizedExpression':
      case 'TSNonNullExpression':
      case 'TSAsExpression':
      case 'TSTypeAssertion':
      case 'TSSatisfiesExpression':
      case 'TSInstantiationExpression':
        this.#value(expression.expression, place);
        return;
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
        const [declared] = variable.identifiers as unknown as Node[];
        if (declared !== undefined && declared.start >= node.start && declared.end <= node.end) {
          return true;
        }
        captured.add(variable);
        const origin = this.#originOfVariable(variable, new Set());
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

  // Origins.

  #originOf(expression: Expression, seen: Set<unknown>): Origin {
    const node = unwrap(expression);
    const { inference, registry } = this.#in;
    const type = inference.typeOf(node);
    if (type !== null && !registry.isTensor(type)) return NOWHERE;
    switch (node.type) {
      case 'Identifier': {
        const variable = this.#in.bindings.variableOf(node);
        return variable === null ? NOWHERE : this.#originOfVariable(variable, seen);
      }
      case 'MemberExpression':
        if (inference.isShape(node)) return NOWHERE;
        return this.#originOf(node.object, seen);
      case 'ChainExpression':
        return this.#originOf(node.expression, seen);
      case 'ConditionalExpression':
        return union([this.#originOf(node.consequent, seen), this.#originOf(node.alternate, seen)]);
      case 'LogicalExpression':
        return union([this.#originOf(node.left, seen), this.#originOf(node.right, seen)]);
      case 'SequenceExpression':
        return this.#originOf(node.expressions[node.expressions.length - 1]!, seen);
      case 'AssignmentExpression':
        return this.#originOf(node.right, seen);
      case 'AwaitExpression':
        return this.#originOf(node.argument, seen);
      case 'ArrayExpression':
        return union(
          node.elements.map((element) =>
            element === null
              ? NOWHERE
              : this.#originOf(element.type === 'SpreadElement' ? element.argument : element, seen),
          ),
        );
      case 'ObjectExpression':
        return union(
          node.properties.map((property) =>
            this.#originOf(
              property.type === 'SpreadElement' ? property.argument : property.value,
              seen,
            ),
          ),
        );
      case 'CallExpression': {
        // What it returns may be new, or one of its arguments.
        const args = node.arguments.map((argument) =>
          this.#originOf(argument.type === 'SpreadElement' ? argument.argument : argument, seen),
        );
        return union([MADE, ...args]);
      }
      case 'NewExpression':
        return union(
          node.arguments.map((argument) =>
            this.#originOf(argument.type === 'SpreadElement' ? argument.argument : argument, seen),
          ),
        );
      case 'BinaryExpression':
      case 'UnaryExpression':
      case 'UpdateExpression':
      case 'Literal':
      case 'TemplateLiteral':
      case 'ArrowFunctionExpression':
      case 'FunctionExpression':
      case 'ClassExpression':
      case 'ThisExpression':
      case 'MetaProperty':
      case 'ImportExpression':
        return NOWHERE;
      default:
        return MADE;
    }
  }

  #originOfVariable(variable: Variable, seen: Set<unknown>): Origin {
    const { inference, registry } = this.#in;
    if (!this.#isOwn(variable) || seen.has(variable)) return NOWHERE;
    seen.add(variable);
    if (this.#in.names.resolveVariable(variable) !== null) return NOWHERE;
    const type = inference.typeOfVariable(variable);
    if (type !== null && !registry.isTensor(type)) return NOWHERE;
    const [declared] = variable.identifiers as unknown as Node[];
    const index = this.#info.node.params.findIndex(
      (parameter) =>
        declared !== undefined &&
        declared.start >= parameter.start &&
        declared.end <= parameter.end,
    );
    if (index >= 0 && laterWrites(variable).length === 0) {
      return { made: false, parameters: new Set([index]) };
    }
    const written = inference.writtenTo(variable);
    if (written === null || (index < 0 && written.length === 0 && isParameter(variable)))
      return MADE;
    const origins = written.map((expression) => this.#originOf(expression, seen));
    return union(
      index >= 0 ? [...origins, { made: false, parameters: new Set([index]) }] : origins,
    );
  }
}

function isParameter(variable: Variable): boolean {
  return variable.defs.some(({ type }) => String(type) === 'Parameter');
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
