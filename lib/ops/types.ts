/**
 * Every data type that an attribute of TensorFlow can name: more than tensors can have here. Names are TensorFlow's for
 * Python; numbers are TF_DataType's (tensorflow/core/framework/types.proto).
 */
export const TYPES = {
  float32: 1,
  float64: 2,
  int32: 3,
  uint8: 4,
  int16: 5,
  int8: 6,
  string: 7,
  complex64: 8,
  int64: 9,
  bool: 10,
  qint8: 11,
  quint8: 12,
  qint32: 13,
  bfloat16: 14,
  qint16: 15,
  quint16: 16,
  uint16: 17,
  complex128: 18,
  float16: 19,
  resource: 20,
  variant: 21,
  uint32: 22,
  uint64: 23,
  float8_e5m2: 24,
  float8_e4m3fn: 25,
  float8_e4m3fnuz: 26,
  float8_e4m3b11fnuz: 27,
  float8_e5m2fnuz: 28,
  int4: 29,
  uint4: 30,
  int2: 31,
  uint2: 32,
} as const;

/** Name of a type, as attributes take it. */
export type TypeName = keyof typeof TYPES;

const NAMES: readonly (TypeName | undefined)[] = (() => {
  const names: (TypeName | undefined)[] = [];
  for (const name of Object.keys(TYPES) as TypeName[]) names[TYPES[name]] = name;
  return names;
})();

/** For messages: the name of a TF_DataType, or its number. */
export function typeName(tf: number): string {
  return NAMES[tf] ?? `type ${tf}`;
}

/** TF_DataType of a name; `undefined` for anything else. */
export function typeOf(name: unknown): number | undefined {
  return typeof name === 'string' && Object.hasOwn(TYPES, name)
    ? TYPES[name as TypeName]
    : undefined;
}
