// Ops as JavaScript sees them: prepared once, then run.
#include <string>
#include <utility>
#include <vector>

#include "arguments.h"
#include "env.h"
#include "exports.h"

namespace tfe {
namespace {

using Napi::CallbackInfo;

constexpr double kMaxRank =
    254;  // of a tensor; TensorFlow takes no larger shape in an attribute either

// A number that is a whole one in its safe range, or any bigint that int64 holds.
int64_t ReadInt(EnvData& data, const Napi::Value& value) {
  const char* const kExpected = "a safe integer or an int64 as a bigint for an int attribute";
  if (!value.IsBigInt()) {
    return IntegerValue(data, value, -kMaxSafeInteger, kMaxSafeInteger, "prepare", kExpected);
  }
  bool lossless = false;
  const int64_t number = value.As<Napi::BigInt>().Int64Value(&lossless);
  if (!lossless) BadArgument(data, "prepare", kExpected);
  return number;
}

AttrType ReadType(EnvData& data, const Napi::Value& value) {
  return AttrType{static_cast<int>(
      IntegerValue(data, value, 0, kMaxInt, "prepare", "a TF_DataType for a type attribute"))};
}

// Text as UTF-8, or bytes as they are.
std::string ReadText(EnvData& data, const Napi::Value& value) {
  if (value.IsString()) return value.As<Napi::String>().Utf8Value();
  const View view = ViewArgument(data, value, "prepare");
  return std::string(static_cast<const char*>(view.data), view.length);
}

// null: any rank. A dim of -1: any size.
AttrShape ReadShape(EnvData& data, const Napi::Value& value) {
  if (value.IsNull()) return AttrShape{};
  if (!value.IsArray()) BadArgument(data, "prepare", "an array or null for a shape");
  const Napi::Array array = value.As<Napi::Array>();
  if (array.Length() > kMaxRank) BadArgument(data, "prepare", "at most 254 dims");
  std::vector<int64_t> dims;
  for (uint32_t i = 0; i < array.Length(); ++i) {
    const Napi::Value dim = array[i];
    dims.push_back(ReadInt(data, dim));
    if (dims.back() < -1) BadArgument(data, "prepare", "dims of -1 or more");
  }
  return AttrShape{std::move(dims)};
}

AttrFunction ReadFunction(EnvData& data, const Napi::Value& value) {
  return AttrFunction{StringArgument(data, value, "prepare")};
}

AttrTensor ReadTensor(EnvData& data, const Napi::Value& value) {
  TFE_TensorHandle* handle = Expect(data, data.handles().Find(NumberValue(data, value, "prepare")));
  TF_Status* status = Expect(data, data.Runner())->status();
  TensorPtr tensor(TheApi().TFE_TensorHandleResolve(handle, status));
  if (!IsOk(status)) data.Throw(FromTfStatus("TFE_TENSOR_FAILED", status));
  return AttrTensor(tensor.release(), TensorPtr::deleter_type());
}

bool ReadBool(EnvData& data, const Napi::Value& value) {
  if (!value.IsBoolean()) BadArgument(data, "prepare", "a boolean for a bool attribute");
  return value.As<Napi::Boolean>().Value();
}

float ReadFloat(EnvData& data, const Napi::Value& value) {
  if (!value.IsNumber()) BadArgument(data, "prepare", "a number for a float attribute");
  return value.As<Napi::Number>().FloatValue();
}

template <typename T>
AttrList<T> ReadList(EnvData& data, const Napi::Value& value,
                     T (*read)(EnvData&, const Napi::Value&)) {
  if (!value.IsArray()) BadArgument(data, "prepare", "an array for a list attribute");
  const Napi::Array array = value.As<Napi::Array>();
  if (array.Length() > kMaxListed) BadArgument(data, "prepare", "at most 65536 values in a list");
  AttrList<T> list;
  for (uint32_t i = 0; i < array.Length(); ++i) {
    const Napi::Value entry = array[i];
    list.push_back(read(data, entry));
  }
  return list;
}

AttrValue ReadAttr(EnvData& data, const std::string& kind, const Napi::Value& value) {
  if (kind == "type") return ReadType(data, value);
  if (kind == "int") return ReadInt(data, value);
  if (kind == "bool") return ReadBool(data, value);
  if (kind == "float") return ReadFloat(data, value);
  if (kind == "string") return ReadText(data, value);
  if (kind == "shape") return ReadShape(data, value);
  if (kind == "tensor") return ReadTensor(data, value);
  if (kind == "func") return ReadFunction(data, value);
  if (kind == "list(type)") return ReadList(data, value, ReadType);
  if (kind == "list(int)") return ReadList(data, value, ReadInt);
  if (kind == "list(bool)") return ReadList(data, value, ReadBool);
  if (kind == "list(float)") return ReadList(data, value, ReadFloat);
  if (kind == "list(string)") return ReadList(data, value, ReadText);
  if (kind == "list(shape)") return ReadList(data, value, ReadShape);
  if (kind == "list(func)") return ReadList(data, value, ReadFunction);
  BadArgument(data, "prepare", "attributes of a kind that TensorFlow has");
}

std::vector<Attr> ReadAttrs(EnvData& data, const Napi::Value& value) {
  if (!value.IsArray()) BadArgument(data, "prepare", "two arrays");
  const Napi::Array array = value.As<Napi::Array>();
  std::vector<Attr> attrs;
  for (uint32_t i = 0; i < array.Length(); ++i) {
    const Napi::Value entry = array[i];
    if (!entry.IsArray()) BadArgument(data, "prepare", "attributes as [name, kind, value]");
    const Napi::Array attr = entry.As<Napi::Array>();
    const std::string kind = StringArgument(data, attr[1u], "prepare");
    attrs.push_back({StringArgument(data, attr[0u], "prepare"), ReadAttr(data, kind, attr[2u])});
  }
  return attrs;
}

// Each by ascending position. The handle is shared with the prepared op.
std::vector<ConstantInput> ReadConstants(EnvData& data, OpRunner& runner,
                                         const Napi::Value& value) {
  if (!value.IsArray()) BadArgument(data, "prepare", "two arrays");
  const Napi::Array array = value.As<Napi::Array>();
  std::vector<ConstantInput> constants;
  int last = -1;
  for (uint32_t i = 0; i < array.Length(); ++i) {
    const Napi::Value entry = array[i];
    if (!entry.IsArray()) BadArgument(data, "prepare", "constants as [position, id]");
    const Napi::Array constant = entry.As<Napi::Array>();
    last = static_cast<int>(IntegerValue(data, constant[0u], last + 1, kMaxInt - 1, "prepare",
                                         "constants by ascending position"));
    TFE_TensorHandle* shared =
        Expect(data, data.handles().Find(NumberValue(data, constant[1u], "prepare")));
    constants.push_back({last, Expect(data, ShareHandle(shared, runner.status()))});
  }
  return constants;
}

// prepare(label, name, inputs, attrs: [name, kind, value][], constants: [position, id][],
//         outputs = 1, device?, checksShapes = false) => index
// With `outputs`, the op is for runMany too and may take more inputs than run can.
Napi::Value Prepare(const CallbackInfo& info) {
  EnvData& data = EnvData::From(info.Env());
  OpRunner* runner = Expect(data, data.Runner());
  PreparedOp op;
  op.label = StringArgument(data, info[0], "prepare");
  op.name = StringArgument(data, info[1], "prepare");
  const bool many = !info[5].IsUndefined();
  op.inputs =
      static_cast<int>(IntegerValue(data, info[2], 0, many ? kMaxListed : kMaxInputs, "prepare",
                                    many ? "0 to 65536 inputs" : "0 to 8 inputs"));
  op.attrs = ReadAttrs(data, info[3]);
  op.constants = ReadConstants(data, *runner, info[4]);
  if (!op.constants.empty() &&
      op.constants.back().position >= op.inputs + static_cast<int>(op.constants.size())) {
    BadArgument(data, "prepare", "constants at positions below the number of inputs");
  }
  if (many) {
    op.outputs = static_cast<int>(
        IntegerValue(data, info[5], 0, kMaxListed, "prepare", "0 to 65536 outputs"));
  }
  if (!info[6].IsUndefined()) op.device = StringArgument(data, info[6], "prepare");
  if (!info[7].IsUndefined()) op.checks_shapes = ReadBool(data, info[7]);
  Expect(data, runner->Check(op));
  return Napi::Number::New(info.Env(),
                           static_cast<double>(Expect(data, runner->Prepare(std::move(op)))));
}

const PreparedOp& PreparedArgument(EnvData& data, OpRunner& runner, napi_value value,
                                   const char* function) {
  const char* const kExpected = "the index of a prepared op";
  const PreparedOp* op =
      runner.Find(IntegerValue(data, value, 0, kMaxSafeInteger, function, kExpected));
  if (op == nullptr) BadArgument(data, function, kExpected);
  return *op;
}

// run(index, ...ids) => id of the output; its dtype, rank and dims are in the scratch array
Napi::Value Run(const CallbackInfo& info) {
  EnvData& data = EnvData::From(info.Env());
  OpRunner* runner = Expect(data, data.Runner());
  const PreparedOp& op = PreparedArgument(data, *runner, info[0], "run");
  if (op.inputs > kMaxInputs || info.Length() != static_cast<size_t>(op.inputs) + 1) {
    BadArgument(data, "run", "exactly the inputs that the op was prepared for");
  }
  TFE_TensorHandle* inputs[kMaxInputs];
  for (int i = 0; i < op.inputs; ++i) {
    inputs[i] = Expect(
        data, data.handles().Find(NumberValue(data, info[static_cast<size_t>(i) + 1], "run")));
  }
  HandlePtr output = Expect(data, runner->Run(op, inputs));
  return Napi::Number::New(info.Env(), Expect(data, data.Adopt(std::move(output))));
}

// runMany(index, ids: Float64Array) => [id, dtype, rank, ...dims] of each output, one after another
Napi::Value RunMany(const CallbackInfo& info) {
  EnvData& data = EnvData::From(info.Env());
  OpRunner* runner = Expect(data, data.Runner());
  const PreparedOp& op = PreparedArgument(data, *runner, info[0], "runMany");
  const View view = Float64Argument(data, info[1], "runMany");
  if (view.length != static_cast<size_t>(op.inputs) * sizeof(double)) {
    BadArgument(data, "runMany", "exactly the inputs that the op was prepared for");
  }
  const double* ids = static_cast<const double*>(view.data);
  std::vector<TFE_TensorHandle*> inputs;
  for (int i = 0; i < op.inputs; ++i) {
    inputs.push_back(Expect(data, data.handles().Find(ids[i])));
  }
  std::vector<HandlePtr> outputs;
  Expect(data, runner->RunMany(op, inputs.data(), &outputs));

  return NewFloat64Array(info.Env(), Expect(data, data.AdoptAll(std::move(outputs))));
}

// forget(index) => whether there was such a prepared op; its constants go with it
Napi::Value Forget(const CallbackInfo& info) {
  EnvData& data = EnvData::From(info.Env());
  OpRunner* runner = Expect(data, data.Runner());
  return Napi::Boolean::New(info.Env(),
                            runner->Forget(IntegerValue(data, info[0], 0, kMaxSafeInteger, "forget",
                                                        "the index of a prepared op")));
}

// clearKernels(): see OpRunner
void ClearKernels(const CallbackInfo& info) {
  EnvData& data = EnvData::From(info.Env());
  Expect(data, data.Runner())->ClearKernels();
}

// opList() => TensorFlow's OpList message, as bytes
Napi::Value OpList(const CallbackInfo& info) {
  EnvData& data = EnvData::From(info.Env());
  Expect(data, data.Runner());
  BufferPtr list(TheApi().TF_GetAllOpList());
  return Napi::Buffer<uint8_t>::Copy(info.Env(), static_cast<const uint8_t*>(list->data),
                                     list->length);
}

}  // namespace

void ExportOp(Napi::Env env, Napi::Object exports) {
  exports.Set("prepare", Napi::Function::New<Prepare>(env));
  exports.Set("run", Napi::Function::New<Run>(env));
  exports.Set("runMany", Napi::Function::New<RunMany>(env));
  exports.Set("forget", Napi::Function::New<Forget>(env));
  exports.Set("clearKernels", Napi::Function::New<ClearKernels>(env));
  exports.Set("opList", Napi::Function::New<OpList>(env));
}

}  // namespace tfe
