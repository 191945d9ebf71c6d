#include "base/hash.h"

#include <gtest/gtest.h>

#include <set>

namespace strata {
namespace {

template <class... Parts>
std::string hash_of(Parts... parts) {
  Hash hash;
  (hash.add(parts), ...);
  return hash.text();
}

TEST(Hash, IsFnv1a) {
  EXPECT_EQ(Hash().text(), "cbf29ce484222325");
  // The mark alone: (0xcbf29ce484222325 ^ 0xff) · 0x100000001b3 modulo 2^64.
  EXPECT_EQ(hash_of(std::string_view()), "af64724c8602eb6e");
}

TEST(Hash, WordsHaveEnds) {
  EXPECT_NE(hash_of(std::string_view("ab"), std::string_view("c")),
            hash_of(std::string_view("a"), std::string_view("bc")));
}

TEST(Hash, EveryByteCounts) {
  std::set<std::string> seen;
  for (std::size_t at = 0; at < 19; ++at) {
    std::string bytes(19, 'x');
    bytes[at] = 'y';
    Hash hash;
    hash.add_words(bytes);
    EXPECT_TRUE(seen.insert(hash.text()).second) << at;
  }
  EXPECT_NE(hash_of(std::int64_t{1}), hash_of(std::int64_t{1} << 56));
}

}  // namespace
}  // namespace strata
