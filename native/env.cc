#include "env.h"

#include <cstdlib>
#include <utility>

#include "configuration.h"

namespace tfe {
namespace {

constexpr int64_t kReportStep = 1 << 20;

}  // namespace

EnvData::EnvData(Napi::Env env) : env_(env) {
  // Nothing to free: the memory goes with this object, after the environment's last JavaScript.
  Napi::ArrayBuffer buffer = Napi::ArrayBuffer::New(
      env, scratch_memory_.data(), sizeof(scratch_memory_), [](Napi::Env, void*) {});
  scratch_ = Napi::Persistent(Napi::Float64Array::New(env, kScratchLength, buffer, 0));
  // Cleanup hooks run before instance data goes, also when a worker is terminated. In the main thread they
  // run at a normal end only; what process.exit() needs is in context.cc.
  env.AddCleanupHook([this] { Drain(); });
}

EnvData::~EnvData() { Drain(); }

void EnvData::Drain() {
  // First the pool: its tasks hold handles, and references to JavaScript values of this environment.
  if (lane_ != nullptr) lane_->Close();
  lane_.reset();
  // Op and constants first (the runner), then handles; the runner's share of the context is kept
  // until both are gone.
  std::shared_ptr<Context> context = runner_ != nullptr ? runner_->share_context() : nullptr;
  if (runner_ != nullptr) Context::LeaveThread();
  runner_.reset();
  handles_.Clear();
}

Result<OpRunner*> EnvData::Runner() {
  if (runner_ == nullptr) {
    if (Library::Current() == nullptr) return Failure{"TFE_LIBRARY_NOT_OPEN", {}};
    Result<std::shared_ptr<Context>> context = Context::Acquire();
    if (!context.ok()) return std::move(context.failure());
    runner_ = std::make_unique<OpRunner>(std::move(context.value()));
    Context::EnterThread();
    const Configuration configuration = Configuration::Current();
    warn_handles_ = configuration.warn_handles;
    warn_bytes_ = configuration.warn_bytes;
  }
  return runner_.get();
}

Result<Lane*> EnvData::AsyncLane() {
  if (lane_ == nullptr) {
    Result<OpRunner*> runner = Runner();
    if (!runner.ok()) return std::move(runner.failure());
    Result<std::shared_ptr<Lane>> lane = Lane::Make(env_, runner.value()->share_context());
    if (!lane.ok()) return std::move(lane.failure());
    lane_ = std::move(lane.value());
  }
  return lane_.get();
}

Result<double> EnvData::Submit(std::unique_ptr<Job> job) {
  if (settle_ == nullptr) {
    return Failure{"TFE_BINDING_ARGUMENT",
                   {{"function", "runAsync"}, {"expected", "a call of setSettle before it"}}};
  }
  Result<Lane*> lane = AsyncLane();
  if (!lane.ok()) return std::move(lane.failure());
  return lane.value()->Submit(std::move(job), settle_);
}

Result<double> EnvData::Adopt(HandlePtr handle) {
  Status read = ReadFacts(handle.get(), runner_->status(), &facts_);
  if (!read.ok()) return std::move(read.failure());
  scratch_memory_[0] = facts_.dtype;
  scratch_memory_[1] = static_cast<double>(facts_.dims.size());
  for (size_t i = 0; i < facts_.dims.size(); ++i) {
    scratch_memory_[i + 2] = static_cast<double>(facts_.dims[i]);
  }
  Result<double> id = handles_.Insert(std::move(handle), facts_.bytes);
  AccountExternalMemory();
  if (handles_.live() > warn_handles_ || handles_.live_bytes() > warn_bytes_) WarnOfPressure();
  return id;
}

Result<std::vector<double>> EnvData::AdoptAll(std::vector<HandlePtr> handles) {
  std::vector<double> facts;
  std::vector<double> adopted;
  for (HandlePtr& handle : handles) {
    Result<double> id = Adopt(std::move(handle));
    if (!id.ok()) {
      for (double earlier : adopted) Release(earlier);
      return std::move(id.failure());
    }
    adopted.push_back(id.value());
    facts.push_back(id.value());
    const auto first = scratch_memory_.begin();
    facts.insert(facts.end(), first, first + 2 + static_cast<ptrdiff_t>(first[1]));
  }
  return facts;
}

void EnvData::WarnOfPressure() {
  warn_handles_ = SIZE_MAX;
  warn_bytes_ = SIZE_MAX;
  if (warn_.IsEmpty()) return;
  const Napi::HandleScope scope(env_);
  warn_.Call({Napi::Number::New(env_, static_cast<double>(handles_.live())),
              Napi::Number::New(env_, static_cast<double>(handles_.live_bytes()))});
}

bool EnvData::Release(double id) {
  const bool erased = handles_.Erase(id);
  AccountExternalMemory();
  return erased;
}

void EnvData::AccountExternalMemory() {
  const int64_t change = static_cast<int64_t>(handles_.live_bytes()) - reported_bytes_;
  if (std::llabs(change) < kReportStep) return;
  Napi::MemoryManagement::AdjustExternalMemory(env_, change);
  reported_bytes_ += change;
}

Napi::Value EnvData::MakeError(const Failure& failure) {
  if (make_error_.IsEmpty()) {
    Napi::Error error = Napi::Error::New(env_, failure.code);
    error.Set("code", failure.code);
    return error.Value();
  }
  Napi::Object facts = Napi::Object::New(env_);
  for (const auto& fact : failure.facts) facts.Set(fact.first, fact.second);
  return make_error_.Call({Napi::String::New(env_, failure.code), facts,
                           Napi::Number::New(env_, failure.tf_code),
                           Napi::String::New(env_, failure.tf_message)});
}

void EnvData::Throw(const Failure& failure) { throw Napi::Error(env_, MakeError(failure)); }

}  // namespace tfe
