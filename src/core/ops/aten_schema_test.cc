// Schemas that are copied by hand from PyTorch's documentation of native functions.
// tests/pt2/check_schemas.py compares all of them with torch's own.
#include "ops/aten_schema.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

namespace strata {
namespace {

using testing::ElementsAre;
using Kind = AtenArgument::Kind;

std::vector<std::string> names(std::span<const AtenArgument> arguments) {
  std::vector<std::string> result;
  for (const AtenArgument& argument : arguments) result.emplace_back(argument.name());
  return result;
}

const AtenArgument& argument(std::string_view op, std::string_view name) {
  const AtenSchema* schema = find_aten_schema(op);
  if (schema == nullptr) throw std::runtime_error("no operator");
  for (const AtenArgument& candidate : schema->arguments())
    if (candidate.name() == name) return candidate;
  throw std::runtime_error("no argument");
}

template <class T>
T default_of(std::string_view op, std::string_view name) {
  return std::get<T>(argument(op, name).default_attribute().value);
}

// conv2d(Tensor input, Tensor weight, Tensor? bias=None, int[2] stride=1, int[2] padding=0,
//        int[2] dilation=1, int groups=1) -> Tensor
TEST(AtenSchema, KnowsTheArgumentsOfConv2d) {
  const AtenSchema* schema = find_aten_schema("conv2d");
  ASSERT_NE(schema, nullptr);
  EXPECT_EQ(schema->name(), "conv2d");
  EXPECT_THAT(names(schema->arguments()),
              ElementsAre("input", "weight", "bias", "stride", "padding", "dilation", "groups"));
  EXPECT_EQ(schema->results().size(), 1u);
  EXPECT_EQ(schema->results()[0].kind, Kind::Tensor);
  EXPECT_TRUE(schema->arguments()[1].required());
  EXPECT_TRUE(schema->arguments()[1].is_tensor());
  EXPECT_EQ(schema->arguments()[2].kind, Kind::OptionalTensor);
  EXPECT_THAT(default_of<std::span<const std::int64_t>>("conv2d", "stride"), ElementsAre(1, 1));
  EXPECT_THAT(default_of<std::span<const std::int64_t>>("conv2d", "padding"), ElementsAre(0, 0));
  EXPECT_EQ(default_of<std::int64_t>("conv2d", "groups"), 1);
}

// max_pool2d_with_indices(Tensor self, int[2] kernel_size, int[2] stride=[], int[2] padding=0,
//                         int[2] dilation=1, bool ceil_mode=False) -> (Tensor, Tensor)
TEST(AtenSchema, ABoolIsANumberAndAListMayBeEmpty) {
  EXPECT_EQ(find_aten_schema("max_pool2d_with_indices")->results().size(), 2u);
  EXPECT_EQ(argument("max_pool2d_with_indices", "ceil_mode").kind, Kind::Bool);
  EXPECT_EQ(default_of<std::int64_t>("max_pool2d_with_indices", "ceil_mode"), 0);
  EXPECT_TRUE(
      default_of<std::span<const std::int64_t>>("max_pool2d_with_indices", "stride").empty());
}

// gelu(Tensor self, *, str approximate='none') -> Tensor
// elu_(Tensor(a!) self, Scalar alpha=1, Scalar scale=1, Scalar input_scale=1) -> Tensor(a!)
// leaky_relu(Tensor self, Scalar negative_slope=0.01) -> Tensor
TEST(AtenSchema, KnowsTextsAndScalars) {
  EXPECT_EQ(default_of<std::string_view>("gelu", "approximate"), "none");
  EXPECT_EQ(argument("elu_", "alpha").kind, Kind::Scalar);
  EXPECT_EQ(default_of<std::int64_t>("elu_", "alpha"), 1);
  EXPECT_EQ(default_of<float>("leaky_relu", "negative_slope"), 0.01f);
}

// scaled_dot_product_attention(Tensor query, Tensor key, Tensor value, Tensor? attn_mask=None,
//     float dropout_p=0.0, bool is_causal=False, *, float? scale=None, bool enable_gqa=False)
TEST(AtenSchema, NoneIsAnAttributeWithoutAValue) {
  const AtenArgument& scale = argument("scaled_dot_product_attention", "scale");
  EXPECT_EQ(scale.kind, Kind::Float);
  EXPECT_FALSE(scale.required());
  EXPECT_TRUE(std::holds_alternative<std::monostate>(scale.default_attribute().value));
}

// cat(Tensor[] tensors, int dim=0) -> Tensor
// index.Tensor(Tensor self, Tensor?[] indices) -> Tensor
// split.Tensor(Tensor(a -> *) self, SymInt split_size, int dim=0) -> Tensor(a)[]
// _to_copy(Tensor self, *, ScalarType? dtype=None, …)
TEST(AtenSchema, KnowsListsOfTensorsAndWhatNoRuleNeeds) {
  EXPECT_EQ(argument("cat", "tensors").kind, Kind::Tensors);
  EXPECT_EQ(argument("index.Tensor", "indices").kind, Kind::OptionalTensors);
  EXPECT_EQ(find_aten_schema("split.Tensor")->results()[0].kind, Kind::Tensors);
  EXPECT_EQ(argument("_to_copy", "dtype").kind, Kind::Other);
}

TEST(AtenSchema, FindsExactNamesOnly) {
  EXPECT_NE(find_aten_schema("add_.Tensor"), nullptr);
  EXPECT_EQ(find_aten_schema("add_"), nullptr);
  EXPECT_EQ(find_aten_schema(""), nullptr);
  EXPECT_EQ(find_aten_schema("zzz"), nullptr);
  for (const AtenSchema* schema : aten_schemas())
    EXPECT_EQ(find_aten_schema(schema->name()), schema);
}

}  // namespace
}  // namespace strata
