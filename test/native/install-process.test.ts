/** Installations in processes of their own: killed at every step, two at once, and what dead ones leave. */
import { spawn, spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, test } from '@jest/globals';
import { installRuntime } from '../../lib/native/install';
import { locateRuntime } from '../../lib/native/locate';
import type { Pin } from '../../lib/native/pin';
import { makeStaging, sweepStaging } from '../../lib/native/staging';
import { CC, fakeWheel, FRAMEWORK, PLATFORM, WHEEL_FILE } from '../helpers/fake-wheel';
import type { ChildTask } from '../helpers/install-child';
import { cleanScratchAfterEach, scratch } from '../helpers/scratch';

cleanScratchAfterEach();

const REGISTER = join(__dirname, '../helpers/register-swc.cjs');
const CHILD = join(__dirname, '../helpers/install-child.ts');

interface Bench {
  readonly root: string;
  readonly parent: string;
  readonly target: string;
  readonly pin: Pin;
  readonly env: { readonly XDG_CACHE_HOME: string };
  readonly task: ChildTask;
}

function bench(): Bench {
  const fake = fakeWheel();
  const root = scratch();
  const cache = join(root, 'cache');
  const wheel = join(root, WHEEL_FILE);
  const pinFile = join(root, 'pin.json');
  writeFileSync(wheel, fake.wheel);
  writeFileSync(pinFile, JSON.stringify(fake.pin));
  const parent = join(cache, 'tfe-node/2.21.0');
  return {
    root,
    parent,
    target: join(parent, PLATFORM),
    pin: fake.pin,
    env: { XDG_CACHE_HOME: cache },
    task: { cache, wheel, pinFile },
  };
}

interface Outcome {
  readonly lines: readonly string[];
  readonly signal: NodeJS.Signals | null;
}

/** Runs an installation; `onLine` may kill it. */
function child(
  task: ChildTask,
  onLine: (line: string, kill: () => void) => void = () => undefined,
): Promise<Outcome> {
  const running = spawn(process.execPath, ['--require', REGISTER, CHILD, JSON.stringify(task)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const lines: string[] = [];
  let rest = '';
  running.stdout.setEncoding('utf8').on('data', (text: string) => {
    const parts = (rest + text).split('\n');
    rest = parts.pop()!;
    for (const line of parts) {
      lines.push(line);
      onLine(line, () => running.kill('SIGKILL'));
    }
  });
  return new Promise((resolve, reject) => {
    running.once('error', reject);
    running.once('close', (_code, signal) => resolve({ lines, signal }));
  });
}

/** `good`, or the code of the error that the loader would end with. */
function state({ pin, env }: Bench): string {
  try {
    locateRuntime({ pin, env: { ...env, TFE_NODE_VERIFY: 'full' }, platform: PLATFORM });
    return 'good';
  } catch (error) {
    return String((error as { code: unknown }).code);
  }
}

function stagingFolders({ parent }: Bench): string[] {
  return existsSync(parent) ? readdirSync(parent).filter((name) => name.startsWith('.')) : [];
}

async function installAgain({ pin, env, task }: Bench): Promise<string> {
  const result = await installRuntime({ pin, env, platform: PLATFORM, wheel: task.wheel });
  return result.outcome;
}

const STEPS = [
  'stage',
  `hash ${WHEEL_FILE}`,
  `extract ${FRAMEWORK}`,
  `extract ${CC}`,
  'extract LICENSE',
  'extract THIRD_PARTY_NOTICES.txt',
  'seal',
];

describe('an installation that is killed', () => {
  test.each(STEPS)('at the step %s leaves no copy, and the next one cleans up', async (step) => {
    const made = bench();
    const { signal } = await child({ ...made.task, stopAt: step }, (line, kill) => {
      if (line === step) kill();
    });
    expect(signal).toBe('SIGKILL');
    expect(state(made)).toBe('TFE_RUNTIME_NOT_INSTALLED');
    expect(stagingFolders(made)).toHaveLength(1);

    expect(await installAgain(made)).toBe('installed');
    expect(state(made)).toBe('good');
    expect(stagingFolders(made)).toEqual([]);
  });

  test('after the last step leaves the good copy', async () => {
    const made = bench();
    await child({ ...made.task, stopAt: 'placed' }, (line, kill) => {
      if (line === 'placed') kill();
    });
    expect(state(made)).toBe('good');
    expect(await installAgain(made)).toBe('present');
  });

  test.each([...STEPS, 'aside', 'placed'])(
    'at the step %s while it replaces a good copy leaves a good copy or none',
    async (step) => {
      const made = bench();
      await installAgain(made);
      await child({ ...made.task, force: true, stopAt: step }, (line, kill) => {
        if (line === step) kill();
      });
      // Between moving the old copy aside and placing the new one there is none, for one system call.
      expect(state(made)).toBe(step === 'aside' ? 'TFE_RUNTIME_NOT_INSTALLED' : 'good');
      expect(['installed', 'present']).toContain(await installAgain(made));
      expect(state(made)).toBe('good');
    },
  );

  test('at any moment leaves a good copy or none', async () => {
    for (let delay = 0; delay < 120; delay += 15) {
      const made = bench();
      await child(made.task, (line, kill) => {
        if (line === 'check') setTimeout(kill, delay);
      });
      expect(['good', 'TFE_RUNTIME_NOT_INSTALLED']).toContain(state(made));
    }
  });
});

describe('two installations at once', () => {
  test.each([false, true])('leave one good copy (force: %s)', async (force) => {
    const made = bench();
    const file = join(made.root, 'go');
    let ready = 0;
    // Both have a finished folder before either may put it into place.
    const onLine = (line: string): void => {
      if (line === 'seal') ready += 1;
      if (ready === 2) writeFileSync(file, '');
    };
    const task: ChildTask = { ...made.task, force, gate: { step: 'seal', file } };
    const outcomes = await Promise.all([child(task, onLine), child(task, onLine)]);

    const last = outcomes.map(({ lines }) => lines.at(-1)!).sort();
    // With force the second may replace the first's copy, or find that it is newer than its own start.
    expect(last).toEqual([
      'outcome installed',
      force ? expect.stringMatching(/^outcome (?:installed|present)$/u) : 'outcome present',
    ]);
    expect(state(made)).toBe('good');
    expect(stagingFolders(made)).toEqual([]);
  });

  test('do not sweep each other away', async () => {
    const made = bench();
    const file = join(made.root, 'go');
    const slow = child({ ...made.task, gate: { step: 'seal', file } }, (line) => {
      // The second begins, and so sweeps, while the first stands still with everything unpacked.
      if (line === 'seal') void child(made.task).then(() => writeFileSync(file, ''));
    });
    expect((await slow).lines.at(-1)).toBe('outcome present');
    expect(state(made)).toBe('good');
    expect(stagingFolders(made)).toEqual([]);
  });
});

describe('a process that loads while the copy is replaced', () => {
  test('finds the old copy, the new one, or for a moment none, but never a mixture', async () => {
    const made = bench();
    await installAgain(made);
    const seen = new Set<string>();
    let running = true;
    const look = (): void => {
      for (let times = 0; times < 50; times += 1) {
        try {
          locateRuntime({ pin: made.pin, env: made.env, platform: PLATFORM });
          seen.add('good');
        } catch (error) {
          seen.add(String((error as { code: unknown }).code));
        }
      }
      if (running) setImmediate(look);
    };
    look();
    for (let times = 0; times < 4; times += 1) await child({ ...made.task, force: true });
    running = false;
    seen.delete('TFE_RUNTIME_NOT_INSTALLED');
    expect([...seen]).toEqual(['good']);
  });
});

describe('sweeping staging folders', () => {
  test('leaves those of a living process', async () => {
    const parent = scratch();
    const staging = await makeStaging(parent);
    expect(await sweepStaging(parent)).toEqual([]);
    expect(existsSync(staging)).toBe(true);
  });

  test("removes one whose process id now is another process's", async () => {
    const parent = scratch();
    const name = (await makeStaging(parent)).slice(parent.length + 1);
    const [, pid, start, machine] = /-(\d+)-(\d+)-([0-9a-f]{8})-/u.exec(name)!;
    // The same id with another start time; only Linux tells start times.
    const reused = `.tfe-node-staging-${pid}-${Number(start) + 1}-${machine}-00000000`;
    mkdirSync(join(parent, reused));
    expect(await sweepStaging(parent)).toEqual(process.platform === 'linux' ? [reused] : []);
  });

  // Only Linux tells that a process is dead and not yet buried.
  (process.platform === 'linux' ? test : test.skip)(
    'removes one whose process was killed and is still in the table',
    async () => {
      const parent = scratch();
      const name = (await makeStaging(parent)).slice(parent.length + 1);
      const [, , , machine] = /-(\d+)-(\d+)-([0-9a-f]{8})-/u.exec(name)!;
      // The shell becomes a program that never asks how its child ended.
      const keeper = spawn('/bin/sh', ['-c', 'sleep 0 & echo $!; exec sleep 60']);
      try {
        const pid = await new Promise<string>((resolve) =>
          keeper.stdout.once('data', (text: Buffer) => resolve(String(text).trim())),
        );
        const state = () => readFileSync(`/proc/${pid}/stat`, 'latin1').replace(/.*\) /u, '')[0];
        while (state() !== 'Z') await delay(10);
        const dead = `.tfe-node-staging-${pid}-0-${machine}-00000000`;
        mkdirSync(join(parent, dead));
        expect(await sweepStaging(parent)).toEqual([dead]);
      } finally {
        keeper.kill('SIGKILL');
      }
    },
  );

  // As root nothing keeps a folder from being removed.
  test('does not say that it removed what it could not', () => {
    const parent = scratch();
    const abandoned = join(parent, '.tfe-node-staging-1-1-00000000-00000000');
    mkdirSync(join(abandoned, 'kept'), { recursive: true });
    const yesterday = Date.now() / 1000 - 25 * 60 * 60;
    utimesSync(abandoned, yesterday, yesterday);
    chmodSync(parent, 0o755);
    chmodSync(abandoned, 0o555);
    const nobody = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
    const { stdout } = spawnSync(
      process.execPath,
      [
        '--require',
        REGISTER,
        '-e',
        `require(${JSON.stringify(join(__dirname, '../../lib/native/staging.ts'))})
           .sweepStaging(${JSON.stringify(parent)}).then((names) => console.log(JSON.stringify(names)))`,
      ],
      { encoding: 'utf8', ...nobody },
    );
    expect(stdout).toBe('[]\n');
    chmodSync(abandoned, 0o755);
  });

  test('leaves those of another machine or container for a day', async () => {
    const parent = scratch();
    const name = `.tfe-node-staging-1-1-00000000-00000000`;
    mkdirSync(join(parent, name));
    expect(await sweepStaging(parent)).toEqual([]);
    const yesterday = Date.now() / 1000 - 25 * 60 * 60;
    utimesSync(join(parent, name), yesterday, yesterday);
    expect(await sweepStaging(parent)).toEqual([name]);
  });

  test('touches nothing else', async () => {
    const parent = scratch();
    for (const name of ['linux-x86_64', '.tfe-node-staging-', '.tfe-node-staging-1-1-zz-00']) {
      mkdirSync(join(parent, name));
    }
    expect(await sweepStaging(parent)).toEqual([]);
    expect(readdirSync(parent)).toHaveLength(3);
  });
});

describe('the load path', () => {
  test('loads no bundled dependency but the schema checks, and those only when it reads a file', async () => {
    const script = join(scratch(), 'probe.ts');
    const lib = join(__dirname, '../../lib/native');
    writeFileSync(
      script,
      `require(${JSON.stringify(join(lib, 'paths'))});
       require(${JSON.stringify(join(lib, 'platforms'))});
       require(${JSON.stringify(join(lib, 'pin'))});
       require(${JSON.stringify(join(lib, 'manifest'))});
       const { locateRuntime } = require(${JSON.stringify(join(lib, 'locate'))});
       const vendor = () => Object.keys(require.cache).filter((name) => name.includes('/lib/vendor/')).map((name) => name.replace(/.*vendor./u, ''));
       const before = vendor();
       try { locateRuntime({ env: { XDG_CACHE_HOME: '/nowhere' } }); } catch {}
       console.log(JSON.stringify([before, vendor()]));`,
    );
    const probe = spawn(process.execPath, ['--require', REGISTER, script]);
    let text = '';
    probe.stdout.setEncoding('utf8').on('data', (part: string) => (text += part));
    await new Promise((resolve) => probe.once('close', resolve));
    expect(JSON.parse(text)).toEqual([[], ['valibot.ts']]);
  });
});
