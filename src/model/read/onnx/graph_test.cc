#include "read/onnx/graph.h"

#include <map>

#include <gtest/gtest.h>

#include "read/onnx/test_proto.h"

namespace strata::onnx {
namespace {

using namespace test;

Result<Model> read(const std::string& bytes, const ReadOptions& options = {}) {
  static std::vector<std::string> kept;  // models refer to it
  kept.reserve(1000);
  kept.push_back(bytes);
  return read_onnx(kept.back(), "m.onnx", options);
}

std::string complaint(const std::string& bytes, const ReadOptions& options = {}) {
  const auto model = read(bytes, options);
  return model ? "" : model.error().message;
}

std::string_view name_of(const Graph& graph, TensorId id) {
  return id == kNone ? "-" : graph.tensors[id].name;
}

TEST(Graph, NamesBecomeNumbers) {
  const auto model = read(chain({
      node("Relu", {"x"}, {"a"}, {.name = "first"}),
      node("Clip", {"a", "", "x"}, {"y", ""}, {.name = "second"}),
  }));
  ASSERT_TRUE(model) << model.error().message;
  const Graph& graph = model->graph();
  ASSERT_EQ(graph.nodes.size(), 2u);
  EXPECT_EQ(graph.nodes[0].op, "Relu");
  EXPECT_EQ(graph.nodes[0].name, "first");
  EXPECT_EQ(graph.nodes[0].opset, 17);
  const Node& clip = graph.nodes[1];
  ASSERT_EQ(clip.inputs.size(), 3u);
  EXPECT_EQ(name_of(graph, clip.inputs[0]), "a");
  EXPECT_EQ(clip.inputs[1], kNone);
  EXPECT_EQ(name_of(graph, clip.inputs[2]), "x");
  EXPECT_EQ(clip.outputs[1], kNone);
  EXPECT_EQ(graph.tensors[clip.outputs[0]].producer, 1u);
  ASSERT_EQ(graph.inputs.size(), 1u);
  EXPECT_EQ(graph.tensors[graph.inputs[0]].role, Role::Input);
  EXPECT_EQ(graph.outputs[0], clip.outputs[0]);
}

TEST(Graph, NamesAreViewsIntoTheFile) {
  const std::string bytes = chain({node("Relu", {"x"}, {"y"}, {.name = "only"})});
  const auto model = read_onnx(bytes, "m.onnx");
  ASSERT_TRUE(model);
  for (const std::string_view text :
       {model->graph().nodes[0].name, model->graph().nodes[0].op, model->graph().tensors[0].name}) {
    EXPECT_GE(text.data(), bytes.data());
    EXPECT_LT(text.data(), bytes.data() + bytes.size());
  }
}

// Whatever order nodes use names in, each means the tensor of that name.
TEST(Graph, NamesAreFoundInAnyOrder) {
  constexpr int kWeights = 6;
  std::vector<std::string> weights;
  weights.reserve(kWeights);
  for (int i = 0; i < kWeights; ++i) weights.push_back("w" + std::to_string(i));
  std::vector<std::string> initializers;
  initializers.reserve(weights.size());
  for (const std::string& name : weights) initializers.push_back(tensor(name, 1, {2}));
  std::vector<std::vector<std::string>> used;
  std::vector<std::string> nodes;
  std::string last = "x";
  for (int i = 0; i < 40; ++i) {  // forwards, backwards, repeated, and in leaps
    const std::vector<std::string> inputs = {i % 3 == 2 ? "x" : last,
                                             weights[static_cast<std::size_t>(i % kWeights)],
                                             weights[static_cast<std::size_t>((40 - i) % kWeights)],
                                             weights[static_cast<std::size_t>(i * i % kWeights)]};
    last = i == 39 ? "y" : "a" + std::to_string(i);
    nodes.push_back(node("Sum", inputs, {last}));
    used.push_back(inputs);
  }
  const auto model = read(test::model(GraphParts{.nodes = nodes,
                                                 .inputs = {value("x", 1, {"2"})},
                                                 .outputs = {value("y")},
                                                 .initializers = initializers}));
  ASSERT_TRUE(model) << model.error().message;
  const Graph& graph = model->graph();
  ASSERT_EQ(graph.tensors.size(), kWeights + 1u + 40u);
  for (std::size_t n = 0; n < used.size(); ++n)
    for (std::size_t i = 0; i < used[n].size(); ++i)
      EXPECT_EQ(name_of(graph, graph.nodes[n].inputs[i]), used[n][i]) << n << " " << i;
}

TEST(Graph, StoredTensorsAreNotInputs) {
  const auto model = read(test::model(GraphParts{
      .nodes = {node("Add", {"x", "w"}, {"y"})},
      .inputs = {value("w", 1, {"2"}), value("x", 1, {"2"})},
      .outputs = {value("y")},
      .initializers = {tensor("w", 1, {2})},
  }));
  ASSERT_TRUE(model) << model.error().message;
  const Graph& graph = model->graph();
  ASSERT_EQ(graph.inputs.size(), 1u);
  EXPECT_EQ(name_of(graph, graph.inputs[0]), "x");
}

// PyTorch's newer exporter tells which stored tensors are parameters.
TEST(Graph, StoredTensorsMayBeSaidToBeLearned) {
  const auto model = read(test::model(GraphParts{
      .nodes = {node("Sum", {"x", "w", "b", "c"}, {"y"})},
      .inputs = {value("x", 1, {"2"})},
      .outputs = {value("y")},
      .initializers = {tensor("w", 1, {2}), tensor("b", 1, {2}), tensor("c", 1, {2})},
      .declared = {test::value_of_kind("w", "PARAMETER"), test::value_of_kind("b", "BUFFER"),
                   test::value_of_kind("nobody", "PARAMETER")},
  }));
  ASSERT_TRUE(model) << model.error().message;
  std::map<std::string_view, Learned> learned;
  for (const Tensor& tensor : model->graph().tensors)
    if (tensor.data != nullptr) learned[tensor.name] = tensor.data->learned;
  const std::map<std::string_view, Learned> expected = {
      {"w", Learned::Yes}, {"b", Learned::No}, {"c", Learned::Unknown}};
  EXPECT_EQ(learned, expected);
}

TEST(Graph, DeclaredTypesAreHints) {
  const auto model = read(test::model(GraphParts{
      .nodes = {node("Relu", {"x"}, {"a"}), node("Relu", {"a"}, {"y"})},
      .inputs = {value("x", 1, {"2"})},
      .outputs = {value("y", 1, {"2", ""})},
      .declared = {value("a", 1, {"M"}), value("x", 1, {"9"}), value("nobody", 1, {"9"})},
  }));
  ASSERT_TRUE(model) << model.error().message;
  const Graph& graph = model->graph();
  EXPECT_EQ(text(graph.tensors[graph.nodes[0].outputs[0]].type->dims), "M");
  EXPECT_EQ(text(graph.tensors[graph.outputs[0]].type->dims), "2×?");
  EXPECT_EQ(text(graph.tensors[graph.inputs[0]].type->dims), "2");
}

TEST(Graph, OpsetsAreByDomain) {
  const auto model =
      read(test::model(graph({.nodes = {node("Relu", {"x"}, {"a"}),
                                        node("Relu", {"a"}, {"b"}, {.domain = "ai.onnx"}),
                                        node("Gelu", {"b"}, {"c"}, {.domain = "com.microsoft"}),
                                        node("Odd", {"c"}, {"y"}, {.domain = "nobody"})},
                              .inputs = {value("x")},
                              .outputs = {value("y")}}),
                       {.opsets = {opset("ai.onnx", 13), opset("com.microsoft", 2)}}));
  ASSERT_TRUE(model) << model.error().message;
  const auto& nodes = model->graph().nodes;
  EXPECT_EQ(nodes[0].opset, 13);
  EXPECT_EQ(nodes[1].domain, "");
  EXPECT_EQ(nodes[1].opset, 13);
  EXPECT_EQ(nodes[2].opset, 2);
  EXPECT_EQ(nodes[3].opset, 1);
  EXPECT_EQ(model->opsets.size(), 2u);
  EXPECT_TRUE(model->notes.empty());
}

TEST(Graph, WithoutImportsTheFirstOpsetIsAssumed) {
  const auto model = read(test::model(
      graph(
          {.nodes = {node("Relu", {"x"}, {"y"})}, .inputs = {value("x")}, .outputs = {value("y")}}),
      {.opsets = {}}));
  ASSERT_TRUE(model);
  EXPECT_EQ(model->graph().nodes[0].opset, 1);
  ASSERT_EQ(model->notes.size(), 1u);
  EXPECT_EQ(model->notes[0],
            "the file does not say which version of ONNX's operators it uses; 1 is assumed");
}

// An If inside an If: `outer` is captured through both, `mid` through one.
std::string two_levels() {
  const std::string inner = graph(
      {.nodes = {node("Add", {"outer", "mid"}, {"i"})}, .outputs = {value("i")}, .name = "inner"});
  const std::string middle =
      graph({.nodes = {node("Relu", {"x"}, {"mid"}),
                       node("If", {"cond"}, {"m"},
                            {.attributes = {graph_attribute("then_branch", inner)}})},
             .outputs = {value("m")},
             .name = "middle"});
  return test::model(GraphParts{
      .nodes = {node("Relu", {"x"}, {"outer"}),
                node("If", {"cond"}, {"y"},
                     {.attributes = {graph_attribute("then_branch", middle)}})},
      .inputs = {value("x"), value("cond")},
      .outputs = {value("y")},
  });
}

TEST(Graph, BodiesCaptureThroughEveryLevel) {
  const auto model = read(two_levels());
  ASSERT_TRUE(model) << model.error().message;
  ASSERT_EQ(model->graphs.size(), 3u);
  const Graph* middle = std::get<Graph*>(model->graph().nodes[1].attribute("then_branch")->value);
  const Graph* inner = std::get<Graph*>(middle->nodes[1].attribute("then_branch")->value);
  EXPECT_EQ(middle->parent, &model->graph());
  EXPECT_EQ(inner->parent, middle);
  const Tensor& in_inner = inner->tensors[inner->nodes[0].inputs[0]];
  EXPECT_EQ(in_inner.role, Role::Captured);
  const Tensor& in_middle = middle->tensors[in_inner.outer];
  EXPECT_EQ(in_middle.role, Role::Captured);
  EXPECT_EQ(in_middle.name, "outer");
  const Tensor& outside = model->graph().tensors[in_middle.outer];
  EXPECT_EQ(outside.producer, 0u);
  // `mid` is made one level out.
  EXPECT_EQ(middle->tensors[inner->tensors[inner->nodes[0].inputs[1]].outer].producer, 0u);
}

TEST(Graph, ABodysOutputMayBeCaptured) {
  const std::string body = graph({.outputs = {value("x")}});
  const auto model = read(
      chain({node("If", {"x"}, {"y"}, {.attributes = {graph_attribute("then_branch", body)}})}));
  ASSERT_TRUE(model) << model.error().message;
  const Graph& inner = model->graphs.back();
  EXPECT_EQ(inner.tensors[inner.outputs[0]].role, Role::Captured);
  EXPECT_EQ(inner.tensors[inner.outputs[0]].outer, model->graph().inputs[0]);
}

TEST(Graph, ABodysOwnNamesComeFirst) {
  const std::string body = graph({.nodes = {node("Relu", {"x"}, {"z"}, {.name = "inside"})},
                                  .inputs = {value("x")},
                                  .outputs = {value("z")}});
  const auto model =
      read(chain({node("Loop", {"x"}, {"y"}, {.attributes = {graph_attribute("body", body)}})}));
  ASSERT_TRUE(model) << model.error().message;
  const Graph& inner = model->graphs.back();
  EXPECT_EQ(inner.tensors[inner.nodes[0].inputs[0]].role, Role::Input);
}

// ONNX Runtime saves them like this.
TEST(Graph, ABodysStoredTensorsMayStandThereTwice) {
  const auto with = [](const std::string& again) {
    const std::string body = graph({.nodes = {node("Add", {"x", "w"}, {"z"})},
                                    .outputs = {value("z")},
                                    .initializers = {tensor("w", 1, {2}), again}});
    return read(
        chain({node("If", {"x"}, {"y"}, {.attributes = {graph_attribute("then_branch", body)}})}));
  };
  const auto model = with(tensor("w", 1, {2}));
  ASSERT_TRUE(model) << model.error().message;
  EXPECT_EQ(model->graphs.back().tensors.size(), 3u);
  EXPECT_FALSE(with(tensor("w", 1, {3})));
}

TEST(Graph, NobodyMayMakeAValueTwice) {
  EXPECT_EQ(complaint(chain({node("Relu", {"x"}, {"y"}, {.name = "one"}),
                             node("Abs", {"x"}, {"y"}, {.name = "two"})})),
            "m.onnx: Abs \"two\": the value \"y\" is defined twice; the first is Relu \"one\"");
  EXPECT_EQ(
      complaint(chain({node("Relu", {"x"}, {"x"}, {.name = "one"}), node("Abs", {"x"}, {"y"})})),
      "m.onnx: Relu \"one\": the value \"x\" is defined twice; the first is an input of the "
      "graph");
  EXPECT_EQ(complaint(chain({node("Split", {"x"}, {"y", "y"}, {.name = "one"})})),
            "m.onnx: Split \"one\": the value \"y\" is defined twice; the first is another output "
            "of the same node");
  EXPECT_EQ(complaint(test::model(GraphParts{.inputs = {value("x"), value("x")}})),
            "m.onnx: the value \"x\" is defined twice; the first is an input of the graph");
  EXPECT_EQ(
      complaint(test::model(GraphParts{.initializers = {tensor("w", 1, {}), tensor("w", 1, {})}})),
      "m.onnx: the value \"w\" is defined twice; the first is a stored tensor");
}

TEST(Graph, EveryValueComesFromSomewhere) {
  EXPECT_EQ(complaint(chain({node("Add", {"x", "ghost"}, {"y"}, {.name = "sum"})})),
            "m.onnx: Add \"sum\" reads \"ghost\", which no node, input or stored tensor provides");
  EXPECT_EQ(complaint(chain({node("Add", {"x", "ghost"}, {"y"})})),
            "m.onnx: Add (no name, output \"y\") reads \"ghost\", which no node, input or stored "
            "tensor provides");
  EXPECT_EQ(complaint(chain({node("Relu", {"x"}, {"z"})})),
            "m.onnx: the output \"y\" of the graph \"g\" is made by no node");
  const std::string body = graph(
      {.nodes = {node("Relu", {"ghost"}, {"z"}, {.name = "inside"})}, .outputs = {value("z")}});
  EXPECT_EQ(complaint(chain({node("If", {"x"}, {"y"},
                                  {.attributes = {graph_attribute("then_branch", body)}})})),
            "m.onnx: Relu \"inside\" reads \"ghost\", which no node, input or stored tensor "
            "provides");
}

TEST(Graph, EverythingNeedsAName) {
  EXPECT_EQ(complaint(test::model(GraphParts{.initializers = {tensor("", 1, {})}})),
            "m.onnx: a stored tensor has no name");
  EXPECT_EQ(complaint(test::model(GraphParts{.inputs = {value("")}})),
            "m.onnx: an input of the graph has no name");
  EXPECT_EQ(complaint(test::model(GraphParts{.outputs = {value("")}})),
            "m.onnx: an output of the graph has no name");
  EXPECT_EQ(complaint(chain({node("", {"x"}, {"y"})})),
            "m.onnx: a node (no name, output \"y\"): the node says no operator");
}

TEST(Graph, DepthIsBounded) {
  const auto nested = [](int depth) {
    return chain({node("If", {"x"}, {"y"},
                       {.attributes = {graph_attribute("then_branch", nested_bodies(depth))}})});
  };
  EXPECT_EQ(complaint(nested(199)), "");
  EXPECT_EQ(complaint(nested(200)),
            "m.onnx: If \"deep\": bodies and functions are nested more than 200 deep");
  EXPECT_EQ(complaint(nested(10'000)),
            "m.onnx: If \"deep\": bodies and functions are nested more than 200 deep");
}

TEST(Graph, CountsAreBounded) {
  const std::string two = chain({node("Relu", {"x"}, {"a"}), node("Relu", {"a"}, {"y"})});
  EXPECT_EQ(complaint(two, {.max_nodes = 1}),
            "m.onnx: Relu (no name, output \"y\"): the model has more than 1 nodes");
  EXPECT_EQ(complaint(two, {.max_tensors = 2}),
            "m.onnx: Relu (no name, output \"y\"): the model has more than 2 tensors");
  EXPECT_EQ(
      complaint(
          chain({node("Relu", {"x"}, {"y"}, {.attributes = {ints_attribute("a", {1, 2, 3})}})}),
          {.max_list_items = 2}),
      "m.onnx: Relu (no name, output \"y\"): the model's attributes have more than 2 list "
      "elements");
}

}  // namespace
}  // namespace strata::onnx
