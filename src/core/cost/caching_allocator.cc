#include "cost/caching_allocator.h"

#include <algorithm>

namespace strata {

namespace {

constexpr std::int64_t kMiB = std::int64_t{1} << 20;
constexpr std::int64_t kRound = 512;                // every request is rounded up to a multiple
constexpr std::int64_t kSmall = kMiB;               // requests up to here go to the small pool
constexpr std::int64_t kSmallSegment = 2 * kMiB;    //
constexpr std::int64_t kLargeSegment = 20 * kMiB;   // for large requests …
constexpr std::int64_t kMinOwnSegment = 10 * kMiB;  // … below this; others get their own,
constexpr std::int64_t kSegmentRound = 2 * kMiB;    // a multiple of this

std::int64_t round_up(std::int64_t bytes, std::int64_t to) { return (bytes + to - 1) / to * to; }

}  // namespace

CachingAllocator::BlockId CachingAllocator::add(const Block& block) {
  if (unused_.empty()) {
    blocks_.push_back(block);
    return static_cast<BlockId>(blocks_.size() - 1);
  }
  const BlockId id = unused_.back();
  unused_.pop_back();
  blocks_[id] = block;
  return id;
}

void CachingAllocator::make_free(BlockId id) {
  Block& block = blocks_[id];
  block.free = true;
  pool_of(block).insert({block.bytes, block.address, id});
}

CachingAllocator::BlockId CachingAllocator::take_free(std::int64_t bytes, Pool& pool) {
  auto found = pool.lower_bound({bytes, 0, 0});
  if (!rules_.best_fit)
    found = std::min_element(found, pool.end(),
                             [](const Free& a, const Free& b) { return a.address < b.address; });
  if (found == pool.end()) return kNone;
  const BlockId id = found->id;
  pool.erase(found);
  return id;
}

CachingAllocator::BlockId CachingAllocator::take_segment(std::int64_t bytes, bool small) {
  std::int64_t size = round_up(bytes, kSegmentRound);
  if (small)
    size = kSmallSegment;
  else if (rules_.large_segments && bytes < kMinOwnSegment)
    size = kLargeSegment;
  const BlockId id = add({end_, size, kNone, kNone, small, false});
  end_ += size;
  reserved_ += size;
  ++segments_;
  return id;
}

// Hands out the front; the rest stays free.
void CachingAllocator::split(BlockId id, std::int64_t bytes) {
  const Block whole = blocks_[id];
  const std::int64_t rest = whole.bytes - bytes;
  const bool worth_it = whole.small || !rules_.split_limit ? rest >= kRound : rest > kSmall;
  if (!worth_it) return;
  const BlockId back = add({whole.address + bytes, rest, id, whole.after, whole.small, false});
  if (whole.after != kNone) blocks_[whole.after].before = back;
  blocks_[id].after = back;
  blocks_[id].bytes = bytes;
  make_free(back);
}

CachingAllocator::BlockId CachingAllocator::allocate(std::int64_t bytes) {
  if (bytes == 0) return kNone;
  const auto count = [&](BlockId id) {
    blocks_[id].free = false;
    allocated_ += blocks_[id].bytes;
    peak_ = std::max(peak_, allocated_);
    return id;
  };
  if (!rules_.blocks) {
    reserved_ = std::max(reserved_, allocated_ + bytes);
    return count(add({0, bytes, kNone, kNone, false, false}));
  }
  if (rules_.rounding) bytes = round_up(bytes, kRound);
  const bool small = bytes <= kSmall;
  BlockId id = take_free(bytes, small ? small_ : large_);
  if (id == kNone) id = take_segment(bytes, small);
  split(id, bytes);
  return count(id);
}

// Merges the following block into this one; both are free or being freed.
void CachingAllocator::absorb_after(BlockId id) {
  Block& block = blocks_[id];
  const BlockId gone = block.after;
  block.bytes += blocks_[gone].bytes;
  block.after = blocks_[gone].after;
  if (block.after != kNone) blocks_[block.after].before = id;
  unused_.push_back(gone);
}

void CachingAllocator::release(BlockId id) {
  if (id == kNone) return;
  allocated_ -= blocks_[id].bytes;
  if (!rules_.blocks) {
    unused_.push_back(id);
    return;
  }
  const auto take_out = [&](BlockId free) {
    pool_of(blocks_[free]).erase({blocks_[free].bytes, blocks_[free].address, free});
  };
  const auto is_free = [&](BlockId other) { return other != kNone && blocks_[other].free; };
  if (rules_.merging && is_free(blocks_[id].after)) {
    take_out(blocks_[id].after);
    absorb_after(id);
  }
  if (const BlockId before = blocks_[id].before; rules_.merging && is_free(before)) {
    take_out(before);
    absorb_after(before);
    id = before;
  }
  make_free(id);
}

}  // namespace strata
