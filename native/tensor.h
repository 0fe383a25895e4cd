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

// Number of elements; false when a dim is negative, or when the dims without the zeros have a product that
// times `element` int64 cannot hold: TensorFlow aborts the process on some of those.
bool CountElements(const int64_t* dims, int rank, size_t element, size_t* count);

// Copies `length` bytes once, into memory of TF_AllocateTensor: 64-byte aligned, so that TensorFlow copies it
// no second time (an allocator of ours
// measures the same), and TensorFlow's own, so that a kernel may write its result over it. The caller's memory is
// never kept: a buffer that JavaScript goes on writing to must not change a tensor. Plain dtypes only.
Result<HandlePtr> NewTensor(const DType& dtype, const int64_t* dims, int rank, const void* data,
                            size_t length, TF_Status* status);

// Fills `facts`, reusing its storage.
Status ReadFacts(TFE_TensorHandle* handle, TF_Status* status, TensorFacts* facts);

// Another handle of the same tensor, which stays when this one goes.
Result<HandlePtr> ShareHandle(TFE_TensorHandle* handle, TF_Status* status);

// The tensor's memory, not copied, with a share of its own: it stays when the handle goes. Plain dtypes only.
Result<TensorPtr> ShareBytes(TFE_TensorHandle* handle, TF_Status* status);

// Copies the tensor's bytes to `destination`, which must have exactly their size.
Status ReadBytes(TFE_TensorHandle* handle, void* destination, size_t length, TF_Status* status);

}  // namespace tfe

#endif  // TFE_NODE_TENSOR_H_
