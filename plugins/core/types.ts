/**
 * What an annotation means: a tensor type of a plugin's vocabulary, a core type, neither, or a tensor type that the
 * vocabulary does not have. Names are resolved by binding, as callees are.
 */
import type { Node, TSType } from '@oxc-project/types';

import { walk } from './ast';
import type { TypeKey } from './api';
import type { Registry } from './registry';
import { soleDefinition, type Bindings } from './scope';

export type Annotation =
  | { readonly kind: 'tensor'; readonly type: TypeKey }
  | { readonly kind: 'core'; readonly type: TypeKey }
  /** Tensor-like, but nothing that a plugin knows. */
  | { readonly kind: 'outside'; readonly why: string }
  /** Says nothing that the analysis uses. */
  | { readonly kind: 'other' };

const OTHER: Annotation = { kind: 'other' };
/** The generic type that maps to the vocabulary by its arguments. */
const GENERIC_TENSOR = 'Tensor';
/** Generic types of TypeScript that wrap one value and are not that value. */
const CONTAINERS = new Set([
  'Array',
  'AsyncGenerator',
  'AsyncIterable',
  'AsyncIterableIterator',
  'Generator',
  'Iterable',
  'IterableIterator',
  'Map',
  'Promise',
  'PromiseLike',
  'ReadonlyArray',
  'ReadonlyMap',
  'ReadonlySet',
  'Record',
  'Set',
  'WeakMap',
  'WeakSet',
]);

function core(type: TypeKey): Annotation {
  return { kind: 'core', type };
}

function outside(why: string): Annotation {
  return { kind: 'outside', why };
}

type TypeName = { readonly module: string; readonly path: readonly string[] };

export class Annotations {
  readonly #bindings: Bindings;
  readonly #registry: Registry;

  constructor(bindings: Bindings, registry: Registry) {
    this.#bindings = bindings;
    this.#registry = registry;
  }

  /** The annotation `type`; `null` (nothing was written) says nothing. */
  resolve(type: Node | null | undefined): Annotation {
    return type === null || type === undefined ? OTHER : this.#resolve(type as TSType, new Set());
  }

  /** As `resolve`, with `Promise<T>` looked through: the declared result of an async function. */
  resolveResult(type: Node | null | undefined, isAsync: boolean): Annotation {
    if (
      isAsync &&
      type?.type === 'TSTypeReference' &&
      isUnboundName(type, 'Promise', this.#bindings)
    ) {
      const [argument] = type.typeArguments?.params ?? [];
      return this.resolve(argument);
    }
    return this.resolve(type);
  }

  #resolve(type: TSType, seen: Set<Node>): Annotation {
    switch (type.type) {
      case 'TSParenthesizedType':
        return this.#resolve(type.typeAnnotation, seen);
      case 'TSTypeOperator':
        return type.operator === 'readonly' ? this.#resolve(type.typeAnnotation, seen) : OTHER;
      case 'TSNumberKeyword':
        return core('number');
      case 'TSBigIntKeyword':
        return core('bigint');
      case 'TSBooleanKeyword':
        return core('boolean');
      case 'TSStringKeyword':
        return core('string');
      case 'TSNullKeyword':
        return core('null');
      case 'TSUndefinedKeyword':
      case 'TSVoidKeyword':
        return core('undefined');
      case 'TSTemplateLiteralType':
        return core('string');
      case 'TSLiteralType':
        return literalType(type.literal);
      case 'TSUnionType': {
        const members = type.types.map((member) => this.#resolve(member, new Set(seen)));
        const [first] = members;
        if (
          first?.kind === 'core' &&
          members.every((member) => member.kind === 'core' && member.type === first.type)
        ) {
          return first;
        }
        if (members.some((member) => member.kind === 'tensor' || member.kind === 'outside')) {
          return outside('a union with a tensor type is not one tensor type');
        }
        return OTHER;
      }
      case 'TSIntersectionType':
        return type.types.some((member) => isTensorLike(this.#resolve(member, new Set(seen))))
          ? outside('an intersection with a tensor type is not one tensor type')
          : OTHER;
      case 'TSTypeReference':
        return this.#resolveReference(type, seen);
      case 'TSImportType':
        return this.#resolveImportType(type);
      default:
        return OTHER;
    }
  }

  #resolveReference(type: TSType & { type: 'TSTypeReference' }, seen: Set<Node>): Annotation {
    const parameters = type.typeArguments?.params ?? [];
    const { typeName } = type;
    if (typeName.type === 'ThisExpression') return OTHER;
    if (typeName.type === 'TSQualifiedName') {
      const name = this.#entityName(typeName);
      return name === null ? OTHER : this.#named(name, parameters);
    }
    const variable = this.#bindings.variableOf(typeName);
    const definition = variable === null ? null : soleDefinition(variable);
    if (definition === null) {
      if (variable !== null && variable.defs.length > 0) return OTHER;
      if (this.#isVocabularyName(typeName.name)) {
        return outside(`'${typeName.name}' is not imported`);
      }
      return !CONTAINERS.has(typeName.name) && this.#anyTensorLike(parameters, seen)
        ? outside(`'${typeName.name}' of a tensor type is not that tensor type`)
        : OTHER;
    }
    const { node } = definition;
    switch (node.type) {
      case 'ImportSpecifier':
      case 'ImportDefaultSpecifier':
      case 'ImportNamespaceSpecifier':
      case 'TSImportEqualsDeclaration': {
        const name = this.#entityName(typeName);
        return name === null ? OTHER : this.#named(name, parameters);
      }
      case 'TSTypeAliasDeclaration': {
        if (seen.has(node)) return OTHER;
        seen.add(node);
        if (node.typeParameters !== null && node.typeParameters !== undefined) {
          return this.#mentionsTensor(node.typeAnnotation)
            ? outside(`the alias '${typeName.name}' is generic`)
            : OTHER;
        }
        return this.#resolve(node.typeAnnotation, seen);
      }
      case 'TSTypeParameter': {
        if (seen.has(node)) return OTHER;
        seen.add(node);
        const constraint = node.constraint === null ? OTHER : this.#resolve(node.constraint, seen);
        return isTensorLike(constraint)
          ? outside(`'${typeName.name}' is a type parameter, which may stand for other types`)
          : OTHER;
      }
      default:
        return OTHER;
    }
  }

  #resolveImportType(type: TSType & { type: 'TSImportType' }): Annotation {
    const path: string[] = [];
    let qualifier: Node | null = type.qualifier;
    while (qualifier !== null) {
      if (
        qualifier.type === 'TSQualifiedName' ||
        (qualifier as { left?: Node }).left !== undefined
      ) {
        const qualified = qualifier as unknown as { left: Node; right: { name: string } };
        path.unshift(qualified.right.name);
        qualifier = qualified.left;
      } else {
        path.unshift((qualifier as unknown as { name: string }).name);
        qualifier = null;
      }
    }
    return this.#named({ module: type.source.value, path }, type.typeArguments?.params ?? []);
  }

  /** A name of a module: of the vocabulary, `Tensor<dtype, rank>`, or unknown. */
  #named(name: TypeName, parameters: readonly TSType[]): Annotation {
    const [spelled, ...rest] = name.path;
    if (spelled === undefined || rest.length > 0) return OTHER;
    const known = this.#registry.typeOf(name.module, spelled);
    if (known !== null) {
      return parameters.length === 0
        ? { kind: 'tensor', type: known.key }
        : outside(`'${spelled}' takes no type arguments`);
    }
    const isTypeModule = this.#registry.isTypeModule(name.module);
    if (spelled === GENERIC_TENSOR && (isTypeModule || this.#registry.covers(name.module))) {
      return this.#genericTensor(parameters);
    }
    return isTypeModule
      ? outside(`'${name.module}' has no type '${spelled}' that a plugin knows`)
      : OTHER;
  }

  #genericTensor(parameters: readonly TSType[]): Annotation {
    if (parameters.length !== 2) {
      return outside("'Tensor' says dtype and rank only with two type arguments");
    }
    const [dtype, rank] = parameters.map((parameter) => {
      let inner = parameter;
      while (inner.type === 'TSParenthesizedType') inner = inner.typeAnnotation;
      return inner.type === 'TSLiteralType' && inner.literal.type === 'Literal'
        ? inner.literal.value
        : undefined;
    });
    if (typeof dtype !== 'string' || typeof rank !== 'number') {
      return outside('its dtype and rank must be literals');
    }
    const known = this.#registry.typeBy(dtype, rank);
    return known === null
      ? outside(`no plugin knows tensors of dtype '${dtype}' and rank ${rank}`)
      : { kind: 'tensor', type: known.key };
  }

  /** The module and path that a type name means; unlike a callee, it may come from `import type`. */
  #entityName(entity: Node): TypeName | null {
    if (entity.type === 'TSQualifiedName') {
      const left = this.#entityName(entity.left);
      return left === null
        ? null
        : { module: left.module, path: [...left.path, entity.right.name] };
    }
    if (entity.type !== 'Identifier') return null;
    const variable = this.#bindings.variableOf(entity);
    const definition = variable === null ? null : soleDefinition(variable);
    if (definition === null) return null;
    const { node, parent } = definition;
    if (node.type === 'TSImportEqualsDeclaration') {
      const reference = node.moduleReference;
      return reference.type === 'TSExternalModuleReference'
        ? { module: reference.expression.value, path: [] }
        : this.#entityName(reference);
    }
    if (parent?.type !== 'ImportDeclaration') return null;
    const module = parent.source.value;
    switch (node.type) {
      case 'ImportSpecifier': {
        const { imported } = node;
        return { module, path: [imported.type === 'Literal' ? imported.value : imported.name] };
      }
      case 'ImportDefaultSpecifier':
        return { module, path: ['default'] };
      case 'ImportNamespaceSpecifier':
        return { module, path: [] };
      default:
        return null;
    }
  }

  #isVocabularyName(name: string): boolean {
    for (const type of this.#registry.types.values()) {
      if (type.annotations.some((annotation) => annotation.name === name)) return true;
    }
    return false;
  }

  #anyTensorLike(types: readonly TSType[], seen: Set<Node>): boolean {
    return types.some((type) => isTensorLike(this.#resolve(type, new Set(seen))));
  }

  /** Whether a tensor type occurs anywhere in `type`. */
  #mentionsTensor(type: Node): boolean {
    let found = false;
    walk(type, (node) => {
      if (found || node.type !== 'TSTypeReference') return !found;
      const name =
        node.typeName.type === 'Identifier' || node.typeName.type === 'TSQualifiedName'
          ? this.#entityName(node.typeName)
          : null;
      found =
        name !== null &&
        name.path.length === 1 &&
        (this.#registry.typeOf(name.module, name.path[0]!) !== null ||
          (name.path[0] === GENERIC_TENSOR &&
            (this.#registry.isTypeModule(name.module) || this.#registry.covers(name.module))));
      return !found;
    });
    return found;
  }
}

function isTensorLike(annotation: Annotation): boolean {
  return annotation.kind === 'tensor' || annotation.kind === 'outside';
}

function isUnboundName(
  type: TSType & { type: 'TSTypeReference' },
  name: string,
  bindings: Bindings,
): boolean {
  return (
    type.typeName.type === 'Identifier' &&
    type.typeName.name === name &&
    (bindings.variableOf(type.typeName)?.defs.length ?? 0) === 0
  );
}

function literalType(literal: Node): Annotation {
  switch (literal.type) {
    case 'UnaryExpression':
      return literalType(literal.argument);
    case 'TemplateLiteral':
      return core('string');
    case 'Literal':
      if (literal.value === null && 'bigint' in literal) return core('bigint');
      switch (typeof literal.value) {
        case 'number':
        case 'bigint':
        case 'boolean':
        case 'string':
          return core(typeof literal.value);
        default:
          return literal.value === null ? core('null') : OTHER;
      }
    default:
      return OTHER;
  }
}
