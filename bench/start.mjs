// From nothing to the first result, in processes of their own: bench/programs/first-result.cjs against
// bench/native/first_result.cc. Two clocks: the program's own, from its first line (C: main) to the result, which is what
// tfe-node can do something about; and the whole process, in which Node's own start and end count too.
import { spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));

/** Runs a program and reads how many nanoseconds it says it took. */
function launch([file, ...args]) {
  const start = process.hrtime.bigint();
  const { status, stdout, stderr } = spawnSync(file, args, { encoding: 'utf8' });
  const whole = Number(process.hrtime.bigint() - start);
  if (status !== 0) throw new Error(`${file} ended with ${status}: ${stderr}`);
  return { own: Number(stdout), whole };
}

export function start({ folder, tensorflow: { frameworkPath, ccPath } }) {
  const c = [join(folder, 'tfe_bench_start'), frameworkPath, ccPath];
  const node = [process.execPath, join(here, 'programs', 'first-result.cjs')];
  const bare = [process.execPath, '-e', '0'];
  return {
    title: 'a process to its first result, AddV2 of float32 [2, 2]',
    unit: 'ms',
    rounds: 20,
    contestants: [
      {
        name: 'C',
        run() {
          const { own, whole } = launch(c);
          return { 'C: main to result': own, 'C: whole process': whole };
        },
      },
      {
        name: 'Node',
        run() {
          const { own, whole } = launch(node);
          return { 'Node: require to result': own, 'Node: whole process': whole };
        },
      },
      { name: 'node -e 0: whole process', run: () => launch(bare).whole },
    ],
    rows: [
      { name: 'C: main to result' },
      { name: 'Node: require to result', bar: 1.2 },
      { name: 'C: whole process', against: 'C: whole process' },
      { name: 'Node: whole process', against: 'C: whole process' },
      { name: 'node -e 0: whole process', against: 'C: whole process' },
      { name: 'Node less node -e 0', against: 'C: whole process' },
    ],
    derive(times) {
      const idle = times.get('node -e 0: whole process');
      const less = times.get('Node: whole process').map((time, round) => time - idle[round]);
      times.set('Node less node -e 0', less);
    },
  };
}
