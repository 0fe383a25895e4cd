/** Arithmetic on ranks in types. Exact up to rank 8; `number` where a rank is not known. */

/** Ranks below each rank. */
interface Below {
  0: never;
  1: 0;
  2: 0 | 1;
  3: 0 | 1 | 2;
  4: 0 | 1 | 2 | 3;
  5: 0 | 1 | 2 | 3 | 4;
  6: 0 | 1 | 2 | 3 | 4 | 5;
  7: 0 | 1 | 2 | 3 | 4 | 5 | 6;
  8: 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7;
}

interface OneLess {
  1: 0;
  2: 1;
  3: 2;
  4: 3;
  5: 4;
  6: 5;
  7: 6;
  8: 7;
}

/** Rank of two tensors broadcast against each other. */
export type BroadcastRank<A extends number, B extends number> = A extends keyof Below
  ? B extends keyof Below
    ? B extends Below[A]
      ? A
      : B
    : number
  : number;

/** Rank after one axis is reduced. */
export type ReducedRank<R extends number> = R extends keyof OneLess ? OneLess[R] : number;

/** `R` where a matrix can have that rank, `never` for 0 and 1. */
export type MatrixRank<R extends number> = R extends 0 | 1 ? never : R;
