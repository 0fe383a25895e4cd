// The one eager context of this process. Environments (the main thread, workers) share it; the last one
// to let go drains and deletes it, a later one makes a new one.
// Thread: any. TFE_Context itself is thread-safe; ops and statuses are not and stay with their thread.
#ifndef TFE_NODE_CONTEXT_H_
#define TFE_NODE_CONTEXT_H_

#include <memory>
#include <string>
#include <vector>

#include "raii.h"
#include "status.h"

namespace tfe {

struct Device {
  std::string name;  // "/job:localhost/replica:0/task:0/device:CPU:0"
  std::string type;  // "CPU"
};

class Context {
 public:
  // The shared context; made on first use. Needs an opened Library.
  static Result<std::shared_ptr<Context>> Acquire();

  ~Context();
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  // Returns when all queued work is over. Static destructors that run beside TensorFlow's threads crash,
  // so nothing may be queued when the process ends.
  void Wait() const;

  TFE_Context* get() const { return context_.get(); }
  const std::vector<Device>& devices() const { return devices_; }
  // The device that ops of the CPU engine are pinned to, or nullptr where TensorFlow has no other choice
  // (naming it would cost a parse per op).
  const char* cpu_pin() const { return cpu_pin_.empty() ? nullptr : cpu_pin_.c_str(); }

 private:
  Context() = default;
  Status Initialize();

  ContextPtr context_;
  std::vector<Device> devices_;
  std::string cpu_pin_;
};

}  // namespace tfe

#endif  // TFE_NODE_CONTEXT_H_
