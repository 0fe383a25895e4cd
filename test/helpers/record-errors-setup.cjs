'use strict';

const { relative } = require('node:path');
const { expect } = require('@jest/globals');
const { record } = require('./record-errors.cjs');

/** These make an error of every code to look at its text; that reaches nothing. */
const READERS = new Set(['test/errors.test.ts', 'test/errors-page.test.ts']);

const file = relative(`${__dirname}/../..`, expect.getState().testPath);
if (!READERS.has(file)) record(require('../../lib/errors'));
