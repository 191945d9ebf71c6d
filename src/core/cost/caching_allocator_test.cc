#include "cost/caching_allocator.h"

#include <map>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace strata {
namespace {

constexpr std::int64_t kMiB = 1 << 20;

TEST(CachingAllocator, RoundsUpAndCountsBlocks) {
  CachingAllocator pool({});
  pool.allocate(1);
  EXPECT_EQ(pool.allocated(), 512);
  pool.allocate(513);
  EXPECT_EQ(pool.allocated(), 512 + 1024);
}

TEST(CachingAllocator, ZeroBytesTakeNoBlock) {
  CachingAllocator pool({});
  EXPECT_EQ(pool.allocate(0), kNone);
  pool.release(kNone);
  EXPECT_EQ(pool.allocated(), 0);
  EXPECT_EQ(pool.reserved(), 0);
}

TEST(CachingAllocator, SegmentsByTheRequest) {
  CachingAllocator pool({});
  pool.allocate(kMiB);  // small
  EXPECT_EQ(pool.reserved(), 2 * kMiB);
  pool.allocate(kMiB + 1);  // large, below 10 MiB
  EXPECT_EQ(pool.reserved(), 22 * kMiB);
  pool.allocate(10 * kMiB);  // fits the 20 MiB segment
  EXPECT_EQ(pool.reserved(), 22 * kMiB);
  pool.allocate(11 * kMiB);  // its own, a multiple of 2 MiB; the last MiB is too small to split off
  EXPECT_EQ(pool.reserved(), 34 * kMiB);
  EXPECT_EQ(pool.allocated(), kMiB + (kMiB + 512) + 10 * kMiB + 12 * kMiB);
}

// Row 12 of the published table: 2,146,304 are counted for a request of 1,204,224.
TEST(CachingAllocator, LargeBlockIsNotSplitForAMiBOrLess) {
  for (const bool limit : {true, false}) {
    CachingAllocator pool({.split_limit = limit});
    const auto hole = pool.allocate(2146304);
    pool.allocate(2 * kMiB);  // keeps the gap from growing
    pool.release(hole);
    EXPECT_EQ(pool.bytes_of(pool.allocate(1204224)), limit ? 2146304 : 1204224);
  }
}

TEST(CachingAllocator, SmallBlockIsSplitForEveryRest) {
  CachingAllocator pool({});
  const auto hole = pool.allocate(1024);
  pool.allocate(512);
  pool.release(hole);
  EXPECT_EQ(pool.bytes_of(pool.allocate(512)), 512);
}

TEST(CachingAllocator, TakesTheSmallestThatFits) {
  for (const bool best : {true, false}) {
    CachingAllocator pool({.best_fit = best});
    const auto wide = pool.allocate(4 * kMiB);
    pool.allocate(2 * kMiB);
    const auto narrow = pool.allocate(3 * kMiB);
    pool.allocate(2 * kMiB);
    pool.release(wide);
    pool.release(narrow);
    // The lowest address has 4 MiB, and the remaining 1 MiB stays with the block.
    EXPECT_EQ(pool.bytes_of(pool.allocate(3 * kMiB)), best ? 3 * kMiB : 4 * kMiB);
  }
}

TEST(CachingAllocator, FreeNeighboursBecomeOne) {
  for (const bool merging : {true, false}) {
    CachingAllocator pool({.merging = merging});
    std::vector<CachingAllocator::BlockId> blocks;
    blocks.reserve(4);
    for (int i = 0; i < 4; ++i) blocks.push_back(pool.allocate(5 * kMiB));
    ASSERT_EQ(pool.reserved(), 20 * kMiB);
    for (const int i : {1, 3, 2}) pool.release(blocks[static_cast<std::size_t>(i)]);
    pool.allocate(15 * kMiB);
    EXPECT_EQ(pool.reserved(), merging ? 20 * kMiB : 36 * kMiB);
  }
}

TEST(CachingAllocator, WithoutBlocksItIsASum) {
  CachingAllocator pool({.blocks = false});
  const auto a = pool.allocate(3);
  pool.allocate(1000);
  EXPECT_EQ(pool.allocated(), 1003);
  pool.release(a);
  EXPECT_EQ(pool.allocated(), 1000);
  EXPECT_EQ(pool.peak_allocated(), 1003);
}

// For any sequence of requests: what is handed out is counted, and once everything has been
// returned, each segment is in one piece again.
RC_GTEST_PROP(CachingAllocator, EverythingComesBack, ()) {
  CachingAllocator pool({});
  std::map<CachingAllocator::BlockId, std::int64_t> held;
  const auto steps = *rc::gen::container<std::vector<std::pair<bool, std::uint32_t>>>(
      rc::gen::pair(rc::gen::arbitrary<bool>(), rc::gen::inRange(1u, 12u << 20)));
  std::int64_t sum = 0;
  for (const auto& [take, number] : steps) {
    if (take || held.empty()) {
      const auto id = pool.allocate(number);
      RC_ASSERT(held.emplace(id, pool.bytes_of(id)).second);
      RC_ASSERT(pool.bytes_of(id) >= number);
      sum += pool.bytes_of(id);
    } else {
      auto gone = held.begin();
      std::advance(gone, number % held.size());
      sum -= gone->second;
      pool.release(gone->first);
      held.erase(gone);
    }
    RC_ASSERT(pool.allocated() == sum);
    RC_ASSERT(pool.allocated() <= pool.reserved());
  }
  for (const auto& [id, bytes] : held) pool.release(id);
  RC_ASSERT(pool.allocated() == 0);
  RC_ASSERT(pool.count_free() == pool.segments());
}

}  // namespace
}  // namespace strata
