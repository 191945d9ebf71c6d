// Checks a model against its budgets.
#pragma once

#include <string>
#include <vector>

#include "strata/check/budget.h"
#include "strata/compare/side.h"
#include "strata/document/document.h"

namespace strata::budget {

enum class Verdict : std::uint8_t { Within, Over, Unknown };
std::string_view name_of(Verdict verdict);

struct Judged {
  Budget budget = {};
  Verdict verdict = Verdict::Within;
  compare::Figure found = {};            // what the model has
  std::optional<double> allowed = {};    // in the same unit; nullopt where nothing is counted
  std::vector<std::string> layers = {};  // the layers that match a pattern or are not counted
  std::string reason = {};               // one sentence, in numbers

  bool is_kept() const {
    return verdict == Verdict::Within || (verdict == Verdict::Unknown && budget.unknown_is_fine);
  }
};

struct Outcome {
  std::string model = {};  // as the caller named it
  std::string file = {};   // the file of the budgets; empty: none
  std::vector<Judged> judged = {};

  bool is_kept() const;
};

// `baseline`: nullptr if there is none; growth is then unknown.
Outcome judge(const Budgets& budgets, const compare::Side& side, const compare::Side* baseline);

Document check_document(const Outcome& outcome);
// A test case for each budget, as build servers read them.
std::string to_junit(const Outcome& outcome);
// `::error file=…,line=…::…` for each budget that is not kept, as GitHub shows them at their line.
std::string to_annotations(const Outcome& outcome);

}  // namespace strata::budget
