// Memory that is handed out piece by piece and freed all at once.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace strata {

class Arena {
 public:
  Arena() = default;
  // Memory that was handed out stays where it is.
  Arena(Arena&& other) noexcept { swap(other); }
  Arena& operator=(Arena&& other) noexcept {
    swap(other);
    return *this;
  }

  // Uninitialised; `alignment` is a power of two, at most that of max_align_t.
  void* allocate(std::size_t bytes, std::size_t alignment) {
    const std::size_t gap = -reinterpret_cast<std::uintptr_t>(at_) & (alignment - 1);
    if (gap + bytes > static_cast<std::size_t>(end_ - at_)) return from_new_block(bytes);
    std::byte* start = at_ + gap;
    at_ = start + bytes;
    return start;
  }

 private:
  // A new block is a quarter of the total so far, so that little of the last one stays unused.
  static constexpr std::size_t kSmallestBlock = std::size_t{16} << 10;
  static constexpr std::size_t kLargestBlock = std::size_t{1} << 20;

  // A large piece gets a block of its own, and the block in use stays in use. Not inlined, so that
  // allocate() is.
  [[gnu::noinline]] void* from_new_block(std::size_t bytes) {
    const std::size_t usual = std::clamp(taken_ / 4, kSmallestBlock, kLargestBlock);
    const bool is_large = bytes > usual / 4;
    const std::size_t size = is_large ? bytes : usual;
    blocks_.push_back(std::make_unique_for_overwrite<std::byte[]>(size));
    taken_ += size;
    std::byte* start = blocks_.back().get();
    if (is_large) return start;
    at_ = start + bytes;
    end_ = start + size;
    return start;
  }
  void swap(Arena& other) {
    std::swap(at_, other.at_);
    std::swap(end_, other.end_);
    std::swap(taken_, other.taken_);
    blocks_.swap(other.blocks_);
  }

  std::byte* at_ = nullptr;  // where the free part of the last block begins
  std::byte* end_ = nullptr;
  std::size_t taken_ = 0;  // bytes of all blocks
  std::vector<std::unique_ptr<std::byte[]>> blocks_;
};

}  // namespace strata
