// The tables of docs/cost-model.md match the convention files. Run with STRATA_REWRITE_DOCS=1 to
// rewrite them.
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include "cost/convention_rules.h"

namespace strata {
namespace {

const std::string kPath = STRATA_SOURCE_DIR "/docs/cost-model.md";

std::string names_table() {
  std::string text = "| name | meaning |\n|---|---|\n";
  for (const FactName& fact : kFactNames)
    text += fmt::format("| `{}` | {} |\n", fact.name, fact.meaning);
  for (const FactName& fact : kAxisFactNames)
    text += fmt::format("| `{}` | in `each(…)`: {} along the axis |\n", fact.name, fact.meaning);
  return text;
}

std::string rules_table(const Convention& convention, const RuleTable& table) {
  std::vector<Metric> metrics;
  std::string text = "| layer |", line = "|---|";
  for (std::size_t m = 0; m < kMetrics; ++m) {
    if (!convention.has(static_cast<Metric>(m))) continue;
    metrics.push_back(static_cast<Metric>(m));
    text += fmt::format(" {} |", convention.label(metrics.back()));
    line += "---|";
  }
  text += "\n" + line + "\n";
  // Neighbours with the same formulas share a row.
  std::string keys, last;
  for (const LayerRule& rule : table.rules()) {
    std::string row;
    for (Metric metric : metrics) {
      const auto& formula = rule.formulas[static_cast<std::size_t>(metric)];
      row += fmt::format(" {} |", formula ? formula->text() : "0");
    }
    if (!keys.empty() && row != last)
      text += fmt::format("| {} |{}\n", std::exchange(keys, ""), last);
    keys += (keys.empty() ? "" : ", ") + rule.key;
    last = row;
  }
  return text + fmt::format("| {} |{}\n", keys, last);
}

std::string formulas() {
  std::string text;
  for (const std::string& name : convention_names()) {
    const auto convention = find_convention(name);
    if (!convention || convention->is_strata()) continue;
    const ConventionRules& rules = convention->rules();
    text += fmt::format("### {}\n\nCounts {}. Source: {}.\n\n", name, rules.title, rules.source);
    for (const std::string& quirk : rules.quirks) text += fmt::format("- {}\n", quirk);
    // A convention that is another one's has no rules of its own.
    if (!rules.modules.rules().empty()) text += "\n" + rules_table(*convention, rules.modules);
    text += "\n";
    if (rules.functional == ConventionRules::Functional::OwnTable)
      text += "Between modules:\n\n" + rules_table(*convention, rules.between) + "\n";
  }
  if (text.ends_with("\n\n")) text.pop_back();
  return text;
}

std::string replaced(std::string page, std::string_view mark, const std::string& content) {
  const std::string open = fmt::format("<!-- {} -->\n", mark),
                    close = fmt::format("<!-- /{} -->", mark);
  const std::size_t first = page.find(open), last = page.find(close);
  if (first == page.npos || last == page.npos) return fmt::format("no place for {}", mark);
  const std::size_t from = first + open.size();
  return page.replace(from, last - from, "\n" + content + "\n");
}

TEST(CostModelDocs, TablesSayWhatTheFilesSay) {
  std::ifstream file(kPath);
  std::stringstream stored;
  stored << file.rdbuf();
  const std::string page =
      replaced(replaced(stored.str(), "names", names_table()), "formulas", formulas());
  if (std::getenv("STRATA_REWRITE_DOCS") != nullptr)
    std::ofstream(kPath) << page;
  else
    EXPECT_TRUE(page == stored.str()) << "the tables of docs/cost-model.md are not what "
                                         "data/conventions says; run this test with "
                                         "STRATA_REWRITE_DOCS=1";
}

}  // namespace
}  // namespace strata
