#include "cli/bench_choices.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace strata::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::string message(const BenchChoices& choices) {
  const auto plan = choices.read();
  return plan ? "fine" : plan.error().message;
}

TEST(BenchChoices, ListsAreTakenApart) {
  BenchChoices choices;
  choices.models = {"zoo:resnet18", "a/net.onnx"};
  choices.engines = {"onnxruntime,onnxruntime:opt=off,spin=0", "torch:script"};
  choices.precisions = {"fp32,int8"};
  choices.batches = {"1,2,2"};
  choices.threads = {"1", "2"};
  const auto plan = choices.read();
  ASSERT_TRUE(plan) << plan.error().message;
  EXPECT_EQ(plan->models[0].name, "resnet18");
  EXPECT_EQ(plan->models[1].name, "net");
  ASSERT_EQ(plan->engines.size(), 3u);
  EXPECT_EQ(plan->engines[1].style, "opt=off,spin=0");
  EXPECT_EQ(plan->engines[1].optimization, STRATA_OPT_NONE);
  EXPECT_THAT(plan->engines[1].options, ElementsAre("spin=0"));
  EXPECT_EQ(plan->engines[2].engine, "torch");
  EXPECT_THAT(plan->precisions, ElementsAre("fp32", "int8"));
  EXPECT_THAT(plan->batches, ElementsAre(1, 2));
  EXPECT_THAT(plan->threads, ElementsAre(1, 2));
}

// The library has the defaults.
TEST(BenchChoices, WhatIsNotSaidStaysEmpty) {
  BenchChoices choices;
  choices.models = {"net.onnx"};
  const auto plan = choices.read();
  ASSERT_TRUE(plan);
  EXPECT_THAT(plan->engines, IsEmpty());
  EXPECT_THAT(plan->precisions, IsEmpty());
  EXPECT_THAT(plan->batches, IsEmpty());
  EXPECT_THAT(plan->threads, IsEmpty());
}

TEST(BenchChoices, SettingsAreParsed) {
  BenchChoices choices;
  choices.models = {"net.onnx"};
  choices.inputs = {"x=Nx3", "x=photo.npy"};
  choices.sizes = {"N=8"};
  choices.request.seed = 7;
  const auto request = choices.read();
  ASSERT_TRUE(request) << request.error().message;
  ASSERT_EQ(request->sizes.input_shapes.size(), 1u);
  EXPECT_EQ(text(request->sizes.input_shapes[0].second), "N×3");
  EXPECT_THAT(request->sizes.sizes, ElementsAre(std::pair(std::string("N"), std::int64_t{8})));
  EXPECT_THAT(request->inputs, ElementsAre("x=photo.npy"));
  EXPECT_EQ(request->seed, 7u);
  EXPECT_EQ(request->method.seed, 7u);
  choices.sizes = {"N"};
  EXPECT_EQ(choices.read().error().message, "--dim N: write it as NAME=SIZE");
}

TEST(BenchChoices, APairIsOneModel) {
  BenchChoices choices;
  choices.pairs = {"torch=b/net.pt,onnxruntime=b/net.onnx"};
  const auto plan = choices.read();
  ASSERT_TRUE(plan) << plan.error().message;
  ASSERT_EQ(plan->models.size(), 1u);
  EXPECT_EQ(plan->models[0].name, "net");
  EXPECT_EQ(plan->models[0].file_for("torch"), "b/net.pt");
  EXPECT_EQ(plan->models[0].file_for("onnxruntime"), "b/net.onnx");
  EXPECT_EQ(plan->models[0].file_for("fake"), "");
  EXPECT_THAT(plan->models[0].sources(), ElementsAre("b/net.pt", "b/net.onnx"));
}

TEST(BenchChoices, EqualNamesAreToldApart) {
  BenchChoices choices;
  choices.models = {"a/net.onnx", "b/net.onnx"};
  const auto plan = choices.read();
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->models[0].name, "a/net.onnx");
  EXPECT_EQ(plan->models[1].name, "b/net.onnx");
}

TEST(BenchChoices, QuantizedFilesFindTheirModel) {
  BenchChoices choices;
  choices.models = {"zoo:mobilenet_v2?width=0.5"};
  choices.int8 = {"mobilenet_v2?width=0.5=small_int8.onnx"};
  const auto plan = choices.read();
  ASSERT_TRUE(plan) << plan.error().message;
  EXPECT_EQ(plan->models[0].int8, "small_int8.onnx");
  choices.int8 = {"other=x.onnx"};
  EXPECT_EQ(message(choices),
            "--int8 other=x.onnx: there is no model \"other\" here; there is "
            "mobilenet_v2?width=0.5");
  choices.int8 = {"x.onnx"};
  EXPECT_EQ(message(choices), "--int8 x.onnx: write it as MODEL=FILE");
}

TEST(BenchChoices, MistakesAreNamed) {
  BenchChoices choices;
  EXPECT_EQ(message(choices), "no model; give a file, zoo:NAME or --pair");
  choices.models = {"a.onnx"};
  choices.engines = {"opt=off"};
  EXPECT_EQ(message(choices),
            "--engine opt=off: an option without its engine; write ENGINE:opt=off");
  choices.engines = {"onnxruntime,,fake"};
  EXPECT_EQ(message(choices), "--engine onnxruntime,,fake: an item of the list is empty");
  choices.engines = {"onnxruntime:opt=fast"};
  EXPECT_THAT(message(choices), HasSubstr("opt is off, basic, extended or all"));
  choices.engines = {};
  choices.precisions = {"fp31"};
  EXPECT_EQ(message(choices), "--precision fp31: there is fp64, fp32, tf32, bf16, fp16, int8");
  choices.precisions = {};
  choices.batches = {"0"};
  EXPECT_EQ(message(choices),
            "--batch 0: write whole numbers from 1 to 1048576, with commas between");
  choices.batches = {};
  choices.threads = {"2x"};
  EXPECT_EQ(message(choices), "--threads 2x: write a number from 1 to 1024, or all");
  choices.threads = {};
  choices.pairs = {"net.onnx"};
  EXPECT_EQ(message(choices), "--pair net.onnx: write it as torch=model.pt,onnxruntime=model.onnx");
  choices.pairs = {"torch=a.pt,torch=b.pt"};
  EXPECT_EQ(message(choices), "--pair torch=a.pt,torch=b.pt: torch has two files");
}

}  // namespace
}  // namespace strata::cli
