// The rows of a table of weights.
#pragma once

#include <string>
#include <vector>

#include "strata/report/weights.h"

namespace strata {

Table weights_table(const Weights& weights, const WeightsView& view);
// The types of the elements, that of most elements first.
std::vector<std::string> types_of(const Weights& weights);
// Tensors with two axes or more whose elements are whole numbers.
std::size_t integer_matrices(const Weights& weights);

}  // namespace strata
