/** Errors of `tfe-node build`: what it reads, what it would write over, and what cannot become JavaScript. */
import { errorTable } from './define';

export const BUILD_ERRORS = errorTable({
  TFE_BUILD_COLLISION: {
    phase: 'cli',
    message: (f: { output: string; files: readonly string[] }) =>
      `${f.files.join(' and ')} would both become ${f.output}.`,
    hint: 'Rename one of them.',
  },
  TFE_BUILD_COMMONJS: {
    phase: 'analysis',
    message: (f: { file: string }) =>
      `${f.file} is a CommonJS module (require, exports or export =), and build emits ES modules.`,
    hint: 'Write it with import and export. A JavaScript file may be named .cjs instead; it is then copied as it is.',
  },
  TFE_BUILD_DECLARATIONS: {
    phase: 'analysis',
    message: (f: {
      file: string;
      exports: readonly { name: string; line: number; column: number; problem: string }[];
    }) =>
      `The declarations of ${f.file} cannot be written without type inference: ${f.exports
        .map(({ name, line, column, problem }) => `'${name}' (${line}:${column}): ${problem}`)
        .join('; ')}.`,
    hint: 'Give each of these exports an explicit type.',
  },
  TFE_BUILD_FOREIGN_FILE: {
    phase: 'cli',
    message: (f: { out: string; files: readonly string[] }) =>
      `${f.out} holds files that no build made and that this one would replace: ${f.files.join(', ')}.`,
    hint: 'Nothing was written. Choose another --out, or move these files away.',
  },
  TFE_BUILD_MANIFEST: {
    phase: 'cli',
    message: (f: { path: string; problem: string }) =>
      `The list of built files ${f.path} cannot be used: ${f.problem}.`,
    hint: 'Nothing was written. Remove the output folder if all of it is built, then build again.',
  },
  TFE_BUILD_OUT: {
    phase: 'cli',
    message: (f: { out: string; problem: string }) =>
      `--out ${f.out} cannot be used: ${f.problem}.`,
    hint: 'Choose a folder outside the sources.',
  },
  TFE_BUILD_PACKAGE: {
    phase: 'cli',
    message: (f: { path: string }) =>
      `Node would read the built .js files as CommonJS: ${f.path} does not say "type": "module".`,
    hint: 'Add "type": "module" to it, or choose another --out: build writes a package.json where there is none.',
  },
  TFE_BUILD_PARSE: {
    phase: 'analysis',
    message: (f: {
      problems: readonly { file: string; line: number; column: number; message: string }[];
    }) =>
      f.problems
        .map(({ file, line, column, message }) => `${file}:${line}:${column}: ${message}`)
        .join('\n'),
    hint: 'Nothing was written.',
  },
  TFE_BUILD_SOURCE: {
    phase: 'cli',
    message: (f: { path: string; problem: string }) => `${f.path} cannot be built: ${f.problem}.`,
    hint: 'Name a TypeScript module or a folder that holds some.',
  },
  TFE_BUILD_SYNTAX: {
    phase: 'analysis',
    message: (f: { file: string; line: number; column: number; problem: string }) =>
      `${f.file}:${f.line}:${f.column} cannot be built: ${f.problem}.`,
    hint: 'Nothing was written. Write it in a way that Node 20 runs as an ES module.',
  },
  TFE_BUILD_UNSUPPORTED: {
    phase: 'cli',
    message: (f: { file: string; problem: string }) =>
      `${f.file} cannot be built: it is ${f.problem}.`,
    hint: 'Write it as a .ts or .mts module, keep it out of the source folder, or name the one file to build.',
  },
  TFE_BUILD_WRITE: {
    phase: 'cli',
    message: (f: { out: string; problem: string }) => `Writing to ${f.out} failed: ${f.problem}.`,
    hint: 'Files that are there are whole; build again when the cause is gone.',
  },
});
