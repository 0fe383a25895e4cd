/**
 * The pin as a check for CI: everything that makes TensorFlow 2.21.0 the one that this package was made for, fact by fact,
 * without the addon. Changes nothing on the disk.
 */
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { isTfeError } from '../errors';
import { installCommand } from '../errors/install';
import { PACKAGE_VERSION, TENSORFLOW_VERSION } from '../version';
import { cpuFlags, REQUIRED_CPU_FLAGS } from './cpu';
import { isAbsent, isNoFile, problemOf } from './files';
import { hashFileSync } from './hash';
import { withoutHint, type Finding } from './finding';
import { runIsolated, SYSTEM_LIMITS } from './isolated';
import { packageRoot, REQUIRED_NODE_API } from './loader';
import { requireFolder } from './locate';
import { runtimePlace, type Environment } from './paths';
import type { ProbeMessage, ProbeTask } from './pin-probe';
import { artefactFor, defaultPin, type Artefact, type Pin, type Variant } from './pin';
import { hostFacts, platformCell, type HostFacts, type PlatformId } from './platforms';
import { readSoname } from './soname';
import { REQUIRED_SYMBOLS, SYMBOL_COUNT, type ImageName } from './symbols';
import { nearestVariant } from './verify';

/** The range of `peerDependencies` in package.json; a test compares the two. */
export const KOFFI_RANGE = '^3.3.4';
export const KOFFI_COMMAND = `npm install --save-dev 'koffi@${KOFFI_RANGE}'`;

/** `engines` of package.json; a test compares the two. */
export const OLDEST_NODE: readonly [number, number] = [20, 19];

export interface PinCheckOptions {
  readonly env?: Environment;
  readonly home?: string;
  readonly variant?: Variant;
  readonly pin?: Pin;
  readonly host?: HostFacts;
  /** The instruction sets of the CPU; null: not known. */
  readonly cpu?: ReadonlySet<string> | null;
  readonly node?: { readonly version: string; readonly napi: string | undefined };
  /** Node's own options for the process that opens the library. */
  readonly execArgv?: readonly string[];
  readonly signal?: AbortSignal;
}

export interface PinReport {
  /** `ok`: everything is as pinned; `failed`: something is not; `unchecked`: nothing is wrong, but not everything could be looked at. */
  readonly outcome: 'ok' | 'failed' | 'unchecked';
  readonly package: string;
  readonly tensorflow: string;
  readonly directory: string | null;
  readonly variant: Variant | null;
  readonly findings: readonly Finding[];
}

/** Looks at everything. A fact that is wrong is no error: it is the answer. */
export async function checkPin(options: PinCheckOptions = {}): Promise<PinReport> {
  const findings: Finding[] = [];
  const pin = options.pin ?? defaultPin();
  findings.push(packageFinding(pin));
  const platform = platformFinding(options.host ?? hostFacts(), findings);
  const node = options.node ?? { version: process.versions.node, napi: process.versions['napi'] };
  findings.push(nodeFinding(node.version), nodeApiFinding(node.napi));
  findings.push(cpuFinding(options.cpu === undefined ? cpuFlags() : options.cpu));
  const subject = platform === null ? null : filesFindings(platform, pin, options, findings);
  await openFindings(subject, options, findings);
  return {
    outcome: outcomeOf(findings),
    package: PACKAGE_VERSION,
    tensorflow: pin.tensorflow,
    directory: subject?.directory ?? null,
    variant: subject?.variant ?? null,
    findings,
  };
}

function outcomeOf(findings: readonly Finding[]): PinReport['outcome'] {
  if (findings.some(({ state }) => state === 'failed')) return 'failed';
  return findings.every(({ state }) => state === 'ok') ? 'ok' : 'unchecked';
}

function ok(id: string, title: string, fact: string): Finding {
  return { id, title, state: 'ok', fact, todo: null, code: null };
}

function failed(
  id: string,
  title: string,
  fact: string,
  todo: string,
  code: Finding['code'] = null,
): Finding {
  return { id, title, state: 'failed', fact, todo, code };
}

function unreached(
  id: string,
  title: string,
  fact: string,
  todo: string | null = null,
  code: Finding['code'] = null,
): Finding {
  return { id, title, state: 'unreached', fact, todo, code };
}

function packageFinding(pin: Pin): Finding {
  const title = 'package';
  const manifest = join(packageRoot(), 'package.json');
  const { version } = JSON.parse(readFileSync(manifest, 'utf8')) as { version?: unknown };
  const reinstall = 'The package is damaged or mixed from two versions: install tfe-node again.';
  if (version !== PACKAGE_VERSION) {
    return failed(
      'package',
      title,
      `${manifest} says ${String(version)}, the code says ${PACKAGE_VERSION}`,
      reinstall,
    );
  }
  return pin.tensorflow === TENSORFLOW_VERSION
    ? ok('package', title, `tfe-node ${PACKAGE_VERSION}, pinned to TensorFlow ${pin.tensorflow}`)
    : failed(
        'package',
        title,
        `the pin says TensorFlow ${pin.tensorflow}, the code says ${TENSORFLOW_VERSION}`,
        reinstall,
        'TFE_PIN_INVALID',
      );
}

function platformFinding(host: HostFacts, findings: Finding[]): PlatformId | null {
  const cell = platformCell(host);
  findings.push(
    cell.platform === null
      ? failed(
          'platform',
          'platform',
          `${cell.cell}: ${cell.reason}`,
          cell.wayOut,
          'TFE_PLATFORM_UNSUPPORTED',
        )
      : ok('platform', 'platform', `${cell.cell} (${cell.evidence})`),
  );
  return cell.platform;
}

export function nodeFinding(version: string): Finding {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const isOld = major < OLDEST_NODE[0] || (major === OLDEST_NODE[0] && minor < OLDEST_NODE[1]);
  const oldest = OLDEST_NODE.join('.');
  return isOld
    ? failed(
        'node',
        'Node',
        `${version}, which is older than ${oldest}`,
        `Use Node ${oldest} or later.`,
      )
    : ok('node', 'Node', version);
}

export function nodeApiFinding(napi: string | undefined): Finding {
  const offered = napi ?? 'none';
  return Number(offered) >= REQUIRED_NODE_API
    ? ok('node-api', 'Node-API', `${offered} (needed: ${REQUIRED_NODE_API})`)
    : failed(
        'node-api',
        'Node-API',
        `${offered}, which is less than ${REQUIRED_NODE_API}`,
        `Use Node ${OLDEST_NODE.join('.')} or later.`,
        'TFE_ADDON_ABI',
      );
}

export function cpuFinding(flags: ReadonlySet<string> | null): Finding {
  const needed = REQUIRED_CPU_FLAGS[process.arch] ?? [];
  if (needed.length === 0) return ok('cpu', 'CPU', `nothing beyond ${process.arch} is needed`);
  if (flags === null) {
    return unreached('cpu', 'CPU', 'the system does not list the CPU flags in /proc/cpuinfo');
  }
  const missing = needed.filter((flag) => !flags.has(flag));
  return missing.length === 0
    ? ok('cpu', 'CPU', `has ${needed.join(', ')}`)
    : failed(
        'cpu',
        'CPU',
        `lacks ${missing.join(', ')}, without which the library kills the process`,
        'Run on a newer CPU (for a virtual machine: pass the host CPU flags through).',
        'TFE_CPU_UNSUPPORTED',
      );
}

interface Subject {
  readonly directory: string;
  readonly variant: Variant;
  readonly artefact: Artefact;
  /** Whether the files are there at all. */
  readonly complete: boolean;
}

const IMAGES: readonly ImageName[] = ['cc', 'framework'];

function filesFindings(
  platform: PlatformId,
  pin: Pin,
  { env = process.env, home, variant: asked }: PinCheckOptions,
  findings: Finding[],
): Subject | null {
  let place: ReturnType<typeof runtimePlace>;
  try {
    if (asked !== undefined) artefactFor(platform, asked, pin);
    place = runtimePlace(platform, asked ?? 'cpu', env, home);
    requireFolder(place, asked ?? 'cpu');
  } catch (error) {
    if (!isTfeError(error)) throw error;
    const state = error.code === 'TFE_VARIANT_UNAVAILABLE' ? failed : unreached;
    findings.push(state('folder', 'folder', withoutHint(error), error.hint, error.code));
    return null;
  }
  const { directory } = place;
  findings.push(ok('folder', 'folder', directory));
  const variant = nearestVariant(place, platform, asked, pin);
  const artefact = artefactFor(platform, variant, pin);
  const complete = IMAGES.map((image) =>
    fileFindings(directory, image, variant, artefact, findings),
  );
  return { directory, variant, artefact, complete: !complete.includes(false) };
}

/** Size, SHA-256 and SONAME of one library; false when there is no file to open. */
function fileFindings(
  directory: string,
  image: ImageName,
  variant: Variant,
  artefact: Artefact,
  findings: Finding[],
): boolean {
  const library = artefact.libraries[image];
  const path = join(directory, library.name);
  const replace = `Run \`${installCommand(variant, true)}\` to replace it.`;
  const title = (fact: string): string => `${library.name} ${fact}`;
  let found: { readonly size: number; readonly sha256: string; readonly soname: string | null };
  try {
    found = {
      size: statSync(path).size,
      sha256: hashFileSync(path),
      soname: readSoname(path),
    };
  } catch (error) {
    const fact = isAbsent(error) ? 'the file is missing' : problemOf(error);
    const sizeTitle = title('size');
    findings.push(
      isAbsent(error)
        ? failed(
            `${image}-size`,
            sizeTitle,
            fact,
            `Run \`${installCommand(variant)}\`.`,
            'TFE_RUNTIME_LIBRARY_MISSING',
          )
        : isNoFile(error)
          ? failed(`${image}-size`, sizeTitle, fact, replace, 'TFE_RUNTIME_NOT_AN_IMAGE')
          : unreached(`${image}-size`, sizeTitle, fact),
      unreached(`${image}-sha256`, title('SHA-256'), fact),
      unreached(`${image}-soname`, title('SONAME'), fact),
    );
    return false;
  }
  const compare = (id: string, what: string, is: number | string, pinned: number | string) =>
    is === pinned
      ? ok(`${image}-${id}`, title(what), String(is))
      : failed(
          `${image}-${id}`,
          title(what),
          `${is}, pinned is ${pinned}`,
          replace,
          id === 'size' ? 'TFE_RUNTIME_UNPINNED' : 'TFE_RUNTIME_HASH',
        );
  const { size, sha256, soname } = found;
  findings.push(
    compare('size', 'size', size, library.size),
    compare('sha256', 'SHA-256', sha256, library.sha256),
    soname === library.soname
      ? ok(`${image}-soname`, title('SONAME'), soname)
      : failed(
          `${image}-soname`,
          title('SONAME'),
          `${soname ?? 'none'}, pinned is ${library.soname}`,
          replace,
          'TFE_RUNTIME_NOT_AN_IMAGE',
        ),
  );
  return true;
}

async function openFindings(
  subject: Subject | null,
  { env = process.env, execArgv, signal }: PinCheckOptions,
  findings: Finding[],
): Promise<void> {
  const rows = [
    ['open', 'libraries open'],
    ['version', 'TF_Version()'],
    ['symbols', 'symbols'],
  ] as const;
  const leave = (from: number, fact: string, todo: string | null = null): void => {
    for (const [id, title] of rows.slice(from)) findings.push(unreached(id, title, fact, todo));
  };
  if (subject?.complete !== true) {
    leave(0, 'there is no library to open');
    return;
  }
  // A file that is not the pinned one is not opened: opening runs its code, and may end in anything.
  if (findings.some(({ id, state }) => /^(?:cc|framework)-/u.test(id) && state !== 'ok')) {
    leave(0, 'a library that is not the pinned one is not opened');
    return;
  }
  if (findings.some(({ id, state }) => id === 'cpu' && state === 'failed')) {
    leave(0, 'the CPU cannot run the library');
    return;
  }
  const { directory, artefact, variant } = subject;
  const task: ProbeTask = {
    images: {
      cc: join(directory, artefact.libraries.cc.name),
      framework: join(directory, artefact.libraries.framework.name),
    },
    symbols: REQUIRED_SYMBOLS,
  };
  const heard: ProbeMessage[] = [];
  const ending = await runIsolated('pin-probe', task, (m) => heard.push(m as ProbeMessage), {
    env,
    ...(execArgv === undefined ? {} : { execArgv }),
    ...(signal === undefined ? {} : { signal }),
  });
  if (ending.refusedBy === 'system') {
    leave(
      0,
      `the process that opens the library ${ending.problem ?? 'did not start'}`,
      SYSTEM_LIMITS,
    );
    return;
  }
  if (ending.refusedBy === 'permission') {
    leave(
      0,
      "Node's permission model forbids the process that opens the library",
      'Run the check without --permission, or with --allow-child-process --allow-addons.',
    );
    return;
  }
  const missing = heard.find((message) => message.said === 'koffi missing');
  if (missing !== undefined) {
    leave(0, `koffi cannot be loaded (${missing.problem})`, `Run: ${KOFFI_COMMAND}`);
    return;
  }
  let reached = 0;
  for (const message of heard) {
    const finding = probeFinding(message, variant);
    if (finding === null) continue;
    findings.push(finding);
    reached += 1;
    if (finding.state === 'failed') {
      leave(reached, 'a step before it failed');
      return;
    }
  }
  if (reached < rows.length) {
    const [id, title] = rows[reached]!;
    const said = ending.said.trim();
    findings.push(
      failed(
        id,
        title,
        `the process that did it ${ending.problem ?? 'said nothing'}${said === '' ? '' : `: ${said}`}`,
        'Run `npx tfe-node doctor`.',
        'TFE_LIBRARY_OPEN_FAILED',
      ),
    );
    leave(reached + 1, 'a step before it failed');
  } else if (ending.problem !== null) {
    findings.push(
      failed(
        'end',
        'process end',
        `after all answers, the process ${ending.problem}`,
        'Run `npx tfe-node doctor`.',
      ),
    );
  }
}

function probeFinding(message: ProbeMessage, variant: Variant): Finding | null {
  switch (message.said) {
    case 'koffi':
    case 'koffi missing':
      return null;
    case 'opened':
      return ok('open', 'libraries open', 'both, with RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE');
    case 'not opened':
      return failed(
        'open',
        'libraries open',
        `${message.path}: ${message.problem}`,
        'Install what the message names, or run `npx tfe-node runtime verify`.',
        'TFE_LIBRARY_OPEN_FAILED',
      );
    case 'version':
      return message.version === TENSORFLOW_VERSION
        ? ok('version', 'TF_Version()', message.version)
        : failed(
            'version',
            'TF_Version()',
            `${message.version ?? 'nothing'}, pinned is ${TENSORFLOW_VERSION}`,
            `Run \`${installCommand(variant, true)}\`.`,
            'TFE_LIBRARY_VERSION',
          );
    case 'symbols': {
      const [first] = message.wrong;
      if (first === undefined) {
        return ok(
          'symbols',
          'symbols',
          `${SYMBOL_COUNT}: ${REQUIRED_SYMBOLS.cc.length} from cc, ${REQUIRED_SYMBOLS.framework.length} from framework`,
        );
      }
      return failed(
        'symbols',
        'symbols',
        message.wrong
          .map(({ name, found }) => `${name} ${found === null ? 'is missing' : `is in ${found}`}`)
          .join('; '),
        'See that LD_PRELOAD and LD_LIBRARY_PATH name no TensorFlow.',
        first.found === null ? 'TFE_SYMBOL_MISSING' : 'TFE_SYMBOL_WRONG_IMAGE',
      );
    }
  }
}
