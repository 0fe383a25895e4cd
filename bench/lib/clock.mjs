/** Nanoseconds that `body` takes. */
export function nanoseconds(body) {
  const start = process.hrtime.bigint();
  body();
  return Number(process.hrtime.bigint() - start);
}

/** Nanoseconds until the promise of `body` settles. */
export async function nanosecondsAsync(body) {
  const start = process.hrtime.bigint();
  await body();
  return Number(process.hrtime.bigint() - start);
}
