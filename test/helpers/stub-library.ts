/**
 * Small libraries with TensorFlow's file names and symbols, for tests of the loader: built in the test run with the C
 * compiler, from the table of native/abi.h, so that the two cannot drift apart.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CC, FRAMEWORK } from './fake-wheel';

const ROOT = join(__dirname, '../..');
const SOURCES = join(ROOT, 'test/fixtures/stubs');

/** The pinned version, as `TF_Version()` of an honest library answers. */
export const VERSION = '2.21.0';

export type Image = 'Cc' | 'Framework';

/** Every C function that the addon resolves, with the image that must export it. */
export const SYMBOLS: ReadonlyMap<string, Image> = new Map(
  [
    ...readFileSync(join(ROOT, 'native/abi.h'), 'utf8').matchAll(/^ +X\((Cc|Framework), (\w+),/gm),
  ].map(([, image, name]) => [name!, image as Image]),
);

/** The functions of test/fixtures/stubs/objects.c. */
const OBJECTS = [
  ...readFileSync(join(SOURCES, 'objects.c'), 'utf8').matchAll(/^\S.*?\b(TFE?_\w+)\(/gm),
].map(([, name]) => name!);

export interface StubOptions {
  /** What `TF_Version()` answers; null: a NULL pointer. Default: the pinned version. */
  readonly version?: string | null;
  /** Exported by neither image. */
  readonly missing?: readonly string[];
  /** Exported by the other image instead of its own. */
  readonly misplaced?: readonly string[];
  /** The TF_Code that every status has. */
  readonly status?: number;
  /** Contexts count themselves on stderr, `contexts: 1`, and tell when their work is waited for. */
  readonly contexts?: boolean;
  /** Objects say on stderr when they are made and deleted: test/fixtures/stubs/objects.c. */
  readonly objects?: boolean;
}

export interface StubLibrary {
  readonly directory: string;
  readonly cc: string;
  readonly framework: string;
}

/** Builds both images in `directory`. */
export function stubLibrary(directory: string, options: StubOptions = {}): StubLibrary {
  const { missing = [], misplaced = [], version = VERSION } = options;
  const strange = [...missing, ...misplaced].filter((name) => !SYMBOLS.has(name));
  if (strange.length > 0) throw new Error(`not in native/abi.h: ${strange.join(', ')}`);

  const homeOf = (name: string): Image | null => {
    if (missing.includes(name)) return null;
    const own = SYMBOLS.get(name)!;
    if (!misplaced.includes(name)) return own;
    return own === 'Cc' ? 'Framework' : 'Cc';
  };
  /** Functions that do more than nothing, and the definition that makes the C source contain them. */
  const live: readonly (readonly [names: readonly string[], define: string])[] = [
    ...(options.objects === true
      ? (['Framework', 'Cc'] as const).map(
          (image, i) =>
            [OBJECTS.filter((name) => SYMBOLS.get(name) === image), `-DOBJECTS=${i + 1}`] as const,
        )
      : []),
    [
      ['TF_Version'],
      `-DSTUB_VERSION=${version === null ? '(const char*)0' : JSON.stringify(version)}`,
    ],
    ...(options.status === undefined
      ? []
      : [[['TF_GetCode', 'TF_Message'], `-DSTUB_STATUS=${options.status}`] as const]),
    ...(options.contexts === true
      ? [
          [
            ['TFE_NewContext', 'TFE_DeleteContext', 'TFE_ContextAsyncWait'],
            '-DSTUB_CONTEXTS',
          ] as const,
        ]
      : []),
  ];

  mkdirSync(directory, { recursive: true });
  const build = (image: Image, file: string, extra: readonly string[]): string => {
    const names = [...SYMBOLS.keys()].filter((name) => homeOf(name) === image);
    const defined = live.filter(([[first]]) => names.includes(first!));
    const alive = new Set(defined.flatMap(([functions]) => functions));
    const headers = join(directory, image);
    mkdirSync(headers, { recursive: true });
    writeFileSync(
      join(headers, 'symbols.h'),
      names
        .filter((name) => !alive.has(name))
        .map((name) => `STUB(${name})\n`)
        .join(''),
    );
    const defines = defined.map(([, define]) => define);
    return compile('tensorflow.c', join(directory, file), [
      ...[`-I${headers}`, ...defines],
      ...extra,
    ]);
  };
  const framework = build('Framework', FRAMEWORK, []);
  const cc = build('Cc', CC, ['-Wl,-rpath,$ORIGIN', '-Wl,--no-as-needed', framework]);
  return { directory, cc, framework };
}

/** Builds an image of that name that nobody needs. It stays mapped once it is. */
export function bystander(directory: string, file: string): string {
  mkdirSync(directory, { recursive: true });
  return compile('bystander.c', join(directory, file), ['-Wl,-z,nodelete']);
}

/** Builds an image of that name that ends the process which opens it. */
export function crashing(directory: string, file: string): string {
  mkdirSync(directory, { recursive: true });
  return compile('crash.c', join(directory, file), []);
}

/** Builds what makes `pthread_create` fail, for LD_PRELOAD: while the environment has NO_THREADS. */
export function noThreads(directory: string): string {
  mkdirSync(directory, { recursive: true });
  return compile('no-threads.c', join(directory, 'libno_threads.so'), []);
}

function compile(source: string, target: string, options: readonly string[]): string {
  const name = target.slice(target.lastIndexOf('/') + 1);
  const compiler = process.env['CC'] ?? 'cc';
  const run = spawnSync(
    compiler,
    [
      ...['-shared', '-fPIC', '-w', `-Wl,-soname,${name}`, '-o', target],
      ...[join(SOURCES, source), ...options],
    ],
    { encoding: 'utf8' },
  );
  if (run.error !== undefined) throw run.error;
  if (run.status !== 0) throw new Error(`${compiler} could not build ${target}:\n${run.stderr}`);
  return target;
}
