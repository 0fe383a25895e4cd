// The slots that own every tensor handle of one environment; the only way from an id to a handle.
// Owner: EnvData. Thread: the environment's own thread only.
//
// An id is a number that JavaScript can hold exactly (53 bits): the environment's tag (10), the slot's
// generation (19), the slot (24). A freed slot gets its next generation, so an old id never finds a new
// tensor; a slot whose generations are used up is retired. The tag tells an id of another environment.
#ifndef TFE_NODE_HANDLE_TABLE_H_
#define TFE_NODE_HANDLE_TABLE_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "raii.h"
#include "status.h"

namespace tfe {

// JavaScript's Number.MAX_SAFE_INTEGER: up to here a double holds every whole number.
inline constexpr double kMaxSafeInteger = 9007199254740991.0;

class HandleTable {
 public:
  HandleTable();
  HandleTable(const HandleTable&) = delete;
  HandleTable& operator=(const HandleTable&) = delete;

  // Takes the handle; `bytes` is the size of its data and counts towards live_bytes().
  Result<double> Insert(HandlePtr handle, size_t bytes);

  // Borrows; valid until the id is erased.
  Result<TFE_TensorHandle*> Find(double id) const;

  // Deletes the handle. False when the id is stale, foreign or forged: nothing happens then.
  bool Erase(double id);

  void Clear();

  size_t live() const { return live_; }
  size_t peak() const { return peak_; }
  size_t live_bytes() const { return live_bytes_; }
  size_t peak_bytes() const { return peak_bytes_; }

 private:
  struct Slot {
    HandlePtr handle;
    size_t bytes = 0;
    uint32_t generation = 1;
  };
  enum class Lookup { kFound, kForged, kForeign, kStale };

  Lookup Locate(double id, uint32_t* slot) const;

  const uint32_t tag_;
  std::vector<Slot> slots_;
  std::vector<uint32_t> free_;
  size_t live_ = 0;
  size_t peak_ = 0;
  size_t live_bytes_ = 0;
  size_t peak_bytes_ = 0;
};

}  // namespace tfe

#endif  // TFE_NODE_HANDLE_TABLE_H_
