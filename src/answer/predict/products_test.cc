#include "predict/products.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <sstream>

#include "strata/base/number_text.h"
#include "strata/predict/predict.h"

namespace strata {
namespace {

using ::testing::HasSubstr;

// 48 rows of 1000 outputs, each a sum of 512 products, without and with a bias.
TEST(Products, ShapesAreFoundFromCosts) {
  FusedKernel kernel{.kind = KernelClass::Gemm,
                     .macs = 48.0 * 1000 * 512,
                     .weight_bytes = 4.0 * (1000 * 512 + 1000),
                     .outputs = 48.0 * 1000};
  for (const double bias : {0.0, 1000.0}) {
    kernel.weight_bytes = 4 * (1000 * 512 + bias);
    const ProductShape shape = product_shape(kernel);
    EXPECT_DOUBLE_EQ(shape.rows, 48);
    EXPECT_DOUBLE_EQ(shape.columns, 1000);
    EXPECT_DOUBLE_EQ(shape.depth, 512);
  }
}

// 200×300 outputs on three cores, one tile on each at a time: the fastest of all tiles, by
// counting.
TEST(Products, TilesTakeWholeWaves) {
  const ProductShape shape{.rows = 200, .columns = 300, .depth = 100};
  ProductConstants constants{.waves = 1};
  const Tiling whole = best_tiling(shape, constants, 1e9, 3);
  double least = 1e300, least_of_shares = 1e300;
  for (const auto& [rows, columns] : {std::pair{256, 128},
                                      {128, 256},
                                      {128, 128},
                                      {128, 64},
                                      {64, 128},
                                      {64, 64},
                                      {64, 256},
                                      {256, 64},
                                      {32, 128},
                                      {16, 128},
                                      {128, 32}}) {
    for (const int parts : {1, 2, 4}) {
      const int tiles = parts * ((199 + rows) / rows) * ((299 + columns) / columns);
      const double each = 2.0 * rows * columns * 100 / parts / 1e9;
      least = std::min(least, (tiles + 2) / 3 * 3 * each);
      least_of_shares = std::min(least_of_shares, std::max(3, tiles) * each);
    }
  }
  EXPECT_DOUBLE_EQ(whole.seconds, least);
  constants.waves = 0;
  EXPECT_NEAR(best_tiling(shape, constants, 1e9, 3).seconds, least_of_shares, 1e-12);
  constants = {.compute = 0.5, .waves = 1};
  EXPECT_DOUBLE_EQ(best_tiling(shape, constants, 1e9, 3).seconds, 2 * least);
}

// Products in fp16 that NVIDIA measured (aiconfigurator 0.8.0, Apache-2.0, vLLM): rows, columns,
// depth and microseconds. They were chosen by lot from the half that the constants were not fitted
// to.
constexpr std::string_view kMeasuredProducts = R"(
a100-80|8192 16384 8192 7464.1|8192 3584 10240 2197.8|2048 12288 65536 11358.5|1024 10240 2048 163.2
a100-80|1024 5120 3072 156.8|256 512 65536 82.9|160 6144 65536 732.2|128 768 65536 85.6
a100-80|80 7168 3584 68.0|32 65536 512 53.1|16 8192 7168 81.2|16 5120 5120 36.0
a100-80|8 5120 12288 79.6|4 65536 512 48.9|4 7168 65536 602.6|2 10240 2048 31.7
h100|8192 65536 1024 1398.2|8192 5120 512 71.2|2048 12288 512 43.7|1024 12288 8192 230.5
h100|1024 7168 10240 188.8|256 5120 10240 50.8|160 6144 6144 32.8|128 5120 7168 29.9
h100|80 16384 12288 144.4|48 6144 6144 31.2|16 16384 2048 26.5|16 8192 10240 59.7
h100|8 8192 65536 374.4|4 65536 4096 191.5|4 7168 6144 36.0|2 10240 5120 39.7
h200|8192 65536 1024 1499.4|8192 5120 512 68.2|2048 12288 1536 99.5|1024 16384 65536 2688.0
h200|1024 7168 10240 188.2|256 5120 10240 42.9|160 6144 6144 25.4|128 5120 7168 22.9
h200|80 16384 12288 99.0|48 6144 5120 19.7|16 16384 2048 19.3|16 10240 65536 372.8
h200|8 7168 8192 33.5|4 65536 6144 197.5|4 7168 5120 23.3|2 10240 5120 27.2
b200|8192 65536 3584 2890.7|8192 10240 2560 235.9|4096 1536 12288 103.1|2048 3584 16384 152.7
b200|1024 65536 3584 311.5|256 12288 8192 44.9|160 16384 8192 54.2|128 10240 12288 42.4
b200|80 65536 3584 80.0|48 10240 16384 62.5|16 65536 8192 155.0|16 65536 2560 51.0
b200|8 10240 65536 205.6|8 2560 65536 57.1|4 7168 65536 147.5|2 65536 5120 108.1
l40s|8192 65536 2560 9983.7|8192 7168 16384 7065.6|2048 65536 10240 10380.8|2048 256 65536 504.6
l40s|1024 16384 2560 336.6|256 5120 65536 1132.6|160 7168 16384 419.5|128 7168 16384 417.8
l40s|80 12288 6144 252.9|48 5120 65536 1021.1|16 16384 8192 425.2|16 12288 6144 254.2
l40s|8 7168 65536 1292.1|4 65536 4096 742.8|4 7168 65536 1291.4|2 16384 12288 670.8
)";

TEST(Products, OnEnginesTakeAsLongAsMeasured) {
  std::istringstream lines{std::string(kMeasuredProducts)};
  std::map<std::string, std::vector<double>> errors;
  for (std::string line; std::getline(lines, line);) {
    if (line.empty()) continue;
    std::istringstream cells(line);
    std::string device, cell;
    std::getline(cells, device, '|');
    const auto predictor = Predictor::make(*find_device(device), Runtime::Engine, "fp16");
    ASSERT_TRUE(predictor.has_value()) << predictor.error().message;
    EXPECT_EQ(predictor->efficiency().name, device + "-engine");
    while (std::getline(cells, cell, '|')) {
      std::istringstream numbers(cell);
      double m = 0, n = 0, k = 0, us = 0;
      numbers >> m >> n >> k >> us;
      const FusedKernel kernel{.kind = KernelClass::Gemm,
                               .macs = m * n * k,
                               .read_bytes = 2 * (m * k + n * k),
                               .write_bytes = 2 * m * n,
                               .weight_bytes = 2 * n * k,
                               .outputs = m * n,
                               .element_bytes = 2};
      errors[device].push_back(std::abs(predictor->time(kernel).seconds * 1e6 / us - 1));
    }
  }
  EXPECT_EQ(errors.size(), 5u);
  std::vector<double> all;
  for (auto& [device, list] : errors) {
    std::sort(list.begin(), list.end());
    EXPECT_LT(list[list.size() / 2], 0.09) << device;
    all.insert(all.end(), list.begin(), list.end());
  }
  std::sort(all.begin(), all.end());
  EXPECT_LT(all[all.size() / 2], 0.06);
}

TEST(Products, FormulaHasTheNumbersOfTheTime) {
  const auto predictor = Predictor::make(*find_device("h100"), Runtime::Engine, "fp16");
  const FusedKernel kernel{.kind = KernelClass::Gemm,
                           .macs = 64.0 * 4096 * 4096,
                           .read_bytes = 2 * (64.0 * 4096 + 4096.0 * 4096),
                           .write_bytes = 2 * 64.0 * 4096,
                           .weight_bytes = 2.0 * 4096 * 4096,
                           .outputs = 64.0 * 4096,
                           .element_bytes = 2};
  const std::string text = predictor->formula(kernel);
  EXPECT_THAT(text, HasSubstr("64×4096 by 4096×4096 in tiles of "));
  EXPECT_THAT(text, HasSubstr(" / (3.354 TB/s · "));
  EXPECT_THAT(text, HasSubstr("launch = " + human_seconds(predictor->time(kernel).seconds)));
  EXPECT_EQ(predictor->time(kernel).bound, Bound::Memory);
}

}  // namespace
}  // namespace strata
