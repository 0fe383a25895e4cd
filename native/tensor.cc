#include "tensor.h"

#include <cstring>
#include <string>

#include "context.h"

namespace tfe {
namespace {

// Number of bytes of a dense tensor; false when it does not fit size_t or a dim is negative.
bool ByteSize(const DType& dtype, const int64_t* dims, int rank, size_t* bytes) {
  size_t total = dtype.size;
  for (int i = 0; i < rank; ++i) {
    if (dims[i] < 0) return false;
    if (__builtin_mul_overflow(total, static_cast<size_t>(dims[i]), &total)) return false;
  }
  *bytes = total;
  return true;
}

}  // namespace

Result<HandlePtr> NewTensor(const DType& dtype, const int64_t* dims, int rank, const void* data,
                            size_t length, TF_Status* status) {
  const Api& api = TheApi();
  size_t expected = 0;
  if (!ByteSize(dtype, dims, rank, &expected) || expected != length) {
    return Failure{"TFE_TENSOR_BYTE_SIZE",
                   {{"expected", std::to_string(expected)}, {"received", std::to_string(length)}}};
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
