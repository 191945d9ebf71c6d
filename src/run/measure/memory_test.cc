#include "strata/measure/memory.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

namespace strata {
namespace {

StrataBlock block(std::int64_t time_ns, std::int64_t bytes, std::uint64_t address) {
  return {time_ns, bytes, address, -1, nullptr};
}

Kernel kernel(std::string name, std::int64_t start, std::int64_t duration) {
  Kernel out;
  out.name = std::move(name);
  out.start_ns = start;
  out.duration_ns = duration;
  return out;
}

// conv takes its output (100) and scratch (40) and gives the scratch back; relu takes 100 while
// conv's output is alive, which is then freed.
TEST(MemoryTrace, WhoTookAndWhoGaveBack) {
  Trace trace;
  trace.start_ns = 0;
  trace.end_ns = 1000;
  trace.kernels = {kernel("conv", 100, 200), kernel("relu", 400, 100)};
  trace.blocks = {block(90, 100, 1),  block(120, 40, 2),   block(280, -40, 2),
                  block(390, 100, 3), block(450, -100, 1), block(900, -100, 3)};
  const MemoryTrace found = attribute_blocks(trace);
  ASSERT_EQ(found.kernels.size(), 2u);
  EXPECT_EQ(found.kernels[0].allocated, 140);
  EXPECT_EQ(found.kernels[0].scratch, 40);
  EXPECT_EQ(found.kernels[0].held, 100);
  EXPECT_EQ(found.kernels[0].peak, 140);
  EXPECT_EQ(found.kernels[1].allocated, 100);
  EXPECT_EQ(found.kernels[1].scratch, 0);
  EXPECT_EQ(found.kernels[1].held, 100);
  EXPECT_EQ(found.kernels[1].peak, 200);
  EXPECT_EQ(found.peak, 200);
  EXPECT_EQ(found.peak_kernel, 1u);
  EXPECT_EQ(found.left, 0);
}

// Kernels of 10,000 to 30,000 and 33,000 to 40,000 ns, whose times are known to the microsecond:
// conv seems to end at 29,000. Its scratch (40) is its own, its output (100) is relu's to give
// back, and so is a block (7) that is given back when relu has begun.
TEST(MemoryTrace, EndsThatAreRoundedDown) {
  Trace trace;
  trace.end_ns = 50'000;
  trace.kernels = {kernel("conv", 10'000, 19'000), kernel("relu", 33'000, 7'000)};
  trace.blocks = {block(9'000, 100, 1),   block(11'000, 40, 2),  block(28'000, 7, 3),
                  block(29'700, -40, 2),  block(32'000, 100, 4), block(33'500, -7, 3),
                  block(41'500, -100, 1), block(45'000, -100, 4)};
  const MemoryTrace found = attribute_blocks(trace);
  ASSERT_EQ(found.kernels.size(), 2u);
  EXPECT_EQ(found.kernels[0].scratch, 40);
  EXPECT_EQ(found.kernels[0].held, 107);
  EXPECT_EQ(found.kernels[0].peak, 147);
  EXPECT_EQ(found.kernels[1].scratch, 0);
  EXPECT_EQ(found.kernels[1].peak, 207);
  EXPECT_EQ(found.peak, 207);
  EXPECT_EQ(found.left, 0);
}

TEST(MemoryTrace, BlocksFromBeforeTheRunAreNotPartOfIt) {
  Trace trace;
  trace.end_ns = 100;
  trace.kernels = {kernel("a", 10, 10)};
  trace.blocks = {block(12, -500, 77), block(15, 8, 5)};
  const MemoryTrace found = attribute_blocks(trace);
  EXPECT_EQ(found.kernels[0].held, 8);
  EXPECT_EQ(found.peak, 8);
  EXPECT_EQ(found.left, 8);
}

TEST(MemoryTrace, NothingRan) {
  const MemoryTrace found = attribute_blocks(Trace{});
  EXPECT_TRUE(found.kernels.empty());
  EXPECT_EQ(found.peak, 0);
}

#if defined(__GLIBC__) && !defined(STRATA_SANITIZED)
// Blocks that are too small to be mapped individually, each followed by one that stays.
TEST(FreeMemory, GoesBackToTheSystem) {
  constexpr std::size_t kBlocks = 1000, kBytes = 100'000;
  const auto resident = [] {
    std::size_t pages = 0, held = 0;
    std::ifstream("/proc/self/statm") >> pages >> held;
    return held * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  };
  std::vector<std::string> stay(kBlocks);
  {
    std::vector<std::string> go(kBlocks);
    for (std::size_t i = 0; i < kBlocks; ++i) {
      go[i].assign(kBytes, 'x');
      stay[i].assign(100, 'x');
    }
  }
  const std::size_t before = resident();
  give_back_free_memory();
  EXPECT_LT(resident() + kBlocks * kBytes / 2, before);
}
#endif

}  // namespace
}  // namespace strata
