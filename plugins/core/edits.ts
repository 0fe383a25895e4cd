/**
 * Text that is put together from ranges of one source, with a source map. Unlike an editor of strings it may use the
 * same range more than once: both legs of a lowered function are the body as written, and both map to it.
 */
import { remapping } from '../../lib/vendor/remapping';
import { BOM, LINE_END, Positions } from './positions';

/** A source map of version 3, encoded. */
export interface RawSourceMap {
  readonly version: 3;
  readonly file?: string;
  readonly sources: readonly (string | null)[];
  readonly sourcesContent?: readonly (string | null)[];
  readonly names: readonly string[];
  readonly mappings: string;
}

type Segment =
  | [column: number]
  | [column: number, source: number, line: number, sourceColumn: number]
  | [column: number, source: number, line: number, sourceColumn: number, name: number];

/** A word, or one character: the places at which a token may start. */
const TOKEN = /\r\n|[\p{ID_Continue}$\u200c\u200d]+|[^]/gu;

/** A BOM is no part of the first line: editors and engines take it off. */
export function withoutBom(text: string): string {
  return text.charCodeAt(0) === BOM ? text.slice(1) : text;
}

export class TextBuilder {
  readonly #source: string;
  readonly #positions: Positions;
  readonly #parts: string[] = [];
  readonly #lines: Segment[][] = [[]];
  readonly #names = new Map<string, number>();
  #column = 0;

  constructor(source: string) {
    this.#source = source;
    this.#positions = new Positions(source);
  }

  /** A range of the source as it is, mapped token by token. */
  original(start: number, end: number): this {
    if (start >= end) return this;
    const text = this.#source;
    const bom = start === 0 && text.charCodeAt(0) === BOM ? 1 : 0;
    if (bom === 1) this.#parts.push(text[0]!);
    const range = text.slice(start + bom, end);
    for (const { 0: token, index } of range.matchAll(TOKEN)) {
      this.#mark(start + bom + index);
      if (isLineEnd(token)) this.#newLine();
      else this.#column += token.length;
    }
    this.#parts.push(range);
    return this;
  }

  /** Other text in the place of what stood at `offset`; `name` is what stood there, where that was a name. */
  replacement(text: string, offset: number, name?: string): this {
    if (text !== '') this.#mark(offset, name);
    this.#advance(text);
    return this;
  }

  /** Text that stands for nothing in the source. */
  inserted(text: string): this {
    if (text === '') return this;
    this.#lines[this.#lines.length - 1]!.push([this.#column]);
    this.#advance(text);
    return this;
  }

  toString(): string {
    return this.#parts.join('');
  }

  /** The map of {@link toString}, with the source under the name `sourceFile` and its text. */
  map(sourceFile: string): RawSourceMap {
    const map = {
      version: 3 as const,
      sources: [PLACEHOLDER],
      names: [...this.#names.keys()],
      mappings: this.#lines,
    };
    return composeMaps([map], sourceFile, this.#source);
  }

  #mark(offset: number, name?: string): void {
    // A map counts both from 0.
    const { line, column } = this.#positions.at(offset);
    const segment: Segment =
      name === undefined
        ? [this.#column, 0, line - 1, column - 1]
        : [this.#column, 0, line - 1, column - 1, this.#nameIndex(name)];
    this.#lines[this.#lines.length - 1]!.push(segment);
  }

  #nameIndex(name: string): number {
    const known = this.#names.get(name);
    if (known !== undefined) return known;
    this.#names.set(name, this.#names.size);
    return this.#names.size - 1;
  }

  #advance(text: string): void {
    let last = 0;
    for (const match of text.matchAll(LINE_END)) {
      this.#newLine();
      last = match.index + match[0].length;
    }
    this.#column += text.length - last;
    this.#parts.push(text);
  }

  #newLine(): void {
    this.#lines.push([]);
    this.#column = 0;
  }
}

function isLineEnd(token: string): boolean {
  return (
    token === '\n' || token === '\r\n' || token === '\r' || token === '\u2028' || token === '\u2029'
  );
}

interface DecodedMap {
  readonly version: 3;
  readonly sources: readonly string[];
  readonly names: readonly string[];
  readonly mappings: readonly Segment[][];
}

/** Names of files are set afterwards: composing would read them as URLs. */
const PLACEHOLDER = 'source';

/** Joins the maps of steps done one after another, the last step first. Each map has one source. */
export function composeMaps(
  maps: readonly (RawSourceMap | DecodedMap)[],
  sourceFile: string,
  sourceText: string,
): RawSourceMap {
  const inputs = maps.map((map) => ({ ...map, sources: [PLACEHOLDER] }));
  const joined = remapping(inputs as unknown as Parameters<typeof remapping>[0], () => null);
  return {
    version: 3,
    sources: [sourceFile],
    sourcesContent: [withoutBom(sourceText)],
    names: joined.names,
    mappings: joined.mappings as string,
  };
}
