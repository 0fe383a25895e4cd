// Tensors that one environment has exported and no other has imported yet. Each entry holds a share of the
// tensor's handle, is taken once, and lapses at its deadline.
// Owner: the Context. Thread: any (one mutex).
#ifndef TFE_NODE_EXCHANGE_H_
#define TFE_NODE_EXCHANGE_H_

#include <chrono>
#include <cstddef>
#include <map>
#include <mutex>
#include <string>
#include <unordered_map>

#include "raii.h"
#include "status.h"

namespace tfe {

class Exchange {
 public:
  using Clock = std::chrono::steady_clock;

  // Answers the key under which the handle can be taken until `deadline`.
  std::string Put(HandlePtr handle, Clock::time_point deadline);
  // TFE_TOKEN_EXPIRED when it has been taken before, has lapsed, or never was.
  Result<HandlePtr> Take(const std::string& key);
  // Frees what has lapsed; answers how many are left.
  size_t Sweep();

 private:
  // Keys by deadline: what has lapsed is at the front, and no sweep looks at the rest.
  using Deadlines = std::multimap<Clock::time_point, std::string>;
  struct Entry {
    HandlePtr handle;
    Deadlines::iterator deadline;
  };

  size_t SweepLocked();

  std::mutex mutex_;
  Deadlines deadlines_;
  std::unordered_map<std::string, Entry> entries_;
};

}  // namespace tfe

#endif  // TFE_NODE_EXCHANGE_H_
