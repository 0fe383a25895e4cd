import { describe, expect, it } from '@jest/globals';
import { originalPositionFor, TraceMap } from '@jridgewell/trace-mapping';
import { composeMaps, TextBuilder } from '../../../plugins/core/edits';

const LINES = /\r\n|[\n\r\u2028\u2029]/g;

/** Line (from 1) and column (from 0) of an offset, counted here and not by the code under test. */
function positionIn(text: string, offset: number): { line: number; column: number } {
  const visible = text.replace(/^\ufeff/, '');
  const shift = text.length - visible.length;
  const lines = visible.slice(0, Math.max(0, offset - shift)).split(LINES);
  return { line: lines.length, column: lines[lines.length - 1]!.length };
}

function trace(builder: TextBuilder, offset: number) {
  const map = new TraceMap(builder.map('a.ts'));
  return originalPositionFor(map, positionIn(builder.toString(), offset));
}

describe('TextBuilder', () => {
  it('maps every use of a range to the same place', () => {
    const source = 'let a = one(two);\nlet b;';
    const builder = new TextBuilder(source).original(8, 16).inserted(' + \n ').original(8, 16);
    expect(builder.toString()).toBe('one(two) + \n one(two)');
    for (const offset of [4, 17]) {
      expect(trace(builder, offset)).toMatchObject({ source: 'a.ts', line: 1, column: 12 });
    }
    expect(trace(builder, 9)).toMatchObject({ source: null });
  });

  it.each([
    ['LF', 'a();\nb();'],
    ['CRLF', 'a();\r\nb();'],
    ['a lone CR', 'a();\rb();'],
    ['U+2028', '`\u2028`;\u2029b();'],
    ['a BOM', '\ufeffa();\nb();'],
    ['wide characters', '`\u{1f600}é`; ñandú(); b();'],
    ['NBSP', 'a();\u00a0b();'],
  ])('finds a call behind %s', (_, source) => {
    const builder = new TextBuilder(source).original(0, source.length);
    expect(builder.toString()).toBe(source);
    const offset = source.indexOf('b()');
    expect(trace(builder, offset)).toMatchObject(positionIn(source, offset));
  });

  it('keeps the name of what a text replaced, and starts no line of its own', () => {
    const builder = new TextBuilder('x = tf.add(a)')
      .original(0, 4)
      .replacement('$.apply(0, ', 4, 'tf.add')
      .original(11, 12)
      .replacement(')', 12);
    expect(builder.toString()).toBe('x = $.apply(0, a)');
    expect(trace(builder, 4)).toMatchObject({ line: 1, column: 4, name: 'tf.add' });
    expect(trace(builder, 15)).toMatchObject({ line: 1, column: 11 });
    expect(trace(builder, 16)).toMatchObject({ line: 1, column: 12 });
  });

  it('answers a map whose source keeps an odd file name, and no BOM', () => {
    const name = '../a b/%41?#é.ts';
    const map = new TextBuilder('\ufeffx').original(0, 2).map(name);
    expect(map).toEqual({
      version: 3,
      sources: [name],
      sourcesContent: ['x'],
      names: [],
      mappings: 'AAAA',
    });
  });

  it('composes with the map of a later step', () => {
    const first = new TextBuilder('a b').inserted('xx ').original(2, 3);
    const second = new TextBuilder(first.toString()).inserted('\n').original(3, 4);
    const map = composeMaps([second.map('x'), first.map('y')], 'a.ts', 'a b');
    const found = originalPositionFor(new TraceMap(map), { line: 2, column: 0 });
    expect(found).toMatchObject({ source: 'a.ts', line: 1, column: 2 });
  });

  it('does not slow down with the number of pieces', () => {
    const source = 'word '.repeat(200_000);
    const builder = new TextBuilder(source);
    for (let i = 0; i < 20_000; i++) builder.original(i * 50, (i + 1) * 50).inserted('|');
    expect(builder.toString()).toHaveLength(source.length + 20_000);
  });
});
