#include "strata/measure/runs_in.h"

#include <gtest/gtest.h>

#include "strata/build/builder.h"

namespace strata {
namespace {

TEST(RunsIn, PrecisionsHaveTheirUsualNames) {
  EXPECT_EQ(precision_name(DType::F32), "fp32");
  EXPECT_EQ(precision_name(DType::U8), "int8");
  EXPECT_EQ(precision_name(DType::I8), "int8");
  EXPECT_EQ(precision_name(DType::F8E5M2), "fp8");
  EXPECT_EQ(precision_name(DType::I64), "");
  EXPECT_EQ(precision_name(DType::Undefined), "");
}

Kernel kernel(std::string op, DType dtype, std::vector<std::string> sources) {
  Kernel out;
  out.name = op + "_kernel";
  out.op = std::move(op);
  out.dtype = dtype;
  out.sources = std::move(sources);
  return out;
}

// This is how ONNX Runtime runs silero-vad's last layer: it rounds, transposes and convolves, and
// no value of the source model passes between these kernels, so the three share one list of nodes.
TEST(RunsIn, OfKernelsThatShareTheirNodesTheOneThatIsMeantCounts) {
  build::Builder net("Net");
  const build::Var x = net.relu("act", net.input("x", {1, 4, 8, 8}));
  net.output("y", net.op("Tanh", {net.conv("conv", x, 4)}));
  auto network = std::move(net).finish();
  ASSERT_TRUE(network) << network.error().message;
  const std::vector<std::string> keys = node_keys(network->model);
  ASSERT_EQ(keys.size(), 3u);  // Relu, Conv, Tanh
  const std::vector<std::string> shared = {keys[0], keys[1]};
  KernelPlan plan;
  plan.kernels = {kernel("QuantizeLinear", DType::F32, shared),
                  kernel("Transpose", DType::U8, shared), kernel("QLinearConv", DType::U8, shared)};
  plan.absent = {{keys[2], "folded into a constant"}};
  const std::vector<NodeKernel> found = kernels_of_nodes(network->model, plan);
  EXPECT_EQ(found[1].op, "QLinearConv");
  EXPECT_EQ(precision_name(found[1].dtype), "int8");
  EXPECT_EQ(found[0].op, "QLinearConv");  // more than a conversion
  EXPECT_EQ(found[2].kernel, "");
  EXPECT_EQ(found[2].absent, "folded into a constant");
}

}  // namespace
}  // namespace strata
