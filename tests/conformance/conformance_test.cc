// Runs ONNX's own conformance cases: every model loads, and every output has the
// type and shape of the output that is stored beside it. What the models declare of their outputs
// is taken away before, so that only the rules of operators can tell.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "ops/example.h"
#include "stored_value.h"
#include "strata/infer/infer.h"
#include "strata/read/read.h"

namespace strata::conformance {
namespace {

namespace fs = std::filesystem;

const fs::path kData = "/usr/share/libonnx-testdata/data";
// The cases of a newer version that Debian's lacks (make_cases.sh).
const fs::path kNewer = STRATA_CONFORMANCE_CASES;
constexpr std::string_view kNewerGroup = "newer";

fs::path folder_of(const std::string& group) {
  return group == kNewerGroup ? kNewer / "node" : kData / group;
}

// Cases whose outputs do not follow from the model, each with the reason.
std::map<std::string, std::string> known_exceptions() {
  std::map<std::string, std::string> known;
  std::ifstream in(fs::path(STRATA_SOURCE_DIR) / "tests/conformance/exceptions.txt");
  for (std::string line; std::getline(in, line);) {
    if (line.empty() || line[0] == '#') continue;
    const std::size_t colon = line.find(": ");
    known[line.substr(0, colon)] = line.substr(colon + 2);
  }
  return known;
}

// Elements of empty sequences and optionals have no type to compare.
bool agrees(const TypeInfo& inferred, const TypeInfo& stored) {
  if (stored.kind == ValueKind::Optional || stored.kind == ValueKind::OptionalSequence)
    return inferred.kind != ValueKind::Map;
  if (stored.kind == ValueKind::Sequence) {
    if (!stored.items || stored.items->empty()) return inferred.kind == ValueKind::Sequence;
    if (!inferred.items || inferred.items->size() != stored.items->size()) return false;
    for (std::size_t i = 0; i < stored.items->size(); ++i)
      if (!agrees((*inferred.items)[i], (*stored.items)[i])) return false;
    return true;
  }
  return inferred.dtype == stored.dtype && inferred.ranked && inferred.dims == stored.dims;
}

struct Outcome {
  bool passed = false;
  bool needed_values = false;
  std::string problem;
};

using Kinds = std::vector<ValueKind>;

// Forgets the types that the file states for what nodes compute. Returns the kinds of the outputs,
// without which their files cannot be read.
Kinds forget_declared(Model& model) {
  Kinds kinds;
  for (const TensorId id : model.graph().outputs)
    kinds.push_back(model.graph().tensors[id].type->kind);
  for (Graph& graph : model.graphs)
    for (Tensor& tensor : graph.tensors)
      if (tensor.role == Role::Activation) tensor.type = {};
  return kinds;
}

std::string compare(const Model& model, const Kinds& kinds, const fs::path& data) {
  const Graph& graph = model.graph();
  for (std::size_t i = 0; i < graph.outputs.size(); ++i) {
    const fs::path file = data / fmt::format("output_{}.pb", i);
    if (!fs::exists(file)) continue;
    const Tensor& output = graph.tensors[graph.outputs[i]];
    auto stored = read_stored(file, kinds[i]);
    if (!stored) return fmt::format("output {}: {}", i, stored.error().message);
    if (!agrees(output.type, stored->type))
      return fmt::format("output {}: {} but stored is {}", i, example_text(output.type, nullptr),
                         example_text(stored->type, nullptr));
  }
  return "";
}

Result<InferOptions> stored_inputs(const Model& model, const fs::path& data) {
  InferOptions options;
  const Graph& graph = model.graph();
  for (std::size_t i = 0; i < graph.inputs.size(); ++i) {
    const fs::path file = data / fmt::format("input_{}.pb", i);
    if (!fs::exists(file)) continue;
    const Tensor& input = graph.tensors[graph.inputs[i]];
    auto stored = read_stored(file, input.type->kind);
    if (!stored) return failure(stored);
    options.input_types.emplace_back(std::string(input.name), stored->type);
    if (stored->value)
      options.input_values.emplace_back(std::string(input.name), std::move(*stored->value));
  }
  return options;
}

Outcome run_case(const fs::path& folder) {
  const std::string file = (folder / "model.onnx").string();
  fs::path data = folder / "test_data_set_0";
  auto model = read_model(file);
  if (!model) return {false, false, "does not load: " + model.error().message};
  const Kinds kinds = forget_declared(*model);
  auto inferred = infer(*model);
  const std::string without = inferred ? compare(*model, kinds, data) : inferred.error().message;
  if (inferred && without.empty()) return {true, false, ""};
  // Shapes that depend on values: the stored inputs become constants.
  auto again = read_model(file);
  forget_declared(*again);
  auto options = stored_inputs(*again, data);
  if (!options) return {false, true, options.error().message};
  auto with_values = infer(*again, *options);
  if (!with_values) return {false, true, with_values.error().message};
  std::string problem = compare(*again, kinds, data);
  return {problem.empty(), true, problem};
}

struct Score {
  int passed = 0, needed_values = 0, total = 0;
  std::vector<std::string> failed;
};

Score run_group(const std::string& group) {
  const auto known = known_exceptions();
  std::vector<fs::path> folders;
  for (const auto& entry : fs::directory_iterator(folder_of(group)))
    if (fs::exists(entry.path() / "model.onnx")) folders.push_back(entry.path());
  std::sort(folders.begin(), folders.end());
  Score score;
  for (const fs::path& folder : folders) {
    const std::string name = group + "/" + folder.filename().string();
    const Outcome outcome = run_case(folder);
    ++score.total;
    score.passed += outcome.passed;
    score.needed_values += outcome.passed && outcome.needed_values;
    const bool excused = known.contains(name);
    if (!outcome.passed) score.failed.push_back(fmt::format("{}: {}", name, outcome.problem));
    if (!outcome.passed && !excused) {
      ADD_FAILURE() << name << ": " << outcome.problem;
    }
    if (outcome.passed && excused) {
      ADD_FAILURE() << name << " passes now; take it from exceptions.txt";
    }
  }
  return score;
}

class Conformance : public testing::TestWithParam<std::string> {};

TEST_P(Conformance, OutputsAreAsStored) {
  if (kNewer.empty() && GetParam() == kNewerGroup) {
    GTEST_SKIP() << "the newer cases have to be fetched, which STRATA_FETCH=OFF forbids";
  }
  if (!fs::exists(folder_of(GetParam()))) {
    FAIL() << "there are no cases in " << folder_of(GetParam())
           << "; deps/install.sh test and tests/conformance/make_cases.sh bring them";
  }
  const Score score = run_group(GetParam());
  fmt::print("conformance {}: {} of {} ({:.2f} %), {} of them with the stored inputs' values\n",
             GetParam(), score.passed, score.total, 100.0 * score.passed / std::max(score.total, 1),
             score.needed_values);
  for (const std::string& failure : score.failed) fmt::print("  exception {}\n", failure);
  EXPECT_GE(score.passed, 0.99 * score.total);
  EXPECT_GT(score.total, 0);
}

INSTANTIATE_TEST_SUITE_P(Onnx, Conformance,
                         testing::Values("node", "simple", "pytorch-converted", "pytorch-operator",
                                         std::string(kNewerGroup)),
                         [](const auto& group) {
                           std::string name = group.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace strata::conformance
