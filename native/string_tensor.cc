#include "string_tensor.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <utility>

#include "tensor.h"

namespace tfe {
namespace {

static_assert(sizeof(TF_TString) == 24, "the size of tensorflow/core/platform/ctstring.h");

void DestroyElements(void* memory, size_t count) {
  auto* elements = static_cast<TF_TString*>(memory);
  for (size_t i = 0; i < count; ++i) TheApi().TF_StringDealloc(&elements[i]);
}

// TensorFlow calls it once, when the last share of the buffer is gone, on whichever thread that is.
// TF_AllocateTensor would not do: it leaves strings to TF_DeleteTensor, which frees them only while nobody else
// has a share, and otherwise nobody does.
void FreeElements(void* memory, size_t length, void* /*unused*/) {
  DestroyElements(memory, length / sizeof(TF_TString));
  std::free(memory);
}

struct Free {
  void operator()(void* memory) const { std::free(memory); }
};

Failure WrongSize(const std::string& expected, size_t received) {
  return Failure{"TFE_TENSOR_BYTE_SIZE",
                 {{"expected", expected}, {"received", std::to_string(received)}}};
}

// The elements of a tensor to be; frees them unless TensorFlow takes them over.
class NewElements {
 public:
  explicit NewElements(size_t bytes) : memory_(std::malloc(bytes > 0 ? bytes : 1)) {}
  ~NewElements() {
    if (memory_ != nullptr) DestroyElements(memory_.get(), count_);
  }
  NewElements(const NewElements&) = delete;
  NewElements& operator=(const NewElements&) = delete;

  bool allocated() const { return memory_ != nullptr; }
  void Append(const char* bytes, size_t length) {
    TF_TString* element = static_cast<TF_TString*>(memory_.get()) + count_++;
    TheApi().TF_StringInit(element);
    TheApi().TF_StringCopy(element, bytes, length);
  }
  void* Release() { return memory_.release(); }

 private:
  std::unique_ptr<void, Free> memory_;
  size_t count_ = 0;
};

Result<TensorPtr> Resolve(TFE_TensorHandle* handle, TF_Status* status) {
  const Api& api = TheApi();
  const int dtype = api.TFE_TensorHandleDataType(handle);
  if (dtype != kTfString) {
    return Failure{"TFE_DTYPE_NOT_CARRIED", {{"tf", std::to_string(dtype)}}};
  }
  TensorPtr tensor(api.TFE_TensorHandleResolve(handle, status));
  if (!IsOk(status)) return FromTfStatus("TFE_TENSOR_FAILED", status);
  return tensor;
}

struct Elements {
  const TF_TString* first;
  size_t count;
};

Elements ElementsOf(const TF_Tensor* tensor) {
  return {static_cast<const TF_TString*>(TheApi().TF_TensorData(tensor)),
          static_cast<size_t>(TheApi().TF_TensorElementCount(tensor))};
}

}  // namespace

Result<HandlePtr> NewStringTensor(const int64_t* dims, int rank, const PackedStrings& strings,
                                  TF_Status* status) {
  const Api& api = TheApi();
  size_t count = 0;
  if (!CountElements(dims, rank, sizeof(TF_TString), &count)) {
    return WrongSize("more than 2^63", strings.byte_count);
  }
  const bool fills = strings.count == 1;
  if (!fills && strings.count != count) {
    return WrongSize(std::to_string(count * sizeof(double)), strings.count * sizeof(double));
  }

  const size_t size = count * sizeof(TF_TString);
  NewElements elements(size);
  if (!elements.allocated()) {
    return Failure{"TFE_TENSOR_ALLOCATION", {{"bytes", std::to_string(size)}}};
  }
  const char* bytes = strings.byte_count > 0 ? strings.bytes : "";
  size_t left = strings.byte_count;
  for (size_t i = 0; i < count; ++i) {
    // Read once: JavaScript's memory may be shared with a thread that writes to it.
    const double given = strings.lengths[fills ? 0 : i];
    if (!(given >= 0 && given <= static_cast<double>(left))) {
      return WrongSize("as many as the lengths say", strings.byte_count);
    }
    const auto length = static_cast<size_t>(given);
    elements.Append(bytes, length);
    if (fills) continue;
    bytes += length;
    left -= length;
  }
  // TensorFlow's from here on, also when it refuses: it then has called the deallocator.
  TensorPtr tensor(
      api.TF_NewTensor(kTfString, dims, rank, elements.Release(), size, FreeElements, nullptr));
  if (tensor == nullptr) {
    return Failure{"TFE_TENSOR_ALLOCATION", {{"bytes", std::to_string(size)}}};
  }
  HandlePtr handle(api.TFE_NewTensorHandle(tensor.get(), status));
  if (!IsOk(status)) return FromTfStatus("TFE_TENSOR_FAILED", status);
  return handle;
}

Result<size_t> StringBytes(TFE_TensorHandle* handle, TF_Status* status) {
  const Api& api = TheApi();
  Result<TensorPtr> tensor = Resolve(handle, status);
  if (!tensor.ok()) return std::move(tensor.failure());
  const Elements elements = ElementsOf(tensor.value().get());
  size_t bytes = elements.count * sizeof(TF_TString);
  for (size_t i = 0; i < elements.count; ++i) {
    const TF_TString* element = elements.first + i;
    if (api.TF_StringGetType(element) == kTfStringSmall) continue;
    // A string of its own has a capacity; results of some kernels are views into memory that they keep.
    bytes += std::max(api.TF_StringGetCapacity(element), api.TF_StringGetSize(element));
  }
  return bytes;
}

Status ReadStringLengths(TFE_TensorHandle* handle, double* lengths, size_t count,
                         TF_Status* status) {
  Result<TensorPtr> tensor = Resolve(handle, status);
  if (!tensor.ok()) return std::move(tensor.failure());
  const Elements elements = ElementsOf(tensor.value().get());
  if (elements.count != count) {
    return WrongSize(std::to_string(elements.count * sizeof(double)), count * sizeof(double));
  }
  for (size_t i = 0; i < count; ++i) {
    lengths[i] = static_cast<double>(TheApi().TF_StringGetSize(elements.first + i));
  }
  return Done{};
}

Status ReadStrings(TFE_TensorHandle* handle, char* destination, size_t length, TF_Status* status) {
  const Api& api = TheApi();
  Result<TensorPtr> tensor = Resolve(handle, status);
  if (!tensor.ok()) return std::move(tensor.failure());
  const Elements elements = ElementsOf(tensor.value().get());
  size_t total = 0;
  for (size_t i = 0; i < elements.count; ++i) total += api.TF_StringGetSize(elements.first + i);
  if (total != length) return WrongSize(std::to_string(total), length);
  for (size_t i = 0; i < elements.count; ++i) {
    const size_t size = api.TF_StringGetSize(elements.first + i);
    if (size > 0) {
      std::memcpy(destination, api.TF_StringGetDataPointer(elements.first + i), size);
      destination += size;
    }
  }
  return Done{};
}

}  // namespace tfe
