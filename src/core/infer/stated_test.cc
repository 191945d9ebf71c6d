// Models whose files state their types, with formulas of symbols: numbers for the symbols come from
// the caller.
#include "infer/stated.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

// Members that a designated initializer leaves out are left out on purpose.
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"

namespace strata {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// x [s0, 3, 2·s1] and mask [s0] give y [s0, 6·s1], and z [u0] whose size the data decide.
class StatedTest : public testing::Test {
 protected:
  StatedTest() {
    model_.states_types = true;
    Graph& graph = model_.graph();
    const Expr batch = Expr::symbol("s0"), half = Expr::symbol("s1");
    add("x", Role::Input, {batch, 3, 2 * half});
    add("mask", Role::Input, {batch});
    add("y", Role::Activation, {batch, 6 * half});
    add("z", Role::Activation, {Expr::symbol("u0")});
    graph.inputs = {0, 1};
    graph.outputs = {2, 3};
    Node node;
    node.domain = "acme";
    node.op = "find";
    node.name = "found";
    node.inputs = model_.keep(std::span<const TensorId>(graph.inputs));
    node.outputs = model_.keep(std::span<const TensorId>(graph.outputs));
    graph.nodes.push_back(node);
    graph.tensors[2].producer = graph.tensors[3].producer = 0;
    model_.size_ranges.push_back({"s0", batch, 2, 64});
  }
  void add(std::string_view name, Role role, Dims dims) {
    Tensor& tensor = model_.graph().tensors.emplace_back();
    tensor.name = name;
    tensor.role = role;
    tensor.type = TypeInfo::tensor(DType::F32, std::move(dims));
  }
  std::string shape_of(TensorId id) { return text(model_.graph().tensors[id].type->dims); }
  std::string problem(const InferOptions& options) {
    const auto inferred = infer(model_, options);
    return inferred ? "" : inferred.error().message;
  }
  Model model_;
};

TEST_F(StatedTest, SymbolsStayOpenAndAreListed) {
  const auto inferred = infer(model_);
  ASSERT_TRUE(inferred) << inferred.error().message;
  EXPECT_EQ(shape_of(2), "s0×6·s1");
  ASSERT_EQ(inferred->symbols.size(), 3u);
  EXPECT_EQ(inferred->symbols[0].name, "s0");
  EXPECT_EQ(inferred->symbols[0].origin, "axis 0 of input \"x\"");
  EXPECT_EQ(inferred->symbols[1].name, "s1");
  EXPECT_EQ(inferred->symbols[2].name, "u0");
  EXPECT_TRUE(inferred->symbols[2].needs_data);
  EXPECT_EQ(inferred->symbols[2].origin, "known only when find \"found\" runs");
  EXPECT_THAT(inferred->unsupported, ElementsAre("acme.find"));
}

TEST_F(StatedTest, ByName) {
  const auto inferred = infer(model_, {.sizes = {{"s1", 5}, {"u0", 7}}});
  ASSERT_TRUE(inferred) << inferred.error().message;
  EXPECT_EQ(shape_of(0), "s0×3×10");
  EXPECT_EQ(shape_of(2), "s0×30");
  EXPECT_EQ(shape_of(3), "7");
  ASSERT_EQ(inferred->symbols.size(), 1u);
  EXPECT_EQ(inferred->symbols[0].name, "s0");
}

TEST_F(StatedTest, ByBatch) {
  ASSERT_EQ(problem({.batch = 8}), "");
  EXPECT_EQ(shape_of(0), "8×3×2·s1");
  EXPECT_EQ(shape_of(1), "8");
  EXPECT_EQ(shape_of(2), "8×6·s1");
}

TEST_F(StatedTest, ByTheShapeOfAnInput) {
  ASSERT_EQ(problem({.input_shapes = {{"x", {4, 3, 10}}}}), "");
  EXPECT_EQ(shape_of(1), "4");
  EXPECT_EQ(shape_of(2), "4×30");
}

TEST_F(StatedTest, ATypeIsTheOneInTheFile) {
  EXPECT_EQ(problem({.element_types = {{"x", DType::F32}}}), "");
  EXPECT_EQ(problem({.element_types = {{"x", DType::I64}}}),
            "input \"x\" has the type f32 in the file, not i64");
  EXPECT_THAT(problem({.element_types = {{"ids", DType::I64}}}),
              HasSubstr("there is no input \"ids\""));
}

TEST_F(StatedTest, ByOtherSymbols) {
  ASSERT_EQ(problem({.input_shapes = {{"mask", {Expr::symbol("N")}}}}), "");
  EXPECT_EQ(shape_of(2), "N×6·s1");
}

TEST_F(StatedTest, WhatTheFileFixesCannotBeChanged) {
  EXPECT_EQ(problem({.input_shapes = {{"x", {4, 5, 10}}}}),
            "axis 1 of input \"x\" is 3 in this file, and cannot be 5; export the model with "
            "torch.export.export(…, dynamic_shapes=…) to leave it open");
}

TEST_F(StatedTest, SizesThatCannotBe) {
  EXPECT_EQ(problem({.input_shapes = {{"x", {4, 3, 9}}}}),
            "axis 2 of input \"x\" is 2·s1 in this file, which cannot be 9");
}

TEST_F(StatedTest, TwoInputsThatContradictEachOther) {
  EXPECT_EQ(problem({.input_shapes = {{"x", {4, 3, 10}}, {"mask", {5}}}}),
            "axis 0 of input \"mask\" is s0 in this file, which cannot be 5");
}

TEST_F(StatedTest, OtherRanksAndNames) {
  EXPECT_EQ(problem({.input_shapes = {{"x", {4, 3}}}}),
            "input \"x\" has 3 axes (s0×3×2·s1), but 2 were given (4×3)");
  EXPECT_EQ(problem({.sizes = {{"s9", 3}}}),
            "there is no size \"s9\" in this model; its open sizes are: s0, s1, u0");
  EXPECT_THAT(problem({.input_shapes = {{"w", {4}}}}), HasSubstr("the inputs are: x, mask"));
}

TEST_F(StatedTest, RangesAreSaid) {
  const auto inferred = infer(model_, {.batch = 1});
  ASSERT_TRUE(inferred) << inferred.error().message;
  EXPECT_THAT(
      inferred->notes,
      ElementsAre("the model was exported for s0 from 2 to 64; with 1 its formulas are used "
                  "all the same"));
}

TEST_F(StatedTest, RangesThatHoldAreNotSaid) {
  EXPECT_THAT(infer(model_, {.batch = 2})->notes, IsEmpty());
}

TEST_F(StatedTest, AFixedBatch) {
  for (Tensor& tensor : model_.graph().tensors)
    for (Expr& size : tensor.type.edit().dims)
      if (size.is_formula())
        size = size.substitute([](std::string_view) { return std::optional(Expr(4)); });
  EXPECT_EQ(problem({.batch = 4}), "");
  EXPECT_THAT(problem({.batch = 8}),
              HasSubstr("axis 0 of input \"x\" is 4 in this file, and cannot "
                        "be 8; export the model with"));
}

TEST_F(StatedTest, BodiesRunAsOftenAsTheirFormulaSays) {
  Graph& body = model_.graphs.emplace_back();
  body.parent = &model_.graph();
  body.runs = Expr::symbol("s1") + 1;
  ASSERT_EQ(problem({.sizes = {{"s1", 4}}}), "");
  EXPECT_EQ(body.runs.text(), "5");
}

}  // namespace
}  // namespace strata
