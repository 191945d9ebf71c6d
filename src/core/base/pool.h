// Keeps values that are alike once. A network repeats its blocks, and what is counted for them, so
// that of thousands of values few differ. Needs two functions beside T: hash_of and is_same.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "strata/base/shared.h"

namespace strata {

template <class T>
class Pool {
 public:
  // The value that is here already and is the same, or this one from now on.
  Shared<T> share(T&& value) {
    if (2 * count_ >= slots_.size()) grow();
    Slot& slot = slot_of(hash_of(value), value);
    if (slot.hash == 0) {
      slot = {mark(hash_of(value)), Shared<T>(std::move(value))};
      ++count_;
    }
    return slot.value;
  }
  std::size_t size() const { return count_; }

 private:
  struct Slot {
    std::size_t hash = 0;  // 0: there is none
    Shared<T> value;
  };
  static std::size_t mark(std::size_t hash) { return hash | 1; }

  // Where the value is, or has to be put.
  Slot& slot_of(std::size_t hash, const T& value) {
    const std::size_t mask = slots_.size() - 1;
    std::size_t i = start_of(mark(hash));
    while (slots_[i & mask].hash != 0 &&
           (slots_[i & mask].hash != mark(hash) || !is_same(*slots_[i & mask].value, value)))
      ++i;
    return slots_[i & mask];
  }
  static std::size_t start_of(std::size_t hash) { return (hash * 0x9e3779b97f4a7c15u) >> 32; }
  void grow() {
    std::vector<Slot> old(slots_.empty() ? 64 : 2 * slots_.size());
    old.swap(slots_);
    const std::size_t mask = slots_.size() - 1;
    for (Slot& slot : old) {
      if (slot.hash == 0) continue;
      std::size_t i = start_of(slot.hash);
      while (slots_[i & mask].hash != 0) ++i;
      slots_[i & mask] = std::move(slot);
    }
  }

  std::vector<Slot> slots_;  // a power of two of them
  std::size_t count_ = 0;
};

// The hash of several words, each of which may be the same in many values.
class WordHash {
 public:
  void add(std::uint64_t word) {
    value_ = (value_ ^ word) * 0x9e3779b97f4a7c15u;
    value_ ^= value_ >> 29;
  }
  std::size_t value() const { return value_; }

 private:
  std::uint64_t value_ = 0x243f6a8885a308d3u;
};

}  // namespace strata
