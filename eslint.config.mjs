/**
 * Type-aware lint for TypeScript, plain rules for the scripts, and the house's walls: which room may import which
 * (CONTRIBUTING.md says it in words).
 */
import { readFileSync, readdirSync } from 'node:fs';

import js from '@eslint/js';
import tseslint from 'typescript-eslint';

const manifest = JSON.parse(readFileSync(new URL('./package.json', import.meta.url), 'utf8'));

const TYPESCRIPT = [
  'lib/**/*.ts',
  'plugins/**/*.ts',
  'test/**/*.ts',
  'examples/**/*.ts',
  'bench/**/*.ts',
];
const PLAIN = ['**/*.mjs', '**/*.cjs', '**/*.js'];

const NODE_GLOBALS = Object.fromEntries(
  [
    'AbortController',
    'Buffer',
    'TextDecoder',
    'TextEncoder',
    'URL',
    'clearInterval',
    'clearTimeout',
    'console',
    'fetch',
    'gc',
    'global',
    'performance',
    'process',
    'setImmediate',
    'setInterval',
    'setTimeout',
    'structuredClone',
  ].map((name) => [name, 'readonly']),
);

/** `from 'name'` in lib/vendor: the packages that are bundled there, and nowhere else. */
const vendorFolder = new URL('./lib/vendor/', import.meta.url);
const BUNDLED_NAMES = readdirSync(vendorFolder)
  .filter((name) => name.endsWith('.ts'))
  .flatMap((name) =>
    [...readFileSync(new URL(name, vendorFolder), 'utf8').matchAll(/from '([^'.][^']*)'/g)].map(
      (match) => match[1],
    ),
  )
  .filter((name) => !name.startsWith('node:'));
const BUNDLED = [...new Set(BUNDLED_NAMES)];

const PEERS = Object.keys(manifest.peerDependencies);
const DEVELOPMENT = Object.keys(manifest.devDependencies).filter(
  (name) => !PEERS.includes(name) && !BUNDLED.includes(name),
);

/** `names` and what lies in them. A regular expression: a `group` would match `../vendor/commander` too. */
const packages = (names) => ({
  regex: `^(${names.map((name) => name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('|')})(/|$)`,
});
/** Rooms of lib/ as another room writes them (`../runtime/plan`, `../../lib/runtime`); `./x` is a neighbour in one's own room. */
const rooms = (...names) => ({ regex: `^(\\.\\./)+(lib/)?(${names.join('|')})(/|$)` });

const WALLS = {
  bundled: {
    ...packages(BUNDLED),
    message: 'Bundled packages are imported in lib/vendor only, where the build can see them all.',
  },
  development: {
    ...packages(DEVELOPMENT),
    allowTypeImports: true,
    message: 'Users do not have this package: bundle it through lib/vendor, or do without.',
  },
  peers: {
    ...packages(PEERS),
    allowTypeImports: true,
    message:
      'The runtime needs no package (docs/design.md, decision 11); the analyser loads peers on use.',
  },
  plugins: {
    regex: '^(\\.\\./)+plugins(/|$)',
    message: 'The plugin layer is above lib/; only lib/cli may use it.',
  },
  cli: { ...rooms('cli'), message: 'Nothing is above the command line.' },
  surface: {
    regex: '^(\\.\\./?)+(lib/)?(index|tf)?$',
    message: 'Import from the room that owns it, not from the public surface.',
  },
  lowered: {
    ...rooms('lowered'),
    message: 'What generated code imports is above the rooms it uses.',
  },
  runtime: {
    ...rooms('core-ops', 'extension', 'families', 'program', 'runtime', 'engines', 'ad'),
    message: 'The handle layer must not know the extension-op runtime.',
  },
  handles: {
    ...rooms('native', 'tensor', 'config', 'ops', 'raw'),
    message: 'Errors and versions are below everything.',
  },
  ground: {
    regex: '^\\.\\.?/',
    message: 'Everything may import this file, so it imports none of ours.',
  },
};

/** Which walls stand around a room. A later row replaces an earlier one for the files that both name. */
const ROOMS = [
  {
    files: ['lib/**/*.ts'],
    walls: ['bundled', 'development', 'peers', 'plugins', 'cli'],
  },
  {
    files: ['lib/errors/**/*.ts'],
    walls: [
      'bundled',
      'development',
      'peers',
      'plugins',
      'cli',
      'surface',
      'lowered',
      'runtime',
      'handles',
    ],
  },
  {
    files: ['lib/describe.ts', 'lib/objects.ts', 'lib/version.ts'],
    walls: ['bundled', 'development', 'peers', 'ground'],
  },
  {
    files: ['native', 'tensor', 'config', 'ops', 'raw'].map((room) => `lib/${room}/**/*.ts`),
    walls: ['bundled', 'development', 'peers', 'plugins', 'cli', 'surface', 'lowered', 'runtime'],
  },
  {
    files: ['core-ops', 'extension', 'families', 'program', 'runtime', 'engines', 'ad'].map(
      (room) => `lib/${room}/**/*.ts`,
    ),
    walls: ['bundled', 'development', 'peers', 'plugins', 'cli', 'surface', 'lowered'],
  },
  {
    files: ['lib/lowered/**/*.ts'],
    walls: ['bundled', 'development', 'peers', 'plugins', 'cli'],
  },
  { files: ['lib/cli/**/*.ts'], walls: ['bundled', 'development', 'peers'] },
  {
    files: ['lib/vendor/**/*.ts'],
    walls: ['peers', 'plugins', 'cli', 'surface', 'lowered', 'runtime', 'handles'],
  },
  { files: ['plugins/**/*.ts'], walls: ['bundled', 'development', 'peers', 'cli'] },
];

const ADDON_FILES = ['lib/native/binding.ts', 'lib/native/loader.ts'];

export default tseslint.config(
  {
    ignores: [
      '**/node_modules/',
      'dist/',
      'build/',
      'coverage/',
      '.cache/',
      // Inputs of the analyser, wrong on purpose in places, and files that a build has generated.
      'test/**/fixtures/',
      // Generated by scripts/generate-raw.mjs.
      'lib/raw/table.ts',
      'lib/raw/types.ts',
    ],
  },
  js.configs.recommended,
  {
    files: PLAIN,
    languageOptions: { ecmaVersion: 2024, globals: NODE_GLOBALS },
    rules: { 'no-unused-vars': ['error', { argsIgnorePattern: '^_' }] },
  },
  {
    files: ['**/*.cjs', '**/*.js'],
    languageOptions: {
      sourceType: 'commonjs',
      globals: { ...NODE_GLOBALS, __dirname: 'readonly', __filename: 'readonly' },
    },
  },
  {
    files: TYPESCRIPT,
    extends: [...tseslint.configs.recommendedTypeChecked, ...tseslint.configs.stylisticTypeChecked],
    languageOptions: {
      parserOptions: { project: './tsconfig.test.json', tsconfigRootDir: import.meta.dirname },
    },
    rules: {
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/consistent-type-imports': [
        'error',
        { fixStyle: 'separate-type-imports', disallowTypeAnnotations: false },
      ],
      '@typescript-eslint/consistent-type-definitions': 'off', // unions and interfaces each have their use
      '@typescript-eslint/no-unused-vars': [
        'error',
        { argsIgnorePattern: '^_', varsIgnorePattern: '^_' },
      ],
      '@typescript-eslint/restrict-template-expressions': [
        'error',
        { allowNumber: true, allowBoolean: true },
      ],
      // Modules may be loaded on use: most programs that import tfe-node never hash a file.
      '@typescript-eslint/no-require-imports': ['error', { allow: ['^\\.\\.?/', '^node:'] }],
    },
  },
  ...ROOMS.map(({ files, walls }) => ({
    files,
    rules: {
      '@typescript-eslint/no-restricted-imports': [
        'error',
        { patterns: walls.map((name) => WALLS[name]) },
      ],
    },
  })),
  {
    files: ['lib/**/*.ts', 'plugins/**/*.ts'],
    ignores: ADDON_FILES,
    rules: {
      'no-restricted-syntax': [
        'error',
        {
          selector: ':matches(Literal[value=/\\.node$/], TemplateElement[value.cooked=/\\.node$/])',
          message:
            'Only lib/native/binding.ts requires the addon, and lib/native/loader.ts finds it.',
        },
        {
          selector: "MemberExpression[object.name='process'][property.name='dlopen']",
          message: 'Only lib/native/binding.ts requires the addon.',
        },
      ],
    },
  },
  {
    // typescript-eslint cannot resolve a type import with a resolution mode; these files only re-export.
    files: ['lib/vendor/**/*.ts'],
    rules: { '@typescript-eslint/no-unsafe-assignment': 'off' },
  },
  {
    files: ADDON_FILES,
    rules: { '@typescript-eslint/no-require-imports': 'off' }, // requiring a path is their job
  },
  {
    files: ['test/**/*.ts'],
    rules: {
      // jest's expect takes methods to look at them, and tests hand in wrong values on purpose.
      '@typescript-eslint/unbound-method': 'off',
      '@typescript-eslint/no-empty-function': 'off',
    },
  },
);
