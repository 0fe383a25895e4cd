/**
 * One file, analysed: parse, resolve, infer, ask, settle. Pure: no files are read, nothing is written, the same text
 * and plugins give the same answer.
 */
import type { Node, Program } from '@oxc-project/types';

import type {
  FileAnalysis,
  FunctionAnalysis,
  ParameterAnalysis,
  SiteAnalysis,
  Span,
} from './analysis-model';
import { isFunctionNode, isTypeOnly, walk } from './ast';
import type { TypeKey } from './api';
import { readBoundary } from './boundary';
import { CODES, diagnostic, reason } from './codes';
import { readEscapes, type EscapeSummary } from './escape';
import { Functions, isTfeDirective, type FunctionInfo } from './functions';
import { Inference } from './infer';
import { Literals } from './literals';
import type { Diagnostic, FileReport, FunctionReport, Reason, SiteReport } from './model';
import { Names } from './names';
import { moduleFacts, parse } from './parse';
import { Positions } from './positions';
import type { Boundary, PlacedSite } from './reading';
import type { Registry } from './registry';
import { Bindings } from './scope';
import { calleesFirst, settleAll, type Draft, type Settled } from './settle';
import { similarPath } from './similar';
import { Annotations } from './types';

/** The policy of an analysis. */
export interface AnalysisConfig {
  /** What happens to a function with calls that nobody claims, unless its directive says otherwise. */
  readonly fallback: 'site' | 'function';
}

export const DEFAULT_CONFIG: AnalysisConfig = { fallback: 'site' };

/** One file to analyse. */
export interface AnalysisRequest {
  /** Names the file in reports, and tells the language by its extension. Nothing is read from it. */
  readonly file: string;
  readonly source: string;
  readonly registry: Registry;
  readonly config?: AnalysisConfig;
}

/**
 * Analyses one file.
 *
 * A file that does not parse, or nests too deeply, gives a diagnostic and no functions. What throws is a plugin that
 * misbehaves (`TFE_PLUGIN_*`) or an optional peer that is missing (`TFE_PEER_*`).
 *
 * @throws TfeError `TFE_PLUGIN_THREW`, `TFE_PLUGIN_VERDICT`, `TFE_PLUGIN_CONFLICT`; `TFE_PEER_MISSING`,
 *   `TFE_PEER_VERSION`, `TFE_PEER_BROKEN`
 * @example
 * const registry = createRegistry([plugin]);
 * const { functions } = analyzeSource({ file: 'score.ts', source: readFileSync('score.ts', 'utf8'), registry });
 * functions.map(({ name, status }) => `${name}: ${status}`); // ['score: native']
 */
export function analyzeSource(request: AnalysisRequest): FileAnalysis {
  const positions = new Positions(request.source);
  try {
    return analyze(request, positions);
  } catch (error) {
    // The tree is walked recursively: a chain of operators may be longer than the stack is deep.
    // By name: the error may come from another realm.
    if ((error as { name?: unknown } | null)?.name !== 'RangeError') throw error;
    return empty(request, [diagnostic(CODES.tooDeep, [], positions.range(0, 0))]);
  }
}

function empty(request: AnalysisRequest, diagnostics: readonly Diagnostic[]): FileAnalysis {
  return {
    file: request.file,
    source: request.source,
    diagnostics,
    program: null,
    moduleKind: 'script',
    insertionPoint: 0,
    identifiers: new Set(),
    functions: [],
  };
}

function analyze(request: AnalysisRequest, positions: Positions): FileAnalysis {
  const { file, source, registry } = request;
  const config = request.config ?? DEFAULT_CONFIG;
  const parsed = parse(file, source, positions);
  if (parsed.program === null) return empty(request, parsed.diagnostics);
  const { program } = parsed;
  const bindings = new Bindings(program);
  const names = new Names(program, bindings);
  const annotations = new Annotations(bindings, registry);
  const literals = new Literals(bindings);
  const functions = new Functions(program, source, bindings, annotations);
  const inference = new Inference({
    program,
    bindings,
    names,
    annotations,
    literals,
    functions,
    registry,
  });
  const shared = { source, positions, bindings, names, literals, functions, inference, registry };

  const drafts: Draft[] = functions.all
    .filter(({ placement }) => placement.kind === 'candidate')
    .map((info) => ({
      info,
      boundary: readBoundary(info, shared),
      policy:
        info.directive?.kind === 'function' || info.directive?.kind === 'site'
          ? info.directive.kind
          : config.fallback,
    }));
  const groups = calleesFirst(drafts);
  const settled = settleAll(groups, positions);

  const escapes = new Map<FunctionInfo, EscapeSummary | null>();
  const escapesOf = (info: FunctionInfo): EscapeSummary | null => {
    const known = escapes.get(info);
    if (known !== undefined) return known;
    escapes.set(info, null); // Being read: whoever asks now is in a cycle with it.
    const summary = readEscapes(info, { ...shared, summaryOf: escapesOf });
    escapes.set(info, summary);
    return summary;
  };

  const analyses: FunctionAnalysis[] = [];
  for (const draft of drafts) {
    analyses.push(
      assemble(
        draft.info,
        settled.get(draft.info)!,
        draft.boundary,
        draft.policy,
        escapesOf(draft.info)!,
        request,
        positions,
      ),
    );
  }
  for (const { info, why } of bystanders(program, functions, inference, registry, positions)) {
    analyses.push(bystander(info, why, config, request, positions));
  }
  analyses.sort((a, b) => a.nameRange.start - b.nameRange.start);

  const facts = moduleFacts(program, source);
  return {
    file,
    source,
    diagnostics: fileDiagnostics(program, functions, inference, registry, positions),
    program,
    moduleKind: facts.kind,
    insertionPoint: facts.insertionPoint,
    identifiers: facts.identifiers,
    functions: analyses,
  };
}

/** Annotated functions where nothing is lowered, and functions without annotation that call a covered package. */
function bystanders(
  program: Program,
  functions: Functions,
  inference: Inference,
  registry: Registry,
  positions: Positions,
): { info: FunctionInfo; why: Reason }[] {
  const found = new Map<FunctionInfo, Reason>();
  for (const info of functions.all) {
    if (info.placement.kind !== 'elsewhere') continue;
    found.set(
      info,
      reason(
        CODES.notModuleLevel,
        [info.name, info.placement.what],
        positions.range(...info.nameSpan),
      ),
    );
  }
  const visit = (node: Node, outermost: FunctionInfo | null): void => {
    if (isTypeOnly(node)) return;
    let around = outermost;
    if (isFunctionNode(node)) {
      const info = functions.of(node);
      // Inside an annotated function every call is that function's.
      if (info !== null && info.placement.kind !== 'unannotated') return;
      around ??= info;
    }
    if (node.type === 'CallExpression' && around !== null && !found.has(around)) {
      const site = inference.siteOfCall(node);
      if (site !== null && site.receiver === null) {
        found.set(
          around,
          reason(
            CODES.notAnnotated,
            [around.name, site.target, registry.vocabulary],
            positions.range(...around.nameSpan),
          ),
        );
      }
    }
    walk(node, (child) => {
      if (child === node) return true;
      visit(child, around);
      return false;
    });
  };
  visit(program, null);
  return [...found].map(([info, why]) => ({ info, why }));
}

/** What is wrong outside annotated functions: directives at the top of the file, calls of ops that do not exist. */
function fileDiagnostics(
  program: Program,
  functions: Functions,
  inference: Inference,
  registry: Registry,
  positions: Positions,
): Diagnostic[] {
  const found: Diagnostic[] = [];
  for (const statement of program.body) {
    if (statement.type !== 'ExpressionStatement' || typeof statement.directive !== 'string') break;
    if (!isTfeDirective(statement.directive)) continue;
    found.push(
      diagnostic(
        CODES.unknownDirective,
        [statement.directive, 'stands at the top of the file, where it has no effect'],
        positions.range(statement.start, statement.end),
      ),
    );
  }
  walk(program, (node) => {
    if (isTypeOnly(node)) return false;
    if (isFunctionNode(node) && functions.of(node)?.placement.kind === 'candidate') return false;
    if (node.type !== 'CallExpression') return true;
    const target = inference.callTarget(node);
    if (target.kind !== 'package' || target.target === '') return true;
    const { paths, complete } = registry.symbolsOf(target.name.module);
    if (complete && !paths.includes(target.target)) {
      found.push(
        diagnostic(
          CODES.unknownOp,
          [target.target, target.name.module, similarPath(target.target, paths) ?? ''],
          positions.range(node.start, node.end),
        ),
      );
    }
    return true;
  });
  return found;
}

function assemble(
  info: FunctionInfo,
  settled: Settled,
  boundary: Boundary,
  policy: 'site' | 'function',
  escape: EscapeSummary,
  request: AnalysisRequest,
  positions: Positions,
): FunctionAnalysis {
  const active =
    info.annotated &&
    info.directive?.kind !== 'exempt' &&
    info.directive?.kind !== 'unknown' &&
    !info.node.generator &&
    !boundary.dynamicScope;
  return {
    ...shapeOf(info, request, positions),
    status: settled.status,
    route: settled.route,
    reason: settled.reasons[0] ?? null,
    reasons: settled.reasons,
    scoped: active && escape.reason === null,
    scopeReason: active ? escape.reason : null,
    sites: boundary.sites
      .map((site) => siteAnalysis(site, settled.lowers, positions))
      .sort((a, b) => a.span[0] - b.span[0] || b.span[1] - a.span[1]),
    captures: boundary.captures,
    callees: [...new Set(boundary.edges.map(({ callee }) => callee.name))],
    policy,
    active,
  };
}

function bystander(
  info: FunctionInfo,
  why: Reason,
  config: AnalysisConfig,
  request: AnalysisRequest,
  positions: Positions,
): FunctionAnalysis {
  return {
    ...shapeOf(info, request, positions),
    status: info.placement.kind === 'unannotated' ? 'not annotated' : 'fallback',
    route: 'fallback',
    reason: why,
    reasons: [why],
    scoped: false,
    scopeReason: null,
    sites: [],
    captures: [],
    callees: [],
    policy: config.fallback,
    active: false,
  };
}

function siteAnalysis(placed: PlacedSite, lowers: boolean, positions: Positions): SiteAnalysis {
  const { node, reading, offered } = placed;
  const { verdict } = reading;
  const claimed = offered && verdict.verdict === 'claimed';
  const lowered = claimed && lowers;
  const span = (of: { start: number; end: number }): Span => [of.start, of.end];
  return {
    range: positions.range(node.start, node.end),
    kind: reading.kind,
    module: reading.module,
    target: reading.target,
    operandTypes: reading.operandTypes,
    verdict: offered ? verdict.verdict : 'not covered',
    resultType: verdict.resultType,
    ruleId: claimed ? verdict.ruleId : null,
    pluginId: offered ? (reading.plugin?.id ?? null) : null,
    route: lowered ? `native-plugin:${reading.plugin!.id}` : 'fallback',
    reason: placed.reason,
    span: span(node),
    operandSpans: reading.operands.map(span),
    optionsSpan: reading.options === null ? null : span(reading.options),
    receiverSpan: reading.receiver === null ? null : span(reading.receiver),
    claimSite: offered ? reading.site : null,
    plugin: offered ? reading.plugin : null,
    lowered,
  };
}

/** The part of an analysis that comes from the signature alone. */
function shapeOf(info: FunctionInfo, request: AnalysisRequest, positions: Positions) {
  const { node } = info;
  const { registry, source } = request;
  const { body } = node;
  const list = parameterList(info, source);
  const pluginType = (type: TypeKey | null) =>
    type === null ? null : (registry.types.get(type) ?? null);
  const parameters: ParameterAnalysis[] = info.parameters.map((parameter) => ({
    name: parameter.name,
    type: parameter.type,
    span: [parameter.node.start, parameter.node.end],
    pluginType: pluginType(parameter.type),
    optional:
      parameter.node.type === 'AssignmentPattern' ||
      (parameter.node.type === 'Identifier' && (parameter.node.optional as unknown) === true),
  }));
  const kind: 'block' | 'expression' = body?.type === 'BlockStatement' ? 'block' : 'expression';
  const directive: FunctionAnalysis['directive'] =
    info.directive === null || info.directive.kind === 'unknown' ? null : info.directive.kind;
  return {
    name: info.name,
    exported: info.exported,
    range: positions.range(node.start, node.end),
    nameRange: positions.range(...info.nameSpan),
    parameters,
    resultType: info.resultType,
    node,
    form: info.form,
    span: [node.start, node.end] as Span,
    statementSpan: [info.statement.start, info.statement.end] as Span,
    paramsSpan: list.span,
    bareParameter: list.bare,
    bodyKind: kind,
    bodySpan: [body?.start ?? node.end, body?.end ?? node.end] as Span,
    directivesEnd: info.directivesEnd,
    isAsync: node.async,
    isGenerator: node.generator,
    parameterNames: info.parameters.every(({ oddity }) => oddity === null)
      ? info.parameters.map(({ name }) => name)
      : null,
    resultPluginType: pluginType(info.resultType),
    directive,
  };
}

/** The text between the parentheses of the parameter list. The tree has no node for them. */
function parameterList(info: FunctionInfo, source: string): { span: Span; bare: boolean } {
  const { node } = info;
  const [first] = node.params;
  let start = node.typeParameters?.end ?? node.id?.end ?? node.start;
  for (;;) {
    start = skipTrivia(source, start);
    if (first !== undefined && start >= first.start) {
      return { span: [first.start, first.end], bare: true };
    }
    if (source[start] === '(') break;
    // `async`, `function`, `*`: whatever stands before the list.
    const word = /[\p{ID_Continue}$]+/uy;
    word.lastIndex = start;
    start += Math.max(word.exec(source)?.[0].length ?? 1, 1);
    if (start >= node.end) return { span: [node.start, node.start], bare: false };
  }
  let end = node.params[node.params.length - 1]?.end ?? start + 1;
  for (;;) {
    end = skipTrivia(source, end);
    if (source[end] !== ',') break;
    end++;
  }
  return { span: [start + 1, end], bare: false };
}

function skipTrivia(source: string, from: number): number {
  const trivia = /(?:\s|\/\/[^\n\r\u2028\u2029]*|\/\*[\s\S]*?\*\/)*/y;
  trivia.lastIndex = from;
  return from + (trivia.exec(source)?.[0].length ?? 0);
}

const REASON_KEYS = ['code', 'message', 'suggestion', 'range', 'becauseOf'] as const;

/** The plain data of an analysis: what `check --json` prints and tests compare. */
export function toFileReport(analysis: FileAnalysis): FileReport {
  const reasonReport = (found: Reason): Reason =>
    Object.fromEntries(REASON_KEYS.map((key) => [key, found[key]])) as unknown as Reason;
  const siteReport = (site: SiteAnalysis): SiteReport => ({
    range: site.range,
    kind: site.kind,
    module: site.module,
    target: site.target,
    operandTypes: site.operandTypes,
    verdict: site.verdict,
    resultType: site.resultType,
    ruleId: site.ruleId,
    pluginId: site.pluginId,
    route: site.route,
    reason: site.reason === null ? null : reasonReport(site.reason),
  });
  const functionReport = (found: FunctionAnalysis): FunctionReport => ({
    name: found.name,
    exported: found.exported,
    range: found.range,
    nameRange: found.nameRange,
    status: found.status,
    route: found.route,
    reason: found.reason === null ? null : reasonReport(found.reason),
    reasons: found.reasons.map(reasonReport),
    parameters: found.parameters.map(({ name, type }) => ({ name, type })),
    resultType: found.resultType,
    scoped: found.scoped,
    scopeReason: found.scopeReason,
    sites: found.sites.map(siteReport),
  });
  return {
    file: analysis.file,
    diagnostics: analysis.diagnostics,
    functions: analysis.functions.map(functionReport),
  };
}
