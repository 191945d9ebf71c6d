#include "compare/prediction.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace strata::compare {
namespace {

using testing::HasSubstr;

constexpr std::string_view kOne = R"({"kind": "prediction", "tables": {
  "devices": {"rows": [{"device": "l4", "precision": "fp16", "latency": 0.5,
                        "latency_interval": [0.25, 0.75]}]},
  "kernels": {"rows": [{"layer": "a", "class": "conv", "time": 0.125, "macs": 8},
                       {"layer": "b", "class": "softmax", "time": 0.25, "macs": 0},
                       {"layer": "b", "class": "pointwise", "time": 0.0625, "macs": 0},
                       {"layer": "c", "class": "unknown", "time": null}]}}})";

TEST(ReadPrediction, HasARowForEachLayer) {
  const auto side = read_side(kOne, "one.json");
  ASSERT_TRUE(side) << side.error().message;
  EXPECT_EQ(side->kind, "prediction");
  const Figure& total = at(side->totals, Measure::Latency);
  EXPECT_EQ(total.number(), 0.5);
  ASSERT_TRUE(total.interval);
  EXPECT_EQ(total.interval->high, 0.75);
  ASSERT_EQ(side->rows.size(), 3u);
  EXPECT_EQ(side->rows[0].name, "a");
  EXPECT_EQ(at(side->rows[0].figures, Measure::Macs).number(), 8);
  EXPECT_EQ(at(side->rows[1].figures, Measure::Latency).number(), 0.3125);
  EXPECT_FALSE(at(side->rows[2].figures, Measure::Latency).is_known());
}

TEST(ReadPrediction, SeveralDevicesAreRows) {
  const auto side = read_side(R"({"kind": "prediction", "tables": {
      "devices": {"rows": [{"device": "a100-80", "latency": 1}, {"device": "l4", "latency": 2}]}}})",
                              "two.json");
  ASSERT_TRUE(side) << side.error().message;
  EXPECT_EQ(side->rows_are, "devices");
  ASSERT_EQ(side->rows.size(), 2u);
  EXPECT_EQ(side->rows[1].name, "l4");
  EXPECT_FALSE(at(side->totals, Measure::Latency).is_known());
}

// Anybody may have written the file.
TEST(ReadPrediction, AnythingElseIsASentence) {
  for (const std::string_view wrong :
       {R"({"kind": "prediction")", R"({"kind": "prediction"})",
        R"({"kind": "prediction", "tables": []})",
        R"({"kind": "prediction", "tables": {"devices": {"rows": {}}}})",
        R"({"kind": "prediction", "tables": {"devices": {"rows": [1]}}})",
        R"({"kind": "prediction", "tables": {"devices": {"rows": [{"device": 1}]}}})",
        R"({"kind": "prediction", "tables": {"devices": {"rows": [{"device": "a"}]}}})",
        R"({"kind": "prediction", "tables": {"devices": {"rows": [{"latency": "fast"}]}}})"}) {
    const auto side = read_side(wrong, "wrong.json");
    ASSERT_FALSE(side) << wrong;
    EXPECT_THAT(side.error().message, HasSubstr("prediction wrong.json: "));
  }
}

}  // namespace
}  // namespace strata::compare
