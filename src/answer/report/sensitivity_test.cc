#include "strata/report/sensitivity.h"

#include <fmt/format.h>
#include <fstream>
#include <iterator>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "document/chart/scene.h"
#include "report/sensitivity_plot.h"
#include "report/sensitivity_text.h"
#include "strata/base/number_text.h"

namespace strata {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

// A signal of 1 with this much noise on every one of `count` samples.
std::vector<SampleScore> noisy(double noise, std::size_t count = 4) {
  SampleScore score;
  score.signal = 1;
  score.noise = noise;
  score.product = score.other = 1;
  score.rows = score.labelled = 1;
  score.same = score.right = noise < 0.05 ? 1 : 0;
  return std::vector<SampleScore>(count, score);
}

SensitivityRun run_with(const std::vector<double>& noises, double joint) {
  SensitivityRun run;
  run.program = "strata";
  run.model = "net.onnx";
  run.run = "0123";
  run.ranges = "minmax of the same 4 samples";
  run.data = "4 samples";
  run.engine = "fake 1";
  run.samples = 4;
  run.result.baseline = noisy(0);
  run.result.joint = noisy(joint);
  run.result.passes = 10;
  run.result.naive_passes = 40;
  for (std::size_t l = 0; l < noises.size(); ++l) {
    run.layers.push_back({fmt::format("layer{}", l), "", "Conv+Relu", "pointwise"});
    run.result.layers.push_back({noisy(noises[l]), {}});
  }
  return run;
}

nlohmann::json row_of(const nlohmann::json& json, const std::string& layer) {
  for (const auto& row : json["tables"]["layers"]["rows"])
    if (row["layer"] == layer) return row;
  return nullptr;
}

TEST(Sensitivity, TheWorstComesFirst) {
  SensitivityRun run = run_with({1e-4, 1e-2, 1e-3}, 1.11e-2);
  EXPECT_THAT(sensitivity_ranking(run), ElementsAre(1, 2, 0));
  run.result.layers[1] = {};
  EXPECT_THAT(sensitivity_ranking(run), ElementsAre(2, 0, 1));
  const std::string table = sensitivity_to_table(run, 0);
  EXPECT_LT(table.find("layer2"), table.find("layer0"));
  // 1e-4 and 1e-3 of 1.11e-2.
  EXPECT_THAT(sensitivity_method(run),
              HasSubstr("R is not known yet: the 2 of 3 layers that have been measured add "
                        "up to 0.0991 times the drop of all together"));
  run.result.joint.clear();
  EXPECT_THAT(sensitivity_to_table(run, 0),
              HasSubstr("R is not known: not all layers have been measured"));
}

TEST(Sensitivity, SaysOfHowManySamples) {
  SensitivityRun run = run_with({1e-4, 1e-2, 1e-3}, 1.11e-2);
  EXPECT_THAT(sensitivity_to_table(run, 0), Not(HasSubstr("of 4 samples")));
  run.result.joint.resize(2);
  run.result.layers[2].alone.resize(3);
  run.result.partial = true;
  const std::string table = sensitivity_to_table(run, 0);
  EXPECT_THAT(table, HasSubstr("all 3 layers together: 19.5 dB, on 2 of 4 samples"));
  EXPECT_THAT(table, HasSubstr("PARTIAL: 3 of 3 layers were measured, 2 of them on all 4 samples"));
}

TEST(Sensitivity, BlocksThatAreAlike) {
  SensitivityRun run = run_with({1e-4, 1e-2, 1e-3}, 1.11e-2);
  run.budgeted = true;
  run.result.like = {1, 1, 2};
  run.result.first_samples = 4;
  run.result.alike = {{{"layers.0", "layers.1"}, 3, 1, 1}};
  EXPECT_THAT(sensitivity_method(run),
              HasSubstr("2 blocks alike (layers.0 to layers.1) with 3 layers: 4 samples at first "
                        "for 1 of them, 1 for 1 that these stand for, 1 on their own\n"));
  const auto json = nlohmann::json::parse(sensitivity_to_json(run));
  EXPECT_EQ(row_of(json, "layer0")["like"], "layer1");
  EXPECT_TRUE(row_of(json, "layer1")["like"].is_null());
  EXPECT_EQ(json["facts"]["alike"][0]["members"], 1);
  // Too small a budget says so.
  for (LayerScore& layer : run.result.layers) layer.alone.resize(1);
  run.result.budget_passes = 5;
  EXPECT_THAT(sensitivity_method(run),
              HasSubstr("the budget of 5.0 passes is less than one sample of each layer takes"));
}

// 20 dB is a noise of a hundredth.
TEST(Sensitivity, Figures) {
  const SensitivityRun run = run_with({1e-4, 1e-2, 1e-3}, 1.11e-2);
  const std::string csv = sensitivity_to_csv(run);
  EXPECT_THAT(csv, HasSubstr("1,1,layer1,,Conv+Relu,pointwise,sqnr,20,20,20,0.01,,,4,layer,"));
  const std::string table = sensitivity_to_table(run, 10);
  EXPECT_THAT(table, HasSubstr("R = 1: "));
  EXPECT_THAT(table, HasSubstr("Share"));
  EXPECT_THAT(table, HasSubstr("90.1 %"));  // 100 of 111
  EXPECT_THAT(table, HasSubstr("takes 40 (4 times as many)"));
  EXPECT_THAT(sensitivity_to_table(run, 1), HasSubstr("2 of 3 rows are not shown"));
}

// Weights and activations apart: worst first, in all outputs.
TEST(Sensitivity, Parts) {
  SensitivityRun run = run_with({1e-4, 1e-2}, 1.1e-2);
  EXPECT_FALSE(nlohmann::json::parse(sensitivity_to_json(run))["tables"].contains("parts"));
  PartScores& parts = run.parts.emplace();
  parts.parts.resize(2);
  parts.parts[0].label = "layer0:weights";
  parts.parts[0].layer = 0;
  parts.parts[1].label = "layer0:output";
  parts.parts[1].kind = QuantPart::Kind::Tensor;
  parts.parts[1].layer = 0;
  parts.parts[1].readers = {1};
  parts.alone = {noisy(1e-5), noisy(1e-3)};
  parts.together = noisy(1e-2);
  const auto json = nlohmann::json::parse(sensitivity_to_json(run));
  const auto& rows = json["tables"]["parts"]["rows"];
  EXPECT_EQ(rows[0]["rank"], 1);
  EXPECT_EQ(rows[0]["part"], "tensor");
  EXPECT_EQ(rows[0]["read_by"][0], "layer1");
  EXPECT_NEAR(rows[1]["value"].get<double>(), 50, 1e-9);
  EXPECT_NEAR(json["facts"]["as_written"]["value"].get<double>(), 20, 1e-9);
  const std::string csv = sensitivity_to_csv(run);
  EXPECT_THAT(csv, HasSubstr("\n1,1,layer0:output,,,,sqnr,30,30,30,0.001,,,4,tensor,layer0\n"));
  EXPECT_THAT(csv, HasSubstr("\n2,0,layer0:weights,,,,sqnr,50,50,50,1e-05,,,4,weights,layer0\n"));
  for (const std::string& text : {sensitivity_to_table(run, 0), sensitivity_to_markdown(run, 0)}) {
    EXPECT_LT(text.find("layer0:output"), text.find("layer0:weights"));
    EXPECT_THAT(text, HasSubstr("all 2 of these together: 20.0 dB"));
  }
}

TEST(Sensitivity, SharesAreNotOfferedWhereDropsDoNotAddUp) {
  const SensitivityRun run = run_with({1e-4, 1e-2, 1e-3}, 1e-3);
  const std::string table = sensitivity_to_table(run, 10);
  EXPECT_THAT(table, HasSubstr("R = 11.1: "));
  EXPECT_THAT(table, HasSubstr("drops do not add up"));
  EXPECT_THAT(table, Not(HasSubstr("Share")));
  EXPECT_FALSE(nlohmann::json::parse(sensitivity_to_json(run))["facts"]["additive"].get<bool>());
}

TEST(Sensitivity, WithoutNoiseIsInfiniteAndNotZero) {
  const SensitivityRun run = run_with({0, 1e-2}, 1e-2);
  EXPECT_THAT(sensitivity_to_table(run, 0), HasSubstr("∞"));
  const auto json = nlohmann::json::parse(sensitivity_to_json(run));
  EXPECT_EQ(row_of(json, "layer0")["value"], "inf");
  EXPECT_EQ(row_of(json, "layer0")["drop"], 0);
}

TEST(Sensitivity, WhatIsMadeUpSaysSo) {
  SensitivityRun run = run_with({1e-3, 1e-2}, 1e-2);
  run.random_data = run.random_weights = run.result.partial = true;
  for (const std::string& text : {sensitivity_to_table(run, 0), sensitivity_to_markdown(run, 0)}) {
    EXPECT_THAT(text, HasSubstr("RANDOM samples"));
    EXPECT_THAT(text, HasSubstr("RANDOM weights"));
    EXPECT_THAT(text, HasSubstr("PARTIAL"));
  }
  EXPECT_THAT(sensitivity_to_svg(run), HasSubstr("RANDOM"));
}

TEST(Sensitivity, ScoresOf01AreStillRead) {
  std::ifstream file(STRATA_SOURCE_DIR "/tests/data/saved_by_0.1/sensitivity.json");
  const std::string json{std::istreambuf_iterator<char>(file), {}};
  const auto back = sensitivity_scores_from_json(json, "a.json");
  ASSERT_TRUE(back) << back.error().message;
  EXPECT_EQ(back->run, "9dc6f06711c1147a");
  ASSERT_EQ(back->paths.size(), 13u);
  EXPECT_EQ(back->paths[0], "features.0.0");
  ASSERT_EQ(back->result.layers[0].alone.size(), 3u);
  EXPECT_EQ(back->result.layers[0].alone[0].signal, 211.62570389574427);
}

TEST(Sensitivity, ScoresComeBackFromJson) {
  SensitivityRun run = run_with({1.0 / 3, 1e-2}, 1e-2);
  run.result.layers[0].left_out = noisy(0.1, 2);
  run.result.pairs = {{0, 1, noisy(0.3, 2)}};
  run.result.seconds = 2.5;
  run.result.layers[1].alone[0].command = 0.25;
  run.layers[0].path = "bad\xff";
  const auto back = sensitivity_scores_from_json(sensitivity_to_json(run), "a.json");
  ASSERT_TRUE(back) << back.error().message;
  EXPECT_EQ(back->run, "0123");
  EXPECT_EQ(back->result.passes, 10);
  EXPECT_EQ(back->result.seconds, 2.5);
  EXPECT_EQ(back->result.baseline.size(), 4);
  ASSERT_EQ(back->result.joint.size(), 4);
  EXPECT_EQ(back->result.joint[3].noise, 1e-2);
  EXPECT_THAT(back->paths, ElementsAre("bad\xef\xbf\xbd", "layer1"));
  EXPECT_EQ(back->result.layers[0].alone[0].noise, 1.0 / 3);
  EXPECT_EQ(back->result.layers[0].left_out.size(), 2);
  EXPECT_EQ(back->result.layers[0].alone[0].command, std::nullopt);
  EXPECT_EQ(back->result.layers[1].alone[0].command, 0.25);
  ASSERT_EQ(back->result.pairs.size(), 1u);
  EXPECT_EQ(back->result.pairs[0].second, 1u);
  EXPECT_EQ(back->result.pairs[0].left_out[1].noise, 0.3);
}

// A pair of layers that are not there, or without scores, is measured again.
TEST(Sensitivity, PairsThatMakeNoSenseAreNotTaken) {
  SensitivityRun run = run_with({1.0 / 3, 1e-2}, 1e-2);
  run.result.pairs = {{0, 1, noisy(0.3, 2)}};
  const std::string good = sensitivity_to_json(run);
  const std::string indices = "\"indices\": [0,1]";
  const std::size_t at = good.find(indices);
  ASSERT_NE(at, good.npos) << good;
  for (const char* other : {"\"indices\": [0, 2]", "\"indices\": [-1, 1]", "\"indices\": [0]",
                            "\"indices\": \"\"", "\"other\": 1"}) {
    std::string bad = good;
    const auto back =
        sensitivity_scores_from_json(bad.replace(at, indices.size(), other), "a.json");
    ASSERT_TRUE(back) << back.error().message;
    EXPECT_TRUE(back->result.pairs.empty()) << other;
  }
}

TEST(Sensitivity, OtherFilesAreRefused) {
  for (const char* text :
       {"", "{", "[]", "{}", R"({"kind": "strata calibration"})",
        R"({"kind": "strata sensitivity"})", R"({"kind": "strata sensitivity", "schema": 1})",
        R"({"kind": "strata sensitivity", "schema": 1, "run": "", "layers": [1]})",
        R"({"kind": "strata sensitivity", "schema": 1, "run": "",
            "layers": [{"path": "a", "scores": [["x"]], "left_out_scores": []}]})"}) {
    const auto back = sensitivity_scores_from_json(text, "a.json");
    ASSERT_FALSE(back) << text;
    EXPECT_THAT(back.error().message, StartsWith("a.json: "));
    EXPECT_EQ(back.error().code, Code::NotScores);
  }
}

TEST(SensitivityPlot, DipsAndTheRedLine) {
  SensitivityRun run = run_with({1e-4, 1e-4, 1e-2, 1e-4, 1e-4}, 1e-2);
  auto plot = sensitivity_plot(run);
  ASSERT_TRUE(plot);
  EXPECT_THAT(plot->dips, ElementsAre(2));
  EXPECT_EQ(plot->line, 20);  // SQNR: all together, as floats have no noise
  EXPECT_THAT(plot->line_label, HasSubstr("all layers together"));
  run.quality = Quality::Accuracy;
  run.result.layers[2] = {noisy(0.1), {}};
  plot = sensitivity_plot(run);
  EXPECT_EQ(plot->line, 100);
  EXPECT_THAT(plot->line_label, HasSubstr("all in float"));
  EXPECT_THAT(plot->dips, ElementsAre(2));
  EXPECT_LT(plot->low, 0);
  EXPECT_GT(plot->high, 100);
}

// 20 dB, 40 dB and 120 dB.
TEST(SensitivityPlot, OneFarAboveIsAtTheEndOfTheAxis) {
  const SensitivityRun run = run_with({1e-4, 1e-4, 1e-2, 1e-4, 1e-12, 1e-4, 1e-2, 1e-4}, 1e-2);
  const auto plot = sensitivity_plot(run);
  ASSERT_TRUE(plot);
  EXPECT_EQ(plot->above, 1);
  EXPECT_GT(plot->high, 40);
  EXPECT_LT(plot->high, 60);
  EXPECT_EQ(plot->points[4].value, 120);
  EXPECT_THAT(sensitivity_to_svg(run), HasSubstr("1 above the axis"));
  EXPECT_EQ(sensitivity_plot(run_with({1e-4, 1e-4, 1e-5, 1e-4}, 1e-2))->above, 0);
}

TEST(SensitivityPlot, KindsAndStages) {
  SensitivityRun run = run_with({1e-4, 1e-4, 1e-2, 1e-4, 1e-4}, 1e-2);
  const char* const blocks[] = {"stage0:0:0", "stage0:0:1", "stage1:0:0", "stage1:0:1", ""};
  const char* const places[] = {"first", "exit of fused MBConv, no activation", "depthwise",
                                "depthwise, neither norm nor activation",
                                "last, neither norm nor activation"};
  for (std::size_t l = 0; l < 5; ++l)
    run.layers[l].block = blocks[l], run.layers[l].place = places[l];
  const auto plot = sensitivity_plot(run);
  ASSERT_TRUE(plot);
  std::vector<DotKind> kinds;
  std::vector<std::string> stages;
  for (const auto& point : plot->points) kinds.push_back(point.kind), stages.push_back(point.stage);
  EXPECT_THAT(kinds, ElementsAre(DotKind::End, DotKind::Exit, DotKind::Other, DotKind::Neither,
                                 DotKind::End));
  EXPECT_THAT(stages, ElementsAre("stage0", "stage0", "stage1", "stage1", ""));
  const std::string svg = sensitivity_to_svg(run);
  for (const char* words :
       {"exit of a block, no activation", "neither norm nor activation", "first or last", "other"})
    EXPECT_THAT(svg, HasSubstr(words));
  EXPECT_THAT(sensitivity_to_svg(run_with({1e-4, 1e-2}, 1e-2)), Not(HasSubstr("first or last")));
}

TEST(SensitivityPlot, ALongNameLeavesRoomForTheMetric) {
  SensitivityRun run = run_with({1e-4, 1e-2}, 1e-2);
  run.model = std::string(300, 'a') + "/net.onnx";
  const std::string svg = sensitivity_to_svg(run);
  const std::size_t end = svg.find("a/net.onnx: SQNR (dB) with one layer quantized</text>");
  ASSERT_NE(end, svg.npos);
  EXPECT_LT(end - svg.rfind("..", end), 40);
}

TEST(SensitivityPlot, NamesOfLayersAreTextInSvg) {
  SensitivityRun run = run_with({1e-4, 1e-2}, 1e-2);
  run.layers[1].path = "<script>&\"\x01\xff";
  const std::string svg = sensitivity_to_svg(run);
  EXPECT_THAT(svg, HasSubstr("&lt;script&gt;&amp;&quot;\\x01\\xff"));
  EXPECT_THAT(svg, Not(HasSubstr("<script>")));
}

TEST(SensitivityPlot, PngHasTheRightSize) {
  const SensitivityRun run = run_with({1e-4, 1e-2, 1e-3}, 1e-2);
  const auto drawn = sensitivity_to_png(run);
  ASSERT_TRUE(drawn) << drawn.error().message;
  const std::string& png = *drawn;
  ASSERT_GT(png.size(), 24);
  EXPECT_EQ(png.substr(1, 3), "PNG");
  EXPECT_EQ(png.substr(12, 4), "IHDR");
  // Two pixels for a unit of at least 480.
  EXPECT_EQ(png.substr(16, 4), std::string("\0\0\3\xc0", 4));
}

TEST(SensitivityPlot, BlocksFitTheWidth) {
  std::vector<double> noises(150, 1e-4);
  noises[77] = 1e-2;
  const SensitivityRun run = run_with(noises, 2e-2);
  for (const std::size_t width : {40u, 80u, 200u}) {
    std::string text = sensitivity_to_blocks(run, width);
    EXPECT_THAT(text, HasSubstr("1 layer77  20.0 dB"));
    text.erase(0, text.find('\n') + 1);  // the heading
    while (!text.empty()) {
      const std::size_t end = text.find('\n');
      EXPECT_LE(display_width(text.substr(0, end)), width);
      text.erase(0, end + 1);
    }
  }
  EXPECT_EQ(sensitivity_to_blocks(run_with({}, 1e-2), 80), "");
}

}  // namespace
}  // namespace strata
