/**
 * Which machines the pinned library runs on. Owns the platform table: one row per cell, each with its own answer.
 * Must not touch the disk or the pin; what the CPU can do (AVX) is the addon's question.
 */
import { tfeError } from '../errors';

export type PlatformId = 'linux-x86_64' | 'linux-aarch64' | 'macos-arm64';

/** What is known of a machine before anything is loaded. Tests pass their own. */
export interface HostFacts {
  /** `process.platform`. */
  readonly os: string;
  /** `process.arch`. */
  readonly arch: string;
  /** The C library; null where there is no choice of them (everything but Linux). */
  readonly libc: 'glibc' | 'musl' | null;
  /** `2.36`; null where unknown or not glibc. */
  readonly glibcVersion: string | null;
}

export type PlatformCell = { readonly cell: string } & (
  | { readonly platform: PlatformId; readonly evidence: string }
  | { readonly platform: null; readonly reason: string; readonly wayOut: string }
);

/** The wheels are tagged manylinux_2_27. */
const OLDEST_GLIBC: readonly [number, number] = [2, 27];

const OTHER_MACHINE =
  'Run it on Linux x86_64 or Linux aarch64 with glibc, or on a Mac with Apple silicon.';

interface Row {
  readonly os: string;
  readonly arch: string;
  readonly answer: PlatformCell;
}

/** The requested cells, Linux and macOS by x86, x64, ARM32 and ARM64, and then Windows. */
export const PLATFORM_TABLE: readonly Row[] = [
  {
    os: 'linux',
    arch: 'x64',
    answer: {
      cell: 'Linux x86_64',
      platform: 'linux-x86_64',
      evidence: 'built and tested on every change',
    },
  },
  {
    os: 'linux',
    arch: 'arm64',
    answer: {
      cell: 'Linux AArch64',
      platform: 'linux-aarch64',
      evidence: 'experimental: the published wheel is pinned and was inspected, nothing was run',
    },
  },
  {
    os: 'linux',
    arch: 'ia32',
    answer: {
      cell: 'Linux i686',
      platform: null,
      reason: 'TensorFlow 2.21.0 was never published for 32-bit x86, so there is nothing to load.',
      wayOut:
        'If the machine is 64-bit, install the x64 build of Node and of the operating system.',
    },
  },
  {
    os: 'linux',
    arch: 'arm',
    answer: {
      cell: 'Linux ARMv7',
      platform: null,
      reason: 'TensorFlow 2.21.0 was never published for 32-bit ARM, so there is nothing to load.',
      wayOut:
        'If the board has a 64-bit CPU, install a 64-bit operating system and the arm64 build of Node.',
    },
  },
  {
    os: 'darwin',
    arch: 'arm64',
    answer: {
      cell: 'macOS ARM64',
      platform: 'macos-arm64',
      evidence: 'experimental: the published wheel is pinned and was inspected, nothing was run',
    },
  },
  {
    os: 'darwin',
    arch: 'x64',
    answer: {
      cell: 'macOS x86_64',
      platform: null,
      reason:
        'TensorFlow stopped publishing wheels for Intel Macs before 2.21.0, so that exact version does not exist here.',
      wayOut:
        'On a Mac with Apple silicon this means that Node itself runs under Rosetta: install the arm64 build of Node.',
    },
  },
  {
    os: 'darwin',
    arch: 'ia32',
    answer: {
      cell: 'macOS i686',
      platform: null,
      reason: 'macOS has not run 32-bit x86 programs since 10.15; no TensorFlow can exist here.',
      wayOut: OTHER_MACHINE,
    },
  },
  {
    os: 'darwin',
    arch: 'arm',
    answer: {
      cell: 'macOS ARMv7',
      platform: null,
      reason: 'no Mac was ever built with a 32-bit ARM CPU; no TensorFlow can exist here.',
      wayOut: OTHER_MACHINE,
    },
  },
  {
    os: 'win32',
    arch: 'x64',
    answer: {
      cell: 'Windows x86_64',
      platform: null,
      reason:
        'the Windows wheels of TensorFlow 2.21.0 keep the code in _pywrap_tensorflow_common.dll and ship tensorflow_cc.2.dll as an empty shell, so there is no C API library to open.',
      wayOut: 'Run it inside WSL 2, which is Linux x86_64.',
    },
  },
  {
    os: 'win32',
    arch: 'arm64',
    answer: {
      cell: 'Windows ARM64',
      platform: null,
      reason: 'there is no TensorFlow 2.21.0 wheel for Windows on ARM.',
      wayOut: 'Run it inside WSL 2, which is Linux AArch64.',
    },
  },
  {
    os: 'win32',
    arch: 'ia32',
    answer: {
      cell: 'Windows i686',
      platform: null,
      reason: 'there is no TensorFlow 2.21.0 wheel for 32-bit Windows.',
      wayOut: 'Run 64-bit Node inside WSL 2, which is Linux x86_64.',
    },
  },
];

/** The cell of the table that a machine falls into; total: every machine gets an answer. */
export function platformCell(host: HostFacts): PlatformCell {
  const row = PLATFORM_TABLE.find(({ os, arch }) => os === host.os && arch === host.arch);
  if (row === undefined) {
    return {
      cell: `${host.os} ${host.arch}`,
      platform: null,
      reason:
        'TensorFlow 2.21.0 was not published for this operating system and CPU, so there is nothing to load.',
      wayOut: OTHER_MACHINE,
    };
  }
  if (row.answer.platform === null || host.os !== 'linux') return row.answer;
  if (host.libc === 'musl') {
    return {
      cell: `${row.answer.cell} with musl`,
      platform: null,
      reason:
        'the published TensorFlow 2.21.0 libraries need glibc, and this system has musl (Alpine and the like).',
      wayOut: 'Use an image with glibc, such as Debian or Ubuntu (`node:20-bookworm-slim`).',
    };
  }
  if (host.glibcVersion !== null && olderThan(host.glibcVersion, OLDEST_GLIBC)) {
    return {
      cell: `${row.answer.cell} with glibc ${host.glibcVersion}`,
      platform: null,
      reason: `the published TensorFlow 2.21.0 libraries need glibc ${OLDEST_GLIBC.join('.')} or newer.`,
      wayOut:
        'Use a newer release of the operating system (Debian 10, Ubuntu 18.10, RHEL 8 or newer).',
    };
  }
  return row.answer;
}

/**
 * The platform of a machine, by default this one.
 *
 * @throws TFE_PLATFORM_UNSUPPORTED with the sentence of the machine's cell.
 */
export function currentPlatform(host: HostFacts = hostFacts()): PlatformId {
  const cell = platformCell(host);
  if (cell.platform === null) {
    throw tfeError('TFE_PLATFORM_UNSUPPORTED', {
      cell: cell.cell,
      reason: cell.reason,
      wayOut: cell.wayOut,
    });
  }
  return cell.platform;
}

let known: HostFacts | undefined;

/** The facts of this machine. Asked once: the report that tells the C library takes 10 ms to make. */
export function hostFacts(): HostFacts {
  if (known === undefined) {
    const glibcVersion = process.platform === 'linux' ? runningGlibc() : null;
    known = {
      os: process.platform,
      arch: process.arch,
      libc: process.platform !== 'linux' ? null : glibcVersion === null ? 'musl' : 'glibc',
      glibcVersion,
    };
  }
  return known;
}

/** Node's report names the glibc it runs on, and nothing where it runs on another C library. */
function runningGlibc(): string | null {
  const { report } = process;
  // Without this the report resolves every network interface, which can take seconds.
  const switches = report as { excludeNetwork?: boolean };
  const before = switches.excludeNetwork;
  switches.excludeNetwork = true;
  try {
    const { header } = report.getReport() as { header?: { glibcVersionRuntime?: string } };
    return header?.glibcVersionRuntime ?? null;
  } finally {
    if (before !== undefined) switches.excludeNetwork = before;
  }
}

function olderThan(version: string, oldest: readonly [number, number]): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major < oldest[0] || (major === oldest[0] && minor < oldest[1]);
}
