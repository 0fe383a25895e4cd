// The C side of bench/start.mjs: `tfe_bench_start FRAMEWORK CC` opens the library, makes a context, adds two tensors, reads
// the sum and prints the nanoseconds from main to there. The least that a program can do.
#include <dlfcn.h>

#include <chrono>
#include <cstdio>
#include <cstring>

#include "api.h"

namespace {

using Clock = std::chrono::steady_clock;

TFE_TensorHandle* Square(const tfe::Api& api, const float (&values)[4], TF_Status* status) {
  const int64_t dims[] = {2, 2};
  TF_Tensor* tensor = api.TF_AllocateTensor(1, dims, 2, sizeof(values));
  std::memcpy(api.TF_TensorData(tensor), values, sizeof(values));
  TFE_TensorHandle* handle = api.TFE_NewTensorHandle(tensor, status);
  api.TF_DeleteTensor(tensor);
  return handle;
}

}  // namespace

int main(int count, char** arguments) {
  const Clock::time_point start = Clock::now();
  if (count != 3) return 2;
  constexpr int kFlags = RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE;
  void* cc = dlopen(arguments[1], kFlags) != nullptr ? dlopen(arguments[2], kFlags) : nullptr;
  if (cc == nullptr) {
    std::fprintf(stderr, "%s\n", dlerror());
    return 1;
  }
  const tfe::Api api = tfe_bench::Resolve(cc);
  TF_Status* status = api.TF_NewStatus();
  TFE_ContextOptions* options = api.TFE_NewContextOptions();
  TFE_Context* context = api.TFE_NewContext(options, status);
  api.TFE_DeleteContextOptions(options);
  TFE_TensorHandle* x = Square(api, {1, 2, 3, 4}, status);
  TFE_TensorHandle* y = Square(api, {10, 20, 30, 40}, status);
  TFE_Op* op = api.TFE_NewOp(context, "AddV2", status);
  api.TFE_OpAddInput(op, x, status);
  api.TFE_OpAddInput(op, y, status);
  TFE_TensorHandle* sum = nullptr;
  int outputs = 1;
  api.TFE_Execute(op, &sum, &outputs, status);
  if (api.TF_GetCode(status) != tfe::kTfOk) {
    std::fprintf(stderr, "%s\n", api.TF_Message(status));
    return 1;
  }
  TF_Tensor* result = api.TFE_TensorHandleResolve(sum, status);
  const float first = *static_cast<const float*>(api.TF_TensorData(result));
  const auto took = Clock::now() - start;

  api.TF_DeleteTensor(result);
  TFE_TensorHandle* const handles[] = {x, y, sum};
  for (TFE_TensorHandle* handle : handles) api.TFE_DeleteTensorHandle(handle);
  api.TFE_DeleteOp(op);
  api.TFE_DeleteContext(context);
  api.TF_DeleteStatus(status);
  if (first != 11) return 1;
  const auto nanoseconds = std::chrono::duration_cast<std::chrono::nanoseconds>(took).count();
  std::printf("%lld\n", static_cast<long long>(nanoseconds));
  return 0;
}
