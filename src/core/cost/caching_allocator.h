// PyTorch's caching allocator for one stream of one CUDA device, reduced to its bookkeeping: blocks
// are handed out, kept when they are returned, split and merged. The rules are those of
// c10/cuda/CUDACachingAllocator.cpp with its default settings.
#pragma once

#include <cstdint>
#include <set>
#include <tuple>
#include <vector>

#include "strata/cost/device_memory.h"

namespace strata {

class CachingAllocator {
 public:
  using BlockId = std::uint32_t;  // kNone: no block, as for zero bytes

  explicit CachingAllocator(const CachingRules& rules) : rules_(rules) {}

  BlockId allocate(std::int64_t bytes);
  void release(BlockId id);
  std::int64_t bytes_of(BlockId id) const { return id == kNone ? 0 : blocks_[id].bytes; }

  std::int64_t allocated() const { return allocated_; }  // sizes of the blocks, not of the requests
  std::int64_t peak_allocated() const { return peak_; }
  std::int64_t reserved() const { return reserved_; }  // never returned, so this is also its peak
  std::size_t segments() const { return segments_; }
  std::size_t count_free() const { return small_.size() + large_.size(); }  // blocks

 private:
  struct Block {
    std::int64_t address, bytes;
    BlockId before, after;  // neighbours in the segment
    bool small, free;
  };
  struct Free {
    std::int64_t bytes, address;
    BlockId id;
    bool operator<(const Free& other) const {
      return std::tie(bytes, address, id) < std::tie(other.bytes, other.address, other.id);
    }
  };
  using Pool = std::set<Free>;

  Pool& pool_of(const Block& block) { return block.small ? small_ : large_; }
  BlockId take_free(std::int64_t bytes, Pool& pool);
  BlockId take_segment(std::int64_t bytes, bool small);
  void split(BlockId id, std::int64_t bytes);
  void absorb_after(BlockId id);
  BlockId add(const Block& block);
  void make_free(BlockId id);

  CachingRules rules_;
  std::vector<Block> blocks_;
  std::vector<BlockId> unused_;  // unused entries of blocks_, left by blocks that were merged
  Pool small_, large_;
  std::int64_t end_ = 0;  // end of the last segment: later ones have higher addresses
  std::size_t segments_ = 0;
  std::int64_t allocated_ = 0, peak_ = 0, reserved_ = 0;
};

}  // namespace strata
