// The dtypes that a JavaScript tensor can have, as one table. The numbers are TF_DataType's.
// Thread: any (constant data).
#ifndef TFE_NODE_DTYPE_H_
#define TFE_NODE_DTYPE_H_

#include <cstddef>

namespace tfe {

struct DType {
  int tf;            // TF_DataType
  const char* name;  // TensorFlow's name, as JavaScript spells it
  size_t size;  // bytes per element; 0 where the elements are not plain bytes: they hold pointers
};

// nullptr when no JavaScript tensor has the dtype.
const DType* FindDType(int tf);

}  // namespace tfe

#endif  // TFE_NODE_DTYPE_H_
