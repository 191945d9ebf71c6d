#include "kernel_types.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace strata::ort {
namespace {

using ::testing::ElementsAre;

constexpr auto kF32 = static_cast<std::int32_t>(DType::F32);
constexpr auto kU8 = static_cast<std::int32_t>(DType::U8);
constexpr auto kI8 = static_cast<std::int32_t>(DType::I8);

// The types of a node with these inputs and this output.
KernelTypes types_of(std::string_view op, const std::vector<DType>& inputs, DType output,
                     std::vector<Attribute> attributes = {}) {
  Graph graph;
  std::vector<TensorId> in;
  for (const DType type : inputs) {
    in.push_back(static_cast<TensorId>(graph.tensors.size()));
    graph.tensors.emplace_back().type.edit().dtype = type;
  }
  const std::vector<TensorId> out = {static_cast<TensorId>(graph.tensors.size())};
  graph.tensors.emplace_back().type.edit().dtype = output;
  Node node;
  node.op = op;
  node.inputs = in;
  node.outputs = out;
  node.attributes = attributes;
  return kernel_types(graph, node);
}

TEST(KernelTypes, FloatsAreFloats) {
  const KernelTypes types = types_of("FusedConv", {DType::F32, DType::F32, DType::F32}, DType::F32);
  EXPECT_EQ(types.computes_in, kF32);
  EXPECT_THAT(types.inputs, ElementsAre(kF32, kF32, kF32));
  EXPECT_THAT(types.outputs, ElementsAre(kF32));
}

TEST(KernelTypes, ProductsOfEightBits) {
  EXPECT_EQ(
      types_of("QLinearConv", {DType::U8, DType::F32, DType::U8, DType::I8}, DType::U8).computes_in,
      kU8);
  // Writes floats, but multiplies whole numbers.
  EXPECT_EQ(types_of("MatMulIntegerToFloat", {DType::U8, DType::I8}, DType::F32).computes_in, kU8);
}

// Cases in which only the operator's name shows it.
TEST(KernelTypes, KernelsThatRoundWhatTheyRead) {
  EXPECT_EQ(types_of("DynamicQuantizeMatMul", {DType::F32, DType::I8}, DType::F32).computes_in,
            kI8);
  EXPECT_EQ(types_of("MatMulNBits", {DType::F32, DType::U8}, DType::F32).computes_in, kF32);
  EXPECT_EQ(types_of("MatMulNBits", {DType::F32, DType::U8}, DType::F32,
                     {{"accuracy_level", std::int64_t{4}}})
                .computes_in,
            kI8);
}

// Both only convert, so neither computes in 8 bits.
TEST(KernelTypes, ConversionsComputeInFloats) {
  EXPECT_EQ(types_of("QuantizeLinear", {DType::F32, DType::F32, DType::U8}, DType::U8).computes_in,
            kF32);
  EXPECT_EQ(
      types_of("DequantizeLinear", {DType::U8, DType::F32, DType::U8}, DType::F32).computes_in,
      kF32);
}

TEST(KernelTypes, WithoutInputsTheOutputTells) {
  EXPECT_EQ(types_of("RandomNormal", {}, DType::F32).computes_in, kF32);
  EXPECT_EQ(types_of("Unknown", {}, DType::Undefined).computes_in, 0);
}

}  // namespace
}  // namespace strata::ort
