#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lint/readers.h"

namespace strata::lint {
namespace {

using ::testing::ElementsAre;

TEST(ReadOnnxruntime, KernelsArePartsOfTheRun) {
  const char* file = R"([
{"cat" : "Session","pid" :1,"tid" :1,"dur" :9,"ts" :3,"ph" : "X","name" :"model_loading_uri","args" : {}},
{"cat" : "Session","pid" :1,"tid" :1,"dur" :100,"ts" :20,"ph" : "X","name" :"model_run","args" : {}},
{"cat" : "Node","pid" :1,"tid" :1,"dur" :60,"ts" :22,"ph" : "X","name" :"/a/Conv_kernel_time","args" : {"op_name" : "Conv","input_type_shape" : [{"float":[1,3,8,8]}],"output_type_shape" : [{"float":[1,4,6,6]}]}},
{"cat" : "Session","pid" :1,"tid" :1,"dur" :80,"ts" :220,"ph" : "X","name" :"model_run","args" : {}},
{"cat" : "Node","pid" :1,"tid" :1,"dur" :50,"ts" :222,"ph" : "X","name" :"/a/Conv_kernel_time","args" : {"op_name" : "Conv"}}
])";
  ASSERT_TRUE(looks_like_onnxruntime(file));
  const auto claims = read_onnxruntime(file);
  ASSERT_TRUE(claims) << claims.error().message;
  const ClaimTable& table = claims->tables.at(0);
  ASSERT_EQ(table.rows.size(), 2u);
  EXPECT_EQ(table.rows[0].name, "model_run");
  EXPECT_NEAR(table.rows[0].numbers[0]->value, 90e-6, 1e-12);
  EXPECT_EQ(table.rows[1].name, "/a/Conv");
  EXPECT_EQ(table.rows[1].type, "Conv");
  EXPECT_EQ(table.rows[1].parent, 0u);
  EXPECT_NEAR(table.rows[1].numbers[0]->value, 55e-6, 1e-12);
  EXPECT_THAT(table.rows[1].outputs, ElementsAre(ClaimShape{1, 4, 6, 6}));
}

TEST(ReadOnnxruntime, AKernelWithABodyIsNotAddedToIt) {
  const auto claims = read_onnxruntime(R"([{"name": "model_run", "dur": 100},
    {"name": "a_kernel_time", "dur": 90, "args": {"op_name": "If"}},
    {"name": "b_kernel_time", "dur": 80, "args": {"op_name": "Conv"}}])");
  ASSERT_TRUE(claims) << claims.error().message;
  const ClaimTable& table = claims->tables.at(0);
  EXPECT_FALSE(table.rows.at(1).numbers[0]);
  EXPECT_TRUE(table.rows.at(2).numbers[0]);
}

TEST(ReadOnnxruntime, BrokenFilesAreSentences) {
  for (const char* file : {"[", "{}", "[]", R"([{"name": "x_kernel_time", "dur": "y"}])"})
    EXPECT_FALSE(read_onnxruntime(file)) << file;
}

}  // namespace
}  // namespace strata::lint
