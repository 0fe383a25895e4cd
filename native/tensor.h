// Bytes in, bytes out, and the facts of a handle. Free functions: the handles belong to the table.
// Thread: any, one call per TF_Status.
#ifndef TFE_NODE_TENSOR_H_
#define TFE_NODE_TENSOR_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "dtype.h"
#include "raii.h"
#include "status.h"

namespace tfe {

// Dtype, dims and data size of a tensor, as TensorFlow reports them.
struct TensorFacts {
  int dtype = 0;
  std::vector<int64_t> dims;
  size_t bytes = 0;
};

// Copies `length` bytes once, into TensorFlow's own 64-byte aligned memory. The caller's memory is never
// kept: a buffer that JavaScript goes on writing to must not change a tensor.
Result<HandlePtr> NewTensor(const DType& dtype, const int64_t* dims, int rank, const void* data,
                            size_t length, TF_Status* status);

// Fills `facts`, reusing its storage.
Status ReadFacts(TFE_TensorHandle* handle, TF_Status* status, TensorFacts* facts);

// Copies the tensor's bytes to `destination`, which must have exactly their size.
Status ReadBytes(TFE_TensorHandle* handle, void* destination, size_t length, TF_Status* status);

}  // namespace tfe

#endif  // TFE_NODE_TENSOR_H_
