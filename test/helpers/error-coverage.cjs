'use strict';

/**
 * A reporter of jest: after a whole run it says which error codes no test reached, and makes the run fail. Codes that cannot
 * be reached on the machines that run the tests are listed in test/unreached-errors.json, each with its reason.
 */
const { readdirSync, readFileSync, rmSync } = require('node:fs');
const { join } = require('node:path');
const { LOG } = require('./record-errors.cjs');

const ROOT = join(__dirname, '../..');

/** Every code of the registry, from the source: a reporter runs where nothing compiles TypeScript. */
function allCodes() {
  return readdirSync(join(ROOT, 'lib/errors')).flatMap((name) =>
    [...readFileSync(join(ROOT, 'lib/errors', name), 'utf8').matchAll(/^ {2}(TFE_\w+): \{/gm)].map(
      ([, code]) => code,
    ),
  );
}

/** The codes that were made since the log was removed. */
function reachedCodes() {
  try {
    return new Set(readFileSync(LOG, 'utf8').split('\n'));
  } catch {
    return new Set();
  }
}

class ErrorCoverage {
  constructor({ testNamePattern }) {
    this.isNarrowed = testNamePattern !== undefined && testNamePattern !== '';
  }

  onRunStart({ numTotalTestSuites }) {
    const files = readdirSync(join(ROOT, 'test'), { recursive: true, encoding: 'utf8' });
    const suites = files.filter((name) => name.endsWith('.test.ts')).length;
    this.isWhole = !this.isNarrowed && numTotalTestSuites === suites;
    if (this.isWhole) rmSync(LOG, { force: true });
  }

  onRunComplete(_contexts, results) {
    if (!this.isWhole || results.numFailedTests > 0 || results.numFailedTestSuites > 0) return;
    const excused = JSON.parse(readFileSync(join(ROOT, 'test/unreached-errors.json'), 'utf8'));
    const codes = allCodes();
    const reached = reachedCodes();
    const missing = codes.filter((code) => !reached.has(code) && !(code in excused));
    const stray = Object.keys(excused).filter((code) => !codes.includes(code));
    const faults = [
      ...missing.map((code) => `no test reaches ${code}`),
      ...stray.map((code) => `test/unreached-errors.json names ${code}, which is no code`),
    ];
    const count = codes.filter((code) => reached.has(code)).length;
    process.stderr.write(`Error codes: ${count} of ${codes.length} reached\n`);
    if (faults.length > 0) this.error = new Error(faults.join('\n'));
    for (const fault of faults) process.stderr.write(`  ${fault}\n`);
  }

  getLastError() {
    return this.error;
  }
}

module.exports = ErrorCoverage;
