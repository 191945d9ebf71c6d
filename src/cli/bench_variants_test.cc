#include "cli/bench_variants.h"

#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/int8_model.h"

namespace strata::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string message(const BenchChoices& choices) {
  const auto plan = make_plan(choices);
  return plan ? "fine" : plan.error().message;
}

TEST(BenchPlan, ListsAreTakenApart) {
  BenchChoices choices;
  choices.models = {"zoo:resnet18", "a/net.onnx"};
  choices.engines = {"onnxruntime,onnxruntime:opt=off,spin=0", "torch:script"};
  choices.precisions = {"fp32,int8"};
  choices.batches = {"1,2,2"};
  choices.threads = {"1", "2"};
  const auto plan = make_plan(choices);
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

TEST(BenchPlan, UsualChoices) {
  BenchChoices choices;
  choices.models = {"net.onnx"};
  const auto plan = make_plan(choices);
  ASSERT_TRUE(plan);
  ASSERT_EQ(plan->engines.size(), 1u);
  EXPECT_EQ(plan->engines[0].engine, "onnxruntime");
  EXPECT_THAT(plan->precisions, ElementsAre(""));
  EXPECT_THAT(plan->batches, ElementsAre(0));
  EXPECT_THAT(plan->threads, ElementsAre(1));
}

TEST(BenchPlan, APairIsOneModelAndNamesItsEngines) {
  BenchChoices choices;
  choices.pairs = {"torch=b/net.pt,onnxruntime=b/net.onnx"};
  const auto plan = make_plan(choices);
  ASSERT_TRUE(plan) << plan.error().message;
  ASSERT_EQ(plan->models.size(), 1u);
  EXPECT_EQ(plan->models[0].name, "net");
  EXPECT_EQ(plan->models[0].file_for("torch"), "b/net.pt");
  EXPECT_EQ(plan->models[0].file_for("onnxruntime"), "b/net.onnx");
  EXPECT_EQ(plan->models[0].file_for("fake"), "");
  ASSERT_EQ(plan->engines.size(), 2u);
  EXPECT_EQ(plan->engines[0].engine, "torch");
  EXPECT_THAT(plan->models[0].sources(), ElementsAre("b/net.pt", "b/net.onnx"));
}

TEST(BenchPlan, EqualNamesAreToldApart) {
  BenchChoices choices;
  choices.models = {"a/net.onnx", "b/net.onnx"};
  const auto plan = make_plan(choices);
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->models[0].name, "a/net.onnx");
  EXPECT_EQ(plan->models[1].name, "b/net.onnx");
}

TEST(BenchPlan, QuantizedFilesFindTheirModel) {
  BenchChoices choices;
  choices.models = {"zoo:mobilenet_v2?width=0.5"};
  choices.int8 = {"mobilenet_v2?width=0.5=small_int8.onnx"};
  const auto plan = make_plan(choices);
  ASSERT_TRUE(plan) << plan.error().message;
  EXPECT_EQ(plan->models[0].int8, "small_int8.onnx");
  choices.int8 = {"other=x.onnx"};
  EXPECT_EQ(message(choices),
            "--int8 other=x.onnx: there is no model \"other\" here; there is "
            "mobilenet_v2?width=0.5");
  choices.int8 = {"x.onnx"};
  EXPECT_EQ(message(choices), "--int8 x.onnx: write it as MODEL=FILE");
}

TEST(BenchPlan, MistakesAreNamed) {
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
  EXPECT_EQ(message(choices),
            "--threads 2x: write whole numbers from 1 to 1024, with commas between");
  choices.threads = {};
  choices.pairs = {"net.onnx"};
  EXPECT_EQ(message(choices), "--pair net.onnx: write it as torch=model.pt,onnxruntime=model.onnx");
  choices.pairs = {"torch=a.pt,torch=b.pt"};
  EXPECT_EQ(message(choices), "--pair torch=a.pt,torch=b.pt: torch has two files");
}

TEST(BenchShapes, ThreeAndAMix) {
  const auto shapes = parse_shapes("min=1x16,opt=ids:1x64+mask:1x64,max=sequence:128");
  ASSERT_TRUE(shapes) << shapes.error().message;
  ASSERT_EQ(shapes->size(), 4u);
  EXPECT_EQ((*shapes)[0].sizes[0], std::pair(std::string(), std::string("1x16")));
  EXPECT_EQ((*shapes)[1].sizes[1], std::pair(std::string("mask"), std::string("1x64")));
  EXPECT_EQ((*shapes)[2].sizes[0], std::pair(std::string("sequence"), std::string("128")));
  EXPECT_EQ((*shapes)[3].name, "mix");
  EXPECT_EQ(parse_shapes("opt=1x16")->size(), 1u);
  for (const char* text : {"", "1x16", "min=", "low=1x16", "min=1x2,min=1x3"})
    EXPECT_FALSE(parse_shapes(text)) << text;
}

TEST(Int8Model, TakesAFileThatIsThere) {
  EXPECT_EQ(
      int8_model({.model = "net", .file = "net.onnx", .given = "/none/x.onnx"}).error().message,
      "/none/x.onnx: there is no such file; check --int8");
  EXPECT_EQ(int8_model({.model = "net", .file = "net.onnx", .given = "/"})->file, "/");
}

// What is planned for a network of the zoo on the fake engine.
class BenchVariants : public testing::Test {
 protected:
  Result<std::vector<PlannedGroup>> plan(BenchChoices choices) {
    auto made = make_plan(choices);
    if (!made) return tl::unexpected(made.error());
    files_.emplace(settings_, *scratch_);
    EngineFacts engines("", choices.device, choices.provider);
    return plan_model(made->models[0], *made, choices, settings_, *files_, engines);
  }
  Result<ScratchFolder> scratch_ = ScratchFolder::create();
  ModelSettings settings_;
  std::optional<ModelFiles> files_;
};

BenchChoices squeezenet() {
  BenchChoices choices;
  choices.models = {"zoo:squeezenet1_1?resolution=32"};
  choices.engines = {"fake"};
  return choices;
}

TEST_F(BenchVariants, EveryCombinationWithItsFiles) {
  BenchChoices choices = squeezenet();
  choices.batches = {"1,2"};
  choices.threads = {"1,2"};
  const auto groups = plan(choices);
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

TEST_F(BenchVariants, WhatIsMissingIsOneRow) {
  BenchChoices choices = squeezenet();
  choices.engines = {"fake,nowhere"};
  choices.precisions = {"fp32,int8"};
  choices.threads = {"1,2"};
  const auto groups = plan(choices);
  ASSERT_TRUE(groups) << groups.error().message;
  std::vector<std::string> rows;
  for (const PlannedVariant& planned : (*groups)[0].variants)
    rows.push_back(planned.variant.label() + ": " + planned.refusal);
  EXPECT_THAT(rows,
              ElementsAre("fake: ", "fake 2 threads: ", "fake int8: ", "fake int8 2 threads: ",
                          "nowhere: no engine \"nowhere\" on this machine; `strata engines` says "
                          "what there is"));
}

TEST_F(BenchVariants, TheBaseIsFoundByItsLabel) {
  BenchChoices choices = squeezenet();
  choices.engines = {"fake:opt=off,fake"};
  choices.threads = {"1,2"};
  choices.base = "fake";
  EXPECT_EQ((*plan(choices))[0].base, 2u);
  choices.base = "fake 2 threads";
  EXPECT_EQ((*plan(choices))[0].base, 3u);
  choices.base = "";
  EXPECT_EQ((*plan(choices))[0].base, 0u);
  choices.base = "torch";
  EXPECT_EQ(plan(choices).error().message,
            "--base torch: no variant is called so; there are: fake:opt=off; fake:opt=off 2 "
            "threads; fake; fake 2 threads");
  choices.base = "nowhere";
  choices.engines = {"nowhere,fake"};
  EXPECT_EQ((*plan(choices))[0].base, 1u);  // the first that runs
}

TEST_F(BenchVariants, ShapesAreGroupsOfOneOpenModel) {
  BenchChoices choices = squeezenet();
  settings_.shapes = parse_shapes("min=1x3x32x32,max=1x3x64x48").value();
  const auto groups = plan(choices);
  ASSERT_TRUE(groups) << groups.error().message;
  ASSERT_EQ(groups->size(), 3u);
  EXPECT_EQ((*groups)[1].variants[0].inputs, "input f32 1×3×64×48");
  EXPECT_EQ((*groups)[2].shape, "mix");
  EXPECT_EQ((*groups)[2].variants[0].variant.mix.size(), 1u);
  EXPECT_EQ((*groups)[0].variants[0].variant.file, (*groups)[2].variants[0].variant.file);
}

TEST_F(BenchVariants, AFileThatIsNotThereIsAnError) {
  BenchChoices choices = squeezenet();
  choices.models = {"/none/net.onnx"};
  EXPECT_EQ(plan(choices).error().message, "/none/net.onnx: there is no such file; check the path");
}

}  // namespace
}  // namespace strata::cli
