/**
 * Takes the steps of loading one by one and says each, `begin` before it and its outcome after it. Run by
 * doctor.ts in a process of its own, because a step may end the process. Repairs nothing and writes no file.
 */
import { readFileSync, realpathSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { isTfeError, type TfeErrorCode } from '../errors';
import { installCommand } from '../errors/install';
import { scope } from '../tensor/tensor';
// eslint-disable-next-line @typescript-eslint/no-restricted-imports -- the last step is what a user does
import { tf } from '../tf';
import type { NativeBinding } from './binding';
import { cpuFlags } from './cpu';
import { DOCTOR_STEPS, STEP_OF_CODE, type StepId } from './doctor-steps';
import { errnoOf, isNoFile, permissionRefusal, problemOf, readHead } from './files';
import { hashFileSync } from './hash';
import { withoutHint, type Finding } from './finding';
import { IMAGE_HEAD_BYTES, imageProblem } from './image';
import { say } from './isolated';
import { findAddon, loadAddon, openLibrary, permitted } from './loader';
import { locateRuntime, requireFolder, type RuntimeLocation } from './locate';
import { runtimePlace, type RuntimePlace } from './paths';
import { artefactFor, defaultPin, librariesOf, type Artefact, type Pin, type Variant } from './pin';
import { cpuFinding, nodeApiFinding, nodeFinding } from './pin-check';
import { currentPlatform, hostFacts, platformCell } from './platforms';
import { readSoname } from './soname';
import { REQUIRED_SYMBOLS, SYMBOL_COUNT } from './symbols';
import { nearestVariant } from './verify';

export interface WalkTask {
  /** Default: the package's own. */
  readonly pin?: Pin;
}

export type WalkMessage =
  | { readonly said: 'begin'; readonly id: StepId }
  | {
      readonly said: 'end';
      readonly id: StepId;
      readonly ok: boolean;
      readonly fact: string;
      readonly todo: string | null;
      readonly code: TfeErrorCode | null;
    };

const tell: (message: WalkMessage) => void = say;

/** A step that found something wrong, where the package itself has no error for it. */
class Wrong extends Error {
  constructor(
    readonly fact: string,
    readonly todo: string,
    readonly code: TfeErrorCode | null = null,
  ) {
    super(fact);
  }
}

const done = new Set<StepId>();

/** Takes one step if those that it needs went well. `through`: this step and those that the same call takes, in order. */
function step(
  id: StepId,
  take: () => string | Readonly<Partial<Record<StepId, string>>>,
  through: readonly StepId[] = [id],
): void {
  const { needs } = DOCTOR_STEPS.find((candidate) => candidate.id === id)!;
  if (!needs.every((need) => done.has(need))) return;
  tell({ said: 'begin', id });
  const end = (at: StepId, fact: string): void => {
    done.add(at);
    tell({ said: 'end', id: at, ok: true, fact, todo: null, code: null });
  };
  try {
    const facts = permitted(take);
    if (typeof facts === 'string') end(id, facts);
    else for (const [at, fact] of Object.entries(facts)) end(at as StepId, fact);
  } catch (error) {
    const wrong = wrongOf(error);
    const at = wrong.code === null ? undefined : STEP_OF_CODE[wrong.code];
    const failing = at !== undefined && through.includes(at) ? at : id;
    // What one call did before the step that it ended at went well.
    for (const before of through.slice(0, through.indexOf(failing))) end(before, 'as expected');
    const { fact, todo, code } = wrong;
    tell({ said: 'end', id: failing, ok: false, fact, todo, code });
  }
}

function wrongOf(error: unknown): Wrong {
  if (error instanceof Wrong) return error;
  if (!isTfeError(error)) {
    return new Wrong(
      error instanceof Error ? (error.stack ?? error.message) : String(error),
      'This is a fault of tfe-node itself; please report it.',
    );
  }
  const status =
    error.tfStatus === undefined ? '' : ` ${error.tfStatus.name}: ${error.tfStatus.message}`;
  return new Wrong(withoutHint(error) + status, error.hint, error.code);
}

/** The fact of a finding that the pin check makes, or its failure. */
function factOf({ state, fact, todo, code }: Finding): string {
  if (state === 'failed') throw new Wrong(fact, todo ?? '', code);
  return fact;
}

/** Whether this process may load addons, as far as its command line says. */
function permission(): string {
  const words = `${process.execArgv.join(' ')} ${process.env['NODE_OPTIONS'] ?? ''}`.split(/\s+/u);
  const todo =
    'Start Node with --allow-addons beside --permission (Node 20: --experimental-permission), and without --no-addons.';
  if (words.includes('--no-addons')) {
    throw new Wrong('--no-addons forbids every addon', todo, 'TFE_ADDONS_DISABLED');
  }
  const isOn = (process as { permission?: unknown }).permission !== undefined;
  if (!isOn) return 'off';
  if (words.includes('--allow-addons')) return 'on, with --allow-addons';
  throw new Wrong('on, without --allow-addons', todo, 'TFE_ADDONS_DISABLED');
}

/** TensorFlow's files among those that are mapped into this process, but for `own`. */
function otherTensorFlows(own: string | null): string[] {
  let maps: string;
  try {
    maps = readFileSync('/proc/self/maps', 'utf8');
  } catch {
    return [];
  }
  const files = new Set([...maps.matchAll(/\s(\/.*)$/gmu)].map(([, path]) => path!));
  return [...files].filter(
    (path) =>
      /^(?:libtensorflow|lib_pywrap_tensorflow|_pywrap_tensorflow)/u.test(basename(path)) &&
      dirname(path) !== own,
  );
}

/** Takes a step that reads a file, whose refusal by the system is what the step has found. */
function readable<T>(name: string, replace: () => string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    const errno = errnoOf(error);
    // What Node's permission model forbids has an error of its own.
    if (errno === undefined || permissionRefusal(error) !== undefined) throw error;
    const isUnreadable = errno === 'EACCES' || errno === 'EPERM';
    throw new Wrong(
      `${name}: ${problemOf(error)}`,
      isUnreadable ? 'Let the user that runs this read the file.' : replace(),
      isNoFile(error) ? 'TFE_RUNTIME_NOT_AN_IMAGE' : null,
    );
  }
}

function walk({ pin = defaultPin() }: WalkTask): void {
  step('platform', () => {
    currentPlatform();
    const cell = platformCell(hostFacts());
    const { glibcVersion } = hostFacts();
    return `${cell.cell}${glibcVersion === null ? '' : `, glibc ${glibcVersion}`}`;
  });
  step('node', () => {
    const node = factOf(nodeFinding(process.versions.node));
    return `${node}, Node-API ${factOf(nodeApiFinding(process.versions['napi']))}`;
  });
  step('cpu', () => factOf(cpuFinding(cpuFlags())));
  step('permission', permission);

  let addon = '';
  step('addon', () => (addon = findAddon()));
  let binding: NativeBinding | null = null;
  step('addon-load', () => {
    binding = loadAddon(addon);
    return 'its functions are there';
  });

  let place: RuntimePlace | null = null;
  let location: RuntimeLocation | null = null;
  step('folder', () => {
    const named = runtimePlace(currentPlatform(), 'cpu');
    requireFolder(named, 'cpu');
    place = { ...named, directory: realpathSync(named.directory) };
    return `${place.directory} (${place.source === 'env' ? 'TFE_NODE_RUNTIME' : 'the cache'})`;
  });
  step(
    'manifest',
    () => {
      location = locateRuntime({ pin });
      const { manifest, version, variant, notice } = location;
      const stamps = manifest?.portable === true ? ', portable: sizes only' : '';
      return {
        manifest:
          manifest === null
            ? `none; ${notice ?? 'the content decides'}`
            : `TensorFlow ${version}, ${variant}, by ${manifest.origin}${stamps}`,
        files: manifest === null || stamps !== '' ? 'sizes as pinned' : 'as recorded',
      };
    },
    ['manifest', 'files'],
  );

  const variant = (): Variant =>
    location?.variant ?? nearestVariant(place!, currentPlatform(), undefined, pin);
  const artefact = (): Artefact => artefactFor(currentPlatform(), variant(), pin);
  const replace = (): string => `Run \`${installCommand(variant(), true)}\` to replace it.`;
  step('hashes', () => {
    for (const { name, sha256 } of librariesOf(artefact())) {
      const found = readable(name, replace, () => hashFileSync(join(place!.directory, name)));
      if (found !== sha256) {
        throw new Wrong(`${name} has ${found}, pinned is ${sha256}`, replace(), 'TFE_RUNTIME_HASH');
      }
    }
    return 'as pinned';
  });
  step('image', () => {
    const names = librariesOf(artefact()).map(({ name, soname }) => {
      const path = join(place!.directory, name);
      const { head } = readable(name, replace, () => readHead(path, IMAGE_HEAD_BYTES));
      const deviation = imageProblem(currentPlatform(), head);
      const found = deviation === undefined ? readSoname(path) : null;
      if (found !== soname) {
        throw new Wrong(
          deviation === undefined
            ? `${name} calls itself ${found ?? 'nothing'}, pinned is ${soname}`
            : `${name} is not ${deviation.expected}: ${deviation.problem}`,
          replace(),
          'TFE_RUNTIME_NOT_AN_IMAGE',
        );
      }
      return found;
    });
    return names.join(', ');
  });
  step('mapped', () => {
    const others = otherTensorFlows(place?.directory ?? null);
    if (others.length === 0) return 'none is mapped';
    throw new Wrong(
      `mapped already: ${others.join(', ')}`,
      'Remove the package that brings it, and see that LD_PRELOAD names no TensorFlow.',
      'TFE_LIBRARY_CONFLICT',
    );
  });

  step(
    'open',
    () => {
      openLibrary(binding!, location!);
      const { cc, framework } = REQUIRED_SYMBOLS;
      return {
        open: location!.directory,
        version: location!.version,
        symbols: `${SYMBOL_COUNT}: ${cc.length} from cc, ${framework.length} from framework`,
      };
    },
    ['open', 'version', 'symbols'],
  );
  step('context', () => {
    const devices = binding!.library()!.devices;
    return `devices: ${devices.map(({ name }) => name).join(', ')}`;
  });
  step('op', () =>
    scope(() => {
      const sum = tf.add(tf.constant([1, 2]), tf.constant([3, 4])).arraySync();
      if (String(sum) !== '4,6') {
        throw new Wrong(
          `tf.add([1, 2], [3, 4]) answered [${String(sum)}]`,
          'This must not happen; please report it.',
        );
      }
      return 'tf.add([1, 2], [3, 4]) is [4, 6]';
    }),
  );
}

walk(JSON.parse(process.argv[2]!) as WalkTask);
