'use strict';

/**
 * Writes down which error codes were made, so that test/helpers/error-coverage.cjs can say after a whole run which were not.
 * In test files it is set up by record-errors-setup.cjs; in their child processes it is preloaded with `--require`.
 */
const { appendFileSync, mkdirSync } = require('node:fs');
const { dirname, join } = require('node:path');

const LOG = join(__dirname, '../../.cache/reached-errors.log');

/** Wraps every message of a loaded registry: an error is made exactly when its message is. */
function record({ ERRORS }) {
  for (const [code, spec] of Object.entries(ERRORS)) {
    const { message } = spec;
    let written = false;
    spec.message = (facts) => {
      if (!written) {
        written = true;
        try {
          mkdirSync(dirname(LOG), { recursive: true });
          appendFileSync(LOG, `${code}\n`);
        } catch {
          // A child under Node's permission model, or as another user, may not write here.
        }
      }
      return message(facts);
    };
  }
}

/** For plain Node: records every copy of the registry as it is loaded. */
function recordOnLoad() {
  const extensions = require.extensions;
  for (const extension of ['.js', '.ts']) {
    const load = extensions[extension];
    if (load === undefined) continue;
    extensions[extension] = (module, filename) => {
      load(module, filename);
      if (filename.endsWith(`/lib/errors/index${extension}`)) record(module.exports);
    };
  }
}

module.exports = { LOG, record, recordOnLoad };
