/**
 * `tfe-node/plugin`: what a plugin author and a build tool need. Analysing needs the optional peers oxc-parser and
 * `@typescript-eslint/scope-manager`; they are loaded on the first use.
 */
export { claimed, CORE_TYPES, definePlugin, notCovered, PLUGIN_API_VERSION, rejected } from './api';
export type {
  ClaimLiteral,
  ClaimOptions,
  ClaimSite,
  Coverage,
  LoweredExpr,
  LoweringContext,
  OpRef,
  OptionEntry,
  Plugin,
  PluginDiagnostic,
  PluginType,
  RuleRecord,
  TypeKey,
  Verdict,
} from './api';
export { analyzeSource, DEFAULT_CONFIG, toFileReport } from './analyze';
export type { AnalysisConfig, AnalysisRequest } from './analyze';
export type {
  AstNode,
  CaptureAnalysis,
  FileAnalysis,
  FunctionAnalysis,
  ModuleKind,
  ParameterAnalysis,
  SiteAnalysis,
  Span,
} from './analysis-model';
export type {
  Diagnostic,
  FileReport,
  FunctionReport,
  FunctionStatus,
  Reason,
  SiteReport,
  SourceRange,
} from './model';
export { lowerSource } from './lower';
export { createRegistry } from './registry';
export type { Answer, Registry } from './registry';
