// Our own declarations of the TensorFlow C functions in use, and which image must export each.
// No TensorFlow header is included: the library is pinned (lib/native/pin.json) and opened at run time, and a
// header of another version could not be told from the right one by a compiler.
// Source of the signatures: TensorFlow 2.21.0, c_api.h, tf_tensor.h, tf_status.h, eager/c_api.h,
// eager/c_api_experimental.h, c_api_experimental.h.
#ifndef TFE_NODE_ABI_H_
#define TFE_NODE_ABI_H_

#include <cstddef>
#include <cstdint>

extern "C" {
struct TF_Status;
struct TF_Tensor;
struct TF_DeviceList;
struct TF_Graph;
struct TF_ShapeAndTypeList;
// The one struct whose fields are public in c_api.h.
struct TF_Buffer {
  const void* data;
  size_t length;
  void (*data_deallocator)(void*, size_t);
};
// One element of a string tensor: tf_tstring.h's union, of which only the size is ours to know. Read and written
// through the TF_String functions alone.
struct TF_TString {
  alignas(8) unsigned char opaque[24];
};
struct TFE_CancellationManager;
struct TFE_Context;
struct TFE_ContextOptions;
struct TFE_Op;
struct TFE_TensorHandle;
}

namespace tfe {

// TF_Code values that we branch on; the rest pass through to JavaScript as numbers.
inline constexpr int kTfOk = 0;

// TF_DataType of the dtypes of shapes and axes.
inline constexpr int kTfInt32 = 3;
inline constexpr int kTfInt64 = 9;

// TF_DataType of the one dtype whose elements own memory of their own.
inline constexpr int kTfString = 7;

// TF_TString_Type of an element whose bytes lie inside of it.
inline constexpr int kTfStringSmall = 0;

// TF_AttrType.
inline constexpr int kTfAttrString = 0;
inline constexpr int kTfAttrInt = 1;
inline constexpr int kTfAttrFloat = 2;
inline constexpr int kTfAttrBool = 3;
inline constexpr int kTfAttrType = 4;
inline constexpr int kTfAttrShape = 5;
inline constexpr int kTfAttrTensor = 6;
inline constexpr int kTfAttrFunc = 8;

// X(image, name, result, parameters). `image` is the library that must export the symbol: a symbol
// found in any other image is refused (dlsym also searches an image's dependencies).
#define TFE_NODE_SYMBOLS(X)                                                                        \
  X(Cc, TF_Version, const char*, (void))                                                           \
  X(Framework, TF_NewStatus, TF_Status*, (void))                                                   \
  X(Framework, TF_DeleteStatus, void, (TF_Status*))                                                \
  X(Framework, TF_GetCode, int, (const TF_Status*))                                                \
  X(Framework, TF_Message, const char*, (const TF_Status*))                                        \
  X(Framework, TF_AllocateTensor, TF_Tensor*, (int, const int64_t*, int, size_t))                  \
  X(Framework, TF_NewTensor, TF_Tensor*,                                                           \
    (int, const int64_t*, int, void*, size_t, void (*)(void*, size_t, void*), void*))              \
  X(Framework, TF_DeleteTensor, void, (TF_Tensor*))                                                \
  X(Framework, TF_TensorData, void*, (const TF_Tensor*))                                           \
  X(Framework, TF_TensorByteSize, size_t, (const TF_Tensor*))                                      \
  X(Framework, TF_TensorElementCount, int64_t, (const TF_Tensor*))                                 \
  X(Cc, TF_StringInit, void, (TF_TString*))                                                        \
  X(Cc, TF_StringCopy, void, (TF_TString*, const char*, size_t))                                   \
  X(Cc, TF_StringDealloc, void, (TF_TString*))                                                     \
  X(Cc, TF_StringGetDataPointer, const char*, (const TF_TString*))                                 \
  X(Cc, TF_StringGetSize, size_t, (const TF_TString*))                                             \
  X(Cc, TF_StringGetCapacity, size_t, (const TF_TString*))                                         \
  X(Cc, TF_StringGetType, int, (const TF_TString*))                                                \
  X(Framework, TF_NewBuffer, TF_Buffer*, (void))                                                   \
  X(Framework, TF_DeleteBuffer, void, (TF_Buffer*))                                                \
  X(Cc, TF_GetAllOpList, TF_Buffer*, (void))                                                       \
  X(Cc, TF_NewGraph, TF_Graph*, (void))                                                            \
  X(Cc, TF_DeleteGraph, void, (TF_Graph*))                                                         \
  X(Cc, TF_GraphGetOpDef, void, (TF_Graph*, const char*, TF_Buffer*, TF_Status*))                  \
  X(Cc, TFE_NewContextOptions, TFE_ContextOptions*, (void))                                        \
  X(Cc, TFE_DeleteContextOptions, void, (TFE_ContextOptions*))                                     \
  X(Cc, TFE_ContextOptionsSetConfig, void, (TFE_ContextOptions*, const void*, size_t, TF_Status*)) \
  X(Cc, TFE_NewContext, TFE_Context*, (const TFE_ContextOptions*, TF_Status*))                     \
  X(Cc, TFE_DeleteContext, void, (TFE_Context*))                                                   \
  X(Cc, TFE_ContextAsyncWait, void, (TFE_Context*, TF_Status*))                                    \
  X(Cc, TFE_ContextListDevices, TF_DeviceList*, (TFE_Context*, TF_Status*))                        \
  X(Cc, TFE_ContextClearCaches, void, (TFE_Context*))                                              \
  X(Cc, TFE_ContextHasFunction, unsigned char, (TFE_Context*, const char*))                        \
  X(Cc, TF_DeleteDeviceList, void, (TF_DeviceList*))                                               \
  X(Cc, TF_DeviceListCount, int, (const TF_DeviceList*))                                           \
  X(Cc, TF_DeviceListName, const char*, (const TF_DeviceList*, int, TF_Status*))                   \
  X(Cc, TF_DeviceListType, const char*, (const TF_DeviceList*, int, TF_Status*))                   \
  X(Cc, TFE_NewTensorHandle, TFE_TensorHandle*, (const TF_Tensor*, TF_Status*))                    \
  X(Cc, TFE_DeleteTensorHandle, void, (TFE_TensorHandle*))                                         \
  X(Cc, TFE_TensorHandleDataType, int, (TFE_TensorHandle*))                                        \
  X(Cc, TFE_TensorHandleNumDims, int, (TFE_TensorHandle*, TF_Status*))                             \
  X(Cc, TFE_TensorHandleDim, int64_t, (TFE_TensorHandle*, int, TF_Status*))                        \
  X(Cc, TFE_TensorHandleBackingDeviceName, const char*, (TFE_TensorHandle*, TF_Status*))           \
  X(Cc, TFE_TensorHandleCopySharingTensor, TFE_TensorHandle*, (TFE_TensorHandle*, TF_Status*))     \
  X(Cc, TFE_TensorHandleResolve, TF_Tensor*, (TFE_TensorHandle*, TF_Status*))                      \
  X(Cc, TFE_NewOp, TFE_Op*, (TFE_Context*, const char*, TF_Status*))                               \
  X(Cc, TFE_DeleteOp, void, (TFE_Op*))                                                             \
  X(Cc, TFE_OpReset, void, (TFE_Op*, const char*, const char*, TF_Status*))                        \
  X(Cc, TFE_OpGetAttrType, int, (TFE_Op*, const char*, unsigned char*, TF_Status*))                \
  X(Cc, TFE_OpAddInput, void, (TFE_Op*, TFE_TensorHandle*, TF_Status*))                            \
  X(Cc, TFE_OpGetFlatInputCount, int, (const TFE_Op*, TF_Status*))                                 \
  X(Cc, TFE_OpSetAttrString, void, (TFE_Op*, const char*, const void*, size_t))                    \
  X(Cc, TFE_OpSetAttrInt, void, (TFE_Op*, const char*, int64_t))                                   \
  X(Cc, TFE_OpSetAttrFloat, void, (TFE_Op*, const char*, float))                                   \
  X(Cc, TFE_OpSetAttrBool, void, (TFE_Op*, const char*, unsigned char))                            \
  X(Cc, TFE_OpSetAttrType, void, (TFE_Op*, const char*, int))                                      \
  X(Cc, TFE_OpSetAttrShape, void, (TFE_Op*, const char*, const int64_t*, int, TF_Status*))         \
  X(Cc, TFE_OpSetAttrTensor, void, (TFE_Op*, const char*, TF_Tensor*, TF_Status*))                 \
  X(Cc, TFE_OpSetAttrFunctionName, void, (TFE_Op*, const char*, const char*, size_t))              \
  X(Cc, TFE_OpSetAttrStringList, void,                                                             \
    (TFE_Op*, const char*, const void* const*, const size_t*, int))                                \
  X(Cc, TFE_OpSetAttrIntList, void, (TFE_Op*, const char*, const int64_t*, int))                   \
  X(Cc, TFE_OpSetAttrFloatList, void, (TFE_Op*, const char*, const float*, int))                   \
  X(Cc, TFE_OpSetAttrBoolList, void, (TFE_Op*, const char*, const unsigned char*, int))            \
  X(Cc, TFE_OpSetAttrTypeList, void, (TFE_Op*, const char*, const int*, int))                      \
  X(Cc, TFE_OpSetAttrShapeList, void,                                                              \
    (TFE_Op*, const char*, const int64_t**, const int*, int, TF_Status*))                          \
  X(Cc, TFE_OpSetAttrFunctionList, void, (TFE_Op*, const char*, const TFE_Op**, int))              \
  X(Cc, TF_NewShapeAndTypeList, TF_ShapeAndTypeList*, (int))                                       \
  X(Cc, TF_DeleteShapeAndTypeList, void, (TF_ShapeAndTypeList*))                                   \
  X(Cc, TF_ShapeAndTypeListSetShape, void, (TF_ShapeAndTypeList*, int, const int64_t*, int))       \
  X(Cc, TFE_InferShapes, void,                                                                     \
    (TFE_Op*, TF_ShapeAndTypeList*, TF_Tensor**, TF_ShapeAndTypeList*, TF_ShapeAndTypeList**,      \
     TF_ShapeAndTypeList**, TF_ShapeAndTypeList***, TF_Status*))                                   \
  X(Cc, TFE_NewCancellationManager, TFE_CancellationManager*, (void))                              \
  X(Cc, TFE_DeleteCancellationManager, void, (TFE_CancellationManager*))                           \
  X(Cc, TFE_CancellationManagerStartCancel, void, (TFE_CancellationManager*))                      \
  X(Cc, TFE_OpSetCancellationManager, void, (TFE_Op*, TFE_CancellationManager*, TF_Status*))       \
  X(Cc, TFE_Execute, void, (TFE_Op*, TFE_TensorHandle**, int*, TF_Status*))

// The resolved functions. Filled once by Library and never changed, so any thread may read it.
struct Api {
#define TFE_NODE_DECLARE(image, name, result, parameters) result(*name) parameters = nullptr;
  TFE_NODE_SYMBOLS(TFE_NODE_DECLARE)
#undef TFE_NODE_DECLARE
};

}  // namespace tfe

#endif  // TFE_NODE_ABI_H_
