/**
 * From verdicts to one status for each function (decisions 4 and 6). Callees are settled before callers, whatever their
 * order or names; a function that calls itself, through others or not, is settled with its own reason.
 */
import type { Boundary, Edge } from './reading';
import { CODES, reason } from './codes';
import type { FunctionInfo } from './functions';
import type { FunctionStatus, Reason } from './model';
import type { Positions } from './positions';

export interface Draft {
  readonly info: FunctionInfo;
  readonly boundary: Boundary;
  readonly policy: 'site' | 'function';
}

export interface Settled {
  readonly status: FunctionStatus;
  readonly reasons: readonly Reason[];
  /** Plugins that the function's own claimed sites and its native callees go to, sorted. */
  readonly pluginIds: readonly string[];
  readonly route: string;
  /** Whether claimed sites are lowered. */
  readonly lowers: boolean;
}

/** Groups of functions that call each other, callees first. */
export function calleesFirst(drafts: readonly Draft[]): Draft[][] {
  const byInfo = new Map(drafts.map((draft) => [draft.info, draft]));
  const index = new Map<Draft, number>();
  const low = new Map<Draft, number>();
  const stack: Draft[] = [];
  const groups: Draft[][] = [];
  const visit = (draft: Draft): void => {
    index.set(draft, index.size);
    low.set(draft, index.get(draft)!);
    stack.push(draft);
    for (const { callee } of draft.boundary.edges) {
      const next = byInfo.get(callee);
      if (next === undefined) continue;
      if (!index.has(next)) {
        visit(next);
        low.set(draft, Math.min(low.get(draft)!, low.get(next)!));
      } else if (stack.includes(next)) {
        low.set(draft, Math.min(low.get(draft)!, index.get(next)!));
      }
    }
    if (low.get(draft) !== index.get(draft)) return;
    const group: Draft[] = [];
    for (let member: Draft | undefined; member !== draft;) {
      member = stack.pop()!;
      group.push(member);
    }
    groups.push(group);
  };
  for (const draft of drafts) if (!index.has(draft)) visit(draft);
  return groups;
}

export function settleAll(
  groups: readonly (readonly Draft[])[],
  positions: Positions,
): ReadonlyMap<FunctionInfo, Settled> {
  const settled = new Map<FunctionInfo, Settled>();
  for (const group of groups) {
    const members = new Set(group.map(({ info }) => info));
    const edges = new Map(group.map(({ info, boundary }) => [info, boundary.edges]));
    const edgesOf = (info: FunctionInfo): readonly Edge[] => edges.get(info) ?? [];
    for (const draft of group) {
      settled.set(draft.info, settle(draft, members, edgesOf, settled, positions));
    }
  }
  return settled;
}

function settle(
  draft: Draft,
  group: ReadonlySet<FunctionInfo>,
  edgesOf: (info: FunctionInfo) => readonly Edge[],
  settled: ReadonlyMap<FunctionInfo, Settled>,
  positions: Positions,
): Settled {
  const { info, boundary, policy } = draft;
  const at = (node: { start: number; end: number }) => positions.range(node.start, node.end);
  const nameRange = positions.range(...info.nameSpan);
  const found: Reason[] = [...boundary.reasons];
  const pluginIds = new Set<string>();
  for (const { node, callee } of boundary.edges) {
    if (group.has(callee)) {
      const path = [info, ...pathBack(callee, info, group, edgesOf)].map(({ name }) => name);
      found.push(reason(CODES.recursion, [path.join(' -> ')], at(node)));
      continue;
    }
    const other = settled.get(callee);
    if (other?.status === 'native') {
      for (const id of other.pluginIds) pluginIds.add(id);
      continue;
    }
    const status = other?.status ?? 'fallback';
    const because = other?.reasons[0]?.message ?? 'it is not lowered.';
    found.push(
      reason(CODES.calleeNotNative, [callee.name, status, because], at(node), {
        kind: 'function',
        name: callee.name,
      }),
    );
  }
  const claimed = boundary.sites.filter(
    ({ offered, reading }) => offered && reading.verdict.verdict === 'claimed',
  );
  for (const { reading } of claimed) if (reading.plugin !== null) pluginIds.add(reading.plugin.id);
  const ids = [...pluginIds].sort();

  const outcome = (status: FunctionStatus, reasons: readonly Reason[]): Settled => ({
    status,
    reasons,
    pluginIds: ids,
    route:
      status === 'native'
        ? `native-plugin:${ids.join('+')}`
        : status === 'mixed'
          ? `mixed-plugin:${[...new Set(claimed.map(({ reading }) => reading.plugin!.id))].sort().join('+')}`
          : 'fallback',
    lowers: status === 'native' || status === 'mixed',
  });

  if (info.directive?.kind === 'exempt') {
    return outcome('fallback', [reason(CODES.exempt, [info.name], nameRange)]);
  }
  const reasons = inOrder(found);
  if (info.directive?.kind === 'unknown') {
    const { text, problem, node } = info.directive;
    const unknown = reason(CODES.unknownDirective, [text, problem], at(node));
    return outcome('fallback', [unknown, ...reasons]);
  }
  if (boundary.dynamicScope) {
    // It decides the status, so it is the primary reason, wherever it stands.
    const decisive = reasons.find(({ code }) => code === CODES.dynamicScope.code)!;
    return outcome('fallback', [decisive, ...reasons.filter((other) => other !== decisive)]);
  }
  if (reasons.length === 0) {
    return claimed.length > 0 || boundary.edges.length > 0
      ? outcome('native', [])
      : outcome('fallback', [reason(CODES.nothingToLower, [info.name], nameRange)]);
  }
  const lowers = claimed.length > 0 && policy === 'site' && !info.node.generator;
  return outcome(lowers ? 'mixed' : 'fallback', reasons);
}

/** The shortest way of calls from `from` back to `to`, both included. */
function pathBack(
  from: FunctionInfo,
  to: FunctionInfo,
  group: ReadonlySet<FunctionInfo>,
  edgesOf: (info: FunctionInfo) => readonly Edge[],
): FunctionInfo[] {
  const paths: FunctionInfo[][] = [[from]];
  const seen = new Set([from]);
  for (let path = paths.shift(); path !== undefined; path = paths.shift()) {
    const last = path[path.length - 1]!;
    if (last === to) return path;
    for (const { callee } of edgesOf(last)) {
      if (!group.has(callee) || seen.has(callee)) continue;
      seen.add(callee);
      paths.push([...path, callee]);
    }
  }
  return [from, to];
}

/** Causes in source order, then what follows from other sites and functions. */
function inOrder(reasons: readonly Reason[]): Reason[] {
  const byPlace = (a: Reason, b: Reason): number => a.range.start - b.range.start;
  return [
    ...reasons.filter(({ becauseOf }) => becauseOf === null).sort(byPlace),
    ...reasons.filter(({ becauseOf }) => becauseOf !== null).sort(byPlace),
  ];
}
