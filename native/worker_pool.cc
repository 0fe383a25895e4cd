#include "worker_pool.h"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <string>
#include <system_error>
#include <utility>

#include "env.h"

namespace tfe {

WorkerPool::WorkerPool(Context& context, size_t threads, size_t limit)
    : context_(context), max_threads_(threads), limit_(limit) {}

WorkerPool::~WorkerPool() { Stop(); }

Status WorkerPool::Start(std::vector<std::thread>& threads, void (WorkerPool::*loop)()) {
  try {
    threads.emplace_back(loop, this);
  } catch (const std::system_error& error) {
    return Failure{"TFE_THREAD_UNAVAILABLE", {{"reason", error.code().message()}}};
  }
  return Done{};
}

OpRunner WorkerPool::NewRunner() {
  // The context is borrowed: it owns this pool, so it outlives every thread of it.
  return OpRunner(std::shared_ptr<Context>(std::shared_ptr<void>(), &context_));
}

Status WorkerPool::Push(std::shared_ptr<Task> task) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (occupied_ >= limit_) {
    return Failure{"TFE_QUEUE_FULL", {{"limit", std::to_string(limit_)}}};
  }
  if (idle_ <= queue_.size() && threads_.size() < max_threads_ && !stopping_) {
    Status started = Start(threads_, &WorkerPool::Loop);
    // Those that are there do the work of all.
    if (!started.ok() && threads_.empty()) return started;
  }
  queue_.push_back(std::move(task));
  ++occupied_;
  wake_.notify_one();
  return Done{};
}

void WorkerPool::Cancel(const Task& task) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found = std::find_if(queue_.begin(), queue_.end(),
                                  [&task](const auto& queued) { return queued.get() == &task; });
  if (found != queue_.end()) {
    queue_.erase(found);
    --occupied_;
    return;
  }
  for (const Running& running : running_) {
    if (running.job == task.job.get()) running.job->Cancel();
  }
}

void WorkerPool::ClearKernels() {
  const std::lock_guard<std::mutex> lock(mutex_);
  clear_ = true;
  ClearIfIdleLocked();
}

void WorkerPool::ClearIfIdleLocked() {
  if (!clear_ || !running_.empty()) return;
  clear_ = false;
  TheApi().TFE_ContextClearCaches(context_.get());
}

void WorkerPool::Leave(const Lane& lane) {
  std::deque<std::shared_ptr<Task>> taken;
  std::unique_lock<std::mutex> lock(mutex_);
  const auto kept =
      std::stable_partition(queue_.begin(), queue_.end(),
                            [&lane](const auto& queued) { return queued->lane.get() != &lane; });
  std::move(kept, queue_.end(), std::back_inserter(taken));
  queue_.erase(kept, queue_.end());
  occupied_ -= taken.size();
  for (const Running& running : running_) {
    if (running.lane == &lane && running.job != nullptr) running.job->Cancel();
  }
  done_.wait(lock, [&] {
    return std::none_of(running_.begin(), running_.end(),
                        [&](const Running& running) { return running.lane == &lane; });
  });
  lock.unlock();
  // `taken` is freed here, on the lane's own thread and without the lock.
}

void WorkerPool::Stop() {
  std::vector<std::thread> threads;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    stopping_ = true;
    threads.swap(threads_);
    std::move(apart_.begin(), apart_.end(), std::back_inserter(threads));
    apart_.clear();
    for (const Running& running : running_) {
      if (running.job != nullptr) running.job->Cancel();
    }
  }
  wake_.notify_all();
  wake_apart_.notify_all();
  for (std::thread& thread : threads) thread.join();
  std::unique_lock<std::mutex> lock(mutex_);
  done_.wait(lock, [this] { return running_.empty(); });
}

Status WorkerPool::RunApart(Job& job, const std::function<bool()>& goes_on) {
  constexpr std::chrono::milliseconds kPatience(50);
  Errand errand{&job};
  std::unique_lock<std::mutex> lock(mutex_);
  const bool late = stopping_;
  if (!late && idle_apart_ <= errands_.size()) {
    Status started = Start(apart_, &WorkerPool::LoopApart);
    if (!started.ok()) return started;
  }
  const auto running = running_.insert(running_.end(), {nullptr, &job});
  if (late) {
    // Called off before it begins, it waits for nothing.
    job.Cancel();
    lock.unlock();
    OpRunner runner = NewRunner();
    job.Work(runner);
    lock.lock();
  } else {
    errands_.push_back(&errand);
    wake_apart_.notify_one();
    bool called_off = false;
    while (!done_.wait_for(lock, kPatience, [&] { return errand.over; })) {
      if (called_off) continue;
      lock.unlock();
      called_off = !goes_on();
      lock.lock();
      if (called_off && !errand.over) job.Cancel();
    }
  }
  running_.erase(running);
  done_.notify_all();
  ClearIfIdleLocked();
  return Done{};
}

void WorkerPool::LoopApart() {
  OpRunner runner = NewRunner();
  std::unique_lock<std::mutex> lock(mutex_);
  for (;;) {
    ++idle_apart_;
    wake_apart_.wait(lock, [this] { return stopping_ || !errands_.empty(); });
    --idle_apart_;
    // What was asked for before the end is called off by now; its caller waits for it.
    if (errands_.empty()) return;
    Errand* errand = errands_.front();
    errands_.pop_front();
    lock.unlock();
    errand->job->Work(runner);
    lock.lock();
    errand->over = true;
    done_.notify_all();
  }
}

size_t WorkerPool::pending() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return occupied_;
}

void WorkerPool::Loop() {
  OpRunner runner = NewRunner();
  std::unique_lock<std::mutex> lock(mutex_);
  for (;;) {
    ++idle_;
    wake_.wait(lock, [this] { return stopping_ || !queue_.empty(); });
    --idle_;
    if (stopping_) return;
    std::shared_ptr<Task> task = std::move(queue_.front());
    queue_.pop_front();
    // The lane is only compared with: Leave waits until this entry is gone.
    const auto running = running_.insert(running_.end(), {task->lane.get(), task->job.get()});
    lock.unlock();

    task->job->Work(runner);
    if (task->cancelled.load()) task->job->Discard();
    // Its place is free before anyone can hear of it: who awaits one task may begin the next.
    lock.lock();
    --occupied_;
    running->job = nullptr;
    lock.unlock();
    const std::shared_ptr<Lane> home = task->lane;
    home->Post(std::move(task));

    lock.lock();
    running_.erase(running);
    done_.notify_all();
    ClearIfIdleLocked();
  }
}

Result<std::shared_ptr<Lane>> Lane::Make(Napi::Env env, std::shared_ptr<Context> context) {
  std::shared_ptr<Lane> lane(new Lane(env));
  lane->context_ = std::move(context);
  // Node's side of the function keeps a share of the lane until it has closed it.
  auto share = std::make_unique<std::shared_ptr<Lane>>(lane);
  const auto finalize = [](napi_env, void* data, void*) {
    const std::unique_ptr<std::shared_ptr<Lane>> held(static_cast<std::shared_ptr<Lane>*>(data));
    const std::lock_guard<std::mutex> lock((*held)->mutex_);
    (*held)->wake_ = nullptr;
  };
  if (napi_create_threadsafe_function(
          env, nullptr, nullptr, Napi::String::New(env, "tfe-node pool"), 0, 1, share.get(),
          finalize, lane.get(), &Lane::OnPosted, &lane->wake_) != napi_ok) {
    return Failure{"TFE_BINDING_ARGUMENT",
                   {{"function", "runAsync"}, {"expected", "an environment that is not ending"}}};
  }
  share.release();
  napi_unref_threadsafe_function(env, lane->wake_);
  return lane;
}

Result<double> Lane::Submit(std::unique_ptr<Job> job,
                            std::shared_ptr<Napi::FunctionReference> settle) {
  auto task = std::make_shared<Task>();
  task->ticket = next_ticket_++;
  task->job = std::move(job);
  task->settle = std::move(settle);
  task->lane = shared_from_this();
  Status pushed = context_->pool().Push(task);
  if (!pushed.ok()) return std::move(pushed.failure());
  if (tasks_.empty() && wake_ != nullptr) {
    napi_ref_threadsafe_function(env_, wake_);
  }
  const double ticket = task->ticket;
  tasks_.emplace(ticket, std::move(task));
  return ticket;
}

void Lane::Cancel(double ticket) {
  const auto found = tasks_.find(ticket);
  if (found == tasks_.end()) return;
  const std::shared_ptr<Task> task = std::move(found->second);
  tasks_.erase(found);
  task->cancelled.store(true);
  context_->pool().Cancel(*task);
  if (tasks_.empty() && wake_ != nullptr) {
    napi_unref_threadsafe_function(env_, wake_);
  }
}

void Lane::Close() {
  context_->pool().Leave(*this);
  tasks_.clear();
  std::vector<std::shared_ptr<Task>> finished;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    finished.swap(finished_);
    if (wake_ != nullptr) napi_release_threadsafe_function(wake_, napi_tsfn_abort);
    wake_ = nullptr;
  }
  finished.clear();
  context_.reset();
}

void Lane::Post(std::shared_ptr<Task> task) {
  const std::lock_guard<std::mutex> lock(mutex_);
  finished_.push_back(std::move(task));
  // One call for all that is finished when it comes.
  if (finished_.size() > 1 || wake_ == nullptr) return;
  // Under the lock: `finalize` waits for it before Node frees the function.
  // It refuses when the environment is ending, and then Close frees the task.
  napi_call_threadsafe_function(wake_, nullptr, napi_tsfn_nonblocking);
}

void Lane::OnPosted(napi_env env, napi_value, void* context, void*) {
  // Without an environment: it is ending, and Close frees the tasks.
  if (env != nullptr) static_cast<Lane*>(context)->SettleAll(env);
}

// What `settle` is called with.
static std::vector<napi_value> Outcome(EnvData& data, Napi::Number ticket, Job& job) {
  try {
    Result<Napi::Value> result = job.Settle(data);
    if (result.ok()) return {ticket, data.env().Null(), result.value()};
    return {ticket, data.MakeError(result.failure())};
  } catch (const Napi::Error& error) {
    // Memory for the answer, for example: a promise that never settles would be worse.
    return {ticket, error.Value()};
  }
}

void Lane::SettleAll(Napi::Env env) {
  std::vector<std::shared_ptr<Task>> finished;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    finished.swap(finished_);
  }
  EnvData& data = EnvData::From(env);
  const std::shared_ptr<Lane> self =
      shared_from_this();  // JavaScript below may end the environment
  for (const std::shared_ptr<Task>& task : finished) {
    if (task->cancelled.load() || context_ == nullptr) continue;
    tasks_.erase(task->ticket);
    if (tasks_.empty() && wake_ != nullptr) napi_unref_threadsafe_function(env, wake_);
    // No exception may leave: JavaScript of a worker that is being terminated throws at every call.
    try {
      const Napi::HandleScope scope(env);
      const Napi::Number ticket = Napi::Number::New(env, task->ticket);
      task->settle->Call(Outcome(data, ticket, *task->job));
    } catch (const Napi::Error&) {
    }
  }
}

}  // namespace tfe
