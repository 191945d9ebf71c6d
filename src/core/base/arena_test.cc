#include "strata/base/arena.h"

#include <cstdint>
#include <cstring>
#include <vector>

#include <gtest/gtest.h>

namespace strata {
namespace {

TEST(Arena, PiecesAreAlignedAndApart) {
  Arena arena;
  struct Piece {
    unsigned char* start;
    std::size_t bytes;
  };
  std::vector<Piece> pieces;
  for (std::size_t i = 1; i < 3000; ++i) {
    const std::size_t alignment = std::size_t{1} << (i % 5);
    const std::size_t bytes = i % 7 == 0 ? i * 40 : i % 50 + 1;  // also larger than a block
    auto* start = static_cast<unsigned char*>(arena.allocate(bytes, alignment));
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(start) % alignment, 0u);
    std::memset(start, static_cast<int>(i % 251), bytes);
    pieces.push_back({start, bytes});
  }
  // Whoever overlapped another would have overwritten its bytes.
  for (std::size_t i = 1; i < 3000; ++i)
    for (std::size_t at = 0; at < pieces[i - 1].bytes; ++at)
      ASSERT_EQ(pieces[i - 1].start[at], i % 251) << "piece " << i;
}

TEST(Arena, WhatWasHandedOutStaysWhenItMoves) {
  Arena arena;
  auto* word = static_cast<char*>(arena.allocate(6, 1));
  std::memcpy(word, "first", 6);
  Arena moved = std::move(arena);
  auto* more = static_cast<char*>(moved.allocate(6, 1));
  std::memcpy(more, "other", 6);
  EXPECT_STREQ(word, "first");
}

TEST(Arena, ALargePieceDoesNotEndTheBlockInUse) {
  Arena arena;
  auto* first = static_cast<char*>(arena.allocate(8, 8));
  arena.allocate(std::size_t{4} << 20, 8);
  auto* second = static_cast<char*>(arena.allocate(8, 8));
  EXPECT_EQ(second, first + 8);
}

}  // namespace
}  // namespace strata
