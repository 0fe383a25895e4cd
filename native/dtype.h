// The dtypes that have a JavaScript carrier, as one table. The numbers are TF_DataType's.
// Thread: any (constant data).
#ifndef TFE_NODE_DTYPE_H_
#define TFE_NODE_DTYPE_H_

#include <cstddef>

namespace tfe {

struct DType {
  int tf;            // TF_DataType
  const char* name;  // TensorFlow's name, as JavaScript spells it
  size_t size;       // bytes per element
};

// nullptr when the dtype has no carrier.
const DType* FindDType(int tf);

}  // namespace tfe

#endif  // TFE_NODE_DTYPE_H_
