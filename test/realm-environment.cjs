'use strict';

const { TestEnvironment } = require('jest-environment-node');
const { collector } = require('./helpers/collector.cjs');

const collect = collector();

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

/**
 * Test files of one process share the addon. Tensors that the file before let go of are collected now, not in the middle of a
 * test that counts tensors.
 */
async function collectLeftovers() {
  for (let round = 0; round < 2; round++) {
    collect();
    // Finalizers run as tasks of their own.
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
}

module.exports = class RealmEnvironment extends TestEnvironment {
  async setup() {
    await collectLeftovers();
    await super.setup();
    for (const name of SHARED) this.global[name] = globalThis[name];
  }
};
