#include "strata/base/text_map.h"

#include <algorithm>
#include <cstring>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace strata {
namespace {

// Names with one std::hash: libstdc++ uses MurmurHash64A with a known seed, each step of which can
// be undone. The last eight bytes are what takes the state after the first sixteen to a chosen one.
std::vector<std::string> colliding_names(std::size_t count) {
  constexpr std::uint64_t kMul = 0xc6a4a7935bd1e995u, kSeed = 0xc70f6907u;
  std::uint64_t inverse = kMul;
  for (int i = 0; i < 6; ++i) inverse *= 2 - kMul * inverse;
  const auto mixed = [](std::uint64_t word) { return word ^ (word >> 47); };  // its own inverse
  std::vector<std::string> names;
  for (std::size_t n = 0; n < count; ++n) {
    std::string name(24, 'a');
    std::uint64_t number = n, state = kSeed ^ (name.size() * kMul);
    for (std::size_t i = 0; i < 16; ++i, number /= 16)
      name[i] = static_cast<char>('a' + number % 16);
    for (std::size_t i = 0; i < 16; i += 8) {
      std::uint64_t word = 0;
      std::memcpy(&word, name.data() + i, sizeof word);
      state = (state ^ (mixed(word * kMul) * kMul)) * kMul;
    }
    constexpr std::uint64_t kWanted = 0x1234567812345678u;
    const std::uint64_t last = mixed((kWanted * inverse ^ state) * inverse) * inverse;
    std::memcpy(name.data() + 16, &last, sizeof last);
    names.push_back(std::move(name));
  }
  return names;
}

TEST(TextMap, ForgedNamesDoNotCollide) {
  const auto names = colliding_names(10'000);
  std::set<std::size_t> known, ours;
  for (const std::string& name : names) {
    known.insert(std::hash<std::string>()(name));
    ours.insert(TextHash()(name));
  }
#ifdef __GLIBCXX__
  EXPECT_EQ(known.size(), 1u);  // they are forged
#endif
  EXPECT_EQ(ours.size(), names.size());
  const TextSet<std::string> table(names.begin(), names.end());
  std::size_t fullest = 0;
  for (std::size_t i = 0; i < table.bucket_count(); ++i)
    fullest = std::max(fullest, table.bucket_size(i));
  EXPECT_LE(fullest, 20u);  // of 10,000 at random, more than 8 in one place is most unlikely
}

// std::hash of a number is the number: multiples of the number of buckets share one.
TEST(TextMap, NorDoForgedNumbers) {
  NumberMap<int> table;
  table.reserve(10'000);
  const std::uint64_t step = table.bucket_count();
  for (std::uint64_t i = 0; i < 10'000; ++i) table[i * step] = 1;
  ASSERT_EQ(table.bucket_count(), step);
  std::size_t fullest = 0;
  for (std::size_t i = 0; i < table.bucket_count(); ++i)
    fullest = std::max(fullest, table.bucket_size(i));
  EXPECT_LE(fullest, 20u);
}

TEST(TextMap, TextsAreFoundByViews) {
  TextMap<std::string, int> table;
  table.emplace("conv", 1);
  EXPECT_EQ(table.find(std::string_view("convolution").substr(0, 4))->second, 1);
  EXPECT_EQ(table.find(std::string_view("relu")), table.end());
}

}  // namespace
}  // namespace strata
