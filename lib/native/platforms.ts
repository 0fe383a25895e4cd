/**
 * Which machines the pinned library runs on. Owns reading the platform table, platforms.json: one row per cell, each with its own answer.
 * Must not touch the disk or the pin; what the CPU can do (AVX) is the addon's question.
 */
import { tfeError } from '../errors';
import platformData from './platforms.json';

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

/** How much is known of a cell: run here, only inspected, or refused with a reason. */
export type PlatformClass = 'tested' | 'experimental' | 'refused';

/** A row of `platforms.json`, the machine-readable truth table. */
export interface PlatformRow {
  readonly cell: string;
  readonly os: string;
  readonly arch: string;
  /** What the project that this one follows says of the same cell. */
  readonly seed: { readonly class: string; readonly ci: string | null };
  /** What our own evidence says. */
  readonly class: PlatformClass;
  readonly platform: PlatformId | null;
  /** The variants that exist; null where there is no library. */
  readonly artefact: string | null;
  /** What a run of our CI does for it. */
  readonly ci: string;
  readonly evidence?: string;
  readonly reason?: string;
  readonly wayOut?: string;
}

/** The requested cells, Linux and macOS by x86, x64, ARM32 and ARM64, and then Windows. */
export const PLATFORM_TABLE = platformData.cells as readonly PlatformRow[];

/** The cell that lies across the two of Linux: another C library. */
export const MUSL_ROW = platformData.musl as Omit<PlatformRow, 'os' | 'arch'>;

/** The wheels are tagged manylinux_2_27. */
const OLDEST_GLIBC = platformData.oldestGlibc;

const OTHER_MACHINE =
  'Run it on Linux x86_64 or Linux aarch64 with glibc, or on a Mac with Apple silicon.';

function answerOf(row: Omit<PlatformRow, 'os' | 'arch'>, cell = row.cell): PlatformCell {
  return row.platform === null
    ? { cell, platform: null, reason: row.reason ?? '', wayOut: row.wayOut ?? '' }
    : { cell, platform: row.platform, evidence: row.evidence ?? '' };
}

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
  const answer = answerOf(row);
  if (answer.platform === null || host.os !== 'linux') return answer;
  if (host.libc === 'musl') return answerOf(MUSL_ROW, `${row.cell} with musl`);
  if (host.glibcVersion !== null && olderThan(host.glibcVersion, OLDEST_GLIBC)) {
    return {
      cell: `${row.cell} with glibc ${host.glibcVersion}`,
      platform: null,
      reason: `the published TensorFlow 2.21.0 libraries need glibc ${OLDEST_GLIBC} or newer.`,
      wayOut:
        'Use a newer release of the operating system (Debian 10, Ubuntu 18.10, RHEL 8 or newer).',
    };
  }
  return answer;
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

/**
 * The facts of this machine. Asked once: the report that tells the C library takes 5 ms to make.
 * @param glibc its version, from who knows it without a report
 */
export function hostFacts(glibc?: string | null): HostFacts {
  if (known === undefined) {
    const glibcVersion = process.platform === 'linux' ? (glibc ?? runningGlibc()) : null;
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

function olderThan(version: string, oldest: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [oldestMajor = 0, oldestMinor = 0] = oldest.split('.').map(Number);
  return major < oldestMajor || (major === oldestMajor && minor < oldestMinor);
}
