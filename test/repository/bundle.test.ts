/** scripts/lib/bundle.mjs: what `require('tfe-node')` loads. */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';

const LIB = join(__dirname, '../../dist/lib');

/** What a program with `lib`, the folder of the built modules, says as JSON in a process of its own. */
function told(program: string): unknown {
  const text = `const lib = process.argv[1];\n${program}`;
  return JSON.parse(execFileSync(process.execPath, ['-e', text, LIB], { encoding: 'utf8' }));
}

test('one file holds what an import loads, and hashing is not among it', () => {
  const program = `
    const before = new Set(process.moduleLoadList);
    require(lib + '/index.js');
    console.log(JSON.stringify({
      files: Object.keys(require.cache).map((file) => file.slice(lib.length + 1)).sort(),
      heavy: process.moduleLoadList.filter((name) => !before.has(name) && /crypto|child_process|fs.promises/.test(name)),
    }));`;
  expect(told(program)).toEqual({ files: ['bundle.js', 'index.js'], heavy: [] });
});

test('a module is the same objects through its own file, and a class keeps its name', () => {
  const program = `
    const { modules } = require(lib + '/bundle.js');
    const faults = [];
    for (const [path, module] of Object.entries(modules)) {
      if (require(lib + '/' + path + '.js') !== module) faults.push(path);
      for (const [name, value] of Object.entries(module)) {
        if (typeof value === 'function' && /^class/.test(String(value)) && value.name !== name) faults.push(value.name);
      }
    }
    console.log(JSON.stringify({ faults, many: Object.keys(modules).length > 50 }));`;
  expect(told(program)).toEqual({ faults: [], many: true });
});

test('each function of tf has the name that it is called by', () => {
  const program = `
    const { tf } = require(lib + '/index.js');
    const rooms = [tf, tf.math, tf.nn, tf.linalg, tf.dtypes];
    const named = rooms.flatMap((room) => Object.entries(room)).filter(([, value]) => typeof value === 'function');
    console.log(JSON.stringify({
      faults: named.filter(([name, value]) => value.name !== name).map(([name]) => name),
      many: named.length > 30,
    }));`;
  expect(told(program)).toEqual({ faults: [], many: true });
});
