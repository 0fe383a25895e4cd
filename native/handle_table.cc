#include "handle_table.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <string>
#include <utility>

namespace tfe {
namespace {

constexpr int kSlotBits = 24;
constexpr int kGenerationBits = 19;
constexpr int kTagBits = 10;
static_assert(kSlotBits + kGenerationBits + kTagBits == 53, "an id must be a safe integer");

constexpr uint32_t kMaxSlots = 1u << kSlotBits;
constexpr uint32_t kMaxGeneration = (1u << kGenerationBits) - 1;

uint32_t NextTag() {
  static std::atomic<uint32_t> next{0};
  return next.fetch_add(1, std::memory_order_relaxed) & ((1u << kTagBits) - 1);
}

double Encode(uint32_t tag, uint32_t generation, uint32_t slot) {
  const uint64_t bits = (static_cast<uint64_t>(tag) << (kGenerationBits + kSlotBits)) |
                        (static_cast<uint64_t>(generation) << kSlotBits) | slot;
  return static_cast<double>(bits);
}

}  // namespace

HandleTable::HandleTable() : tag_(NextTag()) {}

Result<double> HandleTable::Insert(HandlePtr handle, size_t bytes) {
  uint32_t index;
  if (!free_.empty()) {
    index = free_.back();
    free_.pop_back();
  } else if (slots_.size() < kMaxSlots) {
    index = static_cast<uint32_t>(slots_.size());
    slots_.emplace_back();
    // So that Erase, which must not fail, never has to allocate.
    free_.reserve(slots_.capacity());
  } else {
    return Failure{"TFE_HANDLE_TABLE_FULL", {{"limit", std::to_string(kMaxSlots)}}};
  }
  Slot& slot = slots_[index];
  slot.handle = std::move(handle);
  slot.bytes = bytes;
  live_bytes_ += bytes;
  ++live_;
  peak_ = std::max(peak_, live_);
  peak_bytes_ = std::max(peak_bytes_, live_bytes_);
  return Encode(tag_, slot.generation, index);
}

HandleTable::Lookup HandleTable::Locate(double id, uint32_t* slot) const {
  if (!(id >= 0 && id <= kMaxSafeInteger) || id != std::floor(id)) return Lookup::kForged;
  const uint64_t bits = static_cast<uint64_t>(id);
  const uint32_t index = static_cast<uint32_t>(bits & (kMaxSlots - 1));
  const uint32_t generation = static_cast<uint32_t>(bits >> kSlotBits) & kMaxGeneration;
  if (bits >> (kSlotBits + kGenerationBits) != tag_) return Lookup::kForeign;
  if (index >= slots_.size() || generation == 0 || generation > slots_[index].generation) {
    return Lookup::kForged;
  }
  if (generation != slots_[index].generation || slots_[index].handle == nullptr) {
    return Lookup::kStale;
  }
  *slot = index;
  return Lookup::kFound;
}

Result<TFE_TensorHandle*> HandleTable::Find(double id) const {
  uint32_t slot = 0;
  switch (Locate(id, &slot)) {
    case Lookup::kFound:
      return slots_[slot].handle.get();
    case Lookup::kStale:
      return Failure{"TFE_TENSOR_DISPOSED", {}};
    case Lookup::kForeign:
      return Failure{"TFE_TENSOR_FOREIGN", {}};
    case Lookup::kForged:
      break;
  }
  return Failure{"TFE_TENSOR_FORGED", {{"id", std::to_string(id)}}};
}

bool HandleTable::Erase(double id) {
  uint32_t index = 0;
  if (Locate(id, &index) != Lookup::kFound) return false;
  Slot& slot = slots_[index];
  slot.handle.reset();
  live_bytes_ -= slot.bytes;
  slot.bytes = 0;
  --live_;
  if (slot.generation < kMaxGeneration) {
    ++slot.generation;
    free_.push_back(index);
  }
  return true;
}

void HandleTable::Clear() {
  slots_.clear();
  free_.clear();
  live_ = 0;
  live_bytes_ = 0;
}

}  // namespace tfe
