/** Bindings of a file: which variable an identifier means, and who writes to it. Wraps the scope manager. */
import type { Node, Program } from '@oxc-project/types';
import type { Reference, Scope, ScopeManager, Variable } from '@typescript-eslint/scope-manager';

import { oxcParser, scopeManager } from './peers';

export type { Scope, Variable };

export class Bindings {
  readonly manager: ScopeManager;
  readonly #references = new Map<object, Reference>();
  readonly #declared = new Map<object, Variable>();

  constructor(program: Program) {
    // `lib: []`: a global is a name without a variable, whatever TypeScript's libraries declare.
    this.manager = scopeManager().analyze(program as never, {
      sourceType: 'module',
      lib: [],
      childVisitorKeys: oxcParser().visitorKeys,
    });
    for (const scope of this.manager.scopes) {
      for (const reference of scope.references) {
        this.#references.set(reference.identifier, reference);
      }
      for (const variable of scope.variables) {
        for (const identifier of variable.identifiers) this.#declared.set(identifier, variable);
      }
    }
  }

  /** The variable that an identifier in the text refers to or declares; `null` for a global. */
  variableOf(identifier: Node): Variable | null {
    return this.#references.get(identifier)?.resolved ?? this.#declared.get(identifier) ?? null;
  }

  /** True when `identifier` is a value reference to a name that nothing in the file declares. */
  isGlobal(identifier: Node): boolean {
    const reference = this.#references.get(identifier);
    return (
      reference !== undefined && (reference.resolved === null || isForeign(reference.resolved))
    );
  }

  scopeOf(node: Node): Scope | null {
    return this.manager.acquire(node as never);
  }
}

/** The scope manager's own entries (`const` of `as const`, `arguments`) have no definition. */
function isForeign(variable: Variable): boolean {
  return variable.defs.length === 0 && variable.name !== 'arguments';
}

/** Where a variable is declared. The scope manager types its nodes as typescript-eslint's; they are the parser's. */
export interface Definition {
  readonly node: Node;
  readonly parent: Node | null;
}

/** The one definition of a variable, or `null` when there is none or more than one. */
export function soleDefinition(variable: Variable): Definition | null {
  const [definition, ...others] = variable.defs;
  if (definition === undefined || others.length > 0) return null;
  return {
    node: definition.node as unknown as Node,
    parent: (definition.parent ?? null) as unknown as Node | null,
  };
}

/** The identifier that declares a variable first. */
export function declaredBy(variable: Variable): Node | undefined {
  return variable.identifiers[0] as unknown as Node | undefined;
}

export function isParameter(variable: Variable): boolean {
  return variable.defs.some(({ type }) => String(type) === 'Parameter');
}

/** References that write, other than the initialiser of a declaration. */
export function laterWrites(variable: Variable): readonly Reference[] {
  return variable.references.filter((reference) => reference.isWrite() && reference.init !== true);
}

/** True when `scope` is `inside` or below it. */
export function isWithin(scope: Scope | null, inside: Scope): boolean {
  for (let current = scope; current !== null; current = current.upper) {
    if (current === inside) return true;
  }
  return false;
}
