// Budgets: what a model may cost. Read from a TOML file, or from one line.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "strata/base/result.h"
#include "strata/compare/side.h"

namespace strata::budget {

// Measures that only language models have (strata/task/llm.h).
inline constexpr std::string_view kLanguageModelMeasures =
    "kv, weights, memory, context, batch and speed";

enum class BudgetKind : std::uint8_t {
  Most,      // at most this amount of a measure
  Growth,    // at most this much more than the baseline
  Operator,  // no operator that this pattern matches
  Unknown,   // at most this many layers whose costs cannot be counted
};

struct Budget {
  BudgetKind kind = BudgetKind::Most;
  std::string text = {};  // as it was written: `macs = 320M`
  std::string scope =
      {};  // a layer with all below it, or a pattern with * and ?; empty: the whole model
  compare::Measure measure = compare::Measure::Macs;
  double limit = 0;              // in the unit of the measure; a share if relative
  bool relative = false;         // Growth: to the baseline
  std::string pattern = {};      // Operator
  bool unknown_is_fine = false;  // an unknown figure does not fail the budget
  std::uint32_t line = 0;        // line in the file; 0: not from a file
};

struct Budgets {
  std::string file = {};  // the file that the budgets come from; empty: none
  std::vector<Budget> list = {};
  std::string baseline = {};  // the document or model that Growth is measured from
};

// `macs=320M,peak=8MB,features.*:macs=10M,head:macs=+1%,no:Einsum,unknown=0`
Result<Budgets> parse_budgets(std::string_view line);
// docs/check.md describes the file. A baseline is looked for beside it.
Result<Budgets> parse_budget_file(std::string_view toml, const std::string& path);
Result<Budgets> read_budget_file(const std::string& path);

}  // namespace strata::budget
