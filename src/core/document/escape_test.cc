// Names come from files that anybody may have written: no renderer passes on what a terminal, a
// spreadsheet or a browser would act on.
#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/utf8.h"
#include "base/visible.h"
#include "strata/document/render.h"

namespace strata {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// ESC, OSC, BEL, a new line that pretends to be a row, C1, a right-to-left override, bytes that
// are not UTF-8.
const std::string kHostile =
    "a\x1b]0;t\x07\nTotal 999\r\x08\xc2\x9b"
    "31m\xe2\x80\xae\xff\x7f";

// In every place where a document has words.
Document document_of(const std::string& name) {
  Document document = new_document("sample");
  document.options = {{"model", name}};
  document.machine = {{"cpu", name}};
  document.facts = {{"name", name}, {"path", FilePath{name}}, {"list", Cells{name, name}}};
  Table table{.name = "rows",
              .columns = {{"layer", name, Unit::Text}, {"macs", "MACs", Unit::Macs, true}}};
  table.rows.push_back({.cells = {name, Expr::symbol(name) * Expr(2)}});
  table.rows.push_back({.cells = {FilePath{name}, Expr(3)}});
  table.totals.cells = {"Total", Expr(5)};
  table.foot = [name](const TableStyle&) { return "Foot " + visible(name) + "\n"; };
  document.tables.push_back(std::move(table));
  document.notes = {name};
  document.sections = {
      {.table = "rows"},
      notes_section(document.notes),
      lines_section(visible(name) + "\n"),
      {.lines = [name](const TableStyle&) { return "para " + name; }, .paragraph = true},
      {.lines = [name](const TableStyle&) { return "code " + name; }, .verbatim = true}};
  return document;
}

// Some show measured profiles only.
Document profile_of(const std::string& name) {
  Document document = new_document("profile");
  document.facts = {{"model", Members{{"path", FilePath{name}}}}, {"report", "tape"}};
  Table table{.name = "layers",
              .columns = {{"layer", "Layer"},
                          {"type", "Type"},
                          {"macs", "MACs", Unit::Macs, true},
                          {"time", "Time", Unit::Seconds, true},
                          {"alive", "Alive", Unit::Bytes}}};
  table.rows.push_back({.cells = {name + ".0", name, 3, 0.25, 12}});
  table.rows.push_back({.cells = {name + ".1", name, 3, 0.25, 12}});
  table.rows.push_back({.cells = {name, name, 3, Cell(), 12}});
  document.tables.push_back(std::move(table));
  return document;
}

Document shown_by(const Renderer& renderer, const std::string& name) {
  return renderer.kinds.empty() ? document_of(name) : profile_of(name);
}

bool is_of_pixels(const Renderer& renderer) { return renderer.name == "png"; }

void erase_all(std::string& text, std::string_view what) {
  for (std::size_t at = text.find(what); at != text.npos; at = text.find(what, at))
    text.erase(at, what.size());
}

TEST(Escape, NoRendererPassesOnControlCharacters) {
  for (const Renderer& renderer : renderers())
    for (const bool color : {false, true}) {
      if (is_of_pixels(renderer)) continue;
      TextSink sink;
      ASSERT_TRUE(
          renderer.write(shown_by(renderer, kHostile), {.width = 80, .color = color}, sink));
      std::string text = sink.text;
      for (const std::string_view own : {"\x1b[1m", "\x1b[0m"})  // the header is bold
        if (const std::size_t at = text.find(own); color && at != text.npos)
          text.erase(at, own.size());
      if (renderer.name == "excel") {  // what Excel wants at the start and at the end of lines
        erase_all(text, "\xef\xbb\xbf");
        erase_all(text, "\r\n");
      }
      for (std::string_view left = text; !left.empty();) {
        const CodePoint point = first_code_point(left);
        EXPECT_TRUE(point.valid) << renderer.name;
        EXPECT_TRUE(point.code == '\n' || !is_hidden(point.code))
            << renderer.name << " " << static_cast<unsigned>(point.code);
        left.remove_prefix(point.bytes);
      }
    }
}

TEST(Escape, ANewLineInANameMakesNoRow) {
  const auto lines = [](const std::string& text) {
    return std::count(text.begin(), text.end(), '\n');
  };
  for (const Renderer& renderer : renderers()) {
    if (is_of_pixels(renderer)) continue;
    Document hostile = shown_by(renderer, "a\nTotal 999"), plain = shown_by(renderer, "a");
    for (Document* each : {&hostile, &plain})
      if (each->sections.size() > 3) each->sections.resize(3);
    TextSink first, second;
    ASSERT_TRUE(renderer.write(hostile, {.width = 0}, first));
    ASSERT_TRUE(renderer.write(plain, {.width = 0}, second));
    EXPECT_EQ(lines(first.text), lines(second.text)) << renderer.name;
  }
}

TEST(Escape, JsonKeepsNamesAsTheyAre) {
  const std::string name = "a\x1b]0;t\x07\nb\t\"\\\xc2\x9b\xe2\x80\xae\xf3\xa0\x81\x81";
  const auto json = nlohmann::json::parse(render_json(document_of(name)));
  EXPECT_EQ(json["facts"]["name"], name);
  EXPECT_EQ(json["tables"]["rows"]["rows"][0]["layer"], name);
  EXPECT_EQ(json["notes"][0], name);
  // Bytes that are not UTF-8 have no place in JSON.
  const auto broken = nlohmann::json::parse(render_json(document_of("b\xff")));
  EXPECT_EQ(broken["facts"]["name"], "b\xef\xbf\xbd");
}

// OWASP, CSV injection: cells that begin with = + - @ are computed.
TEST(Escape, ASpreadsheetComputesNoName) {
  Document document = new_document("sample");
  Table table{.name = "rows", .columns = {{"layer", "Layer"}, {"change", "Change", Unit::Number}}};
  for (const char* name : {"=cmd|\"/c calc\"!A1", "@SUM(1)", "+1+1", "-2", "plain"})
    table.rows.push_back({.cells = {name, -0.5}});
  table.rows.push_back({.cells = {"whole", Expr(-7)}});
  table.rows.push_back({.cells = {"formula", Expr(0) - Expr::symbol("N")}});
  document.tables.push_back(std::move(table));
  EXPECT_EQ(render_csv(document),
            "layer,change\n"
            "\"'=cmd|\"\"/c calc\"\"!A1\",-0.5\n"
            "'@SUM(1),-0.5\n"
            "'+1+1,-0.5\n"
            "'-2,-0.5\n"
            "plain,-0.5\n"
            "whole,-7\n"
            "formula,'-N\n");
  TextSink excel;
  ASSERT_TRUE((*find_renderer("excel"))->write(document, {}, excel));
  EXPECT_THAT(excel.text, HasSubstr("\n\"'=cmd|\"\"/c calc\"\"!A1\",-0.5\r\n'@SUM(1),-0.5\r\n"));
}

TEST(Escape, MarkdownHasNoMarkupOfAName) {
  Document document = document_of("a|b<script>alert(1)</script>`x`*y*[z](javascript:0)");
  document.sections.pop_back();  // a block of code has no markup
  const std::string text = render_markdown(document);
  EXPECT_THAT(text, Not(HasSubstr("a|b")));
  EXPECT_THAT(text, HasSubstr("| a\\|b\\<script>alert(1)\\</script>\\`x\\`\\*y\\*[z\\]"
                              "(javascript:0) |"));
}

TEST(Escape, ACodeBlockOutlastsTheFencesInIt) {
  Document document = new_document("sample");
  document.sections = {
      {.lines = [](const TableStyle&) { return std::string("```\n<b>\n"); }, .verbatim = true}};
  EXPECT_EQ(render_markdown(document), "````\n```\n<b>\n````\n");
}

TEST(Escape, AVeryLongNameIsCutForPeople) {
  const std::string name = std::string(100'000, 'x') + "end";
  for (const Renderer& renderer : renderers()) {
    if (!renderer.kinds.empty()) continue;
    Document document = new_document("sample");
    document.tables.push_back(
        {.name = "rows", .columns = {{"layer", "Layer"}}, .rows = {{.cells = {name}}}});
    TextSink sink;
    ASSERT_TRUE(renderer.write(document, {.width = 0}, sink));
    const bool is_data = !renderer.for_people && renderer.name != "html";
    EXPECT_EQ(sink.text.find(name) != std::string::npos, is_data) << renderer.name;
    EXPECT_THAT(sink.text, HasSubstr("xxend"));
    EXPECT_TRUE(!renderer.for_people || sink.text.size() < 10'000) << renderer.name;
  }
}

TEST(Sink, AnOutputMayHaveALimit) {
  TextSink all;
  LimitedSink limited(all, 10);
  EXPECT_TRUE(limited.write("12345"));
  EXPECT_TRUE(limited.write("67890"));
  const Status status = limited.write("1");
  ASSERT_FALSE(status);
  EXPECT_THAT(status.error().message, HasSubstr("the output is larger than 10 B"));
  EXPECT_EQ(all.text, "1234567890");
}

// A document of many rows is never one text: what was written when the sink failed is little more
// than what it took.
TEST(Sink, RenderersStopWhereItFails) {
  Document document = new_document("sample");
  Table table{.name = "rows", .columns = {{"layer", "Layer"}}};
  for (int i = 0; i < 10'000; ++i) table.rows.push_back({.cells = {std::string(100, 'x')}});
  document.tables.push_back(std::move(table));
  for (const Renderer& renderer : renderers()) {
    if (!renderer.kinds.empty()) continue;
    TextSink all;
    LimitedSink limited(all, 200'000);
    EXPECT_FALSE(renderer.write(document, {.width = 0}, limited)) << renderer.name;
    EXPECT_GT(all.text.size(), 100'000u) << renderer.name;
  }
}

}  // namespace
}  // namespace strata
