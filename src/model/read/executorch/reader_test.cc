// Files of tests/models/executorch, which make_models.py there made with ExecuTorch. What is
// expected of them is in expected.csv, as PyTorch and ExecuTorch's own reader count it.
#include "read/executorch/reader.h"

#include <fstream>
#include <iterator>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "strata/base/number_text.h"
#include "strata/cost/cost.h"
#include "strata/infer/infer.h"

namespace strata::executorch {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string program(const std::string& name) {
  std::ifstream in(std::string(STRATA_SOURCE_DIR) + "/tests/models/executorch/" + name,
                   std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

// A model and the bytes that it looks into.
struct ReadFile {
  std::string bytes;
  Model model;
  Costs costs;
};
std::unique_ptr<ReadFile> read_bytes(std::string bytes, const ReadOptions& options = {}) {
  auto file = std::make_unique<ReadFile>();
  file->bytes = std::move(bytes);
  auto model = executorch::read(file->bytes, "m.pte", options);
  EXPECT_TRUE(model) << model.error().message;
  if (!model) return nullptr;
  file->model = std::move(*model);
  const auto inferred = infer(file->model, {});
  EXPECT_TRUE(inferred) << inferred.error().message;
  file->costs = count(file->model);
  return file;
}
std::string problem_of(const std::string& bytes, const ReadOptions& options = {}) {
  const auto model = executorch::read(bytes, "m.pte", options);
  return model ? "none" : model.error().message;
}

std::string replaced(std::string bytes, std::string_view from, std::string_view to) {
  for (std::size_t at = 0; (at = bytes.find(from, at)) != std::string::npos; at += to.size())
    bytes.replace(at, from.size(), to);
  return bytes;
}

std::vector<std::string> operators_of(const Model& model) {
  std::vector<std::string> names;
  for (const Node& node : model.graph().nodes) names.emplace_back(node.op);
  return names;
}

TEST(ExecuTorchReader, CountsWhatPyTorchCounts) {
  std::istringstream rows(program("expected.csv"));
  std::string line;
  std::getline(rows, line);
  int files = 0;
  while (std::getline(rows, line)) {
    std::istringstream cells(line);
    std::string name, parameters, macs, plan;
    std::getline(cells, name, ',');
    std::getline(cells, parameters, ',');
    std::getline(cells, macs, ',');
    std::getline(cells, plan, ',');
    SCOPED_TRACE(name);
    const auto read = read_bytes(program(name + ".pte"));
    ASSERT_NE(read, nullptr);
    EXPECT_EQ(read->costs.total.params, Expr(std::stoll(parameters)));
    EXPECT_EQ(read->costs.total.macs, Expr(std::stoll(macs)));
    EXPECT_THAT(read->model.notes,
                Contains(HasSubstr(" " + grouped(std::stoll(plan)) + " bytes for activations")));
    ++files;
  }
  EXPECT_EQ(files, 12);
}

TEST(ExecuTorchReader, KernelsAreOperatorsOfAten) {
  const auto read = read_bytes(program("image_portable.pte"));
  ASSERT_NE(read, nullptr);
  const Graph& graph = read->model.graph();
  EXPECT_THAT(operators_of(read->model),
              ElementsAre("convolution", "_native_batch_norm_legit_no_training", "relu",
                          "convolution", "hardtanh", "max_pool2d_with_indices", "mean.dim",
                          "permute_copy", "addmm", "_softmax"));
  const Node node = graph.nodes[3];
  EXPECT_EQ(node.name, "convolution_1");
  EXPECT_EQ(std::get<std::int64_t>(node.attribute("groups")->value), 8);
  EXPECT_THAT(std::get<std::span<const std::int64_t>>(node.attribute("padding")->value),
              ElementsAre(1, 1));
  const Tensor& weight = graph.tensors[node.inputs[1]];
  EXPECT_EQ(weight.name, "convolution_1.weight");
  EXPECT_EQ(weight.data->learned, Learned::Yes);
  EXPECT_EQ(weight.data->bytes.size(), 8u * 9 * sizeof(float));
  EXPECT_EQ(text(weight.type->dims), "8×1×3×3");
  // Statistics of a norm are not parameters.
  EXPECT_EQ(graph.tensors[graph.nodes[1].inputs[3]].data->learned, Learned::No);
}

// The memory plan leaves reshapes out: both tensors are at one place.
TEST(ExecuTorchReader, TensorsAtOnePlaceAreViews) {
  const auto read = read_bytes(program("words_portable.pte"));
  ASSERT_NE(read, nullptr);
  EXPECT_THAT(operators_of(read->model), Contains("view"));
}

TEST(ExecuTorchReader, OpensXnnpack) {
  const auto read = read_bytes(program("upsampled_xnnpack.pte"));
  ASSERT_NE(read, nullptr);
  EXPECT_THAT(operators_of(read->model),
              ElementsAre("permute_copy", "CONV_2D", "leaky_relu", "AVERAGE_POOL_2D",
                          "TRANSPOSE_CONV", "hardswish", "permute_copy", "ADD"));
  const Graph& graph = read->model.graph();
  EXPECT_EQ(graph.nodes[1].name, "xnnpack_0/conv2d");
  EXPECT_EQ(read->model.scopes[graph.nodes[1].scope].path, "xnnpack_0/conv2d");
  EXPECT_EQ(graph.tensors[graph.nodes[1].inputs[1]].name, "xnnpack_0/conv2d.filter");
  EXPECT_EQ(std::get<std::int64_t>(graph.nodes[1].attribute("group")->value), 2);
  EXPECT_THAT(read->model.notes, Contains("XNNPACK runs 8 nodes in 1 delegate"));
}

TEST(ExecuTorchReader, FusedActivationsAndIntegers) {
  const auto read = read_bytes(program("image_int8.pte"));
  ASSERT_NE(read, nullptr);
  const Graph& graph = read->model.graph();
  std::vector<Node> convolutions;
  for (const Node& node : graph.nodes)
    if (node.op == "CONV_2D") convolutions.push_back(node);
  ASSERT_EQ(convolutions.size(), 1u);
  EXPECT_EQ(std::get<std::string_view>(convolutions[0].attribute("activation")->value), "RELU");
  EXPECT_EQ(graph.tensors[convolutions[0].inputs[0]].type->dtype, DType::I8);
  EXPECT_EQ(graph.tensors[convolutions[0].inputs[1]].type->dtype, DType::I8);
  EXPECT_EQ(graph.tensors[convolutions[0].inputs[2]].type->dtype, DType::I32);
}

TEST(ExecuTorchReader, OtherDelegatesAreUnknown) {
  const auto read =
      read_bytes(replaced(program("open_xnnpack.pte"), "XnnpackBackend", "UnknownBackend"));
  ASSERT_NE(read, nullptr);
  EXPECT_THAT(operators_of(read->model), ElementsAre("UnknownBackend", "view_copy"));
  EXPECT_NE(read->costs.total.certainty, Certainty::Exact);
  EXPECT_THAT(read->model.notes,
              Contains("the delegate \"UnknownBackend\" has 944 bytes in a format of its own; what "
                       "it computes and its parameters are unknown"));
  // The file has the bytes, and they are not parameters.
  const Graph& graph = read->model.graph();
  EXPECT_EQ(graph.tensors[graph.nodes[0].inputs.back()].data->bytes.size(), 944u);
  EXPECT_EQ(read->costs.total.params, Expr(0));
}

// Two delegates of Vulkan around a kernel, as ExecuTorch writes them.
TEST(ExecuTorchReader, DelegatesOfVulkanAreUnknown) {
  const auto read = read_bytes(program("image_vulkan.pte"));
  ASSERT_NE(read, nullptr);
  EXPECT_THAT(operators_of(read->model), ElementsAre("VulkanBackend", "mean.dim", "VulkanBackend"));
  EXPECT_NE(read->costs.total.certainty, Certainty::Exact);
  EXPECT_THAT(read->model.notes, Contains(HasSubstr("3,584 bytes for activations")));
  EXPECT_THAT(
      read->model.notes,
      Contains("the delegate \"VulkanBackend\" has 2,224 bytes in a format of its own; what "
               "it computes and its parameters are unknown"));
}

TEST(ExecuTorchReader, MethodsHaveNames) {
  EXPECT_EQ(problem_of(program("state_portable.pte"), {.model = "backward"}),
            "m.pte: it has no method \"backward\"; its methods are: \"forward\"");
  EXPECT_EQ(problem_of(program("state_portable.pte"), {.model = "forward"}), "none");
}

// Wherever a file is cut or changed, there is a model or one sentence.
TEST(ExecuTorchReader, DamageGetsASentence) {
  for (const char* name : {"open_xnnpack.pte", "branches_portable.pte"}) {
    const std::string whole = program(name);
    for (std::size_t size = 16; size < whole.size() / 2; size += 5)
      EXPECT_THAT(problem_of(whole.substr(0, size)), HasSubstr("m.pte: it is damaged")) << size;
    for (std::size_t at = 0; at < whole.size(); ++at) {
      std::string changed = whole;
      changed[at] = static_cast<char>(0xff);
      EXPECT_FALSE(problem_of(changed).empty()) << at;
    }
  }
}

}  // namespace
}  // namespace strata::executorch
