/**
 * One function, read for decision 6: its sites in source order, and what keeps it from being native, each with its own
 * reason. Native means that running the body once with a recording frame gives the op list of every later call with the
 * same key; what could make that false is a reason. Statements and expressions are read here, calls in `calls.ts`, names
 * and members in `reads.ts`.
 */
import type { BindingPattern, Node, Statement } from '@oxc-project/types';

import { childrenOf, isTypeOnly, unwrap, type Expression } from './ast';
import { Calls } from './calls';
import { CODES } from './codes';
import { isScalar } from './core-types';
import type { FunctionInfo } from './functions';
import { assignmentTargets } from './names';
import { Reading, type Boundary, type BoundaryInputs, type Use } from './reading';
import { Reads } from './reads';
import { isWithin } from './scope';

export function readBoundary(info: FunctionInfo, inputs: BoundaryInputs): Boundary {
  return new Reader(new Reading(info, inputs)).read();
}

class Reader {
  readonly #r: Reading;
  readonly #in: BoundaryInputs;
  readonly #calls: Calls;
  readonly #reads: Reads;

  constructor(reading: Reading) {
    this.#r = reading;
    this.#in = reading.inputs;
    this.#calls = new Calls(reading, {
      visit: (expression, use) => this.#visit(expression, use),
      scalar: (expression) => this.#scalar(expression),
      properties: (node, use) => this.#properties(node, use),
    });
    this.#reads = new Reads(reading, {
      visit: (expression, use) => this.#visit(expression, use),
      calleeObject: (expression) => this.#calls.calleeObject(expression),
    });
  }

  read(): Boundary {
    const { node, name, nameSpan, parameters } = this.#r.info;
    if (node.generator) this.#r.addAt(CODES.generator, [name], nameSpan[0], nameSpan[1]);
    else if (node.async) this.#r.addAt(CODES.async, [name], nameSpan[0], nameSpan[1]);
    for (const parameter of parameters) {
      const text = this.#r.text(parameter.node);
      if (parameter.oddity !== null) {
        this.#r.add(CODES.parameterPattern, [text, parameter.oddity], parameter.node);
      }
      if (parameter.annotation.kind === 'outside') {
        this.#r.outside(parameter.annotation.why, annotationNode(parameter.node) ?? parameter.node);
      }
      for (const child of childrenOf(parameter.node)) {
        this.#calls.setAside(child, 'in a parameter');
      }
    }
    if (this.#r.info.result.kind === 'outside') {
      this.#r.outside(this.#r.info.result.why, node.returnType?.typeAnnotation ?? node);
    }
    const { body } = node;
    if (body !== null) {
      if (body.type === 'BlockStatement') this.#block(body.body);
      else this.#visit(body, 'result');
    }
    return {
      reasons: this.#r.reasons,
      sites: this.#r.sites,
      edges: this.#r.edges,
      captures: [...this.#r.captures.values()],
      dynamicScope: this.#r.dynamicScope,
    };
  }

  // Statements.

  #block(statements: readonly Statement[]): void {
    for (const statement of statements) this.#statement(statement);
  }

  #statement(node: Statement): void {
    if (isTypeOnly(node)) return;
    switch (node.type) {
      case 'BlockStatement':
        this.#block(node.body);
        return;
      case 'ExpressionStatement':
        this.#visit(node.expression, 'value');
        return;
      case 'VariableDeclaration':
        this.#variables(node);
        return;
      case 'IfStatement':
        this.#condition(node.test);
        this.#statement(node.consequent);
        if (node.alternate !== null) this.#statement(node.alternate);
        return;
      case 'ForStatement':
        if (node.init !== null) {
          if (node.init.type === 'VariableDeclaration') this.#variables(node.init);
          else this.#visit(node.init, 'value');
        }
        if (node.test !== null) this.#condition(node.test);
        if (node.update !== null) this.#visit(node.update, 'value');
        this.#statement(node.body);
        return;
      case 'WhileStatement':
        this.#condition(node.test);
        this.#statement(node.body);
        return;
      case 'DoWhileStatement':
        this.#statement(node.body);
        this.#condition(node.test);
        return;
      case 'SwitchStatement':
        this.#condition(node.discriminant);
        for (const { test, consequent } of node.cases) {
          if (test !== null) this.#condition(test);
          this.#block(consequent);
        }
        return;
      case 'ReturnStatement':
        if (node.argument !== null) this.#visit(node.argument, 'result');
        return;
      case 'LabeledStatement':
        this.#statement(node.body);
        return;
      case 'EmptyStatement':
      case 'BreakStatement':
      case 'ContinueStatement':
        return;
      case 'ForInStatement':
      case 'ForOfStatement': {
        const what =
          node.type === 'ForInStatement' ? 'for-in' : node.await ? 'for await' : 'for-of';
        this.#r.addAt(CODES.iteration, [what], node.start, node.body.start);
        if (node.left.type !== 'VariableDeclaration') this.#assignTo(node.left, node);
        this.#visit(node.right, 'operand');
        this.#statement(node.body);
        return;
      }
      case 'ThrowStatement':
        this.#r.add(CODES.throwStatement, [], node);
        this.#visit(node.argument, 'value');
        return;
      case 'TryStatement':
        this.#r.addAt(CODES.tryStatement, [], node.start, node.start + 3);
        this.#block(node.block.body);
        if (node.handler !== null) {
          if (node.handler.param !== null) this.#defaults(node.handler.param);
          this.#block(node.handler.body.body);
        }
        if (node.finalizer !== null) this.#block(node.finalizer.body);
        return;
      case 'WithStatement':
        this.#r.dynamicScope = true;
        this.#r.addAt(CODES.dynamicScope, ['with'], node.start, node.body.start);
        this.#visit(node.object, 'value');
        this.#statement(node.body);
        return;
      case 'FunctionDeclaration':
        this.#calls.closure(node, `the function '${node.id?.name ?? ''}'`);
        return;
      case 'ClassDeclaration':
        this.#calls.closure(node, `the class '${node.id?.name ?? ''}'`);
        return;
      case 'DebuggerStatement':
        this.#r.add(CODES.unsupportedSyntax, ["'debugger'"], node);
        return;
      default:
        this.#r.add(CODES.unsupportedSyntax, [`'${this.#r.text(node)}'`], node);
        this.#calls.setAside(node, 'in unsupported syntax');
    }
  }

  #variables(node: Statement & { type: 'VariableDeclaration' }): void {
    if (node.kind === 'using' || node.kind === 'await using') {
      this.#r.add(CODES.dispose, [this.#r.text(node)], node);
    }
    for (const { id, init } of node.declarations) {
      for (const pattern of patternsOf(id)) {
        if (pattern.type !== 'Identifier') continue;
        const annotation = pattern.typeAnnotation?.typeAnnotation;
        const variable = this.#in.bindings.variableOf(pattern);
        if (annotation === undefined || annotation === null || variable === null) continue;
        const read = this.#in.inference.annotationOf(variable);
        if (read?.kind === 'outside') this.#r.outside(read.why, annotation);
      }
      if (init === null || this.#isAlias(id)) continue;
      if (id.type !== 'Identifier') {
        const plainShape =
          id.type === 'ArrayPattern' &&
          this.#in.inference.isShape(init) &&
          id.elements.every((element) => element === null || element.type === 'Identifier');
        if (!plainShape) {
          const text = this.#r.text(id);
          this.#r.add(
            CODES.propertyRead,
            [text, `takes '${this.#r.text(init)}' apart`],
            id,
            this.#r.because(init),
          );
          this.#defaults(id);
        }
      }
      this.#visit(init, 'value');
    }
  }

  /** Every name of the pattern stands for a path inside a package: `const { relu } = tf.nn`. */
  #isAlias(pattern: BindingPattern): boolean {
    const identifiers = assignmentTargets(pattern);
    return (
      identifiers.length > 0 &&
      identifiers.every((identifier) => {
        const variable = this.#in.bindings.variableOf(identifier);
        return variable !== null && this.#in.names.resolveVariable(variable) !== null;
      })
    );
  }

  /** Calls in the defaults and computed keys of a pattern: they run as written. */
  #defaults(pattern: Node): void {
    for (const child of childrenOf(pattern)) this.#calls.setAside(child, 'in a pattern');
  }

  // Expressions.

  #visit(written: Expression, use: Use): void {
    const expression = unwrap(written);
    switch (expression.type) {
      case 'Literal':
        if ('regex' in expression) {
          this.#r.add(CODES.unsupportedSyntax, ['a regular expression'], expression);
        }
        return;
      case 'Identifier':
        this.#reads.identifier(expression, use);
        return;
      case 'TemplateLiteral':
        for (const part of expression.expressions) {
          this.#visit(part, 'value');
          this.#stringPart(part);
        }
        return;
      case 'TaggedTemplateExpression':
        this.#r.add(CODES.templateCall, [this.#r.text(expression.tag)], expression);
        this.#calls.calleeObject(expression.tag);
        for (const part of expression.quasi.expressions) this.#visit(part, 'value');
        return;
      case 'ArrayExpression':
        if (use === 'value') this.#r.add(CODES.container, ['an array'], expression);
        for (const element of expression.elements) {
          if (element === null) continue;
          if (element.type === 'SpreadElement') {
            if (use !== 'value') this.#r.add(CODES.container, ['an array by spreading'], element);
            this.#visit(element.argument, 'operand');
          } else this.#visit(element, use);
        }
        return;
      case 'ObjectExpression':
        if (use === 'value') this.#r.add(CODES.container, ['an object'], expression);
        this.#properties(expression, use);
        return;
      case 'ArrowFunctionExpression':
      case 'FunctionExpression':
      case 'FunctionDeclaration':
        this.#calls.closure(expression, 'a function');
        return;
      case 'ClassExpression':
        this.#calls.closure(expression, 'a class');
        return;
      case 'AssignmentExpression':
        this.#assignment(expression);
        return;
      case 'UpdateExpression': {
        this.#assignTo(expression.argument, expression);
        const target = unwrap(expression.argument);
        if (target.type === 'Identifier') this.#scalar(target);
        return;
      }
      case 'BinaryExpression':
        this.#binary(expression);
        return;
      case 'LogicalExpression':
        this.#condition(expression.left);
        this.#visit(expression.right, use);
        return;
      case 'ConditionalExpression':
        this.#condition(expression.test);
        this.#visit(expression.consequent, use);
        this.#visit(expression.alternate, use);
        return;
      case 'UnaryExpression':
        this.#unary(expression);
        return;
      case 'SequenceExpression':
        for (const [i, part] of expression.expressions.entries()) {
          this.#visit(part, i === expression.expressions.length - 1 ? use : 'value');
        }
        return;
      case 'CallExpression':
        this.#calls.call(expression);
        return;
      case 'MemberExpression':
        this.#reads.member(expression);
        return;
      case 'ChainExpression': {
        const inner = expression.expression;
        if (inner.type === 'CallExpression') this.#calls.call(inner);
        else if (inner.type === 'MemberExpression') this.#reads.member(inner);
        else this.#visit(inner, use);
        return;
      }
      case 'NewExpression': {
        const callee = unwrap(expression.callee);
        const isDate =
          callee.type === 'Identifier' &&
          callee.name === 'Date' &&
          this.#in.bindings.isGlobal(callee);
        const text = this.#r.text(expression);
        if (isDate) this.#r.add(CODES.clock, [text], expression);
        else {
          this.#r.add(CODES.construct, [this.#r.text(expression.callee)], expression);
        }
        this.#calls.calleeObject(callee);
        this.#calls.arguments(expression.arguments);
        return;
      }
      case 'ThisExpression':
        this.#r.add(CODES.thisValue, ['this'], expression);
        return;
      case 'Super':
        this.#r.add(CODES.thisValue, ['super'], expression);
        return;
      case 'MetaProperty':
        if (expression.meta.name === 'new')
          this.#r.add(CODES.thisValue, ['new.target'], expression);
        else {
          this.#r.add(
            CODES.freeValue,
            ['import.meta', 'which depends on where the file is'],
            expression,
          );
        }
        return;
      case 'AwaitExpression':
      case 'YieldExpression':
        // The function's own reason (async, generator) stands for these.
        if (expression.argument !== null) this.#visit(expression.argument, 'value');
        return;
      case 'ImportExpression':
        this.#r.add(
          CODES.unknownCall,
          ['import', 'a dynamic import loads a module', 'Import it at the top of the file.'],
          expression,
        );
        this.#visit(expression.source, 'value');
        return;
      default:
        this.#r.add(CODES.unsupportedSyntax, [`'${this.#r.text(expression)}'`], expression);
        this.#calls.setAside(expression, 'in unsupported syntax');
    }
  }

  #properties(node: Expression & { type: 'ObjectExpression' }, use: Use): void {
    for (const property of node.properties) {
      if (property.type === 'SpreadElement') {
        if (use !== 'value') this.#r.add(CODES.container, ['an object by spreading'], property);
        this.#visit(property.argument, 'operand');
        continue;
      }
      if (property.computed) this.#visit(property.key as Expression, 'value');
      this.#visit(property.value, use);
    }
  }

  #assignment(node: Expression & { type: 'AssignmentExpression' }): void {
    this.#assignTo(node.left, node);
    if (node.operator === '=') {
      this.#visit(node.right, 'value');
      return;
    }
    const [target] = assignmentTargets(node.left);
    const operator = node.operator.slice(0, -1);
    const logical = operator === '??' || operator === '||' || operator === '&&';
    if (target?.type === 'Identifier') {
      const left = target as Expression;
      if (logical) this.#condition(left);
      else if (this.#in.inference.isTensor(left) || this.#in.inference.isTensor(node.right)) {
        this.#r.add(CODES.tensorOperator, [node.operator], node);
        this.#visit(node.right, 'value');
        return;
      } else this.#scalar(left);
    }
    this.#visit(node.right, 'value');
    if (!logical) this.#scalar(node.right);
  }

  /** What an assignment writes to: own variables are fine, properties and outer variables are not. */
  #assignTo(pattern: Node, whole: Node): void {
    if (pattern.type === 'ArrayPattern' || pattern.type === 'ObjectPattern') {
      this.#r.add(CODES.propertyRead, [this.#r.text(pattern), 'takes a value apart'], pattern);
      this.#defaults(pattern);
    }
    for (const target of assignmentTargets(pattern)) {
      if (target.type === 'MemberExpression') {
        this.#r.add(CODES.mutation, [this.#r.text(whole)], whole);
        if (target.computed) this.#visit(target.property, 'value');
        this.#calls.calleeObject(target.object);
        continue;
      }
      if (target.type !== 'Identifier') continue;
      const variable = this.#in.bindings.variableOf(target);
      if (variable === null || !isWithin(variable.scope, this.#r.info.scope)) {
        this.#r.add(CODES.mutableFree, [target.name, 'and assigns to it'], whole);
      }
    }
  }

  #binary(node: Expression & { type: 'BinaryExpression' }): void {
    if (node.left.type === 'PrivateIdentifier') {
      this.#r.add(CODES.unsupportedSyntax, [`'${this.#r.text(node)}'`], node);
      this.#visit(node.right, 'value');
      return;
    }
    const site = this.#in.inference.siteOfOperator(node as never);
    if (site !== null) {
      const unclaimed =
        site.verdict.verdict === 'claimed'
          ? null
          : site.verdict.verdict === 'rejected'
            ? this.#calls.rejected(node, site)
            : this.#r.add(CODES.tensorOperator, [node.operator], node);
      this.#r.sites.push({ node, reading: site, reason: unclaimed, offered: true });
      this.#visit(node.left, 'value');
      this.#visit(node.right, 'value');
      return;
    }
    this.#visit(node.left, 'value');
    this.#visit(node.right, 'value');
    if (node.operator === 'in' || node.operator === 'instanceof') {
      this.#r.add(
        CODES.notScalar,
        [this.#r.text(node.right), 'an object'],
        node,
        this.#r.because(node.left, node.right),
      );
      return;
    }
    this.#scalar(node.left);
    this.#scalar(node.right);
  }

  #unary(node: Expression & { type: 'UnaryExpression' }): void {
    switch (node.operator) {
      case '!':
        this.#condition(node.argument);
        return;
      case 'delete':
        this.#r.add(CODES.mutation, [this.#r.text(node)], node);
        this.#calls.calleeObject(node.argument);
        return;
      case 'void':
        this.#visit(node.argument, 'value');
        return;
      default:
        if (this.#in.inference.isTensor(node.argument)) {
          this.#r.add(CODES.tensorOperator, [node.operator], node);
          this.#visit(node.argument, 'value');
          return;
        }
        this.#visit(node.argument, 'value');
        this.#scalar(node.argument);
    }
  }

  /** An operand of scalar arithmetic. What the visit already refused is not refused twice. */
  #scalar(expression: Expression): void {
    const node = unwrap(expression);
    const type = this.#in.inference.typeOf(node);
    if (isScalar(type)) return;
    if (this.#in.registry.isTensor(type)) return; // The operator said so.
    if (this.#r.isRefused(node)) return;
    const folded = this.#in.literals.value(node);
    if (folded !== null && typeof folded.value !== 'string') return;
    this.#r.add(
      CODES.notScalar,
      [this.#r.text(node), this.#r.typeText(node)],
      node,
      this.#r.because(node),
    );
  }

  /** The condition of control flow, or an operand of `!`, `&&`, `||`, `??` and `switch`. */
  #condition(expression: Expression): void {
    const node = unwrap(expression);
    if (node.type === 'LogicalExpression') {
      this.#condition(node.left);
      this.#condition(node.right);
      return;
    }
    if (this.#in.inference.isTensor(node)) {
      this.#visit(node, 'value');
      this.#r.add(CODES.tensorCondition, [this.#r.text(node)], node);
      return;
    }
    this.#visit(node, 'value');
    this.#scalar(node);
  }

  #stringPart(expression: Expression): void {
    const node = unwrap(expression);
    if (this.#in.inference.isTensor(node)) {
      this.#r.add(CODES.readback, [this.#r.text(node)], node);
    } else if (this.#in.inference.typeOf(node) !== 'string') this.#scalar(node);
  }
}

function annotationNode(node: Node): Node | null {
  let inner: Node = node;
  if (inner.type === 'AssignmentPattern') inner = inner.left;
  const annotated = inner as { typeAnnotation?: { typeAnnotation: Node } | null };
  return annotated.typeAnnotation?.typeAnnotation ?? null;
}

function patternsOf(pattern: BindingPattern): BindingPattern[] {
  return pattern.type === 'Identifier'
    ? [pattern]
    : (assignmentTargets(pattern) as BindingPattern[]);
}
