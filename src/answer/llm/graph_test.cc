// Graphs that are built from records have the parameters and multiply-accumulates of
// tests/llm/golden.json, which transformers and torch counted.
#include "strata/llm/graph.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include <nlohmann/json.hpp>

#include "strata/cost/convention.h"
#include "strata/cost/cost.h"
#include "strata/cost/layers.h"
#include "strata/llm/count.h"
#include "strata/llm/matrix.h"
#include "strata/llm/read.h"
#include "strata/llm/weights.h"

namespace strata::llm {
namespace {

nlohmann::json golden() {
  std::ifstream file(std::string(STRATA_SOURCE_DIR) + "/tests/llm/golden.json");
  return nlohmann::json::parse(file);
}

Network zoo(const std::string& name) {
  auto network = read_network("zoo:" + name);
  EXPECT_TRUE(network) << network.error().message;
  return std::move(*network);
}

build::Network graph(const Network& network, const GraphSizes& sizes,
                     std::string_view weights = {}) {
  auto built = build_graph(network, sizes, weights);
  EXPECT_TRUE(built) << built.error().message;
  return std::move(*built);
}

double served_macs(const Model& model) {
  const Costs costs = count(model);
  const auto served = find_convention("served");
  EXPECT_TRUE(served) << served.error().message;
  const ConventionCosts counted = count_as(*served, costs, find_layers(model, costs));
  const auto macs = counted.total[Metric::Macs].above().number();
  EXPECT_TRUE(macs) << counted.total[Metric::Macs].text();
  return static_cast<double>(macs.value_or(0));
}

// transformers pads convolutions at the start of the prompt; golden_test.cc has the rule.
std::int64_t padding(const Network& network) {
  double macs = 0;
  for (const Layer& layer : network.layers)
    for (const Matrix& matrix : matrices_of(layer, network.hidden))
      if (matrix.name == "conv1d")
        macs += static_cast<double>(matrix.macs()) * static_cast<double>(matrix.inputs - 1) /
                (layer.mixer == Mixer::Convolution ? 2048 : 64);
  return static_cast<std::int64_t>(macs);
}

TEST(Graph, HasGoldenParametersAndMacs) {
  constexpr std::int64_t kTokens = 2048;
  int compared = 0;
  const nlohmann::json all = golden();
  for (const auto& item : all.items()) {
    SCOPED_TRACE(item.key());
    const nlohmann::json& expected = item.value();
    const Network network = zoo(item.key());
    const build::Network built = graph(network, {.sequence = kTokens}, "bf16");
    EXPECT_TRUE(built.inference.unsupported.empty());
    const Costs costs = count(built.model);
    EXPECT_EQ(costs.total.certainty, Certainty::Exact);
    EXPECT_EQ(costs.total.params.number(), expected["parameters"].get<std::int64_t>());
    const auto has = [&](const char* key) {
      return expected.contains(key) && !expected[key].is_null();
    };
    if (!has("linear_macs_per_token")) continue;
    const auto whole = [&](const char* key) {
      return has(key) ? static_cast<std::int64_t>(expected[key].get<double>()) : 0;
    };
    const std::int64_t linear = whole("linear_macs_per_token") - padding(network);
    std::int64_t pairs =
        whole("attention_macs_per_pair_full") + whole("attention_macs_per_pair_window");
    // Not measured where layers of attention stand between others.
    if (pairs == 0) pairs = pair_macs(network).full + pair_macs(network).windowed;
    std::int64_t cross = 0;
    for (const Layer& layer : network.layers)
      cross += layer.cross_tokens * layer.heads * (layer.key + layer.value);
    EXPECT_EQ(costs.total.macs.number(),
              linear * kTokens + pairs * kTokens * kTokens + cross * kTokens);
    ++compared;
  }
  EXPECT_GE(compared, 50);
}

// The formulas of strata llm, which golden_test.cc and prints_test.cc compare with other tools, and
// the rules of operators are different code.
TEST(Graph, ServedCountsAreThoseOfStrataLlm) {
  for (const std::string_view name : zoo_names()) {
    SCOPED_TRACE(name);
    const Network network = zoo(std::string(name));
    const auto linear = static_cast<double>(linear_macs(network));
    const auto head = static_cast<double>(head_macs(network));
    const auto prompt = graph(network, {.sequence = 5000});
    EXPECT_EQ(served_macs(prompt.model),
              (linear - head) * 5000 + head + attention_macs(network, 0, 5000, false));
    const auto step = graph(network, {.sequence = 1, .past = 6000});
    EXPECT_EQ(served_macs(step.model), linear + attention_macs(network, 6000, 1, true));
  }
}

// LLM.md of the models: 14.844 T of 16,469,052,096,512 for a prompt of 2,048.
TEST(Graph, EagerPromptOfLlamaIsElevenPercentOver) {
  const auto built = graph(zoo("llama-3-8b"), {.sequence = 2048});
  EXPECT_EQ(count(built.model).total.macs.number(), 16469052096512);
  EXPECT_NEAR(served_macs(built.model) / 1e12, 14.844, 0.001);
}

// 512 MiB of cache for 4,096 tokens are read, and 128 KiB of a new one are written.
TEST(Graph, CacheIsReadAndOnlyAppendedTo) {
  const Network network = zoo("llama-3-8b");
  const auto with = [&](std::int64_t past) {
    return count(graph(network, {.sequence = 1, .past = past}).model).total;
  };
  const auto near = with(1), far = with(4097);
  const auto read = far.read_bytes.number().value_or(0) - near.read_bytes.number().value_or(0);
  EXPECT_EQ(read, 4096 * 131072);
  EXPECT_EQ(far.write_bytes.number(), near.write_bytes.number());
}

TEST(Graph, OpenSizesGiveFormulas) {
  const auto built = graph(zoo("llama-3-8b"), {});
  EXPECT_EQ(count(built.model).total.macs.text(),
            (Expr(7504658432) * Expr::symbol("sequence") +
             Expr(262144) * Expr::symbol("sequence") * Expr::symbol("sequence"))
                .text());
}

TEST(Graph, PackedWeightsHaveTheirBytes) {
  for (const char* type : {"fp8", "q4_k_m", "q8_0", "awq"})
    for (const char* name : {"llama-3-8b", "mixtral-8x7b", "deepseek-v2-lite", "jamba-v0.1"}) {
      SCOPED_TRACE(std::string(name) + " " + type);
      const Network network = zoo(name);
      const auto built = graph(network, {.sequence = 1}, type);
      const Costs costs = count(built.model);
      EXPECT_EQ(costs.total.params.number(), parameters_of(network).all);
      const double bytes = weight_bytes(network, *find_weight_scheme(type)).all();
      EXPECT_NEAR(static_cast<double>(costs.total.param_bytes.number().value_or(0)), bytes,
                  bytes * 1e-6);
    }
}

}  // namespace
}  // namespace strata::llm
