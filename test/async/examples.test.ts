/**
 * The docstring of each asynchronous function says whose the result is, and has an example that runs; so has docs/async.md.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import * as tfe from 'tfe-node';
import * as extension from 'tfe-node/extension';
import { cleanScratchAfterEach, scratch } from '../helpers/scratch';
import { functionsOf } from '../process/programs/tf-functions';
import { expectNoTensorsLeft } from '../tensor/accounting';
import { blocksOf, DOCS as DOCS_FOLDER, printed, promised } from '../tensor/page';

expectNoTensorsLeft();
cleanScratchAfterEach();

const FILES = ['tf', 'ops/execute', 'tensor/tensor', 'tensor/kernel', 'runtime/eager'];
/** A comment and the name that it stands before. */
const DOCUMENTED =
  /\/\*\*\n((?: *\*.*\n)+?) *\*\/\n *(?:export )?(?:async )?(?:function )?(\w+Async|data)\b/g;

const DOCS = FILES.flatMap((file) => [
  ...readFileSync(join(__dirname, '../../lib', `${file}.ts`), 'utf8').matchAll(DOCUMENTED),
]).map(([, text, name]) => [name!, text!.replace(/^ *\* ?/gm, '')] as const);

const NAMES = { ...tfe, ...extension };

/** The value of an expression. */
function valueOf(code: string, names: Readonly<Record<string, unknown>> = {}): unknown {
  // eslint-disable-next-line @typescript-eslint/no-implied-eval -- the docstring is ours
  const run = new Function(...Object.keys(names), `return ${code}`);
  return (run as (...values: unknown[]) => unknown)(...Object.values(names));
}

test('there is one for each asynchronous function', () => {
  const ofTf = [...functionsOf(tfe.tf).keys()].filter((name) => name.endsWith('Async'));
  const documented = DOCS.map(([name]) => name.replace('biasAdd', 'bias_add'));
  expect([...documented].sort()).toEqual(
    [...ofTf, 'applyAsync', 'data', 'executeAsync', 'runAsync', 'scopeAsync'].sort(),
  );
});

test.each(DOCS)('%s says what it throws, whose its result is, and prints it', async (name, doc) => {
  expect(doc).toMatch(/@throws TfeError[^@]*rejection/);
  expect(doc).toMatch(/may be disposed|are freed/);
  const pool = name === 'scopeAsync' ? [] : ['TFE_QUEUE_FULL', 'TFE_THREAD_UNAVAILABLE'];
  for (const code of pool) expect(doc).toContain(`\`${code}\``);
  const [, setUp, expression, answer] =
    /@example ?\n?((?:.*;\n)*?)(.*); \/\/ (.*)\n/.exec(doc) ?? [];
  const code = `scopeAsync(async () => { ${setUp} return ${expression} })`;
  expect(await valueOf(code, NAMES)).toEqual(valueOf(answer!));
});

test('docs/async.md has an example that prints what the page says', async () => {
  const [block, ...others] = blocksOf('async.md');
  expect(others).toEqual([]);
  expect(await printed(block!, require)).toEqual(promised(block!));
});

test('docs/async.md has a program of two threads that prints what the page says', () => {
  const page = readFileSync(join(DOCS_FOLDER, 'async.md'), 'utf8');
  const [, program] = /^```js\n([\s\S]*?)^```/m.exec(page)!;
  const folder = scratch();
  mkdirSync(join(folder, 'node_modules'));
  symlinkSync(join(__dirname, '../..'), join(folder, 'node_modules/tfe-node'));
  writeFileSync(join(folder, 'program.mjs'), program!);
  const said = execFileSync(process.execPath, ['program.mjs'], {
    cwd: folder,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  expect(said.trim().split('\n')).toEqual(promised(program!));
});
