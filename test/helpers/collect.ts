/** The garbage collector, on request. */
import { collector } from './collector.cjs';

export const collect: () => void = collector();

/** Collects until `done`, or for a quarter of a second; finalizers run in a turn of their own. */
export async function collectUntil(done: () => boolean): Promise<void> {
  for (let i = 0; i < 50 && !done(); i++) {
    collect();
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
