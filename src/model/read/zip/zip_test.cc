#include "read/zip/zip.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "read/zip/test_zip.h"

namespace strata::unzip {
namespace {

using test::zipped;
using testing::HasSubstr;

std::string problem_of(std::string_view bytes) {
  const auto entries = zip_entries(bytes);
  return entries ? "" : entries.error().message;
}

TEST(Zip, EntriesAreWhereTheDirectorySays) {
  for (const bool wide : {false, true}) {
    const std::string archive =
        zipped({{"a/one", "first"}, {"a/two", "", false}, {"b", "last"}}, wide);
    const auto entries = zip_entries(archive);
    ASSERT_TRUE(entries) << entries.error().message;
    ASSERT_EQ(entries->size(), 3u);
    EXPECT_EQ((*entries)[0].name, "a/one");
    EXPECT_EQ(packed_bytes(archive, (*entries)[0]).value(), "first");
    EXPECT_EQ(packed_bytes(archive, (*entries)[1]).value(), "");
    EXPECT_EQ(packed_bytes(archive, (*entries)[2]).value(), "last");
    EXPECT_EQ(first_zip_name(archive), "a/one");
  }
}

TEST(Zip, ACommentMayFollow) {
  std::string archive = zipped({{"x", "y"}});
  archive[archive.size() - 2] = 5;
  archive += "hello";
  EXPECT_EQ(zip_entries(archive).value().size(), 1u);
}

TEST(Zip, Unpacks) {
  const std::string text(200'000, 'x');
  const std::string archive = zipped({{"t", text, true}});
  const auto entry = zip_entries(archive).value()[0];
  EXPECT_EQ(entry.method, 8);
  EXPECT_EQ(inflate(packed_bytes(archive, entry).value(), entry.size).value(), text);
}

TEST(Zip, UnpacksWhatZlibWrote) {
  // zlib.compress(b'a' * 100, wbits=-15) of Python.
  const std::string packed("\x4b\x4c\xa4\x3d\x00\x00", 6);
  EXPECT_EQ(inflate(packed, 100).value(), std::string(100, 'a'));
  EXPECT_THAT(inflate(packed, 99).error().message, HasSubstr("more bytes than it should"));
  EXPECT_THAT(inflate(packed, 101).error().message, HasSubstr("end too early"));
  EXPECT_THAT(inflate(packed, 1'000'000).error().message, HasSubstr("than it can be"));
  EXPECT_THAT(inflate("\xff\xff\xff\xff", 10).error().message, HasSubstr("damaged"));
}

TEST(Zip, EveryCutIsFound) {
  const std::string archive = zipped({{"a/one", "first"}, {"b", "last"}}, true);
  for (std::size_t size = 0; size < archive.size(); ++size)
    EXPECT_NE(problem_of(std::string_view(archive).substr(0, size)), "") << size;
}

TEST(Zip, SizesThatLie) {
  std::string archive = zipped({{"one", "first"}});
  const std::size_t end = archive.size() - 22;
  const auto with = [&](std::size_t at, std::string_view bytes) {
    std::string changed = archive;
    changed.replace(at, bytes.size(), bytes);
    return changed;
  };
  EXPECT_THAT(problem_of(with(end + 16, "\xff\xff\xff\x7f")), HasSubstr("larger than the file"));
  EXPECT_THAT(problem_of(with(end + 10, "\xff\x7f")), HasSubstr("more entries than fit"));
  EXPECT_THAT(problem_of(with(end - 49, "XX")), HasSubstr("entry 0"));
  // The length of the name, and the size of the packed bytes.
  EXPECT_THAT(problem_of(with(end - 49 + 28, "\xff\xff")), HasSubstr("entry 0"));
  const std::string larger = with(end - 49 + 20, "\xff\xff\xff\x7f");
  EXPECT_THAT(packed_bytes(larger, zip_entries(larger).value()[0]).error().message,
              HasSubstr("damaged or cut off"));
  const std::string elsewhere = with(end - 49 + 42, "\x01");
  EXPECT_THAT(packed_bytes(elsewhere, zip_entries(elsewhere).value()[0]).error().message,
              HasSubstr("damaged or cut off"));
  const std::string secret = with(end - 49 + 8, "\x01");
  EXPECT_THAT(packed_bytes(secret, zip_entries(secret).value()[0]).error().message,
              HasSubstr("encrypted"));
}

}  // namespace
}  // namespace strata::unzip
