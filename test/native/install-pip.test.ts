/** Fetching the wheel through pip. The pips here are shell scripts, so that nothing is downloaded. */
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { installRuntime, type InstallEvent, type InstallOptions } from '../../lib/native/install';
import { fakeWheel, PLATFORM, sha256, WHEEL_FILE } from '../helpers/fake-wheel';
import { cleanScratchAfterEach, scratch, tree } from '../helpers/scratch';

cleanScratchAfterEach();

/** Answers `--version` as pip does, and reads `-d`. */
const PIP = `case "$*" in *--version*) echo "pip 99.1 from /somewhere (python 3.11)"; exit 0;; esac
while [ $# -gt 0 ]; do if [ "$1" = -d ]; then directory=$2; fi; shift; done
`;

/** pip 23.2.1's own output without a network, shortened. */
const NO_NETWORK = `echo "WARNING: Retrying (Retry(total=0, connect=None, read=None, redirect=None, status=None)) after connection broken by 'NewConnectionError('<pip._vendor.urllib3.connection.HTTPSConnection object at 0x7f>: Failed to establish a new connection: [Errno -3] Temporary failure in name resolution')': /simple/tensorflow-cpu/" >&2
echo "ERROR: Could not find a version that satisfies the requirement tensorflow-cpu==2.21.0 (from versions: none)" >&2
echo "ERROR: No matching distribution found for tensorflow-cpu==2.21.0" >&2
exit 1
`;

interface Bench {
  readonly root: string;
  readonly bin: string;
  readonly cache: string;
  readonly wheel: string;
  readonly script: (name: string, body: string) => string;
  readonly install: (
    env?: Record<string, string>,
    options?: InstallOptions,
  ) => ReturnType<typeof installRuntime>;
}

function bench(): Bench {
  const fake = fakeWheel();
  const root = scratch();
  const bin = join(root, 'bin');
  const cache = join(root, 'cache');
  const wheel = join(root, 'served.whl');
  mkdirSync(bin);
  writeFileSync(wheel, fake.wheel);
  return {
    root,
    bin,
    cache,
    wheel,
    script: (name, body) => {
      const path = join(bin, name);
      writeFileSync(path, `#!/bin/sh\n${body}`);
      chmodSync(path, 0o755);
      return path;
    },
    install: (env, options) =>
      installRuntime({
        platform: PLATFORM,
        pin: fake.pin,
        // Nothing of the machine's own: there may be a real pip.
        env: { XDG_CACHE_HOME: cache, PATH: bin, ...env },
        ...options,
      }),
  };
}

function leftovers(cache: string): string[] {
  if (!existsSync(cache)) return [];
  return tree(cache).filter((path) => !path.endsWith('/') || path.includes('staging'));
}

describe('fetching with pip', () => {
  test('asks for the exact wheel, whatever the Python that runs pip', async () => {
    const { root, wheel, script, install } = bench();
    script(
      'pip',
      `echo "$@" >> ${root}/asked\n${PIP}/bin/cp ${wheel} "$directory/${WHEEL_FILE}"\n`,
    );
    expect((await install()).outcome).toBe('installed');
    const [, asked] = readFileSync(join(root, 'asked'), 'utf8').split('\n');
    expect(asked).toMatch(
      /^download --no-deps --only-binary=:all: --python-version 311 --implementation cp --abi cp311 --platform manylinux_2_27_x86_64 -d \S+\/wheel tensorflow-cpu==2\.21\.0 /u,
    );
    // There is no terminal here, so no bar and no question.
    expect(asked).toContain('--no-input --progress-bar off');
  });

  test('hands on what pip says, line by line, and which pip it is', async () => {
    const { wheel, script, install } = bench();
    script(
      'pip',
      `${PIP}echo Collecting; echo careful >&2\n/bin/cp ${wheel} "$directory/${WHEEL_FILE}"\n`,
    );
    const events: InstallEvent[] = [];
    await install({}, { report: (event) => events.push(event) });
    expect(events).toContainEqual(expect.objectContaining({ step: 'fetch', pip: 'pip 99.1' }));
    expect(events).toContainEqual({ step: 'output', text: 'Collecting' });
    expect(events).toContainEqual({ step: 'output', text: 'careful' });
  });

  test.each([
    ['pip', []],
    ['pip3', ['pip']],
    ['python3', ['pip', 'pip3']],
    ['python', ['pip', 'pip3', 'python3']],
  ])('uses %s when those before it do not run', async (works, broken) => {
    const { wheel, script, install } = bench();
    for (const name of broken) script(name, 'echo "version 3.11 is not installed" >&2\nexit 127\n');
    script(works, `${PIP}/bin/cp ${wheel} "$directory/${WHEEL_FILE}"\n`);
    expect((await install()).outcome).toBe('installed');
  });

  test('runs the command that TFE_NODE_PIP gives, and no other', async () => {
    const { root, wheel, script, install } = bench();
    const own = script(
      'mine',
      `echo "$1 $2" > ${root}/first\n${PIP}/bin/cp ${wheel} "$directory/${WHEEL_FILE}"\n`,
    );
    script('pip', 'exit 1\n');
    expect((await install({ TFE_NODE_PIP: `${own} -m pip` })).outcome).toBe('installed');
    expect(readFileSync(join(root, 'first'), 'utf8')).toBe('-m pip\n');
  });

  test('takes TFE_NODE_PIP as one path when a file of that name exists, blanks and all', async () => {
    const { wheel, script, install } = bench();
    const own = script('my own pip', `${PIP}/bin/cp ${wheel} "$directory/${WHEEL_FILE}"\n`);
    expect((await install({ TFE_NODE_PIP: own })).outcome).toBe('installed');
  });

  test('takes a program that is no pip for none', async () => {
    const { script, install } = bench();
    script('pip', 'echo "uv 0.5"\n');
    await expect(install()).rejects.toMatchObject({ code: 'TFE_PIP_NOT_FOUND' });
  });
});

describe('when pip does not serve', () => {
  test('a missing pip is named with the ways out', async () => {
    const { cache, install } = bench();
    await expect(install()).rejects.toMatchObject({
      code: 'TFE_PIP_NOT_FOUND',
      facts: { tried: ['pip', 'pip3', 'python3 -m pip', 'python -m pip'] },
      hint: expect.stringMatching(
        /apt-get install python3-pip.*TFE_NODE_PIP.*--wheel tensorflow_cpu/u,
      ),
    });
    expect(leftovers(cache)).toEqual([]);
  });

  test('a missing network is told from other failures, with the command for a machine that has one', async () => {
    const { cache, script, install } = bench();
    script('pip', PIP + NO_NETWORK);
    await expect(install()).rejects.toMatchObject({
      code: 'TFE_PIP_NO_NETWORK',
      message: expect.stringContaining('Temporary failure in name resolution'),
      facts: expect.objectContaining({
        command:
          'pip download --no-deps --only-binary=:all: --python-version 311 --implementation cp --abi cp311 --platform manylinux_2_27_x86_64 -d . tensorflow-cpu==2.21.0',
      }),
    });
    expect(leftovers(cache)).toEqual([]);
  });

  test('any other failure carries the end of what pip said', async () => {
    const { cache, script, install } = bench();
    script('pip', `${PIP}echo "ERROR: Invalid requirement" >&2\nexit 3\n`);
    await expect(install()).rejects.toMatchObject({
      code: 'TFE_PIP_FAILED',
      message: expect.stringMatching(/ended with exit code 3 [^]*ERROR: Invalid requirement/u),
    });
    expect(leftovers(cache)).toEqual([]);
  });

  test('a pip that is killed is said to be', async () => {
    const { script, install } = bench();
    script('pip', `${PIP}kill -9 $$\n`);
    await expect(install()).rejects.toMatchObject({
      code: 'TFE_PIP_FAILED',
      facts: expect.objectContaining({ outcome: 'was ended by SIGKILL' }),
    });
  });

  test.each([
    ['nothing', '', /it left nothing/u],
    ['another wheel', `: > "$directory/other.whl"\n`, /it left other\.whl/u],
  ])('a success that leaves %s is an error', async (_what, body, message) => {
    const { cache, script, install } = bench();
    script('pip', PIP + body);
    await expect(install()).rejects.toMatchObject({
      code: 'TFE_PIP_NO_WHEEL',
      message: expect.stringMatching(message),
    });
    expect(leftovers(cache)).toEqual([]);
  });

  test('a mirror that serves another file under the name is found out', async () => {
    const { cache, wheel, script, install } = bench();
    const altered = readFileSync(wheel);
    altered[100]! ^= 1;
    writeFileSync(wheel, altered);
    script('pip', `${PIP}/bin/cp ${wheel} "$directory/${WHEEL_FILE}"\n`);
    await expect(install()).rejects.toMatchObject({
      code: 'TFE_WHEEL_HASH',
      facts: expect.objectContaining({ sha256: sha256(altered) }),
    });
    expect(leftovers(cache)).toEqual([]);
  });

  test('an interrupt ends pip and removes what it had written', async () => {
    const { root, cache, script, install } = bench();
    script(
      'pip',
      `${PIP}echo part > "$directory/part"\necho $$ > ${root}/pid\necho begun\nexec /bin/sleep 60\n`,
    );
    const controller = new AbortController();
    const began = Date.now();
    await expect(
      install(
        {},
        {
          signal: controller.signal,
          report: (event) => {
            if (event.step === 'output' && event.text === 'begun') controller.abort();
          },
        },
      ),
    ).rejects.toMatchObject({ code: 'TFE_INSTALL_INTERRUPTED' });
    expect(Date.now() - began).toBeLessThan(20_000);
    expect(() => process.kill(Number(readFileSync(join(root, 'pid'), 'utf8')), 0)).toThrow('ESRCH');
    expect(leftovers(cache)).toEqual([]);
  });
});
