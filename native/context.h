// The one eager context of this process. Environments (the main thread, workers) share it; the last one
// to let go drains and deletes it, a later one makes a new one.
// Thread: any. TFE_Context itself is thread-safe; ops and statuses are not and stay with their thread.
#ifndef TFE_NODE_CONTEXT_H_
#define TFE_NODE_CONTEXT_H_

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "exchange.h"
#include "raii.h"
#include "status.h"

namespace tfe {

class WorkerPool;

struct Device {
  std::string name;  // "/job:localhost/replica:0/task:0/device:CPU:0"
  std::string type;  // "CPU"
};

class Context {
 public:
  // The shared context; made on first use. Needs an opened Library.
  static Result<std::shared_ptr<Context>> Acquire();
  // The shared context if some thread uses it, else nullptr.
  static std::shared_ptr<Context> IfAlive();

  // An environment of this thread has begun, or has ended, its use of the context. A thread that ends with one
  // left is the main thread in exit(): it stops the pool and waits.
  static void EnterThread();
  static void LeaveThread();

  ~Context();
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  // Returns when all queued work is over. Static destructors that run beside TensorFlow's threads crash,
  // so nothing may be queued when the process ends.
  void Wait() const;

  // The threads for work off the event loop; none before the first use.
  WorkerPool& pool();
  // The pool if there is one.
  WorkerPool* pool_if_used();
  // Frees the cached kernels, and with them what they own: a queue, for example. While tasks run, when the last has
  // ended: a queue op that is called off goes on using its queue after it has let go of it.
  void ClearKernels();
  // Tensors on their way from one environment to another.
  Exchange& exchange() { return exchange_; }

  TFE_Context* get() const { return context_.get(); }
  const std::vector<Device>& devices() const { return devices_; }
  // The device that ops of the CPU engine are pinned to, or nullptr where TensorFlow has no other choice
  // (naming it would cost a parse per op).
  const char* cpu_pin() const { return cpu_pin_.empty() ? nullptr : cpu_pin_.c_str(); }

 private:
  Context() = default;
  Status Initialize();

  // In the order in which they may die last: the pool's ops and the exchange's handles before the context.
  ContextPtr context_;
  std::vector<Device> devices_;
  std::string cpu_pin_;
  Exchange exchange_;
  std::mutex pool_mutex_;
  std::unique_ptr<WorkerPool> pool_;
};

}  // namespace tfe

#endif  // TFE_NODE_CONTEXT_H_
