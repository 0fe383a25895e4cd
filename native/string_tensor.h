// String tensors: texts and byte strings, which TensorFlow keeps as one TF_TString per element.
// Owner of the elements: the TF_Tensor's buffer, through our deallocator; nothing else ever frees one.
// Thread: any, one call per TF_Status.
#ifndef TFE_NODE_STRING_TENSOR_H_
#define TFE_NODE_STRING_TENSOR_H_

#include <cstddef>
#include <cstdint>

#include "raii.h"
#include "status.h"

namespace tfe {

// Strings one behind the other: `lengths[i]` bytes of `bytes` each.
struct PackedStrings {
  const char* bytes;
  size_t byte_count;
  const double* lengths;  // JavaScript's numbers
  size_t count;
};

// Copies the strings. One string fills a shape of any size; otherwise there are as many as elements.
Result<HandlePtr> NewStringTensor(const int64_t* dims, int rank, const PackedStrings& strings,
                                  TF_Status* status);

// The memory that the elements take: themselves, and what they own outside of them.
Result<size_t> StringBytes(TFE_TensorHandle* handle, TF_Status* status);

// Writes the length of each element, in bytes, to `lengths`, which has room for exactly `count`.
Status ReadStringLengths(TFE_TensorHandle* handle, double* lengths, size_t count,
                         TF_Status* status);

// Copies the elements' bytes, one behind the other, to `destination`, which must have exactly their size.
Status ReadStrings(TFE_TensorHandle* handle, char* destination, size_t length, TF_Status* status);

}  // namespace tfe

#endif  // TFE_NODE_STRING_TENSOR_H_
