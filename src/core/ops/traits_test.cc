// Properties that rows must state about their operators, given their family and what they already
// state. A row that lacks a property fails here, not in a network that has the operator.
#include "ops/traits.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "ops/example.h"
#include "ops/node_view.h"
#include "ops/registry.h"

namespace strata {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

using Names = std::vector<std::string>;

bool has_attribute(const Traits& traits, Attr attr) {
  return std::any_of(traits.attributes.begin(), traits.attributes.end(),
                     [&](const AttributeName& name) { return name.attr == attr; });
}

bool is_any(LayerKind kind, std::initializer_list<LayerKind> kinds) {
  return std::find(kinds.begin(), kinds.end(), kind) != kinds.end();
}

// Returns the properties that a row lacks for its family.
Names lacks_of_family(std::string_view family, const Traits& traits) {
  Names lacks;
  if (family.starts_with("aten_")) family.remove_prefix(5);
  const auto need = [&](bool stated, const char* what) {
    if (!stated) lacks.emplace_back(what);
  };
  if (family == "activation") {
    need(traits.int8 != Int8Use::Unknown, "int8");
    // Softmax and similar operators work on several elements together.
    need(traits.curve != nullptr || has_attribute(traits, Attr::Axis), "curve");
    need(traits.activation || has_attribute(traits, Attr::Axis), "activation");
  }
  if (family == "conv" || family == "matmul" || family == "microsoft_conv" ||
      family == "microsoft_matmul")
    need(traits.product != Product::Unknown, "product");
  if (family == "norm" || family == "microsoft_norm")
    need(traits.norm.how != Normalizes::Unknown, "norm");
  if (family == "pool") need(traits.int8 != Int8Use::Unknown, "int8");
  if (family == "resize")
    need(traits.int8 != Int8Use::Unknown || traits.int8_of != nullptr, "int8");
  if (family == "recurrent") need(traits.kind == LayerKind::Recurrent, "recurrent kind");
  if (family == "control") need(traits.bodies != BodyRuns::Unknown, "bodies");
  if (family == "random") need(traits.random, "random");
  if (family == "quant" || family == "microsoft_qlinear")
    need(traits.quantized != Quantized::Unknown, "quantized");
  return lacks;
}

// Returns the properties that follow from a row's own and are missing.
Names lacks_of_row(const Traits& traits) {
  Names lacks;
  const auto need = [&](bool stated, const char* what) {
    if (!stated) lacks.emplace_back(what);
  };
  need(traits.kind != LayerKind::Unknown || traits.kind_of != nullptr, "kind");
  const bool is_conv = traits.product == Product::Conv || traits.product == Product::ConvTranspose;
  if (is_conv || traits.product == Product::Gemm || traits.product == Product::MatMul ||
      traits.kind_with_weights != LayerKind::Unknown)
    need(traits.weights != kNoInput, "weights");
  if (is_any(traits.kind, {LayerKind::Conv, LayerKind::ConvTranspose}))
    need(is_conv, "product of a convolution");
  if (traits.kind == LayerKind::MatMul)
    need(traits.product == Product::Gemm || traits.product == Product::MatMul,
         "product of matrices");
  if (is_conv)
    for (const Attr attr : {Attr::Groups, Attr::Strides, Attr::Dilations})
      need(has_attribute(traits, attr), "attributes of a convolution");
  if (is_conv)
    need(has_attribute(traits, Attr::Pads) || has_attribute(traits, Attr::Padding), "padding");
  if (traits.product == Product::Gemm)
    need(
        has_attribute(traits, Attr::TransposeFirst) && has_attribute(traits, Attr::TransposeSecond),
        "attributes of a product");
  if (traits.kind == LayerKind::Softmax) need(has_attribute(traits, Attr::Axis), "axis");
  if (traits.kind == LayerKind::Upsample) need(has_attribute(traits, Attr::Mode), "mode");
  if (traits.kind == LayerKind::Recurrent)
    need(traits.gates > 0 && has_attribute(traits, Attr::BatchFirst), "gates and layout");
  if (traits.kind == LayerKind::BatchNorm)
    need(traits.norm.how == Normalizes::ByStatistics, "statistics");
  if (traits.norm.how == Normalizes::ByStatistics)
    need(traits.norm.mean != kNoInput && traits.norm.variance != kNoInput &&
             has_attribute(traits, Attr::Epsilon),
         "mean, variance and epsilon");
  if (traits.activation) need(traits.curve != nullptr, "curve");
  if (traits.int8 == Int8Use::Absorbed) need(traits.clamp.is, "clamp");
  if (traits.int8_output != Int8Output::Unknown)
    need(traits.product != Product::Unknown && traits.product != Product::None &&
             traits.product != Product::Other,
         "product with a kernel in int8");
  if (traits.written_out.gated != LayerKind::Unknown)
    need(traits.written_out.plain != LayerKind::Unknown, "plain form");
  return lacks;
}

Names lacks(const OpTable& table, const Family& family, const OpRule& rule) {
  const int version = rule.until != 0 ? rule.until : std::max(rule.since, kNewestOpset);
  const OpRule* found = table.find(rule.domain, rule.name, version);
  if (found == nullptr) return {"row"};
  Names all = lacks_of_family(family.name, found->traits);
  const Names own = lacks_of_row(found->traits);
  all.insert(all.end(), own.begin(), own.end());
  return all;
}

TEST(OperatorTraits, EveryRowStatesWhatItsFamilyNeeds) {
  const OpTable table(families());
  for (const Family& family : families())
    for (const OpRule& rule : family.rules)
      EXPECT_THAT(lacks(table, family, rule), IsEmpty())
          << family.name << ": " << rule.domain << " " << rule.name;
}

TEST(OperatorTraits, EveryRowOfAtenStatesWhatItsFamilyNeeds) {
  for (const Family& family : aten_families())
    for (const OpRule& rule : family.rules) {
      const OpRule* found = find_rule(rule.domain, rule.name, 1);
      ASSERT_NE(found, nullptr) << rule.name;
      Names all = lacks_of_family(family.name, found->traits);
      const Names own = lacks_of_row(found->traits);
      all.insert(all.end(), own.begin(), own.end());
      EXPECT_THAT(all, IsEmpty()) << family.name << ": " << rule.name;
    }
}

TEST(OperatorTraits, ABareRowLacksWhatItsFamilyNeeds) {
  static constexpr OpRule kBare[] = {{.name = "Snake"}};
  const auto lacks_in = [&](std::string_view name) {
    const Family family{name, kBare};
    return lacks(OpTable({&family, 1}), family, kBare[0]);
  };
  EXPECT_THAT(lacks_in("activation"), ElementsAre("int8", "curve", "activation", "kind"));
  EXPECT_THAT(lacks_in("conv"), ElementsAre("product", "kind"));
  EXPECT_THAT(lacks_in("norm"), ElementsAre("norm", "kind"));
  EXPECT_THAT(lacks_in("control"), ElementsAre("bodies", "kind"));
  EXPECT_THAT(lacks_in("random"), ElementsAre("random", "kind"));
}

TEST(OperatorTraits, AHalfStatedRowLacksTheRest) {
  EXPECT_THAT(lacks_of_row({.kind = LayerKind::Conv}), ElementsAre("product of a convolution"));
  EXPECT_THAT(lacks_of_row({.kind = LayerKind::Recurrent}), ElementsAre("gates and layout"));
  EXPECT_THAT(lacks_of_row({.kind = LayerKind::Other, .int8 = Int8Use::Absorbed}),
              ElementsAre("clamp"));
  EXPECT_THAT(lacks_of_row({.kind = LayerKind::Other, .activation = true}), ElementsAre("curve"));
}

const Traits& traits(std::string_view op, std::string_view domain = "",
                     std::int32_t opset = kNewestOpset) {
  Node node;
  node.op = op;
  node.domain = domain;
  node.opset = opset;
  return traits_of(node);
}

TEST(OperatorTraits, AnOperatorWithoutARowIsUnknown) {
  EXPECT_EQ(traits("Snake").kind, LayerKind::Unknown);
  EXPECT_EQ(traits("Conv", "my.own").kind, LayerKind::Unknown);
  EXPECT_EQ(traits("Snake").int8, Int8Use::Unknown);
  EXPECT_EQ(traits("Abs").kind, LayerKind::Other);
}

TEST(OperatorTraits, KindsOfLayers) {
  const std::pair<const char*, LayerKind> kinds[] = {
      {"Conv", LayerKind::Conv},
      {"ConvInteger", LayerKind::Conv},
      {"QLinearConv", LayerKind::Conv},
      {"ConvTranspose", LayerKind::ConvTranspose},
      {"BatchNormalization", LayerKind::BatchNorm},
      {"LayerNormalization", LayerKind::LayerNorm},
      {"GroupNormalization", LayerKind::GroupNorm},
      {"InstanceNormalization", LayerKind::InstanceNorm},
      {"Relu", LayerKind::ReLU},
      {"LeakyRelu", LayerKind::LeakyReLU},
      {"PRelu", LayerKind::PReLU},
      {"Elu", LayerKind::ELU},
      {"Gelu", LayerKind::GELU},
      {"HardSwish", LayerKind::Hardswish},
      {"HardSigmoid", LayerKind::Hardsigmoid},
      {"Sigmoid", LayerKind::Sigmoid},
      {"Tanh", LayerKind::Tanh},
      {"Softmax", LayerKind::Softmax},
      {"GlobalAveragePool", LayerKind::AdaptiveAvgPool},
      {"GlobalMaxPool", LayerKind::AdaptiveMaxPool},
      {"Dropout", LayerKind::Dropout},
      {"Flatten", LayerKind::Flatten},
      {"Resize", LayerKind::Upsample},
      {"Upsample", LayerKind::Upsample},
      {"RNN", LayerKind::Recurrent},
      {"LSTM", LayerKind::Recurrent},
      {"GRU", LayerKind::Recurrent},
      {"Attention", LayerKind::Attention},
      {"Add", LayerKind::Elementwise},
      {"Sub", LayerKind::Elementwise},
      {"Mul", LayerKind::Elementwise},
      {"Div", LayerKind::Elementwise},
  };
  for (const auto& [op, kind] : kinds) EXPECT_EQ(traits(op).kind, kind) << op;
  for (const char* op : {"FusedConv", "NhwcFusedConv", "QLinearConv"})
    EXPECT_EQ(traits(op, kMicrosoft).kind, LayerKind::Conv) << op;
  for (const char* op : {"Attention", "MultiHeadAttention", "GroupQueryAttention"})
    EXPECT_EQ(traits(op, kMicrosoft).kind, LayerKind::Attention) << op;
  for (const char* op : {"Gemm", "MatMul", "MatMulInteger", "QLinearMatMul"})
    EXPECT_EQ(traits(op).kind_with_weights, LayerKind::Linear) << op;
  for (const char* op : {"FusedMatMul", "FusedGemm", "MatMulNBits"})
    EXPECT_EQ(traits(op, kMicrosoft).kind_with_weights, LayerKind::Linear) << op;
}

// Operators that ONNX Runtime's int8 models treat alike; this was found out there.
TEST(OperatorTraits, UsesOfWholeNumbers) {
  for (const char* op : {"Reshape", "Transpose", "Flatten", "Squeeze", "Unsqueeze", "Slice",
                         "Gather", "MaxPool", "Split", "Identity", "Dropout"})
    EXPECT_EQ(traits(op).int8, Int8Use::Passing) << op;
  for (const char* op :
       {"Add", "Mul", "AveragePool", "GlobalAveragePool", "Concat", "Sigmoid", "LeakyRelu"})
    EXPECT_EQ(traits(op).int8, Int8Use::Arithmetic) << op;
  for (const char* op :
       {"HardSwish", "HardSigmoid", "Gelu", "Erf", "Tanh", "Elu", "Selu", "Softplus", "PRelu",
        "Mish", "Sub", "Div", "ReduceMean", "Pad", "Pow", "Sqrt", "BatchNormalization"})
    EXPECT_EQ(traits(op).int8, Int8Use::Soft) << op;
  for (const char* op : {"Relu", "Clip"}) EXPECT_EQ(traits(op).int8, Int8Use::Absorbed) << op;
  EXPECT_EQ(traits("Conv").int8_output, Int8Output::Whole);
  EXPECT_EQ(traits("Gemm").int8_output, Int8Output::Either);
  EXPECT_EQ(traits("MatMul").int8_output, Int8Output::Floats);
  EXPECT_EQ(traits("ConvTranspose").int8_output, Int8Output::Floats);
  EXPECT_EQ(traits("ConvInteger").int8_output, Int8Output::Unknown);
}

// Compares the curves with the formulas of the ONNX specification, with its default attributes if
// networks use those.
TEST(OperatorTraits, Curves) {
  const auto at = [](std::string_view op, double x) { return traits(op).curve(x); };
  EXPECT_NEAR(at("Relu", -2), 0, 1e-12);
  EXPECT_NEAR(at("Clip", 7), 6, 1e-12);
  EXPECT_NEAR(at("Elu", -1), -0.6321205588, 1e-9);
  EXPECT_NEAR(at("Celu", -1), -0.6321205588, 1e-9);
  EXPECT_NEAR(at("Selu", -1), -1.1113307, 1e-4);
  EXPECT_NEAR(at("Gelu", 1), 0.8413447461, 1e-9);
  EXPECT_NEAR(at("Sigmoid", 1), 0.7310585786, 1e-9);
  EXPECT_NEAR(at("Swish", 1), 0.7310585786, 1e-9);
  EXPECT_NEAR(at("Tanh", 1), 0.7615941560, 1e-9);
  EXPECT_NEAR(at("Softplus", 1), 1.3132616875, 1e-9);
  EXPECT_NEAR(at("Softsign", -3), -0.75, 1e-12);
  EXPECT_NEAR(at("HardSigmoid", 1.5), 0.75, 1e-12);
  EXPECT_NEAR(at("HardSwish", 1.5), 1.125, 1e-12);
  EXPECT_NEAR(at("Mish", 1), 0.8650983882, 1e-9);
  EXPECT_NEAR(at("Shrink", 0.4), 0, 1e-12);
  EXPECT_NEAR(at("ThresholdedRelu", 0.9), 0, 1e-12);
  EXPECT_NEAR(at("ThresholdedRelu", 2), 2, 1e-12);
}

TEST(OperatorTraits, RowsOfAnotherLayoutAreLikeTheirNamesakes) {
  const Traits& conv = traits("Conv", "com.ms.internal.nhwc");
  EXPECT_EQ(conv.kind, LayerKind::Conv);
  EXPECT_EQ(conv.weights, 1);
  EXPECT_TRUE(conv.channels_last);
  EXPECT_FALSE(traits("Conv").channels_last);
  EXPECT_EQ(traits("MaxPool", "com.microsoft.nchwc").op, Op::MaxPool);
  EXPECT_EQ(traits("ReorderInput", "com.microsoft.nchwc").kind, LayerKind::Other);
}

Model one_node(std::string_view op, std::string_view domain, std::int32_t opset,
               std::vector<Attribute> attributes) {
  Model model;
  Graph& graph = model.graphs.empty() ? model.graphs.emplace_back() : model.graph();
  Node node;
  node.op = op;
  node.domain = domain;
  node.opset = opset;
  node.attributes = model.keep(std::span<const Attribute>(attributes));
  graph.nodes.push_back(node);
  return model;
}

TEST(Attributes, NamesAndDefaultsAreThoseOfTheRow) {
  const auto axis = [](std::int32_t opset, std::vector<Attribute> attributes) {
    const Model model = one_node("Softmax", "", opset, std::move(attributes));
    return NodeView(model.graph(), model.graph().nodes[0]).integer(Attr::Axis);
  };
  EXPECT_EQ(axis(13, {}), -1);
  EXPECT_EQ(axis(11, {}), 1);
  EXPECT_EQ(axis(13, {{"axis", std::int64_t{2}}}), 2);

  const Model model = one_node("MatMul", "", 13, {{"transB", std::int64_t{1}}});
  const NodeView matmul(model.graph(), model.graph().nodes[0]);
  EXPECT_EQ(matmul.integer(Attr::TransposeSecond), std::nullopt) << "MatMul has no such thing";
  EXPECT_TRUE(matmul.integers(Attr::Strides).empty());
  EXPECT_EQ(matmul.text(Attr::Mode), "");
}

// Rows are found by both ends of a name; names that differ only between them are others.
TEST(OpTable, TellsNamesApartThatBeginAndEndAlike) {
  static constexpr OpRule kTwins[] = {
      {.name = "Beginning_a_The_End", .traits = {.kind = LayerKind::Conv}},
      {.name = "Beginning_b_The_End", .traits = {.kind = LayerKind::Linear}},
      {.name = "Mul", .traits = {.kind = LayerKind::ReLU}},
      {.name = "MulMul", .traits = {.kind = LayerKind::ReLU6}},
      {.name = "MulMulMul", .traits = {.kind = LayerKind::ELU}},
      {.name = "", .traits = {.kind = LayerKind::GELU}}};
  const Family family{"twins", kTwins};
  const OpTable table({&family, 1});
  for (const OpRule& rule : kTwins) {
    const OpRule* found = table.find("", rule.name, 1);
    ASSERT_NE(found, nullptr) << rule.name;
    EXPECT_EQ(found->traits.kind, rule.traits.kind) << rule.name;
    EXPECT_EQ(table.find("other", rule.name, 1), nullptr) << rule.name;
  }
  EXPECT_EQ(table.find("", "Beginning_c_The_End", 1), nullptr);
  EXPECT_EQ(table.find("", "Mulx", 1), nullptr);
  EXPECT_EQ(table.find("", "Mu", 1), nullptr);
}

// Two dialects in one table: the same operator with its own name and attributes.
TEST(OpTable, HasRoomForAnotherDialect) {
  static constexpr std::string_view kOther = "other";
  static constexpr AttributeName kNames[] = {{Attr::Groups, "groups", 1},
                                             {Attr::Strides, "stride"}};
  static constexpr OpRule kTraitsTestRules[] = {
      {.name = "conv2d",
       .domain = kOther,
       .traits = {.kind = LayerKind::Conv,
                  .product = Product::Conv,
                  .weights = 1,
                  .bias = 2,
                  .attributes = kNames}},
      {.name = "Relu", .domain = kOther, .traits = {.kind = LayerKind::ReLU6}},
  };
  std::vector<Family> all(families().begin(), families().end());
  all.push_back({"other_conv", kTraitsTestRules});
  const OpTable table(all);

  const OpRule* conv = table.find(kOther, "conv2d", 1);
  ASSERT_NE(conv, nullptr);
  const OpRule* onnx = table.find("", "Conv", kNewestOpset);
  ASSERT_NE(onnx, nullptr);
  EXPECT_EQ(conv->traits.kind, onnx->traits.kind);
  EXPECT_EQ(conv->traits.product, onnx->traits.product);
  EXPECT_EQ(conv->traits.attributes[0].attr, onnx->traits.attributes[0].attr);
  EXPECT_NE(conv->traits.attributes[0].name, onnx->traits.attributes[0].name);
  EXPECT_EQ(table.find("", "conv2d", 1), nullptr);
  EXPECT_EQ(table.find(kOther, "Relu", 1)->traits.kind, LayerKind::ReLU6);
  EXPECT_EQ(table.find("", "Relu", 1)->traits.kind, LayerKind::ReLU);
}

}  // namespace
}  // namespace strata
