// What JavaScript sees of the addon, and nothing else: each function reads its arguments, calls one
// thing and answers. lib/native/binding.ts types this surface and is its only caller, but nothing here trusts
// it: a wrong argument is a typed error, never a crash.
#include <napi.h>

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "env.h"
#include "library.h"

namespace tfe {
namespace {

using Napi::CallbackInfo;

// The value, or the failure thrown as a TfeError.
template <typename T>
T Expect(EnvData& data, Result<T> result) {
  if (!result.ok()) data.Throw(result.failure());
  return std::move(result.value());
}

[[noreturn]] void BadArgument(EnvData& data, const char* function, const char* expected) {
  data.Throw(Failure{"TFE_BINDING_ARGUMENT", {{"function", function}, {"expected", expected}}});
}

double NumberValue(EnvData& data, napi_value value, const char* function) {
  double number;
  if (napi_get_value_double(data.env(), value, &number) != napi_ok) {
    BadArgument(data, function, "a number");
  }
  return number;
}

// A whole number within the bounds; an argument that was not given is undefined and so none.
int64_t IntegerValue(EnvData& data, napi_value value, double min, double max, const char* function,
                     const char* expected) {
  double number;
  if (napi_get_value_double(data.env(), value, &number) != napi_ok ||
      !(number >= min && number <= max) || number != std::trunc(number)) {
    BadArgument(data, function, expected);
  }
  return static_cast<int64_t>(number);
}

constexpr double kMaxSafeInteger = 9007199254740991.0;
constexpr double kMaxInt = 2147483647.0;

std::string StringArgument(EnvData& data, const Napi::Value& value, const char* function) {
  if (!value.IsString()) BadArgument(data, function, "a string");
  std::string text = value.As<Napi::String>().Utf8Value();
  // TensorFlow and the loader would see only what stands before it.
  if (text.find('\0') != std::string::npos) BadArgument(data, function, "a string without NUL");
  return text;
}

// The memory of a typed array, DataView or Buffer. Borrowed: valid during the call only.
struct View {
  void* data;
  size_t length;
};

View ViewArgument(EnvData& data, const Napi::Value& value, const char* function) {
  View view{nullptr, 0};
  if (value.IsTypedArray()) {
    napi_typedarray_type type;
    size_t elements = 0;
    napi_value buffer;
    size_t offset = 0;
    napi_get_typedarray_info(value.Env(), value, &type, &elements, &view.data, &buffer, &offset);
    view.length = value.As<Napi::TypedArray>().ByteLength();
  } else if (value.IsDataView()) {
    napi_value buffer;
    size_t offset = 0;
    napi_get_dataview_info(value.Env(), value, &view.length, &view.data, &buffer, &offset);
  } else {
    BadArgument(data, function, "a typed array");
  }
  return view;
}

// setErrorFactory(makeError: (code, facts, tfCode, tfMessage) => Error)
void SetErrorFactory(const CallbackInfo& info) {
  if (!info[0].IsFunction()) {
    throw Napi::TypeError::New(info.Env(), "setErrorFactory expects a function");
  }
  EnvData::From(info.Env()).set_make_error(info[0].As<Napi::Function>());
}

// open(ccPath, frameworkPath, version, cpuFlags: string[]) => reused: boolean
Napi::Value Open(const CallbackInfo& info) {
  EnvData& data = EnvData::From(info.Env());
  LibraryRequest request;
  request.cc_path = StringArgument(data, info[0], "open");
  request.framework_path = StringArgument(data, info[1], "open");
  request.version = StringArgument(data, info[2], "open");
  if (!info[3].IsArray()) BadArgument(data, "open", "an array of CPU flags");
  const Napi::Array flags = info[3].As<Napi::Array>();
  for (uint32_t i = 0; i < flags.Length(); ++i) {
    request.cpu_flags.push_back(StringArgument(data, flags[i], "open"));
  }
  const Library* library = Expect(data, Library::Open(request));
  return Napi::Boolean::New(info.Env(), library->reused());
}

// facts() => what is open in this process and what this environment holds
Napi::Value Facts(const CallbackInfo& info) {
  const Napi::Env env = info.Env();
  EnvData& data = EnvData::From(env);
  Napi::Object facts = Napi::Object::New(env);
  if (const Library* library = Library::Current(); library != nullptr) {
    facts.Set("version", library->version());
    facts.Set("ccPath", library->cc_path());
    facts.Set("frameworkPath", library->framework_path());
    Napi::Array devices = Napi::Array::New(env);
    for (const Device& device : Expect(data, data.Runner())->context().devices()) {
      Napi::Object entry = Napi::Object::New(env);
      entry.Set("name", device.name);
      entry.Set("type", device.type);
      devices.Set(devices.Length(), entry);
    }
    facts.Set("devices", devices);
  }
  facts.Set("liveHandles", static_cast<double>(data.handles().live()));
  facts.Set("peakHandles", static_cast<double>(data.handles().peak()));
  facts.Set("liveBytes", static_cast<double>(data.handles().live_bytes()));
  return facts;
}

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

AttrValue ReadAttr(EnvData& data, const std::string& kind, const Napi::Value& value) {
  if (kind == "type") {
    return AttrType{static_cast<int>(
        IntegerValue(data, value, 0, kMaxInt, "prepare", "a TF_DataType for a type attribute"))};
  }
  if (kind == "int") {
    return IntegerValue(data, value, -kMaxSafeInteger, kMaxSafeInteger, "prepare",
                        "a safe integer for an int attribute");
  }
  if (kind == "bool" && value.IsBoolean()) return value.As<Napi::Boolean>().Value();
  if (kind == "float" && value.IsNumber()) return value.As<Napi::Number>().FloatValue();
  if (kind == "string" && value.IsString()) return value.As<Napi::String>().Utf8Value();
  BadArgument(data, "prepare", "attributes of kind type, bool, int, float or string");
}

// prepare(label, name, inputs, attrs: [name, kind, value][], constants: [position, id][]) => index
// A constant's handle is shared with the prepared op; the caller may release its id afterwards.
Napi::Value Prepare(const CallbackInfo& info) {
  EnvData& data = EnvData::From(info.Env());
  OpRunner* runner = Expect(data, data.Runner());
  PreparedOp op;
  op.label = StringArgument(data, info[0], "prepare");
  op.name = StringArgument(data, info[1], "prepare");
  op.inputs =
      static_cast<int>(IntegerValue(data, info[2], 0, kMaxInputs, "prepare", "0 to 8 inputs"));
  if (!info[3].IsArray() || !info[4].IsArray()) BadArgument(data, "prepare", "two arrays");
  const Napi::Array attrs = info[3].As<Napi::Array>();
  for (uint32_t i = 0; i < attrs.Length(); ++i) {
    const Napi::Value entry = attrs[i];
    if (!entry.IsArray()) BadArgument(data, "prepare", "attributes as [name, kind, value]");
    const Napi::Array attr = entry.As<Napi::Array>();
    const std::string kind = StringArgument(data, attr[1u], "prepare");
    op.attrs.push_back({StringArgument(data, attr[0u], "prepare"), ReadAttr(data, kind, attr[2u])});
  }
  const Napi::Array constants = info[4].As<Napi::Array>();
  int last = -1;
  for (uint32_t i = 0; i < constants.Length(); ++i) {
    const Napi::Value entry = constants[i];
    if (!entry.IsArray()) BadArgument(data, "prepare", "constants as [position, id]");
    const Napi::Array constant = entry.As<Napi::Array>();
    const int position = static_cast<int>(IntegerValue(
        data, constant[0u], last + 1, kMaxInt - 1, "prepare", "constants by ascending position"));
    last = position;
    TFE_TensorHandle* shared =
        Expect(data, data.handles().Find(NumberValue(data, constant[1u], "prepare")));
    op.constants.push_back({position, HandlePtr(TheApi().TFE_TensorHandleCopySharingTensor(
                                          shared, runner->status()))});
    if (!IsOk(runner->status())) data.Throw(FromTfStatus("TFE_TENSOR_FAILED", runner->status()));
  }
  if (last >= op.inputs + static_cast<int>(op.constants.size())) {
    BadArgument(data, "prepare", "constants at positions below the number of inputs");
  }
  Expect(data, runner->Check(op));
  return Napi::Number::New(info.Env(), runner->Prepare(std::move(op)));
}

// run(index, ...ids) => id of the output; its dtype, rank and dims are in the scratch array
Napi::Value Run(const CallbackInfo& info) {
  EnvData& data = EnvData::From(info.Env());
  OpRunner* runner = Expect(data, data.Runner());
  const char* const kIndexExpected = "the index of a prepared op";
  const PreparedOp* op = runner->Find(
      static_cast<int>(IntegerValue(data, info[0], 0, kMaxInt, "run", kIndexExpected)));
  if (op == nullptr) BadArgument(data, "run", kIndexExpected);
  if (info.Length() != static_cast<size_t>(op->inputs) + 1) {
    BadArgument(data, "run", "exactly the inputs that the op was prepared for");
  }
  TFE_TensorHandle* inputs[kMaxInputs];
  for (int i = 0; i < op->inputs; ++i) {
    inputs[i] = Expect(
        data, data.handles().Find(NumberValue(data, info[static_cast<size_t>(i) + 1], "run")));
  }
  HandlePtr output = Expect(data, runner->Run(*op, inputs));
  return Napi::Number::New(info.Env(), Expect(data, data.Adopt(std::move(output))));
}

Napi::Object Init(Napi::Env env, Napi::Object exports) {
  env.SetInstanceData(new EnvData(env));
  exports.Set("scratch", EnvData::From(env).scratch_value());
  exports.Set("setErrorFactory", Napi::Function::New<SetErrorFactory>(env));
  exports.Set("open", Napi::Function::New<Open>(env));
  exports.Set("facts", Napi::Function::New<Facts>(env));
  exports.Set("create", Napi::Function::New<Create>(env));
  exports.Set("read", Napi::Function::New<Read>(env));
  exports.Set("device", Napi::Function::New<DeviceOf>(env));
  exports.Set("exists", Napi::Function::New<Exists>(env));
  exports.Set("release", Napi::Function::New<Release>(env));
  exports.Set("releaseAll", Napi::Function::New<ReleaseAll>(env));
  exports.Set("prepare", Napi::Function::New<Prepare>(env));
  exports.Set("run", Napi::Function::New<Run>(env));
  return exports;
}

}  // namespace
}  // namespace tfe

static Napi::Object InitAddon(Napi::Env env, Napi::Object exports) {
  return tfe::Init(env, exports);
}

NODE_API_MODULE(tfe_node, InitAddon)
