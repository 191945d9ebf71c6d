#include "strata/cost/convention.h"

#include <cstdio>
#include <fstream>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cost/test_counted.h"
#include "ops/example.h"
#include "ops/registry.h"
#include "strata/infer/infer.h"

namespace strata {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

struct Counted {
  Model model;
  Costs costs;
  Layers layers;
};

// A network with one operator.
Counted one_node(std::string_view op, const Example& example) {
  Counted counted;
  auto model = example_model(*find_rule("", op, kNewestOpset), example);
  if (!model) throw std::runtime_error(model.error().message);
  counted.model = std::move(*model);
  if (auto ok = infer(counted.model); !ok) throw std::runtime_error(ok.error().message);
  counted.costs = count(counted.model);
  counted.layers = find_layers(counted.model, counted.costs);
  return counted;
}

std::string counted_as(const std::string& convention, Metric metric, std::string_view op,
                       const Example& example) {
  const Counted counted = one_node(op, example);
  const auto found = find_convention(convention);
  if (!found) return found.error().message;
  return count_as(*found, counted.costs, counted.layers).total[metric].text();
}

std::string problem(std::string_view json) {
  const auto parsed = parse_convention(json, "mine.json");
  return parsed ? "fine" : parsed.error().message;
}

TEST(Conventions, AllBuiltInFilesAreRight) {
  EXPECT_THAT(convention_names(),
              ElementsAre("strata", "calflops", "eager", "flopcounter", "fvcore", "ptflops",
                          "ptflops-aten", "rasp", "rasp-2020", "served", "thop", "torchinfo",
                          "torchinfo-main", "torchprofile", "torchstat"));
  for (const std::string& name : convention_names()) {
    const auto convention = find_convention(name);
    ASSERT_TRUE(convention) << convention.error().message;
    EXPECT_EQ(convention->name(), name);
    EXPECT_FALSE(convention->title().empty()) << name;
    EXPECT_FALSE(convention->source().empty()) << name;
    EXPECT_TRUE(convention->has(convention->headline())) << name;
  }
  EXPECT_TRUE(find_convention("strata")->is_strata());
  EXPECT_EQ(find_convention("torchstat")->label(Metric::Flops), "MAdd");
}

// Computed by hand: 8 channels of 6×6 from 4 of 6×6, window 3×3, with bias.
const Example kConv = {"f32[2,4,6,6], f32[8,4,3,3], f32[8]", "pads=1,1,1,1", "f32[2,8,6,6]"};

TEST(Conventions, ConvolutionWithBias) {
  EXPECT_EQ(counted_as("strata", Metric::Macs, "Conv", kConv), "20736");  // 576·36
  EXPECT_EQ(counted_as("fvcore", Metric::Macs, "Conv", kConv), "20736");
  EXPECT_EQ(counted_as("thop", Metric::Macs, "Conv", kConv), "20736");
  EXPECT_EQ(counted_as("ptflops-aten", Metric::Macs, "Conv", kConv), "21312");  // 576·37
  EXPECT_EQ(counted_as("rasp", Metric::Flops, "Conv", kConv), "41472");         // 576·72
  EXPECT_EQ(counted_as("calflops", Metric::Flops, "Conv", kConv), "42048");     // 576·73
  EXPECT_EQ(counted_as("flopcounter", Metric::Flops, "Conv", kConv), "41472");
}

// 64→32, window 2, stride 2, on 16×16.
TEST(Conventions, TransposedConvolution) {
  const Example example = {"f32[1,64,16,16], f32[64,32,2,2]", "strides=2,2", "f32[1,32,32,32]"};
  const auto macs = [&](const char* convention) {
    return counted_as(convention, Metric::Macs, "ConvTranspose", example);
  };
  EXPECT_EQ(macs("strata"), "2097152");
  EXPECT_EQ(macs("fvcore"), "2097152");
  EXPECT_EQ(macs("thop"), "8388608");  // over output positions
  EXPECT_EQ(macs("ptflops"), "2097152");
  EXPECT_EQ(macs("torchprofile"), "8388608");
}

TEST(Conventions, UnflooredPositions) {
  // 224 with padding 1, window 3, stride 2: 112.5 positions along each axis.
  const Example example = {"f32[1,3,224,224], f32[32,3,3,3]", "strides=2,2 pads=1,1,1,1",
                           "f32[1,32,112,112]"};
  EXPECT_EQ(counted_as("rasp-2020", Metric::Flops, "Conv", example), "10530000");  // 405000·26
  EXPECT_EQ(counted_as("rasp-2020", Metric::WriteBytes, "Conv", example), "1620000");
}

TEST(Conventions, PoolsWithASquareWindow) {
  const Example example = {"f32[1,2,8,8]", "kernel_shape=3,3 strides=2,2 pads=1,1,1,1",
                           "f32[1,2,4,4]"};
  EXPECT_EQ(counted_as("rasp", Metric::Flops, "MaxPool", example), "64");        // 32·(3 − 1)
  EXPECT_EQ(counted_as("torchstat", Metric::Flops, "MaxPool", example), "256");  // 32·(9 − 1)
  EXPECT_EQ(counted_as("ptflops", Metric::Macs, "MaxPool", example), "256");     // twice 128
  EXPECT_EQ(counted_as("fvcore", Metric::Macs, "MaxPool", example), "0");
}

TEST(Conventions, SoftmaxCountsRows) {
  const Example example = {"f32[4,10]", "", "f32[4,10]"};
  EXPECT_EQ(counted_as("thop", Metric::Macs, "Softmax", example), "116");  // 4·(3·10 − 1)
  EXPECT_EQ(counted_as("torchstat", Metric::Flops, "Softmax", example), "116");
}

TEST(Conventions, RecurrentLayers) {
  // 5 steps, batch 2, 3 inputs, hidden 4.
  const Example lstm = {"f32[5,2,3], f32[1,16,3], f32[1,16,4], f32[1,32]", "hidden_size=4",
                        "f32[5,1,2,4]"};
  EXPECT_EQ(counted_as("thop", Metric::Macs, "LSTM", lstm), "1760");     // 10·(48+64+16+32+16)
  EXPECT_EQ(counted_as("ptflops", Metric::Macs, "LSTM", lstm), "1840");  // 10·(48+64+32+40)
  EXPECT_EQ(counted_as("flopcounter", Metric::Flops, "LSTM", lstm), "0");
  const Example gru = {"f32[5,2,3], f32[1,12,3], f32[1,12,4], f32[1,24]", "hidden_size=4",
                       "f32[5,1,2,4]"};
  EXPECT_EQ(counted_as("flopcounter", Metric::Flops, "GRU", gru), "1680");  // 2·10·(36+48)
}

TEST(Conventions, OpenBatchStaysAFormula) {
  const Example example = {"f32[N,4,6,6], f32[8,4,3,3]", "pads=1,1,1,1", "f32[N,8,6,6]"};
  EXPECT_EQ(counted_as("thop", Metric::Macs, "Conv", example), "10368·N");
  EXPECT_EQ(counted_as("rasp-2020", Metric::Flops, "Conv", example), "10080·N");
}

TEST(Conventions, OnesOwnFromAFile) {
  const std::string path = testing::TempDir() + "/every_relu_is_seven.json";
  std::ofstream(path) << R"({"metrics": {"macs": "sevens"}, "layers": {"ReLU": {"macs": "7*n"}}})";
  EXPECT_EQ(counted_as(path, Metric::Macs, "Relu", {"f32[3]", "", "f32[3]"}), "21");
  EXPECT_EQ(counted_as(path, Metric::Macs, "Tanh", {"f32[3]", "", "f32[3]"}), "0");
  std::remove(path.c_str());
}

TEST(Conventions, WithoutARuleCanBeUnknown) {
  const auto convention = parse_convention(
      R"({"metrics": {"macs": "m"}, "default": "unknown", "layers": {"ReLU": {"macs": "n"}}})",
      "x");
  ASSERT_TRUE(convention) << convention.error().message;
  const Counted counted = one_node("Tanh", {"f32[3]", "", "f32[3]"});
  const ConventionCosts costs = count_as(*convention, counted.costs, counted.layers);
  EXPECT_EQ(costs.layers[0].certainty, Certainty::Unknown);
  EXPECT_EQ(costs.total.certainty, Certainty::LowerBound);
}

TEST(Conventions, ARuleCanBeALowerBound) {
  const auto convention = parse_convention(
      R"({"metrics": {"macs": "m"}, "layers": {"ReLU": {"macs": "n", "at_least": true}}})", "x");
  ASSERT_TRUE(convention) << convention.error().message;
  const Counted counted = one_node("Relu", {"f32[3]", "", "f32[3]"});
  const ConventionCosts costs = count_as(*convention, counted.costs, counted.layers);
  EXPECT_EQ(costs.total[Metric::Macs].text(), "3");
  EXPECT_EQ(costs.layers[0].certainty, Certainty::LowerBound);
  EXPECT_EQ(costs.total.certainty, Certainty::LowerBound);
}

// numpy prints the cost of an einsum with four digits: 2·3·37·53·41 + 1 = 482,407 as 4.824e+05.
TEST(Conventions, AnEinsumCountsToFourDigits) {
  const Example example = {"f32[3,37,41], f32[3,53,41]", "equation=\"bid,bjd->bij\"",
                           "f32[3,37,53]"};
  EXPECT_EQ(counted_as("fvcore", Metric::Macs, "Einsum", example), "241200");
  EXPECT_EQ(counted_as("calflops", Metric::Flops, "Einsum", example), "482400");
  EXPECT_EQ(counted_as("ptflops-aten", Metric::Macs, "Einsum", example), "241203");
}

TEST(Conventions, EinsumsByTheirEquation) {
  const auto macs = [](const char* convention, const Example& example) {
    return counted_as(convention, Metric::Macs, "Einsum", example);
  };
  const Example batched = {"f32[3,37,41], f32[3,37,53]", "equation=\"b k i, b k j -> b i j\"",
                           "f32[3,41,53]"};
  EXPECT_EQ(macs("fvcore", batched), "241203") << "an equation that it counts by itself";
  EXPECT_EQ(macs("torchprofile", batched), "241203");
  const Example outer = {"f32[2,3], f32[2,5]", "equation=\"bi,bj->bij\"", "f32[2,3,5]"};
  EXPECT_EQ(macs("fvcore", outer), "15");  // half of 30 products and 1
  EXPECT_EQ(macs("torchprofile", outer), "30");
  const Example summed = {"f32[2,3]", "equation=\"ij->i\"", "f32[2]"};
  EXPECT_EQ(macs("fvcore", summed), "6");  // half of 2·6 and 1
  EXPECT_EQ(macs("torchprofile", summed), "6");
  const Example dots = {"f32[2,3], f32[3,5]", "equation=\"...j,jk->...k\"", "f32[2,5]"};
  EXPECT_EQ(macs("fvcore", dots), "30");
  EXPECT_EQ(macs("torchprofile", dots), "0");
}

TEST(Conventions, ARuleForOneOperatorOrNumberOfAxesHolds) {
  const auto convention = parse_convention(R"({"metrics": {"macs": "m"}, "layers": {
      "Conv": {"macs": "1"}, "Conv2d": {"macs": "2"}, "onnx:Sin": {"macs": "3"}}})",
                                           "x");
  ASSERT_TRUE(convention) << convention.error().message;
  const auto macs = [&](std::string_view op, const Example& example) {
    const Counted counted = one_node(op, example);
    return count_as(*convention, counted.costs, counted.layers).total[Metric::Macs].text();
  };
  EXPECT_EQ(macs("Conv", {"f32[1,1,4], f32[1,1,3]", "", "f32[1,1,2]"}), "1");
  EXPECT_EQ(macs("Conv", {"f32[1,1,4,4], f32[1,1,3,3]", "", "f32[1,1,2,2]"}), "2");
  EXPECT_EQ(macs("Sin", {"f32[4]", "", "f32[4]"}), "3");
}

TEST(Conventions, BadFilesGetASentence) {
  EXPECT_THAT(problem("{"), HasSubstr("convention mine.json: this is not a JSON file"));
  EXPECT_EQ(problem("[]"), "convention mine.json: the file must be a JSON object");
  EXPECT_THAT(problem(R"({"layer": {}})"), HasSubstr("\"layer\" is not a setting of a convention"));
  EXPECT_THAT(problem(R"({"layers": {}})"), HasSubstr("\"metrics\" must say what it counts"));
  EXPECT_THAT(problem(R"({"metrics": {"energy": "E"}})"), HasSubstr("must be one of macs, flops"));
  EXPECT_THAT(problem(R"({"metrics": {"macs": "m"}, "default": 3})"),
              HasSubstr("0, \"unknown\" or \"strata\""));
  EXPECT_THAT(problem(R"({"metrics": {"macs": "m"}})"), HasSubstr("\"layers\" must be an object"));
  EXPECT_THAT(problem(R"({"metrics": {"macs": "m"}, "headline": "flops", "layers": {}})"),
              HasSubstr("none of its metrics"));
  EXPECT_THAT(problem(R"({"metrics": {"macs": "m"}, "functional": 1, "layers": {}})"),
              HasSubstr("\"functional\" must be true, false"));
  EXPECT_THAT(problem(R"({"metrics": {"macs": "m"}, "layers": {"Convolution": {"macs": "1"}}})"),
              HasSubstr("there is no layer Convolution; the layers are Other, Conv"));
  EXPECT_THAT(problem(R"({"metrics": {"macs": "m"}, "layers": {"Conv": {"flops": "1"}}})"),
              HasSubstr("layer \"Conv\": \"flops\" is none of its metrics"));
  EXPECT_EQ(problem(R"({"metrics": {"macs": "m"}, "layers": {"Conv, Linear": {"macs": "N*(O"}}})"),
            "convention mine.json: layer \"Conv, Linear\", macs: formula \"N*(O\", column 5: "
            "')' is missing");
  EXPECT_THAT(problem(R"({"metrics": {"macs": "m"}, "layers": {"ReLU, ReLU": {"macs": "n"}}})"),
              HasSubstr("there are two rules for ReLU"));
  EXPECT_THAT(problem(R"({"metrics": {"macs": "m"}, "layers":
                          {"MultiheadAttention, MultiheadAttention": {"macs": "n"}}})"),
              HasSubstr("there are two rules for MultiheadAttention"));
  EXPECT_THAT(problem(R"({"metrics": {"macs": "m"}, "layers": {"ReLU": {"at_least": "n"}}})"),
              HasSubstr("layer \"ReLU\": \"at_least\" must be true or false"));
}

TEST(Conventions, UnknownNamesGetASentence) {
  EXPECT_THAT(find_convention("fvcor").error().message,
              HasSubstr("there is no convention \"fvcor\" (did you mean fvcore?); give one of "
                        "strata, calflops"));
  EXPECT_THAT(find_convention("no/such/file.json").error().message,
              HasSubstr("no/such/file.json: the file cannot be read"));
  EXPECT_EQ(find_convention("fvcor").error().kind, ErrorKind::Usage);
}

// Four elements through a Relu, one operation each, and an operator that strata has no rule for.
constexpr std::string_view kCustom = R"(
    input x f32[1,4]
    y = Relu(x)
    z = acme.Frobnicate(y)
    output z)";

TEST(Conventions, ARuleForAnOperatorThatStrataDoesNotKnowCountsIt) {
  const test::Counted network = test::counted(kCustom);
  const auto mine = parse_convention(R"({"metrics": {"flops": "FLOPs"}, "functional": true,
      "layers": {"onnx:Frobnicate": {"flops": "7*n"}}})",
                                     "mine.json");
  ASSERT_TRUE(mine) << mine.error().message;
  EXPECT_EQ(count_as(*mine, network.costs, network.layers).total[Metric::Flops].text(), "28");
  EXPECT_THAT(not_counted(*mine, network.costs), ElementsAre());
  EXPECT_THAT(not_counted(*find_convention("fvcore"), network.costs),
              ElementsAre("acme.Frobnicate (no rule)"));
}

TEST(Conventions, RulesCanBeLaidOverStratasOwnCounts) {
  const test::Counted network = test::counted(kCustom);
  const auto mine = parse_convention(R"({"default": "strata",
      "layers": {"onnx:Frobnicate": {"macs": "2*n", "flops": "7*n"}}})",
                                     "mine.json");
  ASSERT_TRUE(mine) << mine.error().message;
  const ConventionCosts counted = count_as(*mine, network.costs, network.layers);
  EXPECT_EQ(counted.total[Metric::Macs].text(), "8");
  EXPECT_EQ(counted.total[Metric::Flops].text(), "32");  // 4 and 28
  EXPECT_EQ(counted.total.certainty, Certainty::Exact);
  EXPECT_TRUE(counted.layers[0].is_stratas);
  EXPECT_FALSE(counted.layers[1].is_stratas);
  EXPECT_THAT(not_counted(*mine, network.costs), ElementsAre());
  EXPECT_EQ(mine->label(Metric::ReadBytes), "read");

  // A rule that leaves out FLOPs does not count the operator.
  const auto half = parse_convention(
      R"({"default": "strata", "layers": {"onnx:Frobnicate": {"macs": "2*n"}}})", "half.json");
  ASSERT_TRUE(half);
  EXPECT_EQ(not_counted(*half, network.costs).size(), 1u);
  EXPECT_EQ(count_as(*half, network.costs, network.layers).total.certainty, Certainty::LowerBound);
}

// 576·36 products and as many sums again, and 576 sums of the bias: 42048 operations.
TEST(Conventions, WithoutARuleStratasOwnCountStands) {
  const Counted counted = one_node("Conv", kConv);
  const auto none = parse_convention(R"({"default": "strata", "layers": {}})", "none.json");
  ASSERT_TRUE(none);
  const auto one =
      parse_convention(R"({"default": "strata", "layers": {"Conv2d": {"macs": "1"}}})", "one.json");
  ASSERT_TRUE(one);
  const LayerCount own = count_as(*none, counted.costs, counted.layers).total;
  EXPECT_EQ(own[Metric::Macs].text(), "20736");
  EXPECT_EQ(own[Metric::Flops].text(), "42048");
  const LayerCount changed = count_as(*one, counted.costs, counted.layers).total;
  EXPECT_EQ(changed[Metric::Macs].text(), "1");
  EXPECT_EQ(changed[Metric::Flops].text(), "42048") << "what a rule leaves out is strata's";
  EXPECT_EQ(changed[Metric::WriteBytes].text(), own[Metric::WriteBytes].text());
}

}  // namespace
}  // namespace strata
