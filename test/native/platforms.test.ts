/** The platform table: eight cells from the seed ('Public CI truth matrix'), then Windows, musl and everything else. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { addon } from '../../lib/native/loader';
import { defaultPin, variantsFor } from '../../lib/native/pin';
import {
  currentPlatform,
  hostFacts,
  MUSL_ROW,
  PLATFORM_TABLE,
  platformCell,
  type HostFacts,
} from '../../lib/native/platforms';

const glibc = { libc: 'glibc', glibcVersion: '2.36' } as const;
const none = { libc: null, glibcVersion: null } as const;

/** The eight cells in the seed's order, with the platform id where its profile table has one. */
const SEED_CELLS: readonly (readonly [cell: string, host: HostFacts, platform: string | null])[] = [
  ['Linux x86_64', { os: 'linux', arch: 'x64', ...glibc }, 'linux-x86_64'],
  ['Linux AArch64', { os: 'linux', arch: 'arm64', ...glibc }, 'linux-aarch64'],
  ['Linux i686', { os: 'linux', arch: 'ia32', ...glibc }, null],
  ['Linux ARMv7', { os: 'linux', arch: 'arm', ...glibc }, null],
  ['macOS ARM64', { os: 'darwin', arch: 'arm64', ...none }, 'macos-arm64'],
  ['macOS x86_64', { os: 'darwin', arch: 'x64', ...none }, null],
  ['macOS i686', { os: 'darwin', arch: 'ia32', ...none }, null],
  ['macOS ARMv7', { os: 'darwin', arch: 'arm', ...none }, null],
];

const OTHERS: readonly (readonly [cell: string, host: HostFacts])[] = [
  ['Windows x86_64', { os: 'win32', arch: 'x64', ...none }],
  ['Windows ARM64', { os: 'win32', arch: 'arm64', ...none }],
  ['Windows i686', { os: 'win32', arch: 'ia32', ...none }],
  ['Linux x86_64 with musl', { os: 'linux', arch: 'x64', libc: 'musl', glibcVersion: null }],
  ['Linux AArch64 with musl', { os: 'linux', arch: 'arm64', libc: 'musl', glibcVersion: null }],
  [
    'Linux x86_64 with glibc 2.17',
    { os: 'linux', arch: 'x64', libc: 'glibc', glibcVersion: '2.17' },
  ],
  ['freebsd x64', { os: 'freebsd', arch: 'x64', ...none }],
  ['linux riscv64', { os: 'linux', arch: 'riscv64', ...glibc }],
];

const UNSUPPORTED: readonly (readonly [string, HostFacts])[] = [
  ...SEED_CELLS.filter(([, , platform]) => platform === null).map(
    ([cell, host]) => [cell, host] as const,
  ),
  ...OTHERS,
];

describe('the platform table', () => {
  test.each(SEED_CELLS)("answers the seed's cell %s", (cell, host, platform) => {
    expect(platformCell(host)).toMatchObject({ cell, platform });
  });

  test.each(UNSUPPORTED)('refuses %s with a typed error that names the cell', (cell, host) => {
    expect(() => currentPlatform(host)).toThrow(
      expect.objectContaining({
        code: 'TFE_PLATFORM_UNSUPPORTED',
        phase: 'install',
        message: expect.stringMatching(new RegExp(`^${cell}: .+\\. \\S`, 'u')),
        facts: expect.objectContaining({ cell }),
      }),
    );
  });

  test('has a sentence of its own for each cell that it names, and for each C library', () => {
    const named = [...UNSUPPORTED.filter(([cell]) => !/AArch64 with|riscv/u.test(cell))];
    const reasons = named.map(([, host]) => {
      const answer = platformCell(host);
      return answer.platform === null ? answer.reason : '';
    });
    expect(new Set(reasons).size).toBe(named.length);
  });

  test('has no two rows for the same machine', () => {
    const machines = PLATFORM_TABLE.map(({ os, arch }) => `${os} ${arch}`);
    expect(new Set(machines).size).toBe(machines.length);
  });

  test.each([
    ['2.27', 'linux-x86_64'],
    ['2.36', 'linux-x86_64'],
    ['3.0', 'linux-x86_64'],
    ['2.26', null],
    ['2.9', null],
  ])('takes glibc %s as %s: the wheels are tagged manylinux_2_27', (glibcVersion, platform) => {
    const host: HostFacts = { os: 'linux', arch: 'x64', libc: 'glibc', glibcVersion };
    expect(platformCell(host).platform).toBe(platform);
  });

  test('tells Apple silicon under Rosetta what to install', () => {
    expect(() => currentPlatform({ os: 'darwin', arch: 'x64', ...none })).toThrow(
      /install the arm64 build of Node/u,
    );
  });

  test('knows this machine', () => {
    expect(hostFacts()).toMatchObject({ os: process.platform, arch: process.arch });
    if (process.platform === 'linux') {
      const { libc, glibcVersion } = hostFacts();
      expect(libc === 'glibc').toBe(glibcVersion !== null);
      expect(addon().glibc).toBe(glibcVersion);
    }
  });
});

/** The seed's class of each cell, read off its two tables: the profiles say certified and experimental, the matrix the rest. */
const SEED_CLASSES: Readonly<Record<string, string>> = {
  'Linux x86_64': 'experimental',
  'Linux AArch64': 'experimental',
  'Linux i686': 'unsupported',
  'Linux ARMv7': 'unsupported',
  'macOS ARM64': 'certified',
  'macOS x86_64': 'unsupported',
  'macOS i686': 'impossible',
  'macOS ARMv7': 'impossible',
};

describe('platforms.json', () => {
  const rows = [...PLATFORM_TABLE, MUSL_ROW];

  test("has the seed's class of each of its eight cells, and first", () => {
    const eight = PLATFORM_TABLE.slice(0, 8).map(({ cell, seed }) => [cell, seed.class]);
    expect(Object.fromEntries(eight)).toEqual(SEED_CLASSES);
    for (const { seed } of PLATFORM_TABLE.slice(0, 8)) expect(seed.ci).toEqual(expect.any(String));
  });

  test('claims no cell that nothing was run on: only Linux x86_64 is tested', () => {
    const tested = rows.filter((row) => row.class === 'tested').map(({ cell }) => cell);
    expect(tested).toEqual(['Linux x86_64']);
  });

  test.each(rows)('$cell has what its class needs, and the variants that the pin has', (row) => {
    if (row.platform === null) {
      expect(row).toMatchObject({ class: 'refused', artefact: null, ci: 'the refusal is tested' });
      expect(row.reason).toMatch(/\.$/u);
      expect(row.wayOut).toMatch(/\.$/u);
    } else {
      expect(row.class).not.toBe('refused');
      expect(row.evidence).toMatch(/\S/u);
      expect(row.artefact).toBe(variantsFor(row.platform, defaultPin()).join(', '));
    }
  });

  const STATES = {
    tested: 'tested on every change',
    experimental: 'experimental: pinned and inspected, not run',
    refused: 'refused, with its reason',
  } as const;

  /** Columns as wide as their widest cell: what the formatter makes of a table. */
  function table(): string {
    const cells = rows.map(({ cell, class: ours, artefact, seed, ci }) => [
      cell,
      STATES[ours],
      artefact ?? '',
      ci,
      seed.class,
    ]);
    const head = ['cell', 'state here', 'library', 'in CI', "the seed's class"];
    const all = [head, ...cells];
    const widths = head.map((_, i) => Math.max(...all.map((row) => row[i]!.length)));
    const line = (row: readonly string[]): string =>
      `| ${row.map((text, i) => text.padEnd(widths[i]!)).join(' | ')} |`;
    return [line(head), line(widths.map((width) => '-'.repeat(width))), ...cells.map(line)].join(
      '\n',
    );
  }

  test.each(['README.md', 'docs/pin.md'])(
    'is the table of %s (UPDATE_DOCS=1 rewrites it)',
    (name) => {
      const file = join(__dirname, '../..', name);
      const page = readFileSync(file, 'utf8');
      const rendered = page.replace(
        /(<!-- platforms: .* -->\n)[\s\S]*(<!-- \/platforms -->)/u,
        (_, start: string, end: string) => `${start}\n${table()}\n\n${end}`,
      );
      expect(rendered).toContain(table());
      if (process.env['UPDATE_DOCS'] === '1') writeFileSync(file, rendered);
      expect(readFileSync(file, 'utf8')).toBe(rendered);
    },
  );
});
