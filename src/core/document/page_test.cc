#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/embedded.h"
#include "base/sha256.h"
#include "document/page_data.h"
#include "strata/document/pages.h"
#include "strata/document/render.h"

namespace strata {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using Json = nlohmann::ordered_json;

Document sample(const std::string& name) {
  Document document = new_document("sample");
  document.options = {{"model", "/home/me/m.onnx"}};
  document.facts = {{"name", name}};
  Table table{.name = "rows",
              .columns = {{"layer", "Layer"},
                          {"macs", "MACs", Unit::Macs, true},
                          {"time_s", "Time", Unit::Seconds, false, 0, ColumnType::Estimate},
                          {"samples", "Samples", Unit::Seconds, false, 0, ColumnType::List}}};
  table.rows.push_back({.cells = {name, 15872, Estimate{0.5, 0.25, 1}, Cells{0.5}}});
  table.rows.push_back({.cells = {"b", {Expr(15872), Certainty::LowerBound}, Cell(), Cells{}}});
  table.rows.push_back({.cells = {"c", Expr::symbol("N") * Expr(64000), 2.0, Cells{}}});
  table.totals.cells = {"Total", Cell(), Cell(), Cell()};
  table.foot = [](const TableStyle&) { return std::string("one\n  two\n"); };
  document.tables.push_back(std::move(table));
  return document;
}

std::string between(const std::string& text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  if (at == text.npos) return "";
  const std::size_t begin = at + from.size();
  return text.substr(begin, text.find(to, begin) - begin);
}

Json data_of(const std::string& page) {
  return Json::parse(between(page, "<script id=\"data\" type=\"application/json\">", "</script>"));
}

TEST(Page, HoldsTheDocument) {
  const Json data = data_of(render_page(sample("a")));
  EXPECT_EQ(data["kind"], "sample");
  EXPECT_EQ(data["options"]["model"], "m.onnx");
  EXPECT_EQ(data["facts"]["name"], "a");
  EXPECT_EQ(data["sections"][0]["table"], "rows");
  EXPECT_EQ(data["sections"][0]["lines"], Json::parse(R"(["one", "  two"])"));
  const Json& table = data["tables"][0];
  EXPECT_EQ(table["columns"].size(), 3u);  // none of lists
  EXPECT_EQ(table["lists"], Json::parse(R"({"samples": [[0.5], null, null]})"));
  EXPECT_EQ(table["rows"][0], Json::parse(R"(["a", 15872, {"v": 0.5, "l": 0.25, "h": 1.0,
                            "t": "500.0 ms [250.0 ms, 1.000 s]"}])"));
  EXPECT_EQ(table["rows"][1],
            Json::parse(R"(["b", {"v": 15872.0, "t": "≥15.87 k", "x": "≥15,872"}, null])"));
  EXPECT_EQ(table["rows"][2],
            Json::parse(R"(["c", {"v": null, "t": "64.00 k·N", "x": "64,000·N"}, 2.0])"));
  EXPECT_EQ(table["totals"], Json::parse(R"(["Total", null, null])"));
}

TEST(Page, ReadersMayChooseColumnsThatProgramsSee) {
  Document document = sample("a");
  Table& table = document.tables.front();
  table.shown_columns = {{"name", "Name"}};
  for (TableRow& row : table.rows) row.shown = {"shown"};
  table.totals.shown = {"all"};
  const Json data = data_of(render_page(document));
  const Json& columns = data["tables"][0]["columns"];
  ASSERT_EQ(columns.size(), 4u);
  EXPECT_EQ(columns[0]["name"], "name");
  EXPECT_EQ(columns[0]["usual"], true);
  EXPECT_EQ(columns[1]["name"], "layer");
  EXPECT_EQ(columns[1]["usual"], false);
  EXPECT_EQ(data["tables"][0]["rows"][1][0], "shown");
  EXPECT_EQ(data["tables"][0]["rows"][1][1], "b");
}

TEST(Page, SamplesAreCounted) {
  Document document = sample("a");
  const Cell runs = list_cell(std::vector<double>(60, 0.5));
  document.facts = {
      {"few", runs}, {"many", Cells{runs, runs, Cells{}}}, {"mixed", Cells{runs, "x"}}};
  const Json facts = data_of(render_page(document))["facts"];
  EXPECT_EQ(facts["few"].size(), 60u);
  EXPECT_EQ(facts["many"], "120 numbers");
  EXPECT_EQ(facts["mixed"].size(), 2u);
}

TEST(Page, ANameCannotLeaveItsData) {
  const std::string name = "</script><script>alert(1)</script><!--</style>&\xe2\x80\xa8\x1b";
  const std::string page = render_page(sample(name));
  EXPECT_THAT(page, Not(HasSubstr("alert(1)</script>")));
  // No bracket at all: `</script ` with a space ends the element as well.
  const std::string data = between(page, "type=\"application/json\">", "]}</script>");
  EXPECT_EQ(data.find_first_of("<>&"), data.npos);
  EXPECT_GT(data.size(), 500u);
  EXPECT_THAT(page, Not(HasSubstr("\xe2\x80\xa8")));
  EXPECT_EQ(data_of(page)["tables"][0]["rows"][0][0],
            "</script><script>alert(1)</script><!--</style>&\\u2028\\x1b");
  // Nothing but the document differs, so the markup around it is that of any other page.
  const std::string other = render_page(sample("a"));
  EXPECT_EQ(page.substr(0, page.find("<script id=")), other.substr(0, other.find("<script id=")));
  EXPECT_EQ(page.substr(page.rfind("<script>")), other.substr(other.rfind("<script>")));
}

// Content Security Policy level 3, section 6.7.2: the hash of what stands between the tags.
TEST(Page, AllowsItsOwnScriptAndStyleAndNothingElse) {
  const std::string page = render_page(sample("a"));
  const std::string policy = between(page, "Content-Security-Policy\" content=\"", "\"");
  const std::string script = between(page.substr(page.rfind("<script>")), "<script>", "</script>");
  const std::string style = between(page, "<style>", "</style>");
  ASSERT_FALSE(script.empty());
  ASSERT_FALSE(style.empty());
  EXPECT_EQ(policy, "default-src 'none'; script-src 'sha256-" + base64(sha256(script)) +
                        "'; style-src 'sha256-" + base64(sha256(style)) +
                        "'; img-src data:; base-uri 'none'; form-action 'none'");
}

// A page has the scripts of its kind alone: a profile has no chart of a comparison.
TEST(Page, HasNoScriptsOfOtherKinds) {
  Document document = sample("a");
  document.kind = "profile";
  const std::string profile = render_page(document);
  EXPECT_THAT(profile, Not(HasSubstr("class ChangesChart")));
  document.kind = "diff";
  const std::string diff = render_page(document);
  EXPECT_THAT(diff, HasSubstr("class ChangesChart"));
  EXPECT_LT(profile.size(), diff.size());
}

TEST(Page, HasEveryAsset) {
  std::string page;
  for (const char* kind : {"profile", "bench", "payload", "diff", "llm"}) {
    Document document = sample("a");
    document.kind = kind;
    page += render_page(document);
  }
  for (const std::string_view path : embedded_paths()) {
    if (!path.starts_with("assets/page/")) continue;
    std::istringstream lines(std::string(*embedded_file(path)));
    bool in_comment = false;
    for (std::string line; std::getline(lines, line);) {
      const std::string own = line.substr(std::min(line.find_first_not_of(' '), line.size()));
      in_comment = in_comment || own.starts_with("/*");
      if (!in_comment && !own.starts_with("//")) {
        EXPECT_NE(page.find(own), page.npos) << path << own;
      }
      if (own.find("*/") != own.npos) in_comment = false;
    }
  }
}

// Where every row reads the one before and the third also an input: distances, 0 for the input.
TEST(Page, HasEdges) {
  Document document = sample("a");
  document.tables.front().edges = {.reads = {{RowEdges::kInput}, {0}, {RowEdges::kInput, 1}},
                                   .returned = {2}};
  const Json edges = data_of(render_page(document))["tables"][0]["edges"];
  EXPECT_EQ(edges, Json::parse(R"({"reads": [0, 1, [0, 1]], "returned": [2]})"));
  keep_top(document.tables.front(), 2);
  EXPECT_FALSE(data_of(render_page(document))["tables"][0].contains("edges"));
}

TEST(Page, HoldsSeveralDocuments) {
  const std::vector<Document> documents = {sample("a"), sample("b")};
  TextSink sink;
  ASSERT_TRUE(write_pages(documents, {}, sink));
  const Json data = data_of(sink.text);
  ASSERT_EQ(data["documents"].size(), 2u);
  EXPECT_EQ(data["documents"][1]["facts"]["name"], "b");
  EXPECT_EQ(data["documents"][0], data_of(render_page(documents[0])));
}

TEST(Page, NamesNoOtherPlace) {
  const std::string page = render_page(sample("a"));
  EXPECT_THAT(page, Not(HasSubstr("https://")));
  EXPECT_THAT(page, Not(HasSubstr("src=")));
  EXPECT_THAT(page, Not(HasSubstr("innerHTML")));
}

}  // namespace
}  // namespace strata
