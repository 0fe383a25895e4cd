/** The garbage collector, on request. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** `npm test` exposes it; a bare jest does not. */
function collector(): () => void {
  const exposed = (globalThis as { gc?: () => void }).gc;
  if (exposed !== undefined) return exposed;
  setFlagsFromString('--expose-gc');
  return runInNewContext('gc') as () => void;
}

export const collect = collector();

/** Collects until `done`, or for a quarter of a second; finalizers run in a turn of their own. */
export async function collectUntil(done: () => boolean): Promise<void> {
  for (let i = 0; i < 50 && !done(); i++) {
    collect();
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
