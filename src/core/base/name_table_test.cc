#include "base/name_table.h"

#include <string>

#include <gtest/gtest.h>

namespace strata {
namespace {

TEST(NameTable, FindsWhatWasInserted) {
  NameTable table;
  EXPECT_EQ(table.find("x"), nullptr);
  EXPECT_TRUE(table.insert("x", 7).is_new);
  auto again = table.insert("x", 8);
  EXPECT_FALSE(again.is_new);
  EXPECT_EQ(again.value, 7u);
  ASSERT_NE(table.find("x"), nullptr);
  EXPECT_EQ(*table.find("x"), 7u);
  EXPECT_EQ(table.find("y"), nullptr);
  EXPECT_EQ(table.size(), 1u);
}

TEST(NameTable, TheEmptyNameIsAName) {
  NameTable table;
  EXPECT_TRUE(table.insert(std::string_view(), 1).is_new);
  EXPECT_FALSE(table.insert("", 2).is_new);
  EXPECT_EQ(*table.find(""), 1u);
}

TEST(NameTable, KeepsEverythingAsItGrows) {
  std::vector<std::string> names;
  names.reserve(10000);
  for (int i = 0; i < 10000; ++i)
    names.push_back(std::string(static_cast<std::size_t>(i % 40), 'n') + std::to_string(i));
  NameTable table;
  for (std::uint32_t i = 0; i < names.size(); ++i) ASSERT_TRUE(table.insert(names[i], i).is_new);
  for (std::uint32_t i = 0; i < names.size(); ++i) ASSERT_EQ(*table.find(names[i]), i);
}

TEST(NameTable, NamesAreNumberedInTheOrderInWhichTheyWereAdded) {
  NameTable table;
  EXPECT_FALSE(table.is_name(0, "a"));
  EXPECT_EQ(table.insert("a", 10).number, 0u);
  EXPECT_EQ(table.insert("bc", 20).number, 1u);
  EXPECT_EQ(table.insert("a", 30).number, 0u);
  EXPECT_EQ(table.value(0), 10u);
  EXPECT_EQ(table.value(1), 20u);
  EXPECT_TRUE(table.is_name(0, "a"));
  EXPECT_TRUE(table.is_name(1, "bc"));
  EXPECT_FALSE(table.is_name(1, "bd"));
  EXPECT_FALSE(table.is_name(1, "b"));
  EXPECT_FALSE(table.is_name(2, "a"));
}

TEST(NameTable, SaysWhichTextItRefersTo) {
  const std::string kept = "name";
  const std::string same = "name";
  NameTable table;
  EXPECT_TRUE(table.kept_name("name").empty());
  table.insert(kept, 0);
  EXPECT_EQ(table.kept_name(same).data(), kept.data());
  EXPECT_TRUE(table.kept_name("other").empty());
}

TEST(NameTable, EveryByteOfANameCounts) {
  const HashSeed seed = process_seed();
  const std::string name(40, 'a');
  for (std::size_t i = 0; i < name.size(); ++i) {
    std::string other = name;
    other[i] = 'b';
    EXPECT_NE(hash_bytes(other, seed), hash_bytes(name, seed)) << i;
  }
  EXPECT_NE(hash_bytes("ab", seed), hash_bytes(std::string_view("ab\0", 3), seed));
}

// The random weights of networks depend on these.
TEST(NameTable, HashesOfAFixedSeedStayWhatTheyAre) {
  const HashSeed seed{1, 2};
  const std::string name = "features.18.1.running_mean";
  std::uint64_t all = 0;
  for (std::size_t size = 0; size <= name.size(); ++size)
    all = all * 31 + hash_bytes(std::string_view(name).substr(0, size), seed);
  EXPECT_EQ(all, 0x48719545d97504b7u);
}

}  // namespace
}  // namespace strata
