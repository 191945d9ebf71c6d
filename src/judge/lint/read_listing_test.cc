#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lint/readers.h"

namespace strata::lint {
namespace {

using ::testing::ElementsAre;

constexpr const char* kPage =
    "--------\n---- payload ----\n--------\n"
    "body_out([x])[0] :: torch.Size([1, 2, 4, 4]) 0.000128 Mb\n"
    "body_out([x])[1] :: torch.Size([1, 2, 2, 2]) 3.2e-05 Mb\n"
    "body_out([x]) :: 160\n"
    "inner_in :: torch.Size([1, 2, 4, 4]) 0.000128 Mb\n"
    "inner_out :: torch.Size([1, 8, 4, 4]) 0.000512 Mb\n"
    "---- cpu ----\nAverage Time of Each Layer\nfpn :: 0.5\nfpn_inner :: 0.25\n"
    "mem_cpu | Average Mem Consumption of Each Layer\nfpn :: 2.0\nfpn_inner :: 1.5\n";

TEST(ReadListing, SectionsAreTables) {
  ASSERT_TRUE(looks_like_listing(kPage));
  const auto claims = read_listing(kPage);
  ASSERT_TRUE(claims) << claims.error().message;
  ASSERT_EQ(claims->tables.size(), 2u);
  const ClaimTable& payload = claims->tables[0];
  EXPECT_EQ(payload.title, "payload");
  ASSERT_EQ(payload.rows.size(), 5u);
  EXPECT_TRUE(payload.rows[2].is_sum);
  EXPECT_EQ(payload.rows[0].parent, 2u);
  EXPECT_THAT(payload.rows[2].outputs, ElementsAre(ClaimShape{1, 2, 4, 4}, ClaimShape{1, 2, 2, 2}));
  EXPECT_EQ(payload.rows[2].numbers[0]->value, 160);

  const ClaimTable& cpu = claims->tables[1];
  ASSERT_EQ(cpu.columns.size(), 2u);
  EXPECT_EQ(cpu.columns[0].statistic, Statistic::Mean);
  EXPECT_EQ(cpu.columns[1].title, "mem_cpu");
  EXPECT_EQ(cpu.rows[1].parent, 0u);
  EXPECT_EQ(cpu.rows[1].numbers[0]->value, 0.25);
  EXPECT_EQ(cpu.rows[1].numbers[1]->value, 1.5 * 1048576);
  EXPECT_THAT(cpu.rows[1].inputs, ElementsAre(ClaimShape{1, 2, 4, 4}));
  EXPECT_THAT(cpu.rows[1].outputs, ElementsAre(ClaimShape{1, 8, 4, 4}));
}

TEST(ReadListing, BrokenPagesAreSentences) {
  EXPECT_FALSE(looks_like_listing("a :: 1\n"));
  EXPECT_FALSE(read_listing("--- cpu ---\nAverage Time\n"));
  EXPECT_TRUE(read_listing("a :: torch.Size([1\nb :: x\nc :: 1\n"));
}

}  // namespace
}  // namespace strata::lint
