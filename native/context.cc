#include "context.h"

#include <cstdlib>
#include <mutex>
#include <utility>

#include "configuration.h"
#include "worker_pool.h"

namespace tfe {
namespace {

std::mutex g_mutex;
std::weak_ptr<Context> g_context;

// process.exit() and an uncaught exception run no cleanup hook of the main environment, but exit()'s
// handlers. Registered when the library is open, this one runs before the library's static destructors.
void WaitAtExit() {
  const std::lock_guard<std::mutex> lock(g_mutex);
  const std::shared_ptr<Context> shared = g_context.lock();
  if (shared == nullptr) return;
  if (WorkerPool* pool = shared->pool_if_used(); pool != nullptr) pool->Stop();
  shared->Wait();
}

}  // namespace

Result<std::shared_ptr<Context>> Context::Acquire() {
  const std::lock_guard<std::mutex> lock(g_mutex);
  if (std::shared_ptr<Context> shared = g_context.lock()) return shared;
  static const int registered = std::atexit(WaitAtExit);
  (void)registered;  // without the handler an idle exit is still a clean one
  std::shared_ptr<Context> context(new Context());
  Status initialized = context->Initialize();
  if (!initialized.ok()) return std::move(initialized.failure());
  g_context = context;
  return context;
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

void Context::Wait() const {
  StatusPtr status(TheApi().TF_NewStatus());
  TheApi().TFE_ContextAsyncWait(context_.get(), status.get());
}

}  // namespace tfe
