/**
 * The shell around a lowered function's body: which values go to `run`, and what the two legs need to mean the same as
 * the body did. The legs are arrow functions, so `this`, `arguments`, `super` and `new.target` stay the function's.
 */
import type { FunctionAnalysis } from './analysis-model';
import { isFunctionNode, walk, type FunctionNode, type Node, type ParamPattern } from './ast';
import type { FreshNames } from './lower-module';

export interface LegParameter {
  readonly name: string;
  /** Where it is written. */
  readonly start: number;
}

export interface Shell {
  /** Put behind the directives (block body) or before the expression. */
  readonly open: string;
  /** Between the two legs. */
  readonly between: string;
  readonly close: string;
  readonly parameters: readonly LegParameter[];
}

export interface ShellNames {
  readonly table: string;
  readonly frame: string;
}

/** What kind of legs a function gets. `usesFrame`: the lowered leg names the frame. */
export interface LegPlan {
  readonly lowered: boolean;
  readonly usesFrame: boolean;
}

export function shellOf(
  fn: FunctionAnalysis,
  source: string,
  plan: LegPlan,
  shell: ShellNames,
  names: FreshNames,
): Shell {
  const node = fn.node as unknown as FunctionNode;
  const parameters = plainParameters(node);
  const run = `${shell.table}().${fn.isAsync ? 'runAsync' : 'run'}`;
  const values = parameters.map(({ name }) => name).join(', ');
  const arrow = fn.isAsync ? 'async ' : '';
  const type = returnType(node, source);
  const loweredHead = `${arrow}(${plan.usesFrame ? shell.frame : ''})${type} => `;
  const sourceHead = `${arrow}()${type} => `;

  if (fn.bodyKind === 'expression') {
    return {
      open: `${run}([${values}], ${plan.lowered ? `${loweredHead}(` : `null, ${sourceHead}(`}`,
      between: plan.lowered ? `), ${sourceHead}(` : '',
      close: '))',
      parameters,
    };
  }
  const { outer, inner } = redeclared(node, names);
  // A directive that ends without its semicolon.
  const separator = ';{'.includes(source[fn.directivesEnd - 1]!) ? '' : ';';
  return {
    open:
      `${separator} ${outer}return ${run}([${values}], ` +
      `${plan.lowered ? loweredHead : `null, ${sourceHead}`}{${inner}`,
    between: plan.lowered ? `}, ${sourceHead}{${inner}` : '',
    close: '});',
    parameters,
  };
}

/** Parameters that are one identifier, with or without a default. `this` is a type, not a parameter. */
function plainParameters(node: FunctionNode): LegParameter[] {
  return node.params.flatMap((param) => {
    const name = identifierOf(param);
    return name === null || name === 'this' ? [] : [{ name, start: param.start }];
  });
}

function identifierOf(param: ParamPattern): string | null {
  if (param.type === 'Identifier') return param.name;
  if (param.type === 'AssignmentPattern' && param.left.type === 'Identifier') {
    return param.left.name;
  }
  return null;
}

/** `: T` for the legs as the function has it, so that their bodies are checked against the same type. */
function returnType(node: FunctionNode, source: string): string {
  const annotation = node.returnType?.typeAnnotation;
  if (annotation === undefined) return '';
  if (annotation.type === 'TSTypePredicate') return annotation.asserts ? ': void' : ': boolean';
  return `: ${source.slice(annotation.start, annotation.end)}`;
}

/**
 * `var x` in a body whose parameter is `x` declares nothing new there; inside a leg it would declare another variable,
 * without the parameter's value. So the value is carried in under a name of its own.
 */
function redeclared(node: FunctionNode, names: FreshNames): { outer: string; inner: string } {
  const parameters = new Set(node.params.flatMap((param) => boundNames(param)));
  const found = new Set<string>();
  if (node.body?.type === 'BlockStatement') {
    walk(node.body, (inner) => {
      if (isFunctionNode(inner) || inner.type === 'ClassBody') return false;
      if (inner.type === 'VariableDeclaration' && inner.kind === 'var') {
        for (const { id } of inner.declarations) {
          for (const name of boundNames(id)) if (parameters.has(name)) found.add(name);
        }
      }
      return undefined;
    });
  }
  const pairs = [...found].map((name) => [name, names.take(`$${name}`)] as const);
  return {
    outer: pairs.map(([name, carrier]) => `const ${carrier} = ${name}; `).join(''),
    inner: pairs.map(([name, carrier]) => ` var ${name} = ${carrier};`).join(''),
  };
}

/** The names that a pattern binds; defaults and computed keys inside it bind nothing. */
function boundNames(pattern: Node): string[] {
  switch (pattern.type) {
    case 'Identifier':
      return [pattern.name];
    case 'AssignmentPattern':
      return boundNames(pattern.left);
    case 'RestElement':
      return boundNames(pattern.argument);
    case 'ArrayPattern':
      return pattern.elements.flatMap((element) => (element === null ? [] : boundNames(element)));
    case 'ObjectPattern':
      return pattern.properties.flatMap((property) =>
        property.type === 'RestElement' ? boundNames(property) : boundNames(property.value),
      );
    case 'TSParameterProperty':
      return boundNames(pattern.parameter);
    default:
      return [];
  }
}
