#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lint/readers.h"

namespace strata::lint {
namespace {

using ::testing::ElementsAre;

TEST(ReadTrace, EventsNestByTheirTimes) {
  const char* file = R"({"traceEvents": [
    {"ph": "X", "name": "step", "pid": 1, "tid": "a", "ts": 0, "dur": 100},
    {"ph": "X", "name": "aten::conv2d", "pid": 1, "tid": "a", "ts": 10, "dur": 30,
     "args": {"Input Dims": [[1, 3, 8, 8], [4, 3, 3, 3], []]}},
    {"ph": "X", "name": "aten::conv2d", "pid": 1, "tid": "a", "ts": 50, "dur": 50,
     "args": {"Input Dims": [[1, 3, 8, 8], [4, 3, 3, 3], []]}},
    {"ph": "X", "name": "kernel", "pid": 1, "tid": "b", "ts": 20, "dur": 5},
    {"ph": "M", "name": "thread_name"}]})";
  ASSERT_TRUE(looks_like_trace(file));
  const auto claims = read_trace(file);
  ASSERT_TRUE(claims) << claims.error().message;
  const ClaimTable& table = claims->tables.at(0);
  ASSERT_EQ(table.rows.size(), 3u);
  EXPECT_EQ(table.rows[0].name, "step");
  const ClaimRow& conv = table.rows[1];
  EXPECT_EQ(conv.parent, 0u);
  EXPECT_EQ(conv.samples.size(), 2u);
  EXPECT_NEAR(conv.numbers[0]->value, 80e-6, 1e-15);
  EXPECT_EQ(conv.numbers[1]->value, 2);
  EXPECT_THAT(conv.inputs, ElementsAre(ClaimShape{1, 3, 8, 8}, ClaimShape{4, 3, 3, 3}));
  EXPECT_FALSE(table.rows[2].parent);
}

TEST(ReadTrace, BrokenFilesAreSentences) {
  for (const char* file : {"[", "{\"traceEvents\": 3}", "[]", "{}", R"([{"ph": "X", "ts": "x"}])",
                           R"([{"ph": "X", "ts": 1, "dur": -1}])"})
    EXPECT_FALSE(read_trace(file)) << file;
}

}  // namespace
}  // namespace strata::lint
