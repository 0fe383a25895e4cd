'use strict';

const { TestEnvironment } = require('jest-environment-node');

/**
 * Jest gives each test file a realm of its own. Addons make their typed arrays, errors and promises in
 * the process's realm, so `toThrow(TypeError)` and `toBeInstanceOf` would compare across realms. Handing the
 * process's constructors to the test realm makes the two agree.
 */
const SHARED = [
  'Error',
  'TypeError',
  'RangeError',
  'Promise',
  'ArrayBuffer',
  'SharedArrayBuffer',
  'DataView',
  'Int8Array',
  'Uint8Array',
  'Uint8ClampedArray',
  'Int16Array',
  'Uint16Array',
  'Int32Array',
  'Uint32Array',
  'Float32Array',
  'Float64Array',
  'BigInt64Array',
  'BigUint64Array',
];

module.exports = class RealmEnvironment extends TestEnvironment {
  async setup() {
    await super.setup();
    for (const name of SHARED) this.global[name] = globalThis[name];
  }
};
