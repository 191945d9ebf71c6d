#include <gtest/gtest.h>

#include "lint/checks.h"
#include "lint/test_claims.h"

namespace strata::lint {
namespace {

const ClaimColumn kRate{.title = "fps", .meaning = Meaning::FramesPerSecond};
const ClaimColumn kBatch{.title = "batch", .meaning = Meaning::Batch};

TEST(CheckBatch, AProductThatIsNoWholeNumber) {
  const auto findings =
      found_by(check_batch,
               test_claims(test_table({kRate, kSeconds}, {{"a", {20, 0.05}}, {"b", {20, 0.07}}})));
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].row, "b");
  // 20 · 0.07 = 1.4
  EXPECT_EQ(findings[0].evidence, "\"fps\" times \"Time\" is 1.4 frames at a time, and not 1");
}

TEST(CheckBatch, AColumnSaysTheBatch) {
  EXPECT_EQ(found_by(check_batch,
                     test_claims(test_table({kRate, kSeconds, kBatch}, {{"a", {20, 0.1, 4}}})))
                .size(),
            1u);
  EXPECT_TRUE(found_by(check_batch,
                       test_claims(test_table({kRate, kSeconds, kBatch}, {{"a", {20, 0.2, 4}}})))
                  .empty());
}

}  // namespace
}  // namespace strata::lint
