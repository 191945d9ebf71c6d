// Compares the weights in a Hugging Face model folder with the network that its config.json
// describes.
#pragma once

#include <string>
#include <vector>

#include "strata/base/result.h"
#include "strata/graph/graph.h"
#include "strata/read/weights.h"

namespace strata {

// Sentences for people: that they are the same, or where they differ. None if the folder has no
// weights. An error if they cannot be read.
Result<std::vector<std::string>> compare_folder_weights(const std::string& folder,
                                                        const Model& model, double limit);
// Like above, for weights that were read.
std::vector<std::string> compare_weights(const Weights& weights, const Model& model);

}  // namespace strata
