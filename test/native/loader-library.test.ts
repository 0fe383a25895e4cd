/**
 * Opening the library, step by step, with stub libraries that are right in everything but one thing. One process per
 * case: what is mapped stays mapped.
 */
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import { buildPrograms, expectEnding, type ChildOptions } from '../helpers/child';
import { CC, FRAMEWORK } from '../helpers/fake-wheel';
import {
  bystander,
  stubLibrary,
  SYMBOLS,
  VERSION,
  type StubLibrary,
  type StubOptions,
} from '../helpers/stub-library';
import type { Step } from '../process/programs/open';

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'tfe-node-test-')));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const programs = buildPrograms(join(folder, 'package'));

let built = 0;
const stub = (options?: StubOptions): StubLibrary =>
  stubLibrary(join(folder, `stub-${(built += 1)}`), options);
const good = stub();

const open = ({ cc, framework }: { cc: string; framework: string }, version?: string): Step => ({
  open: { cc, framework, ...(version === undefined ? {} : { version }) },
});

/** What each step answered. The process itself must end well, whatever was refused. */
function answers(steps: readonly Step[], options?: ChildOptions): readonly unknown[] {
  const ending = programs.run('open', steps, options);
  expectEnding(ending, 0);
  return ending.said;
}

const OPENED = { reused: false };
const error = (code: string, facts: Record<string, unknown>): unknown =>
  expect.objectContaining({ code, facts });

test('the table of native/abi.h is read whole', () => {
  expect(SYMBOLS.get('TF_Version')).toBe('Cc');
  expect(SYMBOLS.get('TF_NewStatus')).toBe('Framework');
  const declared = readFileSync(join(__dirname, '../../native/abi.h'), 'utf8').match(/^ +X\(/gm);
  expect(SYMBOLS.size).toBe(declared!.length);
});

test('a library that is right in everything opens, and again in the same process', () => {
  expect(answers([open(good), { library: true }, open(good)])).toEqual([
    OPENED,
    {
      library: {
        version: VERSION,
        ccPath: good.cc,
        frameworkPath: good.framework,
        devices: [],
      },
    },
    OPENED,
  ]);
});

test('before the library is open nothing can be made, and none is known', () => {
  expect(answers([{ use: true }, { library: true }])).toEqual([
    error('TFE_LIBRARY_NOT_OPEN', {}),
    { library: null },
  ]);
});

describe('the version', () => {
  test.each([
    ['another version', '2.20.0', '2.20.0'],
    ['a longer version', '2.21.0-rc1', '2.21.0-rc1'],
    ['nothing at all', null, 'nothing'],
  ])('%s is refused', (_name, version, found) => {
    const library = stub({ version });
    expect(answers([open(library)])).toEqual([
      error('TFE_LIBRARY_VERSION', { path: library.cc, expected: VERSION, found }),
    ]);
  });

  test('is checked before the other symbols: "wrong version" says more than "symbol missing"', () => {
    const library = stub({ version: '2.4.0', missing: ['TFE_Execute', 'TF_NewStatus'] });
    expect(answers([open(library)])).toEqual([
      error('TFE_LIBRARY_VERSION', { path: library.cc, expected: VERSION, found: '2.4.0' }),
    ]);
  });

  test('a second caller that is pinned to another version does not get the open library', () => {
    expect(answers([open(good), open(good, '2.22.0'), open(good)])).toEqual([
      OPENED,
      error('TFE_LIBRARY_VERSION', { path: good.cc, expected: '2.22.0', found: VERSION }),
      OPENED,
    ]);
  });
});

describe('the symbols', () => {
  test.each(['TF_Version', 'TFE_NewContext', 'TFE_Execute', 'TF_NewStatus', 'TF_TensorByteSize'])(
    '%s must be there',
    (symbol) => {
      const library = stub({ missing: [symbol] });
      const path = SYMBOLS.get(symbol) === 'Cc' ? library.cc : library.framework;
      expect(answers([open(library)])).toEqual([error('TFE_SYMBOL_MISSING', { symbol, path })]);
    },
  );

  // dlsym finds it: it also searches what an image depends on.
  test.each(['TF_Version', 'TFE_Execute'])('%s must not be the other image’s', (symbol) => {
    const library = stub({ misplaced: [symbol] });
    expect(answers([open(library)])).toEqual([
      error('TFE_SYMBOL_WRONG_IMAGE', {
        symbol,
        expected: library.cc,
        found: library.framework,
      }),
    ]);
  });

  test('a symbol of the lower image that only the upper one exports is missing', () => {
    const library = stub({ misplaced: ['TF_NewStatus'] });
    expect(answers([open(library)])).toEqual([
      error('TFE_SYMBOL_MISSING', { symbol: 'TF_NewStatus', path: library.framework }),
    ]);
  });
});

describe('a file that cannot be opened', () => {
  const broken = join(folder, 'broken');
  mkdirSync(join(broken, 'directory'), { recursive: true });
  const text = join(broken, 'text.so');
  writeFileSync(text, 'This is not a library.\n'.repeat(100));
  const truncated = join(broken, 'truncated.so');
  writeFileSync(truncated, readFileSync(good.cc).subarray(0, 1000));
  const empty = join(broken, 'empty.so');
  writeFileSync(empty, '');
  const absent = join(broken, 'absent.so');

  const cases: readonly (readonly [name: string, path: string, reason: RegExp])[] = [
    ['text', text, /invalid ELF header/],
    ['a truncated image', truncated, /the file is truncated/],
    ['an empty file', empty, /file too short/],
    ['a directory', join(broken, 'directory'), /directory/i],
    ['no file', absent, /No such file/],
    ['an empty path', '', /No such file/],
  ];

  test.each(cases)(
    '%s is refused in either place, and harms no later attempt',
    (_name, path, reason) => {
      const refused = error('TFE_LIBRARY_OPEN_FAILED', {
        path,
        reason: expect.stringMatching(reason),
      });
      const steps = [
        open({ cc: good.cc, framework: path }),
        open({ cc: path, framework: good.framework }),
        open(good),
      ];
      expect(answers(steps)).toEqual([refused, refused, OPENED]);
    },
  );

  test('an image cut anywhere is refused, not mapped', () => {
    const image = readFileSync(good.cc);
    const cuts = [20, 63, 64, 65, 200, 600, 4095, 4096, 4097, 8192];
    const steps = cuts.map((size) => {
      const path = join(broken, `cut-${size}.so`);
      writeFileSync(path, image.subarray(0, size));
      return open({ cc: path, framework: good.framework });
    });
    expect(answers([...steps, open(good)])).toEqual([
      ...cuts.map(() => expect.objectContaining({ code: 'TFE_LIBRARY_OPEN_FAILED' })),
      OPENED,
    ]);
  });

  test('a NUL in a path does not hide its end', () => {
    expect(answers([open({ cc: `${good.cc}\0.txt`, framework: good.framework })])).toEqual([
      error('TFE_BINDING_ARGUMENT', { function: 'open', expected: 'a string without NUL' }),
    ]);
  });
});

describe('the CPU', () => {
  test.each(['tfe_no_such_flag', '', 'AVX'])('a flag that it lacks is named: "%s"', (flag) => {
    expect(answers([{ open: { ...good, flags: ['avx', flag] } }, open(good)])).toEqual([
      error('TFE_CPU_UNSUPPORTED', { flag: expect.any(String) }),
      OPENED,
    ]);
  });

  test('it is looked at before a file is touched', () => {
    const nowhere = { cc: '/nowhere/cc', framework: '/nowhere/framework' };
    expect(answers([{ open: { ...nowhere, flags: ['tfe_no_such_flag'] } }])).toEqual([
      error('TFE_CPU_UNSUPPORTED', { flag: 'tfe_no_such_flag' }),
    ]);
  });
});

describe('a second TensorFlow in the process', () => {
  const elsewhere = join(folder, 'elsewhere');

  test.each(['libtensorflow.so.2', CC, FRAMEWORK, '_pywrap_tensorflow_internal.so'])(
    '%s, mapped before, is refused by name',
    (file) => {
      const other = bystander(elsewhere, file);
      expect(answers([{ map: other }, open(good), open(good)])).toEqual([
        { mapped: other },
        error('TFE_LIBRARY_CONFLICT', { mapped: other, wanted: good.cc }),
        error('TFE_LIBRARY_CONFLICT', { mapped: other, wanted: good.cc }),
      ]);
    },
  );

  test('one that was preloaded is refused by name', () => {
    const other = stub();
    const env = { LD_PRELOAD: other.framework };
    expect(answers([open(good)], { env })).toEqual([
      error('TFE_LIBRARY_CONFLICT', { mapped: other.framework, wanted: good.cc }),
    ]);
  });

  test('an image of another name is none of ours', () => {
    const other = bystander(elsewhere, 'libsomething.so');
    expect(answers([{ map: other }, open(good)])).toEqual([{ mapped: other }, OPENED]);
  });

  test('after the library is open, another path is refused and the same one is not', () => {
    const other = stub();
    const mixed = { cc: good.cc, framework: other.framework };
    expect(answers([open(good), open(other), open(mixed), open(good)])).toEqual([
      OPENED,
      error('TFE_LIBRARY_CONFLICT', { mapped: good.cc, wanted: other.cc }),
      error('TFE_LIBRARY_CONFLICT', { mapped: good.cc, wanted: good.cc }),
      OPENED,
    ]);
  });

  test('what a refused library left mapped is a conflict for the right one, not a crash', () => {
    const wrong = stub({ version: '2.20.0' });
    expect(answers([open(wrong), open(good)])).toEqual([
      error('TFE_LIBRARY_VERSION', { path: wrong.cc, expected: VERSION, found: '2.20.0' }),
      error('TFE_LIBRARY_CONFLICT', {
        mapped: expect.stringContaining(wrong.directory),
        wanted: good.cc,
      }),
    ]);
  });
});

describe('the same library, mapped before', () => {
  test('is reused', () => {
    const env = { LD_PRELOAD: `${good.framework} ${good.cc}` };
    expect(answers([open(good), open(good)], { env })).toEqual([
      { reused: true },
      { reused: true },
    ]);
  });

  test('is not called reused when only one image was', () => {
    expect(answers([open(good)], { env: { LD_PRELOAD: good.framework } })).toEqual([OPENED]);
  });
});

test('a context that TensorFlow refuses is an error with its status, and may be tried again', () => {
  const library = stub({ status: 13 });
  const refused = {
    code: 'TFE_CONTEXT_FAILED',
    facts: { reason: 'the stub refuses', configured: '' },
    message: expect.stringContaining('eager context: the stub refuses.'),
    tfStatus: { code: 13, name: 'INTERNAL', message: 'the stub refuses' },
  };
  expect(answers([open(library), { library: true }, { library: true }])).toEqual([
    OPENED,
    refused,
    refused,
  ]);
});
