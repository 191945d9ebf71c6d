// Memory measured on a GPU and published (rasp_mobilenet_v2.csv), and memory of
// PyTorch's own runs (device_memory_*.csv, by tests/models/measure_device_memory.py),
// reproduced to the byte with no device.
#include <sstream>

#include <gtest/gtest.h>

#include "published.h"
#include "strata/cost/device_memory.h"
#include "strata/profile/profile.h"
#include "strata/read/read.h"
#include "strata/report/report.h"
#include "strata/zoo/zoo.h"

namespace strata {
namespace {

struct Network {
  build::Network built;
  Costs costs;
  Layers layers;
};

Network load(const std::string& name) {
  auto built = zoo::build(name);
  EXPECT_TRUE(built) << built.error().message;
  Network network{std::move(*built), {}, {}};
  network.costs = count(network.built.model);
  network.layers = find_layers(network.built.model, network.costs);
  return network;
}

DeviceMemory simulate(const Network& network, const DeviceMemoryOptions& options = {}) {
  auto memory = simulate_device(network.built.model, network.costs, network.layers, options);
  EXPECT_TRUE(memory) << memory.error().message;
  return *memory;
}

// Name, net, alloc, at exit of every call of a leaf module.
std::vector<Row> module_rows(const Network& network, const DeviceMemory& memory) {
  std::vector<Row> rows;
  for (std::size_t i = 0; i < network.layers.list.size(); ++i) {
    const Layer& layer = network.layers.list[i];
    if (layer.functional) continue;
    const auto& call = memory.layers[i];
    EXPECT_TRUE(call);
    rows.push_back({layer_path(network.built.model, network.costs, layer),
                    std::to_string(call->net), std::to_string(call->alloc),
                    std::to_string(call->at_exit)});
  }
  return rows;
}

// How many of the 141 × 3 published values are right.
int published_matches(const DeviceMemoryOptions& options) {
  static const Network kNetwork = load("mobilenet_v2");
  static const std::vector<Row> kPublished = without_header("rasp_mobilenet_v2.csv");
  const DeviceMemory memory = simulate(kNetwork, options);
  EXPECT_EQ(memory.left, 0) << "nothing stays when the output is dropped";
  const auto rows = module_rows(kNetwork, memory);
  EXPECT_EQ(rows.size(), kPublished.size());
  int matches = 0;
  for (std::size_t i = 0; i < rows.size() && i < kPublished.size(); ++i) {
    EXPECT_EQ("." + rows[i][0], kPublished[i][1]);
    for (std::size_t k = 0; k < 3; ++k) matches += rows[i][1 + k] == kPublished[i][11 + k] ? 1 : 0;
  }
  return matches;
}

TEST(DeviceMemoryGolden, AllPublishedValues) { EXPECT_EQ(published_matches({}), 423); }

TEST(DeviceMemoryGolden, SecondForwardGivesTheSameRows) {
  EXPECT_EQ(published_matches({.forwards = 2}), 423);
}

// Each rule is needed: without it, only this many of the 423 values are right.
TEST(DeviceMemoryGolden, EveryRuleCounts) {
  EXPECT_EQ(published_matches({.weights_in_pool = false}), 417);
  EXPECT_EQ(published_matches({.allocator = {.best_fit = false}}), 417);
  EXPECT_EQ(published_matches({.allocator = {.split_limit = false}}), 417);
  EXPECT_EQ(published_matches({.allocator = {.merging = false}}), 414);
  EXPECT_EQ(published_matches({.allocator = {.large_segments = false}}), 365);
  EXPECT_EQ(published_matches({.in_place = false}), 348);
  EXPECT_EQ(published_matches({.allocator = {.rounding = false}}), 336);
  EXPECT_EQ(published_matches({.allocator = {.blocks = false}}), 330);
  EXPECT_EQ(published_matches({.calls_hold_inputs = false}), 287);
}

// The whole published table, all 14 columns.
TEST(DeviceMemoryGolden, LayoutHasThePublishedTable) {
  auto network = zoo::build("mobilenet_v2");
  ASSERT_TRUE(network);
  ProfileOptions options;
  options.layout = "rasp";
  options.device_memory = "pytorch-cuda";
  const auto profile = make_profile(network->model, network->inference, options);
  ASSERT_TRUE(profile) << profile.error().message;
  std::vector<Row> lines;
  std::istringstream csv(to_csv(*profile));
  for (std::string line; std::getline(csv, line);) lines.push_back(cells(line));
  EXPECT_EQ(lines, read_csv("rasp_mobilenet_v2.csv"));
}

class MeasuredRows : public testing::TestWithParam<std::string> {};

TEST_P(MeasuredRows, AreReproduced) {
  std::vector<Row> measured;
  for (Row& row : without_header("device_memory_rows.csv"))
    if (row[0] == GetParam()) measured.emplace_back(row.begin() + 1, row.end());
  ASSERT_GT(measured.size(), 50u);
  const Network network = load(GetParam());
  EXPECT_EQ(module_rows(network, simulate(network)), measured);
}

INSTANTIATE_TEST_SUITE_P(Golden, MeasuredRows,
                         testing::Values("resnet18", "squeezenet1_0", "densenet121"));

// An exported file does not contain the classes of its modules.
TEST(DeviceMemoryGolden, MeasuredRowsFromAFile) {
  auto model = read_model(STRATA_SOURCE_DIR "/tests/models/resnet18.onnx");
  ASSERT_TRUE(model) << model.error().message;
  auto inference = infer(*model);
  ASSERT_TRUE(inference) << inference.error().message;
  Network network{{std::move(*model), std::move(*inference)}, {}, {}};
  network.costs = count(network.built.model);
  network.layers = find_layers(network.built.model, network.costs);
  std::vector<Row> measured;
  for (Row& row : without_header("device_memory_rows.csv"))
    if (row[0] == "resnet18") measured.emplace_back(row.begin() + 1, row.end());
  EXPECT_EQ(module_rows(network, simulate(network)), measured);
}

class MeasuredPeaks : public testing::TestWithParam<Row> {};

TEST_P(MeasuredPeaks, AreReproduced) {
  const Row& row = GetParam();
  const DeviceMemory memory = simulate(load(row[0]));
  EXPECT_EQ(std::to_string(memory.weights), row[1]);
  EXPECT_EQ(std::to_string(memory.inputs), row[2]);
  EXPECT_EQ(std::to_string(memory.peak_allocated), row[3]);
  EXPECT_EQ(std::to_string(memory.peak_reserved), row[4]);
}

INSTANTIATE_TEST_SUITE_P(Golden, MeasuredPeaks,
                         testing::ValuesIn(without_header("device_memory_peaks.csv")),
                         [](const auto& test) { return test.param[0]; });

}  // namespace
}  // namespace strata
