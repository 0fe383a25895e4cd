#!/usr/bin/env node
'use strict';

// In a clone the compiled files are missing until the first build; in the published package they are there.
const { existsSync } = require('node:fs');
const { join } = require('node:path');

const main = join(__dirname, '..', 'dist', 'lib', 'cli', 'main.js');

if (existsSync(main)) {
  require(main)
    .main()
    .catch((error) => {
      console.error(error);
      process.exitCode = 1;
    });
} else {
  console.error(
    `error: ${main} does not exist. This is a clone that was not built yet: run \`npm run build\`.`,
  );
  process.exitCode = 1;
}
