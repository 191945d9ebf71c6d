#include "strata/document/render.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include <nlohmann/json.hpp>

#include "document/paths.h"

namespace strata {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using Json = nlohmann::json;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// One of each kind of value.
Document sample() {
  Document document = new_document("sample");
  set_tool(document, "strata 9.9");
  document.options = {{"model", "/home/me/m.onnx"}, {"--pair", "a=/x/a.pt,b=rel/b.onnx"}};
  document.facts = {
      {"path", FilePath{"/home/me/m.onnx"}},
      {"interval", Interval{-kInfinity, 2}},
      {"unknown", Cell()},
      {"nested", Members{{"shape", Shape(Dims{Expr::symbol("N"), 3})}, {"unranked", Shape()}}}};
  Table table{.name = "rows",
              .columns = {{"layer", "Layer", Unit::Text, false, 0},
                          {"macs", "MACs", Unit::Macs, true, 0},
                          {"time_s", "Time", Unit::Seconds, false, 0, ColumnType::Estimate},
                          {"shapes", "Shapes", Unit::Text, false, 0, ColumnType::Shapes},
                          {"fast", "Fast", Unit::Text, false, 0, ColumnType::Truth},
                          {"samples", "Samples", Unit::Seconds, false, 0, ColumnType::List}}};
  table.rows.push_back({.cells = {"a|b, c",
                                  {Expr(15872), Certainty::LowerBound},
                                  Estimate{0.5, 0.25, 1},
                                  Cells{Shape(Dims{1, 3}), Shape()},
                                  true,
                                  Cells{0.5, 1.0}}});
  table.rows.push_back(
      {.cells = {"d", Expr::symbol("N") * Expr(64), 2.0, Cells{}, false, Cells{}}});
  table.rows.push_back({.cells = {"e", Cell(), Cell(), Cells{}, Cell(), Cells{}}});
  table.totals.cells = {"Total", {Expr(15872), Certainty::LowerBound}, {}, {}, {}, {}};
  document.tables.push_back(std::move(table));
  document.notes = {"one"};
  return document;
}

TEST(RenderJson, OneSpellingOfEverything) {
  const Json json = Json::parse(render_json(sample()));
  EXPECT_EQ(json["kind"], "sample");
  EXPECT_EQ(json["schema"], 2);
  EXPECT_EQ(json["tool"], Json::parse(R"({"name": "strata", "version": "9.9"})"));
  EXPECT_EQ(json["facts"]["interval"], Json::parse(R"(["-inf", 2.0])"));
  EXPECT_TRUE(json["facts"]["unknown"].is_null());
  EXPECT_EQ(json["facts"]["nested"], Json::parse(R"({"shape": ["N", 3], "unranked": null})"));
  const Json& rows = json["tables"]["rows"]["rows"];
  EXPECT_EQ(rows[0], Json::parse(R"({"layer": "a|b, c", "macs": {"at_least": 15872},
      "time_s": 0.5, "time_interval_s": [0.25, 1.0], "shapes": [[1, 3], null], "fast": true,
      "samples": [0.5, 1.0]})"));
  EXPECT_EQ(rows[1]["macs"], Json::parse(R"({"formula": "64·N"})"));
  EXPECT_EQ(rows[1]["time_s"], 2.0);
  EXPECT_TRUE(rows[1]["time_interval_s"].is_null());
  EXPECT_TRUE(rows[2]["macs"].is_null());
  EXPECT_EQ(json["tables"]["rows"]["totals"], Json::parse(R"({"macs": {"at_least": 15872}})"));
  EXPECT_EQ(json["notes"], Json::parse(R"(["one"])"));
  EXPECT_FALSE(json.contains("machine"));
}

TEST(RenderJson, ListsOfNumbersStandOnOneLine) {
  EXPECT_THAT(render_json(sample()), HasSubstr("\"samples\": [0.5,1.0]\n"));
}

TEST(RenderJson, AbsolutePathsLoseTheirFoldersUnlessAskedFor) {
  const std::string usual = render_json(sample());
  EXPECT_THAT(usual, Not(HasSubstr("/home")));
  EXPECT_THAT(usual, HasSubstr("\"path\": \"m.onnx\""));
  EXPECT_THAT(usual, HasSubstr("\"--pair\": \"a=a.pt,b=rel/b.onnx\""));
  const std::string whole = render_json(sample(), {.with_paths = true});
  EXPECT_THAT(whole, HasSubstr("\"path\": \"/home/me/m.onnx\""));
  EXPECT_THAT(whole, HasSubstr("\"--pair\": \"a=/x/a.pt,b=rel/b.onnx\""));
}

TEST(RenderCsv, AnEstimateIsThreeColumnsAndAListIsNone) {
  EXPECT_EQ(render_csv(sample()),
            "layer,macs,time_s,time_low_s,time_high_s,shapes,fast\n"
            "\"a|b, c\",>=15872,0.5,0.25,1,\"1×3, ?\",1\n"
            "d,64·N,2,,,,0\n"
            "e,,,,,,\n");
}

TEST(RenderTable, SectionsInTheirOrder) {
  Document document = sample();
  document.tables.front().foot = [](const TableStyle&) { return std::string("below\n"); };
  document.sections = {{.lines = [](const TableStyle&) { return std::string("above\n"); }},
                       {.table = "rows"}};
  const std::string text = render_table(document, {.width = 0});
  EXPECT_TRUE(text.starts_with("above\n\nLayer ")) << text;
  EXPECT_TRUE(text.ends_with("\nbelow\n")) << text;
  EXPECT_THAT(text, HasSubstr("500.0 ms [250.0 ms, 1.000 s]"));
  EXPECT_THAT(text, HasSubstr("≥15.87 k"));
  EXPECT_THAT(text, Not(HasSubstr("Note: one")));
}

TEST(RenderTable, WithoutSectionsTablesAndNotes) {
  Document document = sample();
  keep_top(document.tables.front(), 2);
  const std::string text = render_table(document, {.width = 0});
  EXPECT_THAT(text, HasSubstr("\n1 of 3 rows are not shown\nNote: one\n"));
}

// Rows that the filter left out cannot be had back with another number of rows.
TEST(RenderTable, SaysWhatLeftRowsOut) {
  const auto lines = [](const TableChoice& choice) {
    Document document = sample();
    EXPECT_TRUE(choose(document, choice));
    const std::string text = render_table(
        document, {.width = 0, .phrase = [](const Error& error) { return error.message + "!"; }});
    const std::size_t note = text.find("Note: one"), rows = text.rfind("rows are", note);
    return rows == text.npos ? "" : text.substr(text.find_last_of('\n', rows) + 1, note);
  };
  EXPECT_THAT(lines({.filter = "d"}), HasSubstr("2 of 3 rows are left out by the filter\nNote"));
  EXPECT_THAT(lines({.top = 1}), HasSubstr("2 of 3 rows are not shown!\nNote"));
  EXPECT_THAT(lines({.top = 1, .filter = "?"}),
              HasSubstr("1 of the other 2 rows are not shown!\n"));
}

TEST(RenderMarkdown, LinesAreAListAndPicturesAreLeftOut) {
  Document document = sample();
  document.sections = {
      {.table = "rows"},
      {.lines = [](const TableStyle&) { return std::string("a*b\n  c\n"); }},
      {.lines = [](const TableStyle&) { return std::string("███\n"); }, .picture = true}};
  const std::string text = render_markdown(document);
  EXPECT_THAT(text, HasSubstr("| a\\|b, c | ≥15.87 k "));
  EXPECT_TRUE(text.ends_with("|\n\n- a\\*b\n  - c\n")) << text;
}

TEST(Renderers, AreFoundByNameAndByTheEndingOfAFile) {
  EXPECT_EQ(renderer_names(), "table, csv, json, md, html, excel, trace, model-explorer, svg, png");
  for (const Renderer& renderer : renderers()) {
    ASSERT_TRUE(find_renderer(renderer.name));
    EXPECT_EQ(*find_renderer(renderer.name), &renderer);
    EXPECT_EQ(static_cast<bool>(check_kind(renderer, "sample")), renderer.kinds.empty());
    if (!renderer.kinds.empty()) continue;
    TextSink sink;
    ASSERT_TRUE(renderer.write(sample(), {}, sink));
    EXPECT_FALSE(sink.text.empty());
  }
  EXPECT_EQ(renderer_of_file("a.b/x.CSV")->name, "csv");
  EXPECT_EQ(renderer_of_file("x.markdown")->name, "md");
  EXPECT_EQ(renderer_of_file("x.txt")->name, "table");
  EXPECT_EQ(renderer_of_file("folder.csv/x"), nullptr);
  EXPECT_EQ(renderer_of_file("x.xyz"), nullptr);
  EXPECT_EQ(renderer_of_file("x.htm")->name, "html");
  EXPECT_EQ(renderer_of_file("a.b.json")->name, "json");
  EXPECT_EQ(renderer_of_file("a.b.trace.json")->name, "trace");
  EXPECT_EQ(renderer_of_file("x.Excel.csv")->name, "excel");
  EXPECT_EQ(renderer_of_file(".svg/x"), nullptr);
  const auto none = find_renderer("pdf");
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().message, "there is no format \"pdf\"; formats are: " + renderer_names());
}

TEST(WithoutFolders, OnlyAbsolutePathsAreShortened) {
  EXPECT_EQ(without_folders("/a/b/c.onnx"), "c.onnx");
  EXPECT_EQ(without_folders("/a/b/"), "b");
  EXPECT_EQ(without_folders("a/b/c.onnx"), "a/b/c.onnx");
  EXPECT_EQ(option_without_folders("zoo:resnet50"), "zoo:resnet50");
}

}  // namespace
}  // namespace strata
