/**
 * Refuses source text that nests so deeply that parsing it would overflow the native stack: that is a segmentation
 * fault, which nobody can catch. Measured with oxc-parser 0.158 on an 8 MiB stack: brackets crash from 4,000 to 16,000
 * levels, chains of right-associative operators from 16,000, other chains (sums, members, calls) from above 64,000. The
 * limits below leave a margin for threads with 4 MiB.
 *
 * This reads tokens, not grammar: it may count too much (then a file is refused that could have been parsed; real code
 * stays below 100), never much too little.
 */

export const MAX_BRACKETS = 1000;
export const MAX_OPERATORS = 3000;
export const MAX_LINKS = 20_000;

/** Where the limit was passed. */
export interface TooDeep {
  readonly offset: number;
  readonly what: 'brackets' | 'operators';
}

/** A word before which `/` starts a regular expression, and after which no statement can have ended. */
const OPERATOR_WORDS = new Set(
  (
    'as asserts await case delete do else extends for if in infer instanceof is keyof new of ' +
    'readonly return satisfies throw typeof unique void while with yield default'
  ).split(' '),
);

/** Words that nest what follows them. */
const NESTING_WORDS = new Set(
  'await delete do else extends for if infer keyof new readonly typeof unique void while with yield'.split(
    ' ',
  ),
);

const WORD = /[\p{ID_Continue}$\\]/u;

interface Level {
  readonly closer: string;
  /** Tokens of the statement so far that nest what follows them. */
  operators: number;
  /** Tokens that may make a chain longer. */
  links: number;
}

/** `null`: safe to parse. `jsx`: text between tags may hold quotes that are none. */
export function findTooDeep(source: string, jsx: boolean): TooDeep | null {
  const levels: Level[] = [{ closer: '', operators: 0, links: 0 }];
  let operators = 0;
  let links = 0;
  /** Openers inside what was read as a string, comment or regular expression but might be code. */
  let hidden = 0;
  /** The last token can end an expression, so a `/` divides and a new line may end the statement. */
  let afterValue = false;
  let newline = false;
  let deep: TooDeep | null = null;

  const top = (): Level => levels[levels.length - 1]!;
  const endRun = (): void => {
    operators -= top().operators;
    links -= top().links;
    top().operators = 0;
    top().links = 0;
  };
  const link = (offset: number): void => {
    top().links++;
    links++;
    if (links > MAX_LINKS) deep ??= { offset, what: 'operators' };
  };
  const operator = (offset: number): void => {
    top().operators++;
    operators++;
    if (operators > MAX_OPERATORS) deep ??= { offset, what: 'operators' };
  };
  const open = (closer: string, offset: number): void => {
    link(offset);
    levels.push({ closer, operators: 0, links: 0 });
    if (levels.length + hidden > MAX_BRACKETS) deep ??= { offset, what: 'brackets' };
  };
  const close = (closer: string): void => {
    if (levels.length > 1 && top().closer === closer) {
      endRun();
      levels.pop();
    }
  };
  const hide = (from: number, to: number): void => {
    let openers = 0;
    for (let i = from; i < to; i++) {
      const c = source[i]!;
      if (c === '(' || c === '[' || c === '{' || c === '<' || c === '`') openers++;
      else if ((c === ')' || c === ']' || c === '}' || c === '>') && openers > 0) openers--;
    }
    hidden += openers;
    if (levels.length + hidden > MAX_BRACKETS) deep ??= { offset: from, what: 'brackets' };
  };

  let i = 0;
  const length = source.length;
  const readTemplate = (): void => {
    // Behind a backtick or the `}` of a substitution.
    while (i < length) {
      const c = source[i]!;
      if (c === '\\') i += 2;
      else if (c === '`') {
        i++;
        close('`');
        afterValue = true;
        return;
      } else if (c === '$' && source[i + 1] === '{') {
        open('${', i);
        i += 2;
        afterValue = false;
        return;
      } else i++;
    }
  };

  while (i < length && deep === null) {
    const c = source[i]!;
    if (c === '\n' || c === '\r' || c === '\u2028' || c === '\u2029') {
      newline = true;
      i++;
      continue;
    }
    if (c === ' ' || c === '\t') {
      i++;
      continue;
    }
    if (c === '/' && (source[i + 1] === '/' || source[i + 1] === '*')) {
      const block = source[i + 1] === '*';
      let end = block ? source.indexOf('*/', i + 2) : i;
      if (block) end = end < 0 ? length : end + 2;
      else while (end < length && !/[\n\r\u2028\u2029]/.test(source[end]!)) end++;
      if (jsx) hide(i + 2, end);
      if (block && /[\n\r]/.test(source.slice(i, end))) newline = true;
      i = end;
      continue;
    }
    if (c === '"' || c === "'") {
      const start = ++i;
      while (i < length && source[i] !== c && source[i] !== '\n' && source[i] !== '\r') {
        i += source[i] === '\\' ? 2 : 1;
      }
      if (jsx) hide(start, Math.min(i, length));
      if (source[i] === c) i++;
      if (newline && afterValue) endRun();
      afterValue = true;
      newline = false;
      continue;
    }
    if (c === '`') {
      open('`', i);
      i++;
      readTemplate();
      newline = false;
      continue;
    }
    if (c === '/' && !afterValue) {
      const start = ++i;
      let inClass = false;
      while (i < length && !/[\n\r]/.test(source[i]!) && (inClass || source[i] !== '/')) {
        if (source[i] === '[') inClass = true;
        else if (source[i] === ']') inClass = false;
        i += source[i] === '\\' ? 2 : 1;
      }
      hide(start, Math.min(i, length));
      if (source[i] === '/') i++;
      afterValue = true;
      newline = false;
      continue;
    }
    if (c === '(' || c === '[' || c === '{') {
      open(c === '(' ? ')' : c === '[' ? ']' : '}', i);
      i++;
      afterValue = false;
      newline = false;
      continue;
    }
    if (c === ')' || c === ']') {
      close(c);
      i++;
      afterValue = true;
      newline = false;
      continue;
    }
    if (c === '}') {
      if (top().closer === '${') {
        endRun();
        levels.pop();
        i++;
        readTemplate();
      } else {
        close('}');
        i++;
        // Either a block, behind which a statement starts, or an object literal.
        afterValue = true;
        newline = true;
        continue;
      }
      newline = false;
      continue;
    }
    if (c === ';' || c === ',') {
      endRun();
      i++;
      afterValue = false;
      newline = false;
      continue;
    }
    if (WORD.test(c) || c > '\u007f') {
      const start = i;
      while (i < length && (WORD.test(source[i]!) || source[i]! > '\u007f')) i++;
      const word = source.slice(start, i);
      const nesting = NESTING_WORDS.has(word);
      if (newline && afterValue && !OPERATOR_WORDS.has(word) && !jsx) endRun();
      if (nesting) operator(start);
      if (OPERATOR_WORDS.has(word)) link(start);
      afterValue = !OPERATOR_WORDS.has(word);
      newline = false;
      continue;
    }
    // Everything else is punctuation; each piece that nests what follows counts once.
    link(i);
    if (jsx && c === '<' && source[i + 1] === '/') {
      operators -= Math.min(2, top().operators);
      top().operators -= Math.min(2, top().operators);
      i += 2;
      afterValue = false;
      newline = false;
      continue;
    }
    if (c === '=' || c === '?' || c === ':' || c === '<' || c === '!' || c === '~' || c === '*') {
      operator(i);
    }
    i++;
    if ((c === '+' || c === '-') && source[i] === c) {
      // `a++` stays a value, `++a` starts one: nothing changes.
      i++;
    } else if (c === '=' || c === '*' || c === '?') {
      while (i < length && (source[i] === '=' || source[i] === '*' || source[i] === '?')) i++;
      if (source[i] === '>') i++;
      afterValue = false;
    } else if (c === '!' && afterValue && source[i] !== '=') {
      // A non-null assertion.
    } else {
      afterValue = false;
    }
    newline = false;
  }
  return deep;
}
