/**
 * A pin and a wheel of a few kilobytes with the real ones' names and shape, for tests of the library manager that must
 * neither download nor write 850 MB.
 */
import { createHash } from 'node:crypto';
import type { Pin, PinnedFile, PinnedLibrary, Variant } from '../../lib/native/pin';
import type { PlatformId } from '../../lib/native/platforms';
import { zip, type ZipEntry } from './zip';

export const PLATFORM: PlatformId = 'linux-x86_64';
export const CC = 'libtensorflow_cc.so.2';
export const FRAMEWORK = 'libtensorflow_framework.so.2';
export const WHEEL_FILE = 'tensorflow_cpu-2.21.0-cp311-cp311-manylinux_2_27_x86_64.whl';

export function sha256(data: Buffer): string {
  return createHash('sha256').update(data).digest('hex');
}

/** Bytes that look like a shared library as far as its header goes; 62 is EM_X86_64. */
export function elfImage(size: number, seed: string, machine = 62): Buffer {
  const image = Buffer.alloc(size);
  // A repeatable body that deflate cannot shrink away.
  for (let at = 64, block = 0; at < size; at += 32, block += 1) {
    createHash('sha256').update(`${seed}${block}`).digest().copy(image, at);
  }
  image.write('\x7fELF', 0, 'latin1');
  image[4] = 2; // 64-bit
  image[5] = 1; // little endian
  image[6] = 1; // version
  image.writeUInt16LE(3, 16); // ET_DYN
  image.writeUInt16LE(machine, 18);
  return image;
}

export interface FakeWheel {
  readonly wheel: Buffer;
  readonly pin: Pin;
  /** The pinned content by name in the installed folder. */
  readonly content: Readonly<Record<string, Buffer>>;
}

export interface FakeWheelOptions {
  readonly variant?: Variant;
  readonly tensorflow?: string;
  /** Makes the archive hostile; the pin's wheel hash is that of the result, so that the entry checks are reached. */
  readonly entries?: (honest: readonly ZipEntry[]) => readonly ZipEntry[];
  /** Makes the archive's bytes hostile. */
  readonly bytes?: (honest: Buffer) => Buffer;
}

export function fakeWheel(options: FakeWheelOptions = {}): FakeWheel {
  const variant = options.variant ?? 'cpu';
  const content: Readonly<Record<string, Buffer>> = {
    [FRAMEWORK]: elfImage(40_000, `framework ${variant}`),
    [CC]: elfImage(variant === 'cpu' ? 300_000 : 400_000, `cc ${variant}`),
    LICENSE: Buffer.from('the licence\n'),
    'THIRD_PARTY_NOTICES.txt': Buffer.from('the notices\n'),
  };
  const honest: readonly ZipEntry[] = [
    { name: 'tensorflow/', data: Buffer.alloc(0), mode: 0o040755, stored: true },
    { name: 'tensorflow/__init__.py', data: Buffer.from('raise SystemExit\n') },
    { name: `tensorflow/${FRAMEWORK}`, data: content[FRAMEWORK]! },
    { name: 'tensorflow/THIRD_PARTY_NOTICES.txt', data: content['THIRD_PARTY_NOTICES.txt']! },
    { name: `tensorflow/${CC}`, data: content[CC]! },
    { name: 'tensorflow/include/LICENSE', data: content['LICENSE']! },
  ];
  const plain = zip(options.entries?.(honest) ?? honest);
  const wheel = options.bytes?.(plain) ?? plain;

  const member = (name: string, path: string): PinnedFile => ({
    name,
    path,
    size: content[name]!.length,
    sha256: sha256(content[name]!),
  });
  const library = (name: string): PinnedLibrary => ({
    ...member(name, `tensorflow/${name}`),
    soname: name,
  });
  const pin: Pin = {
    schema: 1,
    tensorflow: options.tensorflow ?? '2.21.0',
    artefacts: {
      [variant]: {
        [PLATFORM]: {
          project: 'tensorflow-cpu',
          pythonTag: 'cp311',
          pipPlatform: 'manylinux_2_27_x86_64',
          wheel: { file: WHEEL_FILE, size: wheel.length, sha256: sha256(wheel) },
          libraries: { cc: library(CC), framework: library(FRAMEWORK) },
          notices: [
            member('LICENSE', 'tensorflow/include/LICENSE'),
            member('THIRD_PARTY_NOTICES.txt', 'tensorflow/THIRD_PARTY_NOTICES.txt'),
          ],
        },
      },
    },
    refused: [
      {
        platform: 'windows-x86_64',
        project: 'tensorflow-cpu',
        pythonTag: 'cp311',
        pipPlatform: 'win_amd64',
        wheel: {
          file: 'tensorflow_cpu-2.21.0-cp311-cp311-win_amd64.whl',
          size: 77,
          sha256: '0'.repeat(64),
        },
        reason: 'there is no library of the C API to open',
      },
    ],
  };
  return { wheel, pin, content };
}
