// Work off the event loop as JavaScript sees it: begun with a ticket, which `settle` names when it is over.
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "arguments.h"
#include "env.h"
#include "exports.h"
#include "string_tensor.h"
#include "tensor.h"
#include "worker_pool.h"

namespace tfe {
namespace {

using Napi::CallbackInfo;

// A share of the handle behind `id`, which outlives the tensor's disposal.
HandlePtr ShareOf(EnvData& data, double id) {
  TF_Status* status = Expect(data, data.Runner())->status();
  return Expect(data, ShareHandle(Expect(data, data.handles().Find(id)), status));
}

// One prepared op. Settles as runMany answers.
class RunJob final : public Job {
 public:
  // A share of the op: it may be forgotten while this runs.
  RunJob(PreparedOpPtr op, std::vector<HandlePtr> inputs)
      : op_(std::move(op)),
        inputs_(std::move(inputs)),
        cancellation_(TheApi().TFE_NewCancellationManager()) {}

  void Work(OpRunner& runner) override {
    std::vector<TFE_TensorHandle*> inputs;
    inputs.reserve(inputs_.size());
    for (const HandlePtr& input : inputs_) inputs.push_back(input.get());
    run_ = runner.RunMany(*op_, inputs.data(), &outputs_, cancellation_.get());
    inputs_.clear();
  }

  void Cancel() override { TheApi().TFE_CancellationManagerStartCancel(cancellation_.get()); }

  void Discard() override { outputs_.clear(); }

  Result<Napi::Value> Settle(EnvData& data) override {
    if (!run_.ok()) return std::move(run_.failure());
    Result<std::vector<double>> facts = data.AdoptAll(std::move(outputs_));
    if (!facts.ok()) return std::move(facts.failure());
    return Napi::Value(NewFloat64Array(data.env(), facts.value()));
  }

 private:
  const PreparedOpPtr op_;
  std::vector<HandlePtr> inputs_;
  const CancellationPtr cancellation_;
  std::vector<HandlePtr> outputs_;
  Status run_ = Done{};
};

// Copies a tensor's bytes to memory that JavaScript has made for it and gives to nobody before this is settled.
class ReadJob final : public Job {
 public:
  ReadJob(HandlePtr handle, bool is_string, const View& into, Napi::Object owner)
      : handle_(std::move(handle)),
        is_string_(is_string),
        into_(into),
        owner_(Napi::Persistent(owner)) {}

  void Work(OpRunner& runner) override {
    read_ = is_string_ ? ReadStrings(handle_.get(), static_cast<char*>(into_.data), into_.length,
                                     runner.status())
                       : ReadBytes(handle_.get(), into_.data, into_.length, runner.status());
    handle_.reset();
  }

  // A copy waits for nothing.
  void Cancel() override {}

  // The memory goes with the job, on the environment's thread.
  void Discard() override {}

  Result<Napi::Value> Settle(EnvData& data) override {
    if (!read_.ok()) return std::move(read_.failure());
    return data.env().Undefined();
  }

 private:
  HandlePtr handle_;
  const bool is_string_;
  const View into_;
  Napi::ObjectReference owner_;
  Status read_ = Done{};
};

// setSettle(settle: (ticket, error | null, value) => void)
void SetSettle(const CallbackInfo& info) {
  EnvData& data = EnvData::From(info.Env());
  if (!info[0].IsFunction()) BadArgument(data, "setSettle", "a function");
  data.set_settle(info[0].As<Napi::Function>());
}

// From (index, ids: Float64Array).
std::unique_ptr<RunJob> JobArgument(const CallbackInfo& info, const char* function) {
  EnvData& data = EnvData::From(info.Env());
  OpRunner* runner = Expect(data, data.Runner());
  const int64_t index =
      IntegerValue(data, info[0], 0, kMaxSafeInteger, function, "the index of a prepared op");
  PreparedOpPtr op = runner->Share(index);
  if (op == nullptr) BadArgument(data, function, "the index of a prepared op");
  const View ids = Float64Argument(data, info[1], function);
  if (ids.length != static_cast<size_t>(op->inputs) * sizeof(double)) {
    BadArgument(data, function, "exactly the inputs that the op was prepared for");
  }
  std::vector<HandlePtr> inputs;
  for (int i = 0; i < op->inputs; ++i) {
    inputs.push_back(ShareOf(data, static_cast<const double*>(ids.data)[i]));
  }
  return std::make_unique<RunJob>(std::move(op), std::move(inputs));
}

// runAsync(index, ids: Float64Array) => ticket
Napi::Value RunAsync(const CallbackInfo& info) {
  EnvData& data = EnvData::From(info.Env());
  return Napi::Number::New(info.Env(), Expect(data, data.Submit(JobArgument(info, "runAsync"))));
}

// runApart(index, ids: Float64Array, tick: () => void) => as runMany. The op has a thread of its own, and this one calls
// `tick` now and then, by which it notices that it has been terminated: then the op is called off.
Napi::Value RunApart(const CallbackInfo& info) {
  const Napi::Env env = info.Env();
  EnvData& data = EnvData::From(env);
  const std::unique_ptr<RunJob> job = JobArgument(info, "runApart");
  if (!info[2].IsFunction()) BadArgument(data, "runApart", "a function");
  const auto goes_on = [&] {
    const Napi::HandleScope scope(env);
    return napi_call_function(env, env.Undefined(), info[2], 0, nullptr, nullptr) == napi_ok;
  };
  // A share, because the environment's own goes when it ends.
  const std::shared_ptr<Context> context = Expect(data, data.Runner())->share_context();
  Expect(data, context->pool().RunApart(*job, goes_on));
  // A thread that is being terminated can make no result.
  if (!goes_on()) return Napi::Value();
  return Expect(data, job->Settle(data));
}

// readAsync(id, view) => ticket
Napi::Value ReadAsync(const CallbackInfo& info) {
  EnvData& data = EnvData::From(info.Env());
  HandlePtr share = ShareOf(data, NumberValue(data, info[0], "readAsync"));
  const View into = ViewArgument(data, info[1], "readAsync");
  const bool is_string = TheApi().TFE_TensorHandleDataType(share.get()) == kTfString;
  return Napi::Number::New(
      info.Env(),
      Expect(data, data.Submit(std::make_unique<ReadJob>(std::move(share), is_string, into,
                                                         info[1].As<Napi::Object>()))));
}

// share(id) => id of another handle of the same tensor
Napi::Value Share(const CallbackInfo& info) {
  EnvData& data = EnvData::From(info.Env());
  HandlePtr share = ShareOf(data, NumberValue(data, info[0], "share"));
  return Napi::Number::New(info.Env(), Expect(data, data.Adopt(std::move(share))));
}

// cancel(ticket): nobody waits for it any more
void Cancel(const CallbackInfo& info) {
  EnvData& data = EnvData::From(info.Env());
  const double ticket = NumberValue(data, info[0], "cancel");
  if (Lane* lane = data.lane_if_used(); lane != nullptr) lane->Cancel(ticket);
}

}  // namespace

void ExportAsync(Napi::Env env, Napi::Object exports) {
  exports.Set("setSettle", Napi::Function::New<SetSettle>(env));
  exports.Set("runAsync", Napi::Function::New<RunAsync>(env));
  exports.Set("runApart", Napi::Function::New<RunApart>(env));
  exports.Set("readAsync", Napi::Function::New<ReadAsync>(env));
  exports.Set("share", Napi::Function::New<Share>(env));
  exports.Set("cancel", Napi::Function::New<Cancel>(env));
}

}  // namespace tfe
