/**
 * Where the tensors that a value may hold come from: made by the function, or given to it as a parameter. What is neither
 * is the module's. Errs on the side of "made".
 */
import { unwrap, type Expression } from './ast';
import type { FunctionInfo } from './functions';
import type { Inference } from './infer';
import type { Names } from './names';
import type { Registry } from './registry';
import {
  declaredBy,
  isParameter,
  isWithin,
  laterWrites,
  type Bindings,
  type Variable,
} from './scope';

/** The origins of the tensors that a value may hold. */
export interface Origin {
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

export interface OriginInputs {
  readonly bindings: Bindings;
  readonly names: Names;
  readonly inference: Inference;
  readonly registry: Registry;
}

export class Origins {
  readonly #info: FunctionInfo;
  readonly #in: OriginInputs;

  constructor(info: FunctionInfo, inputs: OriginInputs) {
    this.#info = info;
    this.#in = inputs;
  }

  of(expression: Expression): Origin {
    return this.#originOf(expression, new Set());
  }

  ofVariable(variable: Variable): Origin {
    return this.#originOfVariable(variable, new Set());
  }

  #originOf(expression: Expression, seen: Set<Variable>): Origin {
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

  #originOfVariable(variable: Variable, seen: Set<Variable>): Origin {
    const { inference, registry } = this.#in;
    if (!isWithin(variable.scope, this.#info.scope) || seen.has(variable)) return NOWHERE;
    seen.add(variable);
    if (this.#in.names.resolveVariable(variable) !== null) return NOWHERE;
    const type = inference.typeOfVariable(variable);
    if (type !== null && !registry.isTensor(type)) return NOWHERE;
    const declared = declaredBy(variable);
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
