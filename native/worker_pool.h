// Work off the event loop, on threads of our own: libuv's four also serve files, DNS and crypto, and one long op
// each would stop those. Bounded twice: so many threads, and so many tasks that wait or run.
//
// Owner: the pool belongs to the Context (it ends, and its ops are freed, before the context is deleted); each
// environment has one Lane, through which its tasks go and come back.
// Thread: a Lane's public functions on its environment's thread; Job::Work on a thread of the pool, or on one of its own
// (RunApart).
#ifndef TFE_NODE_WORKER_POOL_H_
#define TFE_NODE_WORKER_POOL_H_

#include <napi.h>

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <thread>
#include <unordered_map>
#include <vector>

#include "context.h"
#include "op.h"
#include "status.h"

namespace tfe {

class EnvData;
class Lane;

// One piece of work. It owns whatever it reads (a share of each input's handle), so that its caller may
// dispose of everything meanwhile.
class Job {
 public:
  virtual ~Job() = default;
  // On a thread whose op and status `runner` holds. No Node-API here.
  virtual void Work(OpRunner& runner) = 0;
  // On any thread but that of Work, with the pool's lock, before Work or while it runs: what it waits for will not come.
  virtual void Cancel() = 0;
  // On a thread of the pool, instead of Settle: nobody waits for the result, so free it. A task that is cancelled later
  // is freed on its environment's thread.
  virtual void Discard() = 0;
  // On the environment's thread: what the promise gets, a failure or a value.
  virtual Result<Napi::Value> Settle(EnvData& data) = 0;
};

struct Task {
  double ticket = 0;
  std::unique_ptr<Job> job;
  std::shared_ptr<Lane> lane;
  // Who is told. With the task, because copies of the package in one thread share the addon; freed on the
  // environment's thread.
  std::shared_ptr<Napi::FunctionReference> settle;
  std::atomic<bool> cancelled{false};
};

class WorkerPool {
 public:
  WorkerPool(Context& context, size_t threads, size_t limit);
  ~WorkerPool();
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  // TFE_QUEUE_FULL when `limit` tasks wait or run; TFE_THREAD_UNAVAILABLE when there is no thread and none to be had.
  Status Push(std::shared_ptr<Task> task);
  // Takes back a task that no thread has begun, calls off one that runs; nothing when it has ended.
  void Cancel(const Task& task);
  // See Context. No task begins or is called off meanwhile.
  void ClearKernels();
  // Takes back all that the lane has waiting, calls off what it has running, and waits for that.
  void Leave(const Lane& lane);
  // Begins nothing more, calls off what runs and waits for it. What waits stays where it is: at the end of a process
  // nobody may free it, because it holds references to values of environments of other threads.
  void Stop();

  // Runs a job on a thread of its own, beside the pool's: what it waits for may be a task of the pool. The thread stays
  // for the next one. The caller waits, and asks `goes_on` several times a second; when that says no, the job is called off.
  // TFE_THREAD_UNAVAILABLE when there is no thread to be had.
  Status RunApart(Job& job, const std::function<bool()>& goes_on);

  size_t pending() const;

 private:
  // TFE_THREAD_UNAVAILABLE when the system gives none.
  Status Start(std::vector<std::thread>& threads, void (WorkerPool::*loop)());
  OpRunner NewRunner();
  void Loop();
  void LoopApart();
  void ClearIfIdleLocked();

  Context& context_;
  const size_t max_threads_;
  const size_t limit_;
  mutable std::mutex mutex_;
  std::condition_variable wake_;
  std::condition_variable done_;
  std::deque<std::shared_ptr<Task>> queue_;
  // What runs now. `job` is null from when the task is on its way back: it may be freed any time then. `lane` is null for
  // what runs apart.
  struct Running {
    const Lane* lane;
    Job* job;
  };
  std::list<Running> running_;
  std::vector<std::thread> threads_;
  // On its caller's stack.
  struct Errand {
    Job* job;
    bool over = false;
  };
  std::deque<Errand*> errands_;
  std::condition_variable wake_apart_;
  std::vector<std::thread> apart_;
  size_t idle_apart_ = 0;
  // Tasks that wait or run.
  size_t occupied_ = 0;
  size_t idle_ = 0;
  bool stopping_ = false;
  bool clear_ = false;  // the kernels, when nothing runs any more
};

// The way of one environment's tasks to the pool, and of their results back to its event loop. Keeps the loop
// alive exactly while somebody waits for a result.
class Lane : public std::enable_shared_from_this<Lane> {
 public:
  static Result<std::shared_ptr<Lane>> Make(Napi::Env env, std::shared_ptr<Context> context);

  // Queues the job; answers its ticket. `settle(ticket, error, value)` is called unless it is cancelled.
  Result<double> Submit(std::unique_ptr<Job> job, std::shared_ptr<Napi::FunctionReference> settle);
  // The task's result is discarded, and `settle` is not called for it.
  void Cancel(double ticket);
  // Drops everything, waiting for what runs. No JavaScript is called any more.
  void Close();

  // Tasks whose results somebody waits for.
  size_t pending() const { return tasks_.size(); }

  // Thread of the pool: hands a finished task back.
  void Post(std::shared_ptr<Task> task);

 private:
  explicit Lane(Napi::Env env) : env_(env) {}
  static void OnPosted(napi_env env, napi_value, void* context, void*);
  void SettleAll(Napi::Env env);

  std::shared_ptr<Context> context_;
  Napi::Env env_;
  std::unordered_map<double, std::shared_ptr<Task>> tasks_;
  double next_ticket_ = 1;

  // Guards what threads of the pool use as well.
  std::mutex mutex_;
  // Written on the environment's thread only. Null once Node has closed it: Node 20 frees it then, whoever
  // still counts on it.
  napi_threadsafe_function wake_ = nullptr;
  std::vector<std::shared_ptr<Task>> finished_;
};

}  // namespace tfe

#endif  // TFE_NODE_WORKER_POOL_H_
