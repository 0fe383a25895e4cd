/**
 * `tfe-node runtime install | path | verify | remove`: the command line of the library manager. Owns what is printed;
 * what is done belongs to lib/native.
 */
import { resolve } from 'node:path';
import { Writable } from 'node:stream';
import { installCommand } from '../errors/install';
import {
  installRuntime,
  removeRuntime,
  type InstallEvent,
  type InstallResult,
  type RemoveResult,
} from '../native/install';
import { locateRuntime, type LocateOptions } from '../native/locate';
import { defaultPin, VARIANTS, type Pin, type Variant } from '../native/pin';
import { currentPlatform, type PlatformId } from '../native/platforms';
import { verifyRuntime, type VerifyReport } from '../native/verify';
import { SingleBar } from '../vendor/cli-progress';
import { InvalidArgumentError, Option, type Command } from '../vendor/commander';
import type { CliContext } from './context';

/** Runs a task that Ctrl-C may end: the signal is aborted, and the task cleans up behind itself. */
export type Interruptible = <T>(task: (signal: AbortSignal) => Promise<T>) => Promise<T>;

/** What only `main.ts` can give, and what tests put in its place. */
export interface RuntimeDependencies {
  readonly interruptible?: Interruptible;
  readonly pin?: Pin;
  readonly platform?: PlatformId;
  readonly home?: string;
}

interface VariantChoice {
  readonly variant?: Variant;
}

interface InstallChoice extends VariantChoice {
  readonly wheel?: string;
  readonly fromPython?: string;
  readonly dest?: string;
  readonly force?: boolean;
}

export function register(
  program: Command,
  context: CliContext,
  dependencies: RuntimeDependencies = {},
): void {
  const { interruptible = (task) => task(new AbortController().signal), ...injected } =
    dependencies;
  const where = ({ variant }: VariantChoice): LocateOptions => ({
    ...injected,
    env: context.env,
    ...(variant === undefined ? {} : { variant }),
  });
  const variantOption = (): Option =>
    new Option('--variant <variant>', 'which build of the library').choices(VARIANTS);

  const runtime = program
    .command('runtime')
    .description("install, find, verify and remove TensorFlow's library");

  runtime
    .command('install')
    .description(
      'fetch the pinned library with pip, or take it from a wheel or a Python, check it and install it',
    )
    .option(
      '--wheel <file>',
      'take it from a wheel that lies here already, and fetch nothing',
      notEmpty,
    )
    .addOption(
      new Option(
        '--from-python <exe>',
        'copy it from the TensorFlow that this Python has installed, and fetch nothing',
      )
        .argParser(notEmpty)
        .conflicts('wheel'),
    )
    .option(
      '--dest <dir>',
      'install into this folder, made to be copied (container images)',
      notEmpty,
    )
    .addOption(variantOption())
    .option('--force', 'replace an installed copy even if it is good')
    .addHelpText(
      'after',
      '\nEnvironment:' +
        '\n  TFE_NODE_PIP      the command that runs pip (default: pip, pip3, python3 -m pip or python -m pip)' +
        '\n  TFE_NODE_RUNTIME  absolute path of the folder that shall hold the library' +
        '\n  XDG_CACHE_HOME    where the cache lies (default: ~/.cache)',
    )
    .action(async (choice: InstallChoice) => {
      const options = where(choice);
      const pin = injected.pin ?? defaultPin();
      const platform = injected.platform ?? currentPlatform();
      context.out(`TensorFlow ${pin.tensorflow} (${choice.variant ?? 'cpu'}) for ${platform}\n`);
      const began = Date.now();
      const display = new InstallDisplay(context);
      try {
        const result = await interruptible((signal) =>
          installRuntime({
            ...options,
            ...(choice.wheel === undefined ? {} : { wheel: resolve(context.cwd, choice.wheel) }),
            ...(choice.fromPython === undefined
              ? {}
              : { fromPython: commandOrPath(context.cwd, choice.fromPython) }),
            ...(choice.dest === undefined ? {} : { dest: resolve(context.cwd, choice.dest) }),
            force: choice.force === true,
            terminal: context.isTerminal,
            report: (event) => display.show(event),
            signal,
          }),
        );
        display.stop();
        context.out(installOutcome(result, Date.now() - began));
        if (choice.dest !== undefined) {
          context.out(
            'copies of this folder are good as well: set TFE_NODE_RUNTIME to where it lies\n',
          );
        }
      } finally {
        display.stop();
      }
    });

  runtime
    .command('path')
    .description('print the folder that the library is loaded from')
    .addOption(variantOption())
    .action((choice: VariantChoice) => {
      const { directory, notice } = locateRuntime(where(choice));
      if (notice !== null) context.err(`note: ${notice}\n`);
      context.out(`${directory}\n`);
    });

  runtime
    .command('verify')
    .description('hash both libraries and compare them with the pin')
    .addOption(variantOption())
    .action(async (choice: VariantChoice) => {
      const bar = new ProgressBar(context);
      try {
        const report = await interruptible((signal) =>
          verifyRuntime({
            ...where(choice),
            signal,
            progress: (name, done, total) => {
              bar.start(name, total);
              bar.update(done);
            },
          }),
        );
        bar.stop();
        printReport(report, context);
        if (!report.ok) context.exitCode = 1;
      } finally {
        bar.stop();
      }
    });

  runtime
    .command('remove')
    .description('remove what install made')
    .addOption(variantOption())
    .action(async (choice: VariantChoice) => {
      context.out(removeOutcome(await removeRuntime(where(choice))));
    });
}

/** A shell variable that is not set gives an empty argument, which as a path would be the working directory. */
function notEmpty(argument: string): string {
  if (argument === '') throw new InvalidArgumentError('It must not be empty.');
  return argument;
}

/** A program is looked for on PATH unless its name says where it lies. */
function commandOrPath(cwd: string, program: string): string {
  return program.includes('/') ? resolve(cwd, program) : program;
}

function installOutcome({ location, outcome }: InstallResult, ms: number): string {
  const { directory } = location;
  switch (outcome) {
    case 'installed':
      return `installed in ${directory} (${(ms / 1000).toFixed(1)} s)\n`;
    case 'recorded':
      return `the pinned files were in ${directory} already; their manifest was renewed\n`;
    case 'present':
      return `already installed in ${directory}\n`;
  }
}

function removeOutcome({ directory, outcome, swept }: RemoveResult): string {
  const staging = swept.length === 0 ? '' : `removed ${sweptText(swept)}\n`;
  switch (outcome) {
    case 'removed':
      return `${staging}removed ${directory}\n`;
    case 'forgotten':
      return `${staging}removed the manifest from ${directory}; the libraries were not installed by tfe-node and stay\n`;
    case 'absent':
      return `${staging}nothing is installed in ${directory}\n`;
  }
}

function printReport(report: VerifyReport, context: CliContext): void {
  for (const file of report.files) {
    context.out(
      file.ok
        ? `ok   ${file.path} (${file.size} bytes, SHA-256 ${file.sha256})\n`
        : `bad  ${file.path}: ${file.problem}\n`,
    );
  }
  const { manifest, manifestProblem, directory } = report;
  if (manifest === 'written') context.out(`recorded in ${directory}/manifest.json\n`);
  if (manifest === 'unwritable') {
    context.err(
      `note: the files are right, but ${directory} takes no manifest (${manifestProblem}). ` +
        'Where loading refuses the folder for that, set TFE_NODE_VERIFY=full: every load then hashes the files instead.\n',
    );
  }
  if (!report.ok) {
    context.err(
      report.source === 'env'
        ? 'the folder that TFE_NODE_RUNTIME names does not hold the pinned library\n'
        : `run \`${installCommand(report.variant, true)}\` to replace it\n`,
    );
  }
}

const VERBS = { copy: 'copying', hash: 'checking', extract: 'unpacking' } as const;

/** One line per step; on a terminal a bar under it while bytes move. */
class InstallDisplay {
  readonly #context: CliContext;
  readonly #bar: ProgressBar;

  constructor(context: CliContext) {
    this.#context = context;
    this.#bar = new ProgressBar(context);
  }

  show(event: InstallEvent): void {
    if (event.step === 'progress') {
      this.#bar.update(event.done);
      return;
    }
    this.#bar.stop();
    const context = this.#context;
    switch (event.step) {
      case 'stage':
        if (event.swept.length > 0) context.out(`removed ${sweptText(event.swept)}\n`);
        return;
      case 'fetch':
        context.out(`fetching ${event.file} (${megabytes(event.size)}) with ${event.pip}\n`);
        return;
      case 'output':
        context.out(`  ${event.text.trimStart()}\n`);
        return;
      case 'python':
        context.out(`found ${event.project} in ${event.directory}\n`);
        return;
      case 'omit':
        context.out(`without ${event.file}: ${event.problem}\n`);
        return;
      case 'copy':
      case 'hash':
      case 'extract': {
        const verb = VERBS[event.step];
        // A bar says the same, and more.
        if (context.isTerminal) this.#bar.start(`${verb} ${event.file}`, event.size);
        else context.out(`${verb} ${event.file} (${megabytes(event.size)})\n`);
        return;
      }
      case 'aside':
        context.out('replacing the old copy\n');
        return;
      case 'check':
      case 'seal':
      case 'placed':
        return;
    }
  }

  stop(): void {
    this.#bar.stop();
  }
}

/** A bar on a terminal, nothing elsewhere. */
class ProgressBar {
  readonly #context: CliContext;
  #bar: SingleBar | undefined;
  #label: string | undefined;

  constructor(context: CliContext) {
    this.#context = context;
  }

  /** Begins a bar; the same label again goes on with the same one. */
  start(label: string, total: number): void {
    if (!this.#context.isTerminal || this.#label === label) return;
    this.stop();
    this.#label = label;
    this.#bar = new SingleBar({
      format: '{bar} {percentage}% {label}',
      barsize: 24,
      barCompleteChar: '#',
      barIncompleteChar: '.',
      stream: terminalOf(this.#context),
      // An interrupt is for the installation to handle; the bar is stopped on its way out.
      gracefulExit: false,
      hideCursor: true,
    });
    this.#bar.start(total, 0, { label });
  }

  update(done: number): void {
    this.#bar?.update(done);
  }

  stop(): void {
    this.#bar?.stop();
    this.#bar = undefined;
    this.#label = undefined;
  }
}

/** The terminal behind a context, as the stream that the progress bar draws on. */
function terminalOf(context: CliContext): NodeJS.WritableStream {
  const stream = new Writable({
    decodeStrings: false,
    write(chunk: string | Buffer, _encoding, done) {
      context.err(String(chunk));
      done();
    },
  });
  return Object.assign(stream, { isTTY: true });
}

function sweptText(swept: readonly string[]): string {
  return swept.length === 1
    ? 'what an interrupted installation had left'
    : `what ${swept.length} interrupted installations had left`;
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}
