// Networks that torch 2.13 exported (export.py), against what torch itself says of them:
// parameters, module calls, FLOPs, the peak of activations. The same network has the same costs in
// every form that torch writes.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "strata/cost/cost.h"
#include "strata/cost/cut.h"
#include "strata/cost/layers.h"
#include "strata/infer/infer.h"
#include "strata/profile/analysis.h"
#include "strata/profile/profile.h"
#include "strata/profile/rows.h"
#include "strata/read/read.h"
#include "strata/report/report.h"

namespace strata {
namespace {

using Json = nlohmann::json;
using testing::Contains;
using testing::IsEmpty;
using testing::Not;

const std::string kNetworks[] = {
    "alexnet",       "densenet121", "mobilenet_v2", "resnet18", "resnet50", "shufflenet_v2_x1_0",
    "squeezenet1_1", "bert",        "clip",         "detr",     "gpt2",     "llama",
    "mamba",         "mixtral",     "qwen",         "sam",      "swin",     "vit",
    "whisper"};

std::string file_of(const std::string& network, const std::string& ending) {
  return fmt::format("{}/pt2/{}{}", STRATA_TEST_MODELS, network, ending);
}

const Json& facts_of(const std::string& network) {
  static std::map<std::string, Json> kept;
  if (const auto found = kept.find(network); found != kept.end()) return found->second;
  std::ifstream file(file_of(network, ".json"));
  return kept[network] = Json::parse(file);
}

// A model with all that was made of it.
struct Profiled {
  Model model;
  Inference inference;
  Rows rows;
  Profile::Memory memory;
};

// Profiles the file like any other, with these sizes of its inputs.
std::unique_ptr<Profiled> profile(const std::string& path, const InferOptions& options = {},
                                  const AnalysisOptions& counting = {}) {
  auto model = read_model(path);
  if (!model) throw std::runtime_error(model.error().message);
  auto profiled = std::make_unique<Profiled>();
  profiled->model = std::move(*model);
  auto inference = infer(profiled->model, options);
  if (!inference) throw std::runtime_error(inference.error().message);
  profiled->inference = std::move(*inference);
  const auto analysis = analyse(profiled->model, profiled->inference, counting);
  if (!analysis) throw std::runtime_error(analysis.error().message);
  profiled->rows = make_rows(*analysis);
  profiled->memory = analysis->memory;
  return profiled;
}

// The forms that torch writes, by their names in the facts.
const std::string kOptimized = ".onnx";
const std::pair<std::string, std::string> kForms[] = {{"pt2", ".pt2"},
                                                      {"core", ".core.pt2"},
                                                      {"open", ".open.pt2"},
                                                      {"onnx", ".plain.onnx"},
                                                      {"onnx", kOptimized}};

class Pt2OfNetwork : public testing::TestWithParam<std::string> {
 protected:
  // True if torch could write this form.
  bool has(const std::string& form) const {
    return !facts_of(GetParam()).at("failed").contains(form);
  }
  std::unique_ptr<Profiled> form(const std::string& ending) const {
    return profile(file_of(GetParam(), ending));
  }
};

TEST_P(Pt2OfNetwork, HasTheParametersOfTheModule) {
  const auto parameters = facts_of(GetParam()).at("parameters").get<std::int64_t>();
  // ONNX files leave out what no node reads. Without masks and boxes, these are three convolutions
  // of SAM's mask_embed (10, 72 and 288), its two norms (4 and 16) and two embeddings of 32.
  const std::int64_t left_out = GetParam() == "sam" ? 10 + 72 + 288 + 4 + 16 + 2 * 32 : 0;
  for (const auto& [name, ending] : kForms)
    if (has(name) && ending != kOptimized) {
      EXPECT_EQ(form(ending)->rows.totals.figures.params.text(),
                std::to_string(parameters - (name == "onnx" ? left_out : 0)))
          << ending;
    }
}

// torch counts two FLOPs for each product of convolutions and matrix products, also of work on
// constants, which strata takes for work that is done once.
TEST_P(Pt2OfNetwork, HasTheProductsThatTorchCounts) {
  if (!has("pt2")) GTEST_SKIP() << facts_of(GetParam()).at("failed").at("pt2");
  for (const std::string ending : {".pt2", ".core.pt2"}) {
    if (ending == ".core.pt2" && !has("core")) continue;
    const auto file = profile(file_of(GetParam(), ending), {}, {.load_work = true});
    EXPECT_THAT(file->inference.unsupported, IsEmpty());
    EXPECT_EQ(file->rows.totals.figures.macs_work, Certainty::Exact);
    EXPECT_EQ(file->rows.totals.figures.macs.text(),
              std::to_string(facts_of(GetParam()).at("flops").get<std::int64_t>() / 2))
        << ending;
  }
}

TEST_P(Pt2OfNetwork, EveryFormCostsTheSame) {
  if (!has("pt2")) GTEST_SKIP() << facts_of(GetParam()).at("failed").at("pt2");
  const auto file = form(".pt2");
  const std::string macs = file->rows.totals.figures.macs.text();
  if (has("core")) {
    EXPECT_EQ(form(".core.pt2")->rows.totals.figures.macs.text(), macs);
  }
  if (has("onnx")) {
    // The exporter computes the positions of SAM's 8 × 8 patches: a product of 64 × 2 and 2 × 16.
    const std::int64_t computed = GetParam() == "sam" ? 64 * 2 * 16 : 0;
    const Expr rest = form(kOptimized)->rows.totals.figures.macs.floor() + computed;
    EXPECT_EQ(rest.text(), macs);
  }
  if (!has("open")) return;
  InferOptions sizes;
  for (const auto& [name, shape] : facts_of(GetParam()).at("inputs").items()) {
    Dims dims;
    for (const std::int64_t size : shape) dims.push_back(size);
    sizes.input_shapes.emplace_back(name, std::move(dims));
  }
  const auto open = profile(file_of(GetParam(), ".open.pt2"), sizes);
  EXPECT_EQ(open->rows.totals.figures.macs.text(), macs);
  EXPECT_EQ(open->rows.totals.figures.flops.text(), file->rows.totals.figures.flops.text());
}

// torch's own storages, while it runs the program node by node (storages.py). SAM adds two results
// of einsum whose axes are permuted in memory, and the sum is so, too: torch copies it to reshape
// it. That torch does so cannot be seen in the file, so that the peak is a lower bound.
TEST_P(Pt2OfNetwork, HasThePeakOfTorchsStorages) {
  for (const auto& [name, bytes] : facts_of(GetParam()).at("peak_bytes").items()) {
    const auto file = form(name == "pt2" ? ".pt2" : ".core.pt2");
    if (GetParam() == "sam" && name == "pt2") {
      EXPECT_LE(file->memory.peak_bytes.value(), bytes.get<std::int64_t>());
      EXPECT_EQ(file->memory.certainty, Certainty::LowerBound);
      continue;
    }
    EXPECT_EQ(file->memory.peak_bytes.text(), std::to_string(bytes.get<std::int64_t>())) << name;
    EXPECT_EQ(file->memory.certainty, Certainty::Exact);
  }
}

// numpy's arrays, while it runs the files of the newer exporter node by node (onnx_storages.py).
// Where the exporter did not optimize, some slices end where a node says, so that their sizes are
// open; what they would add is not part of the peak.
TEST_P(Pt2OfNetwork, HasThePeakOfArraysOfOnnxFiles) {
  for (const auto& [ending, bytes] : facts_of(GetParam()).at("peak_bytes_onnx").items()) {
    Expr peak = form("." + ending)->memory.peak_bytes;
    if (ending == "plain.onnx")
      peak = peak.substitute([](std::string_view) { return std::optional(Expr(0)); });
    EXPECT_EQ(peak.text(), std::to_string(bytes.get<std::int64_t>())) << ending;
  }
}

// Checks the files of the older exporter, whose batch is open: at two sizes, by the formula and
// with the size given.
TEST_P(Pt2OfNetwork, HasThePeakOfArraysAtEveryBatch) {
  const Json& peaks = facts_of(GetParam()).at("peak_bytes_of_batch");
  if (peaks.empty()) GTEST_SKIP() << facts_of(GetParam()).at("failed").at("old");
  const auto open = form(".old.onnx");
  EXPECT_EQ(open->memory.certainty, Certainty::Exact);
  for (const auto& [text, bytes] : peaks.items()) {
    const std::int64_t batch = std::stoll(text);
    InferOptions sizes;
    sizes.sizes.emplace_back("batch", batch);
    const Expr formula = open->memory.peak_bytes.substitute(
        [&](std::string_view) { return std::optional(Expr(batch)); });
    const std::string wanted = std::to_string(bytes.get<std::int64_t>());
    EXPECT_EQ(formula.text(), wanted) << batch;
    EXPECT_EQ(profile(file_of(GetParam(), ".old.onnx"), sizes)->memory.peak_bytes.text(), wanted)
        << batch;
  }
}

// With open sizes, the formula at the sizes of the run is the peak with these sizes.
TEST_P(Pt2OfNetwork, ThePeakOfOpenSizesIsThatOfEverySize) {
  if (!has("open")) GTEST_SKIP() << facts_of(GetParam()).at("failed").at("open");
  const auto open = form(".open.pt2");
  for (const std::int64_t size : {1, 2, 3, 16, 100}) {
    InferOptions sizes;
    for (const Inference::Symbol& symbol : open->inference.symbols)
      sizes.sizes.emplace_back(symbol.name, size);
    const auto fixed = profile(file_of(GetParam(), ".open.pt2"), sizes);
    const Expr peak = open->memory.peak_bytes.substitute(
        [&](std::string_view) { return std::optional(Expr(size)); });
    if (open->memory.certainty == Certainty::Exact)
      EXPECT_EQ(peak.text(), fixed->memory.peak_bytes.text()) << size;
    else
      EXPECT_LE(peak.value(), fixed->memory.peak_bytes.value()) << size;
  }
}

// Rows are calls of modules, by the names and classes that the module has.
TEST_P(Pt2OfNetwork, RowsAreModuleCalls) {
  std::map<std::pair<std::string, std::string>, std::uint32_t> calls;
  std::set<std::string> called;
  for (const Json& call : facts_of(GetParam()).at("calls")) {
    ++calls[{call[0], call[1]}];
    called.insert(call[0]);
  }
  const auto modules = facts_of(GetParam()).at("modules").get<std::vector<std::string>>();
  for (const auto& [name, ending] : kForms) {
    if (!has(name)) continue;
    std::set<std::string> with_rows;
    const auto file = form(ending);
    for (const Row& row : file->rows.list) {
      if (row.functional) continue;
      with_rows.insert(row.layer);
      if (row.type == "Unread") {  // has parameters, and no part in this run
        EXPECT_THAT(modules, Contains(row.layer));
        EXPECT_THAT(called, Not(Contains(row.layer)));
        continue;
      }
      const auto call = calls.find({row.layer, row.type});
      if (call == calls.end())
        ADD_FAILURE() << ending << " has a row of " << row.layer << " (" << row.type << ")";
      else
        EXPECT_LT(row.call, call->second) << ending << ": " << row.layer;
    }
    // Modules with weights of their own do something. The exporter's optimizer computes those whose
    // input is constant.
    if (ending == kOptimized) continue;
    for (const auto& [path, count] : facts_of(GetParam()).at("parameters_of").items())
      if (count > 0 && calls.contains({path, "Linear"})) {
        EXPECT_THAT(with_rows, Contains(path)) << ending;
      }
  }
}

// The newer exporter optimizes by default: norms are folded into convolutions, calls have no
// numbers, and constants are stored beside the parameters.
class OptimizedOnnx : public Pt2OfNetwork {};

// Each call of these modules is a row of the module's own name and class, with torch's hooks as the
// oracle. Modules on constants, which the exporter computed, are not in the file.
TEST_P(OptimizedOnnx, HasTheCallsOfModules) {
  if (!has("onnx")) GTEST_SKIP() << facts_of(GetParam()).at("failed").at("onnx");
  const std::set<std::string> kinds = {"Conv2d", "Linear", "ReLU", "ReLU6", "MaxPool2d"};
  const auto computed = facts_of(GetParam()).at("not_in_onnx").get<std::set<std::string>>();
  std::map<std::string, int> unlike;  // calls less rows
  for (const Json& call : facts_of(GetParam()).at("calls")) {
    const std::string path = call[0], type = call[1];
    if (kinds.contains(type) && !computed.contains(path)) ++unlike[path + " " + type];
  }
  const auto file = form(kOptimized);
  for (const Row& row : file->rows.list)
    if (!row.functional && kinds.contains(std::string(row.type)))
      --unlike[fmt::format("{} {}", row.layer, row.type)];
  std::erase_if(unlike, [](const auto& call) { return call.second == 0; });
  EXPECT_THAT(unlike, IsEmpty());
}

// Parameters are compared by value (export.py). Mamba's states change by -exp(A_log), which the
// file has in its place: two layers with 96 times 8 elements. Rows of a table that the exporter
// looked up are not counted, since the file does not say how many the table had: 17 positions of
// CLIP, 7 queries of DETR and 30 positions of Whisper are all there are.
TEST_P(OptimizedOnnx, HasTheParametersOfTheModule) {
  if (!has("onnx")) GTEST_SKIP() << facts_of(GetParam()).at("failed").at("onnx");
  const Json& facts = facts_of(GetParam());
  const std::map<std::string, std::int64_t> computed = {
      {"mamba", 2 * 96 * 8}, {"clip", -17 * 36}, {"detr", -7 * 48}, {"whisper", -30 * 48}};
  const auto own = computed.find(GetParam());
  const auto file = form(kOptimized);
  EXPECT_EQ(file->rows.totals.figures.params.text(),
            std::to_string(facts.at("onnx_parameters").get<std::int64_t>() +
                           (own == computed.end() ? 0 : own->second)));
  const std::string said = fmt::format("the exporter folded {} norms into",
                                       facts.at("folded_norms").get<std::int64_t>());
  EXPECT_EQ(testing::Matches(Contains(testing::StartsWith(said)))(file->model.notes),
            facts.at("folded_norms") > 0);
}

// ResNet-18 has 20 convolutions, 17 calls of ReLUs, 8 sums, 2 pools and a linear layer, which is
// last. A cut is also possible before all of them, and none after the last.
TEST(OptimizedFile, CanBeCutAfterEachCall) {
  const auto file = profile(file_of("resnet18", kOptimized));
  const Costs costs = count(file->model);
  const Cuts cuts = find_cuts(file->model, costs, find_layers(file->model, costs));
  EXPECT_EQ(cuts.places.size(), 1 + 20 + 17 + 8 + 2u);
}

// All 14 columns of the published table, with the Dropout that ONNX files lose.
TEST(Pt2, HasThePublishedTableOfMobileNetV2) {
  auto model = read_model(file_of("mobilenet_v2", ".pt2"));
  ASSERT_TRUE(model) << model.error().message;
  const auto inference = infer(*model);
  ASSERT_TRUE(inference) << inference.error().message;
  ProfileOptions options;
  options.layout = "rasp";
  options.device_memory = "pytorch-cuda";
  const auto profile = make_profile(*model, *inference, options);
  ASSERT_TRUE(profile) << profile.error().message;
  std::ifstream published(STRATA_SOURCE_DIR "/tests/golden/rasp_mobilenet_v2.csv");
  std::stringstream table;
  table << published.rdbuf();
  EXPECT_EQ(to_csv(*profile), table.str());
  EXPECT_THAT(table.str(), testing::HasSubstr(",Dropout,"));
}

INSTANTIATE_TEST_SUITE_P(Networks, OptimizedOnnx, testing::ValuesIn(kNetworks),
                         [](const auto& network) { return network.param; });
INSTANTIATE_TEST_SUITE_P(Networks, Pt2OfNetwork, testing::ValuesIn(kNetworks),
                         [](const auto& network) { return network.param; });

}  // namespace
}  // namespace strata
