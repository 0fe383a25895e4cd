// Tensors as JavaScript sees them: made of bytes, read into bytes, released.
#include <cmath>
#include <utility>
#include <vector>

#include "arguments.h"
#include "env.h"
#include "exports.h"
#include "lend.h"
#include "string_tensor.h"

namespace tfe {
namespace {

using Napi::CallbackInfo;

// The dims that JavaScript has written to the scratch array.
std::vector<int64_t> DimsArgument(EnvData& data, int64_t rank, const char* function) {
  std::vector<int64_t> dims(static_cast<size_t>(rank));
  for (size_t i = 0; i < dims.size(); ++i) {
    const double dim = data.scratch()[i];
    if (!(dim >= 0 && dim <= kMaxSafeInteger) || dim != std::trunc(dim)) {
      BadArgument(data, function, "integers of 0 or more as dims");
    }
    dims[i] = static_cast<int64_t>(dim);
  }
  return dims;
}

// create(dtype, rank, view) => id; the dims are in the scratch array
Napi::Value Create(const CallbackInfo& info) {
  EnvData& data = EnvData::From(info.Env());
  const char* const kDTypeExpected = "a dtype whose elements are plain bytes";
  const DType* dtype = FindDType(
      static_cast<int>(IntegerValue(data, info[0], 0, kMaxInt, "create", kDTypeExpected)));
  if (dtype == nullptr || dtype->size == 0) BadArgument(data, "create", kDTypeExpected);
  const int64_t rank =
      IntegerValue(data, info[1], 0, EnvData::kMaxRank, "create", "a rank of 0 to 254");
  const View view = ViewArgument(data, info[2], "create");
  OpRunner* runner = Expect(data, data.Runner());
  const std::vector<int64_t> dims = DimsArgument(data, rank, "create");
  HandlePtr handle = Expect(data, NewTensor(*dtype, dims.data(), static_cast<int>(dims.size()),
                                            view.data, view.length, runner->status()));
  return Napi::Number::New(info.Env(), Expect(data, data.Adopt(std::move(handle))));
}

// createStrings(rank, bytes, lengths: Float64Array) => id; the dims are in the scratch array
Napi::Value CreateStrings(const CallbackInfo& info) {
  EnvData& data = EnvData::From(info.Env());
  const int64_t rank =
      IntegerValue(data, info[0], 0, EnvData::kMaxRank, "createStrings", "a rank of 0 to 254");
  const View bytes = ViewArgument(data, info[1], "createStrings");
  const View lengths = Float64Argument(data, info[2], "createStrings");
  OpRunner* runner = Expect(data, data.Runner());
  const std::vector<int64_t> dims = DimsArgument(data, rank, "createStrings");
  const PackedStrings strings{static_cast<const char*>(bytes.data), bytes.length,
                              static_cast<const double*>(lengths.data),
                              lengths.length / sizeof(double)};
  HandlePtr handle = Expect(
      data, NewStringTensor(dims.data(), static_cast<int>(dims.size()), strings, runner->status()));
  return Napi::Number::New(info.Env(), Expect(data, data.Adopt(std::move(handle))));
}

// stringLengths(id, lengths: Float64Array): the bytes of each element
void StringLengths(const CallbackInfo& info) {
  EnvData& data = EnvData::From(info.Env());
  TFE_TensorHandle* handle =
      Expect(data, data.handles().Find(NumberValue(data, info[0], "stringLengths")));
  const View lengths = Float64Argument(data, info[1], "stringLengths");
  OpRunner* runner = Expect(data, data.Runner());
  Expect(data, ReadStringLengths(handle, static_cast<double*>(lengths.data),
                                 lengths.length / sizeof(double), runner->status()));
}

// readStrings(id, view): copies the bytes of all elements, one behind the other, into the view
void ReadStringsInto(const CallbackInfo& info) {
  EnvData& data = EnvData::From(info.Env());
  TFE_TensorHandle* handle =
      Expect(data, data.handles().Find(NumberValue(data, info[0], "readStrings")));
  const View view = ViewArgument(data, info[1], "readStrings");
  OpRunner* runner = Expect(data, data.Runner());
  Expect(data, ReadStrings(handle, static_cast<char*>(view.data), view.length, runner->status()));
}

// lend(id) => an ArrayBuffer over the tensor's own memory, or undefined where it must be copied
Napi::Value LendTo(const CallbackInfo& info) {
  EnvData& data = EnvData::From(info.Env());
  TFE_TensorHandle* handle = Expect(data, data.handles().Find(NumberValue(data, info[0], "lend")));
  OpRunner* runner = Expect(data, data.Runner());
  TensorPtr tensor = Expect(data, ShareBytes(handle, runner->status()));
  return LendBytes(info.Env(), std::move(tensor), data.lent());
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
  const View view = Float64Argument(data, info[0], "releaseAll");
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
  exports.Set("createStrings", Napi::Function::New<CreateStrings>(env));
  exports.Set("stringLengths", Napi::Function::New<StringLengths>(env));
  exports.Set("readStrings", Napi::Function::New<ReadStringsInto>(env));
  exports.Set("lend", Napi::Function::New<LendTo>(env));
  exports.Set("read", Napi::Function::New<Read>(env));
  exports.Set("device", Napi::Function::New<DeviceOf>(env));
  exports.Set("exists", Napi::Function::New<Exists>(env));
  exports.Set("release", Napi::Function::New<Release>(env));
  exports.Set("releaseAll", Napi::Function::New<ReleaseAll>(env));
}

}  // namespace tfe
