/**
 * The one registry of errors: code -> phase, message and way out. Every error that leaves this
 * package is made here, so that a code, its text and its documentation cannot drift apart.
 */
import { isObject } from '../objects';
import { ANALYSIS_ERRORS } from './analysis';
import { BUILD_ERRORS } from './build';
import { CALL_ERRORS } from './call';
import { CLI_ERRORS } from './cli';
import type { ErrorSpec, Phase } from './define';
import { EXTENSION_ERRORS } from './extension';
import { INSTALL_ERRORS } from './install';
import { LOAD_ERRORS } from './load';
import { OP_ERRORS } from './op';
import { TENSOR_ERRORS } from './tensor';
import { captureStack } from './stack';

export type { Phase } from './define';

export const ERRORS = {
  ...INSTALL_ERRORS,
  ...LOAD_ERRORS,
  ...TENSOR_ERRORS,
  ...OP_ERRORS,
  ...EXTENSION_ERRORS,
  ...ANALYSIS_ERRORS,
  ...BUILD_ERRORS,
  ...CALL_ERRORS,
  ...CLI_ERRORS,
} as const;

/** Every code there is. Stable: a code keeps its meaning for a major version. */
export type TfeErrorCode = keyof typeof ERRORS;

/** The facts that a code's message needs. */
export type FactsOf<C extends TfeErrorCode> =
  (typeof ERRORS)[C] extends ErrorSpec<infer F> ? F : never;

/** Where an error belongs, beyond its code. All optional; each is set where it is known. */
export interface ErrorContext {
  /** TensorFlow op or `tf.*` name, as the user knows it: `tf.matmul`. */
  readonly op?: string;
  /** Extension family: `tfe-node.matmul.v1`. */
  readonly familyId?: string;
  /** Plugin rule: `tfe-tensorflow/matmul-f32-cpu-2d`. */
  readonly ruleId?: string;
  /** Source position of a lowered call site: `score.ts:12:11`. */
  readonly site?: string;
  /** TensorFlow's own status, where TensorFlow refused. */
  readonly tfStatus?: TfStatus;
  readonly cause?: unknown;
}

/** `TF_Status` as data. `code` is TF_Code's number, `name` its name in the C header. */
export interface TfStatus {
  readonly code: number;
  readonly name: string;
  readonly message: string;
}

/**
 * Every error that this package throws.
 *
 * `code` is stable and meant for programs; `message` says what was wrong with which argument;
 * `hint` says what to do; `facts` holds the same values as data.
 *
 * @example
 * try {
 *   tf.add(tf.constant([1]), tf.constant([1n]));
 * } catch (error) {
 *   if (!isTfeError(error)) throw error;
 *   error.code; // 'TFE_OP_DTYPE_MISMATCH'
 * }
 */
export class TfeError extends Error {
  override readonly name = 'TfeError';
  readonly code: TfeErrorCode;
  readonly phase: Phase;
  readonly hint: string;
  readonly facts: Readonly<Record<string, unknown>>;
  declare readonly op?: string;
  declare readonly familyId?: string;
  declare readonly ruleId?: string;
  declare readonly site?: string;
  declare readonly tfStatus?: TfStatus;

  constructor(
    code: TfeErrorCode,
    facts: Readonly<Record<string, unknown>>,
    context: ErrorContext = {},
  ) {
    const spec = ERRORS[code] as ErrorSpec<Readonly<Record<string, unknown>>>;
    const hint = typeof spec.hint === 'function' ? spec.hint(facts) : spec.hint;
    super(
      `${spec.message(facts)} ${hint}`.trimEnd(),
      context.cause === undefined ? undefined : { cause: context.cause },
    );
    captureStack(this, new.target);
    this.code = code;
    this.phase = spec.phase;
    this.hint = hint;
    this.facts = facts;
    if (context.op !== undefined) this.op = context.op;
    if (context.familyId !== undefined) this.familyId = context.familyId;
    if (context.ruleId !== undefined) this.ruleId = context.ruleId;
    if (context.site !== undefined) this.site = context.site;
    if (context.tfStatus !== undefined) this.tfStatus = context.tfStatus;
  }

  /** Where the code is explained, in the repository: `docs/errors.md#tfe_op_axis`. */
  get docs(): string {
    return `docs/errors.md#${this.code.toLowerCase()}`;
  }
}

/** Makes the error of `code`; the compiler checks that the facts are the ones its message needs. */
export function tfeError<C extends TfeErrorCode>(
  code: C,
  facts: FactsOf<C>,
  context?: ErrorContext,
): TfeError {
  return new TfeError(code, facts as Readonly<Record<string, unknown>>, context);
}

/** True for a {@link TfeError} of any copy of this package and any realm (jest has its own). */
export function isTfeError(value: unknown): value is TfeError {
  return (
    isObject(value) &&
    (value as { name?: unknown }).name === 'TfeError' &&
    typeof (value as { code?: unknown }).code === 'string'
  );
}
