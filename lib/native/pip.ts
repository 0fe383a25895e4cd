/**
 * Fetches the wheel through the user's own package client, with that client's own configuration: index, proxy,
 * certificates and cache are none of our business. Owns finding pip and reading its failures.
 */
import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { tfeError } from '../errors';
import { permissionRefusal } from './files';
import type { Environment } from './paths';
import type { PinnedSource } from './pin';
import { LastLines, runProgram } from './program';

export interface PipCommand {
  readonly program: string;
  readonly args: readonly string[];
  /** `pip 23.2.1`. */
  readonly version: string;
}

export interface FetchOptions {
  readonly env: Environment;
  /** The version of the project, exactly. */
  readonly tensorflow: string;
  readonly source: PinnedSource;
  /** An empty folder for the wheel. */
  readonly directory: string;
  /** Whether pip may draw its progress bar: its standard output then is the terminal's own. */
  readonly terminal: boolean;
  readonly signal: AbortSignal;
  readonly started: (pip: PipCommand) => void;
  /** Hears what pip says, line by line. */
  readonly line: (text: string) => void;
}

/** In the order in which they are tried. */
const CANDIDATES: readonly (readonly string[])[] = [
  ['pip'],
  ['pip3'],
  ['python3', '-m', 'pip'],
  ['python', '-m', 'pip'],
];

/** How long a pip may take to say its version, and to end after it was told to. */
const ANSWER_MS = 30_000;
const GRACE_MS = 5_000;

/** Lines of pip's error output that go into an error message. */
const QUOTED_LINES = 12;

/** What pip says when it cannot reach an index, from its own and urllib3's messages. */
const NO_NETWORK =
  /connection broken by|NewConnectionError|NameResolutionError|Temporary failure in name resolution|Failed to establish a new connection|Network is unreachable|ConnectTimeoutError|ReadTimeoutError|ProxyError|Could not fetch URL|Max retries exceeded|SSLCertVerificationError/u;

/**
 * Downloads the pinned wheel into `directory` and returns its path. The file is not checked here.
 *
 * @throws TFE_PIP_NOT_FOUND, TFE_PIP_NO_NETWORK, TFE_PIP_FAILED, TFE_PIP_NO_WHEEL
 */
export async function fetchWheel(options: FetchOptions): Promise<string> {
  const { source, directory } = options;
  const { file } = source.wheel;
  const pip = await findPip(options);
  options.started(pip);

  const run = await runPip(
    pip,
    [
      ...downloadArguments(source, options.tensorflow, directory),
      '--disable-pip-version-check',
      ...(options.terminal ? [] : ['--no-input', '--progress-bar', 'off']),
    ],
    options,
  );
  // The command in a message is for a person to repeat, so it names no staging folder.
  const command = ['pip', ...downloadArguments(source, options.tensorflow, '.')].join(' ');
  if (run.outcome !== null) {
    const { outcome, output, isOffline } = run;
    throw isOffline
      ? tfeError('TFE_PIP_NO_NETWORK', { command, file, output })
      : tfeError('TFE_PIP_FAILED', { command, file, outcome, output });
  }
  const found = await readdir(directory);
  if (!found.includes(file)) throw tfeError('TFE_PIP_NO_WHEEL', { command, file, found });
  return join(directory, file);
}

/** The exact wheel, whatever the Python that runs pip: the target is named in full. */
function downloadArguments(
  source: PinnedSource,
  tensorflow: string,
  directory: string,
): readonly string[] {
  const python = source.pythonTag.replace(/^cp/u, '');
  return [
    'download',
    '--no-deps',
    '--only-binary=:all:',
    '--python-version',
    python,
    '--implementation',
    'cp',
    '--abi',
    source.pythonTag,
    '--platform',
    source.pipPlatform,
    '-d',
    directory,
    `${source.project}==${tensorflow}`,
  ];
}

async function findPip({ env, source, tensorflow, signal }: FetchOptions): Promise<PipCommand> {
  const own = env['TFE_NODE_PIP']?.trim();
  // A path with blanks in it is one word when such a file exists.
  const candidates =
    own === undefined || own === '' ? CANDIDATES : [existsSync(own) ? [own] : own.split(/\s+/u)];
  for (const [program, ...args] of candidates) {
    const version = await pipVersion(program!, args, env, signal);
    if (version !== null) return { program: program!, args, version };
  }
  throw tfeError('TFE_PIP_NOT_FOUND', {
    tried: candidates.map((words) => words.join(' ')),
    project: `${source.project}==${tensorflow}`,
    file: source.wheel.file,
  });
}

/** `pip 23.2.1` when the command is a pip that runs, else null: a shim without a Python behind it fails here. */
async function pipVersion(
  program: string,
  args: readonly string[],
  env: Environment,
  signal: AbortSignal,
): Promise<string | null> {
  let version: string | null = null;
  const { problem, refusal } = await runProgram(program, [...args, '--version'], {
    env,
    stdio: ['ignore', 'pipe', 'ignore'],
    hear: { 1: (line) => (version ??= /^pip \d\S*/u.exec(line)?.[0] ?? null) },
    signal,
    patienceMs: ANSWER_MS,
  });
  signal.throwIfAborted();
  // No other pip would run either.
  if (refusal !== null && permissionRefusal(refusal) !== undefined) throw refusal;
  return problem === null ? version : null;
}

async function runPip(
  pip: PipCommand,
  args: readonly string[],
  { env, terminal, signal, line }: FetchOptions,
): Promise<{
  /** Null for success, else how it ended, to follow "pip ...". */
  readonly outcome: string | null;
  /** The last lines of what it said. */
  readonly output: string;
  /** Whether it said that it cannot reach an index. */
  readonly isOffline: boolean;
}> {
  const said = new LastLines(QUOTED_LINES);
  let isOffline = false;
  const hear = (text: string): void => {
    said.add(text);
    if (NO_NETWORK.test(text)) isOffline = true;
    line(text);
  };
  const { problem } = await runProgram(pip.program, [...pip.args, ...args], {
    // Without a terminal Python holds its output back until a buffer is full.
    env: { PYTHONUNBUFFERED: '1', ...env },
    stdio: [terminal ? 'inherit' : 'ignore', terminal ? 'inherit' : 'pipe', 'pipe'],
    hear: { 1: hear, 2: hear },
    signal,
    graceMs: GRACE_MS,
  });
  signal.throwIfAborted();
  return { outcome: problem, output: said.toString(), isOffline };
}
