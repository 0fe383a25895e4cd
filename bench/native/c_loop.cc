// The contestant of bench/: the same op in a plain C loop over the same library, in the same process. Written as well as
// the C API allows (one op object, one status, reset between calls), so that a ratio against it is honest.
#include <dlfcn.h>
#include <napi.h>

#include <chrono>
#include <cstring>
#include <string>

#include "abi.h"

namespace {

tfe::Api g_api;
TFE_Context* g_context = nullptr;

void Check(Napi::Env env, TF_Status* status) {
  if (g_api.TF_GetCode(status) != tfe::kTfOk) {
    throw Napi::Error::New(env, g_api.TF_Message(status));
  }
}

// open(ccPath): borrows the image that tfe-node has mapped
void Open(const Napi::CallbackInfo& info) {
  const std::string path = info[0].As<Napi::String>();
  void* image = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD);
  if (image == nullptr) throw Napi::Error::New(info.Env(), "the library is not mapped: " + path);
#define TFE_NODE_RESOLVE(owner, name, result, parameters) \
  g_api.name = reinterpret_cast<result(*) parameters>(dlsym(image, #name));
  TFE_NODE_SYMBOLS(TFE_NODE_RESOLVE)
#undef TFE_NODE_RESOLVE
  TF_Status* status = g_api.TF_NewStatus();
  TFE_ContextOptions* options = g_api.TFE_NewContextOptions();
  g_context = g_api.TFE_NewContext(options, status);
  g_api.TFE_DeleteContextOptions(options);
  Check(info.Env(), status);
  g_api.TF_DeleteStatus(status);
}

TFE_TensorHandle* Square(Napi::Env env, const float (&values)[4], TF_Status* status) {
  const int64_t dims[] = {2, 2};
  TF_Tensor* tensor = g_api.TF_AllocateTensor(1, dims, 2, sizeof(values));
  std::memcpy(g_api.TF_TensorData(tensor), values, sizeof(values));
  TFE_TensorHandle* handle = g_api.TFE_NewTensorHandle(tensor, status);
  g_api.TF_DeleteTensor(tensor);
  Check(env, status);
  return handle;
}

// addLoop(iterations) => nanoseconds for that many AddV2 on 2x2 float32
Napi::Value AddLoop(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  const int iterations = info[0].As<Napi::Number>();
  TF_Status* status = g_api.TF_NewStatus();
  TFE_TensorHandle* a = Square(env, {1, 2, 3, 4}, status);
  TFE_TensorHandle* b = Square(env, {10, 20, 30, 40}, status);
  TFE_Op* op = g_api.TFE_NewOp(g_context, "AddV2", status);
  Check(env, status);

  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < iterations; ++i) {
    g_api.TFE_OpReset(op, "AddV2", nullptr, status);
    g_api.TFE_OpAddInput(op, a, status);
    g_api.TFE_OpAddInput(op, b, status);
    TFE_TensorHandle* output = nullptr;
    int outputs = 1;
    g_api.TFE_Execute(op, &output, &outputs, status);
    if (g_api.TF_GetCode(status) != tfe::kTfOk) break;
    g_api.TFE_DeleteTensorHandle(output);
  }
  const auto elapsed = std::chrono::steady_clock::now() - start;
  Check(env, status);

  g_api.TFE_DeleteOp(op);
  g_api.TFE_DeleteTensorHandle(a);
  g_api.TFE_DeleteTensorHandle(b);
  g_api.TF_DeleteStatus(status);
  return Napi::Number::New(
      env,
      static_cast<double>(std::chrono::duration_cast<std::chrono::nanoseconds>(elapsed).count()));
}

Napi::Object Init(Napi::Env env, Napi::Object exports) {
  exports.Set("open", Napi::Function::New<Open>(env));
  exports.Set("addLoop", Napi::Function::New<AddLoop>(env));
  return exports;
}

}  // namespace

NODE_API_MODULE(tfe_bench, Init)
