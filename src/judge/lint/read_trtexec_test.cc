// The files are written by hand from trtexec's documentation and scripts; it was not run.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lint/readers.h"

namespace strata::lint {
namespace {

using ::testing::ElementsAre;

TEST(ReadTrtexec, AProfileIsARowForEachLayer) {
  const char* file = R"([ { "count" : 200 }
, { "name" : "conv1 + relu1", "timeMs" : 21.9, "averageMs" : 0.1095, "medianMs" : 0.109, "percentage" : 60 }
, { "name" : "fc", "timeMs" : 14.6, "averageMs" : 0.073, "medianMs" : 0.072, "percentage" : 40 } ])";
  ASSERT_TRUE(looks_like_trtexec(file));
  const auto claims = read_trtexec(file);
  ASSERT_TRUE(claims) << claims.error().message;
  const ClaimTable& table = claims->tables.at(0);
  ASSERT_EQ(table.rows.size(), 2u);
  EXPECT_EQ(table.rows[0].name, "conv1 + relu1");
  EXPECT_DOUBLE_EQ(table.rows[0].numbers[0]->value, 0.1095e-3);
  EXPECT_EQ(table.at(table.rows[1], table.find_typical(Meaning::Samples))->value, 200);
}

TEST(ReadTrtexec, TimesAreSamples) {
  const char* file = R"([{"startComputeMs": 1, "computeMs": 2.5, "latencyMs": 3},
                         {"startComputeMs": 5, "computeMs": 3.5, "latencyMs": 4}])";
  ASSERT_TRUE(looks_like_trtexec(file));
  const auto claims = read_trtexec(file);
  ASSERT_TRUE(claims) << claims.error().message;
  const ClaimTable& table = claims->tables.at(0);
  ASSERT_EQ(table.rows.size(), 2u);
  EXPECT_THAT(table.rows[0].samples, ElementsAre(3e-3, 4e-3));
  EXPECT_DOUBLE_EQ(table.rows[1].numbers[0]->value, 3e-3);  // of 2.5 and 3.5 ms
}

TEST(ReadTrtexec, BrokenFilesAreSentences) {
  for (const char* file : {"[", "{}", "[]", "[1, \"averageMs\"]", R"([{"computeMs": "x"}])"})
    EXPECT_FALSE(read_trtexec(file)) << file;
}

}  // namespace
}  // namespace strata::lint
