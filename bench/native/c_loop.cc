// The contestants of bench/: the same work in plain C over the same library, in the same process. Written as well as the C
// API allows (one op object, one status, reset between calls), so that a ratio against it is honest.
#include <dlfcn.h>
#include <napi.h>
#if defined(__GLIBC__)
#include <malloc.h>
#endif

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "api.h"

namespace {

tfe::Api g_api;
TFE_Context* g_context = nullptr;

using Clock = std::chrono::steady_clock;

Napi::Value Nanoseconds(Napi::Env env, Clock::duration elapsed) {
  const auto count = std::chrono::duration_cast<std::chrono::nanoseconds>(elapsed).count();
  return Napi::Number::New(env, static_cast<double>(count));
}

void Check(Napi::Env env, TF_Status* status) {
  if (g_api.TF_GetCode(status) != tfe::kTfOk) {
    throw Napi::Error::New(env, g_api.TF_Message(status));
  }
}

// open(ccPath): borrows the image that tfe-node has mapped. Two contexts with default options share their thread pools.
void Open(const Napi::CallbackInfo& info) {
  const std::string path = info[0].As<Napi::String>();
  void* image = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD);
  if (image == nullptr) throw Napi::Error::New(info.Env(), "the library is not mapped: " + path);
  g_api = tfe_bench::Resolve(image);
  TF_Status* status = g_api.TF_NewStatus();
  TFE_ContextOptions* options = g_api.TFE_NewContextOptions();
  g_context = g_api.TFE_NewContext(options, status);
  g_api.TFE_DeleteContextOptions(options);
  Check(info.Env(), status);
  g_api.TF_DeleteStatus(status);
}

// float32 [side, side] of small numbers
TFE_TensorHandle* Square(Napi::Env env, int64_t side, TF_Status* status) {
  const int64_t dims[] = {side, side};
  const size_t count = static_cast<size_t>(side * side);
  TF_Tensor* tensor = g_api.TF_AllocateTensor(1, dims, 2, count * sizeof(float));
  float* values = static_cast<float*>(g_api.TF_TensorData(tensor));
  for (size_t i = 0; i < count; ++i) values[i] = static_cast<float>(i % 7) - 3;
  TFE_TensorHandle* handle = g_api.TFE_NewTensorHandle(tensor, status);
  g_api.TF_DeleteTensor(tensor);
  Check(env, status);
  return handle;
}

// opLoop(op, side, iterations) => nanoseconds for that many of an op with two float32 inputs of [side, side]
Napi::Value OpLoop(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  const std::string name = info[0].As<Napi::String>();
  const int64_t side = info[1].As<Napi::Number>();
  const int iterations = info[2].As<Napi::Number>();
  TF_Status* status = g_api.TF_NewStatus();
  TFE_TensorHandle* a = Square(env, side, status);
  TFE_TensorHandle* b = Square(env, side, status);
  TFE_Op* op = g_api.TFE_NewOp(g_context, name.c_str(), status);
  Check(env, status);

  Clock::time_point start;
  for (int i = -1; i < iterations; ++i) {
    if (i == 0) start = Clock::now();  // one before the clock: caches and threads are warm
    g_api.TFE_OpReset(op, name.c_str(), nullptr, status);
    g_api.TFE_OpAddInput(op, a, status);
    g_api.TFE_OpAddInput(op, b, status);
    TFE_TensorHandle* output = nullptr;
    int outputs = 1;
    g_api.TFE_Execute(op, &output, &outputs, status);
    if (g_api.TF_GetCode(status) != tfe::kTfOk) break;
    g_api.TFE_DeleteTensorHandle(output);
  }
  const Clock::duration elapsed = Clock::now() - start;
  Check(env, status);

  g_api.TFE_DeleteOp(op);
  g_api.TFE_DeleteTensorHandle(a);
  g_api.TFE_DeleteTensorHandle(b);
  g_api.TF_DeleteStatus(status);
  return Nanoseconds(env, elapsed);
}

// Not to be optimised away with what nobody reads.
void Copy(void* destination, const Napi::Float32Array& from) {
  std::memcpy(destination, from.Data(), from.ByteLength());
  asm volatile("" : : "r"(destination) : "memory");
}

// copySame(array, target, times) => nanoseconds for that many memcpy from one array to the other
Napi::Value CopySame(const Napi::CallbackInfo& info) {
  const Napi::Float32Array from = info[0].As<Napi::Float32Array>();
  const Napi::Float32Array target = info[1].As<Napi::Float32Array>();
  const int times = info[2].As<Napi::Number>();
  Copy(const_cast<float*>(target.Data()), from);
  const Clock::time_point start = Clock::now();
  for (int i = 0; i < times; ++i) Copy(const_cast<float*>(target.Data()), from);
  return Nanoseconds(info.Env(), Clock::now() - start);
}

// trim(): gives the system back what malloc has kept, so that what comes next is new to the process
void Trim(const Napi::CallbackInfo& /*info*/) {
#if defined(__GLIBC__)
  malloc_trim(0);
#endif
}

// copyFreed(array, times) => nanoseconds for that many malloc, memcpy and free
Napi::Value CopyFreed(const Napi::CallbackInfo& info) {
  const Napi::Float32Array from = info[0].As<Napi::Float32Array>();
  const int times = info[1].As<Napi::Number>();
  const Clock::time_point start = Clock::now();
  for (int i = 0; i < times; ++i) {
    void* block = std::malloc(from.ByteLength());
    Copy(block, from);
    std::free(block);
  }
  return Nanoseconds(info.Env(), Clock::now() - start);
}

// copyHeld(array, times) => nanoseconds for that many malloc and memcpy; freed after the clock has stopped
Napi::Value CopyHeld(const Napi::CallbackInfo& info) {
  const Napi::Float32Array from = info[0].As<Napi::Float32Array>();
  const int times = info[1].As<Napi::Number>();
  std::vector<void*> blocks(static_cast<size_t>(times));
  const Clock::time_point start = Clock::now();
  for (void*& block : blocks) {
    block = std::malloc(from.ByteLength());
    Copy(block, from);
  }
  const Clock::duration elapsed = Clock::now() - start;
  for (void* block : blocks) std::free(block);
  return Nanoseconds(info.Env(), elapsed);
}

Napi::Object Init(Napi::Env env, Napi::Object exports) {
  exports.Set("open", Napi::Function::New<Open>(env));
  exports.Set("opLoop", Napi::Function::New<OpLoop>(env));
  exports.Set("trim", Napi::Function::New<Trim>(env));
  exports.Set("copySame", Napi::Function::New<CopySame>(env));
  exports.Set("copyFreed", Napi::Function::New<CopyFreed>(env));
  exports.Set("copyHeld", Napi::Function::New<CopyHeld>(env));
  return exports;
}

}  // namespace

NODE_API_MODULE(tfe_bench, Init)
