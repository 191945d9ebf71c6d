#include "read/onnx/scopes.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "read/onnx/scope_text.h"
#include "read/onnx/test_proto.h"
#include "strata/read/read.h"

namespace strata::onnx {
namespace {

using namespace test;

struct Named {
  std::string name;
  Pairs metadata = {};
};

// A model with a chain of nodes, and the scope of each node: `head.conv` for a first call,
// `head#1.conv#1` for second calls of both.
class ScopesTest : public testing::Test {
 protected:
  void read(const std::vector<Named>& names, const Texts& weights = {}) {
    GraphParts parts{.inputs = {value("v0")}};
    for (std::size_t i = 0; i < names.size(); ++i)
      parts.nodes.push_back(node("Op", {fmt::format("v{}", i)}, {fmt::format("v{}", i + 1)},
                                 {.name = names[i].name, .metadata = names[i].metadata}));
    for (const std::string& weight : weights) parts.initializers.push_back(tensor(weight, 1, {}));
    bytes_ = test::model(parts);
    model_ = read_onnx(bytes_, "m.onnx");
    ASSERT_TRUE(model_) << model_.error().message;
    for (std::size_t i = 1; i < model_->scopes.size(); ++i)
      EXPECT_LT(model_->scopes[i].parent, i) << "parents come first";
  }
  const Scope& scope(std::size_t node) const {
    return model_->scopes[model_->graph().nodes[node].scope];
  }
  std::string place(std::size_t node) const {
    std::string text;
    for (const Scope* s = &scope(node); s->parent != kNone; s = &model_->scopes[s->parent])
      text = fmt::format("{}{}{}{}", s->name, s->call == 0 ? "" : fmt::format("#{}", s->call),
                         text.empty() ? "" : " ", text);
    return text;
  }

  std::string bytes_;
  Result<Model> model_;
};

TEST_F(ScopesTest, TorchScriptComponentsRepeatTheirParents) {
  read({{"/features/features.0/features.0.0/Conv"},
        {"/features/features.1/conv/conv.0/conv.0.1/Clip"},
        {"/layer1/layer1.0/downsample/downsample.0/Conv"},
        {"/layers.0/attn/MatMul"},
        {"/Flatten"}});
  EXPECT_EQ(scope(0).path, "features.0.0");
  EXPECT_EQ(place(0), "features 0 0");
  EXPECT_EQ(scope(1).path, "features.1.conv.0.1");
  EXPECT_EQ(scope(2).path, "layer1.0.downsample.0");
  EXPECT_EQ(scope(3).path, "layers.0.attn");
  EXPECT_EQ(place(3), "layers.0 attn");
  EXPECT_EQ(model_->graph().nodes[4].scope, 0u);
  EXPECT_EQ(scope(0).cls, "");
}

TEST_F(ScopesTest, SameScopeSameNumber) {
  read({{"/a/b/Conv"}, {"/a/b/Relu"}, {"/a/Add"}, {"/a/b/Conv_1"}});
  EXPECT_EQ(model_->graph().nodes[0].scope, model_->graph().nodes[1].scope);
  EXPECT_EQ(model_->graph().nodes[0].scope, model_->graph().nodes[3].scope);
  EXPECT_EQ(scope(0).parent, model_->graph().nodes[2].scope);
}

// This is how torch 1.13 exports a module `head` (conv, a Sequential, an addition) that is called
// twice.
TEST_F(ScopesTest, RepeatedCallsAreToldApart) {
  read({{"/head/conv/Conv"},
        {"/head/Add"},
        {"/head/seq/seq.0/Conv"},
        {"/head/seq/seq.1/Relu"},
        {"/relu/Relu"},
        {"/head/conv_1/Conv"},
        {"/head_1/Add"},
        {"/head/seq/seq.0_1/Conv"},
        {"/head/seq/seq.1_1/Relu"},
        {"/relu_1/Relu"}});
  EXPECT_EQ(place(0), "head conv");
  EXPECT_EQ(place(1), "head");
  EXPECT_EQ(place(2), "head seq 0");
  EXPECT_EQ(place(4), "relu");
  EXPECT_EQ(place(5), "head#1 conv#1");
  EXPECT_EQ(scope(5).path, "head.conv");
  EXPECT_EQ(place(6), "head#1");
  EXPECT_EQ(place(7), "head#1 seq#1 0#1");
  EXPECT_EQ(scope(7).path, "head.seq.0");
  EXPECT_EQ(place(8), "head#1 seq#1 1#1");
  EXPECT_EQ(place(9), "relu#1");
}

TEST_F(ScopesTest, ACallInsideOneCallOfTheParent) {
  read({{"/block/conv1/Conv"},
        {"/block/relu/Relu"},
        {"/block/conv2/Conv"},
        {"/block/Add"},
        {"/block/relu_1/Relu"}});
  EXPECT_EQ(place(1), "block relu");
  EXPECT_EQ(place(4), "block relu#1");
}

TEST_F(ScopesTest, CallNumbersInTheMiddleOfANameCountToo) {
  read({{"/head/conv/Conv"}, {"/head/Add"}, {"/head_1/conv/Conv"}, {"/head_1/Add"}});
  EXPECT_EQ(place(2), "head#1 conv#1");
  EXPECT_EQ(scope(2).path, "head.conv");
}

TEST_F(ScopesTest, AModuleOfOnlyModulesIsCalledAsOftenAsThey) {
  read({{"/head/conv/Conv"},
        {"/head/bn/Bn"},
        {"/head/conv_1/Conv"},
        {"/head/bn_1/Bn"},
        {"/tail/relu/Relu"},
        {"/tail/relu_1/Relu"}});
  EXPECT_EQ(place(2), "head#1 conv#1");
  EXPECT_EQ(place(3), "head#1 bn#1");
  EXPECT_EQ(place(5), "tail relu#1");  // one child proves nothing
}

TEST_F(ScopesTest, ANumberIsPartOfTheNameIfNothingIsThereWithoutIt) {
  read({{"/block_1/Conv"}, {"/stage_2/Conv"}});
  EXPECT_EQ(place(0), "block_1");
  EXPECT_EQ(place(1), "stage_2");
}

TEST_F(ScopesTest, ANumberIsPartOfTheNameIfWeightsSaySo) {
  read({{"/conv/Conv"}, {"/conv_1/Conv"}, {"/conv_2/Conv"}}, {"conv.weight", "conv_1.weight"});
  EXPECT_EQ(place(1), "conv_1");
  EXPECT_EQ(place(2), "conv#1");
}

TEST_F(ScopesTest, OtherExportersUseSlashesToo) {
  read({{"model/block1/conv/Conv2D"},
        {"StatefulPartitionedCall/model/block1/Relu"},
        {"model/conv_1/Conv2D"},
        {"model/conv/Conv2D"}});
  EXPECT_EQ(scope(0).path, "model/block1/conv");
  EXPECT_EQ(place(0), "model block1 conv");
  EXPECT_EQ(scope(1).path, "model/block1");
  EXPECT_EQ(place(2), "model conv_1");  // there, it is the layer's own name
}

TEST_F(ScopesTest, NamesWithoutStructureStandAtTheRoot) {
  read({{"Conv_0"}, {""}, {"node_conv2d_1"}, {"/"}, {"//"}, {"a/"}, {"/a"}});
  for (std::size_t i : {0, 1, 2, 3, 4, 6}) EXPECT_EQ(place(i), "") << i;
  EXPECT_EQ(place(5), "a");
}

// This is how torch 2.5 writes them.
TEST_F(ScopesTest, MetadataOfTheNewerExporter) {
  read({{"node_linear",
         {{"namespace", "ignored"},
          {"pkg.torch.onnx.class_hierarchy",
           "['__main__.GestureNN', 'torch.nn.modules.container.Sequential', "
           "'torch.nn.modules.linear.Linear', 'aten.linear.default']"},
          {"pkg.torch.onnx.name_scopes", "['', 'network', 'network.0', 'linear']"}}},
        {"node_add", {{"pkg.torch.onnx.name_scopes", "['', 'add']"}}},
        {"node_mm", {{"pkg.torch.onnx.name_scopes", "['', 'blocks.2', 'blocks.2.mlp', 'mm']"}}}});
  EXPECT_EQ(scope(0).path, "network.0");
  EXPECT_EQ(scope(0).name, "0");
  EXPECT_EQ(scope(0).cls, "Linear");
  EXPECT_EQ(model_->scopes[scope(0).parent].cls, "Sequential");
  EXPECT_EQ(model_->scopes[0].cls, "GestureNN");
  EXPECT_EQ(place(1), "");
  EXPECT_EQ(place(2), "blocks.2 mlp");
  EXPECT_EQ(scope(2).path, "blocks.2.mlp");
}

TEST_F(ScopesTest, MetadataOfRepeatedCalls) {
  read({{"a", {{"pkg.torch.onnx.name_scopes", "['', 'head', 'mm']"}}},
        {"b", {{"pkg.torch.onnx.name_scopes", "['', 'head@1', 'mm_1']"}}}});
  EXPECT_EQ(place(0), "head");
  EXPECT_EQ(place(1), "head#1");
  EXPECT_EQ(scope(1).path, "head");
}

// A module's own entries count, not guesses from its children: one call of `head` calls `a` and `b`
// twice, and only the first call of `tail` calls `a`.
TEST_F(ScopesTest, MetadataSaysWhoCalls) {
  const auto at = [](const std::string& scopes) {
    return Named{"n", {{"pkg.torch.onnx.name_scopes", scopes}}};
  };
  read({at("['', 'head', 'head.a', 'x']"), at("['', 'head', 'head.b', 'x']"),
        at("['', 'head', 'head.a@1', 'x']"), at("['', 'head', 'head.b@1', 'x']"),
        at("['', 'tail', 'tail.a', 'x']"), at("['', 'tail', 'tail.a@1', 'x']"),
        at("['', 'tail@1', 'x']")});
  EXPECT_EQ(place(2), "head a#1");
  EXPECT_EQ(place(3), "head b#1");
  EXPECT_EQ(place(5), "tail a#1");
  EXPECT_EQ(place(6), "tail#1");
}

// The nodes of torch's exporter in the order of the run, without numbers of calls.
Named in_run(const std::string& scopes) {
  return {"n", {{"pkg.torch.onnx.name_scopes", scopes}, {"namespace", ": Net/…"}}};
}

TEST_F(ScopesTest, AModuleThatIsEnteredAgainIsCalledAgain) {
  read({in_run("['', 'a', 'a.conv', 'conv2d']"), in_run("['', 'a', 'a.relu', 'relu']"),
        in_run("['', 'a', 'add']"), in_run("['', 'a', 'a.relu', 'relu_1']"),
        in_run("['', 'b', 'mul']"), in_run("['', 'a', 'a.relu', 'relu_2']"),
        in_run("['', 'a', 'a.relu', 'val_3']")});
  EXPECT_EQ(place(0), "a conv");
  EXPECT_EQ(place(1), "a relu");
  EXPECT_EQ(place(2), "a");
  EXPECT_EQ(place(3), "a relu#1");
  EXPECT_EQ(place(4), "b");
  EXPECT_EQ(place(5), "a#1 relu#2");
  EXPECT_EQ(place(6), "a#1 relu#2");
  EXPECT_EQ(scope(6).path, "a.relu");
}

// Nodes that lost their place do not end the calls around them.
TEST_F(ScopesTest, NodesWithoutAPlaceEndNoCall) {
  read({in_run("['', 'a', 'a.b', 'conv2d']"),
        in_run("['', '_empty_nn_module_stack_from_metadata_hook', 'val_0']"),
        {"node_without_metadata"},
        in_run("['', 'a', 'a.b', 'add']")});
  EXPECT_EQ(place(1), "");
  EXPECT_EQ(place(3), "a b");
  EXPECT_EQ(model_->graph().nodes[0].scope, model_->graph().nodes[3].scope);
}

TEST_F(ScopesTest, MetadataOfPathsWithSlashes) {
  read({{"n", {{"pkg.torch.onnx.name_scopes", "['', 'net', 'net/conv', 'net/conv/a', 'x']"}}}});
  EXPECT_EQ(place(0), "net conv a");
  EXPECT_EQ(scope(0).path, "net/conv/a");
}

TEST_F(ScopesTest, NamespaceAlone) {
  read({{"n",
         {{"namespace",
           ": __main__.Net/network: torch.nn.modules.container.Sequential/network.0: "
           "torch.nn.modules.linear.Linear/linear: aten.linear.default"}}},
        {"m", {{"namespace", "Encoder/Attention/op_name"}}}});
  EXPECT_EQ(scope(0).path, "network.0");
  EXPECT_EQ(scope(0).cls, "Linear");
  EXPECT_EQ(model_->scopes[0].cls, "Net");
  EXPECT_EQ(scope(1).path, "Encoder/Attention");
}

TEST_F(ScopesTest, BrokenMetadataFallsBackToTheName) {
  read({{"/a/Conv", {{"pkg.torch.onnx.name_scopes", "not a list"}}},
        {"/b/Conv", {{"pkg.torch.onnx.name_scopes", "['unclosed"}}},
        {"/c/Conv",
         {{"pkg.torch.onnx.name_scopes", "['', 'x', 'y']"},
          {"pkg.torch.onnx.class_hierarchy", "['one']"}}}});
  EXPECT_EQ(place(0), "a");
  EXPECT_EQ(place(1), "b");
  EXPECT_EQ(place(2), "x");
  EXPECT_EQ(scope(2).cls, "");
}

TEST_F(ScopesTest, NodesOfBodiesStandWhereTheirOwnerStands) {
  const std::string body =
      graph({.nodes = {node("Relu", {"x"}, {"z"}, {.name = "Relu_0"})}, .outputs = {value("z")}});
  bytes_ = chain({node("If", {"x"}, {"y"},
                       {.name = "/a/b/If", .attributes = {graph_attribute("then_branch", body)}})});
  model_ = read_onnx(bytes_, "m.onnx");
  ASSERT_TRUE(model_);
  EXPECT_EQ(model_->scopes[model_->graphs[1].nodes[0].scope].path, "a.b");
}

TEST_F(ScopesTest, AbsurdNamesCostLittle) {
  std::vector<Named> names;
  std::string deep;
  for (int i = 0; i < 2000; ++i) deep += "/a";
  names.reserve(101);
  for (int i = 0; i < 100; ++i) names.push_back({fmt::format("{}/{}/Conv", deep, i)});
  names.push_back({std::string(100'000, '/')});
  read(names);
  EXPECT_LT(model_->scopes.size(), 10'000u);
}

TEST(ScopeText, Lists) {
  EXPECT_EQ(list_of_texts("['', 'a.b', \"it's\"]").size(), 3u);
  EXPECT_EQ(list_of_texts("['', 'a.b', \"it's\"]")[2], "it's");
  for (const std::string_view bad :
       {"", "[", "]", "[]", "['a'", "['a' 'b']", "[1]", "'a'", "['a\\']"})
    EXPECT_TRUE(list_of_texts(bad).empty()) << bad;
  EXPECT_EQ(last_part("torch.nn.modules.conv.Conv2d"), "Conv2d");
  EXPECT_EQ(last_part("Net"), "Net");
}

}  // namespace
}  // namespace strata::onnx
