// Work off the event loop as JavaScript sees it: begun with a ticket, which `settle` names when it is over.
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "arguments.h"
#include "env.h"
#include "exports.h"
#include "worker_pool.h"

namespace tfe {
namespace {

using Napi::CallbackInfo;

// A share of the handle behind `value`, which outlives the tensor's disposal.
HandlePtr ShareOf(EnvData& data, OpRunner& runner, napi_value value, const char* function) {
  TFE_TensorHandle* handle = Expect(data, data.handles().Find(NumberValue(data, value, function)));
  HandlePtr share(TheApi().TFE_TensorHandleCopySharingTensor(handle, runner.status()));
  if (!IsOk(runner.status())) data.Throw(FromTfStatus("TFE_TENSOR_FAILED", runner.status()));
  return share;
}

// One prepared op. Settles with the id of its output, whose dtype and dims are then in the scratch array.
class RunJob final : public Job {
 public:
  // `op` is the environment's; its lane waits for running jobs before the op goes.
  RunJob(const PreparedOp& op, std::vector<HandlePtr> inputs)
      : op_(op), inputs_(std::move(inputs)) {}

  void Work(OpRunner& runner) override {
    TFE_TensorHandle* inputs[kMaxInputs];
    for (size_t i = 0; i < inputs_.size(); ++i) inputs[i] = inputs_[i].get();
    output_ = runner.Run(op_, inputs);
    inputs_.clear();
  }

  void Discard() override { output_ = HandlePtr(); }

  Result<Napi::Value> Settle(EnvData& data) override {
    if (!output_.ok()) return std::move(output_.failure());
    Result<double> id = data.Adopt(std::move(output_.value()));
    if (!id.ok()) return std::move(id.failure());
    return Napi::Value(Napi::Number::New(data.env(), id.value()));
  }

 private:
  const PreparedOp& op_;
  std::vector<HandlePtr> inputs_;
  Result<HandlePtr> output_ = HandlePtr();
};

// Copies a tensor's bytes to an ArrayBuffer that JavaScript gets when it is settled. Before that nothing can
// detach or resize it: no JavaScript knows it.
class ReadJob final : public Job {
 public:
  ReadJob(HandlePtr handle, size_t length, Napi::ArrayBuffer buffer)
      : handle_(std::move(handle)),
        length_(length),
        data_(buffer.Data()),
        buffer_(Napi::Persistent(buffer.As<Napi::Object>())) {}

  void Work(OpRunner& runner) override {
    read_ = ReadBytes(handle_.get(), data_, length_, runner.status());
    handle_.reset();
  }

  // The buffer goes with the job, on the environment's thread.
  void Discard() override {}

  Result<Napi::Value> Settle(EnvData&) override {
    if (!read_.ok()) return std::move(read_.failure());
    return Napi::Value(buffer_.Value());
  }

 private:
  HandlePtr handle_;
  const size_t length_;
  void* const data_;
  Napi::ObjectReference buffer_;
  Status read_ = Done{};
};

// setSettle(settle: (ticket, error | null, value) => void)
void SetSettle(const CallbackInfo& info) {
  EnvData& data = EnvData::From(info.Env());
  if (!info[0].IsFunction()) BadArgument(data, "setSettle", "a function");
  data.set_settle(info[0].As<Napi::Function>());
}

// runAsync(index, ...ids) => ticket
Napi::Value RunAsync(const CallbackInfo& info) {
  EnvData& data = EnvData::From(info.Env());
  OpRunner* runner = Expect(data, data.Runner());
  const char* const kIndexExpected = "the index of a prepared op";
  const PreparedOp* op = runner->Find(
      static_cast<int>(IntegerValue(data, info[0], 0, kMaxInt, "runAsync", kIndexExpected)));
  if (op == nullptr) BadArgument(data, "runAsync", kIndexExpected);
  if (info.Length() != static_cast<size_t>(op->inputs) + 1) {
    BadArgument(data, "runAsync", "exactly the inputs that the op was prepared for");
  }
  std::vector<HandlePtr> inputs;
  for (int i = 0; i < op->inputs; ++i) {
    inputs.push_back(ShareOf(data, *runner, info[static_cast<size_t>(i) + 1], "runAsync"));
  }
  return Napi::Number::New(
      info.Env(), Expect(data, data.Submit(std::make_unique<RunJob>(*op, std::move(inputs)))));
}

// readAsync(id) => ticket; settles with an ArrayBuffer of the tensor's bytes
Napi::Value ReadAsync(const CallbackInfo& info) {
  EnvData& data = EnvData::From(info.Env());
  OpRunner* runner = Expect(data, data.Runner());
  HandlePtr share = ShareOf(data, *runner, info[0], "readAsync");
  TensorFacts facts;
  Expect(data, ReadFacts(share.get(), runner->status(), &facts));
  Napi::ArrayBuffer buffer = Napi::ArrayBuffer::New(info.Env(), facts.bytes);
  return Napi::Number::New(
      info.Env(),
      Expect(data, data.Submit(std::make_unique<ReadJob>(std::move(share), facts.bytes, buffer))));
}

// share(id) => id of another handle of the same tensor
Napi::Value Share(const CallbackInfo& info) {
  EnvData& data = EnvData::From(info.Env());
  OpRunner* runner = Expect(data, data.Runner());
  HandlePtr share = ShareOf(data, *runner, info[0], "share");
  return Napi::Number::New(info.Env(), Expect(data, data.Adopt(std::move(share))));
}

// cancel(ticket): nobody waits for it any more
void Cancel(const CallbackInfo& info) {
  EnvData& data = EnvData::From(info.Env());
  const double ticket = NumberValue(data, info[0], "cancel");
  if (data.lane_if_used() != nullptr) Expect(data, data.AsyncLane())->Cancel(ticket);
}

// stop(): the process is about to end; begins nothing more and waits for what runs
void StopPool(const CallbackInfo& info) {
  EnvData& data = EnvData::From(info.Env());
  if (!data.has_runner()) return;
  const std::shared_ptr<Context> context = Expect(data, data.Runner())->share_context();
  if (WorkerPool* pool = context->pool_if_used(); pool != nullptr) pool->Stop();
}

}  // namespace

void ExportAsync(Napi::Env env, Napi::Object exports) {
  exports.Set("setSettle", Napi::Function::New<SetSettle>(env));
  exports.Set("runAsync", Napi::Function::New<RunAsync>(env));
  exports.Set("readAsync", Napi::Function::New<ReadAsync>(env));
  exports.Set("share", Napi::Function::New<Share>(env));
  exports.Set("stop", Napi::Function::New<StopPool>(env));
  exports.Set("cancel", Napi::Function::New<Cancel>(env));
}

}  // namespace tfe
