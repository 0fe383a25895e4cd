/**
 * What a function reads: names, and members of values. Both are free to come from outside, and what they give may change
 * from call to call; each that may is refused here with its own reason.
 */
import { isFunctionNode, staticMemberName, unwrap, type Expression } from './ast';
import { CODES } from './codes';
import { isPrimitive, isScalar, TENSOR_FACTS } from './core-types';
import { rootOf, type BoundaryInputs, type Reading, type Use } from './reading';
import { isParameter, isWithin, soleDefinition, type Variable } from './scope';

/** How the rest of the function is read. */
export interface ReadsVisitor {
  visit(expression: Expression, use: Use): void;
  /** The object of a member that has been refused. */
  calleeObject(expression: Expression): void;
}

export class Reads {
  readonly #r: Reading;
  readonly #in: BoundaryInputs;
  readonly #visitor: ReadsVisitor;

  constructor(reading: Reading, visitor: ReadsVisitor) {
    this.#r = reading;
    this.#in = reading.inputs;
    this.#visitor = visitor;
  }

  identifier(node: Expression & { type: 'Identifier' }, use: Use): void {
    const { bindings, literals, registry, inference } = this.#in;
    const { name } = node;
    const variable = bindings.variableOf(node);
    if (variable === null || variable.defs.length === 0) {
      if (name === 'arguments' && variable !== null) this.#r.add(CODES.argumentsObject, [], node);
      else if (literals.value(node) === null) {
        this.#r.add(CODES.freeValue, [name, 'which this file does not declare'], node);
      }
      return;
    }
    const type = inference.typeOfVariable(variable);
    if (isWithin(variable.scope, this.#r.info.scope)) {
      if (this.#in.names.resolveVariable(variable) !== null) {
        this.#r.add(CODES.freeValue, [name, 'which is part of a package, as a value'], node);
      } else if (
        isParameter(variable) &&
        use !== 'operand' &&
        !registry.isTensor(type) &&
        !isScalar(type)
      ) {
        // As an operand it is the call's matter.
        this.#r.add(CODES.notScalar, [name, registry.spell(type)], node, this.#r.because(node));
      }
      return;
    }
    if (literals.value(node) !== null) return;
    const outer = this.#outerProblem(variable);
    if (outer !== null) this.#r.add(outer.row, [name, outer.why], node);
    else if (registry.isTensor(type) && !this.#r.captures.has(variable)) {
      this.#r.captures.set(variable, { name, type: type!, span: [node.start, node.end] });
    }
  }

  /** What is wrong with reading a variable of the file, or of an import; `null` when nothing is. */
  #outerProblem(
    variable: Variable,
  ): { row: (typeof CODES)['mutableFree' | 'freeValue']; why: string } | null {
    const { inference, registry, names } = this.#in;
    const { node, parent } = soleDefinition(variable) ?? {};
    if (parent?.type === 'ImportDeclaration' || node?.type === 'TSImportEqualsDeclaration') {
      return { row: CODES.freeValue, why: 'which is imported, as a value' };
    }
    if (names.resolveVariable(variable) !== null) {
      return { row: CODES.freeValue, why: 'which is part of a package, as a value' };
    }
    if (node === undefined) return { row: CODES.mutableFree, why: 'which is declared twice' };
    if (isFunctionNode(node)) return { row: CODES.freeValue, why: 'a function, as a value' };
    if (node.type !== 'VariableDeclarator' || parent?.type !== 'VariableDeclaration') {
      return { row: CODES.freeValue, why: 'which is no constant' };
    }
    if (parent.kind !== 'const') {
      return { row: CODES.mutableFree, why: `which is declared with ${parent.kind}` };
    }
    const type = inference.typeOfVariable(variable);
    if (node.init !== null && isFunctionNode(unwrap(node.init))) {
      return { row: CODES.freeValue, why: 'a function, as a value' };
    }
    if (registry.isTensor(type) || isPrimitive(type)) return null;
    return { row: CODES.mutableFree, why: 'a constant of unknown type, which may be changed' };
  }

  member(node: Expression & { type: 'MemberExpression' }): void {
    const { inference, names } = this.#in;
    const text = this.#r.text(node);
    if (names.resolve(node) !== null) {
      this.#r.add(CODES.freeValue, [text, 'which is part of a package, as a value'], node);
      return;
    }
    if (inference.isNumberConstant(node)) return;
    const math = inference.isGlobalMember(node, 'Math');
    if (math === 'random') {
      this.#r.add(CODES.random, [], node);
      return;
    }
    const name = staticMemberName(node);
    if (name !== null && inference.isTensor(node.object)) {
      if (!TENSOR_FACTS.has(name)) {
        this.#r.add(CODES.propertyRead, [text, 'is none of shape, dtype, rank and size'], node);
      }
      this.#visitor.visit(node.object, 'value');
      return;
    }
    if (inference.isShape(node.object) && !node.optional) {
      if (name !== 'length') {
        if (node.computed && inference.typeOf(node.property) === 'number') {
          this.#visitor.visit(node.property, 'value');
        } else this.#r.add(CODES.propertyRead, [text, 'is none of length and its elements'], node);
      }
      this.#visitor.visit(node.object, 'value');
      return;
    }
    const object = unwrap(node.object);
    if (
      !node.optional &&
      (object.type === 'ArrayExpression' ||
        object.type === 'ObjectExpression' ||
        (object.type === 'Literal' && typeof object.value === 'string'))
    ) {
      this.#visitor.visit(object, 'operand');
      if (node.computed) this.#visitor.visit(node.property, 'value');
      return;
    }
    const root = rootOf(node);
    const variable = root.type === 'Identifier' ? this.#in.bindings.variableOf(root) : null;
    if (
      root.type === 'Identifier' &&
      variable !== null &&
      variable.defs.length > 0 &&
      !isWithin(variable.scope, this.#r.info.scope)
    ) {
      const isImport = variable.defs.some(({ type }) => String(type) === 'ImportBinding');
      if (isImport) {
        this.#r.add(CODES.propertyRead, [text, `reads what '${root.name}' exports`], node);
      } else {
        this.#r.add(CODES.mutableFree, [root.name, `whose property '${text}' may change`], node);
      }
    } else if (
      root.type === 'ThisExpression' ||
      root.type === 'Super' ||
      (root.type === 'Identifier' && root.name === 'arguments' && variable !== null)
    ) {
      this.#visitor.visit(root, 'value');
    } else {
      this.#r.add(
        CODES.propertyRead,
        [text, `is off '${this.#r.text(node.object)}', which is neither a literal nor a tensor`],
        node,
        this.#r.because(node.object),
      );
    }
    this.#visitor.calleeObject(object);
    if (node.computed) this.#visitor.visit(node.property, 'value');
  }
}
