/** `TFE_NODE_MODE`: which leg lowered functions take. */

/**
 * `auto`: the lowered leg where there is one. `native`: the same, and a function that is not native throws.
 * `fallback`: the source leg, always.
 */
export type Mode = 'auto' | 'native' | 'fallback';

const MODES: readonly string[] = ['auto', 'native', 'fallback'] satisfies readonly Mode[];

/** Bad values that have been warned about, so that a hundred lowered functions give one warning. */
const warned = new Set<string>();

export function readMode(env: Readonly<Record<string, string | undefined>> = process.env): Mode {
  const value = env['TFE_NODE_MODE'];
  if (value === undefined || value === '') return 'auto';
  if (MODES.includes(value)) return value as Mode;
  if (!warned.has(value)) {
    warned.add(value);
    process.emitWarning(
      `TFE_NODE_MODE=${value} is not a mode; lowered functions run as with auto. Use one of: ${MODES.join(', ')}.`,
      { type: 'TfeNodeWarning', code: 'TFE_MODE_INVALID' },
    );
  }
  return 'auto';
}
