#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <limits>
#include <random>

#include <fmt/format.h>

#include "compare/plain_profile.h"
#include "strata/compare/side.h"
#include "strata/infer/infer.h"
#include "strata/read/read.h"

namespace strata::compare {
namespace {

std::string saved(const std::string& path, ReportKind report = ReportKind::Tape) {
  auto model = read_model(std::string(STRATA_SOURCE_DIR "/") + path);
  EXPECT_TRUE(model) << path;
  const auto inference = infer(*model);
  ProfileOptions options;
  options.all_columns = true;
  options.rows.report = report;
  const auto profile = make_profile(*model, *inference, options);
  EXPECT_TRUE(profile) << path;
  return profile_to_json(*profile);
}

std::string file(const std::string& path) {
  std::ifstream in(std::string(STRATA_SOURCE_DIR "/") + path);
  return {std::istreambuf_iterator<char>(in), {}};
}

bool are_equal(const Figure& a, const Figure& b) {
  const auto ends = [](const Figure& f) {
    return f.interval ? std::pair(f.interval->low, f.interval->high) : std::pair(-1.0, -1.0);
  };
  return a.certainty == b.certainty && a.real == b.real && ends(a) == ends(b) &&
         (a.count == b.count || (a.count.is_unknown() && b.count.is_unknown()));
}

void expect_equal(const Side& a, const Side& b) {
  ASSERT_EQ(a.rows.size(), b.rows.size());
  for (std::size_t r = 0; r < a.rows.size(); ++r) {
    const SideRow &left = a.rows[r], &right = b.rows[r];
    EXPECT_EQ(left.name, right.name);
    EXPECT_EQ(left.type, right.type);
    EXPECT_EQ(left.input, right.input) << left.name;
    EXPECT_EQ(left.output, right.output) << left.name;
    EXPECT_EQ(left.call, right.call) << left.name;
    for (std::size_t m = 0; m < kMeasures; ++m)
      EXPECT_TRUE(are_equal(left.figures[m], right.figures[m])) << left.name << " " << m;
  }
  for (std::size_t m = 0; m < kMeasures; ++m) EXPECT_TRUE(are_equal(a.totals[m], b.totals[m])) << m;
}

// The fast reader and the reader of any JSON agree.
TEST(ReadSide, PlainProfilesAreReadAsAnyOther) {
  for (const char* model : {"tests/models/resnet18.onnx", "tests/models/mobilenet_v2.onnx"})
    for (const ReportKind report : {ReportKind::Tape, ReportKind::Node, ReportKind::Tree,
                                    ReportKind::Type, ReportKind::Leaves}) {
      const std::string json = saved(model, report);
      const auto fast = read_plain_profile(json, "x");
      ASSERT_TRUE(fast) << model;
      expect_equal(*fast, side_of(*profile_from_json(json, "x"), "x"));
    }
}

TEST(ReadSide, FormulasAreReadFast) {
  const std::string json = saved("tests/models/mobilenet_v2_dynamic.onnx");
  const auto fast = read_plain_profile(json, "x");
  ASSERT_TRUE(fast);
  expect_equal(*fast, side_of(*profile_from_json(json, "x"), "x"));
  EXPECT_EQ(at(fast->totals, Measure::Macs).count, Expr::symbol("N") * 300774272);
  // 32 filters of 3×3×3 at 112×112 places.
  EXPECT_EQ(at(fast->rows[0].figures, Measure::Macs).count, Expr::symbol("N") * 10838016);
}

// A profile with these rows, whose symbols are `N` and `batch size`.
std::string profile_with(const std::string& rows) {
  return R"({"kind": "profile", "schema": 2, "notes": [], "facts": {"symbols": [
        {"name": "N", "origin": "input", "needs_data": false},
        {"name": "batch size", "origin": "input", "needs_data": false}]},
      "tables": {"layers": {"columns": [{"name": "layer", "unit": "text"},
        {"name": "input", "unit": "text"}, {"name": "macs", "unit": "macs"}],
        "rows": [)" +
         rows + "]}}}";
}

TEST(ReadSide, NamesOfAnyLanguageAreReadFast) {
  const std::string json = profile_with(
      R"({"layer": "слой.1", "input": [["N", 3], null, []], "macs": {"formula": "3·N"}},
         {"layer": "層/\\\"\u00e9\n", "input": null, "macs": {"at_least": {"formula": "N"}}},
         {"layer": "é\u65e5", "macs": {"at_least": 7}},
         {"layer": "x", "macs": {"formula": "2·batch size", "at_most": 8}})");
  const auto fast = read_plain_profile(json, "x");
  ASSERT_TRUE(fast);
  expect_equal(*fast, side_of(*profile_from_json(json, "x"), "x"));
  EXPECT_EQ(fast->rows[0].name, "слой.1");
  EXPECT_EQ(fast->rows[0].input, "N×3, ?, scalar");
  EXPECT_EQ(at(fast->rows[0].figures, Measure::Macs).count, Expr::symbol("N") * 3);
  EXPECT_EQ(fast->rows[1].name, "層/\\\"é\n");
  EXPECT_EQ(at(fast->rows[1].figures, Measure::Macs).certainty, Certainty::LowerBound);
  EXPECT_EQ(fast->rows[2].name, "é日");
  EXPECT_EQ(at(fast->rows[3].figures, Measure::Macs).count, Expr::symbol("batch size") * 2);
}

TEST(ReadSide, WhatIsNoTextOrNoCountIsRefused) {
  for (const char* name :
       {"\xff", "\xc0\xaf", "\xed\xa0\x80", "\xe5\xb1", "a\nb", "\\ud83d", "\\u12", "\\x"})
    EXPECT_FALSE(read_plain_profile(
        profile_with(std::string("{\"layer\": \"") + name + "\", \"macs\": 1}"), "x"))
        << name;
  for (const char* cell :
       {"{}", "{\"formula\": 3}", "{\"formula\": \"3·\"}", "{\"at_least\": null}",
        "{\"at_least\": {\"at_least\": 3}}", "{\"formula\": \"N\", \"x\": 1}"}) {
    const std::string json =
        profile_with(std::string("{\"layer\": \"a\", \"macs\": ") + cell + "}");
    EXPECT_FALSE(read_plain_profile(json, "x")) << cell;
    EXPECT_FALSE(read_side(json, "x")) << cell;
  }
}

TEST(ReadSide, WhatTheFastReaderTakesTheOtherTakesToo) {
  const std::string wholes[] = {saved("tests/models/resnet18.onnx"),
                                saved("tests/models/mobilenet_v2_dynamic.onnx")};
  std::mt19937 random(11);
  const char* pieces[] = {
      "null",    "{}", "[]",   "-1",          "1e300",        "\"x\"",       "true", ":",
      ",",       "01", "1.",   "\\",          "\n",           "]",           "}",    "[[1]]",
      "\\u00e9", "é",  "\xc3", "\"formula\"", "\"at_least\"", "\"at_most\"", "N",    "·"};
  std::size_t taken = 0;
  for (int i = 0; i < 2000; ++i) {
    std::string json = wholes[i % 2];
    json.replace(random() % json.size(), random() % 9, pieces[random() % std::size(pieces)]);
    const auto fast = read_plain_profile(json, "x");
    if (!fast) continue;
    ++taken;
    const auto slow = profile_from_json(json, "x");
    // It does not look at columns that are not compared.
    if (!slow) {
      EXPECT_THAT(slow.error().message, testing::HasSubstr("has a value in column"));
      continue;
    }
    expect_equal(*fast, side_of(*slow, "x"));
  }
  EXPECT_GT(taken, 20u);
}

TEST(ReadSide, WhatWasSavedBy01) {
  const auto profile = read_side(file("tests/data/saved_by_0.1/profile.json"), "p");
  ASSERT_TRUE(profile) << profile.error().message;
  EXPECT_EQ(profile->rows_are, "tree");
  const auto bench = read_side(file("tests/data/saved_by_0.1/bench.json"), "b");
  ASSERT_TRUE(bench) << bench.error().message;
  EXPECT_EQ(bench->kind, "bench");
  EXPECT_FALSE(bench->rows.empty());
}

// The layer is known to ± 10 % and the whole to ± 20 %, in logarithms: together √(0.01 + 0.04).
TEST(ReadSide, TimesOfLayersAreNoMoreCertainThanTheWhole) {
  const auto profile = [](const std::string& whole) {
    return R"({"kind": "profile", "schema": 2, "notes": [],
        "facts": {"timing": {"runs": 9, "median_s": 1, "median_interval_s": )" +
           whole + R"(}},
        "tables": {"layers": {"columns": [{"name": "layer", "unit": "text"},
          {"name": "time", "unit": "seconds"}, {"name": "time_low", "unit": "seconds"},
          {"name": "time_high", "unit": "seconds"}],
          "rows": [{"layer": "a", "time": 0.5, "time_low": )" +
           std::to_string(0.5 * std::exp(-0.1)) +
           ", \"time_high\": " + std::to_string(0.5 * std::exp(0.1)) + "}]}}}";
  };
  const std::string both = profile(fmt::format("[{}, {}]", std::exp(-0.2), std::exp(0.2)));
  for (const auto& side :
       {*read_plain_profile(both, "x"), side_of(*profile_from_json(both, "x"), "x")}) {
    const Figure& time = at(side.rows[0].figures, Measure::Latency);
    ASSERT_TRUE(time.interval);
    EXPECT_NEAR(time.interval->high, 0.5 * std::exp(std::sqrt(0.05)), 1e-5);
    EXPECT_NEAR(time.interval->low, 0.5 * std::exp(-std::sqrt(0.05)), 1e-5);
  }
  const auto none = read_side(profile("null"), "x");
  ASSERT_TRUE(none);
  EXPECT_FALSE(at(none->rows[0].figures, Measure::Latency).interval);
}

TEST(ReadSide, SensitivitiesAreInRunningOrder) {
  const auto side = read_side(R"({"kind": "sensitivity", "schema": 2,
      "facts": {"metric": "sqnr", "joint": {"value": 20.5, "interval": [19, 22]}},
      "tables": {"layers": {"columns": [], "rows": [
        {"index": 1, "layer": "fc", "operators": "Gemm", "value": 25, "value_interval": [24, 26]},
        {"index": 2, "layer": "last", "operators": "Gemm", "value": "inf"},
        {"index": 0, "layer": "conv", "operators": "Conv", "value": null}]}}})",
                              "s");
  ASSERT_TRUE(side) << side.error().message;
  ASSERT_EQ(side->rows.size(), 3u);
  EXPECT_EQ(at(side->rows[2].figures, Measure::Quality).number(),
            std::numeric_limits<double>::infinity());
  EXPECT_EQ(side->rows[0].name, "conv");
  EXPECT_FALSE(at(side->rows[0].figures, Measure::Quality).is_known());
  EXPECT_EQ(at(side->rows[1].figures, Measure::Quality).interval->high, 26);
  EXPECT_EQ(at(side->totals, Measure::Quality).number(), 20.5);
}

// Each row would take some 700 bytes.
TEST(ReadSide, RowsOfNothingAreNotManyRows) {
  std::string rows = "{}";
  for (int i = 0; i < 100'000; ++i) rows += ",{}";
  const auto side = read_side(R"({"kind": "profile", "schema": 2, "facts": {}, "tables":
      {"layers": {"columns": [], "rows": [)" +
                                  rows + "]}}}",
                              "x");
  ASSERT_FALSE(side);
  EXPECT_EQ(side.error().message, "profile x: it has more rows than its size allows");
}

TEST(ReadSide, OtherDocumentsAreRefused) {
  const auto other = read_side(R"({"kind": "lint", "schema": 2})", "x.json");
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().message, "x.json: a document of kind \"lint\" has nothing to compare");
  EXPECT_FALSE(read_side("{", "x"));
  EXPECT_FALSE(read_side(R"({"kind": "sensitivity", "schema": 1})", "x"));
  EXPECT_FALSE(read_side(R"({"kind": "sensitivity", "schema": 2, "facts": 3})", "x"));
}

}  // namespace
}  // namespace strata::compare
