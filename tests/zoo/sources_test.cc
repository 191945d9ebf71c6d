// Compares networks of the zoo with what was counted where they come from: parameters, MACs, and
// the name and shape of every weight. count_sources.py made sources.csv, and prints weights one by
// one.
#include <algorithm>
#include <array>
#include <cstdint>
#include <fstream>
#include <sstream>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include "strata/cost/cost.h"
#include "strata/zoo/zoo.h"

namespace strata {
namespace {

struct Source {
  std::string network, arguments, source, parameters, macs, weights, calls;

  friend void PrintTo(const Source& one, std::ostream* out) { *out << one.network; }
};

std::vector<Source> sources() {
  std::ifstream file(STRATA_SOURCE_DIR "/tests/zoo/sources.csv");
  std::vector<Source> all;
  std::string line;
  std::getline(file, line);  // the header
  while (std::getline(file, line)) {
    std::istringstream cells(line);
    std::array<std::string, 7> row;
    for (std::string& cell : row) std::getline(cells, cell, ',');
    all.push_back({row[0], row[1], row[2], row[3], row[4], row[5], row[6]});
  }
  return all;
}

// FNV-1a of 64 bits.
std::string hash_of(const std::vector<std::string>& lines) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const std::string& line : lines)
    for (const char c : line + "\n") hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return fmt::format("{:016x}", hash);
}

// `features.0.0.weight 32,3,3,3`, sorted.
std::vector<std::string> weights_of(const Model& model) {
  std::vector<std::string> lines;
  for (const TensorData& data : model.stored)
    if (data.store == TensorData::Store::Absent)  // not sizes and other numbers of the description
      lines.push_back(fmt::format("{} {}", data.name, fmt::join(data.dims, ",")));
  std::sort(lines.begin(), lines.end());
  return lines;
}

// `features.0.0 Conv2d`: the modules that have no modules in them, in the order of their calls.
std::vector<std::string> calls_of(const Model& model) {
  std::vector<bool> has_children(model.scopes.size(), false);
  for (const Scope& scope : model.scopes)
    if (scope.parent != kNone) has_children[scope.parent] = true;
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < model.scopes.size(); ++i)
    if (!has_children[i])
      lines.push_back(fmt::format("{} {}", model.scopes[i].path, model.scopes[i].cls));
  return lines;
}

class ZooSources : public testing::TestWithParam<Source> {};

TEST_P(ZooSources, HaveTheseWeightsAndThisWork) {
  const Source& source = GetParam();
  SCOPED_TRACE(source.source);
  const auto network = zoo::build(fmt::format("{}?{}", source.network, source.arguments));
  ASSERT_TRUE(network) << network.error().message;
  const Costs costs = count(network->model);
  EXPECT_EQ(costs.total.params.text(), source.parameters);
  EXPECT_EQ(hash_of(weights_of(network->model)), source.weights);
  if (source.macs.empty())
    return;  // depends on what the network finds: tests/zoo/agreement_test.cc
  EXPECT_EQ(costs.total.macs.text(), source.macs);
  EXPECT_EQ(hash_of(calls_of(network->model)), source.calls);
}

std::string test_name(const testing::TestParamInfo<Source>& test) {
  std::string name = fmt::format("{}_{}", test.param.network, test.param.arguments);
  std::replace_if(
      name.begin(), name.end(), [](char c) { return c == '=' || c == '&'; }, '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Zoo, ZooSources, testing::ValuesIn(sources()), test_name);

// The default size is the one that the source has.
TEST(ZooSources, AreBuiltAtTheResolutionOfTheirSource) {
  for (const Source& source : sources()) {
    const zoo::Entry* entry = zoo::find(source.network);
    ASSERT_NE(entry, nullptr) << source.network;
    for (const zoo::Parameter& parameter : entry->parameters)
      if (parameter.name == "resolution" && !source.arguments.empty()) {
        EXPECT_EQ(fmt::format("resolution={}", parameter.usual), source.arguments);
      }
  }
}

}  // namespace
}  // namespace strata
