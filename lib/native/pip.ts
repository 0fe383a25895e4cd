/**
 * Fetches the wheel through the user's own package client, with that client's own configuration: index, proxy,
 * certificates and cache are none of our business. Owns finding pip and reading its failures.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { tfeError } from '../errors';
import type { Environment } from './paths';
import type { PinnedSource } from './pin';

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
    const { outcome, output } = run;
    throw NO_NETWORK.test(output)
      ? tfeError('TFE_PIP_NO_NETWORK', { command, file, output: lastLines(output) })
      : tfeError('TFE_PIP_FAILED', { command, file, outcome, output: lastLines(output) });
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
  const child = spawn(program, [...args, '--version'], {
    env,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  // Not spawn's own `timeout`: it keeps the process alive when the program does not exist.
  const impatience = setTimeout(() => child.kill('SIGKILL'), ANSWER_MS);
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (part: string) => (text += part));
  const outcome = await ended(child, signal).finally(() => clearTimeout(impatience));
  return outcome === null ? (/^pip \d\S*/u.exec(text)?.[0] ?? null) : null;
}

async function runPip(
  pip: PipCommand,
  args: readonly string[],
  { env, terminal, signal, line }: FetchOptions,
): Promise<{ readonly outcome: string | null; readonly output: string }> {
  const child = spawn(pip.program, [...pip.args, ...args], {
    // Without a terminal Python holds its output back until a buffer is full.
    env: { PYTHONUNBUFFERED: '1', ...env },
    stdio: [terminal ? 'inherit' : 'ignore', terminal ? 'inherit' : 'pipe', 'pipe'],
  });
  const said: string[] = [];
  eachLine(child.stdout, (text) => {
    said.push(text);
    line(text);
  });
  eachLine(child.stderr, (text) => {
    said.push(text);
    line(text);
  });
  const outcome = await ended(child, signal);
  return { outcome, output: said.join('\n') };
}

/** Null for success, else how the child ended, to follow "pip ...". Kills the child when `signal` is aborted. */
async function ended(child: ChildProcess, signal: AbortSignal): Promise<string | null> {
  let patience: NodeJS.Timeout | undefined;
  const stop = (): void => {
    child.kill('SIGTERM');
    patience = setTimeout(() => child.kill('SIGKILL'), GRACE_MS);
  };
  if (signal.aborted) stop();
  else signal.addEventListener('abort', stop, { once: true });
  const outcome = await new Promise<string | null>((resolve) => {
    child.once('error', (error) => resolve(`could not be run (${error.message})`));
    child.once('close', (code, killedBy) => {
      if (killedBy !== null) resolve(`was ended by ${killedBy}`);
      else resolve(code === 0 ? null : `ended with exit code ${code}`);
    });
  });
  clearTimeout(patience);
  signal.removeEventListener('abort', stop);
  signal.throwIfAborted();
  return outcome;
}

function eachLine(stream: NodeJS.ReadableStream | null, hear: (text: string) => void): void {
  if (stream === null) return;
  let rest = '';
  const take = (text: string): void => {
    const clean = text.trimEnd();
    if (clean !== '') hear(clean);
  };
  stream.setEncoding('utf8');
  stream.on('data', (part: string) => {
    const lines = (rest + part).split(/\r?\n|\r/u);
    rest = lines.pop() ?? '';
    lines.forEach(take);
  });
  stream.on('end', () => take(rest));
}

function lastLines(output: string): string {
  return output.split('\n').slice(-QUOTED_LINES).join('\n');
}
