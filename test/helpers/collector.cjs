'use strict';

const { setFlagsFromString } = require('node:v8');
const { runInNewContext } = require('node:vm');

/** The garbage collector, which `npm test` exposes and a bare jest does not. */
function collector() {
  if (globalThis.gc !== undefined) return globalThis.gc;
  setFlagsFromString('--expose-gc');
  return runInNewContext('gc');
}

module.exports = { collector };
