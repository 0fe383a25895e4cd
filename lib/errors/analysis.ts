/**
 * Errors of the plugin layer: what is asked of the analyser, its configuration and optional peers, and what plugins do
 * wrong. What is wrong with a source file is no error but a diagnostic (plugins/core/codes.ts).
 */
import { errorTable } from './define';

/** A lowering that does not keep what its claim promised. */
export interface LoweringFault {
  readonly plugin: string;
  readonly target: string;
  readonly position: string;
  readonly problem: string;
}

const claimOf = ({ plugin, target, position }: LoweringFault) =>
  `The plugin ${plugin} claimed ${target} at ${position}`;

const REPORT_PLUGIN = 'This is a mistake in the plugin; report it to its author.';
const LEAVE_PLUGIN_OUT =
  'This is a fault of the plugin: report it there. Until then, put "use tfe exempt" first in the function, or leave the plugin out of the configuration.';

export const ANALYSIS_ERRORS = errorTable({
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
    hint: REPORT_PLUGIN,
  },
  TFE_PLUGIN_LOWER_EXPR: {
    phase: 'analysis',
    message: (f: LoweringFault) => `${claimOf(f)}, and its lowering is not usable: ${f.problem}.`,
    hint: LEAVE_PLUGIN_OUT,
  },
  TFE_PLUGIN_LOWER_FAILED: {
    phase: 'analysis',
    message: (f: LoweringFault) => `${claimOf(f)}, and its lower() threw: ${f.problem}.`,
    hint: LEAVE_PLUGIN_OUT,
  },
  TFE_PLUGIN_LOWER_HELPER: {
    phase: 'analysis',
    message: (f: LoweringFault) =>
      `${claimOf(f)}, and asks for a helper that cannot be added: ${f.problem}.`,
    hint: LEAVE_PLUGIN_OUT,
  },
  TFE_PLUGIN_LOWER_IMPORT: {
    phase: 'analysis',
    message: (f: LoweringFault) =>
      `${claimOf(f)}, and asks for an import that cannot be added: ${f.problem}.`,
    hint: LEAVE_PLUGIN_OUT,
  },
  TFE_PLUGIN_LOWER_OP: {
    phase: 'analysis',
    message: (f: LoweringFault) =>
      `${claimOf(f)}, and its lowering names no valid op: ${f.problem}.`,
    hint: LEAVE_PLUGIN_OUT,
  },
  TFE_PLUGIN_LOWER_OPERANDS: {
    phase: 'analysis',
    message: (f: LoweringFault) =>
      `${claimOf(f)}, and its lowering does not keep the operands: ${f.problem}.`,
    hint: LEAVE_PLUGIN_OUT,
  },
  TFE_PLUGIN_THREW: {
    phase: 'analysis',
    message: (f: { pluginId: string; member: string; target: string; problem: string }) =>
      `The plugin '${f.pluginId}' threw in ${f.member}() for '${f.target}': ${f.problem}.`,
    hint: REPORT_PLUGIN,
  },
  TFE_PLUGIN_VERDICT: {
    phase: 'analysis',
    message: (f: { pluginId: string; target: string; problem: string }) =>
      `The plugin '${f.pluginId}' gave an illegal verdict for '${f.target}': ${f.problem}.`,
    hint: REPORT_PLUGIN,
  },
});
