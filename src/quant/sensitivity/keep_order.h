// The order in which layers and activations are worth keeping in float.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "strata/sensitivity/parts.h"

namespace strata {

// One more thing that stays in float.
struct KeepStep {
  std::string label;             // of the part
  std::size_t layer = kNoLayer;  // its weights, or
  std::string tensor;            // an activation by name
};
void add_to(StaysFloat& floats, const KeepStep& step);

struct KeepWorth {
  std::vector<QuantPart> parts;       // of a file entirely in int8
  std::vector<double> drops;          // by part, alone
  std::vector<double> seconds_saved;  // by layer, in int8
};

// Each step is the one that removes the most drop per second that it costs, including everything
// that it takes along: an activation in float takes the layers next to it along, and a layer in
// floats may leave an activation that nothing reads in int8 any more. Drops are assumed to add up.
// The order ends while there is still a layer in int8.
std::vector<KeepStep> keep_order(const Model& model, const std::vector<QuantLayer>& layers,
                                 const KeepWorth& worth);

}  // namespace strata
