// Differences between two files, with numbers that are worked out here.
#include "strata/task/diff.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include <fmt/format.h>

#include "strata/base/scratch_folder.h"
#include "strata/profile/analysis.h"
#include "strata/report/report.h"
#include "strata/task/stat.h"

namespace strata {
namespace {

using compare::Measure;
using compare::RowChange;
using compare::Verdict;
using ::testing::HasSubstr;

std::string model(const char* name) {
  return std::string(STRATA_SOURCE_DIR "/tests/models/") + name;
}

class DiffTask : public testing::Test {
 protected:
  std::string write(const std::string& name, const std::string& text) {
    std::ofstream(scratch_ / name) << text;
    return scratch_ / name;
  }
  // A profile as `stat` saves it.
  std::string save(const std::string& path, const RowOptions& rows, const std::string& name) {
    StatRequest request{.model = {.source = path}};
    request.profile.rows = rows;
    request.full = true;
    const auto outcome = run_stat(request);
    EXPECT_TRUE(outcome) << outcome.error().message;
    return write(name, profile_to_json(*outcome->full));
  }

 private:
  const ScratchFolder scratch_ = ScratchFolder::create().value();
};

TEST_F(DiffTask, AFileAndItsSavedProfileAreTheSame) {
  const std::string saved = save(model("resnet50.onnx"), {}, "r50.json");
  const auto outcome = run_diff({.files = {model("resnet50.onnx"), saved}});
  ASSERT_TRUE(outcome) << outcome.error().message;
  const compare::Diff& diff = outcome->comparison.diffs.front();
  EXPECT_EQ(diff.count(RowChange::Same), diff.rows.size());
  EXPECT_TRUE(diff.notes.empty());
  for (const Measure measure : {Measure::Params, Measure::Macs, Measure::Flops, Measure::Peak})
    EXPECT_EQ(compare::at(diff.totals, measure).verdict, Verdict::Same);
}

// torchvision's documentation has 11,689,512 and 25,557,032 parameters.
TEST_F(DiffTask, TotalsOfTwoNetworks) {
  const auto outcome = run_diff({.files = {model("resnet18.onnx"), model("resnet50.onnx")},
                                 .limits = {"params>+118%", "params>+119%"}});
  ASSERT_TRUE(outcome) << outcome.error().message;
  const compare::Change& params =
      compare::at(outcome->comparison.diffs.front().totals, Measure::Params);
  EXPECT_EQ(params.difference.number(), 25557032 - 11689512);
  EXPECT_DOUBLE_EQ(*params.ratio, 25557032.0 / 11689512.0);
  ASSERT_EQ(outcome->comparison.limits.size(), 2u);
  EXPECT_EQ(outcome->comparison.limits[0].verdict, compare::LimitVerdict::Broken);
  EXPECT_EQ(outcome->comparison.limits[1].verdict, compare::LimitVerdict::Kept);
  EXPECT_FALSE(outcome->comparison.is_within_limits());
}

// resnet18 has 20 convolutions, each with a norm; 9 of them with an activation of their own.
TEST_F(DiffTask, FusedRowsAreComparedWithTheirParts) {
  const std::string fused = save("zoo:resnet18", {.fuse = true}, "fused.json");
  const auto outcome = run_diff({.files = {"zoo:resnet18", fused}});
  ASSERT_TRUE(outcome) << outcome.error().message;
  const compare::Diff& diff = outcome->comparison.diffs.front();
  EXPECT_EQ(diff.count(RowChange::Fused), 20u);
  EXPECT_EQ(diff.count(RowChange::Removed) + diff.count(RowChange::Inserted), 0u);
  const auto& sides = outcome->comparison.sides;
  for (const compare::RowDiff& row : diff.rows) {
    for (const Measure measure : {Measure::Macs, Measure::Params})
      EXPECT_EQ(compare::change_of_row(sides[0], sides[1], row, measure).verdict, Verdict::Same);
  }
}

TEST_F(DiffTask, AModelHasTheRowsOfASavedProfile) {
  const std::string tree = save(model("resnet18.onnx"), {.report = ReportKind::Tree}, "tree.json");
  const auto outcome = run_diff({.files = {model("resnet18.onnx"), tree}});
  ASSERT_TRUE(outcome) << outcome.error().message;
  const compare::Diff& diff = outcome->comparison.diffs.front();
  EXPECT_EQ(diff.count(RowChange::Same), diff.rows.size());
}

TEST_F(DiffTask, TimesOfOtherMachinesAreSaid) {
  const auto profile = [](const char* cpu, double median, int threads) {
    return fmt::format(
        R"({{"kind": "profile", "schema": 2, "options": {{}}, "notes": [],
            "machine": {{"cpu": "{}", "mhz": "{}"}},
            "facts": {{"timing": {{"engine": "e 1", "threads": {}, "runs": 9, "median_s": {},
                                   "median_interval_s": [{}, {}]}}}},
            "tables": {{"layers": {{"columns": [], "rows": []}}}}}})",
        cpu, median, threads, median, 0.99 * median, 1.01 * median);
  };
  const std::string a = write("a.json", profile("one", 0.010, 1));
  const std::string b = write("b.json", profile("two", 0.012, 2));
  const std::string c = write("c.json", profile("one", 0.0101, 1));
  const auto outcome = run_diff({.files = {a, b, c}, .limits = {"latency>+5%"}});
  ASSERT_TRUE(outcome) << outcome.error().message;
  const auto& diffs = outcome->comparison.diffs;
  ASSERT_EQ(diffs.size(), 2u);
  ASSERT_EQ(diffs[0].notes.size(), 2u);
  EXPECT_THAT(diffs[0].notes[0], HasSubstr("different machines"));
  EXPECT_THAT(diffs[0].notes[0], HasSubstr("cpu is \"one\" and \"two\""));
  EXPECT_EQ(diffs[0].notes[1], "the threads differ: \"1\" before and \"2\" after");
  EXPECT_EQ(compare::at(diffs[0].totals, Measure::Latency).verdict, Verdict::More);
  EXPECT_TRUE(diffs[1].notes.empty());
  EXPECT_EQ(compare::at(diffs[1].totals, Measure::Latency).verdict, Verdict::NotShown);
  EXPECT_EQ(outcome->comparison.limits[0].verdict, compare::LimitVerdict::Broken);
  EXPECT_EQ(outcome->comparison.limits[1].verdict, compare::LimitVerdict::Kept);
}

TEST_F(DiffTask, Mistakes) {
  EXPECT_FALSE(run_diff({.files = {model("resnet18.onnx")}}));
  EXPECT_FALSE(run_diff({.files = {model("resnet18.onnx"), "/nothing/here.json"}}));
  const auto other = run_diff(
      {.files = {model("resnet18.onnx"), STRATA_SOURCE_DIR "/tests/data/saved_by_0.1/bench.json"}});
  ASSERT_FALSE(other);
  EXPECT_THAT(other.error().message, HasSubstr("they have nothing in common"));
  const auto limit = run_diff({.files = {"a", "b"}, .limits = {"macs"}});
  ASSERT_FALSE(limit);
  EXPECT_EQ(limit.error().kind, ErrorKind::Usage);
}

}  // namespace
}  // namespace strata
