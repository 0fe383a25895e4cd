/**
 * Makes a checkout ready: npm dependencies, TypeScript build, addon, TensorFlow library; each only when it is missing or
 * out of date. `npm test`, `npm run quickstart` and `npm run bench` begin with it. Needs nothing but Node, and says
 * nothing when there is nothing to do.
 *
 *   node scripts/setup.mjs [--only STEP,...] [--with STEP,...] [--force]
 *
 * Everything is printed to standard error; the exit code is 0 only when all steps are done.
 */

// Old syntax, and nothing imported yet: a Node too old for the rest must still be able to say so.
var NODE_FLOOR = [20, 19];
var running = process.versions.node.split('.').map(Number);

if (running[0] < NODE_FLOOR[0] || (running[0] === NODE_FLOOR[0] && running[1] < NODE_FLOOR[1])) {
  console.error(
    'set-up: Node ' +
      process.versions.node +
      ' is too old: tfe-node needs ' +
      NODE_FLOOR.join('.') +
      ' or later. Install a current one (https://nodejs.org/en/download), for example: nvm install 22',
  );
  process.exit(1);
}

const { runScript } = await import('./lib/child.mjs');
const { setUp } = await import('./lib/setup.mjs');
await runScript('set-up', () => setUp(process.argv.slice(2)));
