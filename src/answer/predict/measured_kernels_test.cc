#include "predict/measured_kernels.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "cost/test_counted.h"
#include "predict/calibration_networks.h"

namespace strata {
namespace {

using ::testing::DoubleNear;

// Times that were made by known constants give these constants back.
TEST(FitClasses, FindsTheConstantsOfTheTimes) {
  constexpr double kPeak = 1e11, kBandwidth = 2e10, kCompute = 0.7, kMemory = 1.5, kLaunch = 4e-6;
  std::vector<TimedKernel> timed;
  for (const double macs : {1e4, 1e5, 3e6, 2e7, 4e8})
    for (const double bytes : {1e3, 1e5, 3e6, 5e7}) {
      const FusedKernel kernel{.kind = KernelClass::Conv,
                               .macs = macs,
                               .read_bytes = 0.75 * bytes,
                               .write_bytes = 0.25 * bytes};
      const double work = std::max(2 * macs / (kPeak * kCompute), bytes / (kBandwidth * kMemory));
      timed.push_back({kernel, work + kLaunch});
    }
  timed.push_back({{.kind = KernelClass::Pool, .flops = 1e6, .read_bytes = 4}, 1e-3});
  const auto classes = fit_classes(timed, kPeak, kBandwidth);
  ASSERT_EQ(classes.size(), 2u);
  EXPECT_EQ(classes[0].kind, KernelClass::Conv);
  EXPECT_EQ(classes[0].kernels, 20u);
  EXPECT_THAT(classes[0].compute, DoubleNear(kCompute, 0.01));
  EXPECT_THAT(classes[0].memory, DoubleNear(kMemory, 0.03));
  EXPECT_THAT(classes[0].launch_seconds, DoubleNear(kLaunch, 2e-7));
  EXPECT_LT(classes[0].median_error, 0.01);
  EXPECT_EQ(classes[1].kind, KernelClass::Pool);
  EXPECT_LT(classes[1].median_error, 0.01);
}

// a is an engine's own kernel; b and c, which are one kernel of ours, are one of the engine, too;
// d and e are two of ours in one of the engine; the change of layout belongs to nobody.
TEST(PlaceTimes, GivesEachKernelItsTime) {
  const test::Counted net = test::counted(R"(
    input x f32[1,8,8,8]
    weight w f32[8,8,3,3]
    a = MaxPool(x) kernel_shape=2,2 strides=2,2
    b = Conv(a, w) pads=1,1,1,1
    c = Relu(b)
    d = MaxPool(c) kernel_shape=2,2 strides=2,2
    e = Softmax(d)
    output e)");
  std::vector<std::string> notes;
  const auto kernels = find_kernels(net.model, net.costs, Runtime::Engine, notes);
  ASSERT_TRUE(kernels);
  ASSERT_EQ(kernels->size(), 4u);
  const std::vector<std::string> keys = node_keys(net.model);
  const EngineKernel timed[] = {
      {{keys[0]}, 1}, {{}, 16}, {{keys[1], keys[2]}, 2}, {{keys[3], keys[4]}, 4}, {{keys[4]}, 8}};
  const PlacedTimes placed = place_times(net.model, net.costs, *kernels, timed);
  EXPECT_EQ(placed.beside, 16);
  EXPECT_EQ(placed.together, 4 + 8);
  ASSERT_EQ(placed.kernels.size(), 2u);
  EXPECT_EQ(placed.kernels[0].kernel.kind, KernelClass::Pool);
  EXPECT_EQ(placed.kernels[0].seconds, 1);
  EXPECT_EQ(placed.kernels[1].kernel.kind, KernelClass::Conv);
  EXPECT_EQ(placed.kernels[1].seconds, 2);
}

// Each class that common networks have is measured on several kernels.
TEST(CalibrationNetworks, HaveKernelsOfEachClass) {
  std::map<KernelClass, std::size_t> kernels;
  for (std::size_t i = 0; i < calibration_networks(); ++i) {
    auto model = calibration_network(i);
    ASSERT_TRUE(model) << calibration_network_name(i) << ": " << model.error().message;
    const Costs costs = count(*model);
    std::vector<std::string> notes;
    const auto found = find_kernels(*model, costs, Runtime::Engine, notes);
    ASSERT_TRUE(found) << found.error().message;
    for (const FusedKernel& kernel : *found) ++kernels[kernel.kind];
  }
  EXPECT_EQ(kernels[KernelClass::Unknown], 0u);
  for (const KernelClass kind :
       {KernelClass::ConvPointwise, KernelClass::Conv, KernelClass::ConvStem,
        KernelClass::ConvGrouped, KernelClass::Depthwise, KernelClass::DepthwiseLarge,
        KernelClass::Gemm, KernelClass::BatchedGemm, KernelClass::BatchNorm, KernelClass::LayerNorm,
        KernelClass::Pointwise, KernelClass::Softmax, KernelClass::Reduction, KernelClass::Pool,
        KernelClass::Copy})
    EXPECT_GE(kernels[kind], 4u) << name_of(kind);
}

}  // namespace
}  // namespace strata
