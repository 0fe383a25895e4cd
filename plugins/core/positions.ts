/** Offsets to lines and columns, both from 1, columns in UTF-16 units. A BOM has no column. */
import type { SourceRange } from './model';

/** ECMAScript's line terminators: what V8 and oxc count, U+2028 in a template included. */
export const LINE_END = /\r\n|[\n\r\u2028\u2029]/g;

export const BOM = 0xfeff;

export class Positions {
  readonly #source: string;
  readonly #lineStarts: number[];

  constructor(source: string) {
    this.#source = source;
    this.#lineStarts = [source.charCodeAt(0) === BOM ? 1 : 0];
    for (const match of source.matchAll(LINE_END)) {
      this.#lineStarts.push(match.index + match[0].length);
    }
  }

  /** 1-based line and column of an offset; offsets outside the text are clamped to it. */
  at(offset: number): { line: number; column: number } {
    const clamped = Math.min(Math.max(offset, 0), this.#source.length);
    let low = 0;
    let high = this.#lineStarts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.#lineStarts[middle]! <= clamped) low = middle;
      else high = middle - 1;
    }
    return { line: low + 1, column: Math.max(clamped - this.#lineStarts[low]!, 0) + 1 };
  }

  range(start: number, end: number): SourceRange {
    const from = this.at(start);
    const to = this.at(end);
    return {
      start,
      end,
      line: from.line,
      column: from.column,
      endLine: to.line,
      endColumn: to.column,
    };
  }

  get lineCount(): number {
    return this.#lineStarts.length;
  }

  /** Text of a 1-based line without its terminator. */
  lineText(line: number): string {
    const start = this.#lineStarts[line - 1];
    if (start === undefined) return '';
    const end = this.#lineStarts[line] ?? this.#source.length;
    return this.#source.slice(start, end).replace(/[\n\r\u2028\u2029]+$/, '');
  }
}
