'use strict';

/**
 * Lets plain Node run this repository's TypeScript, for tests that need a process of their own:
 * `node --require ./test/helpers/register-swc.cjs script.ts`. Compiles as jest does (jest.config.js), maps no names.
 */
const { readFileSync } = require('node:fs');
const { transformSync } = require('@swc/core');

function compile(module, filename) {
  const { code } = transformSync(readFileSync(filename, 'utf8'), {
    filename,
    jsc: { parser: { syntax: 'typescript' }, target: 'es2022' },
    module: { type: 'commonjs' },
    sourceMaps: 'inline',
    swcrc: false,
  });
  module._compile(code, filename);
}

// First in the order, as in TypeScript's own resolution: `./pin` is pin.ts, although a pin.json lies beside it.
const others = { ...require.extensions };
for (const extension of Object.keys(others)) delete require.extensions[extension];
Object.assign(require.extensions, { '.ts': compile }, others);

require('./record-errors.cjs').recordOnLoad();
