#include "strata/base/shared.h"

#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace strata {

namespace {

using Text = Shared<std::string>;

TEST(Shared, OfNothingIsTheDefault) {
  const Text text;
  EXPECT_EQ(*text, "");
  EXPECT_TRUE(text->empty());
}

TEST(Shared, CopiesShareUntilOneIsChanged) {
  Text a(std::string("conv"));
  Text b = a;
  EXPECT_TRUE(is_same(a, b));
  EXPECT_EQ(&*a, &*b);
  b.edit() += "1";
  EXPECT_FALSE(is_same(a, b));
  EXPECT_EQ(*a, "conv");
  EXPECT_EQ(*b, "conv1");
}

TEST(Shared, AnOnlyHolderChangesItInPlace) {
  Text a(std::string("conv"));
  const std::string* const place = &*a;
  a.edit() += "1";
  EXPECT_EQ(&*a, place);
  { const Text b = a; }
  a.edit() += "2";
  EXPECT_EQ(&*a, place);
  EXPECT_EQ(*a, "conv12");
}

TEST(Shared, ADefaultCanBeChanged) {
  Text a, b = a;
  a.edit() = "conv";
  EXPECT_EQ(*b, "");
}

TEST(Shared, CanBeAssignedToItselfAndMoved) {
  Text a(std::string("conv"));
  const Text& same = a;
  a = same;
  EXPECT_EQ(*a, "conv");
  Text b = std::move(a);
  EXPECT_EQ(*b, "conv");
  a = std::string("linear");
  EXPECT_EQ(*a, "linear");
}

TEST(Shared, IsHeldByThreads) {
  const Text text(std::string("conv"));
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([text] {
      for (int j = 0; j < 1000; ++j) {
        Text copy = text;
        copy.edit() += "1";
        ASSERT_EQ(*copy, "conv1");
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(*text, "conv");
}

}  // namespace

}  // namespace strata
