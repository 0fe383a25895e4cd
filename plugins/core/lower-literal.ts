/** Plain data as the text of a JavaScript expression that evaluates to the same data. */

/** Why a value cannot be written; `path` says where in the data it is. */
export class NotPlainData extends Error {
  constructor(
    readonly path: string,
    readonly problem: string,
  ) {
    super(`${path === '' ? 'the value' : path} ${problem}`);
  }
}

const IDENTIFIER_NAME = /^[A-Za-z_$][\w$]*$/;
const MAX_DEPTH = 64;

/**
 * Numbers keep `-0`, `NaN` and the infinities; bigints stay bigints. `undefined`, functions, symbols, accessors,
 * class instances and cycles are refused: they would not survive being written to a file.
 *
 * @throws NotPlainData
 */
export function printLiteral(value: unknown, path = '', depth = 0): string {
  if (depth > MAX_DEPTH) throw new NotPlainData(path, 'nests too deeply or refers to itself');
  switch (typeof value) {
    case 'string':
      return JSON.stringify(value);
    case 'boolean':
      return String(value);
    case 'number':
      return Object.is(value, -0) ? '-0' : String(value);
    case 'bigint':
      return `${value}n`;
    case 'object':
      break;
    default:
      throw new NotPlainData(path, `is ${value === undefined ? 'undefined' : `a ${typeof value}`}`);
  }
  if (value === null) return 'null';
  if (Array.isArray(value)) {
    const items = Array.from(value as unknown[], (item, index) =>
      printLiteral(item, `${path}[${index}]`, depth + 1),
    );
    return `[${items.join(', ')}]`;
  }
  return printObject(value, path, depth);
}

function printObject(value: object, path: string, depth: number): string {
  const prototype: unknown = Object.getPrototypeOf(value);
  // By shape, not by Object.prototype: a plugin may come from another realm.
  if (prototype !== null && Object.getPrototypeOf(prototype) !== null) {
    throw new NotPlainData(path, 'is not a plain object');
  }
  if (Object.getOwnPropertySymbols(value).length > 0) {
    throw new NotPlainData(path, 'has a symbol as a key');
  }
  const entries = Object.entries(Object.getOwnPropertyDescriptors(value));
  const fields = entries.map(([key, descriptor]) => {
    const at = path === '' ? key : `${path}.${key}`;
    if (!('value' in descriptor)) throw new NotPlainData(at, 'is an accessor');
    return `${printKey(key)}: ${printLiteral(descriptor.value, at, depth + 1)}`;
  });
  return fields.length === 0 ? '{}' : `{ ${fields.join(', ')} }`;
}

function printKey(key: string): string {
  // As a plain key it would set the prototype.
  if (key === '__proto__') return '["__proto__"]';
  return IDENTIFIER_NAME.test(key) ? key : JSON.stringify(key);
}
