/** What `check` prints. */
import { describe, expect, test } from '@jest/globals';

import { toFileReport } from '../../../plugins/core';
import { codeFrame, jsonReport, textReport } from '../../../plugins/core/report';
import { Positions } from '../../../plugins/core/positions';
import { analyzeFixture } from './expectations';

const SOURCE = `import { tf } from 'tfe-node';
import type { TensorF32Cpu2D } from 'tfe-node/types';
export function score(x: TensorF32Cpu2D): TensorF32Cpu2D {
  return tf.nn.relu(tf.cos(x));
}
export function twice(x: TensorF32Cpu2D): TensorF32Cpu2D {
  return tf.nn.relu(score(score(x)));
}
export function plain(x) {
  return tf.nn.relu(x);
}
`;

function reported(source: string, file = 'score.ts') {
  return { report: toFileReport(analyzeFixture(file, source)), source };
}

test('every function is listed with status, route, reason, place, frame and suggestion', () => {
  expect(textReport([reported(SOURCE)])).toBe(
    [
      'score.ts',
      '  score  mixed  mixed-plugin:tfe-fake  (score.ts:3:17)',
      '    4:10    tf.nn.relu  claimed  tfe-fake/unary',
      '    4:21    tf.cos  not covered  TFEC-030',
      "    score.ts:4:21  TFEC-030  The call of 'tf.cos' runs as written: no plugin claims 'tf.cos' of 'tfe-node'.",
      '      4 |   return tf.nn.relu(tf.cos(x));',
      '        |                     ^^^^^^^^^',
      '      Nothing has to be done: it runs as written.',
      '  twice  mixed  mixed-plugin:tfe-fake  (score.ts:6:17)',
      '    7:10    tf.nn.relu  claimed  tfe-fake/unary',
      "    score.ts:7:21  TFEC-124  It calls 'score', which is mixed: The call of 'tf.cos' runs as written: " +
        "no plugin claims 'tf.cos' of 'tfe-node'.",
      '      7 |   return tf.nn.relu(score(score(x)));',
      '        |                     ^^^^^^^^^^^^^^^',
      "      See 'score'.",
      "    score.ts:7:27  TFEC-124  It calls 'score', which is mixed: The call of 'tf.cos' runs as written: " +
        "no plugin claims 'tf.cos' of 'tfe-node'. (because of score)",
      '  plain  not annotated  fallback  (score.ts:9:17)',
      "    score.ts:9:17  TFEC-128  'plain' calls 'tf.nn.relu', but neither a parameter nor its result is " +
        'annotated with a tensor type.',
      '      9 | export function plain(x) {',
      '        |                 ^^^^^',
      '      Annotate parameters and result with one of: TensorF32Cpu1D, TensorF32Cpu2D, TensorI64Cpu1D.',
      '',
      '1 file: 0 native, 2 mixed, 0 fallback, 1 not annotated; 2 sites claimed (2 lowered), 0 rejected, ' +
        '1 not covered',
      '',
    ].join('\n'),
  );
});

test('a file that does not parse is said so, and counted', () => {
  const text = textReport([reported('const a = ;', 'bad.ts'), reported('', 'empty.ts')]);
  expect(text).toContain('bad.ts:1:11  TFEC-000');
  expect(text).toContain('1 | const a = ;');
  expect(text).not.toContain('empty.ts');
  expect(text).toContain('2 files: 0 native');
  expect(text).toContain('1 file could not be analysed');
});

test('the JSON has a version, the files and a summary', () => {
  const { report } = reported(SOURCE);
  const json = jsonReport([report]);
  expect(json).toEqual({
    contractVersion: '1.0',
    files: [report],
    summary: {
      files: 1,
      unanalysed: 0,
      functions: { native: 0, mixed: 2, fallback: 0, notAnnotated: 1 },
      sites: { claimed: 2, rejected: 0, notCovered: 1, lowered: 2 },
    },
  });
  expect(JSON.parse(JSON.stringify(json))).toEqual(json);
});

describe('a code frame', () => {
  const frame = (source: string, start: number, end: number): string =>
    codeFrame(source, new Positions(source).range(start, end));

  test('marks several lines, and stops', () => {
    const source = 'one(\n  two,\n  three,\n  four,\n)';
    expect(frame(source, 0, source.length).split('\n')).toEqual([
      '1 | one(',
      '  | ^^^^',
      '2 |   two,',
      '  |   ^^^^',
      '3 |   three,',
      '  |   ^^^^^^',
      '  | ...',
    ]);
  });

  test('keeps tabs, so that the mark stands under what it marks', () => {
    expect(frame('\t\tabc', 2, 5).split('\n')).toEqual(['1 | \t\tabc', '  | \t\t^^^']);
  });

  test('shows a long line around the mark', () => {
    const source = `${'a'.repeat(500)}HERE${'b'.repeat(500)}`;
    const [line, mark] = frame(source, 500, 504).split('\n');
    expect(line!.indexOf('HERE')).toBe(mark!.indexOf('^'));
    expect(line!.length).toBeLessThan(200);
  });

  test('marks at least one column, also at the end of the file', () => {
    expect(frame('', 0, 0)).toBe('1 |\n  | ^');
    expect(frame('ab\n', 3, 3)).toBe('2 |\n  | ^');
  });
});
