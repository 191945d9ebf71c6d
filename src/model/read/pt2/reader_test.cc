// Real files of tests/models/pt2, which make_files.py there made with PyTorch. What is expected of
// them is written there in Python, or in facts.json by PyTorch itself.
#include "read/pt2/reader.h"

#include <algorithm>
#include <fstream>
#include <optional>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "read/pt2/weights.h"
#include "read/zip/test_zip.h"

namespace strata::pt2 {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::string file(const std::string& name) {
  std::ifstream in(std::string(STRATA_SOURCE_DIR) + "/tests/models/pt2/" + name, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::vector<std::string> input_names(const Model& model) {
  std::vector<std::string> names;
  for (const TensorId id : model.graph().inputs) names.emplace_back(model.graph().tensors[id].name);
  return names;
}

const Tensor* tensor_of(const Model& model, std::string_view name) {
  for (const Tensor& tensor : model.graph().tensors)
    if (tensor.name == name) return &tensor;
  return nullptr;
}

std::optional<Node> node_of(const Graph& graph, std::string_view op) {
  for (const Node& node : graph.nodes)
    if (node.op == op) return node;
  return std::nullopt;
}

std::string type_text(const TypeInfo& type) {
  return std::string(name_of(type.dtype)) + " " + text(type.dims);
}

// One network in the containers of PyTorch 2.7, 2.8 and from 2.9 on.
class Containers : public testing::TestWithParam<std::string> {
 protected:
  // PyTorch 2.7 leaves parameters that nothing reads out of the program.
  static bool keeps_unread() { return GetParam() != "blocks_2.7.pt2"; }
};

TEST_P(Containers, HoldTheSameNetwork) {
  const std::string bytes = file(GetParam());
  ASSERT_TRUE(looks_like_archive(bytes));
  const auto model = read(bytes, "m", {});
  ASSERT_TRUE(model) << model.error().message;
  EXPECT_EQ(model->producer, "torch");
  EXPECT_TRUE(model->states_types);
  EXPECT_THAT(input_names(*model), ElementsAre("x", "mask", "options_scale", "options_shifts_0"));
  EXPECT_EQ(model->graph().outputs.size(), 2u);

  const Tensor* weight = tensor_of(*model, "block.conv.weight");
  ASSERT_NE(weight, nullptr);
  EXPECT_EQ(weight->role, Role::Initializer);
  EXPECT_EQ(weight->data->learned, Learned::Yes);
  EXPECT_EQ(type_text(weight->type), "f32 4×3×3×3");
  EXPECT_EQ(tensor_of(*model, "block.bn.running_mean")->data->learned, Learned::No);
  EXPECT_EQ(type_text(tensor_of(*model, "block.bn.num_batches_tracked")->type), "i64 scalar");

  const std::optional<Node> conv = node_of(model->graph(), "conv2d");
  ASSERT_TRUE(conv);
  EXPECT_EQ(conv->domain, "aten");
  EXPECT_EQ(model->scopes[conv->scope].path, "block.conv");
  EXPECT_EQ(model->scopes[conv->scope].cls, "Conv2d");
  EXPECT_EQ(conv->inputs.size(), 3u);
  EXPECT_EQ(conv->inputs[2], kNone);  // bias
  const auto integers = [&](std::string_view name) {
    const Attribute* attribute = conv->attribute(name);
    return attribute == nullptr
               ? std::vector<std::int64_t>()
               : std::vector<std::int64_t>(
                     std::get<std::span<const std::int64_t>>(attribute->value).begin(),
                     std::get<std::span<const std::int64_t>>(attribute->value).end());
  };
  EXPECT_THAT(integers("padding"), ElementsAre(1, 1));
  EXPECT_THAT(integers("dilation"), ElementsAre(1, 1));  // a default, which the file leaves out
  EXPECT_EQ(std::get<std::int64_t>(conv->attribute("groups")->value), 1);

  const std::optional<Node> cat = node_of(model->graph(), "cat");
  ASSERT_TRUE(cat);
  EXPECT_EQ(cat->inputs.size(), 2u);
  EXPECT_EQ(std::get<std::int64_t>(cat->attribute("tensors")->value), 2);
  EXPECT_EQ(std::get<std::int64_t>(cat->attribute("dim")->value), 1);
  // Nodes that compute and check sizes are left out.
  EXPECT_FALSE(node_of(model->graph(), "sym_size.int"));
  EXPECT_FALSE(node_of(model->graph(), "eq"));
  ASSERT_EQ(model->size_ranges.size(), 3u);
  const auto batch = std::find_if(model->size_ranges.begin(), model->size_ranges.end(),
                                  [](const SizeRange& range) { return range.most.has_value(); });
  EXPECT_EQ(batch->least, 2);
  EXPECT_EQ(batch->most, 64);
}

TEST_P(Containers, CallsAreScopes) {
  const std::string bytes = file(GetParam());
  const auto model = read(bytes, "m", {});
  ASSERT_TRUE(model) << model.error().message;
  std::vector<std::string> calls;
  for (const Scope& scope : model->scopes)
    if (scope.parent != kNone)
      calls.push_back(std::string(scope.path) + (scope.call > 0 ? "@1" : ""));
  // named_modules() in facts.json, and the second call of fc.
  std::vector<std::string> modules = {"block", "block.conv", "block.bn", "block.act",
                                      "fc",    "fc@1",       "tied",     "drop"};
  if (keeps_unread()) modules.emplace_back("unused");
  EXPECT_THAT(calls, testing::UnorderedElementsAreArray(modules));
}

TEST_P(Containers, TiedWeightsAreOneAndUnreadOnesAreHeld) {
  const std::string bytes = file(GetParam());
  const auto model = read(bytes, "m", {});
  ASSERT_TRUE(model) << model.error().message;
  std::vector<std::string> unread;
  for (const Node& node : model->graph().nodes)
    if (node.op == "Unread")
      for (const TensorId id : node.inputs) unread.emplace_back(model->graph().tensors[id].name);
  if (keeps_unread())
    EXPECT_THAT(unread, ElementsAre("unused.weight", "unused.bias"));
  else
    EXPECT_THAT(unread, IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(Files, Containers,
                         testing::Values("blocks.pt2", "blocks_2.8.pt2", "blocks_2.7.pt2"));

TEST(Pt2, TiedWeightsShareTheirPlace) {
  const std::string bytes = file("blocks.pt2");
  const auto model = read(bytes, "m", {});
  ASSERT_TRUE(model) << model.error().message;
  EXPECT_EQ(tensor_of(*model, "fc.weight")->data, tensor_of(*model, "tied.weight")->data);
  EXPECT_NE(tensor_of(*model, "fc.bias")->data, tensor_of(*model, "tied.bias")->data);
  EXPECT_THAT(model->notes, IsEmpty());
  const std::string old = file("blocks_2.7.pt2");
  EXPECT_THAT(read(old, "m", {})->notes, ElementsAre(HasSubstr("do not say which")));
}

// All weights of a network on the meta device have the same file, which is empty.
TEST(Pt2, WeightsWithoutMemoryAreNotTied) {
  const std::string bytes = file("meta.pt2");
  const auto model = read(bytes, "m", {});
  ASSERT_TRUE(model) << model.error().message;
  EXPECT_NE(tensor_of(*model, "0.weight")->data, tensor_of(*model, "2.weight")->data);
}

TEST(Pt2, WeightsAtOtherOffsetsAreNotTied) {
  const std::string config =
      R"({"config": {"a": {"path_name": "weight_0", "tensor_meta": {"storage_offset": {"as_int": 0}}},)"
      R"( "b": {"path_name": "weight_0", "tensor_meta": {"storage_offset": {"as_int": 6}}},)"
      R"( "c": {"path_name": "weight_0", "tensor_meta": {"storage_offset": {"as_int": 6}}}}})";
  Model keeper;
  JsonText json(keeper, config, "config");
  WeightPlaces places;
  const ReadOptions limits;
  Loading loading{{keeper, limits}, Modules(keeper), {}};
  places.read(loading, json);
  EXPECT_NE(places.place_of("a"), places.place_of("b"));
  EXPECT_EQ(places.place_of("b"), places.place_of("c"));
}

TEST(Pt2, DecomposedOperators) {
  const std::string bytes = file("blocks_core.pt2");
  const auto model = read(bytes, "m", {});
  ASSERT_TRUE(model) << model.error().message;
  const std::optional<Node> conv = node_of(model->graph(), "convolution");
  ASSERT_TRUE(conv);
  EXPECT_EQ(model->scopes[conv->scope].path, "block.conv");
  const std::optional<Node> norm = node_of(model->graph(), "_native_batch_norm_legit_no_training");
  ASSERT_TRUE(norm);
  EXPECT_EQ(norm->outputs.size(), 3u);
}

TEST(Pt2, BodiesOfControlFlow) {
  const std::string bytes = file("control.pt2");
  const auto model = read(bytes, "m", {});
  ASSERT_TRUE(model) << model.error().message;
  const auto bodies = [&](std::string_view op) {
    std::vector<Graph*> found;
    const std::optional<Node> node = node_of(model->graph(), op);
    if (node)
      for (const Attribute& attribute : node->attributes)
        found.push_back(std::get<Graph*>(attribute.value));
    return found;
  };
  const auto branches = bodies("cond");
  ASSERT_EQ(branches.size(), 2u);
  EXPECT_EQ(node_of(model->graph(), "cond")->inputs.size(), 1u);  // the condition
  EXPECT_THAT(branches[0]->inputs, IsEmpty());                    // all of them are captured
  const std::optional<Node> linear = node_of(*branches[0], "linear");
  ASSERT_TRUE(linear);
  const Tensor& weight = branches[0]->tensors[linear->inputs[1]];
  EXPECT_EQ(weight.role, Role::Captured);
  EXPECT_EQ(model->graph().tensors[weight.outer].name, "left.weight");

  const auto scanned = bodies("scan");
  ASSERT_EQ(scanned.size(), 1u);
  EXPECT_EQ(scanned[0]->runs.text(), "3");  // the rows of x
  EXPECT_EQ(scanned[0]->inputs.size(), 2u);
  const auto mapped = bodies("map_impl");
  ASSERT_EQ(mapped.size(), 1u);
  EXPECT_EQ(mapped[0]->runs.text(), "3");
  const auto loop = bodies("while_loop");
  ASSERT_EQ(loop.size(), 2u);
  EXPECT_EQ(loop[0]->runs.text(), "trips + 1");  // the condition
  EXPECT_EQ(loop[1]->runs.text(), "trips");
}

TEST(Pt2, OpenSizesAndInlinedGraphs) {
  const std::string bytes = file("open.pt2");
  const auto model = read(bytes, "m", {});
  ASSERT_TRUE(model) << model.error().message;
  EXPECT_EQ(model->graphs.size(), 1u);  // what torch.no_grad() wraps is part of the network
  ASSERT_TRUE(node_of(model->graph(), "mul.Tensor"));
  const Graph& graph = model->graph();
  ASSERT_EQ(graph.outputs.size(), 3u);
  const std::string rows = graph.tensors[graph.inputs[0]].type->dims[0].text();
  EXPECT_THAT(rows, HasSubstr("2·"));
  const std::string symbol = rows.substr(rows.find("·") + 2);
  EXPECT_EQ(type_text(graph.tensors[graph.outputs[0]].type), "f32 " + symbol + "×8");
  EXPECT_EQ(type_text(graph.tensors[graph.outputs[1]].type), "i64 u0×2");
  EXPECT_EQ(type_text(graph.tensors[graph.outputs[2]].type), "f32 4·" + symbol + "×4");
}

TEST(Pt2, CustomOperatorsKeepTheirNames) {
  const std::string bytes = file("custom.pt2");
  const auto model = read(bytes, "m", {});
  ASSERT_TRUE(model) << model.error().message;
  const std::optional<Node> twist = node_of(model->graph(), "twist");
  ASSERT_TRUE(twist);
  EXPECT_EQ(twist->domain, "strata_demo");
  EXPECT_EQ(twist->inputs.size(), 1u);
  EXPECT_EQ(std::get<std::int64_t>(twist->attribute("times")->value), 3);
}

TEST(Pt2, SeveralModelsNeedAName) {
  const std::string bytes = file("two_models.pt2");
  const auto none = read(bytes, "m", {});
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code, Code::SeveralModels);
  EXPECT_EQ(none.error().message, "m: it holds several models: \"first\", \"second\"");
  const auto first = read(bytes, "m", {.model = "first"});
  ASSERT_TRUE(first) << first.error().message;
  EXPECT_TRUE(node_of(first->graph(), "cond"));
  const auto second = read(bytes, "m", {.model = "second"});
  ASSERT_TRUE(second) << second.error().message;
  EXPECT_FALSE(node_of(second->graph(), "cond"));
  EXPECT_EQ(read(bytes, "m", {.model = "third"}).error().message,
            "m: it holds no model \"third\"; its models are: \"first\", \"second\"");
}

TEST(Pt2, OtherZipsAreNotRecognised) {
  EXPECT_FALSE(
      looks_like_archive(unzip::test::zipped({{"net/data.pkl", "x"}, {"net/version", "3"}})));
  EXPECT_FALSE(looks_like_archive(unzip::test::zipped({{"models/readme.txt", "x"}})));
  EXPECT_FALSE(looks_like_archive("PK"));
  EXPECT_TRUE(looks_like_archive(unzip::test::zipped({{"m/archive_format", "pt2"}})));
}

}  // namespace
}  // namespace strata::pt2
