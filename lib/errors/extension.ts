/** Declaring families and modules, and planning and checking their ops. Raised in lib/extension and lib/runtime. */
import { errorTable } from './define';

export const EXTENSION_ERRORS = errorTable({
  TFE_ENGINE_CONFLICT: {
    phase: 'prepare',
    message: (f: { engineId: string; known: string; received: string }) =>
      `The engine id ${f.engineId} already stands for an engine of type ${f.known}, but an engine of type ${f.received} was lent.`,
    hint: 'Give engines of different types different ids.',
  },
  TFE_EXTENSION_ALIAS: {
    phase: 'op',
    message: (f: { familyId: string; output: number; found: string }) =>
      `${f.familyId} declares fresh outputs, but output ${f.output} is ${f.found}.`,
    hint: 'Answer a new tensor, or declare the alias.',
  },
  TFE_EXTENSION_ALIAS_COVERAGE: {
    phase: 'define',
    message: (f: { familyId: string; expected: number; received: string }) =>
      `${f.familyId} has ${f.expected} outputs, but its alias declaration covers ${f.received}.`,
    hint: "Declare each output exactly once, or aliases: 'allFresh'.",
  },
  TFE_EXTENSION_ALIASES_UNDECLARED: {
    phase: 'define',
    message: (f: { familyId: string }) =>
      `The extension family ${f.familyId} does not declare its aliases.`,
    hint: "Declare aliases: 'allFresh' when every output is a new tensor.",
  },
  TFE_EXTENSION_ARITY: {
    phase: 'op',
    message: (f: { familyId: string; expected: number; received: number }) =>
      `${f.familyId} takes ${f.expected} inputs but received ${f.received}.`,
    hint: 'Pass exactly the inputs that the family was defined with.',
  },
  TFE_EXTENSION_AXIS_OUT_OF_BOUNDS: {
    phase: 'op',
    message: (f: { familyId: string; input: number; axis: number; rank: number }) =>
      `${f.familyId}: input ${f.input} has rank ${f.rank}, so it has no axis ${f.axis}.`,
    hint: "Check the input's rank in inferOutputMeta() before asking for an axis.",
  },
  TFE_EXTENSION_EFFECTS_UNDECLARED: {
    phase: 'define',
    message: (f: { familyId: string }) =>
      `The extension family ${f.familyId} does not declare its effects.`,
    hint: 'Declare effects: [] when the op is pure; an op must not become pure by omission.',
  },
  TFE_EXTENSION_INPUT_OUT_OF_BOUNDS: {
    phase: 'op',
    message: (f: { familyId: string; input: number; count: number }) =>
      `${f.familyId} has ${f.count} inputs, so there is no input ${f.input}.`,
    hint: 'Inputs count from 0 to inputCount - 1.',
  },
  TFE_EXTENSION_MISSING_MODULE: {
    phase: 'prepare',
    message: (f: { familyId: string; engineId: string; installed: readonly string[] }) =>
      `This eager runtime has no module for family ${f.familyId} on engine ${f.engineId}; it has ${f.installed.length === 0 ? 'none at all' : f.installed.join(', ')}.`,
    hint: 'Call EagerRuntime.installExtensionModule() with the module that your defineExtensionRuntime() made for this engine.',
  },
  TFE_EXTENSION_MODULE_CONFLICT: {
    phase: 'define',
    message: (f: { subject: string; installedBy: string }) =>
      `${f.subject} is already installed by module ${f.installedBy}.`,
    hint: 'Installing the same module again is fine; use replaceExtensionModule() to exchange it for another.',
  },
  TFE_EXTENSION_NO_ASYNC: {
    phase: 'prepare',
    message: (f: { familyId: string }) =>
      `The family ${f.familyId} has no executor that runs off the event loop.`,
    hint: 'Give defineExtensionRuntime an executeAsync, or use apply().',
  },
  TFE_EXTENSION_OUTPUTS: {
    phase: 'op',
    message: (f: { familyId: string; expected: string; received: string }) =>
      `The executor of ${f.familyId} answered ${f.received}, but the op declares ${f.expected}.`,
    hint: 'Make inferOutputMeta() and the executor agree.',
  },
  TFE_EXTENSION_PAYLOAD: {
    phase: 'define',
    message: (f: { familyId: string; path: string; received: string }) =>
      `The payload of ${f.familyId} must be a plain object of plain data, but payload${f.path} is ${f.received}.`,
    hint: 'Use null, booleans, numbers, bigints, strings, and arrays and plain objects of them; tensors are inputs, not payload.',
  },
  TFE_EXTENSION_PAYLOAD_VALUE: {
    phase: 'define',
    message: (f: { familyId: string; field: string; expected: string; received: string }) =>
      `${f.familyId} expects ${f.expected} for payload.${f.field} but received ${f.received}.`,
    hint: 'Make the op with a payload that the family accepts.',
  },
  TFE_EXTENSION_RANK_MISMATCH: {
    phase: 'op',
    message: (f: {
      familyId: string;
      first: number;
      firstRank: number;
      second: number;
      secondRank: number;
    }) =>
      `${f.familyId}: input ${f.first} has rank ${f.firstRank}, but input ${f.second} has rank ${f.secondRank}.`,
    hint: 'Give both inputs the same rank.',
  },
  TFE_EXTENSION_RUNTIME: {
    phase: 'define',
    message: (f: { problem: string }) => `defineExtensionRuntime: ${f.problem}.`,
    hint: 'Give runtime, familyId, op, and either executeInSession with sessionSupported, or executeReads.',
  },
  TFE_EXTENSION_SHAPE: {
    phase: 'op',
    message: (f: {
      familyId: string;
      left: string;
      leftValue: number;
      right: string;
      rightValue: number;
    }) =>
      `${f.familyId}: ${f.left} is ${f.leftValue}, but ${f.right} is ${f.rightValue}; they must be equal.`,
    hint: 'Check the shapes of the inputs, and whether one has to be transposed.',
  },
  TFE_EXTENSION_UNSUPPORTED: {
    phase: 'prepare',
    message: (f: { familyId: string; engineId: string; reason: string }) =>
      `Engine ${f.engineId} does not run this op of ${f.familyId}: ${f.reason}.`,
    hint: 'Use a payload that the module supports, or another engine.',
  },
  TFE_EXTENSION_WRONG_FAMILY: {
    phase: 'prepare',
    message: (f: { familyId: string; expected: string }) =>
      `An op that calls itself ${f.familyId} was not made by the definition that the module for ${f.expected} runs.`,
    hint: 'Two packages define the same family id, or two versions of one package are loaded.',
  },
  TFE_FAMILY_ID: {
    phase: 'define',
    message: (f: { familyId: string; problem: string }) =>
      `${f.familyId} is not a family id: ${f.problem}.`,
    hint: 'Write <package>.<op>.v<major>, such as tfe-node.matmul.v1.',
  },
});
