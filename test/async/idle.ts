import { setImmediate as turn } from 'node:timers/promises';
import { memory } from 'tfe-node';

/** Until nothing waits or runs on the pool, and what has ended is settled. */
export async function idle(): Promise<void> {
  while (memory().processPending > 0) await turn();
  await turn();
}
