// Numbers that other tools print, reproduced to the printed digit.
#include <cmath>
#include <filesystem>
#include <map>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "published.h"
#include "strata/cost/convention.h"
#include "strata/cost/energy.h"
#include "strata/infer/infer.h"
#include "strata/read/read.h"

namespace strata {
namespace {

struct Counted {
  Model model;
  Inference inference;
  Costs costs;
  Layers layers;
};

std::string path_of(const std::string& network) {
  return fmt::format("{}/{}.onnx", STRATA_TEST_MODELS, network);
}

Counted load(const std::string& network, const InferOptions& options = {}) {
  Counted counted;
  auto model = read_model(path_of(network));
  if (!model) throw std::runtime_error(model.error().message);
  counted.model = std::move(*model);
  auto inference = infer(counted.model, options);
  if (!inference) throw std::runtime_error(inference.error().message);
  counted.inference = std::move(*inference);
  counted.costs = count(counted.model);
  counted.layers = find_layers(counted.model, counted.costs);
  return counted;
}

const Counted& network(const std::string& name) {
  static std::map<std::string, Counted> loaded;
  auto found = loaded.find(name);
  if (found == loaded.end()) found = loaded.emplace(name, load(name)).first;
  return found->second;
}

ConventionCosts counts(const Counted& counted, const std::string& convention) {
  const auto found = find_convention(convention);
  EXPECT_TRUE(found) << found.error().message;
  return count_as(*found, counted.costs, counted.layers);
}

Metric metric_of(std::string_view wanted) {
  for (std::size_t m = 0; m < kMetrics; ++m)
    if (name_of(static_cast<Metric>(m)) == wanted) return static_cast<Metric>(m);
  ADD_FAILURE() << wanted;
  return Metric::Macs;
}

std::size_t decimals(const std::string& number) {
  const std::size_t point = number.find('.');
  return point == number.npos ? 0 : number.size() - point - 1;
}

class PublishedCounts : public testing::TestWithParam<Row> {};

TEST_P(PublishedCounts, AreReproduced) {
  const Row header = read_csv("published_counts.csv").front();
  const Row& row = GetParam();
  for (std::size_t i = 2; i < row.size(); ++i) {
    const ConventionCosts costs = counts(network(header[i]), row[0]);
    const auto number = costs.total[metric_of(row[1])].number();
    ASSERT_TRUE(number) << header[i];
    EXPECT_EQ(costs.total.certainty, Certainty::Exact) << header[i];
    EXPECT_EQ(fmt::format("{:.{}f}", *number / 1e6, decimals(row[i])), row[i]) << header[i];
  }
}

std::string test_name(const testing::TestParamInfo<Row>& info) {
  std::string text = info.param[0] + "_" + info.param[1];
  for (char& c : text)
    if (c == '-') c = '_';
  return text;
}

INSTANTIATE_TEST_SUITE_P(Golden, PublishedCounts,
                         testing::ValuesIn(without_header("published_counts.csv")), test_name);

// rasp's table of MobileNetV2, layer by layer. Dropout is not in an exported file.
TEST(RaspTable, EveryRowOfMobileNetV2) {
  const auto rows = read_csv("rasp_mobilenet_v2.csv");
  std::map<std::string, std::size_t> column;
  for (std::size_t i = 0; i < rows[0].size(); ++i) column[rows[0][i]] = i;
  const Counted& counted = network("mobilenet_v2");
  const ConventionCosts costs = counts(counted, "rasp");

  std::size_t layer = 0, compared = 0;
  for (std::size_t r = 1; r < rows.size(); ++r) {
    const auto cell = [&](const char* wanted) { return rows[r][column.at(wanted)]; };
    if (cell("type") == "Dropout") continue;
    while (layer < costs.layers.size() && !costs.layers[layer].counted) ++layer;
    ASSERT_LT(layer, costs.layers.size()) << cell("name");
    const LayerCount& count = costs.layers[layer];
    const Layer& found = counted.layers.list[layer];
    EXPECT_EQ("." + layer_path(counted.model, counted.costs, found), cell("name"));
    EXPECT_EQ(layer_type(counted.model, counted.costs, found), cell("type"));
    EXPECT_EQ(count.params.text(), cell("params")) << cell("name");
    EXPECT_EQ(count[Metric::Flops].text(), cell("flops")) << cell("name");
    EXPECT_EQ(count[Metric::Macs].text(), cell("macc")) << cell("name");
    EXPECT_EQ(count[Metric::ReadBytes].text(), cell("mem_r")) << cell("name");
    EXPECT_EQ(count[Metric::WriteBytes].text(), cell("mem_w")) << cell("name");
    EXPECT_EQ((count[Metric::ReadBytes] + count[Metric::WriteBytes]).text(), cell("mem_rw"));
    ++layer, ++compared;
  }
  EXPECT_EQ(compared, 140u);
  EXPECT_EQ(costs.total.params.text(), "3504872");
  EXPECT_EQ((costs.total[Metric::ReadBytes] + costs.total[Metric::WriteBytes]).text(), "170075968");
}

TEST(RaspTable, EnergyOfTheFirstRow) {
  const Counted& counted = network("mobilenet_v2");
  const auto energy = count_energy(*find_energy_model("rasp"), *find_convention("rasp"),
                                   counted.costs, counted.layers);
  ASSERT_TRUE(energy);
  EXPECT_EQ(energy->layers[0].picojoules.text(), "168705408");
}

// rasp's table of torchvision models of early 2020, as far as these models are available.
TEST(RaspTable, TorchvisionModels) {
  const auto convention = *find_convention("rasp-2020");
  const auto model = *find_energy_model("rasp");
  std::size_t compared = 0;
  for (const Row& row : without_header("rasp_torchvision_models.csv")) {
    // Later versions of torchvision scale the stem of these networks; the version of the table did
    // not.
    if (row[0].starts_with("mnasnet") && row[0] != "mnasnet1_0") continue;
    if (!std::filesystem::exists(path_of(row[0]))) continue;
    SCOPED_TRACE(row[0]);
    const Counted& counted = network(row[0]);
    const ConventionCosts costs = count_as(convention, counted.costs, counted.layers);
    EXPECT_EQ(as_printed(static_cast<double>(costs.total.params.number().value_or(0))), row[1]);
    EXPECT_EQ(as_printed(costs.total[Metric::Flops].number().value_or(0)), row[2]);
    const auto energy = count_energy(model, convention, counted.costs, counted.layers);
    ASSERT_TRUE(energy);
    EXPECT_EQ(as_printed(energy->total.picojoules.number().value_or(0)), row[3]);
    ++compared;
  }
  EXPECT_GE(compared, 5u);
}

// A case that other tools get wrong.
TEST(SpecialCases, AttentionCountsItsMatrixProducts) {
  EXPECT_EQ(network("self_attention").costs.total.macs.text(), "3670016");
}

TEST(SpecialCases, LinearReachedThroughTwoParentsRunsTwice) {
  EXPECT_EQ(network("shared_linear").costs.total.macs.text(), "20000");
  EXPECT_EQ(network("shared_linear").costs.total.params.text(), "10100");
}

TEST(SpecialCases, ConvTransposeCountsOnInputPositions) {
  EXPECT_EQ(network("conv_transpose").costs.total.macs.text(), "2097152");
}

TEST(SpecialCases, EmbeddingMultipliesNothing) {
  EXPECT_EQ(network("embedding").costs.total.macs.text(), "0");
  EXPECT_EQ(network("embedding").costs.total.params.text(), "25600000");
}

TEST(SpecialCases, MergedInitializersAreParametersOfTheirOwn) {
  EXPECT_EQ(network("mobilenet_v2_merged").costs.total.params.text(), "3487816");
}

TEST(SymbolicBatch, EveryConventionGivesAFormula) {
  const Counted& fixed = network("mobilenet_v2");
  const Counted dynamic = load("mobilenet_v2_dynamic");
  for (const std::string& convention : convention_names()) {
    const Metric headline = find_convention(convention)->headline();
    const ConventionCosts one = counts(fixed, convention), any = counts(dynamic, convention);
    EXPECT_EQ(any.total.certainty, Certainty::Exact) << convention;
    EXPECT_EQ(any.total[headline].text(), one.total[headline].text() + "·N") << convention;
  }
}

}  // namespace
}  // namespace strata
