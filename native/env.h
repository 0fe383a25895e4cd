// What one JavaScript environment (the main thread, a worker) owns natively, and the door through
// which its failures become TfeErrors. No static holds a JavaScript value.
// Owner: the environment (instance data). Thread: its own only.
#ifndef TFE_NODE_ENV_H_
#define TFE_NODE_ENV_H_

#include <napi.h>

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "handle_table.h"
#include "lend.h"
#include "op.h"
#include "status.h"
#include "tensor.h"
#include "worker_pool.h"

namespace tfe {

class EnvData {
 public:
  // Rank, dtype and dims cross in one shared array of doubles instead of JavaScript arrays: TensorFlow
  // allows 254 dims, and two more elements are dtype and rank.
  static constexpr size_t kMaxRank = 254;
  static constexpr size_t kScratchLength = kMaxRank + 2;

  explicit EnvData(Napi::Env env);
  ~EnvData();

  static EnvData& From(Napi::Env env) { return *env.GetInstanceData<EnvData>(); }

  // The op runner (and with it the context); made on first use.
  Result<OpRunner*> Runner();
  bool has_runner() const { return runner_ != nullptr; }

  // This environment's way to the worker pool; made on first use.
  Result<Lane*> AsyncLane();
  Lane* lane_if_used() { return lane_.get(); }
  // Queues the job; `settle(ticket, error, value)` as it was last set is told.
  Result<double> Submit(std::unique_ptr<Job> job);
  void set_settle(Napi::Function settle) {
    settle_ = std::make_shared<Napi::FunctionReference>(Napi::Persistent(settle));
  }
  // Called once, when this environment holds more than the configuration's budget.
  void set_warn(Napi::Function warn) { warn_ = Napi::Persistent(warn); }

  Napi::Env env() const { return env_; }
  HandleTable& handles() { return handles_; }
  const LentBytes& lent() const { return lent_; }

  // Stores a handle and writes its dtype, rank and dims to the scratch array; answers its id.
  Result<double> Adopt(HandlePtr handle);
  // Stores all or none; answers id, dtype, rank and dims of each, one after another.
  Result<std::vector<double>> AdoptAll(std::vector<HandlePtr> handles);
  // Frees one handle; false when there is none of that id.
  bool Release(double id);

  double* scratch() { return scratch_memory_.data(); }
  Napi::Value scratch_value() { return scratch_.Value(); }

  void set_make_error(Napi::Function make_error) { make_error_ = Napi::Persistent(make_error); }
  // Throws the TfeError that lib/errors makes of `failure`, as a C++ exception that node-addon-api
  // turns into the pending JavaScript exception. Before set_make_error: an Error with the same code.
  [[noreturn]] void Throw(const Failure& failure);
  // The same error, not thrown.
  Napi::Value MakeError(const Failure& failure);

  // Drops everything that belongs to TensorFlow: work off the loop, op, constants, handles, context. In that order.
  void Drain();

 private:
  // Tells V8 about memory it cannot see, in steps: a call per op would cost more than it tells.
  void AccountExternalMemory();
  void WarnOfPressure();

  Napi::Env env_;
  Napi::FunctionReference make_error_;
  std::shared_ptr<Napi::FunctionReference> settle_;
  Napi::FunctionReference warn_;
  // What this environment may hold before it warns; never again once it has.
  size_t warn_handles_ = SIZE_MAX;
  size_t warn_bytes_ = SIZE_MAX;
  // Our own memory behind JavaScript's array: an array's own memory could be taken away, by a transfer
  // to another thread.
  std::array<double, kScratchLength> scratch_memory_{};
  Napi::Reference<Napi::Float64Array> scratch_;
  TensorFacts facts_;
  int64_t reported_bytes_ = 0;
  std::unique_ptr<OpRunner> runner_;
  HandleTable handles_;
  LentBytes lent_ = std::make_shared<int64_t>(0);
  std::shared_ptr<Lane> lane_;
};

}  // namespace tfe

#endif  // TFE_NODE_ENV_H_
