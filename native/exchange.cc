#include "exchange.h"

#include <atomic>
#include <cstdint>
#include <random>
#include <utility>

namespace tfe {
namespace {

// Unguessable and never the same twice: a token from another process, or from an earlier context of this one,
// must find nothing.
std::string NewKey() {
  static std::atomic<uint64_t> count{0};
  std::random_device random;
  std::string key = std::to_string(count.fetch_add(1));
  for (int i = 0; i < 4; ++i) key += "-" + std::to_string(random());
  return key;
}

}  // namespace

std::string Exchange::Put(HandlePtr handle, Clock::time_point deadline) {
  std::string key = NewKey();
  const std::lock_guard<std::mutex> lock(mutex_);
  SweepLocked();
  entries_.emplace(key, Entry{std::move(handle), deadlines_.emplace(deadline, key)});
  return key;
}

Result<HandlePtr> Exchange::Take(const std::string& key) {
  const std::lock_guard<std::mutex> lock(mutex_);
  SweepLocked();
  const auto found = entries_.find(key);
  if (found == entries_.end()) return Failure{"TFE_TOKEN_EXPIRED", {}};
  HandlePtr handle = std::move(found->second.handle);
  deadlines_.erase(found->second.deadline);
  entries_.erase(found);
  return handle;
}

size_t Exchange::Sweep() {
  const std::lock_guard<std::mutex> lock(mutex_);
  return SweepLocked();
}

size_t Exchange::SweepLocked() {
  const Clock::time_point now = Clock::now();
  while (!deadlines_.empty() && deadlines_.begin()->first <= now) {
    entries_.erase(deadlines_.begin()->second);
    deadlines_.erase(deadlines_.begin());
  }
  return entries_.size();
}

}  // namespace tfe
