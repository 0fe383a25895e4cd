/** Ops that the walk and the fuzzer call only with what must be refused, and why. */
const WAITS = 'waits, without end, for an item that another thread stages';

export const NEVER_RUN: Readonly<Record<string, string>> = {
  Abort: 'ends the process by design',
  MapPeek: WAITS,
  MapUnstage: WAITS,
  MapUnstageNoKey: WAITS,
  OrderedMapPeek: WAITS,
  OrderedMapUnstage: WAITS,
  OrderedMapUnstageNoKey: WAITS,
  StagePeek: WAITS,
  Unstage: WAITS,
};
