#include <gtest/gtest.h>

#include "lint/readers.h"

namespace strata::lint {
namespace {

TEST(ReadCsv, QuotedCellsMayHoldCommas) {
  const char* file =
      "index,name,type,in_shape,params\n0,conv1,Conv2d,\"(1, 3, 8, 8)\",864\n"
      "1,\"a \"\"b\"\"\",ReLU,\"(1, 3, 8, 8)\",0\n";
  ASSERT_TRUE(looks_like_csv(file));
  const auto claims = read_csv(file);
  ASSERT_TRUE(claims) << claims.error().message;
  const ClaimTable& table = claims->tables.at(0);
  ASSERT_EQ(table.rows.size(), 2u);
  EXPECT_EQ(table.rows[0].name, "conv1");
  EXPECT_EQ(table.rows[1].name, "a \"b\"");
  EXPECT_EQ(table.rows[0].inputs.at(0), (ClaimShape{1, 3, 8, 8}));
}

TEST(ReadCsv, OtherFilesAreSentences) {
  EXPECT_FALSE(looks_like_csv("no table"));
  EXPECT_FALSE(looks_like_csv(std::string_view("a,b\0c", 5)));
  const auto claims = read_csv("a,b\n1,2\n");
  ASSERT_FALSE(claims);
  EXPECT_EQ(claims.error().message,
            "no column has a heading that is known, such as FLOPs or Latency (ms)");
}

}  // namespace
}  // namespace strata::lint
