/** Python TensorFlow's answers (scripts/oracle), and how our own are held against them. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { tf, type Tensor } from '../../lib';
import { DTYPES, newCarrier, type PlainDType, type TypedArray } from '../../lib/tensor/dtype';

const FIXTURES = join(__dirname, '..', 'fixtures', 'oracle');

/** `data`: base64 of the little-endian values in row-major order. */
export interface OracleTensor {
  readonly dtype: PlainDType;
  readonly shape: readonly number[];
  readonly data: string;
}

export interface OracleCase {
  readonly name: string;
  readonly op: string;
  readonly inputs: readonly OracleTensor[];
  readonly options: Readonly<Record<string, unknown>>;
  readonly output?: OracleTensor;
  /** `code`: TensorFlow's status code; null where Python raised before TensorFlow ran. */
  readonly error?: { readonly class: string; readonly code: number | null };
  /** Why the answer is not the same on every processor. */
  readonly varies?: string;
}

export interface OracleScoring {
  readonly rounds: number;
  readonly ops: readonly string[];
  readonly parameters: Readonly<
    Record<'mean' | 'scale' | 'w_feature' | 'b_feature' | 'w_head' | 'b_head', OracleTensor>
  >;
  readonly batches: readonly ({ readonly batch: number } & Readonly<
    Record<'x' | 'logits' | 'probabilities' | 'classes', OracleTensor>
  >)[];
}

const read = (name: string): unknown => JSON.parse(readFileSync(join(FIXTURES, name), 'utf8'));

export const ORACLE_CASES = (read('ops.json') as { readonly cases: readonly OracleCase[] }).cases;
export interface OracleDTypes {
  /** tf.cast of `input`, from each dtype to each. */
  readonly casts: readonly { readonly input: OracleTensor; readonly output: OracleTensor }[];
  /** tf.constant of numbers (float64) in a dtype of 16 bits or of complex numbers (as pairs). */
  readonly constants: readonly { readonly numbers: OracleTensor; readonly output: OracleTensor }[];
  /** SHA-256 of what tf.cast makes float32 of all 65536 bit patterns in order, without those of NaN. */
  readonly widened: readonly { readonly dtype: 'float16' | 'bfloat16'; readonly sha256: string }[];
  /** The bytes that tf.constant makes of a text, as base64. */
  readonly texts: readonly { readonly text: string; readonly bytes: string }[];
}

/** Strings are base64 texts, one each. */
export type AnyOracleTensor =
  | OracleTensor
  | {
      readonly dtype: 'string';
      readonly shape: readonly number[];
      readonly data: readonly string[];
    };

/** A raw op, its inputs by argument, and attributes of these kinds; a tensor among them is `{ tensor }`. */
export interface OracleAttributes {
  readonly name: string;
  readonly kinds: readonly string[];
  readonly op: string;
  readonly inputs: readonly (readonly [string, AnyOracleTensor | readonly AnyOracleTensor[]])[];
  readonly attrs: Readonly<Record<string, unknown>>;
  readonly outputs: readonly AnyOracleTensor[];
}

export const ORACLE_ATTRIBUTES = (
  read('attributes.json') as { readonly cases: readonly OracleAttributes[] }
).cases;
export const ORACLE_DTYPES = read('dtypes.json') as OracleDTypes;
export const ORACLE_SCORING = read('scoring.json') as OracleScoring;

export function decode({ dtype, data }: OracleTensor): TypedArray {
  const bytes = Buffer.from(data, 'base64');
  const carrier = newCarrier(dtype, bytes.length / DTYPES[dtype].bytes);
  new Uint8Array(carrier.buffer).set(bytes);
  return carrier;
}

export function tensorOf(oracle: OracleTensor): Tensor {
  const { dtype, shape } = oracle;
  return tf.constant(decode(oracle), { dtype, shape });
}

/** Runs a case through the `tf.*` function that Python's name stands for. */
export function runCase({ op, inputs, options }: OracleCase): Tensor {
  let found: unknown = { tf };
  for (const part of op.split('.')) found = (found as Record<string, unknown>)[part];
  const run = found as (...args: unknown[]) => Tensor;
  const tensors = inputs.map(tensorOf);
  return Object.keys(options).length === 0 ? run(...tensors) : run(...tensors, options);
}

const order = new DataView(new ArrayBuffer(8));

/** How many representable numbers lie between two; 0 for equal ones, for two NaNs, and not between -0 and 0. */
export function ulps(a: number, b: number, dtype: 'float32' | 'float64'): number {
  if (Object.is(a, b) || (Number.isNaN(a) && Number.isNaN(b))) return 0;
  if (Number.isNaN(a) || Number.isNaN(b)) return Infinity;
  const ordinal = (value: number): bigint => {
    if (dtype === 'float32') order.setFloat32(0, value);
    else order.setFloat64(0, value);
    const bits = dtype === 'float32' ? BigInt(order.getInt32(0)) : order.getBigInt64(0);
    const lowest = dtype === 'float32' ? -(2n ** 31n) : -(2n ** 63n);
    return bits < 0n ? lowest - bits - 1n : bits;
  };
  const distance = ordinal(a) - ordinal(b);
  return Number(distance < 0n ? -distance : distance);
}

/** The largest distance in ulps of two float tensors' values. */
export function largestUlps(
  got: Float32Array | Float64Array,
  want: Float32Array | Float64Array,
  dtype: 'float32' | 'float64',
): number {
  let largest = 0;
  for (let i = 0; i < want.length; i++) {
    largest = Math.max(largest, ulps(got[i]!, want[i]!, dtype));
  }
  return largest;
}

/**
 * The answers were recorded on a processor with AVX-512. On one without it, kernels with vector code of their own add in
 * another order, and their last bits differ (scripts/oracle/README.md).
 */
export const RECORDED_VECTORS = cpuHas('avx512f');

function cpuHas(flag: string): boolean {
  try {
    return readFileSync('/proc/cpuinfo', 'utf8').includes(` ${flag} `);
  } catch {
    return false;
  }
}
