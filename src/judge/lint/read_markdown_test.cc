#include <gtest/gtest.h>

#include "lint/readers.h"

namespace strata::lint {
namespace {

TEST(ReadMarkdown, TablesAreFoundInAPage) {
  const char* page =
      "# A page\n\nname | flops\n---|---\na \\| b | 3\nc | 4\n\nText | more\n\n"
      "| Model | Latency (ms) | FLOPS |\n|:--|--:|--:|\n| x | 51.28 | 13.95G |\n";
  ASSERT_TRUE(looks_like_markdown(page));
  const auto claims = read_markdown(page);
  ASSERT_TRUE(claims) << claims.error().message;
  ASSERT_EQ(claims->tables.size(), 2u);
  ASSERT_EQ(claims->tables[0].rows.size(), 2u);
  EXPECT_EQ(claims->tables[0].rows[0].name, "a | b");
  const ClaimTable& models = claims->tables[1];
  EXPECT_DOUBLE_EQ(models.at(models.rows[0], models.find_typical(Meaning::Seconds))->value,
                   51.28e-3);
  EXPECT_DOUBLE_EQ(models.at(models.rows[0], models.find_typical(Meaning::FlopsPerSecond))->value,
                   13.95e9);
}

TEST(ReadMarkdown, APageWithoutATableIsASentence) {
  EXPECT_FALSE(looks_like_markdown("a | b\nc | d\n"));
  EXPECT_FALSE(read_markdown("---|---\n"));
}

}  // namespace
}  // namespace strata::lint
