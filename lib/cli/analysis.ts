/**
 * What the commands that analyse sources have in common: their options, and the plugins and policy that follow from the
 * command line, the environment and the configuration. Registers no command.
 */
import type { AnalysisConfig } from '../../plugins/core/analyze';
import type { Plugin } from '../../plugins/core/api';
import { fallbackPolicy, loadConfig, type FallbackPolicy } from '../../plugins/core/config';
import { createRegistry, type Registry } from '../../plugins/core/registry';
import { plugin as tensorflow } from '../../plugins/tensorflow';
import { Option, type Command } from '../vendor/commander';
import type { CliContext } from './context';

export interface AnalysisOptions {
  readonly fallback?: FallbackPolicy;
  readonly config?: string;
}

/** The plugins that are active without configuration. */
export const BUILT_IN: readonly Plugin[] = [tensorflow];

export function addAnalysisOptions(command: Command): Command {
  return command
    .addOption(
      new Option('--fallback <policy>', 'what runs as written around an unclaimed call').choices([
        'site',
        'function',
      ]),
    )
    .option('--config <file>', 'read this configuration instead of searching for one');
}

/** @throws TfeError `TFE_CONFIG_*`, `TFE_FALLBACK_POLICY`, `TFE_PLUGIN_*` */
export function analysisSetup(
  options: AnalysisOptions,
  context: CliContext,
  builtIn: readonly Plugin[],
): { readonly registry: Registry; readonly config: AnalysisConfig } {
  const config = loadConfig(context.cwd, options.config);
  const fallback = fallbackPolicy({
    commandLine: options.fallback,
    environment: context.env['TFE_NODE_FALLBACK'],
    config: config.fallback,
  });
  return { registry: createRegistry([...builtIn, ...config.plugins]), config: { fallback } };
}
