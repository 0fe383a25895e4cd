'use strict';

const transform = {
  '^.+\\.ts$': [
    '@swc/jest',
    {
      jsc: { parser: { syntax: 'typescript' }, target: 'es2022' },
      module: { type: 'commonjs' },
      sourceMaps: 'inline',
    },
  ],
};

/** The package's own subpaths, so that tests import what users import. */
const moduleNameMapper = {
  '^tfe-node$': '<rootDir>/lib/index.ts',
  '^tfe-node/types$': '<rootDir>/lib/types.ts',
  '^tfe-node/extension$': '<rootDir>/lib/extension/index.ts',
  '^tfe-node/lowered$': '<rootDir>/lib/lowered/index.ts',
  '^tfe-node/plugin$': '<rootDir>/plugins/core/index.ts',
  '^tfe-node/plugin/tensorflow$': '<rootDir>/plugins/tensorflow/index.ts',
};

const shared = {
  transform,
  moduleNameMapper,
  modulePathIgnorePatterns: ['<rootDir>/dist', '<rootDir>/build'],
  setupFilesAfterEnv: ['<rootDir>/test/helpers/record-errors-setup.cjs'],
};

module.exports = {
  testTimeout: 120_000,
  reporters: ['default', '<rootDir>/test/helpers/error-coverage.cjs'],
  projects: [
    {
      ...shared,
      displayName: 'tests',
      testEnvironment: '<rootDir>/test/realm-environment.cjs',
      testMatch: ['<rootDir>/test/**/*.test.ts'],
      testPathIgnorePatterns: ['<rootDir>/test/realm/'],
    },
    {
      // The proof that the library is realm-safe: users' jest runs in the plain environment.
      ...shared,
      displayName: 'plain jest realm',
      testEnvironment: 'node',
      testMatch: ['<rootDir>/test/realm/**/*.test.ts'],
    },
  ],
};
