// Tensors as JavaScript sees them: made of bytes, read into bytes, released.
#include <cmath>
#include <utility>
#include <vector>

#include "arguments.h"
#include "env.h"
#include "exports.h"

namespace tfe {
namespace {

using Napi::CallbackInfo;

// create(dtype, rank, view) => id; the dims are in the scratch array
Napi::Value Create(const CallbackInfo& info) {
  EnvData& data = EnvData::From(info.Env());
  const char* const kDTypeExpected = "a dtype with a JavaScript carrier";
  const DType* dtype = FindDType(
      static_cast<int>(IntegerValue(data, info[0], 0, kMaxInt, "create", kDTypeExpected)));
  if (dtype == nullptr) BadArgument(data, "create", kDTypeExpected);
  const int64_t rank =
      IntegerValue(data, info[1], 0, EnvData::kMaxRank, "create", "a rank of 0 to 254");
  const View view = ViewArgument(data, info[2], "create");
  OpRunner* runner = Expect(data, data.Runner());
  std::vector<int64_t> dims(static_cast<size_t>(rank));
  for (size_t i = 0; i < dims.size(); ++i) {
    const double dim = data.scratch()[i];
    if (!(dim >= 0 && dim <= kMaxSafeInteger) || dim != std::trunc(dim)) {
      BadArgument(data, "create", "integers of 0 or more as dims");
    }
    dims[i] = static_cast<int64_t>(dim);
  }
  HandlePtr handle = Expect(data, NewTensor(*dtype, dims.data(), static_cast<int>(dims.size()),
                                            view.data, view.length, runner->status()));
  return Napi::Number::New(info.Env(), Expect(data, data.Adopt(std::move(handle))));
}

// read(id, view): copies the tensor's bytes into the view
void Read(const CallbackInfo& info) {
  EnvData& data = EnvData::From(info.Env());
  TFE_TensorHandle* handle = Expect(data, data.handles().Find(NumberValue(data, info[0], "read")));
  const View view = ViewArgument(data, info[1], "read");
  OpRunner* runner = Expect(data, data.Runner());
  Expect(data, ReadBytes(handle, view.data, view.length, runner->status()));
}

// device(id) => the device that holds the tensor's memory
Napi::Value DeviceOf(const CallbackInfo& info) {
  EnvData& data = EnvData::From(info.Env());
  TFE_TensorHandle* handle =
      Expect(data, data.handles().Find(NumberValue(data, info[0], "device")));
  TF_Status* status = Expect(data, data.Runner())->status();
  const char* name = TheApi().TFE_TensorHandleBackingDeviceName(handle, status);
  if (!IsOk(status)) data.Throw(FromTfStatus("TFE_TENSOR_FAILED", status));
  return Napi::String::New(info.Env(), name);
}

// release(id) => whether there was such a handle
Napi::Value Release(const CallbackInfo& info) {
  EnvData& data = EnvData::From(info.Env());
  return Napi::Boolean::New(info.Env(), data.Release(NumberValue(data, info[0], "release")));
}

// releaseAll(ids: Float64Array, count)
void ReleaseAll(const CallbackInfo& info) {
  EnvData& data = EnvData::From(info.Env());
  if (!info[0].IsTypedArray() ||
      info[0].As<Napi::TypedArray>().TypedArrayType() != napi_float64_array) {
    BadArgument(data, "releaseAll", "a Float64Array");
  }
  const View view = ViewArgument(data, info[0], "releaseAll");
  const int64_t count =
      IntegerValue(data, info[1], 0, static_cast<double>(view.length / sizeof(double)),
                   "releaseAll", "a count that the array holds");
  const double* ids = static_cast<const double*>(view.data);
  for (int64_t i = 0; i < count; ++i) data.Release(ids[i]);
}

// exists(id) => whether the id names a live handle of this environment
Napi::Value Exists(const CallbackInfo& info) {
  EnvData& data = EnvData::From(info.Env());
  return Napi::Boolean::New(info.Env(),
                            data.handles().Find(NumberValue(data, info[0], "exists")).ok());
}

}  // namespace

void ExportTensor(Napi::Env env, Napi::Object exports) {
  exports.Set("create", Napi::Function::New<Create>(env));
  exports.Set("read", Napi::Function::New<Read>(env));
  exports.Set("device", Napi::Function::New<DeviceOf>(env));
  exports.Set("exists", Napi::Function::New<Exists>(env));
  exports.Set("release", Napi::Function::New<Release>(env));
  exports.Set("releaseAll", Napi::Function::New<ReleaseAll>(env));
}

}  // namespace tfe
