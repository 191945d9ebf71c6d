// The conventions against the tools themselves: tests/tools/count.py has run them on the modules
// whose exported files strata reads here.
#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>
#include <tuple>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "strata/cost/convention.h"
#include "strata/infer/infer.h"
#include "strata/profile/analysis.h"
#include "strata/read/read.h"

namespace strata {
namespace {

using testing::HasSubstr;

// The package that a convention follows, and what else its count needs.
struct Tool {
  std::string convention, package, metric;
};
void PrintTo(const Tool& tool, std::ostream* out) { *out << tool.convention << ' ' << tool.metric; }
const Tool kTools[] = {
    {"fvcore", "fvcore", "macs"},
    {"thop", "thop", "macs"},
    {"ptflops", "ptflops", "macs"},
    {"ptflops-aten", "ptflops", "macs"},
    {"torchinfo", "torchinfo", "macs"},
    {"torchinfo-main", "", "macs"},
    {"calflops", "calflops", "flops"},
    {"calflops", "calflops", "macs"},
    {"torchprofile", "torchprofile", "macs"},
};

const std::string kNetworks[] = {"resnet18", "mobilenet_v2", "convnext_tiny",
                                 "swin_t",   "vit_b_16",     "maxvit_t"};

std::string content_of(const std::string& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

// Counts by network, convention and metric; `sizes` is the part of torchprofile's count that is
// products of sizes.
using Counts = std::map<std::tuple<std::string, std::string, std::string>, std::string>;

const Counts& counts() {
  static const Counts kFound = [] {
    Counts counts;
    std::stringstream lines(content_of(STRATA_TEST_MODELS "/tool_counts.csv"));
    std::string network, convention, metric, count;
    while (std::getline(lines, network, ',') && std::getline(lines, convention, ',') &&
           std::getline(lines, metric, ',') && std::getline(lines, count))
      counts[{network, convention, metric}] = count;
    return counts;
  }();
  return kFound;
}

std::string counted(const std::string& network, const std::string& convention,
                    const std::string& metric) {
  const auto found = counts().find({network, convention, metric});
  return found == counts().end() ? "none" : found->second;
}

LayerCount total(const std::string& network, const Tool& tool) {
  auto model = read_model(fmt::format("{}/{}.onnx", STRATA_TEST_MODELS, network));
  if (!model) throw std::runtime_error(model.error().message);
  if (const auto ok = infer(*model); !ok) throw std::runtime_error(ok.error().message);
  const Costs costs = count(*model);
  return count_as(*find_convention(tool.convention), costs, find_layers(*model, costs)).total;
}

void compare(const std::string& network, const Tool& tool) {
  SCOPED_TRACE(fmt::format("{}, {}, {}", tool.convention, tool.metric, network));
  const LayerCount ours = total(network, tool);
  const Amount& amount = ours[tool.metric == "flops" ? Metric::Flops : Metric::Macs];
  ASSERT_TRUE(amount.is_whole() && amount.above().is_number());
  const std::string sizes = counted(network, tool.convention, "sizes");
  // Counts that a file does not keep are missing, and the result says so.
  const std::int64_t missing = sizes == "none" ? 0 : std::stoll(sizes);
  EXPECT_EQ(std::to_string(amount.above().value() + missing),
            counted(network, tool.convention, tool.metric));
  if (missing > 0) {
    EXPECT_EQ(ours.certainty, Certainty::LowerBound);
  } else if (sizes == "none") {
    EXPECT_EQ(ours.certainty, Certainty::Exact);
  }
}

class Tools : public testing::TestWithParam<Tool> {};

TEST_P(Tools, CountTheSameForTorchvisionsNetworks) {
  for (const std::string& network : kNetworks) compare(network, GetParam());
}

TEST_P(Tools, CountTheSameForSmallModules) {
  std::size_t cases = 0;
  for (const auto& [key, count] : counts()) {
    const auto& [network, convention, metric] = key;
    if (!network.starts_with("cases/") || convention != GetParam().convention ||
        metric != GetParam().metric)
      continue;
    compare(network, GetParam());
    ++cases;
  }
  EXPECT_GE(cases, 20u);
}

std::string test_name(const testing::TestParamInfo<Tool>& info) {
  std::string text = info.param.convention + "_" + info.param.metric;
  for (char& c : text)
    if (c == '-') c = '_';
  return text;
}
INSTANTIATE_TEST_SUITE_P(Conventions, Tools, testing::ValuesIn(kTools), test_name);

// A convention names the version of its tool, which is the one that is installed.
TEST(ToolVersions, AreThoseThatTheConventionsName) {
  const std::string list = content_of(STRATA_SOURCE_DIR "/tests/tools/requirements.txt");
  for (const Tool& tool : kTools) {
    if (tool.package.empty()) continue;
    const std::size_t at = list.find("\n" + tool.package + "==");
    ASSERT_NE(at, list.npos) << tool.package;
    const std::size_t from = at + tool.package.size() + 3;
    const std::string version = list.substr(from, list.find(' ', from) - from);
    EXPECT_THAT(find_convention(tool.convention)->source(),
                HasSubstr(fmt::format("{} {}", tool.package, version)));
  }
}

// In this file of MobileNetV2, 52 convolutions have a norm folded in.
TEST(FoldedNorms, AreSaidWhereTheToolWouldCountThem) {
  const auto notes = [](const char* convention) {
    auto model = read_model(STRATA_TEST_MODELS "/mobilenet_v2_merged.onnx");
    if (!model) throw std::runtime_error(model.error().message);
    const auto inference = infer(*model);
    if (!inference) throw std::runtime_error(inference.error().message);
    AnalysisOptions options;
    options.convention = convention;
    const auto analysis = analyse(*model, *inference, options);
    if (!analysis) throw std::runtime_error(analysis.error().message);
    return analysis->costs.notes;
  };
  EXPECT_THAT(notes("thop"), testing::ElementsAre(HasSubstr("of 52 convolutions")));
  EXPECT_THAT(notes("strata"), testing::IsEmpty());
}

std::string transformers_table() {
  std::string text =
      "| `--count` | | convnext_tiny | swin_t | vit_b_16 | maxvit_t |\n"
      "|---|---|---:|---:|---:|---:|\n";
  for (const Tool& tool : kTools) {
    if (tool.convention == "calflops" && tool.metric == "macs") continue;
    text +=
        fmt::format("| `{}` | {} |", tool.convention, tool.metric == "flops" ? "FLOPs" : "MACs");
    for (const char* network : {"convnext_tiny", "swin_t", "vit_b_16", "maxvit_t"})
      text +=
          fmt::format(" {:.6f} |", std::stod(counted(network, tool.convention, tool.metric)) / 1e6);
    text += "\n";
  }
  return text;
}

// Run with STRATA_REWRITE_DOCS=1 to rewrite the table.
TEST(ConventionDocs, TheTableOfTransformersIsWhatTheToolsCount) {
  const std::string path = STRATA_SOURCE_DIR "/docs/conventions.md";
  const std::string open = "<!-- transformers -->\n", close = "<!-- /transformers -->";
  const std::string stored = content_of(path);
  const std::size_t first = stored.find(open), last = stored.find(close);
  ASSERT_TRUE(first != stored.npos && last != stored.npos);
  std::string page = stored;
  const std::size_t from = first + open.size();
  page.replace(from, last - from, transformers_table());
  if (std::getenv("STRATA_REWRITE_DOCS") != nullptr)
    std::ofstream(path) << page;
  else
    EXPECT_TRUE(page == stored) << "run this test with STRATA_REWRITE_DOCS=1";
}

}  // namespace
}  // namespace strata
