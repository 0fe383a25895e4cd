// How many tensors an op takes and gives, read from its OpDef (tensorflow/core/framework/op_def.proto).
// Only the few fields that are needed; everything else is stepped over.
// Thread: any (pure functions).
#ifndef TFE_NODE_OP_SIGNATURE_H_
#define TFE_NODE_OP_SIGNATURE_H_

#include <cstddef>
#include <cstdint>
#include <optional>

namespace tfe {

struct OpSignature {
  size_t inputs = 0;   // arguments; a list counts as one
  size_t outputs = 0;  // likewise
  bool has_list_input = false;
  bool has_list_output = false;
  // An argument is a reference to a variable of TensorFlow 1: its kernels take a mutex that eager has not.
  bool has_ref = false;
};

// Steps through the fields of one protobuf message. Borrows its bytes.
class ProtoReader {
 public:
  ProtoReader(const void* data, size_t length)
      : next_(static_cast<const uint8_t*>(data)), end_(next_ + length) {}

  // False at the end of the message, and at the first byte that is not protobuf.
  bool Next() {
    uint64_t key = 0;
    if (next_ == end_ || !Varint(&key)) return false;
    field_ = key >> 3;
    payload_ = nullptr;
    uint64_t length = 0;
    switch (key & 7) {
      case 0:
        return Varint(&length);
      case 1:
        length = 8;
        break;
      case 2:
        if (!Varint(&length)) return false;
        break;
      case 5:
        length = 4;
        break;
      default:
        return Fail();
    }
    if (length > static_cast<size_t>(end_ - next_)) return Fail();
    payload_ = next_;
    length_ = static_cast<size_t>(length);
    next_ += length;
    return true;
  }

  uint64_t field() const { return field_; }
  // The field as a message. Only for the fields that the schema says are messages.
  ProtoReader message() const { return ProtoReader(payload_, payload_ == nullptr ? 0 : length_); }
  bool failed() const { return failed_; }

 private:
  bool Fail() {
    failed_ = true;
    return false;
  }

  bool Varint(uint64_t* value) {
    *value = 0;
    for (int shift = 0; shift < 64 && next_ != end_; shift += 7) {
      const uint8_t byte = *next_++;
      *value |= static_cast<uint64_t>(byte & 0x7f) << shift;
      if ((byte & 0x80) == 0) return true;
    }
    return Fail();
  }

  const uint8_t* next_;
  const uint8_t* end_;
  const uint8_t* payload_ = nullptr;
  size_t length_ = 0;
  uint64_t field_ = 0;
  bool failed_ = false;
};

// Nothing when the bytes are not an OpDef.
inline std::optional<OpSignature> ReadOpSignature(const void* data, size_t length) {
  constexpr uint64_t kInputArg = 2;
  constexpr uint64_t kOutputArg = 3;
  constexpr uint64_t kNumberAttr = 5;    // of ArgDef: a list of one type
  constexpr uint64_t kTypeListAttr = 6;  // of ArgDef: a list of many types
  constexpr uint64_t kIsRef = 16;        // of ArgDef: written only when true
  OpSignature signature;
  ProtoReader op(data, length);
  while (op.Next()) {
    const bool is_input = op.field() == kInputArg;
    if (!is_input && op.field() != kOutputArg) continue;
    ++(is_input ? signature.inputs : signature.outputs);
    ProtoReader arg = op.message();
    while (arg.Next()) {
      if (arg.field() == kNumberAttr || arg.field() == kTypeListAttr) {
        (is_input ? signature.has_list_input : signature.has_list_output) = true;
      }
      if (arg.field() == kIsRef) signature.has_ref = true;
    }
    if (arg.failed()) return std::nullopt;
  }
  if (op.failed()) return std::nullopt;
  return signature;
}

}  // namespace tfe

#endif  // TFE_NODE_OP_SIGNATURE_H_
