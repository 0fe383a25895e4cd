/**
 * Opens the two images without the addon, in a process of its own: libc's dlopen through koffi. Never `koffi.load`, which
 * closes what it opened: the process then ends in a segmentation fault. Run by pin-check.ts; says one fact at a time.
 */
import { realpathSync } from 'node:fs';
import { createRequire } from 'node:module';
import { say } from './isolated';
import type { ImageName } from './symbols';

export interface ProbeTask {
  readonly images: Readonly<Record<ImageName, string>>;
  readonly symbols: Readonly<Record<ImageName, readonly string[]>>;
}

/** What the probe says, in this order; `failed` is the last one. */
export type ProbeMessage =
  | { readonly said: 'koffi'; readonly version: string }
  | { readonly said: 'koffi missing'; readonly problem: string }
  | { readonly said: 'opened' }
  | { readonly said: 'not opened'; readonly path: string; readonly problem: string }
  | { readonly said: 'version'; readonly version: string | null }
  /** `found`: the file that exports it; null: none does. Only those that deviate are listed. */
  | {
      readonly said: 'symbols';
      readonly wrong: readonly { readonly name: string; readonly found: string | null }[];
    };

const RTLD_NOW = 2;
/** RTLD_LOCAL | RTLD_NODELETE; the numbers are the system's. */
const RTLD_KEPT = process.platform === 'darwin' ? 0x4 | 0x80 : 0x1000;

interface Koffi {
  readonly version: string;
  load(path: null): { func(prototype: string): (...args: unknown[]) => unknown };
  struct(name: string, fields: Readonly<Record<string, string>>): unknown;
  proto(prototype: string): unknown;
  decode(address: unknown, type: unknown): () => unknown;
}

const tell: (message: ProbeMessage) => void = say;

function loadKoffi(): Koffi | null {
  try {
    return createRequire(__filename)('koffi') as Koffi;
  } catch (error) {
    tell({ said: 'koffi missing', problem: (error as Error).message.split('\n')[0]! });
    return null;
  }
}

function probe({ images, symbols }: ProbeTask): void {
  const koffi = loadKoffi();
  if (koffi === null) return;
  tell({ said: 'koffi', version: koffi.version });
  koffi.struct('Dl_info', {
    dli_fname: 'const char *',
    dli_fbase: 'void *',
    dli_sname: 'const char *',
    dli_saddr: 'void *',
  });
  // The process itself, which has the C library's functions.
  const libc = koffi.load(null);
  const dlopen = libc.func('void *dlopen(const char *file, int flags)');
  const dlsym = libc.func('void *dlsym(void *handle, const char *name)');
  const dlerror = libc.func('const char *dlerror()');
  const dladdr = libc.func('int dladdr(void *address, _Out_ Dl_info *info)');

  const handles: Partial<Record<ImageName, unknown>> = {};
  // The framework first: cc depends on it by name and then binds to the one that is mapped.
  for (const image of ['framework', 'cc'] as const) {
    const path = images[image];
    handles[image] = dlopen(path, RTLD_NOW | RTLD_KEPT);
    if (handles[image] === null) {
      tell({ said: 'not opened', path, problem: String(dlerror()) });
      return;
    }
  }
  tell({ said: 'opened' });

  const version = dlsym(handles.cc, 'TF_Version');
  const ask = version === null ? null : koffi.decode(version, koffi.proto('const char *Version()'));
  tell({ said: 'version', version: (ask?.() ?? null) as string | null });

  const wrong: { name: string; found: string | null }[] = [];
  for (const image of ['cc', 'framework'] as const) {
    const home = realpathSync(images[image]);
    for (const name of symbols[image]) {
      const found = homeOf(dlsym(handles[image], name), dladdr);
      if (found !== home) wrong.push({ name, found });
    }
  }
  tell({ said: 'symbols', wrong });
}

/** dlsym also searches what an image depends on; dladdr tells where the answer lies. */
function homeOf(address: unknown, dladdr: (...args: unknown[]) => unknown): string | null {
  if (address === null) return null;
  const info: { dli_fname?: string } = {};
  if (dladdr(address, info) === 0 || info.dli_fname === undefined) return 'an unknown image';
  return realpathSync(info.dli_fname);
}

probe(JSON.parse(process.argv[2]!) as ProbeTask);
