/** What the CPU must have, and what it says it has, asked without the addon. */
import { readFileSync } from 'node:fs';

/** Without these TensorFlow's x86_64 library dies of an illegal instruction. */
export const REQUIRED_CPU_FLAGS: Readonly<Partial<Record<NodeJS.Architecture, readonly string[]>>> =
  {
    x64: ['avx'],
  };

/** The instruction sets of the first processor; null where the system does not list them in a file. */
export function cpuFlags(path = '/proc/cpuinfo'): ReadonlySet<string> | null {
  try {
    const line = /^flags\s*:(.*)$/mu.exec(readFileSync(path, 'latin1'))?.[1];
    return line === undefined ? null : new Set(line.trim().split(/\s+/u));
  } catch {
    return null;
  }
}
