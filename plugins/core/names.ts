/**
 * What a callee means: the package its import binding names and the path inside it. Goes by bindings only, never by
 * text: a name that is shadowed, rebound, unbound, a parameter or a `let` resolves to nothing.
 */
import type { BindingPattern, Expression, Node, Program } from '@oxc-project/types';

import { isTypeOnly, staticKeyName, staticMemberName, unwrap, walk } from './ast';
import { declaredBy, laterWrites, soleDefinition, type Bindings, type Variable } from './scope';

/** `path` is empty for the package itself (`import * as tfe`). */
export interface ResolvedName {
  readonly module: string;
  readonly path: readonly string[];
}

/** An assignment to something inside a package: `tf.nn.relu = ...`. */
export interface Patch {
  readonly module: string;
  readonly path: readonly string[];
  readonly node: Node;
}

/** Static methods that write to their first argument. */
const PATCHING_CALLS = new Set([
  'Object.assign',
  'Object.defineProperties',
  'Object.defineProperty',
  'Object.setPrototypeOf',
  'Reflect.defineProperty',
  'Reflect.deleteProperty',
  'Reflect.set',
  'Reflect.setPrototypeOf',
]);

export class Names {
  readonly #bindings: Bindings;
  readonly #ofVariable = new Map<Variable, ResolvedName | null>();
  readonly #patches: Patch[] = [];

  constructor(program: Program, bindings: Bindings) {
    this.#bindings = bindings;
    this.#findPatches(program);
  }

  /** The patch that `name` depends on: of itself, of what it is inside of, or of what is inside it. */
  patchOf(name: ResolvedName): Patch | null {
    return (
      this.#patches.find(
        (patch) =>
          patch.module === name.module &&
          patch.path.every((part, i) => i >= name.path.length || name.path[i] === part),
      ) ?? null
    );
  }

  resolve(expression: Expression): ResolvedName | null {
    const node = unwrap(expression);
    if (node.type === 'Identifier') {
      const variable = this.#bindings.variableOf(node);
      return variable === null ? null : this.resolveVariable(variable);
    }
    if (node.type === 'MemberExpression') {
      const name = staticMemberName(node);
      if (name === null) return null;
      const object = this.resolve(node.object);
      return object === null ? null : { module: object.module, path: [...object.path, name] };
    }
    if (node.type === 'CallExpression') {
      const callee = unwrap(node.callee);
      const [first] = node.arguments;
      if (
        !node.optional &&
        node.arguments.length === 1 &&
        callee.type === 'Identifier' &&
        callee.name === 'require' &&
        this.#bindings.isGlobal(callee) &&
        first?.type === 'Literal' &&
        typeof first.value === 'string'
      ) {
        return { module: first.value, path: [] };
      }
      return null;
    }
    if (node.type === 'AwaitExpression') {
      const inner = unwrap(node.argument);
      if (
        inner.type === 'ImportExpression' &&
        inner.source.type === 'Literal' &&
        typeof inner.source.value === 'string'
      ) {
        return { module: inner.source.value, path: [] };
      }
    }
    return null;
  }

  resolveVariable(variable: Variable): ResolvedName | null {
    const known = this.#ofVariable.get(variable);
    if (known !== undefined) return known;
    this.#ofVariable.set(variable, null); // `const a = a.b` ends here.
    const resolved = this.#resolveVariable(variable);
    this.#ofVariable.set(variable, resolved);
    return resolved;
  }

  #resolveVariable(variable: Variable): ResolvedName | null {
    const definition = soleDefinition(variable);
    if (definition === null || laterWrites(variable).length > 0) return null;
    const { node, parent } = definition;
    switch (node.type) {
      case 'ImportSpecifier': {
        if (parent?.type !== 'ImportDeclaration') return null;
        if (node.importKind === 'type' || parent.importKind === 'type') return null;
        const imported = node.imported;
        return {
          module: parent.source.value,
          path: [imported.type === 'Literal' ? imported.value : imported.name],
        };
      }
      case 'ImportDefaultSpecifier':
        if (parent?.type !== 'ImportDeclaration' || parent.importKind === 'type') return null;
        return { module: parent.source.value, path: ['default'] };
      case 'ImportNamespaceSpecifier':
        if (parent?.type !== 'ImportDeclaration' || parent.importKind === 'type') return null;
        return { module: parent.source.value, path: [] };
      case 'TSImportEqualsDeclaration': {
        if (node.importKind === 'type') return null;
        const reference = node.moduleReference;
        return reference.type === 'TSExternalModuleReference'
          ? { module: reference.expression.value, path: [] }
          : this.#resolveEntity(reference);
      }
      case 'VariableDeclarator': {
        if (parent?.type !== 'VariableDeclaration') return null;
        if (parent.kind !== 'const' || parent.declare === true || node.init === null) return null;
        const path = pathInPattern(node.id, declaredBy(variable));
        const initialiser = path === null ? null : this.resolve(node.init);
        return initialiser === null
          ? null
          : { module: initialiser.module, path: [...initialiser.path, ...path!] };
      }
      default:
        return null;
    }
  }

  /** `tfe.tf.nn` of `import nn = tfe.tf.nn`. */
  #resolveEntity(entity: Node): ResolvedName | null {
    if (entity.type === 'Identifier') {
      const variable = this.#bindings.variableOf(entity);
      return variable === null ? null : this.resolveVariable(variable);
    }
    if (entity.type !== 'TSQualifiedName') return null;
    const left = this.#resolveEntity(entity.left);
    return left === null ? null : { module: left.module, path: [...left.path, entity.right.name] };
  }

  #findPatches(program: Program): void {
    const patch = (target: Node): void => {
      const found = this.resolve(target as Expression);
      if (found !== null && found.path.length > 0) this.#patches.push({ ...found, node: target });
    };
    walk(program, (node) => {
      if (isTypeOnly(node)) return false;
      switch (node.type) {
        case 'AssignmentExpression':
          for (const target of assignmentTargets(node.left)) {
            if (target.type === 'MemberExpression') this.#patchMember(target, node);
          }
          break;
        case 'ForInStatement':
        case 'ForOfStatement':
          if (node.left.type !== 'VariableDeclaration') {
            for (const target of assignmentTargets(node.left)) {
              if (target.type === 'MemberExpression') this.#patchMember(target, node.left);
            }
          }
          break;
        case 'UpdateExpression':
          for (const target of assignmentTargets(node.argument)) {
            if (target.type === 'MemberExpression') this.#patchMember(target, node);
          }
          break;
        case 'UnaryExpression':
          if (node.operator === 'delete') {
            const target = unwrap(node.argument);
            if (target.type === 'MemberExpression') this.#patchMember(target, node);
          }
          break;
        case 'CallExpression': {
          const callee = unwrap(node.callee);
          if (callee.type !== 'MemberExpression') break;
          const method = staticMemberName(callee);
          const [first] = node.arguments;
          if (
            method !== null &&
            callee.object.type === 'Identifier' &&
            PATCHING_CALLS.has(`${callee.object.name}.${method}`) &&
            this.#bindings.isGlobal(callee.object) &&
            first !== undefined &&
            first.type !== 'SpreadElement'
          ) {
            patch(first);
          }
          break;
        }
      }
      return undefined;
    });
  }

  #patchMember(target: Node & { type: 'MemberExpression' }, node: Node): void {
    const exact = this.resolve(target);
    // `tf.nn[name] = f` may be any member: the whole of `tf.nn` counts as patched.
    const found = exact ?? this.resolve(target.object);
    if (found !== null) this.#patches.push({ ...found, node });
  }
}

/** Keys that lead from an initialiser to `identifier` in a destructuring pattern; `null` when not static. */
function pathInPattern(pattern: BindingPattern, identifier: Node | undefined): string[] | null {
  if (pattern.type === 'Identifier') return (pattern as Node) === identifier ? [] : null;
  if (pattern.type !== 'ObjectPattern') return null;
  for (const property of pattern.properties) {
    if (property.type !== 'Property') continue;
    const rest = pathInPattern(property.value, identifier);
    if (rest === null) continue;
    const key = staticKeyName(property.key, property.computed);
    return key === null ? null : [key, ...rest];
  }
  return null;
}

/** The identifiers and members that an assignment writes to, patterns taken apart. */
export function assignmentTargets(target: Node): Node[] {
  switch (target.type) {
    case 'ArrayPattern':
      return target.elements.flatMap((element) =>
        element === null ? [] : assignmentTargets(element as Node),
      );
    case 'ObjectPattern':
      return target.properties.flatMap((property) =>
        assignmentTargets(
          property.type === 'RestElement'
            ? (property.argument as Node)
            : (property as { value: Node }).value,
        ),
      );
    case 'AssignmentPattern':
      return assignmentTargets(target.left);
    case 'RestElement':
      return assignmentTargets(target.argument);
    case 'ParenthesizedExpression':
    case 'TSAsExpression':
    case 'TSNonNullExpression':
    case 'TSTypeAssertion':
    case 'TSSatisfiesExpression':
      return assignmentTargets(target.expression);
    default:
      return [target];
  }
}
