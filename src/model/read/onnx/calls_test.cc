#include "read/onnx/calls.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "read/onnx/test_proto.h"

namespace strata::onnx {
namespace {

using namespace test;

Result<Model> read(const std::string& bytes, const ReadOptions& options = {}) {
  static std::vector<std::string> kept;
  kept.reserve(1000);
  kept.push_back(bytes);
  return read_onnx(kept.back(), "m.onnx", options);
}

std::string call_of(const std::string& function, const Texts& inputs, const Texts& outputs,
                    NodeParts parts = {}) {
  parts.domain = "local";
  return node(function, inputs, outputs, parts);
}

std::string model_of(const Texts& nodes, const Texts& functions) {
  return model(graph({.nodes = nodes, .inputs = {value("x")}, .outputs = {value("y")}}),
               {.functions = functions});
}

// All nodes: `Relu(x) -> call/h; …`.
std::string text_of(const Result<Model>& model) {
  if (!model) return model.error().message;
  std::string text;
  const Graph& graph = model->graph();
  const auto names = [&](std::span<const TensorId> ids) {
    std::string list;
    for (const TensorId id : ids)
      list +=
          fmt::format("{}{}", list.empty() ? "" : ",", id == kNone ? "_" : graph.tensors[id].name);
    return list;
  };
  for (const Node& node : graph.nodes)
    text += fmt::format("{}{}({}) -> {}", text.empty() ? "" : "; ", node.op, names(node.inputs),
                        names(node.outputs));
  return text;
}

const std::string kTwice = function(
    "Twice", {.nodes = {node("Relu", {"in"}, {"h"}, {.name = "r"}), node("Abs", {"h"}, {"out"})},
              .inputs = {"in"},
              .outputs = {"out"}});

TEST(Calls, BecomeTheFunctionsNodes) {
  const auto model = read(model_of({call_of("Twice", {"x"}, {"m"}, {.name = "c1"}),
                                    call_of("Twice", {"m"}, {"y"}, {.name = "c2"})},
                                   {kTwice}));
  EXPECT_EQ(text_of(model), "Relu(x) -> c1/h; Abs(c1/h) -> m; Relu(m) -> c2/h; Abs(c2/h) -> y");
  EXPECT_EQ(model->graph().nodes[0].name, "c1/r");
  EXPECT_EQ(model->graph().nodes[1].name, "c1");
}

TEST(Calls, NamesStayApart) {
  // Two calls without a name, and a value of the graph whose name equals a generated one.
  const auto model = read(model_of(
      {call_of("Twice", {"x"}, {"Twice/h"}), call_of("Twice", {"Twice/h"}, {"y"})}, {kTwice}));
  EXPECT_EQ(text_of(model),
            "Relu(x) -> Twice/h/_; Abs(Twice/h/_) -> Twice/h; Relu(Twice/h) -> Twice_1/h; "
            "Abs(Twice_1/h) -> y");
}

TEST(Calls, WorkInAnyOrder) {
  const auto model = read(model_of({call_of("Twice", {"m"}, {"y"}, {.name = "b"}),
                                    call_of("Twice", {"x"}, {"m"}, {.name = "a"})},
                                   {kTwice}));
  EXPECT_EQ(text_of(model), "Relu(x) -> a/h; Abs(a/h) -> m; Relu(m) -> b/h; Abs(b/h) -> y");
}

TEST(Calls, Nest) {
  const std::string outer = function(
      "Outer", {.nodes = {call_of("Twice", {"p"}, {"q"}, {.name = "t"}), node("Neg", {"q"}, {"r"})},
                .inputs = {"p"},
                .outputs = {"r"}});
  EXPECT_EQ(
      text_of(read(model_of({call_of("Outer", {"x"}, {"y"}, {.name = "o"})}, {outer, kTwice}))),
      "Relu(x) -> o/t/h; Abs(o/t/h) -> o/q; Neg(o/q) -> y");
}

TEST(Calls, InputsAndOutputsMayBeLeftOut) {
  const std::string two =
      function("Two", {.nodes = {node("Clip", {"a", "b", "c"}, {"p"}), node("Neg", {"a"}, {"q"})},
                       .inputs = {"a", "b", "c"},
                       .outputs = {"p", "q"}});
  EXPECT_EQ(text_of(read(model_of({call_of("Two", {"x", ""}, {"", "y"}, {.name = "t"})}, {two}))),
            "Clip(x,_,_) -> t/p; Neg(x) -> y");
}

TEST(Calls, ALeftOutInputIsLeftOutInBodiesToo) {
  const std::string body =
      graph({.nodes = {node("Clip", {"a", "b"}, {"z"})}, .outputs = {value("z")}});
  const std::string f = function(
      "F",
      {.nodes = {node("If", {"a"}, {"o"}, {.attributes = {graph_attribute("then_branch", body)}})},
       .inputs = {"a", "b"},
       .outputs = {"o"}});
  const auto model = read(model_of({call_of("F", {"x"}, {"y"})}, {f}));
  ASSERT_TRUE(model) << model.error().message;
  EXPECT_EQ(model->graphs[1].nodes[0].inputs[1], kNone);
}

TEST(Calls, OutputsMayBeInputs) {
  const std::string same = function("Same", {.inputs = {"a"}, .outputs = {"a"}});
  EXPECT_EQ(text_of(read(model_of({call_of("Same", {"x"}, {"y"})}, {same}))), "Identity(x) -> y");
}

TEST(Calls, AttributesAreHandedIn) {
  const std::string f = function(
      "F", {.nodes = {node(
                "Softmax", {"a"}, {"b"},
                {.attributes = {reference("axis", "dim", 2), reference("beta", "missing", 2)}})},
            .inputs = {"a"},
            .outputs = {"b"},
            .defaults = {int_attribute("dim", 7)}});
  const auto axis = [&](const Texts& given) {
    const auto model = read(model_of({call_of("F", {"x"}, {"y"}, {.attributes = given})}, {f}));
    EXPECT_TRUE(model) << model.error().message;
    EXPECT_EQ(model->graph().nodes[0].attribute("beta"), nullptr);
    return std::get<std::int64_t>(model->graph().nodes[0].attribute("axis")->value);
  };
  EXPECT_EQ(axis({}), 7);
  EXPECT_EQ(axis({int_attribute("dim", 3)}), 3);
}

TEST(Calls, AttributesAreHandedThrough) {
  const std::string inner = function(
      "Inner",
      {.nodes = {node("Softmax", {"a"}, {"b"}, {.attributes = {reference("axis", "i", 2)}})},
       .inputs = {"a"},
       .outputs = {"b"}});
  const std::string outer = function(
      "Outer", {.nodes = {call_of("Inner", {"a"}, {"b"}, {.attributes = {reference("i", "o", 2)}})},
                .inputs = {"a"},
                .outputs = {"b"}});
  const auto model = read(model_of(
      {call_of("Outer", {"x"}, {"y"}, {.attributes = {int_attribute("o", 9)}})}, {inner, outer}));
  ASSERT_TRUE(model) << model.error().message;
  EXPECT_EQ(std::get<std::int64_t>(model->graph().nodes[0].attribute("axis")->value), 9);
}

TEST(Calls, ABodyThatIsHandedInSeesTheCallersNames) {
  const std::string body = graph({.nodes = {node("Relu", {"m"}, {"z"})}, .outputs = {value("z")}});
  // The function uses it in its own body, so that there is a graph in between.
  const std::string between = graph(
      {.nodes = {node("If", {"a"}, {"w"}, {.attributes = {reference("then_branch", "given", 5)}})},
       .outputs = {value("w")}});
  const std::string f =
      function("F", {.nodes = {node("Neg", {"a"}, {"m"}),
                               node("If", {"m"}, {"b"},
                                    {.attributes = {graph_attribute("then_branch", between)}})},
                     .inputs = {"a"},
                     .outputs = {"b"}});
  const auto model =
      read(model_of({node("Abs", {"x"}, {"m"}),
                     call_of("F", {"x"}, {"y"}, {.attributes = {graph_attribute("given", body)}})},
                    {f}));
  ASSERT_TRUE(model) << model.error().message;
  ASSERT_EQ(model->graphs.size(), 3u);
  const Graph& inner = model->graphs[2];
  EXPECT_EQ(inner.parent, &model->graphs[1]);
  const Tensor& m = inner.tensors[inner.nodes[0].inputs[0]];
  const Tensor& m_between = model->graphs[1].tensors[m.outer];
  EXPECT_EQ(m_between.role, Role::Captured);
  EXPECT_EQ(model->graph().nodes[model->graph().tensors[m_between.outer].producer].op, "Abs");
}

TEST(Calls, HaveTheFunctionsOpsets) {
  const std::string f = function(
      "F", {.nodes = {node("Relu", {"a"}, {"b"}), node("Odd", {"b"}, {"c"}, {.domain = "odd"})},
            .inputs = {"a"},
            .outputs = {"c"},
            .opsets = {opset("", 11)}});
  const auto model = read(test::model(
      graph(
          {.nodes = {call_of("F", {"x"}, {"y"})}, .inputs = {value("x")}, .outputs = {value("y")}}),
      {.opsets = {opset("", 17), opset("odd", 4)}, .functions = {f}}));
  ASSERT_TRUE(model) << model.error().message;
  EXPECT_EQ(model->graph().nodes[0].opset, 11);
  EXPECT_EQ(model->graph().nodes[1].opset, 4);
}

TEST(Calls, OverloadsAreApart) {
  const auto f = [](const std::string& op, const std::string& overload) {
    return function("F", {.nodes = {node(op, {"a"}, {"b"})},
                          .inputs = {"a"},
                          .outputs = {"b"},
                          .overload = overload});
  };
  EXPECT_EQ(text_of(read(model_of(
                {call_of("F", {"x"}, {"m"}), call_of("F", {"m"}, {"y"}, {.overload = "neg"})},
                {f("Abs", ""), f("Neg", "neg")}))),
            "Abs(x) -> m; Neg(m) -> y");
}

TEST(Calls, ModulesAsFunctionsMakeScopes) {
  const auto model = read(model_of(
      {call_of("Twice", {"x"}, {"m"}, {.name = "/body/Twice_0"}), node("Neg", {"m"}, {"y"})},
      {kTwice}));
  ASSERT_TRUE(model) << model.error().message;
  const Scope& scope = model->scopes[model->graph().nodes[0].scope];
  EXPECT_EQ(scope.path, "body.Twice_0");
  EXPECT_EQ(scope.cls, "Twice");
  EXPECT_EQ(model->scopes[scope.parent].path, "body");
  EXPECT_EQ(model->graph().nodes[2].scope, 0u);
}

TEST(Calls, Complaints) {
  const auto complaint = [](const Texts& nodes, const Texts& functions) {
    return text_of(read(model_of(nodes, functions)));
  };
  const Texts call = {call_of("F", {"x"}, {"y"}, {.name = "c"})};
  const auto f = [](const Texts& nodes) {
    return function("F", {.nodes = nodes, .inputs = {"a"}, .outputs = {"b"}});
  };
  EXPECT_EQ(complaint(call, {f({call_of("F", {"a"}, {"b"}, {.name = "again"})})}),
            "m.onnx: F \"again\" in function \"F\": the function \"F\" calls itself, which ONNX "
            "forbids");
  EXPECT_EQ(complaint(call, {f({})}),
            "m.onnx: F \"c\": the function \"F\" never computes its output \"b\"");
  EXPECT_EQ(complaint(call, {f({node("Add", {"a", "ghost"}, {"b"})})}),
            "m.onnx: F \"c\": the function \"F\" reads \"c/ghost\", which none of its nodes makes");
  EXPECT_EQ(
      complaint(call, {f({node("Abs", {"a"}, {"a"}, {.name = "n"})})}),
      "m.onnx: Abs \"n\" in function \"F\": the value \"a\" is defined twice; the first is an "
      "argument of the function");
  EXPECT_EQ(complaint({call_of("F", {"x", "x"}, {"y"}, {.name = "c"})}, {f({})}),
            "m.onnx: F \"c\": the call has 2 inputs and 1 outputs, but the function has 1 and 1");
  EXPECT_EQ(complaint(call, {f({}), f({})}),
            "m.onnx: the function \"F\" of domain \"local\" is defined twice");
}

// Each function calls the one before it twice.
Result<Model> doubled(int levels, const ReadOptions& options) {
  Texts functions = {
      function("f0", {.nodes = {node("Abs", {"a"}, {"b"})}, .inputs = {"a"}, .outputs = {"b"}})};
  for (int i = 1; i < levels; ++i) {
    const std::string before = fmt::format("f{}", i - 1);
    functions.push_back(function(fmt::format("f{}", i), {.nodes = {call_of(before, {"a"}, {"m"}),
                                                                   call_of(before, {"m"}, {"b"})},
                                                         .inputs = {"a"},
                                                         .outputs = {"b"}}));
  }
  return read(
      model_of({call_of(fmt::format("f{}", levels - 1), {"x"}, {"y"}, {.name = "c"})}, functions),
      options);
}

TEST(Calls, DoublingEnds) {
  EXPECT_EQ(doubled(10, {})->graph().nodes.size(), 512u);
  const auto model = doubled(20, {.max_nodes = 10'000});
  ASSERT_FALSE(model);
  EXPECT_NE(model.error().message.find(
                "the model has more than 10000 nodes once its functions are inlined"),
            std::string::npos)
      << model.error().message;
  EXPECT_FALSE(doubled(150, {.max_nodes = 10'000}));
  EXPECT_FALSE(doubled(300, {.max_nodes = 10'000}));
}

TEST(Calls, WhatInliningAddsIsLimitedInProportionToTheFile) {
  // 2^16 nodes and as many calls are above 100,000 plus a node for each of about a thousand bytes.
  const auto model = doubled(17, {});
  ASSERT_FALSE(model);
  EXPECT_EQ(model.error().code, Code::OverLimit);
  EXPECT_EQ(doubled(17, {.limit = 2})->graph().nodes.size(), 65536u);
  EXPECT_FALSE(doubled(24, {.limit = 2}));
}

}  // namespace
}  // namespace strata::onnx
