/** Finding and loading the addon: each way to fail, and that a later attempt is not harmed by it. */
import { readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { LOAD_ERRORS } from '../../lib/errors/load';
import { locateRuntime } from '../../lib/native/locate';
import { ADDON, testPrograms, expectEnding, PERMISSION, type ChildOptions } from '../helpers/child';

const programs = testPrograms();
const { folder } = programs;

const LOADED = { version: '2.21.0' };

test('the addon and the library load', () => {
  const ending = programs.run('load');
  expectEnding(ending, 0);
  expect(ending.said).toEqual([LOADED]);
});

test('TFE_NODE_ADDON that points nowhere is not built, and names the path', () => {
  const nowhere = join(folder, 'nowhere.node');
  const ending = programs.run('load', { then: ADDON }, { env: { TFE_NODE_ADDON: nowhere } });
  expectEnding(ending, 0);
  expect(ending.said).toEqual([
    expect.objectContaining({
      code: 'TFE_ADDON_NOT_BUILT',
      facts: { tried: [nowhere], named: true },
    }),
    LOADED,
  ]);
});

test('a relative TFE_NODE_ADDON is taken from the working directory', () => {
  const env = { TFE_NODE_ADDON: relative(process.cwd(), ADDON) };
  const ending = programs.run('load', {}, { env });
  expectEnding(ending, 0);
  expect(ending.said).toEqual([LOADED]);
});

test('a package without a build says where it looked, and how to build', () => {
  const ending = programs.run('load', { then: ADDON }, { env: { TFE_NODE_ADDON: '' } });
  expectEnding(ending, 0);
  expect(ending.said).toEqual([
    {
      code: 'TFE_ADDON_NOT_BUILT',
      facts: {
        tried: [
          join(folder, 'build/cmake/Release/tfe_node.node'),
          join(folder, 'build/Release/tfe_node.node'),
        ],
        named: false,
      },
      message: expect.stringContaining('npm run build:native'),
    },
    LOADED,
  ]);
});

test('a text file named .node cannot be loaded, and says why', () => {
  const text = join(folder, 'text.node');
  writeFileSync(text, 'module.exports = {};\n');
  const ending = programs.run('load', { then: ADDON }, { env: { TFE_NODE_ADDON: text } });
  expectEnding(ending, 0);
  expect(ending.said).toEqual([
    expect.objectContaining({
      code: 'TFE_ADDON_LOAD_FAILED',
      facts: { path: text, reason: expect.stringContaining('file too short') },
    }),
    LOADED,
  ]);
});

test.each([
  ['8', '8'],
  [null, 'none'],
])('Node-API %s is refused before the addon is touched', (napi, found) => {
  const ending = programs.run('load', { napi, then: ADDON });
  expectEnding(ending, 0);
  expect(ending.said).toEqual([
    expect.objectContaining({ code: 'TFE_ADDON_ABI', facts: { required: 9, found } }),
    LOADED,
  ]);
});

test('Node without the permission to load addons says which option is missing', () => {
  const ending = programs.run('load', {}, { execArgv: [PERMISSION, '--allow-fs-read=*'] });
  expectEnding(ending, 0);
  expect(ending.said).toEqual([
    {
      code: 'TFE_ADDONS_DISABLED',
      facts: { path: ADDON },
      message: expect.stringContaining('--allow-addons'),
    },
  ]);
});

describe('Node without the permission to read', () => {
  const library = locateRuntime().directory;
  // node_modules holds what the published package has bundled; its real path is what Node asks about.
  const modules = realpathSync(join(folder, 'node_modules'));
  const helpers = join(__dirname, '../helpers');
  const readable = [`${folder}/*`, `${modules}/*`, `${helpers}/*`];
  const allow = (...paths: readonly string[]): ChildOptions => ({
    execArgv: [
      // It may write: that is how an error code that it makes counts as reached.
      ...[PERMISSION, '--allow-addons', '--allow-fs-write=*'],
      ...paths.map((path) => `--allow-fs-read=${path}`),
    ],
  });

  test('the addon names it and the options', () => {
    const ending = programs.run('load', {}, allow(...readable));
    expectEnding(ending, 0);
    expect(ending.said).toEqual([
      {
        code: 'TFE_READ_FORBIDDEN',
        facts: { path: ADDON },
        message: expect.stringMatching(/--allow-fs-read.*--allow-addons/),
      },
    ]);
  });

  test('the library names its folder', () => {
    const ending = programs.run('load', {}, allow(...readable, ADDON));
    expectEnding(ending, 0);
    expect(ending.said).toEqual([
      expect.objectContaining({ code: 'TFE_READ_FORBIDDEN', facts: { path: library } }),
    ]);
  });

  test('anything else loads', () => {
    const ending = programs.run('load', {}, allow(...readable, ADDON, `${library}/*`));
    expectEnding(ending, 0);
    expect(ending.said).toEqual([LOADED]);
  });

  test('nothing: all is allowed, and it loads', () => {
    const ending = programs.run('load', {}, allow('*'));
    expectEnding(ending, 0);
    expect(ending.said).toEqual([LOADED]);
  });
});

test('--no-addons is named as well', () => {
  const ending = programs.run('load', {}, { execArgv: ['--no-addons'] });
  expectEnding(ending, 0);
  expect(ending.said).toEqual([expect.objectContaining({ code: 'TFE_ADDONS_DISABLED' })]);
});

test('docs/loading.md has a row for every code, and for no other', () => {
  const page = readFileSync(join(__dirname, '../../docs/loading.md'), 'utf8');
  const rows = [...page.matchAll(/^\|.*?`(TFE_[A-Z_]+)`.*\|$/gm)].map(([, code]) => code);
  expect(rows.sort()).toEqual(Object.keys(LOAD_ERRORS).sort());
});
