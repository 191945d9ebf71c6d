// Facts that make two sides hard to compare.
#pragma once

#include <string>
#include <vector>

#include "strata/compare/side.h"

namespace strata::compare {

// A sentence each, the gravest first: another machine, other settings, rows of another kind.
std::vector<std::string> notes_of(const Side& before, const Side& after);

}  // namespace strata::compare
