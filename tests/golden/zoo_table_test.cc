// rasp's table of the torchvision networks of early 2020, from the zoo: every cell
// that does not depend on a machine.
#include <algorithm>

#include <gtest/gtest.h>

#include "published.h"
#include "strata/cost/convention.h"
#include "strata/cost/energy.h"
#include "strata/zoo/zoo.h"

namespace strata {
namespace {

const std::vector<Row>& table() {
  static const std::vector<Row> kTable = without_header("rasp_torchvision_models.csv");
  return kTable;
}

class ZooTable : public testing::TestWithParam<Row> {};

TEST_P(ZooTable, ParamsFlopsAndEnergyToThePrintedDigit) {
  const Row& row = GetParam();
  const auto network = zoo::build(row[0]);
  ASSERT_TRUE(network) << network.error().message;
  const auto convention = *find_convention("rasp-2020");
  const Costs costs = count(network->model);
  const Layers layers = find_layers(network->model, costs);
  const LayerCount total = count_as(convention, costs, layers).total;
  EXPECT_EQ(total.certainty, Certainty::Exact);
  EXPECT_EQ(as_printed(static_cast<double>(total.params.number().value_or(0))), row[1]);
  EXPECT_EQ(as_printed(total[Metric::Flops].number().value_or(0)), row[2]);
  const auto energy = count_energy(*find_energy_model("rasp"), convention, costs, layers);
  ASSERT_TRUE(energy) << energy.error().message;
  EXPECT_EQ(as_printed(energy->total.picojoules.number().value_or(0)), row[3]);
}

INSTANTIATE_TEST_SUITE_P(Golden, ZooTable, testing::ValuesIn(table()),
                         [](const auto& test) { return test.param[0]; });

TEST(ZooTable, HasTheThirtyFourNetworksAndNoOther) {
  std::vector<std::string> published, in_zoo;
  for (const Row& row : table()) published.push_back(row[0]);
  for (const zoo::Entry& entry : zoo::entries())
    if (entry.in_table) in_zoo.emplace_back(entry.name);
  std::sort(published.begin(), published.end());
  EXPECT_EQ(in_zoo, published);
  EXPECT_EQ(published.size(), 34u);
}

}  // namespace
}  // namespace strata
