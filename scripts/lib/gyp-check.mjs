/**
 * The courtesy build: binding.gyp, by node-gyp, in a copy of the checkout (node-gyp wipes build/). Loads the result and compares
 * what it exports with the addon that cmake-js built.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

import { ScriptError, runScript, stream } from './child.mjs';
import { ROOT, sourceFiles } from './files.mjs';

const CMAKE_BUILT = join(ROOT, 'build/cmake/Release/tfe_node.node');

/** Names and kinds of what an addon exports, as one line; read in a process of its own. */
function surface(addon) {
  const script = `
    const kind = (value) => Object.prototype.toString.call(value).slice(8, -1);
    const addon = require(process.argv[1]);
    console.log(Object.keys(addon).sort().map((key) => key + ': ' + kind(addon[key])).join(', '));`;
  const run = spawnSync(process.execPath, ['-e', script, addon], { encoding: 'utf8' });
  if (run.status !== 0) {
    throw new ScriptError(`${addon} does not load (${run.signal ?? run.status}).\n${run.stderr}`);
  }
  return run.stdout.trim();
}

await runScript('node-gyp', async () => {
  if (!existsSync(CMAKE_BUILT)) {
    throw new ScriptError('the addon is not built. Run: node scripts/setup.mjs');
  }
  const copy = mkdtempSync(join(tmpdir(), 'tfe-node-gyp-'));
  try {
    for (const name of sourceFiles()) {
      mkdirSync(dirname(join(copy, name)), { recursive: true });
      cpSync(join(ROOT, name), join(copy, name));
    }
    cpSync(join(ROOT, 'node_modules/node-addon-api'), join(copy, 'node_modules/node-addon-api'), {
      recursive: true,
    });
    const prefix = dirname(dirname(realpathSync(process.execPath)));
    // Node's own headers, where it is installed with them; without them node-gyp downloads its own.
    const nodedir = existsSync(join(prefix, 'include/node/node_api.h'))
      ? [`--nodedir=${prefix}`]
      : [];
    await stream(
      process.execPath,
      [
        join(ROOT, 'node_modules/node-gyp/bin/node-gyp.js'),
        'rebuild',
        `--jobs=${String(availableParallelism())}`,
        '--loglevel=warn',
        ...nodedir,
      ],
      { cwd: copy, what: 'node-gyp rebuild' },
    );
    const ours = surface(CMAKE_BUILT);
    const theirs = surface(join(copy, 'build/Release/tfe_node.node'));
    if (ours !== theirs) {
      throw new ScriptError(`the two builds differ.\n  cmake-js: ${ours}\n  node-gyp: ${theirs}`);
    }
    process.stdout.write(`node-gyp: the same exports as the cmake-js build: ${ours}\n`);
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
});
