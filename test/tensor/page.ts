/** Runs the TypeScript of a documentation page as a user would, and holds what it prints against what the page says. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { formatWithOptions } from 'node:util';
import { transformSync } from '@swc/core';

export const DOCS = join(__dirname, '../../docs');

/** The ```ts blocks of a page. */
export function blocksOf(page: string): string[] {
  const text = readFileSync(join(DOCS, page), 'utf8');
  return [...text.matchAll(/^```ts\n([\s\S]*?)^```/gm)].map(([, block]) => block!);
}

/** `console.log(...); // what it prints`, in order. */
export function promised(block: string): string[] {
  return [...block.matchAll(/console\.log\(.*\); \/\/ (.*)$/gm)].map(([, text]) => text!);
}

/** Runs a block, which may await; `require` is the caller's, so that package names mean what they mean in its tests. */
export async function printed(block: string, require: NodeJS.Require): Promise<string[]> {
  const { code } = transformSync(block, {
    jsc: { parser: { syntax: 'typescript' }, target: 'es2022' },
    module: { type: 'commonjs' },
    swcrc: false,
  });
  const lines: string[] = [];
  const console = {
    log: (...values: unknown[]) => lines.push(formatWithOptions({ compact: 3 }, ...values)),
  };
  // eslint-disable-next-line @typescript-eslint/no-implied-eval -- the page is ours
  const run = new Function('require', 'exports', 'console', `return (async () => {${code}})()`) as (
    ...args: unknown[]
  ) => Promise<void>;
  await run(require, {}, console);
  return lines;
}
