import { errorTable } from './define';

export const ANALYSIS_ERRORS = errorTable({
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
  TFE_CHECK_PATH: {
    phase: 'analysis',
    message: (f: { path: string; problem: string }) => `'${f.path}' ${f.problem}.`,
    hint: 'Name a source file (.ts, .tsx, .mts, .cts, .js, .jsx, .mjs, .cjs) or a folder.',
  },
  TFE_CONFIG_INVALID: {
    phase: 'analysis',
    message: (f: { file: string; key: string; problem: string }) =>
      `The configuration ${f.file} is wrong at '${f.key}': ${f.problem}.`,
    hint: "Known keys: plugins (a list of module names), fallback ('site' or 'function').",
  },
  TFE_CONFIG_PLUGIN: {
    phase: 'analysis',
    message: (f: { file: string; specifier: string; problem: string }) =>
      `The plugin '${f.specifier}' that ${f.file} names cannot be used: ${f.problem}.`,
    hint: "A plugin module exports 'plugin', made with definePlugin of 'tfe-node/plugin'.",
  },
  TFE_CONFIG_UNREADABLE: {
    phase: 'analysis',
    message: (f: { file: string; problem: string }) =>
      `The configuration ${f.file} cannot be read: ${f.problem}.`,
    hint: 'Fix the file, or name another one with --config.',
  },
  TFE_FALLBACK_POLICY: {
    phase: 'analysis',
    message: (f: { source: string; value: string }) =>
      `${f.source} is '${f.value}', which is no fallback policy.`,
    hint: "Use 'site' (each unclaimed call runs as written) or 'function' (the whole function does).",
  },
  TFE_PEER_BROKEN: {
    phase: 'analysis',
    message: (f: { name: string; reason: string }) =>
      `The package '${f.name}' is installed, but cannot be loaded: ${f.reason}.`,
    hint: 'Install it again; its native part may be missing for this platform.',
  },
  TFE_PEER_MISSING: {
    phase: 'analysis',
    message: (f: { name: string; missing: readonly string[]; command: string }) =>
      `Analysing source files needs the package '${f.name}', which is not installed.`,
    hint: (f: { command: string }) => `Run: ${f.command}`,
  },
  TFE_PEER_VERSION: {
    phase: 'analysis',
    message: (f: { name: string; found: string; range: string; command: string }) =>
      `The package '${f.name}' has version ${f.found}, but ${f.range} is needed.`,
    hint: (f: { command: string }) => `Run: ${f.command}`,
  },
  TFE_PLUGIN_CONFLICT: {
    phase: 'analysis',
    message: (f: { target: string; plugins: readonly string[] }) =>
      `The call of '${f.target}' is claimed by more than one plugin: ${f.plugins.join(', ')}.`,
    hint: 'Enable one of them only.',
  },
  TFE_PLUGIN_INVALID: {
    phase: 'define',
    message: (f: { pluginId: string; problem: string }) =>
      `The plugin '${f.pluginId}' cannot be loaded: ${f.problem}.`,
    hint: 'This is a mistake in the plugin; report it to its author.',
  },
  TFE_PLUGIN_LOWER_EXPR: {
    phase: 'analysis',
    message: (f: { plugin: string; target: string; position: string; problem: string }) =>
      `The plugin ${f.plugin} claimed ${f.target} at ${f.position}, and its lowering is not usable: ${f.problem}.`,
    hint: 'This is a fault of the plugin: report it there. Until then, put "use tfe exempt" first in the function, or leave the plugin out of the configuration.',
  },
  TFE_PLUGIN_LOWER_FAILED: {
    phase: 'analysis',
    message: (f: { plugin: string; target: string; position: string; problem: string }) =>
      `The plugin ${f.plugin} claimed ${f.target} at ${f.position}, and its lower() threw: ${f.problem}.`,
    hint: 'This is a fault of the plugin: report it there. Until then, put "use tfe exempt" first in the function, or leave the plugin out of the configuration.',
  },
  TFE_PLUGIN_LOWER_HELPER: {
    phase: 'analysis',
    message: (f: { plugin: string; target: string; position: string; problem: string }) =>
      `The plugin ${f.plugin} claimed ${f.target} at ${f.position}, and asks for a helper that cannot be added: ${f.problem}.`,
    hint: 'This is a fault of the plugin: report it there. Until then, put "use tfe exempt" first in the function, or leave the plugin out of the configuration.',
  },
  TFE_PLUGIN_LOWER_IMPORT: {
    phase: 'analysis',
    message: (f: { plugin: string; target: string; position: string; problem: string }) =>
      `The plugin ${f.plugin} claimed ${f.target} at ${f.position}, and asks for an import that cannot be added: ${f.problem}.`,
    hint: 'This is a fault of the plugin: report it there. Until then, put "use tfe exempt" first in the function, or leave the plugin out of the configuration.',
  },
  TFE_PLUGIN_LOWER_OP: {
    phase: 'analysis',
    message: (f: { plugin: string; target: string; position: string; problem: string }) =>
      `The plugin ${f.plugin} claimed ${f.target} at ${f.position}, and its lowering names no valid op: ${f.problem}.`,
    hint: 'This is a fault of the plugin: report it there. Until then, put "use tfe exempt" first in the function, or leave the plugin out of the configuration.',
  },
  TFE_PLUGIN_LOWER_OPERANDS: {
    phase: 'analysis',
    message: (f: { plugin: string; target: string; position: string; problem: string }) =>
      `The plugin ${f.plugin} claimed ${f.target} at ${f.position}, and its lowering does not keep the operands: ${f.problem}.`,
    hint: 'This is a fault of the plugin: report it there. Until then, put "use tfe exempt" first in the function, or leave the plugin out of the configuration.',
  },
  TFE_PLUGIN_THREW: {
    phase: 'analysis',
    message: (f: { pluginId: string; member: string; target: string; problem: string }) =>
      `The plugin '${f.pluginId}' threw in ${f.member}() for '${f.target}': ${f.problem}.`,
    hint: 'This is a mistake in the plugin; report it to its author.',
  },
  TFE_PLUGIN_VERDICT: {
    phase: 'analysis',
    message: (f: { pluginId: string; target: string; problem: string }) =>
      `The plugin '${f.pluginId}' gave an illegal verdict for '${f.target}': ${f.problem}.`,
    hint: 'This is a mistake in the plugin; report it to its author.',
  },
});
