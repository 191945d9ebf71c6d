#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lint/readers.h"

namespace strata::lint {
namespace {

using ::testing::ElementsAre;

// The second row is shifted by the comma in its parameters.
constexpr const char* kPage =
    "          module name  input shape output shape    params memory(MB)      MAdd  duration[%]\n"
    "0       encoder.conv1  4 1024 1024   64 512 512   12608.0      64.00   1,000.0        9.78%\n"
    "10       encoder.relu   64 512 512   64 512 512    1,000.0      64.00      16.0        0.40%\n"
    "total                                            13,608.0     128.00   1,016.0       10.18%\n"
    "===============================\n"
    "Total params: 13,608\n";

TEST(ReadTorchstat, RowsAndTotal) {
  ASSERT_TRUE(looks_like_torchstat(kPage));
  const auto claims = read_torchstat(kPage);
  ASSERT_TRUE(claims) << claims.error().message;
  const ClaimTable& table = claims->tables.at(0);
  ASSERT_EQ(table.rows.size(), 2u);
  EXPECT_EQ(table.rows[0].name, "encoder.conv1");
  EXPECT_EQ(table.rows[1].name, "encoder.relu");
  EXPECT_THAT(table.rows[1].outputs, ElementsAre(ClaimShape{64, 512, 512}));
  EXPECT_EQ(table.at(table.rows[1], table.find_typical(Meaning::Parameters))->value, 1000);
  EXPECT_THAT(table.rows[0].inputs, ElementsAre(ClaimShape{4, 1024, 1024}));
  EXPECT_THAT(table.rows[0].outputs, ElementsAre(ClaimShape{64, 512, 512}));
  EXPECT_EQ(table.at(table.rows[0], table.find_typical(Meaning::Parameters))->value, 12608);
  EXPECT_EQ(table.at(table.rows[0], table.find_typical(Meaning::TensorBytes))->value, 64 << 20);
  EXPECT_EQ(table.at(table.rows[1], table.find_typical(Meaning::SecondsShare))->value, 0.4);
  ASSERT_EQ(table.totals.size(), 1u);
  EXPECT_EQ(table.at(table.totals[0], table.find_typical(Meaning::Macs))->value, 1016);
}

TEST(ReadTorchstat, BrokenPagesAreSentences) {
  EXPECT_FALSE(read_torchstat("module name MAdd\n\n"));
  EXPECT_FALSE(read_torchstat("module name input shape output shape MAdd\n\n"));
  EXPECT_FALSE(read_torchstat("module name input shape output shape MAdd\n1\n=\n"));
  EXPECT_FALSE(looks_like_torchstat("name, flops\n"));
}

}  // namespace
}  // namespace strata::lint
