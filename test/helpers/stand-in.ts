/** Facts for the message of any error code, without knowing which it asks for. */

/** Stands for any fact: a text, a list of one fact, a number, or an object of facts, whichever it is taken for. */
function standIn(key: string): object {
  const text = `<${key}>`;
  const list = Object.assign([text], {
    toString: () => text,
    valueOf: () => 7,
    toJSON: () => text,
  });
  return new Proxy(list, {
    get(target, name) {
      if (name === '0') return standIn(key);
      if (name in target || typeof name === 'symbol') return Reflect.get(target, name) as unknown;
      const method: unknown = Reflect.get(String.prototype, name);
      return typeof method === 'function' ? (method.bind(text) as unknown) : standIn(name);
    },
  });
}

/** Facts for any message; remembers which of them were asked for. */
export function stand(): {
  readonly facts: Readonly<Record<string, unknown>>;
  readonly asked: Set<string>;
} {
  const asked = new Set<string>();
  const facts = new Proxy(
    {},
    {
      get(_, key) {
        if (typeof key !== 'string') return undefined;
        asked.add(key);
        return standIn(key);
      },
    },
  );
  return { facts, asked };
}
