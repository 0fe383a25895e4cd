/** What the CPU must have, and what it says it has, asked without the addon. */
import { readFileSync } from 'node:fs';

/** Without these TensorFlow's x86_64 library dies of an illegal instruction. */
export const REQUIRED_CPU_FLAGS: Readonly<Partial<Record<NodeJS.Architecture, readonly string[]>>> =
  {
    x64: ['avx'],
  };

/** Where Linux describes its processors. */
const CPU_INFO = '/proc/cpuinfo';

/** The instruction sets of the first processor; null where the system does not list them in a file. */
export function cpuFlags(path = CPU_INFO): ReadonlySet<string> | null {
  const line = field('flags', path);
  return line === null ? null : new Set(line.split(/\s+/u));
}

/** Any of these, and TensorFlow 2.21.0 uses oneDNN unless told otherwise (tensorflow/core/util/port.cc). */
const NEURAL_FLAGS = ['avx512_vnni', 'avx512_bf16', 'avx_vnni', 'amx_tile', 'amx_int8', 'amx_bf16'];
/** Likewise with this processor of Arm's: the numbers of its maker and of its kind. */
const NEOVERSE_V1 = { 'CPU implementer': 0x41, 'CPU part': 0xd40 };

/** Whether TensorFlow uses oneDNN here unless told otherwise; null where the system does not say what its processor is. */
export function oneDnnByDefault(
  platform: string = process.platform,
  arch: string = process.arch,
  path = CPU_INFO,
): boolean | null {
  if (platform !== 'linux') return false;
  if (arch === 'x64') {
    const flags = cpuFlags(path);
    return flags && NEURAL_FLAGS.some((flag) => flags.has(flag));
  }
  const numbers = Object.entries(NEOVERSE_V1).map(([name, number]) => {
    const value = field(name, path);
    return value === null ? null : Number(value) === number;
  });
  return numbers.includes(null) ? null : !numbers.includes(false);
}

/** What the first processor has in a line; null where there is none, or no such file. */
function field(name: string, path: string): string | null {
  try {
    const text = new RegExp(`^${name}\\s*:(.*)$`, 'mu').exec(readFileSync(path, 'latin1'))?.[1];
    return text === undefined ? null : text.trim();
  } catch {
    return null;
  }
}
