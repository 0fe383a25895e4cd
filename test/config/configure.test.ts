/** One configuration for a process, before the library is opened. One child process a case. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { configure } from 'tfe-node';
import { DEFAULTS } from '../../lib/config/configure';
import { requireBinding } from '../../lib/native/binding';
import { oneDnnByDefault } from '../../lib/native/cpu';
import { ADDON, testPrograms, expectEnding } from '../helpers/child';
import { cleanScratchAfterEach, scratch } from '../helpers/scratch';
import type { ConfigureStep } from '../process/programs/configure';
import { codeOf } from '../tensor/accounting';

cleanScratchAfterEach();

const programs = testPrograms();

/** What test/helpers/child.ts sets: TF_CPP_MIN_LOG_LEVEL. */
const IN_ENVIRONMENT = { logLevel: 'error' };

function said(...steps: readonly ConfigureStep[]): readonly unknown[] {
  const ending = programs.run('configure', steps);
  expectEnding(ending, 0);
  return ending.said;
}

describe('configure()', () => {
  test('reaches TensorFlow, its environment, and status()', () => {
    const options = { deviceCount: { CPU: 2 }, oneDnn: false, intraOpThreads: 1 };
    expect(said({ configure: options }, { use: true })[1]).toEqual({
      devices: 2,
      oneDnn: '0',
      configuration: { ...DEFAULTS, ...IN_ENVIRONMENT, ...options },
    });
  });

  test('leaves everything alone when nobody calls it', () => {
    expect(said({ use: true })).toEqual([
      { devices: 1, oneDnn: null, configuration: { ...DEFAULTS, oneDnn: true, ...IN_ENVIRONMENT } },
    ]);
  });

  test('is too late once the library is open, unless it says the same', () => {
    const same = { configure: { intraOpThreads: 1, logLevel: 'error' } };
    const [, , again, other] = said(
      same,
      { use: true },
      { configure: { logLevel: 'error', intraOpThreads: 1 } },
      { configure: { intraOpThreads: 2 } },
    );
    expect(again).toHaveProperty('configured');
    expect(other).toMatchObject({ code: 'TFE_CONFIGURE_LATE' });
  });

  test('is neither too late nor a conflict where it changes nothing', () => {
    const asIs = [
      {},
      { asyncThreads: 1 },
      { asyncQueue: DEFAULTS.asyncQueue, memoryBudget: { tensors: 10 } },
      { intraOpThreads: 0, softPlacement: false, deviceFilters: [], logLevel: 'error' },
      { gpu: { allowGrowth: true } },
      { gpu: { allowGrowth: true, memoryFraction: 0.5 }, oneDnn: true },
    ].map((configure) => ({ configure }));
    const others = [
      { asyncThreads: 4 },
      { memoryBudget: { tensors: 10, bytes: 1 } },
      { intraOpThreads: 1 },
      { gpu: { allowGrowth: false } },
      { logLevel: 'info' },
      { oneDnn: false },
    ].map((configure) => ({ configure }));
    const first = {
      configure: {
        asyncThreads: 1,
        memoryBudget: { tensors: 10 },
        gpu: { allowGrowth: true, memoryFraction: 0.5 },
      },
    };
    const done = asIs.map(() => ({ configured: expect.anything() }));
    const [, ...before] = said(first, ...asIs, ...others);
    expect(before).toMatchObject([
      ...done,
      ...others.map(() => ({ code: 'TFE_CONFIGURE_CONFLICT' })),
    ]);
    const [, , ...after] = said(first, { use: true }, ...asIs, ...others);
    expect(after).toMatchObject([...done, ...others.map(() => ({ code: 'TFE_CONFIGURE_LATE' }))]);
  });

  test('without options decides nothing', () => {
    const [, second] = said({ configure: {} }, { configure: { asyncThreads: 1 } });
    expect(second).toMatchObject({ configured: { asyncThreads: 1 } });
  });

  test('that TensorFlow cannot make a context with is named', () => {
    const [, error] = said({ configure: { deviceFilters: ['/nonsense'] } }, { use: true });
    expect(error).toMatchObject({
      code: 'TFE_CONTEXT_FAILED',
      message: expect.stringMatching(
        /\{"deviceFilters":\["\/nonsense"\]\}: Invalid device filter: \/nonsense\. One of these/,
      ),
    });
  });

  test.each([
    ['error', undefined, oneDnnByDefault() === true ? 2 : 0],
    ['error', '0', 0],
    ['error', '1', 2],
  ])(
    'logLevel %p with TF_ENABLE_ONEDNN_OPTS=%s leaves %i lines at the start',
    (logLevel, oneDnn, lines) => {
      const env = {
        TF_CPP_MIN_LOG_LEVEL: '',
        ...(oneDnn === undefined ? {} : { TF_ENABLE_ONEDNN_OPTS: oneDnn }),
      };
      const ending = programs.run('configure', [{ configure: { logLevel } }, { use: true }], {
        env,
      });
      expectEnding(ending, 0);
      const written = ending.stderr.split('\n').filter((line) => line !== '');
      expect(written).toEqual(
        ['absl::InitializeLog()', 'oneDNN custom operations are on']
          .slice(0, lines)
          .map((text) => expect.stringContaining(text)),
      );
    },
  );

  test.each([
    ['false', false],
    ['False', false],
    ['0', false],
    ['1', true],
    ['TRUE', true],
    ['no', oneDnnByDefault()],
    ['', oneDnnByDefault()],
  ])('TF_ENABLE_ONEDNN_OPTS=%s means oneDnn %p to TensorFlow and to status()', (value, oneDnn) => {
    const ending = programs.run('configure', [{ use: true }, { configure: { oneDnn } }], {
      env: { TF_ENABLE_ONEDNN_OPTS: value, TF_CPP_MIN_LOG_LEVEL: '' },
    });
    expectEnding(ending, 0);
    expect(ending.stderr.includes('oneDNN custom operations are on')).toBe(oneDnn);
    expect(ending.said).toMatchObject([{ configuration: { oneDnn } }, { configured: { oneDnn } }]);
  });

  // What the processors do is port.cc's; the rows above hold TensorFlow's own word against this machine's.
  test.each([
    ['linux', 'x64', 'flags\t\t: fpu avx avx2 avx512f\n', false],
    ['linux', 'x64', 'flags\t\t: fpu avx avx512_vnni\n', true],
    ['linux', 'x64', 'flags\t\t: fpu avx avx_vnni\n', true],
    ['linux', 'x64', 'flags\t\t: fpu avx amx_tile amx_int8 amx_bf16\n', true],
    ['linux', 'x64', 'processor\t: 0\n', null],
    ['linux', 'arm64', 'CPU implementer\t: 0x41\nCPU part\t: 0xd40\n', true],
    ['linux', 'arm64', 'CPU implementer\t: 0x41\nCPU part\t: 0xd0c\n', false],
    ['linux', 'arm64', 'CPU implementer\t: 0x61\nCPU part\t: 0xd40\n', false],
    ['linux', 'arm64', 'processor\t: 0\n', null],
    ['darwin', 'arm64', '', false],
  ])('on %s %s with %j oneDNN is %p by default', (platform, arch, text, expected) => {
    const path = join(scratch(), 'cpuinfo');
    writeFileSync(path, text);
    expect(oneDnnByDefault(platform, arch, path)).toBe(expected);
  });

  test('holds for workers: the first one wins, another one is refused', () => {
    const first = { configure: { asyncThreads: 1 } };
    const other = { configure: { asyncThreads: 2 } };
    const [, ...inWorker] = said(first, { worker: [first, other, { use: true }] });
    expect(inWorker).toMatchObject([
      { configured: { asyncThreads: 1 } },
      { code: 'TFE_CONFIGURE_CONFLICT' },
      { configuration: { asyncThreads: 1 } },
    ]);
    expect(said({ worker: [first, { use: true }] }, other)[2]).toMatchObject({
      code: 'TFE_CONFIGURE_LATE',
    });
  });

  test('bounds what may wait or run off the loop', () => {
    const [, flooded] = said({ configure: { asyncThreads: 1, asyncQueue: 5 } }, { flood: 20 });
    expect(flooded).toEqual({ done: 5, refused: ['TFE_QUEUE_FULL'] });
  });

  test('sets the budget past which a thread warns, once', () => {
    const [, answer] = said({ configure: { memoryBudget: { tensors: 10 } } }, { hold: 40 });
    expect(answer).toEqual({ warnings: ['TFE_HANDLE_PRESSURE'], tensors: 40, budget: 10 });
  });

  test('has the defaults of the addon', () => {
    expect(requireBinding(ADDON).held()).toMatchObject({
      threads: DEFAULTS.asyncThreads,
      queue: DEFAULTS.asyncQueue,
      budgetHandles: DEFAULTS.memoryBudget.tensors,
      budgetBytes: DEFAULTS.memoryBudget.bytes,
    });
  });

  test.each([
    [null, 'TFE_OPTION_VALUE'],
    [[], 'TFE_OPTION_VALUE'],
    [{ threads: 1 }, 'TFE_OPTION_UNKNOWN'],
    [{ toString: 1 }, 'TFE_OPTION_UNKNOWN'],
    [{ intraOpThreads: -1 }, 'TFE_OPTION_VALUE'],
    [{ interOpThreads: 1.5 }, 'TFE_OPTION_VALUE'],
    [{ softPlacement: 1 }, 'TFE_OPTION_VALUE'],
    [{ logLevel: 'loud' }, 'TFE_OPTION_VALUE'],
    [{ deviceFilters: 'all' }, 'TFE_OPTION_VALUE'],
    [{ deviceFilters: ['a\0'] }, 'TFE_OPTION_VALUE'],
    [{ deviceFilters: ['nonsense'] }, 'TFE_OPTION_VALUE'],
    [{ deviceCount: { CPU: -1 } }, 'TFE_OPTION_VALUE'],
    [{ deviceCount: { CPU: 0 } }, 'TFE_OPTION_VALUE'],
    [{ deviceCount: { CPU: 1025 } }, 'TFE_OPTION_VALUE'],
    [{ deviceCount: { cpu: 2 } }, 'TFE_OPTION_VALUE'],
    [{ deviceCount: { '': 2 } }, 'TFE_OPTION_VALUE'],
    [{ intraOpThreads: 1025 }, 'TFE_OPTION_VALUE'],
    [{ interOpThreads: 2 ** 31 - 1 }, 'TFE_OPTION_VALUE'],
    [{ gpu: 1 }, 'TFE_OPTION_VALUE'],
    [{ gpu: { growth: true } }, 'TFE_OPTION_UNKNOWN'],
    [{ gpu: { memoryFraction: 0 } }, 'TFE_OPTION_VALUE'],
    [{ asyncThreads: 0 }, 'TFE_OPTION_VALUE'],
    [{ asyncQueue: 0 }, 'TFE_OPTION_VALUE'],
    [{ memoryBudget: { bytes: 'all' } }, 'TFE_OPTION_VALUE'],
  ])('refuses %j', (options, code) => {
    expect(codeOf(() => configure(options as never))).toBe(code);
  });
});
