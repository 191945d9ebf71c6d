// The files are written by hand from the documentation and the sources of benchmark_app, which was
// not run.
#include <gtest/gtest.h>

#include "lint/readers.h"

namespace strata::lint {
namespace {

TEST(ReadOpenvino, CountersAreRowsWithATotal) {
  const char* report =
      "layerName;execStatus;layerType;execType;realTime (ms);cpuTime (ms);\n"
      "conv1;EXECUTED;Convolution;jit_avx512_FP32;1.200000;1.200000;\n"
      "relu1;NOT_RUN;ReLU;undef;0.000000;0.000000;\n"
      "fc;EXECUTED;FullyConnected;brgemm_FP32;0.300000;0.300000;\n"
      "Total;;;;1.500000;1.500000;\n";
  ASSERT_TRUE(looks_like_openvino(report));
  const auto claims = read_openvino(report);
  ASSERT_TRUE(claims) << claims.error().message;
  const ClaimTable& table = claims->tables.at(0);
  ASSERT_EQ(table.rows.size(), 2u);
  EXPECT_EQ(table.rows[1].name, "fc");
  EXPECT_EQ(table.rows[1].type, "FullyConnected");
  EXPECT_DOUBLE_EQ(table.at(table.rows[0], table.find_typical(Meaning::Seconds))->value, 1.2e-3);
  ASSERT_EQ(table.totals.size(), 1u);
}

TEST(ReadOpenvino, ResultsAreOneRow) {
  const char* report =
      "Command line parameters;\nd;CPU;\n\nExecution results;\nread model time (ms);12.5;\n"
      "total execution time (ms);60000.00;\ntotal number of "
      "iterations;12000;\nthroughput;200.00;\n";
  ASSERT_TRUE(looks_like_openvino(report));
  const auto claims = read_openvino(report);
  ASSERT_TRUE(claims) << claims.error().message;
  const ClaimTable& table = claims->tables.at(0);
  EXPECT_EQ(table.at(table.rows[0], table.find_typical(Meaning::FramesPerSecond))->value, 200);
  EXPECT_DOUBLE_EQ(table.at(table.rows[0], table.find_typical(Meaning::Seconds))->value, 5e-3);
  EXPECT_FALSE(read_openvino("Command line parameters;\nthroughput;abc;\n"));
}

}  // namespace
}  // namespace strata::lint
