#include "exchange.h"

#include <atomic>
#include <cstdint>
#include <iterator>
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
  entries_.emplace(key, Entry{std::move(handle), deadline});
  return key;
}

Result<HandlePtr> Exchange::Take(const std::string& key) {
  const std::lock_guard<std::mutex> lock(mutex_);
  SweepLocked();
  const auto found = entries_.find(key);
  if (found == entries_.end()) return Failure{"TFE_TOKEN_EXPIRED", {}};
  HandlePtr handle = std::move(found->second.handle);
  entries_.erase(found);
  return handle;
}

size_t Exchange::Sweep() {
  const std::lock_guard<std::mutex> lock(mutex_);
  return SweepLocked();
}

size_t Exchange::SweepLocked() {
  const Clock::time_point now = Clock::now();
  for (auto entry = entries_.begin(); entry != entries_.end();) {
    entry = entry->second.deadline <= now ? entries_.erase(entry) : std::next(entry);
  }
  return entries_.size();
}

}  // namespace tfe
