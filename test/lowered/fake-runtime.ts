/**
 * Stands in for tensors and ops where a test is about lowered functions alone: tensors that are only dtype, shape and a
 * flag, ops that only record. The numbers of real ops are tested with the real library.
 * Import it before what is tested.
 */
import { jest } from '@jest/globals';

export class FakeTensor {
  isDisposed = false;
  constructor(
    readonly dtype: string,
    readonly shape: readonly number[],
    readonly label = '',
  ) {}
  get rank(): number {
    return this.shape.length;
  }
  dispose(): void {
    this.isDisposed = true;
  }
}

/** What happened, in order. Emptied by each test. */
export const log: string[] = [];

/** Scopes are the real ones: they ask the library only for tensors that it holds. */
export const tensorModule = {
  ...jest.requireActual<object>('../../lib/tensor/tensor'),
  isTensor: (value: unknown): value is FakeTensor => value instanceof FakeTensor,
};

type Executor = (...inputs: unknown[]) => unknown;
export const executors = new Map<string, Executor>();

export const resolveModule = {
  resolveOp(op: { kind: string; name?: string; familyId?: string }): Executor {
    const name = op.name ?? op.familyId ?? '';
    log.push(`resolve ${name}`);
    const executor = executors.get(name);
    if (executor === undefined) throw new Error(`no executor ${name}`);
    return executor;
  },
};

jest.mock('../../lib/tensor/tensor', () => tensorModule);
jest.mock('../../lib/runtime/resolve', () => resolveModule);
