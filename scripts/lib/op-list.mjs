/**
 * Reads TensorFlow's OpList (tensorflow/core/framework/op_def.proto, attr_value.proto, tensor_shape.proto) from bytes:
 * the fields that a call needs and nothing of the documentation. A reader of just these messages: the numbers beside each
 * field are the schema's.
 */

/** Fields of one message, as [number, value]: a Number for 32 bits, a BigInt for varints, bytes for the rest. */
function* fields(bytes) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let at = 0;
  const varint = () => {
    let value = 0n;
    for (let shift = 0n; shift < 70n; shift += 7n) {
      if (at >= bytes.length) break;
      const byte = bytes[at++];
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return BigInt.asUintN(64, value);
    }
    throw new Error('not a protobuf message');
  };
  while (at < bytes.length) {
    const key = Number(varint());
    const field = key >> 3;
    switch (key & 7) {
      case 0:
        yield [field, varint()];
        break;
      case 2: {
        const length = Number(varint());
        if (at + length > bytes.length) throw new Error('not a protobuf message');
        yield [field, bytes.subarray(at, at + length)];
        at += length;
        break;
      }
      case 5:
        yield [field, view.getFloat32(at, true)];
        at += 4;
        break;
      default:
        throw new Error(`no message here has wire type ${key & 7}`);
    }
  }
}

const text = (bytes) => Buffer.from(bytes).toString('latin1');
const int64 = (value) => BigInt.asIntN(64, value);

/** Repeated scalars are packed or not, as the writer likes. */
function packed(value) {
  if (typeof value === 'bigint') return [value];
  const values = [];
  // A packed list looks like the values of fields without keys.
  for (let at = 0; at < value.length;) {
    let item = 0n;
    let shift = 0n;
    let byte;
    do {
      byte = value[at++];
      item |= BigInt(byte & 0x7f) << shift;
      shift += 7n;
    } while (byte >= 0x80);
    values.push(BigInt.asUintN(64, item));
  }
  return values;
}

function packedFloats(value) {
  if (typeof value === 'number') return [value];
  const view = new DataView(value.buffer, value.byteOffset, value.byteLength);
  return Array.from({ length: value.byteLength / 4 }, (_, i) => view.getFloat32(4 * i, true));
}

function readShape(bytes) {
  const dims = [];
  for (const [field, value] of fields(bytes)) {
    if (field === 3 && value === 1n) return null; // unknown_rank
    if (field !== 2) continue;
    let size = 0n;
    for (const [part, number] of fields(value)) if (part === 1) size = int64(number);
    dims.push(Number(size));
  }
  return dims;
}

function readFunction(bytes) {
  for (const [field, value] of fields(bytes)) if (field === 1) return text(value);
  return '';
}

const readers = {
  2: (value) => [text(value)], // s
  3: (value) => packed(value).map(int64), // i
  4: packedFloats, // f
  5: (value) => packed(value).map((flag) => flag === 1n), // b
  6: (value) => packed(value).map(Number), // type
  7: (value) => [readShape(value)], // shape
  8: () => [undefined], // tensor: TensorFlow's own to fill in
};

/** An AttrValue: a value, or a list of them. */
function readValue(bytes) {
  for (const [field, value] of fields(bytes)) {
    if (field === 1) {
      const list = [];
      for (const [kind, item] of fields(value)) {
        const reader = kind === 9 ? (function_) => [readFunction(function_)] : readers[kind];
        if (reader === undefined) throw new Error(`no default is a list of kind ${kind}`);
        list.push(...reader(item));
      }
      return list;
    }
    if (field === 10) return readFunction(value);
    const reader = readers[field];
    if (reader === undefined) throw new Error(`no default is of kind ${field}`);
    return reader(value)[0];
  }
  return [];
}

function readArg(bytes) {
  const arg = { name: '', type: 0, typeAttr: '', numberAttr: '', typeListAttr: '', isRef: false };
  for (const [field, value] of fields(bytes)) {
    if (field === 1) arg.name = text(value);
    else if (field === 3) arg.type = Number(value);
    else if (field === 4) arg.typeAttr = text(value);
    else if (field === 5) arg.numberAttr = text(value);
    else if (field === 6) arg.typeListAttr = text(value);
    else if (field === 16) arg.isRef = value === 1n;
  }
  return arg;
}

function readAttr(bytes) {
  const attr = { name: '', kind: '', hasDefault: false, allowed: null, minimum: null };
  let hasMinimum = false;
  let minimum = 0n;
  for (const [field, value] of fields(bytes)) {
    if (field === 1) attr.name = text(value);
    else if (field === 2) attr.kind = text(value);
    else if (field === 3) {
      attr.hasDefault = true;
      attr.default = readValue(value);
    } else if (field === 5) hasMinimum = value === 1n;
    else if (field === 6) minimum = int64(value);
    else if (field === 7) attr.allowed = readValue(value);
  }
  if (hasMinimum) attr.minimum = Number(minimum);
  return attr;
}

function readOp(bytes) {
  const op = { name: '', inputs: [], outputs: [], attrs: [], isStateful: false };
  for (const [field, value] of fields(bytes)) {
    if (field === 1) op.name = text(value);
    else if (field === 2) op.inputs.push(readArg(value));
    else if (field === 3) op.outputs.push(readArg(value));
    else if (field === 4) op.attrs.push(readAttr(value));
    else if (field === 17) op.isStateful = value === 1n;
  }
  return op;
}

/** All ops of an OpList message, by name. */
export function readOpList(bytes) {
  const ops = [];
  for (const [field, value] of fields(bytes)) if (field === 1) ops.push(readOp(value));
  return ops.sort((a, b) => (a.name < b.name ? -1 : 1));
}
