#include "base/given_files.h"

#include <string>
#include <thread>

#include <gtest/gtest.h>

namespace strata {
namespace {

TEST(GivenFiles, AreFoundByNameInTheirThread) {
  std::string bytes = "some bytes";
  GivenFiles files;
  ASSERT_TRUE(files.add("a", bytes));
  ASSERT_TRUE(files.add("empty", ""));
  bytes = "other bytes";  // what was given is a copy
  const auto file = MappedFile::open("memory:a");
  ASSERT_TRUE(file) << file.error().message;
  EXPECT_EQ((*file)->bytes(), "some bytes");
  EXPECT_EQ((*MappedFile::open("memory:empty"))->bytes(), "");
  EXPECT_EQ(MappedFile::open("memory:b").error().message, "b: no file of this name was given");
  std::thread([] { EXPECT_FALSE(MappedFile::open("memory:a")); }).join();
}

TEST(GivenFiles, AreLentToThreadsThatWorkForTheirs) {
  GivenFiles files;
  ASSERT_TRUE(files.add("a", "one"));
  GivenFiles* own = GivenFiles::here();
  ASSERT_EQ(own, &files);
  std::thread([own] {
    EXPECT_EQ(GivenFiles::here(), nullptr);
    {
      const GivenFiles::InThread scope(own);
      const auto found = GivenFiles::find("memory:a");
      ASSERT_TRUE(found) << found.error().message;
      EXPECT_EQ((*found)->bytes(), "one");
    }
    EXPECT_FALSE(GivenFiles::find("memory:a"));
  }).join();
}

TEST(GivenFiles, LastAsLongAsTheyAreUsed) {
  std::shared_ptr<const MappedFile> kept;
  {
    GivenFiles files;
    ASSERT_TRUE(files.add("a", "bytes"));
    kept = *MappedFile::open("memory:a");
  }
  EXPECT_FALSE(MappedFile::open("memory:a"));
  EXPECT_EQ(kept->bytes(), "bytes");
}

TEST(GivenFiles, KeepTheirBytesWhenPagesAreForgotten) {
  const std::string bytes(1 << 20, 'x');
  GivenFiles files;
  ASSERT_TRUE(files.add("a", bytes));
  const auto file = *MappedFile::open("memory:a");
  MappedFile::forget(file->bytes());
  EXPECT_EQ(file->bytes(), bytes);
}

TEST(GivenFiles, BorrowedBytesAreTheCallersOwn) {
  const std::string bytes(1 << 20, 'x');
  const std::string before(1 << 20, 'x');
  GivenFiles files;
  files.borrow("a", bytes);
  const auto file = *MappedFile::open("memory:a");
  EXPECT_EQ(file->bytes().data(), bytes.data());
  MappedFile::forget(file->bytes().substr(5000, 900'000));
  EXPECT_EQ(bytes, before);
}

TEST(GivenFiles, ANestedSetTakesTheirPlace) {
  GivenFiles outer;
  ASSERT_TRUE(outer.add("a", "outer"));
  {
    GivenFiles inner;
    EXPECT_FALSE(MappedFile::open("memory:a"));
    ASSERT_TRUE(inner.add("a", "inner"));
    EXPECT_EQ((*MappedFile::open("memory:a"))->bytes(), "inner");
  }
  EXPECT_EQ((*MappedFile::open("memory:a"))->bytes(), "outer");
}

}  // namespace
}  // namespace strata
