/**
 * Whether a file is a shared library for a platform, judged by its header. Opening a file that is not one makes the
 * dynamic loader fail with a message that names neither the cause nor the way out.
 */
import type { PlatformId } from './platforms';

/** Enough for the headers of both formats. */
export const IMAGE_HEAD_BYTES = 64;

interface ImageFormat {
  /** As it goes into a sentence. */
  readonly name: string;
  /** The deviation, or undefined when the header is right. */
  readonly problem: (head: Buffer) => string | undefined;
}

const ELF_MAGIC = '7f454c46';
const ELF_CLASS_64 = 2;
const ELF_LITTLE_ENDIAN = 1;
const ELF_SHARED_OBJECT = 3; // ET_DYN
const MACH_MAGIC_64 = 0xfeedfacf;
const MACH_ARM64 = 0x0100000c;
const MACH_DYLIB = 6; // MH_DYLIB

function elf(name: string, machine: number): ImageFormat {
  return {
    name,
    problem: (head) => {
      if (head.length < IMAGE_HEAD_BYTES) return `it has only ${head.length} bytes`;
      if (head.toString('hex', 0, 4) !== ELF_MAGIC) return `it begins with ${starts(head)}`;
      if (head[4] !== ELF_CLASS_64) return 'it is a 32-bit image';
      if (head[5] !== ELF_LITTLE_ENDIAN) return 'it is a big-endian image';
      if (head.readUInt16LE(16) !== ELF_SHARED_OBJECT) {
        return `it is not a shared library (ELF type ${head.readUInt16LE(16)})`;
      }
      const found = head.readUInt16LE(18);
      if (found !== machine) return `it is for another CPU (ELF machine ${found})`;
      return undefined;
    },
  };
}

const IMAGE_FORMATS: Readonly<Record<PlatformId, ImageFormat>> = {
  'linux-x86_64': elf('an ELF shared library for x86_64', 62),
  'linux-aarch64': elf('an ELF shared library for AArch64', 183),
  'macos-arm64': {
    name: 'a Mach-O dynamic library for arm64',
    problem: (head) => {
      if (head.length < IMAGE_HEAD_BYTES) return `it has only ${head.length} bytes`;
      if (head.readUInt32LE(0) !== MACH_MAGIC_64) return `it begins with ${starts(head)}`;
      if (head.readUInt32LE(4) !== MACH_ARM64) {
        return `it is for another CPU (Mach-O type 0x${head.readUInt32LE(4).toString(16)})`;
      }
      if (head.readUInt32LE(12) !== MACH_DYLIB) {
        return `it is not a dynamic library (Mach-O file type ${head.readUInt32LE(12)})`;
      }
      return undefined;
    },
  },
};

/** The deviation of a file's first bytes from the platform's image format, or undefined when there is none. */
export function imageProblem(
  platform: PlatformId,
  head: Buffer,
): { readonly expected: string; readonly problem: string } | undefined {
  const format = IMAGE_FORMATS[platform];
  const problem = format.problem(head);
  return problem === undefined ? undefined : { expected: format.name, problem };
}

/** What the library files of a platform are, as it goes into a sentence. */
export function imageName(platform: PlatformId): string {
  return IMAGE_FORMATS[platform].name;
}

function starts(head: Buffer): string {
  return `the bytes ${head.toString('hex', 0, 4).replace(/..(?=.)/gu, '$& ')}`;
}
