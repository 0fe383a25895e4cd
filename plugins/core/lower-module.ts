/**
 * What lowering adds to a file besides the edits of its functions: names that nobody uses yet, imports before the first
 * statement and on its line, and at the end the tables and what plugins asked for. So no line changes its number.
 */
import { printLiteral } from './lower-literal';

/** Names in a file that are free. */
export class FreshNames {
  readonly #taken: Set<string>;
  readonly #given = new Set<string>();

  constructor(taken: Iterable<string>) {
    this.#taken = new Set(taken);
  }

  /** `prefix`, or `prefix` and the first number that makes it free. */
  take(prefix: string): string {
    let name = prefix;
    for (let i = 1; this.#taken.has(name); i++) name = `${prefix}${i}`;
    this.#taken.add(name);
    this.#given.add(name);
    return name;
  }

  /** A beginning that no name in the file has. */
  stem(prefix: string): string {
    let stem = prefix;
    while ([...this.#taken].some((name) => name.startsWith(stem))) stem += '_';
    return stem;
  }

  /** Whether the source uses the name itself: one given by {@link take} is not the source's. */
  isSources(name: string): boolean {
    return this.#taken.has(name) && !this.#given.has(name);
  }
}

export interface ImportRequest {
  readonly from: string;
  readonly name: string;
  readonly as: string;
}

const SUBPATH = 'tfe-node/lowered';

export class ModuleAdditions {
  readonly names: FreshNames;
  readonly #typed: boolean;
  readonly #commonJs: boolean;
  readonly #runtime: string;
  readonly #tables: string[] = [];
  readonly #imports = new Map<string, string>();
  readonly #helpers = new Map<string, string>();
  readonly #types = new Map<string, string>();

  constructor(options: {
    readonly names: FreshNames;
    readonly typed: boolean;
    readonly commonJs: boolean;
  }) {
    this.names = options.names;
    this.#typed = options.typed;
    this.#commonJs = options.commonJs;
    this.#runtime = this.names.take('$tfe');
  }

  get typed(): boolean {
    return this.#typed;
  }

  get isEmpty(): boolean {
    return this.#tables.length === 0;
  }

  /** A local alias for a type of a package; `null` in JavaScript. */
  typeAlias(module: string, name: string): string | null {
    if (!this.#typed) return null;
    const type = `import(${JSON.stringify(module)}).${name}`;
    const known = this.#types.get(type);
    if (known !== undefined) return known;
    const alias = this.names.take(`$${name}`);
    this.#types.set(type, alias);
    return alias;
  }

  /** Answers what is wrong with the request, or `null`. */
  addImport({ from, name, as }: ImportRequest): string | null {
    const clause =
      name === '*'
        ? `* as ${as}`
        : `{ ${isIdentifier(name) ? name : JSON.stringify(name)} as ${as} }`;
    const text = this.#commonJs
      ? `var ${as} = require(${JSON.stringify(from)})${name === '*' ? '' : `[${JSON.stringify(name)}]`};`
      : `import ${clause} from ${JSON.stringify(from)};`;
    const known = this.#imports.get(as);
    if (known === text) return null;
    if (known !== undefined || this.#helpers.has(as)) {
      return `the name ${as} already stands for something else`;
    }
    if (this.names.isSources(as)) return `the file itself uses the name ${as}: ask freshName`;
    this.#imports.set(as, text);
    return null;
  }

  /** A function declaration of a plugin. Answers what is wrong with it, or `null`. */
  addHelper(name: string, text: string): string | null {
    const known = this.#helpers.get(name);
    if (known === text) return null;
    if (known !== undefined || this.#imports.has(name)) {
      return `the name ${name} already stands for something else`;
    }
    if (this.names.isSources(name)) return `the file itself uses the name ${name}: ask freshName`;
    this.#helpers.set(name, text);
    return null;
  }

  /** Adds a function's table under the name `table`; calling `table()` answers the lowered function. */
  addTable(table: string, fields: readonly (readonly [name: string, text: string])[]): void {
    const cache = this.names.take(`${table}$`);
    const type = this.#commonJs
      ? `import(${JSON.stringify(SUBPATH)}).LoweredFunction`
      : `${this.#runtime}.LoweredFunction`;
    const runtime = this.#commonJs ? `require(${JSON.stringify(SUBPATH)})` : this.#runtime;
    const body = fields.map(([name, text]) => `    ${name}: ${text},`);
    this.#tables.push(
      // Hoisted: a call during an import cycle finds the table wherever the file has got to.
      `var ${cache}${this.#typed ? `: ${type} | undefined` : ''};`,
      `function ${table}()${this.#typed ? `: ${type}` : ''} {`,
      `  return (${cache} ??= ${runtime}.define({`,
      ...body,
      '  }));',
      '}',
    );
  }

  /**
   * The imports, as one line. They come first: in a circle of imports a function may be called as soon as its file is
   * linked, and then only what was imported before the circle has run.
   */
  imports(): string {
    const runtime = `import * as ${this.#runtime} from ${printLiteral(SUBPATH)};`;
    return [...(this.#commonJs ? [] : [runtime]), ...this.#imports.values()].join(' ');
  }

  /** The end of the file. */
  tail(): string[] {
    return [
      '// What follows was added by tfe-node: the tables of the functions lowered above.',
      ...[...this.#helpers.values()].flatMap((text) => text.split('\n')),
      ...this.#tables,
      ...[...this.#types].map(([type, alias]) => `type ${alias} = ${type};`),
    ];
  }
}

export function isIdentifier(text: string): boolean {
  return /^[\p{ID_Start}$_][\p{ID_Continue}$\u200c\u200d]*$/u.test(text);
}
