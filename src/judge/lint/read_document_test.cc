#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lint/readers.h"

namespace strata::lint {
namespace {

using ::testing::ElementsAre;

constexpr const char* kTree = R"({"kind": "profile", "schema": 2, "options": {"--report": "tree"},
  "facts": {"timing": {"median_s": 0.5, "samples_s": [0.4, 0.5, 0.6]},
            "roofline": {"flops_per_s": 5e10, "bytes_per_s": 1e10}},
  "tables": {"layers": {"columns": [
      {"name": "layer", "unit": "text", "additive": false},
      {"name": "type", "unit": "text", "additive": false},
      {"name": "input", "unit": "text", "additive": false},
      {"name": "macs", "unit": "macs", "additive": true},
      {"name": "time", "unit": "seconds", "additive": true}],
    "rows": [{"layer": "net", "depth": 0, "macs": 12, "time": 0.5},
             {"layer": "a", "type": "Conv2d", "depth": 1, "input": [[1, 3, 8, 8]], "macs": 12, "time": 0.4},
             {"layer": "b", "depth": 1, "input": [["N", 3]], "macs": {"at_least": 3}, "time": null}],
    "totals": {"macs": 12, "time": 0.5}}}})";

TEST(ReadDocument, AProfile) {
  ASSERT_TRUE(looks_like_document(kTree));
  const auto claims = read_document(kTree);
  ASSERT_TRUE(claims) << claims.error().message;
  EXPECT_EQ(claims->peak_flops_per_s, 5e10);
  ASSERT_EQ(claims->tables.size(), 2u);
  const ClaimTable& table = claims->tables[0];
  ASSERT_EQ(table.rows.size(), 3u);
  EXPECT_EQ(table.rows[1].parent, 0u);
  EXPECT_EQ(table.rows[2].parent, 0u);
  EXPECT_THAT(table.rows[1].inputs, ElementsAre(ClaimShape{1, 3, 8, 8}));
  EXPECT_TRUE(table.rows[2].inputs.empty());  // an open size
  EXPECT_EQ(table.at(table.rows[1], table.find_typical(Meaning::Macs))->value, 12);
  EXPECT_FALSE(table.at(table.rows[2], table.find_typical(Meaning::Macs)));
  ASSERT_EQ(table.totals.size(), 1u);
  EXPECT_THAT(claims->tables[1].rows[0].samples, ElementsAre(0.4, 0.5, 0.6));
}

TEST(ReadDocument, TotalsOfRowsThatWereLeftOutAreNoClaim) {
  std::string top = kTree;
  top.replace(top.find("--report"), 8, "--top\": \"3\", \"x");
  const auto claims = read_document(top);
  ASSERT_TRUE(claims) << claims.error().message;
  EXPECT_TRUE(claims->tables[0].totals.empty());
}

TEST(ReadDocument, HiddenRowsHaveOutputs) {
  const auto adds_up = [](const char* hidden) {
    const auto claims = read_document(std::string(R"({"kind": "profile", "schema": 2,
      "facts": {"hidden_rows": )") + hidden +
                                      R"(}, "tables": {"layers": {"columns": [
      {"name": "activation", "unit": "bytes", "additive": true}], "rows": []}}})");
    return claims->tables[0].columns[0].adds_up;
  };
  EXPECT_TRUE(adds_up("0"));
  EXPECT_FALSE(adds_up("1"));
}

TEST(ReadDocument, BrokenFilesAreSentences) {
  for (const char* file :
       {"{", "[]", R"({"kind": "profile", "schema": 1})", R"({"kind": "profile", "schema": 2})",
        R"({"kind": "ops", "schema": 2, "tables": {"a": 3}})"})
    EXPECT_FALSE(read_document(file)) << file;
  EXPECT_EQ(read_document(R"({"kind": "ops", "schema": 2, "tables": {}})").error().message,
            "a document of kind \"ops\" has nothing to check");
}

}  // namespace
}  // namespace strata::lint
