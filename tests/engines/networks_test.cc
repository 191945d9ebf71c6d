// ONNX Runtime's kernels for real networks: at every level of optimization, every node of the
// source is in one list of sources, or absent for a reason.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "small_models.h"
#include "strata/read/read.h"
#include "strata/write/onnx.h"
#include "strata/zoo/zoo.h"

namespace strata {
namespace {

using ::testing::IsEmpty;

// Small sizes for networks that have parameters for them: only the graph matters.
std::string arguments_for(const zoo::Entry& entry) {
  std::string text;
  const auto add = [&](std::string_view name, std::string_view value) {
    for (const zoo::Parameter& parameter : entry.parameters)
      if (parameter.name == name)
        text += fmt::format("{}{}={}", text.empty() ? "?" : "&", name, value);
  };
  const bool fixed = entry.name.starts_with("vgg") || entry.name == "alexnet" ||
                     entry.name.starts_with("vit") || entry.name.starts_with("swin_");
  if (fixed) {
    add("classes", "10");
  } else {
    add("resolution", entry.in_table ? "64" : "256");
    add("min_size", "128");
    add("max_size", "128");
    add("sequence", "8");
  }
  return text;
}

struct NetworkCase {
  std::string name;  // a network of the zoo, with arguments
  friend void PrintTo(const NetworkCase& one, std::ostream* out) { *out << one.name; }
};

// True if another network has the same kinds of nodes, and fewer of them.
bool is_larger_size(std::string_view name) {
  struct Family {
    std::string_view prefix, smallest;
  };
  constexpr Family kFamilies[] = {{"convnext_", "convnext_tiny"},
                                  {"efficientnet_b", "efficientnet_b0"},
                                  {"efficientnet_v2_", "efficientnet_v2_s"},
                                  {"regnet_x_", "regnet_x_400mf"},
                                  {"regnet_y_", "regnet_y_400mf"},
                                  {"yolox_", "yolox_nano"},
                                  {"vgg13", {}},  // as vgg11, and as vgg11_bn
                                  {"vgg16", {}},
                                  {"vgg19", {}},
                                  {"resnet101", {}},  // as resnet50
                                  {"resnet152", {}},
                                  {"resnext101_", {}},
                                  {"wide_resnet101_2", {}},
                                  {"densenet1", "densenet121"},
                                  {"densenet201", {}}};
  return name == "llama" ||  // 4 GB; llama_small is the same graph
         std::any_of(std::begin(kFamilies), std::end(kFamilies), [&](const Family& family) {
           return name.starts_with(family.prefix) && name != family.smallest;
         });
}

std::vector<NetworkCase> cases() {
  std::vector<NetworkCase> all;
  for (const zoo::Entry& entry : zoo::entries())
    if (!is_larger_size(entry.name))
      all.push_back({fmt::format("{}{}", entry.name, arguments_for(entry))});
  return all;
}

bool is_heavy(std::string_view op) {
  return op.find("Conv") != op.npos || op.find("MatMul") != op.npos || op.find("Gemm") != op.npos;
}

// The heavy operators show whether lists are right: a kernel that multiplies matrices or convolves
// does so for one such node of the source, or for those of one attention.
std::vector<std::string> wrong_lists(const Model& model, const std::vector<Kernel>& kernels) {
  std::map<std::string, std::string_view> ops;
  const std::vector<std::string> keys = node_keys(model);
  std::size_t number = 0;
  for (const Graph& graph : model.graphs)
    for (const Node& node : graph.nodes) ops[keys[number++]] = node.op;
  std::map<std::vector<std::string>, std::set<std::string>> kernel_ops;
  for (const Kernel& kernel : kernels) kernel_ops[kernel.sources].insert(kernel.op);
  std::vector<std::string> wrong;
  for (const auto& [sources, names] : kernel_ops) {
    const auto sources_heavy = std::count_if(
        sources.begin(), sources.end(), [&](const std::string& key) { return is_heavy(ops[key]); });
    // Norms become convolutions if the layout is blocked.
    const bool norm = std::any_of(sources.begin(), sources.end(), [&](const std::string& key) {
      return ops[key] == "BatchNormalization";
    });
    const auto kernels_heavy = std::count_if(names.begin(), names.end(), is_heavy);
    const bool attention = std::any_of(names.begin(), names.end(), [](const std::string& op) {
      return op.find("Attention") != op.npos;
    });
    if (!attention && (sources_heavy > 1 || (sources_heavy > 0 && kernels_heavy == 0) ||
                       (sources_heavy == 0 && kernels_heavy > 0 && !norm)))
      wrong.push_back(
          fmt::format("{} runs {}", fmt::join(names, " and "), fmt::join(sources, ", ")));
  }
  return wrong;
}

// A model in memory whose weights are all slices of the same numbers, which is quick to make at any
// size. Detectors get random weights, because they must find something.
struct SharedWeights {
  std::string model;
  std::vector<float> numbers;

  explicit SharedWeights(Model& network, bool detector) {
    if (detector) {
      model = test::bytes_of(network);
      return;
    }
    constexpr std::int64_t kStep = 64;
    std::int64_t most = 0, count = 0;
    for (TensorData& data : network.stored) {
      if (data.store != TensorData::Store::Absent || data.dtype != DType::F32) continue;
      most = std::max(most, data.elements().number().value_or(0));
      data.store = TensorData::Store::External;
      data.location = "weights";
      data.offset = count++ * kStep;
    }
    numbers.resize(static_cast<std::size_t>(most + count * kStep));
    for (std::size_t i = 0; i < numbers.size(); ++i)
      numbers[i] = 0.001F * static_cast<float>(i % 89 + 1);
    auto bytes = onnx_bytes(network, {.elsewhere = WriteOptions::Elsewhere::Refer});
    EXPECT_TRUE(bytes) << bytes.error().message;
    model = bytes.value_or("");
  }
  ModelBytes bytes() const {
    if (numbers.empty()) return {model};
    return {model,
            {{"weights",
              {reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(float)}}}};
  }
};

void check(Model& network, bool detector, bool all_levels) {
  auto engine = load_engine("onnxruntime");
  if (!engine) GTEST_SKIP() << engine.error().message;
  const SharedWeights weights(network, detector);
  const auto model = read_onnx(weights.model, "model");
  ASSERT_TRUE(model) << model.error().message;
  std::vector levels = {STRATA_OPT_NONE, STRATA_OPT_BASIC, STRATA_OPT_EXTENDED, STRATA_OPT_ALL};
  if (!all_levels || weights.numbers.size() > 50'000'000)
    levels = {STRATA_OPT_NONE, STRATA_OPT_ALL};
  for (const auto level : levels) {
    auto session =
        engine->open(weights.bytes(), {.threads = 1, .optimization = level, .trace_time = true});
    ASSERT_TRUE(session) << session.error().message;
    ASSERT_TRUE(session->bind(test::inputs_for(session->inputs())));
    const auto trace = session->run_traced({});
    ASSERT_TRUE(trace) << trace.error().message;
    const auto found = test::check_assignment(*model, trace->kernels, session->absent());
    EXPECT_THAT(found.mistakes, IsEmpty()) << "level " << level;
    EXPECT_THAT(wrong_lists(*model, trace->kernels), IsEmpty()) << "level " << level;
    ::testing::Test::RecordProperty(fmt::format("level{}", static_cast<int>(level)),
                                    fmt::format("{} nodes assigned, {} absent, {} kernels",
                                                found.assigned, found.absent, found.kernels));
  }
}

class Networks : public ::testing::TestWithParam<NetworkCase> {};

TEST_P(Networks, EveryNodeIsInOneKernelOrAbsent) {
  auto network = zoo::build(GetParam().name);
  ASSERT_TRUE(network) << network.error().message;
  check(network->model, GetParam().name.find("min_size") != std::string::npos, true);
}

INSTANTIATE_TEST_SUITE_P(Zoo, Networks, ::testing::ValuesIn(cases()), [](const auto& each) {
  return each.param.name.substr(0, each.param.name.find('?'));
});

// Networks as torchvision exports them, with nodes that compute shapes.
class Exports : public ::testing::TestWithParam<NetworkCase> {};

TEST_P(Exports, EveryNodeIsInOneKernelOrAbsent) {
  auto model = read_model(fmt::format("{}/{}.onnx", STRATA_TEST_MODELS, GetParam().name));
  ASSERT_TRUE(model) << model.error().message;
  check(*model, false, false);
}

std::vector<NetworkCase> exports() {
  std::vector<NetworkCase> all;
  for (const zoo::Entry& entry : zoo::entries())
    if (entry.in_table && !is_larger_size(entry.name)) all.push_back({std::string(entry.name)});
  for (const char* name :
       {"fasterrcnn_resnet50_fpn", "retinanet_resnet50_fpn", "swin_t", "vit_b_16"})
    all.push_back({name});
  return all;
}

INSTANTIATE_TEST_SUITE_P(Torchvision, Exports, ::testing::ValuesIn(exports()),
                         [](const auto& each) { return each.param.name; });

}  // namespace
}  // namespace strata
