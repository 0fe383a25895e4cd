// One move-only owner for each TensorFlow object. A deleter needs the function table, which exists once
// per process and outlives every object, so the deleters carry no state.
#ifndef TFE_NODE_RAII_H_
#define TFE_NODE_RAII_H_

#include <memory>

#include "library.h"

namespace tfe {

#define TFE_NODE_OWNER(alias, type, deleter)                          \
  struct alias##Deleter {                                             \
    void operator()(type* object) const { TheApi().deleter(object); } \
  };                                                                  \
  using alias = std::unique_ptr<type, alias##Deleter>;

TFE_NODE_OWNER(StatusPtr, TF_Status, TF_DeleteStatus)
TFE_NODE_OWNER(TensorPtr, TF_Tensor, TF_DeleteTensor)
TFE_NODE_OWNER(BufferPtr, TF_Buffer, TF_DeleteBuffer)
TFE_NODE_OWNER(GraphPtr, TF_Graph, TF_DeleteGraph)
TFE_NODE_OWNER(ShapeListPtr, TF_ShapeAndTypeList, TF_DeleteShapeAndTypeList)
TFE_NODE_OWNER(DeviceListPtr, TF_DeviceList, TF_DeleteDeviceList)
TFE_NODE_OWNER(ContextOptionsPtr, TFE_ContextOptions, TFE_DeleteContextOptions)
TFE_NODE_OWNER(ContextPtr, TFE_Context, TFE_DeleteContext)
TFE_NODE_OWNER(CancellationPtr, TFE_CancellationManager, TFE_DeleteCancellationManager)
TFE_NODE_OWNER(OpPtr, TFE_Op, TFE_DeleteOp)
TFE_NODE_OWNER(HandlePtr, TFE_TensorHandle, TFE_DeleteTensorHandle)
#undef TFE_NODE_OWNER

}  // namespace tfe

#endif  // TFE_NODE_RAII_H_
