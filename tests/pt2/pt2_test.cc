// Networks that torch 2.13 exported (export.py), against what torch itself says of them:
// parameters, module calls, FLOPs. The same network has the same costs in every form that torch
// writes.
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
};

// As a stranger's file, with these sizes of its inputs.
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
  return profiled;
}

// What torch writes, by the name that facts have for it.
const std::string kOptimized = ".onnx";
const std::pair<std::string, std::string> kForms[] = {{"pt2", ".pt2"},
                                                      {"core", ".core.pt2"},
                                                      {"open", ".open.pt2"},
                                                      {"onnx", ".plain.onnx"},
                                                      {"onnx", kOptimized}};

class Pt2OfNetwork : public testing::TestWithParam<std::string> {
 protected:
  // Whether torch could write this form.
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

INSTANTIATE_TEST_SUITE_P(Networks, Pt2OfNetwork, testing::ValuesIn(kNetworks),
                         [](const auto& network) { return network.param; });

}  // namespace
}  // namespace strata
