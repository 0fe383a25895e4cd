/** The configuration file: where it is found, what may stand in it, and what every mistake says. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { describe, expect, test } from '@jest/globals';

import { fallbackPolicy, loadConfig } from '../../../plugins/core/config';
import { cleanScratchAfterEach, scratch } from '../../helpers/scratch';

cleanScratchAfterEach();

/** A folder with a package.json of its own, so that no configuration above it is found. */
function folderWith(files: Readonly<Record<string, string>>): string {
  const folder = scratch();
  for (const [name, text] of Object.entries({ 'package.json': '{}', ...files })) {
    const path = join(folder, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
  return folder;
}

const PLUGIN = "exports.plugin = { id: 'tfe-mine' };";

describe('is found', () => {
  test.each([
    ['tfe.config.json', '{"fallback": "function"}'],
    ['tfe.config.json', '\uFEFF{"fallback": "function"}'],
    ['tfe.config.cjs', "module.exports = { fallback: 'function' };"],
    ['tfe.config.mjs', "export default { fallback: 'function' };"],
    ['tfe.config.js', "module.exports = { fallback: 'function' };"],
    ['package.json', '{"tfe": {"fallback": "function"}}'],
  ])('as %s', (name, text) => {
    const folder = folderWith({ [name]: text });
    expect(loadConfig(folder)).toEqual({
      file: join(folder, name),
      plugins: [],
      fallback: 'function',
    });
  });

  test('in a folder above', () => {
    const folder = folderWith({ 'tfe.config.json': '{"fallback": "site"}', 'a/b/c.ts': '' });
    expect(loadConfig(join(folder, 'a', 'b')).file).toBe(join(folder, 'tfe.config.json'));
  });

  test('the nearest one first', () => {
    const folder = folderWith({
      'tfe.config.json': '{"fallback": "site"}',
      'a/tfe.config.json': '{"fallback": "function"}',
    });
    expect(loadConfig(join(folder, 'a')).fallback).toBe('function');
  });

  test('or is not there, and nothing is configured', () => {
    expect(loadConfig(folderWith({ 'package.json': '{"name": "a"}' }))).toEqual({
      file: null,
      plugins: [],
      fallback: null,
    });
  });

  test('under another name when it is named', () => {
    const folder = folderWith({ 'other.json': '{"fallback": "function"}' });
    expect(loadConfig(folder, 'other.json').fallback).toBe('function');
    expect(loadConfig('/', join(folder, 'other.json')).fallback).toBe('function');
  });

  test('empty, which configures nothing', () => {
    expect(loadConfig(folderWith({ 'tfe.config.json': '{}' })).fallback).toBeNull();
  });
});

describe('plugins', () => {
  test('are loaded from the folder of the file, by path and by package name', () => {
    const folder = folderWith({
      'config/tfe.config.json': '{"plugins": ["./mine.cjs", "their-plugin", "./esm.mjs"]}',
      'config/mine.cjs': PLUGIN,
      'config/esm.mjs': "export const plugin = { id: 'tfe-esm' };",
      'node_modules/their-plugin/package.json': '{"name": "their-plugin", "main": "a.js"}',
      'node_modules/their-plugin/a.js': "exports.plugin = { id: 'tfe-theirs' };",
    });
    const { plugins } = loadConfig(folder, 'config/tfe.config.json');
    expect(plugins.map(({ id }) => id)).toEqual(['tfe-mine', 'tfe-theirs', 'tfe-esm']);
  });

  test.each([
    ['is missing', './absent.cjs', undefined, 'Cannot find module'],
    ['throws', './mine.cjs', "throw new Error('broken');", 'broken'],
    ['exports nothing', './mine.cjs', '', "does not export 'plugin'"],
    ['exports no object', './mine.cjs', 'exports.plugin = 1;', "does not export 'plugin'"],
  ])('that %s is named with the file', (_, specifier, text, problem) => {
    const folder = folderWith({
      'tfe.config.json': JSON.stringify({ plugins: [specifier] }),
      ...(text === undefined ? {} : { 'mine.cjs': text }),
    });
    expect(() => loadConfig(folder)).toThrow(
      expect.objectContaining({
        code: 'TFE_CONFIG_PLUGIN',
        message: expect.stringContaining(problem),
        facts: expect.objectContaining({ specifier, file: join(folder, 'tfe.config.json') }),
      }),
    );
  });
});

describe('mistakes', () => {
  test.each([
    ['{"fallbak": "site"}', 'fallbak', 'not known'],
    ['{"fallback": "sites"}', 'fallback', '"site" | "function"'],
    ['{"fallback": null}', 'fallback', 'null'],
    ['{"plugins": "mine"}', 'plugins', 'Array'],
    ['{"plugins": ["a", 1]}', 'plugins.1', 'string'],
    ['[]', '(the whole)', 'Object'],
    ['1', '(the whole)', 'Object'],
  ])('%s is wrong at %s', (text, key, problem) => {
    const folder = folderWith({ 'tfe.config.json': text });
    expect(() => loadConfig(folder)).toThrow(
      expect.objectContaining({
        code: 'TFE_CONFIG_INVALID',
        facts: expect.objectContaining({
          file: join(folder, 'tfe.config.json'),
          key,
          problem: expect.stringContaining(problem),
        }),
      }),
    );
  });

  test.each([
    ['tfe.config.json', '{"fallback": '],
    ['tfe.config.cjs', 'module.exports = {'],
    ['tfe.config.cjs', "throw new Error('broken');"],
    ['tfe.config.mjs', 'export default await Promise.resolve({});'],
    ['package.json', '{'],
  ])('%s that reads %s cannot be read', (name, text) => {
    const folder = folderWith({ [name]: text });
    expect(() => loadConfig(folder)).toThrow(
      expect.objectContaining({
        code: 'TFE_CONFIG_UNREADABLE',
        facts: expect.objectContaining({ file: join(folder, name) }),
      }),
    );
  });

  test.each([
    ['is not there', 'absent.json'],
    ['has no loader', 'config.yaml'],
    ['is a folder', '.'],
    ['has no key tfe', 'package.json'],
  ])('a named file that %s cannot be read', (_, name) => {
    const folder = folderWith({ 'config.yaml': 'fallback: site' });
    expect(() => loadConfig(folder, name)).toThrow(
      expect.objectContaining({ code: 'TFE_CONFIG_UNREADABLE' }),
    );
  });
});

describe('the fallback policy', () => {
  const policy = (commandLine?: string, environment?: string, config?: 'site' | 'function') =>
    fallbackPolicy({ commandLine, environment, config: config ?? null });

  test('is that of the command line, then the environment, then the file, then site', () => {
    expect(policy('site', 'function', 'function')).toBe('site');
    expect(policy(undefined, 'function', 'site')).toBe('function');
    expect(policy(undefined, undefined, 'function')).toBe('function');
    expect(policy(undefined, '', 'function')).toBe('function');
    expect(policy()).toBe('site');
  });

  test('of another name is refused with where it came from', () => {
    expect(() => policy(undefined, 'sites')).toThrow(
      expect.objectContaining({
        code: 'TFE_FALLBACK_POLICY',
        facts: { source: 'TFE_NODE_FALLBACK', value: 'sites' },
      }),
    );
    expect(() => policy('none')).toThrow("--fallback is 'none'");
  });
});
