#include "read/zip_directory.h"

#include <gtest/gtest.h>

#include "read/weights/test_files.h"

namespace strata {
namespace {

using weights::test::zip;

TEST(ZipDirectory, FindsStoredEntries) {
  const std::string archive = zip({{"b/two", "22"}, {"a/one", "1"}});
  const auto read = ZipDirectory::read(archive);
  ASSERT_TRUE(read) << read.error().message;
  ASSERT_EQ(read->entries().size(), 2u);
  EXPECT_EQ(read->entries()[0].name, "a/one");
  ASSERT_NE(read->find("b/two"), nullptr);
  EXPECT_EQ(*read->content(*read->find("b/two")), "22");
  EXPECT_EQ(read->find("b"), nullptr);
}

TEST(ZipDirectory, ACommentMayFollow) {
  std::string archive = zip({{"a", "1"}});
  archive[archive.size() - 2] = 4;
  EXPECT_TRUE(ZipDirectory::read(archive + "text"));
}

std::string problem_of(const std::string& archive) {
  const auto read = ZipDirectory::read(archive);
  return read ? "no problem" : read.error().message;
}

TEST(ZipDirectory, MalformedArchivesGetASentence) {
  const std::string fine = zip({{"a", "1"}});
  EXPECT_EQ(problem_of(fine.substr(0, fine.size() - 1)),
            "the archive has no directory at its end, so it was cut off or not downloaded");
  EXPECT_EQ(problem_of(""),
            "the archive has no directory at its end, so it was cut off or not downloaded");
  std::string other = fine;
  other[fine.size() - 6] = '\x7f';  // where the directory begins
  EXPECT_EQ(problem_of(other), "the directory of the archive is said to lie outside of the file");
  other = fine;
  other[fine.size() - 12] = 9;  // entries
  EXPECT_EQ(problem_of(other),
            "its directory has no room for the 9 entries that it is said to have");
  EXPECT_EQ(problem_of(zip({{"a", "1"}}, 1000)),
            "its entry \"a\" is said to lie outside of the file");
  EXPECT_EQ(problem_of(zip({{"a", "1"}, {"a", "2"}})), "it has two entries \"a\"");
}

TEST(ZipDirectory, CompressedEntriesAreNotUnpacked) {
  std::string archive = zip({{"a", "1"}});
  archive[archive.find("PK\x01\x02") + 10] = 8;
  const auto read = ZipDirectory::read(archive);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->content(read->entries()[0]).error().message,
            "its entry \"a\" is compressed, which PyTorch does not do");
}

}  // namespace
}  // namespace strata
