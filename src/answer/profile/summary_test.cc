// The figures that stand below every table, with numbers that are worked out here.
#include "profile/summary.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "profile/roof_place.h"
#include "strata/profile/rows.h"
#include "strata/zoo/zoo.h"

namespace strata {
namespace {

Profile::Summary summary_of_network(const std::string& name) {
  const auto network = zoo::build(name);
  EXPECT_TRUE(network) << network.error().message;
  const auto analysis = analyse(network->model, network->inference);
  EXPECT_TRUE(analysis) << analysis.error().message;
  return summary_of(*analysis, make_rows(*analysis).totals.figures);
}

// torchvision states 11,689,512 parameters. layer4.0.conv2 has 512·512·9 of them, as two later
// layers have; conv1 takes 112·112·64·(7·7·3) of the 1,814,073,344 MACs.
TEST(Summary, NamesTheLargestLayersOfResNet18) {
  const Profile::Summary summary = summary_of_network("resnet18");
  EXPECT_TRUE(summary.params.is(11'689'512));
  EXPECT_TRUE(summary.param_bytes.is(4 * 11'689'512));
  ASSERT_TRUE(summary.most_params);
  EXPECT_EQ(summary.most_params->layer, "layer4.0.conv2");
  EXPECT_DOUBLE_EQ(summary.most_params->share, 2'359'296.0 / 11'689'512);
  ASSERT_TRUE(summary.most_macs);
  EXPECT_EQ(summary.most_macs->layer, "conv1");
  EXPECT_DOUBLE_EQ(summary.most_macs->share, 118'013'952.0 / 1'814'073'344);
  EXPECT_TRUE(summary.slowest.empty()) << "nothing was timed";
}

// Every layer's MACs are a multiple of the batch, and no formula is called the largest.
TEST(Summary, WithAnOpenSizeNamesNoLayer) {
  const Profile::Summary summary = summary_of_network("resnet18?batch=N");
  EXPECT_TRUE(summary.macs.above().is_formula());
  EXPECT_FALSE(summary.most_macs);
  ASSERT_TRUE(summary.most_params) << "parameters do not depend on the batch";
}

// The convolution takes 118 M MACs, 236 MFLOP, and moves 3.9 MB. Below 1 TFLOP/s and 1 GB/s, memory
// would take 3.9 ms: in 0.5 ms its data came from a cache, and it reaches 47 % of the arithmetic. A
// change of layout behind it took longer.
TEST(Summary, SaysWhyTheSlowestAreSlow) {
  const auto network = zoo::build("resnet18");
  ASSERT_TRUE(network) << network.error().message;
  auto analysis = analyse(network->model, network->inference);
  ASSERT_TRUE(analysis) << analysis.error().message;
  analysis->by_layer[0].edit().seconds = 0.0005;
  analysis->by_layer[3].edit().seconds = 0.0001;
  Row& conversion = analysis->attached.timed_beside.emplace_back();
  conversion.layer = "reorder_3";
  conversion.type = "Reorder";
  conversion.bound = "layout";
  conversion.node = analysis->layers.list[3].main;
  conversion.figures.seconds = 0.0002;
  analysis->attached.timing.emplace();
  Roofline roofline;
  roofline.fp32_flops = 1e12;
  roofline.bytes_per_second = 1e9;
  analysis->attached.reasons = roofline;
  const Profile::Summary summary = summary_of(*analysis, make_rows(*analysis).totals.figures);
  ASSERT_EQ(summary.slowest.size(), 3u);
  EXPECT_EQ(summary.slowest[0].layer, "conv1");
  EXPECT_EQ(summary.slowest[0].place.bound, "compute");
  EXPECT_NEAR(summary.slowest[0].place.percent.value(), 47.2, 0.1);
  EXPECT_EQ(summary.slowest[1].layer, "reorder_3");
  EXPECT_EQ(summary.slowest[1].place.bound, "layout conversion between conv1 and maxpool");
  EXPECT_EQ(summary.slowest[2].layer, "maxpool");
}

// A Linear on one sample uses each weight once: 1 MFLOP and 2.06 MB in 1 ms. Memory at 1 GB/s would
// take 2.06 ms, and arithmetic at 1 TFLOP/s 1 µs: neither overhead nor arithmetic holds it up.
TEST(Summary, SaysThatDataComesFromCaches) {
  const auto network = zoo::build("resnet18");
  ASSERT_TRUE(network) << network.error().message;
  auto analysis = analyse(network->model, network->inference);
  ASSERT_TRUE(analysis) << analysis.error().message;
  analysis->by_layer.back().edit().seconds = 0.001;
  analysis->attached.timing.emplace();
  Roofline roofline;
  roofline.fp32_flops = 1e12;
  roofline.bytes_per_second = 1e9;
  analysis->attached.reasons = roofline;
  const Profile::Summary summary = summary_of(*analysis, make_rows(*analysis).totals.figures);
  ASSERT_EQ(summary.slowest.size(), 1u);
  EXPECT_EQ(summary.slowest[0].layer, "fc");
  EXPECT_EQ(summary.slowest[0].place.bound, "caches");
  EXPECT_NEAR(summary.slowest[0].place.percent.value(), 206, 1);
}

// 2 GFLOP and 1 MB in 4 ms, below 1 TFLOP/s and 100 GB/s: arithmetic would take 2 ms.
TEST(RoofPlaceOfALayer, IsThatOfTheNearerLimit) {
  Roofline roofline;
  roofline.fp32_flops = 1e12;
  roofline.bytes_per_second = 1e11;
  Figures figures;
  figures.flops = Amount(Expr(2'000'000'000));
  figures.read_bytes = Amount(Expr(1'000'000));
  figures.seconds = 0.004;
  RoofPlace place = place_below(figures, roofline);
  EXPECT_EQ(place.bound, "compute");
  EXPECT_DOUBLE_EQ(place.percent.value(), 50);
  // 500 MB take 5 ms of 10.
  figures.read_bytes = Amount(Expr(500'000'000));
  figures.seconds = 0.010;
  place = place_below(figures, roofline);
  EXPECT_EQ(place.bound, "memory");
  EXPECT_DOUBLE_EQ(place.percent.value(), 50);
  figures.seconds = 0.1;  // 5 % of the roof: something else takes the time
  EXPECT_EQ(place_below(figures, roofline).bound, "neither");
  figures.read_bytes = Amount::unknown();
  EXPECT_EQ(place_below(figures, roofline).bound, "");
}

}  // namespace
}  // namespace strata
