#include "report/zoo.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace strata {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

TEST(ZooReport, EveryNetworkIsARow) {
  const Document document = networks_document();
  const Table& table = document.tables.at(0);
  ASSERT_EQ(table.rows.size(), zoo::entries().size());
  for (std::size_t i = 0; i < table.rows.size(); ++i)
    EXPECT_EQ(std::get<std::string>(table.rows[i].cells[0].value), zoo::entries()[i].name);
}

TEST(ZooReport, ANetworkHasItsParameters) {
  const zoo::Entry* entry = zoo::find("mobilenet_v2");
  ASSERT_NE(entry, nullptr);
  EXPECT_THAT(network_to_text(*entry), AllOf(StartsWith("mobilenet_v2: "), HasSubstr("width=1")));
}

TEST(ZooReport, PublishedNumbersHaveTwoDecimalsAtMost) {
  Table table{.name = "networks"};
  table.columns = {{"model", "Model", Unit::Text, false, 0},
                   {"params", "Params", Unit::Count, false, 0},
                   {"flops", "FLOPs", Unit::Flops, false, 0},
                   {"energy", "Energy", Unit::Picojoules, false, 0}};
  table.rows.push_back({.cells = {Cell("net"), Cell(Expr(3'504'872)), Cell(327.14e6), Cell()}});
  to_published_form(table);
  const auto& shown = table.rows[0].shown;
  EXPECT_EQ(std::get<std::string>(shown[1].value), "3.5M");
  EXPECT_EQ(std::get<std::string>(shown[2].value), "327.14M");
  EXPECT_TRUE(shown[3].is_unknown());
  EXPECT_EQ(std::get<double>(table.rows[0].cells[2].value), 327.14e6) << "programs get numbers";
  EXPECT_EQ(table.columns[3].title, "Energy");
  EXPECT_EQ(table.shown_columns[3].title, "Energy (pJ)");
}

}  // namespace
}  // namespace strata
