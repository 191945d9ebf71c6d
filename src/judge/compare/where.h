// Where in the network two sides differ: the modules that the change of a total comes from.
#pragma once

#include <string>

#include "strata/compare/diff.h"

namespace strata::compare {

// `Where: Params all in layer3, +4.2 M; MACs +1.1 G in layer3 (61 %), +0.7 G in layer4 (39 %).` and
// a line break, the largest first. Empty if no total of the rows has changed.
std::string where_text(const Side& before, const Side& after, const Diff& diff);

}  // namespace strata::compare
