/**
 * Which files a build reads, what each becomes, and where the modules that they import end up. Reads names and
 * `package.json` files; what is in the sources is build.ts's matter.
 */
import { existsSync, readFileSync, readdirSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join, posix, relative, resolve, sep } from 'node:path';
import { messageOf } from '../describe';
import { tfeError } from '../errors';

export interface SourceFile {
  readonly kind: 'compile' | 'copy';
  /** Relative to the root, with forward slashes. */
  readonly path: string;
  readonly absolute: string;
  /** What it becomes: the module for `compile`, the same name for `copy`. */
  readonly output: string;
}

export interface BuildPlan {
  /** The folder that paths are relative to. */
  readonly root: string;
  readonly out: string;
  readonly files: readonly SourceFile[];
}

const DECLARATION = /\.d\.(?:[^./]+\.)?[cm]?ts$/;
const COPIED = /\.(?:js|mjs|cjs|json)$/;
/** Source extension to the extensions of the module and its declarations. */
const COMPILED: Readonly<Record<string, { readonly module: string; readonly types: string }>> = {
  '.ts': { module: '.js', types: '.d.ts' },
  '.mts': { module: '.mjs', types: '.d.mts' },
};
/** Why there is no output for them. */
const UNSUPPORTED: Readonly<Record<string, string>> = {
  '.cts': 'a CommonJS module, and build emits ES modules',
  '.tsx': 'JSX, which needs a choice of JSX runtime that build does not make',
};

function extensionOf(path: string): string {
  return /\.[^./]*$/.exec(path)?.[0] ?? '';
}

/** Where the declarations of a compiled source go. */
export function declarationsOf(file: SourceFile): string {
  const extension = extensionOf(file.path);
  return file.path.slice(0, -extension.length) + COMPILED[extension]!.types;
}

function classify(path: string, absolute: string): SourceFile | null {
  if (DECLARATION.test(path) || COPIED.test(path)) {
    return { kind: 'copy', path, absolute, output: path };
  }
  const extension = extensionOf(path);
  const unsupported = UNSUPPORTED[extension];
  if (unsupported !== undefined) {
    throw tfeError('TFE_BUILD_UNSUPPORTED', { file: path, problem: unsupported });
  }
  const compiled = COMPILED[extension];
  if (compiled === undefined) return null;
  const output = path.slice(0, -extension.length) + compiled.module;
  return { kind: 'compile', path, absolute, output };
}

/**
 * @throws `TFE_BUILD_SOURCE`, `TFE_BUILD_OUT`, `TFE_BUILD_UNSUPPORTED`, `TFE_BUILD_COLLISION`
 */
export function planBuild(src: string, out: string): BuildPlan {
  const cannot = (problem: string, cause?: unknown) =>
    tfeError('TFE_BUILD_SOURCE', { path: src, problem }, { cause });
  let isFolder: boolean;
  let real: string;
  try {
    isFolder = statSync(src).isDirectory();
    real = realpathSync(src);
  } catch (error) {
    throw cannot(messageOf(error), error);
  }
  checkOut(real, isFolder, out);
  if (!isFolder) {
    const file = classify(basename(src), src);
    if (file?.kind !== 'compile') throw cannot('it is not a TypeScript module (.ts or .mts)');
    return { root: dirname(src), out, files: [file] };
  }
  const files: SourceFile[] = [];
  try {
    walk(src, '', files);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).syscall === undefined) throw error;
    throw cannot(messageOf(error), error);
  }
  if (!files.some(({ kind }) => kind === 'compile')) {
    throw cannot('it holds no TypeScript module (.ts or .mts)');
  }
  checkCollisions(files);
  return { root: src, out, files };
}

function walk(root: string, folder: string, files: SourceFile[]): void {
  const entries = readdirSync(join(root, folder), { withFileTypes: true });
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const { name } = entry;
    if (name.startsWith('.') || name === 'node_modules') continue;
    const path = folder === '' ? name : `${folder}/${name}`;
    const absolute = join(root, path);
    if (entry.isDirectory()) {
      walk(root, path, files);
    } else if (entry.isFile() || (entry.isSymbolicLink() && isFile(absolute))) {
      const file = classify(path, absolute);
      if (file !== null) files.push(file);
    }
  }
}

function isFile(path: string): boolean {
  return existsSync(path) && statSync(path).isFile();
}

/** The path with every link resolved, whether or not its end exists yet. */
function realOf(path: string): string {
  if (existsSync(path) || dirname(path) === path)
    return existsSync(path) ? realpathSync(path) : path;
  return join(realOf(dirname(path)), basename(path));
}

function holds(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way === '' || (way !== '..' && !way.startsWith(`..${sep}`) && resolve(way) !== way);
}

function checkOut(src: string, isFolder: boolean, out: string): void {
  const refuse = (problem: string) => tfeError('TFE_BUILD_OUT', { out, problem });
  if (existsSync(out) && !statSync(out).isDirectory()) throw refuse('it is not a folder');
  const target = realOf(resolve(out));
  if (holds(target, src)) {
    throw refuse('the source lies in it, and built files would land among the sources');
  }
  if (isFolder && holds(src, target)) {
    throw refuse('it lies in the source folder, so the next build would read it');
  }
}

function checkCollisions(files: readonly SourceFile[]): void {
  const made = new Map<string, string>();
  for (const file of files) {
    const outputs =
      file.kind === 'copy'
        ? [file.output]
        : [file.output, `${file.output}.map`, declarationsOf(file)];
    for (const output of outputs) {
      const other = made.get(output);
      if (other !== undefined) {
        throw tfeError('TFE_BUILD_COLLISION', { output, files: [other, file.path] });
      }
      made.set(output, file.path);
    }
  }
}

/** What `specifier` in `from` must say in the built file, `null` to leave it, `undefined` when its target is not built. */
export type ResolveSpecifier = (from: SourceFile, specifier: string) => string | null | undefined;

/** Extensions tried behind a specifier, in TypeScript's order, with what the emitted module has instead. */
const TRIED: readonly (readonly [source: string, emitted: string])[] = [
  ['.ts', '.js'],
  ['.d.ts', '.js'],
  ['.mts', '.mjs'],
  ['.d.mts', '.mjs'],
  ['.js', '.js'],
  ['.mjs', '.mjs'],
  ['.cjs', '.cjs'],
  ['.json', '.json'],
];
/** A specifier that names the emitted file already. */
const EMITTED: Readonly<Record<string, readonly string[]>> = {
  '.js': ['.ts', '.d.ts'],
  '.mjs': ['.mts', '.d.mts'],
  '.cjs': ['.d.cts'],
};

export function specifierResolver(files: readonly SourceFile[]): ResolveSpecifier {
  const paths = new Map(files.map((file) => [file.path, file]));
  return (from, specifier) => {
    if (!/^\.\.?(?:\/|$)/.test(specifier)) return null;
    const base = posix.join(posix.dirname(from.path), specifier);
    const isFolderOnly = /(?:^|\/)\.{0,2}$/.test(specifier);
    const rewritten = (target: string) => {
      const way = posix.relative(posix.dirname(from.output), target);
      const text = way.startsWith('.') ? way : `./${way}`;
      return text === specifier ? null : text;
    };
    if (!isFolderOnly) {
      const exact = paths.get(base);
      if (exact !== undefined) {
        return DECLARATION.test(base)
          ? rewritten(base.replace(DECLARATION, (text) => (text.endsWith('.mts') ? '.mjs' : '.js')))
          : rewritten(exact.output);
      }
      const extension = extensionOf(base);
      const stem = base.slice(0, base.length - extension.length);
      if ((EMITTED[extension] ?? []).some((source) => paths.has(stem + source))) return null;
    }
    for (const target of isFolderOnly ? [posix.join(base, 'index')] : [base, `${base}/index`]) {
      const found = TRIED.find(([source]) => paths.has(target + source));
      if (found !== undefined) return rewritten(target + found[1]);
    }
    return undefined;
  };
}

/** `type` of the nearest `package.json` at or above a folder; `null` when there is none or it says nothing. */
export function packageTypeAt(
  folder: string,
  skip: (path: string) => boolean = () => false,
): string | null {
  for (let at = resolve(folder); ; at = dirname(at)) {
    const path = join(at, 'package.json');
    if (!skip(path) && existsSync(path)) return packageType(readFileSync(path, 'utf8'));
    if (dirname(at) === at) return null;
  }
}

export function packageType(text: string): string | null {
  try {
    const data: unknown = JSON.parse(text);
    const type = typeof data === 'object' && data !== null && 'type' in data ? data.type : null;
    return typeof type === 'string' ? type : null;
  } catch {
    return null;
  }
}
