/** docs/errors.md: made from the registry of errors and from where the sources raise each code. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { ERRORS, TfeError, type Phase, type TfeErrorCode } from '../lib/errors';
import { stand } from './helpers/stand-in';

const ROOT = join(__dirname, '..');
const PAGE = join(ROOT, 'docs/errors.md');
const CODES = Object.keys(ERRORS) as TfeErrorCode[];

/** In the order in which a program meets them. */
const PHASES: Readonly<Record<Phase, string>> = {
  cli: 'Reading the command line and writing what was built',
  install: 'Fetching, finding and verifying the TensorFlow library',
  load: 'Finding and opening the addon and the library',
  tensor: 'Making, reading and freeing tensors',
  op: 'Checking and running one op',
  define: 'Declaring an extension op, a module or a plugin',
  prepare: 'Planning an op on an engine',
  analysis: 'Parsing, claiming and lowering source files',
  call: 'Entering a lowered function',
};

const HEAD = `# Errors

Every error of this package is a \`TfeError\`. \`code\` is stable and meant for programs, \`phase\` says which part of the package
made it, \`message\` says what was wrong and what to do, \`hint\` is the second half alone, \`facts\` holds the values of the message as data, and
\`docs\` is the place on this page. Where they are known, \`op\`, \`familyId\`, \`ruleId\`, \`site\` and \`tfStatus\` (TensorFlow's own status) are set.

\`\`\`ts
import { tf, TfeError } from 'tfe-node';

try {
  tf.constant([1, 2], { shape: [3] });
} catch (error) {
  if (error instanceof TfeError && error.code === 'TFE_SHAPE_MISMATCH') console.log(error.docs); // docs/errors.md#tfe_shape_mismatch
}
\`\`\`

What stands in angle brackets is a fact of the case. This page is made from the registry, [\`lib/errors\`](../lib/errors): a test keeps the two
equal (\`UPDATE_DOCS=1\` rewrites the page), and after a whole test run every code has been reached by a test or is listed with its
reason in \`test/unreached-errors.json\`.
`;

/** The sources that may raise an error, by their path. */
const SOURCES = ['lib', 'plugins', 'native'].flatMap((room) =>
  readdirSync(join(ROOT, room), { recursive: true, encoding: 'utf8' })
    .map((name) => `${room}/${name}`)
    .filter((name) => /\.(?:ts|cc|h)$/u.test(name) && !name.startsWith('lib/errors/'))
    .sort()
    .map((name) => [name, readFileSync(join(ROOT, name), 'utf8')] as const),
);

/** The files that make an error of the code; those that name it where it goes through a variable. */
function raisedIn(code: string): string[] {
  const made = new RegExp(`(?:[tT]feError|Failure)\\s*[({]\\s*['"]${code}['"]`, 'u');
  const named = new RegExp(`['"]${code}['"]`, 'u');
  const files = (pattern: RegExp) =>
    SOURCES.filter(([, text]) => pattern.test(text)).map(([name]) => name);
  const makers = files(made);
  return makers.length > 0 ? makers : files(named);
}

function section(code: TfeErrorCode): string {
  const error = new TfeError(code, stand().facts);
  const said = error.message.slice(0, error.message.length - String(error.hint).length).trim();
  const text = error.hint === '' ? said : `${said}\n\n${error.hint}`;
  const where = raisedIn(code).map((name) => `[\`${name}\`](../${name})`);
  return `### ${code}\n\n\`\`\`text\n${text}\n\`\`\`\n\nRaised in ${where.join(', ')}.\n`;
}

function page(): string {
  const rooms = Object.entries(PHASES).map(([phase, title]) => {
    const sections = CODES.filter((code) => ERRORS[code].phase === phase).map(section);
    return `## ${title}\n\nPhase \`${phase}\`.\n\n${sections.join('\n')}`;
  });
  return `${HEAD}\n${rooms.join('\n')}`;
}

describe('docs/errors.md', () => {
  test('is made from the registry (UPDATE_DOCS=1 rewrites it)', () => {
    const rendered = page();
    if (process.env['UPDATE_DOCS'] === '1') writeFileSync(PAGE, rendered);
    expect(readFileSync(PAGE, 'utf8')).toBe(rendered);
  });

  test('has an anchor for what each error says of itself', () => {
    const text = readFileSync(PAGE, 'utf8');
    const anchors = [...text.matchAll(/^### (.+)$/gmu)].map(([, title]) => title!.toLowerCase());
    expect(new Set(anchors).size).toBe(CODES.length);
    for (const code of CODES) {
      const { docs } = new TfeError(code, stand().facts);
      expect(anchors).toContain(docs.slice('docs/errors.md#'.length));
    }
  });

  test.each(CODES)('%s is raised somewhere', (code) => {
    expect(raisedIn(code)).not.toEqual([]);
  });
});

test('the reporter finds the codes of the registry in its source', () => {
  const names = readdirSync(join(ROOT, 'lib/errors')).flatMap((name) =>
    [...readFileSync(join(ROOT, 'lib/errors', name), 'utf8').matchAll(/^ {2}(TFE_\w+): \{/gmu)].map(
      ([, code]) => code,
    ),
  );
  expect(names.sort()).toEqual([...CODES].sort());
});

test('codes that are excused from being reached exist, and have a reason', () => {
  const excused = JSON.parse(
    readFileSync(join(__dirname, 'unreached-errors.json'), 'utf8'),
  ) as Record<string, string>;
  for (const [code, reason] of Object.entries(excused)) {
    expect(CODES).toContain(code);
    expect(reason).toMatch(/^[A-Z].*\.$/u);
  }
});
