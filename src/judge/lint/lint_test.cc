#include "strata/lint/lint.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "strata/document/render.h"

namespace strata::lint {
namespace {

using ::testing::HasSubstr;

TEST(Lint, ChecksHaveNamesOfTheirOwn) {
  std::set<std::string_view> names;
  for (const CheckRule& rule : checks()) EXPECT_TRUE(names.insert(rule.name).second) << rule.name;
}

TEST(Lint, AnUnknownFileIsOneSentence) {
  const auto claims = claims_from_text("no table at all", "notes.txt");
  ASSERT_FALSE(claims);
  EXPECT_THAT(claims.error().message,
              HasSubstr("notes.txt: it is none of what can be checked: profiles and benchmarks"));
  EXPECT_EQ(claims.error().code, Code::FormatUnknown);
}

TEST(Lint, AnErrorNamesTheFile) {
  const auto claims = claims_from_text("a,b\n1,2\n", "t.csv");
  ASSERT_FALSE(claims);
  EXPECT_EQ(claims.error().message,
            "t.csv: no column has a heading that is known, such as FLOPs or Latency (ms)");
}

TEST(Lint, TheVerdictIsFirst) {
  const auto good = claims_from_text("name,macs,flops\na,5,10\n", "t.csv");
  ASSERT_TRUE(good) << good.error().message;
  EXPECT_THAT(
      render_table(lint_document(*good, check(*good))),
      HasSubstr("No findings in t.csv (csv, 1 row): 16 checks found nothing in what it states.\n"));
  const auto bad = claims_from_text("name,macs,flops\n\"a\u202e\",10,5\n", "t.csv");
  ASSERT_TRUE(bad) << bad.error().message;
  const std::string page = render_table(lint_document(*bad, check(*bad)));
  EXPECT_TRUE(page.starts_with("1 finding in t.csv (csv, 1 row).\n")) << page;
  EXPECT_THAT(page, HasSubstr("macs_and_flops: a\\u202e\n"));
}

}  // namespace
}  // namespace strata::lint
