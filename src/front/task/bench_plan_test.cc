#include "task/bench_plan.h"

#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "task/int8_model.h"

namespace strata {
namespace {

using ::testing::ElementsAre;

EngineStyle style(const std::string& text) { return parse_engine_style(text).value(); }

TEST(UsualChoices, OneThreadOfOnnxRuntimeAsStored) {
  BenchRequest request;
  request.models = {{.source = "a/net.onnx"}};
  const auto usual = with_usual_choices(request);
  ASSERT_TRUE(usual) << usual.error().message;
  EXPECT_EQ(usual->models[0].name, "net");
  ASSERT_EQ(usual->engines.size(), 1u);
  EXPECT_EQ(usual->engines[0].engine, "onnxruntime");
  EXPECT_THAT(usual->precisions, ElementsAre(""));
  EXPECT_THAT(usual->batches, ElementsAre(0));
  EXPECT_THAT(usual->threads, ElementsAre(1));
  EXPECT_FALSE(with_usual_choices({}));
}

TEST(UsualChoices, FilesOfEnginesNameTheEngines) {
  BenchRequest request;
  request.models = {{.files = {{"torch", "b/net.pt"}, {"onnxruntime", "b/net.onnx"}}}};
  const auto usual = with_usual_choices(request);
  ASSERT_TRUE(usual) << usual.error().message;
  ASSERT_EQ(usual->engines.size(), 2u);
  EXPECT_EQ(usual->engines[0].engine, "torch");
  EXPECT_EQ(usual->engines[1].engine, "onnxruntime");
}

TEST(UsualChoices, EqualNamesAreToldApart) {
  std::vector<BenchModel> models = {{.source = "a/net.onnx"}, {.source = "b/net.onnx"}};
  name_models(models);
  EXPECT_EQ(models[0].name, "a/net.onnx");
  EXPECT_EQ(models[1].name, "b/net.onnx");
  name_models(models);
  EXPECT_EQ(models[0].name, "a/net.onnx");
}

TEST(Int8Model, TakesAFileThatIsThere) {
  EXPECT_EQ(
      int8_model({.model = "net", .file = "net.onnx", .given = "/none/x.onnx"}).error().message,
      "/none/x.onnx: there is no such file");
  EXPECT_EQ(int8_model({.model = "net", .file = "net.onnx", .given = "/"})->file, "/");
}

// Plans for a network of the zoo on the fake engine.
class BenchPlan : public testing::Test {
 protected:
  BenchPlan() {
    request_.models = {{.source = "zoo:squeezenet1_1?resolution=32"}};
    request_.engines = {style("fake")};
  }
  Result<std::vector<PlannedGroup>> plan() {
    auto usual = with_usual_choices(request_);
    if (!usual) return failure(usual);
    complete_ = std::move(*usual);
    ModelFiles files(complete_, *scratch_);
    EngineFacts engines(complete_, observer_);
    return plan_model(complete_.models[0], complete_, files, engines, observer_);
  }
  Result<ScratchFolder> scratch_ = ScratchFolder::create();
  BenchRequest request_, complete_;
  Observer observer_;
};

TEST_F(BenchPlan, AnEngineIsAskedForThePrecisionsOfItsOwn) {
  request_.precisions = {"fp32", "bf16"};
  request_.engines = {style("fake:noise=0,precision=fp32"), style("fake")};
  const auto groups = plan();
  ASSERT_TRUE(groups) << groups.error().message;
  std::vector<std::string> labels;
  for (const PlannedVariant& planned : (*groups)[0].variants)
    labels.push_back(planned.variant.label());
  EXPECT_THAT(labels, ElementsAre("fake:noise=0", "fake", "fake bf16"));
}

TEST_F(BenchPlan, EveryCombinationWithItsFiles) {
  request_.batches = {1, 2};
  request_.threads = {1, 2};
  const auto groups = plan();
  ASSERT_TRUE(groups) << groups.error().message;
  ASSERT_EQ(groups->size(), 1u);
  const auto& variants = (*groups)[0].variants;
  ASSERT_EQ(variants.size(), 4u);
  for (const PlannedVariant& planned : variants) {
    EXPECT_EQ(planned.refusal, "");
    EXPECT_TRUE(std::filesystem::exists(planned.variant.file));
    EXPECT_TRUE(std::filesystem::exists(planned.variant.inputs));
    EXPECT_EQ(planned.source, "zoo:squeezenet1_1?resolution=32");
    EXPECT_TRUE(planned.joules);
  }
  EXPECT_EQ(variants[1].variant.label(), "fake batch 2");
  EXPECT_EQ(variants[1].inputs, "input f32 2×3×32×32");
  EXPECT_NE(variants[0].variant.file, variants[1].variant.file);
  EXPECT_EQ(variants[0].variant.file, variants[2].variant.file);  // written once
}

TEST_F(BenchPlan, WhatIsMissingIsOneRow) {
  request_.engines = {style("fake"), style("nowhere")};
  request_.precisions = {"fp32", "int8"};
  request_.threads = {1, 2};
  const auto groups = plan();
  ASSERT_TRUE(groups) << groups.error().message;
  std::vector<std::string> rows;
  for (const PlannedVariant& planned : (*groups)[0].variants)
    rows.push_back(planned.variant.label() + ": " + planned.refusal);
  EXPECT_THAT(rows,
              ElementsAre("fake: ", "fake 2 threads: ", "fake int8: ", "fake int8 2 threads: ",
                          "nowhere: no engine \"nowhere\" on this machine"));
}

TEST_F(BenchPlan, TheBaseIsFoundByItsLabel) {
  request_.engines = {style("fake:opt=off"), style("fake")};
  request_.threads = {1, 2};
  request_.base = "fake";
  EXPECT_EQ((*plan())[0].base, 2u);
  request_.base = "fake 2 threads";
  EXPECT_EQ((*plan())[0].base, 3u);
  request_.base = "";
  EXPECT_EQ((*plan())[0].base, 0u);
  request_.base = "torch";
  EXPECT_EQ(plan().error().message,
            "torch: there is no such variant; the variants are: fake:opt=off; fake:opt=off 2 "
            "threads; fake; fake 2 threads");
  request_.base = "nowhere";
  request_.engines = {style("nowhere"), style("fake")};
  EXPECT_EQ((*plan())[0].base, 1u);  // the first that runs
}

TEST_F(BenchPlan, ShapesAreGroupsOfOneOpenModel) {
  request_.shapes = {{"min", {{"", {1, 3, 32, 32}}}}, {"max", {{"", {1, 3, 64, 48}}}}, {"mix"}};
  const auto groups = plan();
  ASSERT_TRUE(groups) << groups.error().message;
  ASSERT_EQ(groups->size(), 3u);
  EXPECT_EQ((*groups)[1].variants[0].inputs, "input f32 1×3×64×48");
  EXPECT_EQ((*groups)[2].shape, "mix");
  EXPECT_EQ((*groups)[2].variants[0].variant.mix.size(), 1u);
  EXPECT_EQ((*groups)[0].variants[0].variant.file, (*groups)[2].variants[0].variant.file);
}

TEST_F(BenchPlan, SizesMustFitTheInputs) {
  request_.shapes = {{"min", {{"other", {1, 3, 32, 32}}}}};
  EXPECT_EQ(plan().error().message,
            "min=other:1x3x32x32: the model has no input \"other\", and a symbol has one size");
}

// The caller adds what only the caller knows.
TEST_F(BenchPlan, TheCallerPhrasesRefusals) {
  observer_.phrase = [](const Error& error) {
    return error.code == Code::EngineNotHere ? error.message + ": get " + error.fields().name
                                             : error.message;
  };
  request_.engines.push_back(style("nowhere"));
  const auto groups = plan();
  ASSERT_TRUE(groups) << groups.error().message;
  EXPECT_EQ((*groups)[0].variants[1].refusal, "no engine \"nowhere\" on this machine: get nowhere");
}

TEST_F(BenchPlan, AFileThatIsNotThereIsAnError) {
  request_.models = {{.source = "/none/net.onnx"}};
  EXPECT_EQ(plan().error().message, "/none/net.onnx: there is no such file; check the path");
}

}  // namespace
}  // namespace strata
