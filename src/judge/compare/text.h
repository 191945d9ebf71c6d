// Changes as people read them.
#pragma once

#include <string>

#include "strata/compare/diff.h"

namespace strata::compare {

// `+3.2 %`
std::string percent_text(double ratio);
std::string figure_text(const Figure& figure, Unit unit);
// `+1.2 M (+3.2 %)`; `no difference shown (+1.0 %, -2.1 to +4.2 %)` of times.
std::string change_text(const Change& change, Unit unit);
// `9.2 M → 10.1 M (+9.8 %)`, or the one number where nothing changed.
std::string both_text(const Change& change, Unit unit);

}  // namespace strata::compare
