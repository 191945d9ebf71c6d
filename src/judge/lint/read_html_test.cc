#include <gtest/gtest.h>

#include "lint/readers.h"

namespace strata::lint {
namespace {

TEST(ReadHtml, CellsAreTextWithoutTags) {
  const char* page =
      "<table border=\"1\"><thead><TR><th style=\"x\">Model</th><th>Mean(ms)</th></TR></thead>\n"
      "<tbody><tr><td><b>A&lt;1&gt;</b></td><td>2.5</td></tr><tr><td>B</td><td>3.5</td></tr>";
  ASSERT_TRUE(looks_like_html(page));
  const auto claims = read_html(page);
  ASSERT_TRUE(claims) << claims.error().message;
  const ClaimTable& table = claims->tables.at(0);
  ASSERT_EQ(table.rows.size(), 2u);
  EXPECT_EQ(table.rows[0].name, "A<1>");
  EXPECT_DOUBLE_EQ(table.rows[1].numbers[0]->value, 3.5e-3);
}

TEST(ReadHtml, BrokenPagesAreSentences) {
  for (const char* page : {"<table", "<table><tr><td>", "<td>1</td><table></table>", "<table><tr>"})
    EXPECT_FALSE(read_html(page)) << page;
  EXPECT_FALSE(looks_like_html("a table"));
}

}  // namespace
}  // namespace strata::lint
