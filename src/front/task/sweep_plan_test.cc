#include "strata/task/sweep.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace strata {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr const char* kPlan = R"(name = "two by two"
models = ["zoo:resnet18", "nets/mine.onnx"]
[bench]
engine = ["onnxruntime", "onnxruntime:opt=off"]
until = "2%"
poisson = true
[axes]
batch = [1, 8]
)";

TEST(SweepPlan, EveryCombinationOfTheAxesIsAJob) {
  const auto plan = parse_sweep(kPlan, "plan.toml", "/data");
  ASSERT_TRUE(plan) << plan.error().message;
  EXPECT_EQ(plan->name, "two by two");
  ASSERT_EQ(plan->jobs.size(), 4u);
  EXPECT_THAT(plan->jobs[1].arguments,
              ElementsAre("zoo:resnet18", "--batch", "8", "--engine",
                          "onnxruntime,onnxruntime:opt=off", "--poisson", "--until", "2%"));
  EXPECT_EQ(plan->jobs[2].arguments[0], "/data/nets/mine.onnx");
  EXPECT_EQ(plan->jobs[0].key,
            "zoo:resnet18 --batch 1 --engine onnxruntime,onnxruntime:opt=off --poisson --until 2%");
}

TEST(SweepPlan, TheSameJobTwiceIsOneJob) {
  const auto plan = parse_sweep("models = [\"zoo:a\", \"zoo:a\"]", "p.toml", "");
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->jobs.size(), 1u);
  EXPECT_EQ(plan->name, "p");
}

TEST(SweepPlan, MistakesNameTheLine) {
  const auto message = [](const char* text) {
    const auto plan = parse_sweep(text, "p.toml", "");
    if (plan) return std::string("fine");
    EXPECT_EQ(plan.error().code, Code::FileBroken) << text;
    return plan.error().message;
  };
  EXPECT_THAT(message("models = [\"a\"\n[bench]"), HasSubstr("p.toml:"));
  EXPECT_EQ(message("name = \"x\""),
            "p.toml: models are missing, such as models = [\"zoo:resnet18\"]");
  EXPECT_EQ(message("models = []"), "p.toml:1: an empty list has nothing to run");
  EXPECT_EQ(message("models = [\"a\"]\nmodel = 3"),
            "p.toml:2: there is no \"model\" in a sweep; it has name, models, [bench] and [axes]");
  EXPECT_EQ(message("models = [\"a\"]\n[bench]\nformat = \"csv\""),
            "p.toml:3: a sweep sets \"format\" itself");
  EXPECT_EQ(message("models = [\"a\"]\n[bench]\nbatch = 1\n[axes]\nbatch = [1]"),
            "p.toml:5: \"batch\" is in [bench] and in [axes]; one of them");
  EXPECT_EQ(message("models = [\"a\"]\n[axes]\nbatch = [{a = 1}]"),
            "p.toml:3: a text, a number or true was expected");
}

TEST(SweepPlan, APlanWithTooManyJobsIsRefused) {
  std::string text = "models = [\"a\"]\n[axes]\n";
  for (char axis = 'a'; axis < 'i'; ++axis)
    text += std::string(1, axis) + " = [0,1,2,3,4,5,6,7,8,9]\n";
  const auto plan = parse_sweep(text, "p.toml", "");
  ASSERT_FALSE(plan);
  EXPECT_EQ(plan.error().message, "p.toml: more than a million jobs; take an axis out");
}

TEST(Shard, PartsCoverEveryJobOnce) {
  for (std::size_t count : {1u, 3u, 7u}) {
    std::vector<int> covered(20);
    for (std::size_t i = 1; i <= count; ++i) {
      const auto shard = parse_shard(std::to_string(i) + "/" + std::to_string(count));
      ASSERT_TRUE(shard);
      for (std::size_t job = 0; job < covered.size(); ++job) covered[job] += shard->has(job);
    }
    EXPECT_THAT(covered, testing::Each(1));
  }
  for (const char* wrong : {"", "1", "0/2", "3/2", "a/2", "1/0", "1/2x", "-1/2"})
    EXPECT_FALSE(parse_shard(wrong)) << wrong;
}

}  // namespace
}  // namespace strata
