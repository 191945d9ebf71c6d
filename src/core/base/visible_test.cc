#include "base/visible.h"

#include <gtest/gtest.h>

#include "base/in_quotes.h"

namespace strata {
namespace {

TEST(Visible, OrdinaryTextStaysAsItIs) {
  EXPECT_EQ(visible("features.0/Conv_1 \\ \"a\""), "features.0/Conv_1 \\ \"a\"");
  EXPECT_EQ(visible("größe 1×3 — 名前 😀"), "größe 1×3 — 名前 😀");
  EXPECT_EQ(visible(""), "");
}

TEST(Visible, ControlCharactersAreWrittenOut) {
  EXPECT_EQ(visible("a\x1b]0;t\x07z"), "a\\x1b]0;t\\x07z");
  EXPECT_EQ(visible("a\nTotal\r\x7f\t"), "a\\x0aTotal\\x0d\\x7f\\x09");
  EXPECT_EQ(visible(std::string_view("a\0b", 3)), "a\\x00b");
  EXPECT_EQ(visible("\xc2\x9b[31m"), "\\u009b[31m");  // CSI as one character
}

TEST(Visible, SoIsWhatDeceivesTheEye) {
  EXPECT_EQ(visible("a\xe2\x80\xae"
                    "b"),
            "a\\u202eb");                                              // right-to-left override
  EXPECT_EQ(visible("a\xe2\x80\x8b\xef\xbb\xbf"), "a\\u200b\\ufeff");  // no width
  EXPECT_EQ(visible("\xe2\x80\xa8"), "\\u2028");                       // line separator
  EXPECT_EQ(visible("\xf3\xa0\x81\x81"), "\\ue0041");                  // tag
}

// The cases of the Unicode standard's table of well-formed sequences (D92).
TEST(Visible, BytesThatAreNotUtf8AreWrittenOut) {
  EXPECT_EQ(visible("b\xff\xfe\xc0\x80"), "b\\xff\\xfe\\xc0\\x80");
  EXPECT_EQ(visible("\xe0\x80\xaf"), "\\xe0\\x80\\xaf");           // overlong
  EXPECT_EQ(visible("\xed\xa0\x80"), "\\xed\\xa0\\x80");           // a surrogate
  EXPECT_EQ(visible("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80");  // above U+10FFFF
  EXPECT_EQ(visible("\xe2\x80"), "\\xe2\\x80");                    // cut off
  EXPECT_EQ(visible("\xf4\x8f\xbf\xbf"), "\xf4\x8f\xbf\xbf");      // U+10FFFF
}

TEST(Visible, LinesStayLines) {
  EXPECT_EQ(visible_lines("a\n\x1b[1mb\r\n"), "a\n\\x1b[1mb\\x0d\n");
}

TEST(InQuotes, ShowsTheSame) {
  EXPECT_EQ(in_quotes("a\x1b\"\\\n"), "\"a\\x1b\\x22\\x5c\\x0a\"");
  EXPECT_EQ(in_quotes("\xc2\x9b\xff"), "\"\\u009b\\xff\"");
  // At most 100 bytes, and no half of a character.
  EXPECT_EQ(in_quotes(std::string(99, 'a') + "ééé"), "\"" + std::string(99, 'a') + "…\"");
}

}  // namespace
}  // namespace strata
