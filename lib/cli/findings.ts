/** Prints findings as lines: state, subject, fact, and under a failure what to do. */
import type { Finding, FindingState } from '../native/finding';

const WORDS: Readonly<Record<FindingState, string>> = {
  ok: 'ok',
  failed: 'failed',
  unreached: 'not reached',
};

const WIDTH = 'not reached'.length;

/** `unreached` as this command calls it. */
export function findingLines(finding: Finding, unreached = WORDS.unreached): string {
  const { state, title, fact, todo } = finding;
  const word = state === 'unreached' ? unreached : WORDS[state];
  const indent = ' '.repeat(WIDTH + 2);
  const lines = [`${word.padEnd(WIDTH)}  ${title}: ${fact.split('\n').join(`\n${indent}  `)}`];
  if (todo !== null && todo !== '') lines.push(`${indent}-> ${todo}`);
  return `${lines.join('\n')}\n`;
}
