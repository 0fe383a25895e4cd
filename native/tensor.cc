#include "tensor.h"

#include <cstring>
#include <string>

#include "context.h"

namespace tfe {
namespace {

// Number of bytes of a dense tensor; false when a dim is negative, or when the dims without the zeros
// have a product that int64 cannot hold: TensorFlow aborts the process on some of those.
bool ByteSize(const DType& dtype, const int64_t* dims, int rank, size_t* bytes) {
  int64_t total = static_cast<int64_t>(dtype.size);
  bool empty = false;
  for (int i = 0; i < rank; ++i) {
    if (dims[i] < 0) return false;
    if (dims[i] == 0) {
      empty = true;
    } else if (__builtin_mul_overflow(total, dims[i], &total)) {
      return false;
    }
  }
  *bytes = empty ? 0 : static_cast<size_t>(total);
  return true;
}

}  // namespace

Result<HandlePtr> NewTensor(const DType& dtype, const int64_t* dims, int rank, const void* data,
                            size_t length, TF_Status* status) {
  const Api& api = TheApi();
  size_t bytes = 0;
  const bool addressable = ByteSize(dtype, dims, rank, &bytes);
  if (!addressable || bytes != length) {
    return Failure{"TFE_TENSOR_BYTE_SIZE",
                   {{"expected", addressable ? std::to_string(bytes) : "more than 2^63"},
                    {"received", std::to_string(length)}}};
  }
  TensorPtr tensor(api.TF_AllocateTensor(dtype.tf, dims, rank, length));
  if (tensor == nullptr) {
    return Failure{"TFE_TENSOR_ALLOCATION", {{"bytes", std::to_string(length)}}};
  }
  if (length > 0) std::memcpy(api.TF_TensorData(tensor.get()), data, length);
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
  if (dtype != nullptr) ByteSize(*dtype, facts->dims.data(), rank, &facts->bytes);
  return Done{};
}

Status ReadBytes(TFE_TensorHandle* handle, void* destination, size_t length, TF_Status* status) {
  const Api& api = TheApi();
  const int dtype = api.TFE_TensorHandleDataType(handle);
  // The bytes of a string, a resource or a variant are pointers.
  if (FindDType(dtype) == nullptr) {
    return Failure{"TFE_DTYPE_NOT_CARRIED", {{"tf", std::to_string(dtype)}}};
  }
  TensorPtr tensor(api.TFE_TensorHandleResolve(handle, status));
  if (!IsOk(status)) return FromTfStatus("TFE_TENSOR_FAILED", status);
  const size_t available = api.TF_TensorByteSize(tensor.get());
  if (available != length) {
    return Failure{"TFE_TENSOR_BYTE_SIZE",
                   {{"expected", std::to_string(available)}, {"received", std::to_string(length)}}};
  }
  if (length > 0) std::memcpy(destination, api.TF_TensorData(tensor.get()), length);
  return Done{};
}

}  // namespace tfe
