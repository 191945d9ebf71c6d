// Budgets are judged by numbers that are written here.
#include "strata/check/check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace strata::budget {
namespace {

using compare::count_figure;
using compare::Measure;
using compare::real_figure;
using compare::Side;
using compare::SideRow;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

SideRow row(std::string name, std::int64_t macs) {
  SideRow out{.name = std::move(name), .type = "Conv2d"};
  compare::at(out.figures, Measure::Macs) = count_figure(macs);
  compare::at(out.figures, Measure::Flops) = count_figure(2 * macs);
  return out;
}

// 60 MACs in features, 40 in head.
Side small() {
  Side side{.label = "m.onnx", .kind = "model"};
  side.rows = {row("features.0", 20), row("features.1.conv", 40), row("head", 40)};
  compare::at(side.totals, Measure::Macs) = count_figure(100);
  compare::at(side.totals, Measure::Peak) = count_figure(8'000'000);
  side.operators = {"Conv", "Einsum", "Relu"};
  return side;
}

Judged judged(const std::string& line, const Side& side, const Side* baseline = nullptr) {
  const auto budgets = parse_budgets(line);
  EXPECT_TRUE(budgets) << budgets.error().message;
  return budgets ? judge(*budgets, side, baseline).judged.front() : Judged{};
}
Verdict verdict(const std::string& line, const Side& side = small()) {
  return judged(line, side).verdict;
}

TEST(Budgets, LimitsAreWrittenInThreeWays) {
  using enum Verdict;
  for (const char* sign : {"=", "<", "<=", " <= "}) {
    EXPECT_EQ(verdict(std::string("macs") + sign + "99"), verdict("macs=99")) << sign;
    EXPECT_EQ(verdict(std::string("macs") + sign + "101"), verdict("macs=101")) << sign;
  }
  EXPECT_NE(verdict("macs=99"), verdict("macs=101"));
  for (const char* line : {"macs>5", "macs>=5"}) EXPECT_FALSE(parse_budgets(line)) << line;
}

TEST(Budgets, OfTotals) {
  using enum Verdict;
  EXPECT_EQ(verdict("macs=100"), Within);
  EXPECT_EQ(verdict("macs=99"), Over);
  EXPECT_EQ(verdict("peak=8MB"), Within);
  EXPECT_EQ(verdict("peak=7.6MiB"), Over);  // 7,969,177.6 bytes
  EXPECT_EQ(verdict("peak=7.7MiB"), Within);
  EXPECT_EQ(judged("macs=80", small()).reason, "100 of 80, 25.0 % over");
}

TEST(Budgets, OfScopesAndPatterns) {
  using enum Verdict;
  EXPECT_EQ(verdict("features:macs=60"), Within);
  EXPECT_EQ(verdict("features:macs=59"), Over);
  EXPECT_EQ(verdict("features.*:macs=59"), Over);
  EXPECT_EQ(verdict("*.conv:macs=40"), Within);
  EXPECT_EQ(verdict("feat:macs=1"), Unknown);  // no layer is called so
  EXPECT_EQ(verdict("features:peak=1MB"), Unknown);
}

TEST(Budgets, OfGrowthInScopes) {
  using enum Verdict;
  const Side before = small();
  Side after = small();  // 66 in features, 40 in head
  after.rows[0] = row("features.0", 26);
  after.rows.push_back(row("neck", 5));
  compare::at(after.totals, Measure::Macs) = count_figure(111);
  const auto growth = [&](const char* line) { return judged(line, after, &before); };
  EXPECT_EQ(growth("macs=+11%").verdict, Within);
  EXPECT_EQ(growth("macs=+10").verdict, Over);
  EXPECT_EQ(growth("features:macs=+10%").verdict, Within);
  EXPECT_EQ(growth("features.*:macs=+9%").verdict, Over);
  EXPECT_EQ(growth("features:macs=+6").verdict, Within);
  EXPECT_EQ(growth("features:macs=+5").verdict, Over);
  EXPECT_EQ(growth("features:macs=+5").reason, "66 of 65, 1.5 % over; the baseline has 60");
  EXPECT_EQ(growth("head:macs=+0").verdict, Within);
  EXPECT_EQ(growth("neck:macs=+100").verdict, Unknown);
  EXPECT_EQ(growth("neck:macs=+100").reason, "no layer of the baseline matches \"neck\"");
  EXPECT_EQ(judged("neck:macs=+1", before, &after).verdict, Within);  // it is gone
  EXPECT_EQ(growth("nose:macs=+1").reason, "no layer matches \"nose\"");
  EXPECT_EQ(growth("features:peak=+1MB").verdict, Unknown);
  EXPECT_EQ(judged("features:macs=+1", after).reason, "there is no baseline");
}

TEST(Budgets, OfOperators) {
  using enum Verdict;
  EXPECT_EQ(verdict("no:Einsum"), Over);
  EXPECT_EQ(verdict("no:Loop"), Within);
  EXPECT_EQ(verdict("no:Ein*"), Over);
  Side saved = small();
  saved.operators.reset();
  EXPECT_EQ(verdict("no:Einsum", saved), Unknown);
  EXPECT_EQ(verdict("no:Conv2d", saved), Over);
  saved.rows_are = "node";
  EXPECT_EQ(verdict("no:Einsum", saved), Within);
}

TEST(Budgets, WhatCannotBeKnownIsNotWithin) {
  Side side = small();
  compare::at(side.totals, Measure::Macs) = {};
  EXPECT_EQ(verdict("macs=1T", side), Verdict::Unknown);
  EXPECT_FALSE(judged("macs=1T", side).is_kept());
  compare::at(side.totals, Measure::Macs) = count_figure(100, Certainty::LowerBound);
  EXPECT_EQ(verdict("macs=1T", side), Verdict::Unknown);
  EXPECT_EQ(verdict("macs=99", side), Verdict::Over);  // already
  compare::at(side.totals, Measure::Macs) = count_figure(Expr::symbol("N") * 100);
  EXPECT_EQ(verdict("macs=1T", side), Verdict::Unknown);
  EXPECT_EQ(verdict("macs=99", side), Verdict::Over);  // for every N
  compare::at(side.rows[0].figures, Measure::Macs) = {};
  EXPECT_EQ(verdict("unknown=0", side), Verdict::Over);
  EXPECT_EQ(verdict("unknown=1", side), Verdict::Within);
  EXPECT_THAT(judged("unknown=0", side).layers, ElementsAre("features.0"));
}

TEST(Budgets, OfTimes) {
  Side side = small();
  const auto set = [&](double value, double low, double high) {
    compare::at(side.totals, Measure::Latency) = real_figure(value, Interval{low, high});
  };
  EXPECT_EQ(verdict("latency=10ms", side), Verdict::Unknown);
  set(0.009, 0.0085, 0.0095);
  EXPECT_EQ(verdict("latency=10ms", side), Verdict::Within);
  set(0.011, 0.0105, 0.0115);
  EXPECT_EQ(verdict("latency=10ms", side), Verdict::Over);
  set(0.0099, 0.0095, 0.0105);
  EXPECT_EQ(verdict("latency=10ms", side), Verdict::Within);
  EXPECT_THAT(judged("latency=10ms", side).reason, HasSubstr("judged by the median"));
}

// Fewer than six runs have no interval, and nothing is claimed from them: neither that the budget
// is kept nor that it is exceeded.
TEST(Budgets, OfATimeWithoutAnIntervalCannotBeChecked) {
  Side side = small();
  for (const double seconds : {0.001, 0.1}) {
    compare::at(side.totals, Measure::Latency) = real_figure(seconds);
    EXPECT_EQ(verdict("latency=10ms", side), Verdict::Unknown) << seconds;
    EXPECT_THAT(judged("latency=10ms", side).reason, HasSubstr("too few runs"));
  }
}

constexpr const char* kFile = R"(macs = "320M"
peak = "8MB"
no = ["Einsum", "Loop"]
unknown = 0
allow_unknown = "latency"
latency = "10ms"

[scope."features.*"]
macs = 50
flops = "+1%"

[growth]
baseline = "base.json"
macs = "+1%"
peak = "+1kB"
)";

TEST(BudgetFile, HasTheirLines) {
  const auto budgets = parse_budget_file(kFile, "ci/budget.toml");
  ASSERT_TRUE(budgets) << budgets.error().message;
  EXPECT_EQ(budgets->baseline, "ci/base.json");
  std::vector<std::uint32_t> lines;
  for (const Budget& budget : budgets->list) lines.push_back(budget.line);
  EXPECT_THAT(lines, testing::UnorderedElementsAre(1, 2, 3, 3, 4, 6, 9, 10, 14, 15));
}

TEST(BudgetFile, IsJudged) {
  Side baseline = small();
  compare::at(baseline.totals, Measure::Macs) = count_figure(99);
  const auto budgets = parse_budget_file(kFile, "budget.toml");
  const Outcome outcome = judge(*budgets, small(), &baseline);
  std::vector<std::string> broken;
  for (const Judged& one : outcome.judged)
    if (!one.is_kept()) broken.push_back(one.budget.text);
  // 100 is more than 99 + 1 % = 99.99; 60 in features.* is more than 50.
  EXPECT_THAT(broken, testing::UnorderedElementsAre("no Einsum", "features.*: macs = 50",
                                                    "growth of macs +1%"));
  EXPECT_FALSE(outcome.is_kept());
}

TEST(Budget, AnswersInTheUnitThatWasAskedIn) {
  EXPECT_EQ(judged("peak=7MB", small()).reason, "8 MB of 7 MB, 14.3 % over");
  EXPECT_EQ(judged("peak=8000kB", small()).reason, "8000 kB of 8000 kB");
  // 8,000,000 / 1024² and / 1024.
  EXPECT_EQ(judged("peak=7MiB", small()).reason, "7.629 MiB of 7 MiB, 9.0 % over");
  EXPECT_EQ(judged("peak=100kB", small()).reason.substr(0, 8), "8000 kB ");
  EXPECT_EQ(judged("peak=100KB", small()).reason.substr(0, 8), "8000 KB ");
  EXPECT_EQ(judged("peak=7000KiB", small()).reason, "7812 KiB of 7000 KiB, 11.6 % over");
}

TEST(BudgetFile, WrongOnesAreOneSentence) {
  const std::pair<const char*, const char*> cases[] = {
      {"macs = ", "b.toml:1: "},
      {"", "b.toml: it has no budget"},
      {"mac = 5", "b.toml:1: there is no measure \"mac\""},
      {"peak = 5", "b.toml:1: peak: \"5\" is not a size"},
      {"macs = true", "b.toml:1: an amount was expected"},
      {"no = 5", "b.toml:1: \"no\" is a list of names"},
      {"scope = 5", "b.toml:1: scopes are tables"},
      {"[growth]\nmacs = \"x%\"", "b.toml:2: macs: \"x%\" is not a growth"},
      {"unknown = -1", "b.toml:1: \"-1\" is not a number of layers"},
  };
  for (const auto& [text, sentence] : cases) {
    const auto budgets = parse_budget_file(text, "b.toml");
    ASSERT_FALSE(budgets) << text;
    EXPECT_THAT(budgets.error().message, HasSubstr(sentence));
    EXPECT_EQ(budgets.error().kind, ErrorKind::Usage);
  }
  for (const char* line : {"", "macs", "macs=", "no:", "macs=5,", "x:y=5", "unknown=0.5"})
    EXPECT_FALSE(parse_budgets(line)) << line;
}

Outcome hostile() {
  Outcome outcome{.model = "a\n::error::\"<&'>%\x1b.onnx", .file = "b,c:d%.toml"};
  Judged& one = outcome.judged.emplace_back();
  one.budget = {.text = "no <Ein>\r\nsum, x:y", .line = 7};
  one.verdict = Verdict::Over;
  one.reason = "100 % \"over\"\n::set-output name=x::y";
  outcome.judged.push_back({.budget = {.text = "macs = 5"}});
  return outcome;
}

TEST(Annotations, NamesCannotEndACommandOrBeginOne) {
  EXPECT_EQ(to_annotations(hostile()),
            "::error file=b%2Cc%3Ad%25.toml,line=7,title=over budget%3A no <Ein>%0D%0Asum%2C "
            "x%3Ay::a%0A::error::\"<&'>%25\x1b.onnx: 100 %25 \"over\"%0A::set-output name=x::y\n");
}

TEST(Junit, NamesAreText) {
  const std::string xml = to_junit(hostile());
  EXPECT_THAT(xml, HasSubstr("tests=\"2\" failures=\"1\""));
  EXPECT_THAT(xml, HasSubstr("name=\"no &lt;Ein&gt;\\x0d\\x0asum, x:y\""));
  EXPECT_THAT(xml, HasSubstr("classname=\"a\\x0a::error::&quot;&lt;&amp;&apos;&gt;%\\x1b.onnx\""));
  EXPECT_THAT(xml, HasSubstr("<testcase classname=\"a\\x0a"));
  EXPECT_EQ(xml.find('\x1b'), xml.npos);
}

}  // namespace
}  // namespace strata::budget
