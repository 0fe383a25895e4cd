/**
 * float16 and bfloat16, which JavaScript has no numbers for: to bits and back. Widening to float32 is exact; narrowing
 * rounds to the nearest, of two to the even one, as TensorFlow does.
 */
export type HalfDType = 'float16' | 'bfloat16';

const SIGN = 0x8000;

/** float32 values by their bits, or the bits of float32 values. */
function bitsOf(values: Float32Array): Uint32Array {
  return new Uint32Array(values.buffer, values.byteOffset, values.length);
}

/** Bits of the halves nearest to `values`. NaN stays NaN; what is too large is an infinity. */
export function toHalves(dtype: HalfDType, values: Float32Array): Uint16Array {
  const narrow = dtype === 'float16' ? toFloat16 : toBfloat16;
  const source = bitsOf(values);
  const halves = new Uint16Array(source.length);
  for (let i = 0; i < source.length; i++) halves[i] = narrow(source[i]!);
  return halves;
}

/** The values of halves: every one is a float32. */
export function fromHalves(dtype: HalfDType, halves: Uint16Array): Float32Array {
  const widen = dtype === 'float16' ? fromFloat16 : fromBfloat16;
  const values = new Float32Array(halves.length);
  const target = bitsOf(values);
  for (let i = 0; i < halves.length; i++) target[i] = widen(halves[i]!);
  return values;
}

/** `bits` without its lowest `count` bits, rounded to the nearest, of two to the even one. */
function roundAway(bits: number, count: number): number {
  const kept = bits >>> count;
  const rest = bits & ((1 << count) - 1);
  const middle = 1 << (count - 1);
  return rest > middle || (rest === middle && (kept & 1) === 1) ? kept + 1 : kept;
}

function toBfloat16(bits: number): number {
  const magnitude = bits & 0x7fffffff;
  const sign = (bits >>> 16) & SIGN;
  if (magnitude > 0x7f800000) return sign | 0x7fc0;
  return sign | roundAway(magnitude, 16);
}

function fromBfloat16(half: number): number {
  return half << 16;
}

/** Exponents of float32 are 112 larger than those of float16, mantissas 13 bits longer. */
const REBIAS = 112 << 23;

function toFloat16(bits: number): number {
  const magnitude = bits & 0x7fffffff;
  const sign = (bits >>> 16) & SIGN;
  if (magnitude > 0x7f800000) return sign | 0x7e00;
  // From 65520 on, the nearest would be 65536, which float16 does not have.
  if (magnitude >= 0x477ff000) return sign | 0x7c00;
  if (magnitude >= 0x38800000) return sign | roundAway(magnitude - REBIAS, 13);
  // A denormal counts in 2^-24. Below half of that it is 0; the shift would wrap around.
  if (magnitude < 0x33000000) return sign;
  const mantissa = (magnitude & 0x7fffff) | 0x800000;
  return sign | roundAway(mantissa, 126 - (magnitude >>> 23));
}

function fromFloat16(half: number): number {
  const sign = (half & SIGN) << 16;
  const exponent = half & 0x7c00;
  const mantissa = half & 0x3ff;
  if (exponent === 0x7c00) return sign | 0x7f800000 | (mantissa << 13);
  if (exponent !== 0) return sign | (((half & 0x7fff) << 13) + REBIAS);
  if (mantissa === 0) return sign;
  // A denormal: the highest bit set becomes the implicit one of a normal float32.
  const shift = Math.clz32(mantissa) - 21;
  return sign | ((113 - shift) << 23) | ((mantissa << (shift + 13)) & 0x7fffff);
}
