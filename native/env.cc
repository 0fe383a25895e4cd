#include "env.h"

#include <cstdlib>
#include <utility>

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
  // Op and constants first (the runner), then handles; the runner's share of the context is kept
  // until both are gone.
  std::shared_ptr<Context> context = runner_ != nullptr ? runner_->share_context() : nullptr;
  runner_.reset();
  handles_.Clear();
}

Result<OpRunner*> EnvData::Runner() {
  if (runner_ == nullptr) {
    if (Library::Current() == nullptr) return Failure{"TFE_LIBRARY_NOT_OPEN", {}};
    Result<std::shared_ptr<Context>> context = Context::Acquire();
    if (!context.ok()) return std::move(context.failure());
    runner_ = std::make_unique<OpRunner>(std::move(context.value()));
  }
  return runner_.get();
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
  return id;
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

void EnvData::Throw(const Failure& failure) {
  if (make_error_.IsEmpty()) {
    Napi::Error error = Napi::Error::New(env_, failure.code);
    error.Set("code", failure.code);
    throw error;
  }
  Napi::Object facts = Napi::Object::New(env_);
  for (const auto& fact : failure.facts) facts.Set(fact.first, fact.second);
  Napi::Value error = make_error_.Call({Napi::String::New(env_, failure.code), facts,
                                        Napi::Number::New(env_, failure.tf_code),
                                        Napi::String::New(env_, failure.tf_message)});
  throw Napi::Error(env_, error);
}

}  // namespace tfe
