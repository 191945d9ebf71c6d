// `calibrate`, `sensitivity` and `quantize` on OpenVINO, where it is installed. ONNX Runtime, which
// they run on otherwise, is the oracle: it shares no kernels with OpenVINO.
#include <cmath>
#include <map>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "program_folder.h"

namespace strata {
namespace {

using testing::HasSubstr;

class QuantizeOnOpenVino : public ProgramFolder {
 protected:
  void SetUp() override {
    ProgramFolder::SetUp();
    if (strata("engines").text.find("\nopenvino ") == std::string::npos)
      GTEST_SKIP() << "OpenVINO is not installed";
  }
  nlohmann::json json(const std::string& command, const std::string& options) const {
    const std::string digits = STRATA_SOURCE_DIR "/tests/models/digits/";
    const Ran ran = strata(command + " " + digits + "digits.onnx --data " + digits +
                           "images.npz --format json " + options + " 2>/dev/null");
    EXPECT_EQ(ran.code, 0) << ran.text;
    return nlohmann::json::parse(ran.text, nullptr, false);
  }
  // A number of each row, by the row's name.
  static std::map<std::string, double> column(const nlohmann::json& table, const char* name,
                                              const char* number) {
    std::map<std::string, double> out;
    for (const auto& row : table["rows"])
      if (row[number].is_number()) out[row[name]] = row[number];
    return out;
  }
};

TEST_F(QuantizeOnOpenVino, RangesAreThoseOfOnnxRuntime) {
  std::map<std::string, double> highest[2];
  for (const bool openvino : {false, true}) {
    const auto found = json("calibrate", openvino ? "--samples 16 --engine openvino"
                                                  : "--samples 16 --engine onnxruntime");
    ASSERT_TRUE(found.is_object());
    highest[openvino ? 1 : 0] = column(found["tables"]["tensors"], "tensor", "max");
  }
  ASSERT_EQ(highest[0].size(), 16u);
  ASSERT_EQ(highest[1].size(), 16u);
  for (const auto& [tensor, max] : highest[0])
    EXPECT_NEAR(highest[1][tensor], max, 1e-4 * std::abs(max)) << tensor;
}

TEST_F(QuantizeOnOpenVino, LayersAreAsSensitive) {
  std::map<std::string, double> sqnr[2];
  for (const bool openvino : {false, true}) {
    const auto found = json("sensitivity", openvino ? "--samples 8 --engine openvino"
                                                    : "--samples 8 --engine onnxruntime");
    ASSERT_TRUE(found.is_object());
    sqnr[openvino ? 1 : 0] = column(found["tables"]["layers"], "layer", "value");
  }
  ASSERT_EQ(sqnr[0].size(), 13u);
  ASSERT_EQ(sqnr[1].size(), 13u);
  // They differ where a sum is rounded to the next of two whole numbers.
  for (const auto& [layer, decibels] : sqnr[0]) EXPECT_NEAR(sqnr[1][layer], decibels, 2) << layer;
}

TEST_F(QuantizeOnOpenVino, TheFileRunsInInt8AndIsJudged) {
  const auto made = json("quantize", "-o out.onnx --no-time --samples 32 --engine openvino");
  ASSERT_TRUE(made.is_object());
  EXPECT_THAT(made["facts"]["engine"].get<std::string>(), HasSubstr("openvino"));
  EXPECT_GT(made["facts"]["answers"]["sqnr_db"], 25);
  EXPECT_EQ(made["facts"]["answers"]["top1_percent"], 100);
  const auto& layers = made["tables"]["layers"]["rows"];
  std::size_t products = 0;
  for (const auto& layer : layers)
    if (layer["kernel"] == "Convolution" || layer["kernel"] == "FullyConnected") {
      ++products;
      EXPECT_EQ(layer["runs_in"], "int8") << layer["layer"];
    }
  EXPECT_EQ(products, 13u);
}

}  // namespace
}  // namespace strata
