/**
 * Types of expressions and verdicts of sites, which depend on each other: a variable has the join of what is written to
 * it, whatever the order; a call has the result type that a plugin answers. Solved to a fixed point over the file, then
 * frozen. Never looks at positions, so that a verdict depends on nothing but the site.
 */
import type { BinaryExpression, CallExpression, Node, Program } from '@oxc-project/types';

import { staticMemberName, unwrap, type Expression } from './ast';
import type { TypeKey } from './api';
import {
  arithmetic,
  joinTypes,
  MATH_CONSTANTS,
  NUMBER_CONSTANTS,
  PURE_MATH,
  type Type,
} from './core-types';
import type { Functions } from './functions';
import type { Literals } from './literals';
import { assignmentTargets, type Names } from './names';
import type { Registry } from './registry';
import { declaredBy, type Bindings, type Variable } from './scope';
import { SiteReader, type CallTarget, type SiteReading } from './sites';
import type { Annotation, Annotations } from './types';
import { collectWrites, dependantsOf, type Write, type Writes } from './writes';

/** Why an expression has no type. */
export interface TypeCause {
  /** The call that gave a value of unknown type. */
  readonly site: SiteReading | null;
  readonly node: Node;
  /** A sentence part: `'h' is assigned TensorF32Cpu2D and number`. */
  readonly note: string | null;
  /** The note is about an annotation, which has a reason of its own. */
  readonly declared: boolean;
}

export interface InferenceInputs {
  readonly program: Program;
  readonly bindings: Bindings;
  readonly names: Names;
  readonly annotations: Annotations;
  readonly literals: Literals;
  readonly functions: Functions;
  readonly registry: Registry;
}

export class Inference {
  readonly #in: InferenceInputs;
  readonly #writes: Writes['writes'];
  readonly #annotated: Writes['annotated'];
  readonly #reader: SiteReader;
  readonly #state = new Map<Variable, Type>();
  /** Recorded when a variable loses its type, so that a cause never goes round in circles. */
  readonly #causes = new Map<Variable, TypeCause>();
  #memo = new Map<Node, Type>();
  readonly #sites = new Map<Node, SiteReading>();
  #frozen = false;

  constructor(inputs: InferenceInputs) {
    this.#in = inputs;
    const { program, bindings, annotations, functions } = inputs;
    const { writes, annotated } = collectWrites(program, bindings, annotations, functions);
    this.#writes = writes;
    this.#annotated = annotated;
    this.#reader = new SiteReader(inputs, {
      of: (expression) => this.#typeOf(expression),
      isSettled: () => this.#frozen,
    });
    this.#solve();
  }

  /** The type of an expression; `null` when it could not be resolved. */
  typeOf(expression: Expression): TypeKey | null {
    return this.#typeOf(expression) ?? null;
  }

  typeOfVariable(variable: Variable): TypeKey | null {
    return this.#state.get(variable) ?? null;
  }

  isTensor(expression: Expression): boolean {
    return this.#in.registry.isTensor(this.typeOf(expression));
  }

  /** True for `x.shape` of a tensor `x`. */
  isShape(expression: Expression): boolean {
    const node = unwrap(expression);
    return staticMemberName(node) === 'shape' && node.type === 'MemberExpression'
      ? this.#isTensorNow(node.object)
      : false;
  }

  isGlobalMember(expression: Expression, object: string): string | null {
    const node = unwrap(expression);
    const name = staticMemberName(node);
    if (name === null || node.type !== 'MemberExpression') return null;
    const root = unwrap(node.object);
    return root.type === 'Identifier' && root.name === object && this.#in.bindings.isGlobal(root)
      ? name
      : null;
  }

  /** `Math.PI`, `Number.EPSILON`: constants that cannot be written. */
  isNumberConstant(expression: Expression): boolean {
    const math = this.isGlobalMember(expression, 'Math');
    if (math !== null) return MATH_CONSTANTS.has(math);
    const number = this.isGlobalMember(expression, 'Number');
    return number !== null && NUMBER_CONSTANTS.has(number);
  }

  callTarget(call: CallExpression): CallTarget {
    if (call.optional) return { kind: 'unknown' };
    const callee = unwrap(call.callee);
    const name = this.#in.names.resolve(callee);
    if (name !== null) return { kind: 'package', name, target: name.path.join('.') };
    const info = this.#in.functions.called(callee);
    if (info !== null) return { kind: 'function', info };
    const math = this.isGlobalMember(callee, 'Math');
    if (math !== null) return { kind: 'math', method: math };
    const method = staticMemberName(callee);
    if (method !== null && callee.type === 'MemberExpression' && this.#isTensorNow(callee.object)) {
      return { kind: 'method', receiver: callee.object, method };
    }
    return { kind: 'unknown' };
  }

  /** The reading of a call that belongs to a plugin, or `null` when it does not. */
  siteOfCall(call: CallExpression): SiteReading | null {
    const known = this.#sites.get(call);
    if (known !== undefined) return known;
    const target = this.callTarget(call);
    const covered =
      target.kind === 'method' ||
      (target.kind === 'package' && this.#in.registry.covers(target.name.module));
    if (!covered) return null;
    const reading = this.#reader.call(call, target);
    if (reading !== null && this.#frozen) this.#sites.set(call, reading);
    return reading;
  }

  /** The reading of an operator with a tensor operand, or `null` when it has none. */
  siteOfOperator(node: BinaryExpression): SiteReading | null {
    if (node.operator === 'in' || node.operator === 'instanceof') return null;
    const known = this.#sites.get(node);
    if (known !== undefined) return known;
    const operands = [node.left, node.right];
    const types = operands.map((operand) => this.#typeOf(operand));
    if (!types.some((type) => type !== undefined && this.#in.registry.isTensor(type))) return null;
    if (types.includes(undefined)) return null;
    const reading = this.#reader.operator(node, types as (TypeKey | null)[]);
    if (this.#frozen) this.#sites.set(node, reading);
    return reading;
  }

  /**
   * Why an expression has no type: the call, or the conflicting assignments, that it goes back to. `null` when nothing
   * better is known than that.
   */
  causeOf(expression: Expression): TypeCause | null {
    const node = unwrap(expression);
    if (this.#typeOf(node) !== null) return null;
    switch (node.type) {
      case 'Identifier': {
        const variable = this.#in.bindings.variableOf(node);
        return variable === null ? null : (this.#causes.get(variable) ?? null);
      }
      case 'CallExpression': {
        const target = this.callTarget(node);
        if (target.kind === 'function' && target.info.annotated) {
          const note = `the result of '${target.info.name}' is not annotated`;
          return { site: null, node, note, declared: false };
        }
        const site = this.siteOfCall(node);
        if (site === null || site.verdict.verdict === 'claimed') return null;
        const { paths } = this.#in.registry.symbolsOf(site.module);
        if (site.refusal === null && paths.includes(site.target)) {
          // Known, but not with operands of unknown type: the cause is theirs.
          for (const operand of site.operands) {
            const cause = this.causeOf(operand);
            if (cause !== null) return cause;
          }
        }
        return { site, node, note: null, declared: false };
      }
      case 'MemberExpression':
        return this.causeOf(node.object);
      case 'ConditionalExpression':
        return this.causeOf(node.consequent) ?? this.causeOf(node.alternate);
      case 'LogicalExpression':
      case 'BinaryExpression': {
        const site = node.type === 'BinaryExpression' ? this.siteOfOperator(node as never) : null;
        if (site !== null) return { site, node, note: null, declared: false };
        return (
          (node.left.type === 'PrivateIdentifier' ? null : this.causeOf(node.left)) ??
          this.causeOf(node.right)
        );
      }
      case 'AssignmentExpression':
        return this.causeOf(node.right);
      case 'UnaryExpression':
      case 'AwaitExpression':
        return this.causeOf(node.argument);
      default:
        return null;
    }
  }

  /** The expressions that are written to a variable; `null` when some write is not an expression. */
  writtenTo(variable: Variable): readonly Expression[] | null {
    const expressions: Expression[] = [];
    for (const write of this.#writes.get(variable) ?? []) {
      if (write.kind === 'value') expressions.push(write.expression);
      else if (write.kind === 'operation') expressions.push(write.left, write.right);
      else if (write.type === null) return null;
    }
    return expressions;
  }

  annotationOf(variable: Variable): Annotation | null {
    return this.#annotated.get(variable) ?? null;
  }

  #isTensorNow(expression: Expression): boolean {
    const type = this.#typeOf(expression);
    return type !== undefined && this.#in.registry.isTensor(type);
  }

  #solve(): void {
    const variables = new Set([...this.#writes.keys(), ...this.#annotated.keys()]);
    for (const variable of variables) {
      const annotation = this.#annotated.get(variable);
      if (annotation?.kind === 'tensor' || annotation?.kind === 'core') {
        this.#state.set(variable, annotation.type);
      } else if (annotation?.kind === 'outside') {
        this.#state.set(variable, null);
        this.#conflict(variable, `'${variable.name}' is annotated outside the vocabulary`, true);
      }
    }
    // Each variable climbs at most twice: unknown, one type, unresolvable. Only what depends on it is looked at again.
    const dependants = dependantsOf(this.#writes, variables, this.#in.bindings);
    const queue = new Set(variables);
    for (const variable of queue) {
      queue.delete(variable);
      const before = this.#state.get(variable);
      if (before === null) continue;
      this.#memo = new Map();
      let type: Type = before;
      for (const write of this.#writes.get(variable) ?? []) {
        const written = this.#written(write);
        type = this.#join(variable, type, written);
        if (type !== null) continue;
        if (written === null) this.#recordCause(variable, write);
        break;
      }
      if (type === before) continue;
      this.#state.set(variable, type);
      // Put behind what waits already.
      for (const dependant of dependants.get(variable) ?? []) {
        queue.delete(dependant);
        queue.add(dependant);
      }
    }
    for (const variable of variables) {
      if (this.#state.get(variable) === undefined) this.#state.set(variable, null);
    }
    this.#memo = new Map();
    this.#frozen = true;
  }

  /** What an annotated variable is given does not widen it: unknown is believed, another type is not. */
  #join(variable: Variable, known: Type, written: Type): Type {
    if (written === undefined || written === known) return known;
    const annotation = this.#annotated.get(variable);
    const fixed = annotation?.kind === 'tensor' || annotation?.kind === 'core';
    if (written === null) return fixed ? known : null;
    if (known === undefined) return written;
    const { registry } = this.#in;
    this.#conflict(
      variable,
      `'${variable.name}' is ${fixed ? 'annotated' : 'assigned'} ${registry.spell(known)} and ` +
        `assigned ${registry.spell(written)}`,
    );
    return null;
  }

  #conflict(variable: Variable, note: string, declared = false): void {
    const node = declaredBy(variable);
    if (node !== undefined) this.#causes.set(variable, { site: null, node, note, declared });
  }

  #recordCause(variable: Variable, write: Write): void {
    if (write.kind === 'type') return;
    const cause =
      write.kind === 'value'
        ? this.causeOf(write.expression)
        : (this.causeOf(write.left) ?? this.causeOf(write.right));
    if (cause !== null) this.#causes.set(variable, cause);
  }

  #written(write: Write): Type {
    switch (write.kind) {
      case 'value':
        return this.#typeOf(write.expression);
      case 'type':
        return write.type;
      case 'operation': {
        if (write.operator === 'element') {
          const type = this.#typeOf(write.left);
          if (type === undefined) return undefined;
          return this.isShape(write.left) ? 'number' : null;
        }
        const left = this.#typeOf(write.left);
        if (write.operator === 'update') {
          return left === undefined || left === 'bigint' || left === 'number' ? left : null;
        }
        const right = this.#typeOf(write.right);
        if (write.operator === '??' || write.operator === '||' || write.operator === '&&') {
          return joinTypes(left, right);
        }
        return arithmetic(write.operator, left, right);
      }
    }
  }

  #typeOf(expression: Expression): Type {
    if (this.#memo.has(expression)) return this.#memo.get(expression);
    const type = this.#compute(expression);
    this.#memo.set(expression, type);
    return type;
  }

  #compute(node: Expression): Type {
    switch (node.type) {
      case 'ParenthesizedExpression':
      case 'TSNonNullExpression':
      case 'TSInstantiationExpression':
      case 'TSSatisfiesExpression':
        return this.#typeOf(node.expression);
      case 'TSAsExpression':
      case 'TSTypeAssertion': {
        const inner = this.#typeOf(node.expression);
        const annotation = this.#in.annotations.resolve(node.typeAnnotation);
        if (annotation.kind !== 'tensor' && annotation.kind !== 'core') return inner;
        // A cast is believed where nothing better is known; it cannot turn one type into another.
        return inner === null || inner === undefined || inner === annotation.type
          ? annotation.type
          : null;
      }
      case 'Literal':
        if ('regex' in node) return null;
        if ('bigint' in node) return 'bigint';
        return node.value === null ? 'null' : typeof node.value;
      case 'TemplateLiteral':
        return 'string';
      case 'Identifier': {
        const variable = this.#in.bindings.variableOf(node);
        if (variable !== null && variable.defs.length > 0) {
          return this.#state.has(variable) || this.#writes.has(variable)
            ? this.#state.get(variable)
            : null;
        }
        if (!this.#in.bindings.isGlobal(node)) return null;
        if (node.name === 'undefined') return 'undefined';
        return node.name === 'NaN' || node.name === 'Infinity' ? 'number' : null;
      }
      case 'UnaryExpression':
        switch (node.operator) {
          case '!':
          case 'delete':
            return 'boolean';
          case 'typeof':
            return 'string';
          case 'void':
            return 'undefined';
          case '+': {
            const operand = this.#typeOf(node.argument);
            return operand === undefined
              ? undefined
              : operand === null || this.#in.registry.isTensor(operand)
                ? null
                : 'number';
          }
          default: {
            const operand = this.#typeOf(node.argument);
            if (operand === undefined || operand === 'bigint') return operand;
            return operand === 'number' || operand === 'boolean' ? 'number' : null;
          }
        }
      case 'UpdateExpression': {
        const operand = this.#typeOf(node.argument);
        return operand === undefined || operand === 'bigint' || operand === 'number'
          ? operand
          : null;
      }
      case 'BinaryExpression': {
        if (node.left.type === 'PrivateIdentifier') return 'boolean';
        const site = this.siteOfOperator(node as BinaryExpression);
        if (site !== null) return site.verdict.resultType;
        return arithmetic(node.operator, this.#typeOf(node.left), this.#typeOf(node.right));
      }
      case 'LogicalExpression':
        return joinTypes(this.#typeOf(node.left), this.#typeOf(node.right));
      case 'ConditionalExpression':
        return joinTypes(this.#typeOf(node.consequent), this.#typeOf(node.alternate));
      case 'SequenceExpression':
        return this.#typeOf(node.expressions[node.expressions.length - 1]!);
      case 'AssignmentExpression': {
        if (node.operator === '=') return this.#typeOf(node.right);
        const [target] = assignmentTargets(node.left);
        if (target?.type !== 'Identifier') return null;
        const left = this.#typeOf(target as Expression);
        const right = this.#typeOf(node.right);
        const operator = node.operator.slice(0, -1);
        return operator === '??' || operator === '||' || operator === '&&'
          ? joinTypes(left, right)
          : arithmetic(operator, left, right);
      }
      case 'AwaitExpression': {
        const inner = unwrap(node.argument);
        if (inner.type === 'CallExpression') {
          const target = this.callTarget(inner);
          if (target.kind === 'function' && target.info.node.async) return target.info.resultType;
        }
        // Awaiting what is no promise gives it back; of an unknown value nothing is known.
        return this.#typeOf(node.argument);
      }
      case 'MemberExpression': {
        const name = staticMemberName(node);
        const object = this.#typeOf(node.object);
        if (object === undefined) return undefined;
        if (this.#in.registry.isTensor(object)) {
          if (name === 'rank' || name === 'size') return 'number';
          return name === 'dtype' ? 'string' : null;
        }
        if (this.isShape(node.object)) {
          if (name === 'length') return 'number';
          return node.computed && this.#typeOf(node.property) === 'number' ? 'number' : null;
        }
        if (this.isNumberConstant(node)) return 'number';
        return object === 'string' && name === 'length' ? 'number' : null;
      }
      case 'CallExpression':
        return this.#typeOfCall(node);
      default:
        return null;
    }
  }

  #typeOfCall(call: CallExpression): Type {
    const target = this.callTarget(call);
    switch (target.kind) {
      case 'function':
        return target.info.node.async || target.info.node.generator ? null : target.info.resultType;
      case 'math':
        return PURE_MATH.has(target.method) || target.method === 'random' ? 'number' : null;
      case 'package':
      case 'method': {
        if (target.kind === 'package' && !this.#in.registry.covers(target.name.module)) return null;
        const reading = this.siteOfCall(call);
        return reading === null ? undefined : reading.verdict.resultType;
      }
      case 'unknown': {
        const callee = unwrap(call.callee);
        // A method may become a site once its receiver has a type.
        if (
          !this.#frozen &&
          callee.type === 'MemberExpression' &&
          this.#typeOf(callee.object) === undefined
        ) {
          return undefined;
        }
        return null;
      }
    }
  }
}
