#include "tensor.h"

#if defined(__linux__)
#include <sys/mman.h>
#endif

#include <cstdint>
#include <cstring>
#include <string>
#include <utility>

#include "string_tensor.h"

namespace tfe {
namespace {

// From here on memory is asked for in huge pages, as NumPy does: 16 MiB that are new to the process are 4096 page faults,
// which take several times as long as the copy.
constexpr size_t kHugePagesFrom = 4 << 20;

#if defined(__linux__)
// Linux's smallest. Where pages are larger the advice fails.
constexpr uintptr_t kPage = 4096;

// Whether the process has had the page before: the allocator hands out what was freed.
bool IsWarm(uintptr_t page) {
  unsigned char resident = 0;
  return mincore(reinterpret_cast<void*>(page), kPage, &resident) == 0 && (resident & 1) != 0;
}

// Advice only: where the system has no huge pages it fails, and nothing else changes. The call costs a twentieth of the copy,
// so it is not made again for the block that this thread had last, unless that has gone back to the system meanwhile.
void AskForHugePages(void* memory, size_t length) {
  thread_local std::pair<uintptr_t, uintptr_t> t_advised;
  const uintptr_t begin = (reinterpret_cast<uintptr_t>(memory) + kPage - 1) / kPage * kPage;
  const uintptr_t end = (reinterpret_cast<uintptr_t>(memory) + length) / kPage * kPage;
  const std::pair<uintptr_t, uintptr_t> block(begin, end);
  if (block == t_advised && IsWarm(begin) && IsWarm(end - kPage)) return;
  madvise(reinterpret_cast<void*>(begin), end - begin, MADV_HUGEPAGE);
  t_advised = block;
}
#endif

// Copies into memory that nobody has looked at yet.
void Fill(void* destination, const void* source, size_t length) {
  if (length == 0) return;
#if defined(__linux__)
  if (length >= kHugePagesFrom) AskForHugePages(destination, length);
#endif
  std::memcpy(destination, source, length);
}

}  // namespace

bool CountElements(const int64_t* dims, int rank, size_t element, size_t* count) {
  int64_t total = 1;
  int64_t bytes = static_cast<int64_t>(element);
  bool empty = false;
  for (int i = 0; i < rank; ++i) {
    if (dims[i] < 0) return false;
    if (dims[i] == 0) {
      empty = true;
    } else if (__builtin_mul_overflow(total, dims[i], &total) ||
               __builtin_mul_overflow(bytes, dims[i], &bytes)) {
      return false;
    }
  }
  *count = empty ? 0 : static_cast<size_t>(total);
  return true;
}

Result<HandlePtr> NewTensor(const DType& dtype, const int64_t* dims, int rank, const void* data,
                            size_t length, TF_Status* status) {
  const Api& api = TheApi();
  size_t count = 0;
  const bool addressable = CountElements(dims, rank, dtype.size, &count);
  const size_t bytes = count * dtype.size;
  if (!addressable || bytes != length) {
    return Failure{"TFE_TENSOR_BYTE_SIZE",
                   {{"expected", addressable ? std::to_string(bytes) : "more than 2^63"},
                    {"received", std::to_string(length)}}};
  }
  TensorPtr tensor(api.TF_AllocateTensor(dtype.tf, dims, rank, length));
  if (tensor == nullptr) {
    return Failure{"TFE_TENSOR_ALLOCATION", {{"bytes", std::to_string(length)}}};
  }
  Fill(api.TF_TensorData(tensor.get()), data, length);
  HandlePtr handle(api.TFE_NewTensorHandle(tensor.get(), status));
  if (!IsOk(status)) return FromTfStatus("TFE_TENSOR_FAILED", status);
  return handle;
}

Status ReadFacts(TFE_TensorHandle* handle, TF_Status* status, TensorFacts* facts) {
  const Api& api = TheApi();
  facts->dtype = api.TFE_TensorHandleDataType(handle);
  const int rank = api.TFE_TensorHandleNumDims(handle, status);
  if (!IsOk(status)) return FromTfStatus("TFE_TENSOR_FAILED", status);
  facts->dims.resize(static_cast<size_t>(rank));
  for (int i = 0; i < rank; ++i) {
    facts->dims[static_cast<size_t>(i)] = api.TFE_TensorHandleDim(handle, i, status);
    if (!IsOk(status)) return FromTfStatus("TFE_TENSOR_FAILED", status);
  }
  const DType* dtype = FindDType(facts->dtype);
  facts->bytes = 0;
  if (facts->dtype == kTfString) {
    Result<size_t> held = StringBytes(handle, status);
    if (!held.ok()) return std::move(held.failure());
    facts->bytes = held.value();
  } else if (dtype != nullptr) {
    size_t count = 0;
    CountElements(facts->dims.data(), rank, dtype->size, &count);
    facts->bytes = count * dtype->size;
  }
  return Done{};
}

Result<HandlePtr> ShareHandle(TFE_TensorHandle* handle, TF_Status* status) {
  HandlePtr share(TheApi().TFE_TensorHandleCopySharingTensor(handle, status));
  if (!IsOk(status)) return FromTfStatus("TFE_TENSOR_FAILED", status);
  return share;
}

Result<TensorPtr> ShareBytes(TFE_TensorHandle* handle, TF_Status* status) {
  const Api& api = TheApi();
  const int dtype = api.TFE_TensorHandleDataType(handle);
  const DType* row = FindDType(dtype);
  // The bytes of a string, a resource or a variant are pointers.
  if (row == nullptr || row->size == 0) {
    return Failure{"TFE_DTYPE_NOT_CARRIED", {{"tf", std::to_string(dtype)}}};
  }
  TensorPtr tensor(api.TFE_TensorHandleResolve(handle, status));
  if (!IsOk(status)) return FromTfStatus("TFE_TENSOR_FAILED", status);
  return tensor;
}

Status ReadBytes(TFE_TensorHandle* handle, void* destination, size_t length, TF_Status* status) {
  const Api& api = TheApi();
  Result<TensorPtr> shared = ShareBytes(handle, status);
  if (!shared.ok()) return std::move(shared.failure());
  const TF_Tensor* tensor = shared.value().get();
  const size_t available = api.TF_TensorByteSize(tensor);
  if (available != length) {
    return Failure{"TFE_TENSOR_BYTE_SIZE",
                   {{"expected", std::to_string(available)}, {"received", std::to_string(length)}}};
  }
  Fill(destination, api.TF_TensorData(tensor), length);
  return Done{};
}

}  // namespace tfe
