#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lint/checks.h"
#include "lint/test_claims.h"

namespace strata::lint {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::vector<Finding> found_in(const char* markdown) {
  const auto claims = claims_from_text(markdown, "x.md");
  EXPECT_TRUE(claims) << claims.error().message;
  return claims ? found_by(check_tables, *claims) : std::vector<Finding>{};
}

// 627.69 / 327.14 = 1.919; ResNet-18's numbers are rounded values of one another.
TEST(CheckTables, TheSameNetworkWithOtherFigures) {
  const auto findings = found_in(R"(# Ours
| Model | Params | FLOPs |
|---|---|---|
| mobilenet_v2 | 3.5M | 327.14M |
| resnet18 | 11.69M | 3.64G |

# Theirs
| Network | FLOPs | Latency (ms) |
|---|---|---|
| MobileNetV2 | 627.69M | 5 |
| ResNet-18 | 3.638G | 7 |
)");
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_THAT(findings[0].rows, ElementsAre("mobilenet_v2"));
  EXPECT_EQ(findings[0].evidence,
            "\"FLOPs\" is 327.1 M in the table at line 2, and \"FLOPs\" is 627.7 M in the table at "
            "line 8: 1.92 times as much in one of them");
  EXPECT_EQ(findings[0].meaning,
            "the smaller counts a multiply-add as one operation, the larger as two");
}

// Two layers of 300 and 200 are 500, and not 250; their parameters are 3 as in the other table.
TEST(CheckTables, TheSumOfLayersUnderAHeading) {
  const auto findings = found_in(R"(| Model | Params | FLOPs |
|---|---|---|
| Wide Net-2 | 3 | 250 |
| Net-2 | 7 | 9 |

## Layers of Wide Net-2 (8x8)
| name | type | params | flops |
|---|---|---|---|
| a | Conv2d | 1 | 300 |
| b | Conv2d | 2 | 200 |
)");
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].row, "Wide Net-2");
  EXPECT_THAT(findings[0].evidence, HasSubstr("\"FLOPs\" is 250 in the table at line 1"));
  EXPECT_THAT(findings[0].evidence, HasSubstr("500, the sum of 2 rows, in the table at line 7"));
  EXPECT_THAT(findings[0].evidence, HasSubstr("2.00 times"));
}

TEST(CheckTables, OtherFactorsAreNoConvention) {
  const auto findings = found_in(R"(| Model | MACs | Params |
|---|---|---|
| a | 300 | 20 |

| Model | Params | MACs |
|---|---|---|
| a | 30 | 400 |
)");
  ASSERT_EQ(findings.size(), 2u);
  EXPECT_THAT(findings[0].meaning, HasSubstr("other tensors"));
  EXPECT_THAT(findings[1].meaning, HasSubstr("different operators"));
}

TEST(CheckTables, OtherInputsBatchesPrecisionsAndCountersMayDiffer) {
  EXPECT_THAT(found_in(R"(| Model | Resolution | FLOPs |
|---|---|---|
| a | 224 | 300 |

# At 160x160
| Model | FLOPs |
|---|---|
| a | 150 |
)"),
              IsEmpty());
  EXPECT_THAT(found_in(R"(| Model | Batch | FLOPs |
|---|---|---|
| a | 8 | 2400 |

| Model | FLOPs |
|---|---|
| a | 300 |
)"),
              IsEmpty());
  EXPECT_THAT(found_in(R"(| Model | Variant | FLOPs |
|---|---|---|
| a | small | 300 |

| Model | Variant | Latency (ms) | FLOPs |
|---|---|---|---|
| a | large | 3 | 600 |
)"),
              IsEmpty());
  EXPECT_THAT(found_in(R"(| Model | Tool | FLOPs |
|---|---|---|
| a | one | 300 |

| Model | FLOPs |
|---|---|
| a | 600 |
)"),
              IsEmpty());
}

// Layers of two networks may have the same names.
TEST(CheckTables, LayersAreNoNetworks) {
  EXPECT_THAT(found_in(R"(| layer | FLOPs |
|---|---|
| conv1 | 300 |

| layer | FLOPs |
|---|---|
| conv1 | 600 |
)"),
              IsEmpty());
}

}  // namespace
}  // namespace strata::lint
