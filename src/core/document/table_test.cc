#include "strata/document/table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "strata/document/document.h"

namespace strata {
namespace {

using ::testing::ElementsAre;

// Three layers, the last of which nobody could count.
Table layers() {
  Table table{.name = "layers",
              .columns = {{"layer", "Layer", Unit::Text, false, 0},
                          {"type", "Type", Unit::Text, false, 1},
                          {"macs", "MACs", Unit::Macs, true, 0}}};
  table.rows.push_back({.cells = {"features.0", "Conv", 100}});
  table.rows.push_back({.cells = {"features.1", "Relu", 20}});
  table.rows.push_back({.cells = {"classifier", "Gemm", Cell()}});
  table.totals.cells = {"Total", "", {Expr(120), Certainty::LowerBound}};
  return table;
}

std::vector<std::string> texts(const Table& table, std::size_t column) {
  std::vector<std::string> out;
  for (const TableRow& row : table.rows)
    out.push_back(std::get<std::string>(row.cells[column].value));
  return out;
}

std::vector<std::string> names(const std::vector<Column>& columns) {
  std::vector<std::string> out;
  out.reserve(columns.size());
  for (const Column& column : columns) out.push_back(column.name);
  return out;
}

TEST(SortRows, NumbersFallTextRisesAndUnknownIsLast) {
  Table table = layers();
  ASSERT_TRUE(sort_rows(table, "-macs"));
  EXPECT_THAT(texts(table, 0), ElementsAre("features.1", "features.0", "classifier"));
  ASSERT_TRUE(sort_rows(table, "macs"));
  EXPECT_THAT(texts(table, 0), ElementsAre("features.0", "features.1", "classifier"));
  ASSERT_TRUE(sort_rows(table, "layer"));
  EXPECT_THAT(texts(table, 0), ElementsAre("classifier", "features.0", "features.1"));
  ASSERT_TRUE(sort_rows(table, "-type"));
  EXPECT_THAT(texts(table, 1), ElementsAre("Relu", "Gemm", "Conv"));
}

TEST(SortRows, AnUnknownColumnIsAUsageErrorThatListsThem) {
  Table table = layers();
  const auto status = sort_rows(table, "mac");
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().kind, ErrorKind::Usage);
  EXPECT_EQ(status.error().message, "there is no column \"mac\"; columns are: layer, type, macs");
}

TEST(SelectColumns, ListsOrChangesThem) {
  Table table = layers();
  ASSERT_TRUE(select_columns(table, "macs,layer"));
  EXPECT_THAT(names(table.columns), ElementsAre("macs", "layer"));
  EXPECT_THAT(texts(table, 1), ElementsAre("features.0", "features.1", "classifier"));
  EXPECT_EQ(std::get<Expr>(table.totals.cells[0].value).value(), 120);
  table = layers();
  ASSERT_TRUE(select_columns(table, "-type"));
  EXPECT_THAT(names(table.columns), ElementsAre("layer", "macs"));
  EXPECT_FALSE(select_columns(table, "-layer,-macs"));
}

TEST(SelectColumns, WithoutASumThereIsNoTotal) {
  Table table = layers();
  ASSERT_TRUE(select_columns(table, "layer,type"));
  EXPECT_TRUE(table.totals.cells.empty());
}

// Columns for people differ from the written ones; a name of either kind is found for both.
TEST(SelectColumns, ColumnsForPeopleAreChosenWithTheOthers) {
  Table table = layers();
  table.shown_columns = {{"layer", "Layer"}, {"work", "Work"}};
  for (TableRow& row : table.rows) row.shown = {row.cells[0], "much"};
  ASSERT_TRUE(select_columns(table, "work,macs"));
  EXPECT_THAT(names(table.columns), ElementsAre("work", "macs"));
  EXPECT_THAT(names(table.shown_columns), ElementsAre("work", "macs"));
  EXPECT_EQ(std::get<std::string>(table.rows[0].shown[0].value), "much");
  EXPECT_EQ(std::get<Expr>(table.rows[0].shown[1].value).value(), 100);
}

TEST(FilterRows, APatternMatchesAnyTextOfTheRow) {
  Table table = layers();
  filter_rows(table, "features.*");
  EXPECT_THAT(texts(table, 0), ElementsAre("features.0", "features.1"));
  EXPECT_EQ(table.filtered, 1u);
  filter_rows(table, "Re?u");
  EXPECT_THAT(texts(table, 0), ElementsAre("features.1"));
  EXPECT_EQ(table.filtered, 2u);
  EXPECT_EQ(table.left_out, 0u);
}

TEST(Choose, RowsAreChosenBeforeColumns) {
  Document document = new_document("profile");
  document.tables.push_back(layers());
  ASSERT_TRUE(choose(document, {.columns = "layer", .sort = "macs", .top = 1, .filter = "*"}));
  const Table& table = document.tables.front();
  EXPECT_THAT(texts(table, 0), ElementsAre("features.0"));
  EXPECT_THAT(names(table.columns), ElementsAre("layer"));
  EXPECT_EQ(table.left_out, 2u);
}

TEST(KeepTop, ZeroKeepsAll) {
  Table table = layers();
  keep_top(table, 0);
  EXPECT_EQ(table.rows.size(), 3u);
  keep_top(table, 2);
  EXPECT_EQ(table.rows.size(), 2u);
}

TEST(Cell, NotANumberIsUnknownAndHugeNumbersAreReal) {
  EXPECT_TRUE(Cell(std::numeric_limits<double>::quiet_NaN()).is_unknown());
  EXPECT_TRUE(Cell(std::optional<double>()).is_unknown());
  EXPECT_EQ(std::get<Expr>(Cell(std::size_t{7}).value).value(), 7);
  EXPECT_EQ(std::get<double>(Cell(std::uint64_t{1} << 63).value), 9223372036854775808.0);
  EXPECT_TRUE(std::get<bool>(Cell(true).value));
}

TEST(Unit, NamesAreReadBack) {
  for (int u = 0; u <= static_cast<int>(Unit::Percent); ++u)
    EXPECT_EQ(unit_from_name(name_of(static_cast<Unit>(u))), static_cast<Unit>(u));
  EXPECT_FALSE(unit_from_name("miles"));
}

TEST(SetTool, AVersionIsBehindTheLastSpace) {
  Document document;
  set_tool(document, "my tool 1.2");
  EXPECT_EQ(document.tool, "my tool");
  EXPECT_EQ(document.version, "1.2");
  set_tool(document, "tool");
  EXPECT_EQ(document.tool, "tool");
  EXPECT_EQ(document.version, "");
}

}  // namespace
}  // namespace strata
