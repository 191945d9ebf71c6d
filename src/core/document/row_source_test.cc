// Tables whose rows are made when they are read look like those that keep them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <memory>

#include "document/output.h"
#include "strata/document/render.h"

namespace strata {
namespace {

using ::testing::ElementsAre;

constexpr std::size_t kRows = 1000;  // so many that the same texts are worded once

// The row of that number, worked out from it: `r7`, 7 mod 5 MACs, a formula, a shape, `fp32`.
TableRow row_of(std::size_t number) {
  const auto small = static_cast<std::int64_t>(number % 5);
  return {.cells = {"r" + std::to_string(number),
                    {Expr(small), number % 7 == 0 ? Certainty::LowerBound : Certainty::Exact},
                    0.5 * static_cast<double>(number % 3),
                    Expr::symbol("N") * Expr(small + 1),
                    number % 11 == 0 ? Cell(Cells{Shape()}) : Cell(Cells{Shape(Dims{small, 3})}),
                    "fp32"}};
}

Table columns_only() {
  return {.name = "rows",
          .columns = {{"layer", "Layer", Unit::Text, false, 0},
                      {"macs", "MACs", Unit::Macs, true, 0},
                      {"macs%", "%", Unit::Percent, true, 0},
                      {"size", "Size", Unit::Count, false, 0},
                      {"output", "Output", Unit::Text, false, 0, ColumnType::Shapes},
                      {"dtype", "Dtype", Unit::Text, false, 0}}};
}

Document made(std::shared_ptr<std::size_t> calls = std::make_shared<std::size_t>(0)) {
  Document document = new_document("sample");
  Table table = columns_only();
  table.source = {kRows, [calls = std::move(calls)](std::size_t number, TableRow& row) {
                    ++*calls;
                    row = row_of(number);
                  }};
  table.totals.cells = {"Total", Expr(2000), 100.0, {}, {}, {}};
  document.tables.push_back(std::move(table));
  return document;
}

Document kept() {
  Document document = made();
  Table& table = document.tables.front();
  table.source = {};
  for (std::size_t i = 0; i < kRows; ++i) table.rows.push_back(row_of(i));
  return document;
}

TEST(RowSource, EveryRendererShowsTheSame) {
  for (const bool color : {false, true})
    for (const std::size_t width : {0, 40}) {
      const TableStyle style{.width = width, .color = color, .bars = color};
      EXPECT_EQ(render_table(made(), style), render_table(kept(), style));
    }
  EXPECT_EQ(render_csv(made()), render_csv(kept()));
  EXPECT_EQ(render_json(made()), render_json(kept()));
  EXPECT_EQ(render_markdown(made()), render_markdown(kept()));
}

// The widest texts of the columns are `Layer`, `2.000 k`, `100.0`, `Size` and `Output`; two blanks
// are between columns. 0 and 7 are multiples of 7, whose MACs are a lower bound; 0 is one of 11,
// too.
TEST(RowSource, ATableHasTheTextsOfItsRows) {
  const std::string text = render_table(made(), {.width = 0});
  EXPECT_THAT(text, testing::StartsWith("In every row: Dtype fp32\n"
                                        "Layer     MACs      %  Size  Output\n"));
  EXPECT_THAT(text, testing::HasSubstr("\nr0          ≥0    0.0     N  ?\n"));
  EXPECT_THAT(text, testing::HasSubstr("\nr999         4    0.0   5·N  4×3\n"));
  EXPECT_THAT(text, testing::HasSubstr("\nTotal  2.000 k  100.0\n"));
}

TEST(RowSource, ATableForATerminalReadsItsRowsOnce) {
  const auto calls = std::make_shared<std::size_t>(0);
  Document document = made(calls);
  document.tables.front().columns.back().asked = true;  // else it is read to its end to be constant
  (void)render_table(document);
  EXPECT_LE(*calls, kRows + 10);  // a few to see that no column is constant
}

// Pages, charts and the like want all rows at once.
TEST(RowSource, OtherRenderersGetRowsThatAreKept) {
  const Renderer& page = **find_renderer("html");
  ASSERT_FALSE(page.row_by_row);
  const std::string path = testing::TempDir() + "/row_source.html";
  std::FILE* file = std::fopen(path.c_str(), "w+");
  ASSERT_NE(file, nullptr);
  ASSERT_TRUE(write_document(made(), page, {}, Output::to_stream(file, path)));
  std::string text(static_cast<std::size_t>(std::ftell(file)), '\0');
  std::rewind(file);
  ASSERT_EQ(std::fread(text.data(), 1, text.size(), file), text.size());
  std::fclose(file);
  std::remove(path.c_str());
  EXPECT_THAT(text, testing::HasSubstr("r999"));
}

std::vector<std::string> names(const Table& table) {
  std::vector<std::string> out;
  for_each_row(table, [&](const TableRow& row) {
    out.push_back(std::get<std::string>(row.cells.front().value));
    return out.size() < 3;
  });
  return out;
}

TEST(RowSource, CanBeChosenFrom) {
  Table table = made().tables.front();
  keep_top(table, 2);
  EXPECT_EQ(row_count(table), 2);
  EXPECT_EQ(table.left_out, kRows - 2);
  EXPECT_THAT(names(table), ElementsAre("r0", "r1"));
  table = made().tables.front();
  ASSERT_TRUE(sort_rows(table, "macs"));  // 4 mod 5 first
  EXPECT_THAT(names(table), ElementsAre("r4", "r9", "r14"));
  table = made().tables.front();
  filter_rows(table, "r99?");
  EXPECT_EQ(row_count(table), 10);
  EXPECT_EQ(table.filtered, kRows - 10);
  table = made().tables.front();
  ASSERT_TRUE(select_columns(table, "layer,size"));
  EXPECT_EQ(table.rows.back().cells.size(), 2);
}

}  // namespace
}  // namespace strata
