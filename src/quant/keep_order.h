// In which order layers and activations are worth keeping in floats.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "strata/quant/parts.h"

namespace strata {

// One more thing that stays in floats.
struct KeepStep {
  std::string label;             // of the part
  std::size_t layer = kNoLayer;  // its weights, or
  std::string tensor;            // an activation by name
};
void add_to(StaysFloat& floats, const KeepStep& step);

struct KeepWorth {
  std::vector<QuantPart> parts;       // of a file of int8 throughout
  std::vector<double> drops;          // by part, alone
  std::vector<double> seconds_saved;  // by layer, in int8
};

// Each time the step that takes the most drop away for each second that it costs, with what it
// brings along: an activation in floats takes the layers beside it with it, and a layer in
// floats may leave an activation that nothing reads in int8 any more. Drops are taken to add up.
// Ends before no layer would be left in int8.
std::vector<KeepStep> keep_order(const Model& model, const std::vector<QuantLayer>& layers,
                                 const KeepWorth& worth);

}  // namespace strata
