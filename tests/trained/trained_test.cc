// Two trained networks (tests/models), from ranges to an int8 file. tests/trained/oracle.py
// computes the expected results without strata and without an engine.
#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "../cli/program_folder.h"

namespace strata {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::Ge;
using testing::Le;

// For one layer: the engine adds in another order than the oracle, and in single precision.
constexpr double kAloneDb = 0.05;
// For all layers, where a last bit in an early layer can become a whole step in a later one: the
// oracle itself differs by 0.03 dB between single and double precision.
constexpr double kJointDb = 0.15;
// For a written file, whose kernels also round products and sums.
constexpr double kWrittenDb = 0.6;
constexpr int kJudged = 32;

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

bool is_first(const json& layer) { return layer["place"].get<std::string>().starts_with("first"); }
bool is_last(const json& layer) { return layer["place"].get<std::string>().starts_with("last"); }
bool is_exit(const json& layer) {
  return layer["place"].get<std::string>().find("MBConv") != std::string::npos;
}
// A convolution with neither norm nor activation.
bool is_bare(const json& layer) { return layer["operators"] == "Conv"; }
bool is_depthwise_without_norm(const json& layer) {
  return layer["operators"] == "Conv+Gelu" &&
         layer["place"].get<std::string>().starts_with("depthwise");
}

class Trained : public ProgramFolder {
 protected:
  struct Network {
    std::string name, samples;
    int calibrated;
  };

  std::string files(const Network& network) const {
    const std::string folder = fmt::format("{}/tests/models/{}/", STRATA_SOURCE_DIR, network.name);
    return fmt::format("{0}{1}.onnx {0}{2}", folder, network.name, network.samples);
  }
  std::string model_and_data(const Network& network) const {
    std::string text = files(network);
    return text.replace(text.find(' '), 1, " --batch 1 --data ");
  }
  json parsed(const Ran& ran) const {
    EXPECT_EQ(ran.code, 0) << ran.text;
    return json::parse(ran.text, nullptr, false);
  }
  json oracle(const Network& network, const std::string& options = "") const {
    return parsed(shell(fmt::format(
        "/usr/bin/python3 -B {}/tests/trained/oracle.py {} --calibrate {} --judge {} {}",
        STRATA_SOURCE_DIR, files(network), network.calibrated, kJudged, options)));
  }

  // strata finds what the oracle finds.
  json sensitivity(const Network& network) const {
    const Ran ranges = strata(fmt::format("calibrate {} --samples {} -o ranges.json",
                                          model_and_data(network), network.calibrated));
    EXPECT_EQ(ranges.code, 0) << ranges.text;
    json found = parsed(strata(
        fmt::format("sensitivity {} --offset {} --samples {} --ranges ranges.json --format json",
                    model_and_data(network), network.calibrated, kJudged)));
    const json truth = oracle(network);
    json& layers = found["tables"]["layers"]["rows"];
    std::sort(layers.begin(), layers.end(),  // as they run
              [](const json& a, const json& b) { return a["index"] < b["index"]; });
    EXPECT_EQ(layers.size(), truth["layers"].size());
    for (std::size_t l = 0; l < std::min(layers.size(), truth["layers"].size()); ++l)
      EXPECT_NEAR(layers[l]["value"], truth["layers"][l]["alone"]["sqnr_db"], kAloneDb)
          << layers[l]["layer"] << " is " << truth["layers"][l]["node"];
    EXPECT_NEAR(found["facts"]["joint"]["value"], truth["joint"]["sqnr_db"], kJointDb);
    EXPECT_NEAR(
        std::log(found["facts"]["additivity"].get<double>() / truth["additivity"].get<double>()), 0,
        kJointDb * std::log(10) / 10);
    return found;
  }
  static double times_the_others(const json& run, const std::function<bool(const json&)>& is_in) {
    std::vector<double> inside, outside;
    for (const json& layer : run["tables"]["layers"]["rows"])
      (is_in(layer) ? inside : outside).push_back(layer["drop"]);
    EXPECT_FALSE(inside.empty());
    return inside.empty() ? 0 : median(inside) / median(outside);
  }

  // The written file does what its Q/DQ pairs say, and the classes stay right.
  void expect_int8_keeps_classes(const Network& network, double accuracy) const {
    const json written = parsed(strata(
        fmt::format("quantize {} --samples {} --held-out {} --no-time --format json -o int8.onnx",
                    model_and_data(network), network.calibrated, kJudged)));
    const json truth =
        oracle(network, fmt::format("--written int8.onnx --labels {}/tests/models/{}/labels.txt",
                                    STRATA_SOURCE_DIR, network.name));
    EXPECT_NEAR(written["facts"]["answers"]["sqnr_db"], truth["sqnr_db"], kWrittenDb);
    EXPECT_GE(truth["float_accuracy"], accuracy);
    EXPECT_GE(truth["written_accuracy"], truth["float_accuracy"].get<double>() - 1.5 / kJudged);
  }
};

// The published finding for EfficientViT-SAM holds here for the first and last layers alone.
TEST_F(Trained, AnEfficientVitOnClothes) {
  const Network network{"fashion", "images.npz", 64};
  const json run = sensitivity(network);
  EXPECT_GT(times_the_others(run, is_first), 20);
  EXPECT_GT(times_the_others(run, is_last), 5);
  EXPECT_THAT(times_the_others(run, is_exit), AllOf(Ge(0.25), Le(2)));
  EXPECT_THAT(times_the_others(run, is_bare), AllOf(Ge(0.1), Le(2)));
  // In the MBConv blocks, the depthwise convolutions dip, not the exits after them.
  EXPECT_GT(times_the_others(run, is_depthwise_without_norm), 2);
  EXPECT_THAT(run["facts"]["additivity"], AllOf(Ge(0.8), Le(1.3)));

  std::vector<std::string> blocks;
  for (const json& layer : run["tables"]["layers"]["rows"]) blocks.push_back(layer["block"]);
  ASSERT_EQ(blocks.size(), 36u);
  EXPECT_EQ(blocks.front(), "stage0:0:0");
  EXPECT_EQ(blocks[20], "stage4:1:0");  // queries, keys and values
  EXPECT_EQ(blocks[34], "head:0:0");
  EXPECT_EQ(blocks.back(), "");  // a product is not part of a block
  expect_int8_keeps_classes(network, 0.85);
}

TEST_F(Trained, AMobileNetOnSpokenWords) {
  const Network network{"words", "sounds.npz", 48};
  const json run = sensitivity(network);
  EXPECT_GT(times_the_others(run, is_first), 2);
  EXPECT_GT(times_the_others(run, is_last), 10);
  EXPECT_THAT(times_the_others(run, is_exit), AllOf(Ge(0.5), Le(3)));
  EXPECT_THAT(run["facts"]["additivity"], AllOf(Ge(0.8), Le(1.3)));
  expect_int8_keeps_classes(network, 0.95);
}

}  // namespace
}  // namespace strata
