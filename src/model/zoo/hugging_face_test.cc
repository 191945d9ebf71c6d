// Networks of config.json against what transformers makes of the same file
// (tests/models/hugging_face/make_folders.py).
#include "strata/zoo/hugging_face.h"

#include <algorithm>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include "base/sha256.h"
#include "strata/base/scratch_folder.h"
#include "strata/cost/cost.h"

namespace strata::zoo {
namespace {

const std::string kModels = STRATA_SOURCE_DIR "/tests/models/hugging_face/";

build::Network built(const std::string& folder, const Expr& batch, const Expr& sequence) {
  auto network = build_folder(kModels + folder, batch, sequence);
  EXPECT_TRUE(network) << network.error().message;
  return *std::move(network);
}

std::vector<std::string> parameters_of(const Model& model) {
  std::vector<std::string> lines;
  for (const Tensor& tensor : model.graph().tensors)
    if (tensor.role == Role::Initializer && tensor.data->store == TensorData::Store::Absent)
      lines.push_back(fmt::format("{} {}\n", tensor.name, fmt::join(tensor.data->dims, "x")));
  std::sort(lines.begin(), lines.end());
  return lines;
}

std::string hash_of(const std::vector<std::string>& lines) {
  return fmt::format("{:02x}", fmt::join(sha256(fmt::format("{}", fmt::join(lines, ""))), ""));
}

TEST(HuggingFace, ParametersAndMacsAreThoseOfTransformers) {
  std::ifstream facts(kModels + "facts.txt");
  std::size_t folders = 0;
  for (std::string line; std::getline(facts, line); ++folders) {
    std::istringstream words(line);
    std::string folder, parameters, tensors, hash, macs;
    words >> folder >> parameters >> tensors >> hash >> macs;
    EXPECT_TRUE(is_hugging_face(kModels + folder));
    const build::Network network = built(folder, 2, 7);
    const auto own = parameters_of(network.model);
    EXPECT_EQ(std::to_string(own.size()), tensors) << folder;
    EXPECT_EQ(hash_of(own), hash) << folder << "\n" << fmt::format("{}", fmt::join(own, ""));
    const NodeCost total = count(network.model).total;
    EXPECT_EQ(total.params.text(), parameters) << folder;
    EXPECT_EQ(total.certainty, Certainty::Exact) << folder;
    if (macs != "-") {
      EXPECT_EQ(total.macs.text(), macs) << folder;
    }
    EXPECT_TRUE(network.inference.unsupported.empty()) << folder;
  }
  EXPECT_EQ(folders, 23u);
}

TEST(HuggingFace, ModulesHaveTheirPathsAndClasses) {
  std::map<std::string, std::set<std::string>> known;
  std::ifstream lines(kModels + "modules.txt");
  std::size_t modules = 0;
  for (std::string line; std::getline(lines, line); ++modules) {
    const std::size_t space = line.find(' ');
    const std::string folder = line.substr(0, space);
    std::set<std::string>& own = known[folder];
    if (own.empty()) {
      const build::Network network = built("tiny/" + folder, 1, 5);
      for (const Scope& scope : network.model.scopes)
        own.insert(fmt::format("{} {}", scope.path, scope.cls));
    }
    EXPECT_TRUE(own.contains(line.substr(space + 1))) << line;
  }
  EXPECT_GT(modules, 100u);
}

// Each token goes through 2 of 8 experts, which have 3·4096·14336 weights, in each of 32 layers.
TEST(HuggingFace, ATokenGoesThroughSomeExperts) {
  const build::Network network = built("real/mixtral-8x7b", 1, Expr::symbol("sequence"));
  const Expr macs = count(network.model).total.macs;
  const Expr length = Expr::symbol("sequence");
  const Expr attention = 2 * 4096 * 4096 + 2 * 4096 * 1024;
  const Expr experts = 2 * 3 * Expr(4096) * 14336 + 8 * 4096;
  EXPECT_EQ(macs, length * (32 * (attention + experts) + Expr(4096) * 32000) +
                      length * length * 2 * 32 * 4096);
}

TEST(HuggingFace, AWindowMasksAndComputesAsMuch) {
  const build::Network network = built("tiny/qwen2", 1, 9);
  std::set<std::string> masks;  // one for layer 0, one for layer 1, by the Where that makes it
  for (const Node& node : network.model.graph().nodes)
    if (node.op == "Where") masks.emplace(node.name);
  EXPECT_EQ(masks.size(), 2u);
}

// A broken config.json in a folder without models used to be "no .onnx or .pt2 file".
TEST(HuggingFace, AFolderWithABrokenConfigIsStillOne) {
  const ScratchFolder scratch = ScratchFolder::create().value();
  EXPECT_FALSE(is_hugging_face(scratch.path()));
  const std::string config = scratch.path() + "/config.json";
  std::ofstream(config) << "{\"model_type\": \"llama\"";
  EXPECT_TRUE(is_hugging_face(scratch.path()));
  const auto network = build_folder(scratch.path(), 1, 8);
  ASSERT_FALSE(network);
  EXPECT_EQ(network.error().message, config + ":1: its JSON ends too early; download it again");
  std::ofstream(scratch.path() + "/model.pt2") << "x";
  EXPECT_FALSE(is_hugging_face(scratch.path()));
  std::ofstream(config) << "{\"model_type\": \"llama\"}";
  EXPECT_TRUE(is_hugging_face(scratch.path()));
  std::ofstream(scratch.path() + "/model.onnx") << "x";
  EXPECT_FALSE(is_hugging_face(scratch.path()));
}

std::string problem_of(const std::string& json) {
  const auto network = build_config(json, "config.json", 1, 8);
  return network ? "no problem" : network.error().message;
}

TEST(HuggingFace, EveryMistakeHasItsSentence) {
  const std::string sizes =
      R"("vocab_size": 10, "hidden_size": 8, "intermediate_size": 4, "num_hidden_layers": 1)";
  EXPECT_EQ(problem_of("{\"model_type\": \"llama\", " + sizes + ", \"num_attention_heads\": 2}"),
            "no problem");
  EXPECT_EQ(problem_of("[]"), "config.json: it is not a JSON object");
  EXPECT_EQ(problem_of(" \n"), "config.json: it is empty; download it again");
  EXPECT_EQ(problem_of("{\n  \"model_type\": \"llama\",\n"),
            "config.json:3: its JSON ends too early; download it again");
  EXPECT_EQ(problem_of("{\n  \"model_type\": \"llama\",\n  }"),
            "config.json:3: it is not JSON from column 3 on; download it again");
  EXPECT_EQ(
      problem_of("{\"hidden_size\": 8}"),
      "config.json: it has neither a \"model_type\" nor \"architectures\", so that it is not a "
      "configuration of a network; take the config.json of a transformers model");
  EXPECT_EQ(problem_of(R"({"model_type": "t5"})"),
            "config.json: strata has no network for a model_type of \"t5\"; it has bert, llama, "
            "mistral, mixtral, qwen2, qwen3 and qwen3_moe. A file of weights can be listed by "
            "itself");
  EXPECT_EQ(
      problem_of(R"({"model_type": "llama", "architectures": ["LlamaForTokenClassification"]})"),
      "config.json: strata has no network for \"LlamaForTokenClassification\"; it has "
      "LlamaForCausalLM and LlamaModel");
  EXPECT_EQ(problem_of("{\"model_type\": \"llama\", " + sizes + ", \"num_attention_heads\": 0}"),
            "config.json: its num_attention_heads of 0 is not from 1 to 65536");
  EXPECT_EQ(problem_of("{\"model_type\": \"llama\", " + sizes +
                       ", \"num_attention_heads\": 4, \"num_key_value_heads\": 3}"),
            "config.json: 4 heads cannot share 3 keys and values equally");
  EXPECT_EQ(problem_of("{\"model_type\": \"llama\", " + sizes + ", \"num_attention_heads\": 8}"),
            "config.json: heads of 1 channels cannot be rotated in pairs");
  EXPECT_EQ(problem_of("{\"model_type\": \"bert\", " + sizes +
                       ", \"num_attention_heads\": 2, \"max_position_embeddings\": 4}"),
            "config.json: a text of 8 tokens is longer than its 4 positions");
  EXPECT_EQ(problem_of("{\"model_type\": \"llama\", " + sizes +
                       ", \"num_attention_heads\": 2, \"hidden_act\": \"mish\"}"),
            "config.json: there is no activation function \"mish\" here");
  EXPECT_EQ(problem_of(R"({"model_type": "llama"})"), "config.json: it has no \"vocab_size\"");
}

TEST(HuggingFace, OtherFoldersAreNone) {
  EXPECT_FALSE(is_hugging_face(STRATA_SOURCE_DIR "/tests/models"));
  EXPECT_FALSE(is_hugging_face(kModels + "facts.txt"));
  EXPECT_FALSE(is_hugging_face("no such folder"));
}

}  // namespace
}  // namespace strata::zoo
