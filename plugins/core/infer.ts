/**
 * Types of expressions and verdicts of sites, which depend on each other: a variable has the join of what is written to
 * it, whatever the order; a call has the result type that a plugin answers. Solved to a fixed point over the file, then
 * frozen. Never looks at positions, so that a verdict depends on nothing but the site.
 */
import type { Argument, BinaryExpression, CallExpression, Node, Program } from '@oxc-project/types';

import { isFunctionNode, isTypeOnly, staticMemberName, unwrap, walk, type Expression } from './ast';
import type { ClaimOptions, ClaimSite, OptionEntry, Plugin, TypeKey, Verdict } from './api';
import type { FunctionInfo, Functions } from './functions';
import { DYNAMIC, type Literals } from './literals';
import { assignmentTargets, type Names, type Patch, type ResolvedName } from './names';
import type { Registry } from './registry';
import type { Bindings, Variable } from './scope';
import type { Annotation, Annotations } from './types';

/** `undefined` while nothing is known yet; `null` when it cannot be resolved. */
type Type = TypeKey | null | undefined;

/** What a call calls. */
export type CallTarget =
  | { readonly kind: 'package'; readonly name: ResolvedName; readonly target: string }
  | { readonly kind: 'method'; readonly receiver: Expression; readonly method: string }
  | { readonly kind: 'function'; readonly info: FunctionInfo }
  | { readonly kind: 'math'; readonly method: string }
  | { readonly kind: 'unknown' };

/** A call or operator as a plugin sees it, and what came of it. */
export interface SiteReading {
  readonly kind: 'call' | 'binop';
  readonly module: string;
  readonly target: string;
  readonly operands: readonly Expression[];
  readonly operandTypes: readonly (TypeKey | null)[];
  readonly options: Expression | null;
  readonly receiver: Expression | null;
  /** `null` when it may not be offered; `refusal` says why. */
  readonly site: ClaimSite | null;
  readonly refusal:
    { readonly kind: 'spread' } | { readonly kind: 'patched'; readonly patch: Patch } | null;
  readonly verdict: Verdict;
  readonly plugin: Plugin | null;
}

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

type Write =
  | { readonly kind: 'value'; readonly expression: Expression }
  | {
      readonly kind: 'operation';
      readonly operator: string;
      readonly left: Expression;
      readonly right: Expression;
      readonly node: Node;
    }
  | { readonly kind: 'type'; readonly type: TypeKey | null };

/** Pure functions of numbers; `Math.random` is not one. */
export const PURE_MATH: ReadonlySet<string> = new Set(
  (
    'abs acos acosh asin asinh atan atan2 atanh cbrt ceil clz32 cos cosh exp expm1 floor fround hypot imul ' +
    'log log10 log1p log2 max min pow round sign sin sinh sqrt tan tanh trunc'
  ).split(' '),
);
const MATH_CONSTANTS = new Set('E LN10 LN2 LOG10E LOG2E PI SQRT1_2 SQRT2'.split(' '));
const NUMBER_CONSTANTS = new Set(
  'EPSILON MAX_SAFE_INTEGER MAX_VALUE MIN_SAFE_INTEGER MIN_VALUE NEGATIVE_INFINITY NaN POSITIVE_INFINITY'.split(
    ' ',
  ),
);
/** What may be read off a tensor without reading its values. */
export const TENSOR_FACTS: ReadonlySet<string> = new Set(['dtype', 'rank', 'shape', 'size']);

const COMPARISONS = new Set(['==', '!=', '===', '!==', '<', '<=', '>', '>=', 'in', 'instanceof']);

const NOT_COVERED: Verdict = Object.freeze({ verdict: 'not covered', resultType: null });

export interface InferenceInputs {
  readonly program: Program;
  readonly source: string;
  readonly bindings: Bindings;
  readonly names: Names;
  readonly annotations: Annotations;
  readonly literals: Literals;
  readonly functions: Functions;
  readonly registry: Registry;
}

export class Inference {
  readonly #in: InferenceInputs;
  readonly #writes = new Map<Variable, Write[]>();
  readonly #annotated = new Map<Variable, Annotation>();
  readonly #state = new Map<Variable, Type>();
  /** Recorded when a variable loses its type, so that a cause never goes round in circles. */
  readonly #causes = new Map<Variable, TypeCause>();
  #memo = new Map<Node, Type>();
  readonly #sites = new Map<Node, SiteReading>();
  #frozen = false;

  constructor(inputs: InferenceInputs) {
    this.#in = inputs;
    this.#collect();
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
    const reading = this.#readCall(call, target);
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
    const reading = this.#ask({
      kind: 'binop',
      module: '',
      target: node.operator,
      operands,
      operandTypes: types as (TypeKey | null)[],
      options: null,
      optionsValue: { kind: 'absent' },
      receiver: null,
      receiverType: null,
    });
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

  #collect(): void {
    const { bindings } = this.#in;
    const add = (identifier: Node, write: Write): void => {
      const variable = bindings.variableOf(identifier);
      if (variable === null) return;
      const list = this.#writes.get(variable);
      if (list === undefined) this.#writes.set(variable, [write]);
      else list.push(write);
    };
    const addTargets = (pattern: Node, write: Write): void => {
      for (const target of assignmentTargets(pattern)) {
        if (target.type === 'Identifier') add(target, write);
      }
    };
    walk(this.#in.program, (node) => {
      if (isTypeOnly(node)) return false;
      switch (node.type) {
        case 'VariableDeclarator': {
          const { id, init } = node;
          if (id.type === 'Identifier') {
            const annotation = id.typeAnnotation?.typeAnnotation;
            const variable = bindings.variableOf(id);
            if (annotation !== undefined && variable !== null) {
              this.#annotate(variable, this.#in.annotations.resolve(annotation));
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
          const info = this.#in.functions.of(node);
          for (const [i, parameter] of node.params.entries()) {
            const read = info?.parameters[i];
            if (
              read?.variable !== null &&
              read?.variable !== undefined &&
              (read.type !== null || read.annotation.kind === 'outside')
            ) {
              this.#annotate(read.variable, read.annotation);
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
  }

  #annotate(variable: Variable, annotation: Annotation): void {
    // `var x: A; var x: B;`: neither is believed.
    if (this.#annotated.has(variable)) this.#annotated.set(variable, { kind: 'other' });
    else this.#annotated.set(variable, annotation);
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
    const dependants = this.#dependants(variables);
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

  /** For each variable, those whose writes read it. */
  #dependants(variables: ReadonlySet<Variable>): ReadonlyMap<Variable, ReadonlySet<Variable>> {
    const dependants = new Map<Variable, Set<Variable>>();
    for (const variable of variables) {
      for (const write of this.#writes.get(variable) ?? []) {
        if (write.kind === 'type') continue;
        const read = write.kind === 'value' ? [write.expression] : [write.left, write.right];
        for (const expression of read) {
          walk(expression, (node) => {
            // What a function inside does says nothing about the value of the expression.
            if (isTypeOnly(node) || isFunctionNode(node)) return false;
            if (node.type !== 'Identifier') return true;
            const used = this.#in.bindings.variableOf(node);
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
    const [node] = variable.identifiers as unknown as Node[];
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
        if (COMPARISONS.has(node.operator) && node.left.type === 'PrivateIdentifier')
          return 'boolean';
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
        const type = this.#typeOf(node.argument);
        // Awaiting what is no promise gives it back; of an unknown value nothing is known.
        return type;
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

  /** `null` while some operand is not known yet. */
  #readCall(call: CallExpression, target: CallTarget): SiteReading | null {
    const args: readonly Argument[] = call.arguments;
    const last = args[args.length - 1];
    const lastValue =
      last === undefined || last.type === 'SpreadElement' ? undefined : unwrap(last);
    const hasOptions = lastValue?.type === 'ObjectExpression';
    const positional = hasOptions ? args.slice(0, -1) : args;
    const receiver = target.kind === 'method' ? target.receiver : null;
    const name =
      target.kind === 'method' ? target.method : target.kind === 'package' ? target.target : '';
    const module = target.kind === 'package' ? target.name.module : '';

    const refusal = ((): SiteReading['refusal'] => {
      if (args.some((argument) => argument.type === 'SpreadElement')) return { kind: 'spread' };
      if (target.kind !== 'package') return null;
      const patch = this.#in.names.patchOf(target.name);
      return patch === null ? null : { kind: 'patched', patch };
    })();
    const operands = positional.flatMap((argument) =>
      argument.type === 'SpreadElement' ? [] : [argument],
    );
    if (refusal !== null) {
      return {
        kind: 'call',
        module,
        target: name,
        operands: refusal.kind === 'spread' ? [] : operands,
        operandTypes:
          refusal.kind === 'spread' ? [] : operands.map((operand) => this.#typeOf(operand) ?? null),
        options: hasOptions ? (last as Expression) : null,
        receiver,
        site: null,
        refusal,
        verdict: NOT_COVERED,
        plugin: null,
      };
    }
    const operandTypes = operands.map((operand) => this.#typeOf(operand));
    const receiverType = receiver === null ? null : this.#typeOf(receiver);
    const optionsValue = hasOptions
      ? this.#readOptions(lastValue)
      : ({ kind: 'absent' } as const satisfies ClaimOptions);
    if (operandTypes.includes(undefined) || receiverType === undefined || optionsValue === null) {
      if (!this.#frozen) return null;
    }
    return this.#ask({
      kind: 'call',
      module,
      target: name,
      operands,
      operandTypes: operandTypes.map((type) => type ?? null),
      options: hasOptions ? (last as Expression) : null,
      optionsValue: optionsValue ?? { kind: 'dynamic', reason: 'an option could not be typed' },
      receiver,
      receiverType: receiverType ?? null,
    });
  }

  #readOptions(node: Expression & { type: 'ObjectExpression' }): ClaimOptions | null {
    const dynamic = (reason: string): ClaimOptions => ({ kind: 'dynamic', reason });
    const entries = new Map<string, OptionEntry>();
    for (const property of node.properties) {
      if (property.type === 'SpreadElement') return dynamic('the options object has a spread');
      if (property.kind !== 'init') return dynamic('the options object has a getter or setter');
      if (property.method) return dynamic('the options object has a method');
      if (property.computed) return dynamic('the options object has a computed key');
      const { key } = property;
      const name =
        key.type === 'Identifier'
          ? key.name
          : key.type === 'Literal' && !('regex' in key)
            ? String(key.value)
            : null;
      if (name === null) return dynamic('the options object has a computed key');
      if (name === '__proto__' && !property.shorthand) {
        return dynamic('the options object sets its prototype');
      }
      if (entries.has(name)) return dynamic(`the options object has '${name}' twice`);
      const type = this.#typeOf(property.value);
      if (type === undefined && !this.#frozen) return null;
      entries.set(
        name,
        Object.freeze({
          name,
          type: type ?? null,
          literal: this.#in.literals.fold(property.value),
        }),
      );
    }
    return { kind: 'static', entries: Object.freeze([...entries.values()]) };
  }

  #ask(facts: {
    readonly kind: 'call' | 'binop';
    readonly module: string;
    readonly target: string;
    readonly operands: readonly Expression[];
    readonly operandTypes: readonly (TypeKey | null)[];
    readonly options: Expression | null;
    readonly optionsValue: ClaimOptions;
    readonly receiver: Expression | null;
    readonly receiverType: TypeKey | null;
  }): SiteReading {
    const site: ClaimSite = Object.freeze({
      kind: facts.kind,
      module: facts.module,
      target: facts.target,
      operandTypes: Object.freeze([...facts.operandTypes]),
      operandLiterals: Object.freeze(
        facts.operands.map((operand, i) =>
          // A tensor is never a literal, whatever a constant of that name once was.
          this.#in.registry.isTensor(facts.operandTypes[i] ?? null)
            ? DYNAMIC
            : this.#in.literals.fold(operand),
        ),
      ),
      options: Object.freeze(facts.optionsValue),
      receiver: facts.receiver === null ? null : Object.freeze({ type: facts.receiverType }),
      ruleId: null,
      resultType: null,
    });
    const { verdict, plugin } = this.#in.registry.ask(site);
    return {
      kind: facts.kind,
      module: facts.module,
      target: facts.target,
      operands: facts.operands,
      operandTypes: facts.operandTypes,
      options: facts.options,
      receiver: facts.receiver,
      site,
      refusal: null,
      verdict,
      plugin,
    };
  }
}

function isPlainList(pattern: Node & { type: 'ArrayPattern' }): boolean {
  return pattern.elements.every((element) => element === null || element.type === 'Identifier');
}

function joinTypes(a: Type, b: Type): Type {
  if (a === undefined) return b;
  if (b === undefined || a === b) return a;
  return null;
}

/** The type of `left operator right` on core types; `null` on anything else. */
function arithmetic(operator: string, left: Type, right: Type): Type {
  if (COMPARISONS.has(operator)) return 'boolean';
  if (left === undefined || right === undefined) return undefined;
  if (left === null || right === null) return null;
  if (operator === '+' && (left === 'string' || right === 'string')) {
    return isPrimitive(left) && isPrimitive(right) ? 'string' : null;
  }
  if (left === 'bigint' && right === 'bigint') return operator === '>>>' ? null : 'bigint';
  const numeric = (type: TypeKey): boolean => type === 'number' || type === 'boolean';
  return numeric(left) && numeric(right) ? 'number' : null;
}

function isPrimitive(type: TypeKey): boolean {
  return !type.includes('/');
}
