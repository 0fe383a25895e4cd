/**
 * TensorFlow's ConfigProto as bytes (tensorflow/core/protobuf/config.proto), for the fields that `configure` offers.
 * Written by hand: the message is a few numbers, and a protobuf library is nothing that a service should install.
 * test/config compares it with what Python's protobuf writes.
 */

/** The fields on offer; absent ones are TensorFlow's default. */
export interface ConfigProto {
  /**
   * How many devices of a type there are, 0 to 1024 each, of the CPU at least 1: `{ CPU: 2 }` makes two, for another type it
   * is the most that are used. Default: one CPU, and what else is found.
   */
  readonly deviceCount?: Readonly<Record<string, number>>;
  /** Threads that one op may use, 0 to 1024. Default 0: as many as processors. */
  readonly intraOpThreads?: number;
  /**
   * Devices that TensorFlow sees on other hosts, by names like `'/job:localhost'`. It applies to none of this process, whose
   * devices all stay.
   */
  readonly deviceFilters?: readonly string[];
  /** Threads for ops that run beside each other, 0 to 1024. Default 0: as many as processors. */
  readonly interOpThreads?: number;
  /** Has an effect with the library for CUDA only. */
  readonly gpu?: GpuOptions;
  /** Runs an op on another device where the one asked for is missing or has no kernel. Default `false`: `TFE_OP_FAILED`. */
  readonly softPlacement?: boolean;
  /** Writes the device of each op to standard error, as messages of level `'info'`. Default `false`. */
  readonly logDevicePlacement?: boolean;
  /** Whether idle threads of TensorFlow spin for a while before they sleep. Default `true`. */
  readonly threadSpinning?: boolean;
}

/** GPUs of this process. Not tested here; refused like all options where the type is wrong, `TFE_OPTION_VALUE`. */
export interface GpuOptions {
  /** Share of each GPU's memory that TensorFlow may take, above 0; beyond 1 it uses the host's. Default: nearly all. */
  readonly memoryFraction?: number;
  /** Takes memory as it is needed instead of all at the start. Default `false`. */
  readonly allowGrowth?: boolean;
  /** The GPUs to use, as in CUDA_VISIBLE_DEVICES: `'0,1'`; without NUL. Default: all. */
  readonly visibleDevices?: string;
  /** Keeps all tensors of the CPU in memory that GPUs can copy from. Default `false`. */
  readonly forceCompatible?: boolean;
}

const VARINT = 0;
const DOUBLE = 1;
const BYTES = 2;

/** Appends fields in the order in which they are given; protobuf leaves out what has the default value. */
class Message {
  readonly #bytes: number[] = [];

  /** An int32 of 0 or more, or a bool. */
  integer(field: number, value: number | boolean | undefined): this {
    if (value === undefined || Number(value) === 0) return this;
    this.#key(field, VARINT);
    this.#varint(BigInt(Number(value)));
    return this;
  }

  /** The value of a map's entry, which is written also when it is 0. */
  entryValue(value: number): this {
    this.#key(2, VARINT);
    this.#varint(BigInt(value));
    return this;
  }

  double(field: number, value: number | undefined): this {
    if (value === undefined || Object.is(value, 0)) return this;
    this.#key(field, DOUBLE);
    const bytes = new DataView(new ArrayBuffer(8));
    bytes.setFloat64(0, value, true);
    this.#bytes.push(...new Uint8Array(bytes.buffer));
    return this;
  }

  text(field: number, value: string | undefined): this {
    return value === undefined || value === ''
      ? this
      : this.#sized(field, new TextEncoder().encode(value));
  }

  /** A member of a list, which has no default to leave out. */
  member(field: number, value: string): this {
    return this.#sized(field, new TextEncoder().encode(value));
  }

  message(field: number, value: Message | undefined): this {
    return value === undefined ? this : this.#sized(field, value.bytes());
  }

  bytes(): Uint8Array {
    return Uint8Array.from(this.#bytes);
  }

  #sized(field: number, bytes: Uint8Array): this {
    this.#key(field, BYTES);
    this.#varint(BigInt(bytes.length));
    for (const byte of bytes) this.#bytes.push(byte);
    return this;
  }

  #key(field: number, type: number): void {
    this.#varint(BigInt(field * 8 + type));
  }

  #varint(value: bigint): void {
    let rest = value;
    for (; rest >= 0x80n; rest >>= 7n) this.#bytes.push(Number(rest & 0x7fn) | 0x80);
    this.#bytes.push(Number(rest));
  }
}

/** Field by ascending number, as protobuf writes them; map entries by key. */
export function encodeConfigProto(config: ConfigProto): Uint8Array {
  const message = new Message();
  const devices = Object.entries(config.deviceCount ?? {}).sort(([a], [b]) => (a < b ? -1 : 1));
  for (const [type, count] of devices) {
    // An entry of a map has both its fields, default or not.
    message.message(1, new Message().member(1, type).entryValue(count));
  }
  message.integer(2, config.intraOpThreads);
  for (const filter of config.deviceFilters ?? []) message.member(4, filter);
  message.integer(5, config.interOpThreads);
  message.message(6, config.gpu === undefined ? undefined : encodeGpuOptions(config.gpu));
  message.integer(7, config.softPlacement);
  message.integer(8, config.logDevicePlacement);
  if (config.threadSpinning === false) message.message(16, new Message().integer(9, true));
  return message.bytes();
}

function encodeGpuOptions(gpu: GpuOptions): Message {
  return new Message()
    .double(1, gpu.memoryFraction)
    .integer(4, gpu.allowGrowth)
    .text(5, gpu.visibleDevices)
    .integer(8, gpu.forceCompatible);
}
