/**
 * Every diagnostic and reason of the analysis itself, one row each: code, message, way out. Plugins bring their own
 * (`TFEP-...`). A test walks this table: each row has a fixture, each code is used once.
 */
import type { Diagnostic, Reason, SourceRange } from './model';

export interface CodeRow<A extends readonly string[]> {
  readonly code: string;
  /** What it is, for the table in docs/analysis.md. */
  readonly title: string;
  readonly message: (...facts: A) => string;
  readonly suggestion: string | ((...facts: A) => string);
}

function row<A extends readonly string[]>(
  code: string,
  title: string,
  message: (...facts: A) => string,
  suggestion: string | ((...facts: A) => string),
): CodeRow<A> {
  return { code, title, message, suggestion };
}

export const CODES = {
  // The file.
  doesNotParse: row(
    'TFEC-000',
    'the file does not parse',
    (problem: string) => `The file does not parse: ${problem}`,
    'Fix the syntax error; the other files are analysed nevertheless.',
  ),
  tooDeep: row(
    'TFEC-001',
    'nested too deeply',
    () => 'The file nests too deeply to be analysed.',
    'Split the expression or generate the file with less nesting. The file runs as written.',
  ),

  // What was asked for.
  outsideVocabulary: row(
    'TFEC-002',
    'annotation outside the vocabulary',
    (annotation: string, why: string, _vocabulary: string) =>
      `The annotation '${annotation}' is outside the vocabulary: ${why}.`,
    (_annotation, _why, vocabulary) => `Annotate with one of: ${vocabulary}.`,
  ),
  unknownDirective: row(
    'TFEC-003',
    'directive that cannot be followed',
    (text: string, why: string) => `The directive '${text}' ${why}.`,
    "Write 'use tfe fallback=function', 'use tfe fallback=site' or 'use tfe exempt', once, at the " +
      'start of the function.',
  ),
  unknownOp: row(
    'TFEC-004',
    'unknown op',
    (target: string, module: string, _similar: string) => `'${module}' has no '${target}'.`,
    (_target, _module, similar) =>
      similar === '' ? 'Check the name against the documentation.' : `Did you mean '${similar}'?`,
  ),

  // Scope.
  mayEscape: row(
    'TFEC-020',
    'a tensor may outlive the function',
    (tensor: string, how: string) =>
      `${tensor} may leave the function otherwise than by return: ${how}. So nothing that the ` +
      'function makes is freed when it returns.',
    'Return the tensor, or dispose what the function makes yourself.',
  ),

  // Calls.
  unknownCall: row(
    'TFEC-030',
    'call that nobody covers',
    (callee: string, why: string, _suggestion: string) =>
      `The call of '${callee}' runs as written: ${why}.`,
    (_callee, _why, suggestion) => suggestion,
  ),
  spreadArgument: row(
    'TFEC-031',
    'spread argument',
    (callee: string) =>
      `The call of '${callee}' spreads an argument, so its operands are not known.`,
    'Write the arguments out one by one.',
  ),
  patched: row(
    'TFEC-032',
    'patched package',
    (callee: string, path: string, line: string) =>
      `The call of '${callee}' runs as written: this file assigns to '${path}' (line ${line}).`,
    'Do not assign to properties of the package; write a function of your own.',
  ),
  notOffered: row(
    'TFEC-033',
    'call where nothing is lowered',
    (callee: string, where: string) => `The call of '${callee}' runs as written: it is ${where}.`,
    'Move the call into the body of an annotated module-level function.',
  ),

  // What keeps a function from being native (decision 6), one row per reason.
  async: row(
    'TFEC-101',
    'async function',
    (name: string) => `'${name}' is async; one program cannot wait.`,
    'Compute in a synchronous function and await outside it.',
  ),
  generator: row(
    'TFEC-102',
    'generator',
    (name: string) => `'${name}' is a generator; generators are never lowered.`,
    'Compute in a plain function and yield its results.',
  ),
  thisValue: row(
    'TFEC-103',
    'this',
    (what: string) => `The function uses '${what}', which depends on how it is called.`,
    'Pass what you need as a parameter.',
  ),
  argumentsObject: row(
    'TFEC-104',
    'arguments',
    () => "The function uses 'arguments'.",
    'Name the parameters.',
  ),
  mutableFree: row(
    'TFEC-105',
    'mutable free variable',
    (name: string, why: string) => `The function uses the outer variable '${name}', ${why}.`,
    'Pass it as a parameter, or make it a module-level const tensor, number or boolean.',
  ),
  propertyRead: row(
    'TFEC-106',
    'property read',
    (text: string, why: string) => `The property read '${text}' ${why}.`,
    'Pass the value as a parameter. Of a tensor, shape, dtype, rank and size may be read.',
  ),
  mutation: row(
    'TFEC-107',
    'mutation',
    (text: string) => `'${text}' changes an object that the function does not own.`,
    'Return the new value instead.',
  ),
  random: row(
    'TFEC-108',
    'Math.random',
    () => "'Math.random' gives another value in each call; a program keeps the first.",
    'Pass the random number as a parameter.',
  ),
  clock: row(
    'TFEC-109',
    'clock',
    (text: string) => `'${text}' reads the clock; a program keeps the first answer.`,
    'Pass the time as a parameter.',
  ),
  readback: row(
    'TFEC-110',
    'readback of values',
    (text: string) => `'${text}' reads the values of a tensor back into JavaScript.`,
    'Return the tensor and read it outside the function.',
  ),
  construct: row(
    'TFEC-111',
    'new',
    (text: string) => `'new ${text}' makes an object.`,
    'Make the object outside and pass what you need of it as a parameter.',
  ),
  templateCall: row(
    'TFEC-112',
    'tagged template',
    (text: string) => `The tagged template '${text}' is a call that nobody covers.`,
    'Call a covered function instead.',
  ),
  tryStatement: row(
    'TFEC-113',
    'try',
    () => "The function has a 'try' statement; a program cannot catch.",
    'Catch outside the function.',
  ),
  throwStatement: row(
    'TFEC-114',
    'throw',
    () => "The function has a 'throw' statement; a program cannot throw.",
    'Check arguments outside the function.',
  ),
  closure: row(
    'TFEC-115',
    'closure',
    (what: string) => `The function contains ${what}.`,
    'Move it to module level, with annotations if it works on tensors.',
  ),
  tensorCondition: row(
    'TFEC-116',
    'condition on a tensor',
    (text: string) =>
      `'${text}' is a tensor, used as a condition: an object is always true in JavaScript.`,
    'Decide on a number or boolean parameter, or select with a tensor op.',
  ),
  dispose: row(
    'TFEC-117',
    'dispose',
    (text: string) => `'${text}' frees a tensor by hand.`,
    'Leave it out: what an annotated function makes and does not return is freed.',
  ),
  parameterPattern: row(
    'TFEC-118',
    'parameter that is not a plain name',
    (text: string, what: string) => `The parameter '${text}' ${what}.`,
    'Write one plain, required name for each parameter.',
  ),
  tensorOperator: row(
    'TFEC-119',
    'operator on a tensor',
    (operator: string) =>
      `The operator '${operator}' does not work on tensors: JavaScript has no operator overloading.`,
    'Call the function: tf.add, tf.subtract, tf.multiply, tf.divide, tf.matmul.',
  ),
  notScalar: row(
    'TFEC-120',
    'operand that is not a number or boolean',
    (text: string, type: string) => `'${text}' is ${type}, not a number or boolean.`,
    'Keep to numbers and booleans around the claimed calls; annotate parameters and locals.',
  ),
  container: row(
    'TFEC-121',
    'array or object',
    (what: string) => `The function makes ${what} that is not returned directly.`,
    'Use separate variables, or return the literal directly.',
  ),
  iteration: row(
    'TFEC-122',
    'for-in and for-of',
    (what: string) => `The function iterates with '${what}'.`,
    'Count with a for loop over an integer.',
  ),
  recursion: row(
    'TFEC-123',
    'recursion',
    (path: string) => `The function calls itself (${path}).`,
    'Write the recursion as a loop.',
  ),
  calleeNotNative: row(
    'TFEC-124',
    'callee is not native',
    (callee: string, status: string, because: string) =>
      `It calls '${callee}', which is ${status}: ${because}`,
    (callee) => `See '${callee}'.`,
  ),
  argumentType: row(
    'TFEC-125',
    'argument of another type',
    (callee: string, problem: string) => `'${callee}' ${problem}.`,
    'Annotate the argument, or pass a value of the annotated type.',
  ),
  notModuleLevel: row(
    'TFEC-126',
    'not a module-level function',
    (name: string, what: string) =>
      `Only module-level functions are lowered; '${name}' is ${what}.`,
    'Write it as a function declaration, or as a const arrow function, at module level.',
  ),
  exempt: row(
    'TFEC-127',
    'exempt',
    (name: string) => `'${name}' says 'use tfe exempt'.`,
    'Remove the directive to have it lowered.',
  ),
  notAnnotated: row(
    'TFEC-128',
    'not annotated',
    (name: string, target: string, _vocabulary: string) =>
      `'${name}' calls '${target}', but neither a parameter nor its result is annotated with a tensor type.`,
    (_name, _target, vocabulary) => `Annotate parameters and result with one of: ${vocabulary}.`,
  ),
  nothingToLower: row(
    'TFEC-129',
    'nothing to lower',
    (name: string) => `'${name}' contains no call that a plugin claims.`,
    'Nothing has to be done: it runs as written.',
  ),
  dynamicScope: row(
    'TFEC-130',
    'dynamic scope',
    (what: string) => `'${what}' can change what every name in the function means.`,
    'Remove it; nothing is lowered where names are not fixed.',
  ),
  unsupportedSyntax: row(
    'TFEC-131',
    'unsupported syntax',
    (what: string) => `The function uses ${what}.`,
    'Keep to scalar control flow around the claimed calls.',
  ),
  freeValue: row(
    'TFEC-132',
    'value from outside',
    (name: string, why: string) => `The function uses '${name}', ${why}.`,
    'Pass it as a parameter.',
  ),
} as const;

export function diagnostic<A extends readonly string[]>(
  entry: CodeRow<A>,
  facts: A,
  range: SourceRange,
): Diagnostic {
  return {
    code: entry.code,
    message: entry.message(...facts),
    suggestion:
      typeof entry.suggestion === 'string' ? entry.suggestion : entry.suggestion(...facts),
    range,
  };
}

export function reason<A extends readonly string[]>(
  entry: CodeRow<A>,
  facts: A,
  range: SourceRange,
  becauseOf: Reason['becauseOf'] = null,
): Reason {
  return { ...diagnostic(entry, facts, range), becauseOf };
}
