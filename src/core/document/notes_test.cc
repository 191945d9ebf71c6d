// Which notes a terminal prints, and the answer that stays on it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "strata/document/render.h"

namespace strata {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;

Document answered(std::size_t rows) {
  Document document = new_document("sample");
  Table table{.name = "rows", .columns = {{"layer", "Layer"}}};
  for (std::size_t i = 0; i < rows; ++i)
    table.rows.push_back({.cells = {"row " + std::to_string(i)}});
  table.foot = [](const TableStyle&) { return "a foot\n"; };
  table.asides = [](const TableStyle&) { return "measured so\n  and so\n"; };
  document.tables.push_back(std::move(table));
  document.notes = {"of the method", Note("the total is a lower bound", true)};
  document.sections = {
      answer_section("Take this.\nSure.\n"), {.table = "rows"}, notes_section(document.notes)};
  return document;
}

TEST(Notes, OnlyThoseThatChangeTheAnswerArePrintedUnasked) {
  const TableStyle folded{.notes = false, .notes_hint = "ask for them"};
  const std::string text = render_table(answered(1), folded);
  EXPECT_EQ(text,
            "Take this.\nSure.\n\nLayer\n─────\nrow 0\na foot\n"
            "Note: the total is a lower bound\n2 notes are not shown; ask for them\n");
  const std::string all = render_table(answered(1));
  EXPECT_THAT(all, HasSubstr("a foot\nmeasured so\n  and so\n"));
  EXPECT_THAT(all, HasSubstr("Note: of the method\n"));
  EXPECT_THAT(all, Not(HasSubstr("not shown")));
}

TEST(Notes, FilesHaveAll) {
  const TableStyle folded{.notes = false};
  for (const std::string& text :
       {render_markdown(answered(1), folded), render_page(answered(1), folded)}) {
    EXPECT_THAT(text, HasSubstr("of the method"));
    EXPECT_THAT(text, HasSubstr("measured so"));
    EXPECT_THAT(text, HasSubstr("the total is a lower bound"));
  }
  EXPECT_THAT(render_json(answered(1)),
              HasSubstr("\"notes\": [\"of the method\",\"the total is a lower bound\"]"));
}

TEST(Notes, OneIsOne) {
  Document document = new_document("sample");
  document.notes = {"only this"};
  document.sections = {notes_section(document.notes)};
  EXPECT_EQ(render_table(document, {.notes = false}), "1 note is not shown\n");
}

TEST(Answer, IsRepeatedWhereItHasLeftTheScreen) {
  // 2 lines, a gap, 2 of a heading, the rows, 1 below, 1 note, 1 count: 8 and the rows. The line of
  // the prompt needs room, too.
  TableStyle style{.notes = false, .height = 24};
  EXPECT_THAT(render_table(answered(15), style), Not(EndsWith("Sure.\n")));
  EXPECT_THAT(render_table(answered(16), style),
              EndsWith("2 notes are not shown\n\nTake this.\nSure.\n"));
  style.height = 0;
  EXPECT_THAT(render_table(answered(99), style), Not(EndsWith("Sure.\n")));
}

}  // namespace
}  // namespace strata
