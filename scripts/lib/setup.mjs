/** The order of set-up: reads the command line, decides which steps are due, and runs them under the lock. */
import { join } from 'node:path';

import { ScriptError } from './child.mjs';
import { ROOT } from './files.mjs';
import { withLock } from './lock.mjs';
import { DEFAULT_STEPS, STEPS, stepContext } from './steps.mjs';
import { missingTools } from './tools.mjs';

const USAGE = `Usage: node scripts/setup.mjs [--only STEP,...] [--with STEP,...] [--force]
Steps: ${STEPS.map(({ name }) => name).join(', ')} (without --only: ${DEFAULT_STEPS.join(', ')})`;

function parse(args) {
  let names = DEFAULT_STEPS;
  let force = false;
  const list = (option, text) => {
    const chosen = (text ?? '').split(',').filter((name) => name !== '');
    const unknown = chosen.filter((name) => !STEPS.some((step) => step.name === name));
    if (chosen.length === 0 || unknown.length > 0) {
      throw new ScriptError(
        `${option} needs step names${unknown.length > 0 ? `, not ${unknown.join(', ')}` : ''}.\n${USAGE}`,
        2,
      );
    }
    return chosen;
  };
  for (let i = 0; i < args.length; ++i) {
    const [option, attached] = args[i].split('=', 2);
    const value = () => attached ?? args[++i];
    if (option === '--only') names = list(option, value());
    else if (option === '--with') names = [...names, ...list(option, value())];
    else if (option === '--force') force = true;
    else if (option === '--help') return undefined;
    else throw new ScriptError(`unknown argument ${args[i]}.\n${USAGE}`, 2);
  }
  return { steps: STEPS.filter(({ name }) => names.includes(name)), force };
}

function failOnMissing(tools) {
  const missing = missingTools(new Set(tools));
  if (missing.length > 0) {
    throw new ScriptError(`this machine lacks what set-up needs.\n${missing.join('\n')}`);
  }
}

function say(text) {
  process.stderr.write(`set-up: ${text}\n`);
}

/** Seconds with one decimal. */
function since(start) {
  return `${((performance.now() - start) / 1000).toFixed(1)} s`;
}

/** @param {string[]} args the command line after the script's name */
export async function setUp(args) {
  const request = parse(args);
  if (request === undefined) {
    process.stdout.write(`${USAGE}\n`);
    return;
  }
  const context = stepContext(ROOT, request.force);
  const steps = request.steps.filter((step) => step.isWanted?.(context) ?? true);
  const due = () => steps.filter((step) => request.force || !step.isCurrent(context));
  if (due().length === 0) return;

  await withLock(
    join(ROOT, '.cache/setup.lock'),
    async () => {
      // Again: another set-up may have done it while we waited.
      const first = due();
      // Only dist can say whether the library is installed, so a missing pip is no error before its step comes.
      failOnMissing(first.filter(({ name }) => name !== 'library').flatMap(({ tools }) => tools));
      if (first.length > 1 && first.some(({ name }) => name === 'library')) {
        for (const text of missingTools(['pip'])) {
          say(`unless the TensorFlow library is already installed, this will be needed:\n${text}`);
        }
      }
      for (const step of steps) {
        if (!request.force && step.isCurrent(context)) continue;
        failOnMissing(step.tools);
        say(`${step.title} ...`);
        const start = performance.now();
        await step.make(context);
        say(`${step.title} done (${since(start)})`);
      }
    },
    (pid) => say(`waiting for the one that process ${pid} is running`),
  );
}
