// Ops as JavaScript sees them: prepared once, then run.
#include <string>
#include <utility>

#include "arguments.h"
#include "env.h"
#include "exports.h"

namespace tfe {
namespace {

using Napi::CallbackInfo;

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

}  // namespace

void ExportOp(Napi::Env env, Napi::Object exports) {
  exports.Set("prepare", Napi::Function::New<Prepare>(env));
  exports.Set("run", Napi::Function::New<Run>(env));
}

}  // namespace tfe
