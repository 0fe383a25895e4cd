/** The functions of `tf` as a test finds them, so that none is forgotten. */
export type AnyFunction = (...values: unknown[]) => unknown;

/** Every function of `tf` by its name, without the groups' repetitions. */
export function functionsOf(tf: object): Map<string, AnyFunction> {
  const found = new Map<string, AnyFunction>();
  const visit = (group: object): void => {
    for (const [name, value] of Object.entries(group)) {
      if (typeof value === 'function') found.set(name, value as AnyFunction);
      else visit(value as object);
    }
  };
  visit(tf);
  return found;
}
