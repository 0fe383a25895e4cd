/** One line of a report about this machine: what was looked at, what was found, and what to do. */
import type { TfeError, TfeErrorCode } from '../errors';

/** `unreached`: a step before it failed, or what it needs is not there. */
export type FindingState = 'ok' | 'failed' | 'unreached';

export interface Finding {
  /** Stable, for programs. */
  readonly id: string;
  readonly title: string;
  readonly state: FindingState;
  /** What was found, or why nothing was. */
  readonly fact: string;
  /** The way out of a failure; null where there is nothing to do. */
  readonly todo: string | null;
  /** The code of the error that the package itself would end with. */
  readonly code: TfeErrorCode | null;
}

/** What an error says was wrong, without the hint that its message ends in: a finding has that as `todo`. */
export function withoutHint({ message, hint }: TfeError): string {
  return message.slice(0, message.length - hint.length).trimEnd();
}
