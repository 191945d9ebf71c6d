// Tests of a terminal's extras: colours, bars, and values that all rows share.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "document/paint.h"
#include "document/share_bar.h"
#include "strata/base/number_text.h"
#include "strata/document/render.h"

namespace strata {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

Document shares() {
  Document document = new_document("sample");
  Table table{.name = "rows",
              .columns = {{"layer", "Layer", Unit::Text, false, 0},
                          {"type", "Type", Unit::Text, false, 1},
                          {"macs", "MACs", Unit::Macs, true, 0},
                          {.name = "macs%",
                           .title = "%",
                           .unit = Unit::Percent,
                           .additive = true,
                           .priority = 1,
                           .share = true},
                          {"speed_up", "Speedup", Unit::Text, false, 0}}};
  table.rows.push_back(
      {.cells = {"a", "Conv", 75, 75.0, meaning(Meaning::Better, "2.00× [1.98, 2.02]")}});
  table.rows.push_back({.cells = {"b", "Conv", 25, 25.0, meaning(Meaning::Worse, "0.50×")}});
  table.rows.push_back({.cells = {"c", "Conv", 0, 0.0, meaning(Meaning::Refused, "crashed")}});
  table.totals.cells = {"Total", "", 100, 100.0, ""};
  document.tables.push_back(std::move(table));
  return document;
}

TEST(Color, MeaningsAreColoursAndZerosAreDim) {
  const std::string text = render_table(shares(), {.color = true});
  EXPECT_THAT(text, HasSubstr("\x1b[32m2.00× [1.98, 2.02]\x1b[0m"));
  EXPECT_THAT(text, HasSubstr("\x1b[31m0.50×\x1b[0m"));
  EXPECT_THAT(text, HasSubstr("\x1b[31mcrashed\x1b[0m"));
  EXPECT_THAT(text, HasSubstr("\x1b[2m0\x1b[0m"));
  EXPECT_THAT(text, HasSubstr("\x1b[2m0.0\x1b[0m"));
  EXPECT_THAT(text, Not(HasSubstr("\x1b[2m75")));
}

std::string without_colors(std::string text) {
  for (std::size_t at = text.find('\x1b'); at != text.npos; at = text.find('\x1b', at))
    text.erase(at, text.find('m', at) - at + 1);
  return text;
}

TEST(Color, AddsNothingButColours) {
  EXPECT_EQ(without_colors(render_table(shares(), {.color = true})), render_table(shares()));
  EXPECT_EQ(without_colors(render_table(shares(), {.color = true, .bars = true})),
            render_table(shares(), {.bars = true}));
}

TEST(Color, NoOtherOutputHasAny) {
  const TableStyle style{.color = true, .bars = true};
  EXPECT_EQ(render_markdown(shares(), style), render_markdown(shares()));
  EXPECT_EQ(render_csv(shares(), style), render_csv(shares()));
  EXPECT_EQ(render_json(shares(), style), render_json(shares()));
}

TEST(Color, AFirstLineThatMeansSomethingStandsOut) {
  Document document = new_document("sample");
  Section section = lines_section("it is faster, and this line is long\nsure\n");
  section.meaning = Meaning::Better;
  document.sections.push_back(section);
  EXPECT_EQ(render_table(document, {.width = 20, .color = true}),
            "\x1b[32mit is faster, and\n  this line is long\x1b[0m\nsure\n");
  EXPECT_EQ(render_table(document, {.width = 0}), "it is faster, and this line is long\nsure\n");
}

// Eight cells are the largest share, of which a third has 2 and two thirds: 4.67 of 7 heights.
TEST(ShareBar, IsAsLongAsTheShare) {
  EXPECT_EQ(share_bar(75, 75), "▇▇▇▇▇▇▇▇");
  EXPECT_EQ(share_bar(25, 75), "▇▇▅");
  EXPECT_EQ(share_bar(37.5, 75), "▇▇▇▇");
  EXPECT_EQ(share_bar(0.001, 75), "▁");
  EXPECT_EQ(share_bar(0, 75), "");
  EXPECT_EQ(share_bar(-1, 75), "");
  EXPECT_EQ(share_bar(1, 0), "");
}

TEST(ShareBar, StandsBesideItsShareOnATerminalOnly) {
  const std::string text = render_table(shares(), {.bars = true});
  EXPECT_THAT(text, HasSubstr("  75.0  ▇▇▇▇▇▇▇▇  "));
  EXPECT_THAT(text, HasSubstr("  25.0  ▇▇▅       "));
  EXPECT_THAT(render_table(shares()), Not(HasSubstr("▇")));
}

TEST(ShareBar, GivesWayToNumbers) {
  const std::string narrow = render_table(shares(), {.width = 42, .bars = true});
  EXPECT_THAT(narrow, Not(HasSubstr("▇")));
  EXPECT_THAT(narrow, HasSubstr("75.0"));
  EXPECT_THAT(narrow, Not(HasSubstr("Not shown")));
}

TEST(ShareBar, IsThatOfTheMostImportantShare) {
  const Column flops{.name = "flops%", .title = "%", .priority = 5, .share = true},
      macs{.name = "macs%", .title = "%", .priority = 1, .share = true},
      time{.name = "time%", .title = "%", .priority = 1, .share = true};
  EXPECT_EQ(column_with_bar({{"layer", "Layer"}, macs, flops}), 1u);
  EXPECT_EQ(column_with_bar({macs, flops, time}), 2u);
  EXPECT_EQ(column_with_bar({{"layer", "Layer"}}), kNoShare);
}

TEST(ConstantColumns, StandAboveTheTable) {
  EXPECT_THAT(render_table(shares()), testing::StartsWith("In every row: Type Conv\nLayer "));
  EXPECT_THAT(render_markdown(shares()),
              testing::StartsWith("In every row: Type Conv\n\n| Layer | MACs "));
  EXPECT_THAT(render_csv(shares()), testing::StartsWith("layer,type,macs,"));
  EXPECT_THAT(render_json(shares()), HasSubstr("\"type\": \"Conv\""));
}

TEST(ConstantColumns, StayIfTheyWereAskedForOrRowsAreFew) {
  Document asked = shares();
  ASSERT_TRUE(choose(asked, {.columns = "layer,type"}));
  EXPECT_THAT(render_table(asked), testing::StartsWith("Layer  Type\n"));
  Document changed = shares();
  ASSERT_TRUE(choose(changed, {.columns = "+type,-macs"}));
  EXPECT_THAT(render_table(changed), testing::StartsWith("Layer  Type "));
  Document few = shares();
  ASSERT_TRUE(choose(few, {.top = 2}));
  EXPECT_THAT(render_table(few), Not(HasSubstr("In every row")));
}

// A sum has a total below it, and a table needs something that varies.
TEST(ConstantColumns, AreNoSumsAndNotAllThereAre) {
  Document document = new_document("sample");
  Table table{.name = "rows", .columns = {{"layer", "Layer"}, {"macs", "MACs", Unit::Macs, true}}};
  for (int i = 0; i < 3; ++i) table.rows.push_back({.cells = {"same", 7}});
  document.tables = {table};
  EXPECT_THAT(render_table(document), testing::StartsWith("In every row: Layer same\nMACs\n"));
  document.tables.front().columns[1].additive = false;
  EXPECT_THAT(render_table(document), testing::StartsWith("Layer  MACs\n"));
}

}  // namespace
}  // namespace strata
