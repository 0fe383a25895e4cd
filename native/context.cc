#include "context.h"

#include <mutex>
#include <utility>

#include "configuration.h"
#include "worker_pool.h"

namespace tfe {
namespace {

std::mutex g_mutex;
std::weak_ptr<Context> g_context;

// Begins no more work and waits for what runs.
void Settle() {
  const std::lock_guard<std::mutex> lock(g_mutex);
  const std::shared_ptr<Context> shared = g_context.lock();
  if (shared == nullptr) return;
  if (WorkerPool* pool = shared->pool_if_used(); pool != nullptr) pool->Stop();
  shared->Wait();
}

// A process may end without a cleanup hook of the main environment: process.exit(), an uncaught exception. exit()
// first destroys what belongs to its thread, then calls handlers and destroys statics in the reverse order of
// their making, those that kernels made on their first use before any handler of ours.
struct ThreadEnd {
  int users = 0;
  ~ThreadEnd() {
    if (users > 0) Settle();
  }
};

thread_local ThreadEnd t_end;

}  // namespace

Result<std::shared_ptr<Context>> Context::Acquire() {
  const std::lock_guard<std::mutex> lock(g_mutex);
  if (std::shared_ptr<Context> shared = g_context.lock()) return shared;
  std::shared_ptr<Context> context(new Context());
  Status initialized = context->Initialize();
  if (!initialized.ok()) {
    Failure& failure = initialized.failure();
    failure.facts = {{"reason", failure.tf_message}, {"configured", Configuration::Current().text}};
    return std::move(failure);
  }
  g_context = context;
  return context;
}

std::shared_ptr<Context> Context::IfAlive() {
  const std::lock_guard<std::mutex> lock(g_mutex);
  return g_context.lock();
}

Status Context::Initialize() {
  const Api& api = TheApi();
  StatusPtr status(api.TF_NewStatus());
  ContextOptionsPtr options(api.TFE_NewContextOptions());
  const std::string config = Configuration::Current().proto;
  if (!config.empty()) {
    api.TFE_ContextOptionsSetConfig(options.get(), config.data(), config.size(), status.get());
    if (!IsOk(status.get())) return FromTfStatus("TFE_CONTEXT_FAILED", status.get());
  }
  context_.reset(api.TFE_NewContext(options.get(), status.get()));
  if (!IsOk(status.get())) return FromTfStatus("TFE_CONTEXT_FAILED", status.get());

  DeviceListPtr list(api.TFE_ContextListDevices(context_.get(), status.get()));
  if (!IsOk(status.get())) return FromTfStatus("TFE_CONTEXT_FAILED", status.get());
  bool only_one_cpu = true;
  std::string first_cpu;
  const int count = api.TF_DeviceListCount(list.get());
  for (int i = 0; i < count; ++i) {
    const char* name = api.TF_DeviceListName(list.get(), i, status.get());
    if (!IsOk(status.get())) return FromTfStatus("TFE_CONTEXT_FAILED", status.get());
    const char* type = api.TF_DeviceListType(list.get(), i, status.get());
    if (!IsOk(status.get())) return FromTfStatus("TFE_CONTEXT_FAILED", status.get());
    devices_.push_back({name, type});
    if (devices_.back().type == "CPU" && first_cpu.empty()) {
      first_cpu = name;
    } else {
      only_one_cpu = false;
    }
  }
  if (!only_one_cpu) cpu_pin_ = first_cpu;
  return Done{};
}

void Context::EnterThread() { ++t_end.users; }

void Context::LeaveThread() { --t_end.users; }

Context::~Context() {
  pool_.reset();
  if (context_ != nullptr) Wait();
}

WorkerPool& Context::pool() {
  const std::lock_guard<std::mutex> lock(pool_mutex_);
  if (pool_ == nullptr) {
    const Configuration configuration = Configuration::Current();
    pool_ =
        std::make_unique<WorkerPool>(*this, configuration.async_threads, configuration.async_queue);
  }
  return *pool_;
}

WorkerPool* Context::pool_if_used() {
  const std::lock_guard<std::mutex> lock(pool_mutex_);
  return pool_.get();
}

void Context::ClearKernels() {
  const std::lock_guard<std::mutex> lock(pool_mutex_);
  if (pool_ != nullptr) {
    pool_->ClearKernels();
  } else {
    TheApi().TFE_ContextClearCaches(context_.get());
  }
}

void Context::Wait() const {
  StatusPtr status(TheApi().TF_NewStatus());
  TheApi().TFE_ContextAsyncWait(context_.get(), status.get());
}

}  // namespace tfe
